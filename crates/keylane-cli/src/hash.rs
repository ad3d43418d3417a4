//! `keylane hash`

use crate::algorithm;
use crate::check_list::Files;
use crate::status::Outcome;
use clap::Args;
use keylane::any::{AnyHash, HashKind};
use std::io::Write;

/// Print or check digests of files, in the format of sha256sum
#[derive(Args, Debug)]
#[command(
    long_about = "Print or check digests of files, in the format of sha256sum.\n\n\
        A list's lines are `HEX  name`, `HEX *name`, `SHA256 (name) = HEX` (as --tag writes it) or \
        `SHA2-256(name)= HEX` (as openssl dgst does). Empty lines and lines that begin with # are skipped. \
        If the first line has a single space or tab before the name, so must all others. Any other line, \
        such as a signature's, causes a warning. --check continues after a failure. It exits with 1 if a \
        listed file differs or cannot be read, or if --ignore-missing leaves nothing to verify; otherwise \
        with 2 if a list has no proper line, or with --strict an improper one.",
    after_help = "\
Examples:
  keylane hash sha256 *.iso >SHA256SUMS
  keylane hash sha256 --check SHA256SUMS
  keylane hash sha256 --recursive photos >photos.sha256"
)]
pub(crate) struct Hash {
    /// The hash function
    #[arg(value_name = "ALG", value_parser = algorithm::parser())]
    algorithm: HashKind,
    #[command(flatten)]
    files: Files,
}

impl Hash {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        self.files.run(algorithm::kind(self.algorithm, false), &AnyHash::new(self.algorithm), out)
    }
}
