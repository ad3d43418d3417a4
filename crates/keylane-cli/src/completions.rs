//! `keylane completions`

use crate::Arguments;
use crate::status::{Outcome, Status};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::fmt::Display;
use std::io::{self, Write};

/// Print completions for a shell
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  mkdir -p ~/.local/share/bash-completion/completions
  keylane completions bash >~/.local/share/bash-completion/completions/keylane")]
pub(crate) struct Completions {
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        // The generator panics if a write fails, which cannot happen in memory.
        let mut script = Vec::new();
        let mut keylane = Arguments::command();
        clap_complete::generate(self.shell, &mut keylane, "keylane", &mut script);
        let mut script = String::from_utf8(script).map_err(io::Error::other)?;
        // The generator does not know that `-e` is a command.
        for below in keylane.get_subcommands() {
            let Some(flag) = below.get_short_flag() else { continue };
            let name = below.get_name();
            let (known, with_flag) = match self.shell {
                Shell::Bash => (format!("keylane,{name})"), format!("keylane,{name} | keylane,-{flag})")),
                Shell::Zsh => {
                    after("_keylane() {\n", format_args!("[[ $words[2] = -{flag} ]] && words[2]={name}"))
                }
                Shell::Fish => after(
                    "set -e cmd[1]\n",
                    format_args!("test \"$cmd[1]\" = -{flag}; and set cmd[1] {name}"),
                ),
                _ => continue,
            };
            script = script.replacen(&known, &with_flag, 1);
        }
        out.write_all(script.as_bytes())?;
        Ok(Status::Done)
    }
}

/// Returns a line, and the same with another one after it.
fn after(line: &str, more: impl Display) -> (String, String) {
    (line.to_owned(), format!("{line}    {more}\n"))
}
