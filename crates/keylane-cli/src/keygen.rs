//! `keylane keygen`

use crate::os;
use crate::status::{Failure, Outcome, Status};
use crate::target::Target;
use clap::Args;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// The key's length in bytes, the same as that of the keys derived from it for each file.
const KEY_LEN: usize = 32;

/// Write a new random key file of 32 bytes, for `--key-file`
#[derive(Args, Debug)]
#[command(
    long_about = "Write a new random key file of 32 bytes, for `--key-file`.\n\n\
        The bytes come from the operating system. With --output, only the file's owner can read it (mode \
        0600; on Windows an access list, which FAT does not have), and it appears when it is complete and on \
        the disk, or not at all. If you redirect standard output to a file, the shell sets its permissions. \
        Keep a copy: without the key file, nothing that was encrypted with it can be read.",
    after_help = "\
Examples:
  keylane keygen -o backup.key"
)]
pub(crate) struct Keygen {
    /// The file to write; `-` or none is standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite the output; write the key to a terminal
    #[arg(long)]
    force: bool,
}

impl Keygen {
    pub(crate) fn run(&self) -> Outcome {
        let target = Target::new(self.output.as_deref(), self.force)?.private();
        target.refuse_terminal("a key")?;
        os::forbid_core_file();
        let mut key = Zeroizing::new([0; KEY_LEN]);
        getrandom::fill(&mut *key)
            .map_err(|error| Failure::input(format_args!("no random bytes: {error}")))?;
        target.write(&*key)?;
        Ok(Status::Done)
    }
}
