//! `keylane man`

use crate::Arguments;
use crate::status::{Failure, Outcome, Status};
use clap::{Args, CommandFactory};
use std::fs;
use std::io::Write;
use std::path::PathBuf;

/// Print the manual page of keylane, or write those of all commands
#[derive(Args, Debug)]
#[command(after_help = "Example: keylane man --out ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Write a page for each command into this folder, which is created if it does not exist
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        match &self.out {
            Some(folder) => fs::create_dir_all(folder)
                .and_then(|()| clap_mangen::generate_to(Arguments::command(), folder))
                .map_err(|error| Failure::file(folder, &error))?,
            // `help` has no page of its own.
            None => {
                clap_mangen::Man::new(Arguments::command().disable_help_subcommand(true)).render(out)?;
            }
        }
        Ok(Status::Done)
    }
}
