//! The secret of an encrypted file: a key file or a passphrase.

use crate::secret::{Secret, Source, options};
use crate::status::Failure;
use clap::Args;
use keylane_file::{Key, KeySource};
use std::cell::OnceCell;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[group(multiple = false)]
pub(crate) struct SecretOptions {
    /// The key is every byte of this file, 32 or more; `-` is standard input
    #[arg(long, short, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Read the key from this open file descriptor
    #[arg(long, value_name = "N")]
    key_fd: Option<u32>,
    /// Read the passphrase from this file, without its final newline; `-` is standard input
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
    /// Read the passphrase from this open file descriptor
    #[arg(long, value_name = "N")]
    passphrase_fd: Option<u32>,
    /// Ask for the passphrase at the terminal; the default
    #[arg(long, short)]
    passphrase: bool,
}

/// The source of the secret.
pub(crate) struct FileSecretSource<'a> {
    pub(crate) source: Source<'a>,
    is_key: bool,
    /// The secret, read once for all files.
    secret: OnceCell<Secret>,
}

impl SecretOptions {
    /// Returns the source. Call it before the command opens any file, like [`Source::new`].
    pub(crate) fn source(&self) -> Result<FileSecretSource<'_>, Failure> {
        let is_key = self.key_file.is_some() || self.key_fd.is_some();
        let source = if is_key {
            Source::new("key", self.key_file.as_deref(), self.key_fd)
        } else {
            Source::new("passphrase", self.passphrase_file.as_deref(), self.passphrase_fd)
        };
        Ok(FileSecretSource { source: source?, is_key, secret: OnceCell::new() })
    }
}

impl FileSecretSource<'_> {
    /// Reads the secret for encryption. The terminal asks for a passphrase twice.
    pub(crate) fn read_new(&self) -> Result<Key<'_>, Failure> {
        self.read(|passphrase| self.source.confirm(passphrase))
    }

    /// Reads the secret for decryption, a passphrase by default.
    pub(crate) fn read_old(&self) -> Result<Key<'_>, Failure> {
        self.read(Ok)
    }

    fn read(&self, confirm: impl Fn(Secret) -> Result<Secret, Failure>) -> Result<Key<'_>, Failure> {
        let secret = match self.secret.get() {
            Some(secret) => secret,
            None => {
                let secret =
                    if self.is_key { self.source.read()? } else { confirm(self.source.read_line()?)? };
                self.secret.get_or_init(|| secret)
            }
        };
        Ok(if self.is_key { Key::File(secret) } else { Key::Passphrase(secret) })
    }

    /// Fails if the file `name` was encrypted with the other kind of secret.
    pub(crate) fn fits(&self, name: &str, key_source: KeySource) -> Result<(), Failure> {
        let (kind, options) = match key_source {
            KeySource::KeyFile if !self.is_key => ("key file", options("key")),
            KeySource::Passphrase(_) if self.is_key => {
                ("passphrase", options("passphrase") + ", or --passphrase to type it")
            }
            _ => return Ok(()),
        };
        Err(Failure::input(format_args!("{name} was encrypted with a {kind}: give {options}")))
    }
}
