//! `keylane mac`

use crate::algorithm;
use crate::check_list::Files;
use crate::hex;
use crate::secret::{self, Source};
use crate::status::{Failure, Outcome};
use clap::{Args, ValueEnum};
use keylane::any::{AnyHmac, HashKind};
use std::io::Write;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Print or check HMAC tags of files, in the format of sha256sum
#[derive(Args, Debug)]
#[command(
    mut_arg("tag", |tag| tag.help("Write a list in the BSD format: `HMAC-SHA256 (name) = HEX`")),
    long_about = "Print or check HMAC tags of files, in the format of sha256sum.\n\n\
        The key comes from a file, a file descriptor or, without either, the terminal; never from an \
        argument, which every process could see. A warning is printed if others can read the key file. Lists \
        and exit statuses are those of `keylane hash`, with HMAC- before the hash function's name. Tags are \
        compared in constant time.",
    after_help = "\
Examples:
  keylane mac sha256 -k backup.key *.tar >TAGS
  keylane mac sha256 -k backup.key --check TAGS"
)]
pub(crate) struct Mac {
    /// The hash function of the HMAC
    #[arg(value_name = "ALG", value_parser = algorithm::parser())]
    algorithm: HashKind,
    /// Read the key from this file, every byte of it; `-` is standard input
    #[arg(long, short, value_name = "FILE", conflicts_with = "key_fd")]
    key_file: Option<PathBuf>,
    /// Read the key from this open file descriptor
    #[arg(long, value_name = "N")]
    key_fd: Option<u32>,
    /// How the key is written
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = KeyFormat::Raw)]
    key_format: KeyFormat,
    #[command(flatten)]
    files: Files,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KeyFormat {
    /// All bytes are the key, including a newline at the end
    Raw,
    /// Hexadecimal digits; white space around them is ignored
    Hex,
}

impl Mac {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        let source = Source::new("key", self.key_file.as_deref(), self.key_fd)?;
        if source.is_stdin() && self.files.reads_stdin() {
            return Err(Failure::input("standard input cannot be both the key and the data"));
        }
        self.files.stdin_is_key.set(source.is_stdin());
        let key = match self.key_format {
            KeyFormat::Raw => source.read()?,
            KeyFormat::Hex => decode(&source.read_line()?, &source)?,
        };
        let mac = AnyHmac::new(self.algorithm, &key);
        // The prepared key wipes itself.
        drop(key);
        self.files.run(algorithm::kind(self.algorithm, true), &mac, out)
    }
}

fn decode(key: &[u8], source: &Source<'_>) -> Result<secret::Secret, Failure> {
    match hex::decode(key.trim_ascii()) {
        Some(key) if !key.is_empty() => Ok(Zeroizing::new(key)),
        _ => Err(Failure::input(format_args!("{source} is not pairs of hexadecimal digits"))),
    }
}
