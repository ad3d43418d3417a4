//! The secret of an encrypted file: a key file or a passphrase.

use crate::identity::Identity;
use crate::secret::{Secret, Source, options};
use crate::status::Failure;
use crate::target::Target;
use clap::Args;
use keylane_file::{Key, KeySource};
use std::cell::OnceCell;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[group(multiple = false)]
pub(crate) struct SecretOptions {
    /// The key is every byte of this file, 32 or more, or 16 with `--format c2sp`; `-` is standard input
    #[arg(long, short, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Read the key from this open file descriptor
    #[arg(long, value_name = "N")]
    key_fd: Option<u32>,
    /// Read the passphrase from this file, without the newline at its end; `-` is standard input
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
    /// Read the passphrase from this open file descriptor
    #[arg(long, value_name = "N")]
    passphrase_fd: Option<u32>,
    /// Ask for the passphrase at the terminal; this is the default
    #[arg(long, short)]
    passphrase: bool,
}

/// Where it comes from.
pub(crate) struct FileSecretSource<'a> {
    source: Source<'a>,
    is_key: bool,
    /// Read once, for all files.
    secret: OnceCell<FileSecret>,
}

/// Wiped on drop.
pub(crate) enum FileSecret {
    KeyFile(Secret),
    Passphrase(Secret),
}

impl SecretOptions {
    /// Call it before the command opens any file, as [`Source::new`].
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
    /// Whether reading the secret uses up standard input.
    pub(crate) fn is_stdin(&self) -> bool {
        self.source.is_stdin()
    }

    /// The file that it is read from, if it is one.
    pub(crate) fn identity(&self) -> Option<Identity> {
        self.source.identity()
    }

    /// Refuses to overwrite it.
    pub(crate) fn refuse_as(&self, output: &Target<'_>) -> Result<(), Failure> {
        self.source.refuse_as(output)
    }

    /// For a format that has no passphrases.
    pub(crate) fn read_key(&self) -> Result<&[u8], Failure> {
        match self.is_key.then(|| self.read(true)).transpose()? {
            Some(FileSecret::KeyFile(key)) => Ok(key),
            _ => {
                let options = options("key");
                Err(Failure::input(format_args!("--format c2sp has no passphrases: give {options}")))
            }
        }
    }

    /// For a `new` file a passphrase is asked for twice. Without an option it is a passphrase.
    pub(crate) fn read(&self, new: bool) -> Result<&FileSecret, Failure> {
        if let Some(secret) = self.secret.get() {
            return Ok(secret);
        }
        let secret = match (self.is_key, new) {
            (true, _) => self.source.read().map(FileSecret::KeyFile),
            (false, true) => self.source.read_line_twice().map(FileSecret::Passphrase),
            (false, false) => self.source.read_line().map(FileSecret::Passphrase),
        };
        secret.map(|secret| self.secret.get_or_init(|| secret))
    }

    /// Fails if the file `name` was encrypted with the other kind of secret.
    pub(crate) fn fits(&self, name: &str, key_source: KeySource) -> Result<(), Failure> {
        match key_source {
            KeySource::KeyFile if !self.is_key => Err(Failure::input(format_args!(
                "{name} was encrypted with a key file: give {}",
                options("key")
            ))),
            KeySource::Passphrase(_) if self.is_key => Err(Failure::input(format_args!(
                "{name} was encrypted with a passphrase: give {}, or --passphrase to type it",
                options("passphrase")
            ))),
            _ => Ok(()),
        }
    }
}

impl FileSecret {
    pub(crate) fn key(&self) -> Key<'_> {
        match self {
            Self::KeyFile(secret) => Key::File(secret),
            Self::Passphrase(secret) => Key::Passphrase(secret),
        }
    }
}
