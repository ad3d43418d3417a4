//! The format of an encrypted file.

use crate::status::Failure;
use clap::{Args, ValueEnum};

#[derive(Args, Debug)]
pub(crate) struct FormatOptions {
    /// The format of the encrypted file; decryption needs the same option
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Keylane)]
    format: Format,
    /// What the file is for, with `--format c2sp`: not secret, not in the file, and the same for decryption
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Keylane's own: a key file of 32 bytes or more, or a passphrase
    Keylane,
    /// C2SP's chunked encryption, which others read and write as well and which can be read from any place: a
    /// key file of 16 bytes (Cobblestone-128) or 32 (Cobblestone-256)
    C2sp,
}

impl FormatOptions {
    /// Returns the context if the format is C2SP's.
    pub(crate) fn c2sp(&self) -> Result<Option<&[u8]>, Failure> {
        match (self.format, &self.context) {
            (Format::Keylane, None) => Ok(None),
            (Format::Keylane, Some(_)) => Err(Failure::input("--context needs --format c2sp")),
            (Format::C2sp, context) => Ok(Some(context.as_deref().unwrap_or_default().as_bytes())),
        }
    }
}
