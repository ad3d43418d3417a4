//! `keylane man`

use crate::Arguments;
use crate::status::{Failure, Outcome, Status};
use clap::{Args, Command, CommandFactory};
use clap_mangen::roff::{Roff, roman};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Print keylane's man page, or write those of all commands
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  keylane man --out ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Write a page for each command into this folder, creating it if needed
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        // `help` has no page of its own.
        let mut keylane = Arguments::command().disable_help_subcommand(true);
        keylane.build();
        match &self.out {
            Some(folder) => fs::create_dir_all(folder)
                .and_then(|()| write_all(keylane, folder))
                .map_err(|error| Failure::file(folder, &error))?,
            None => out.write_all(&page(keylane)?.1)?,
        }
        Ok(Status::Done)
    }
}

fn write_all(command: Command, folder: &Path) -> io::Result<()> {
    for below in command.get_subcommands() {
        write_all(below.clone(), folder)?;
    }
    let (name, page) = page(command)?;
    fs::write(folder.join(name), page)
}

/// Returns the name and text of a command's page, with examples that can be pasted.
fn page(command: Command) -> io::Result<(String, Vec<u8>)> {
    let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut lines = Roff::new();
    lines.control("SH", ["EXIT STATUS"]);
    lines.text([roman("0 done, 1 verification failed, 2 wrong usage or input.")]);
    lines.control("SH", ["EXAMPLES"]).control("EX", []);
    for line in examples.lines().skip(1) {
        lines.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
    }
    lines.control("EE", []);
    let (mut page, man) = (Vec::new(), clap_mangen::Man::new(command.after_help(None::<&str>)));
    let man = man.source(concat!("keylane ", env!("CARGO_PKG_VERSION"))).manual("Keylane");
    man.render(&mut page)?;
    lines.to_writer(&mut page)?;
    Ok((man.get_filename(), page))
}
