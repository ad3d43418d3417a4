//! `keylane completions`

use crate::Arguments;
use crate::status::{Outcome, Status};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::Write;

/// Print the completions of this command for a shell
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  keylane completions bash >~/.local/share/bash-completion/completions/keylane")]
pub(crate) struct Completions {
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        // The generator panics where it cannot write; memory takes everything.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "keylane", &mut script);
        out.write_all(&script)?;
        Ok(Status::Done)
    }
}
