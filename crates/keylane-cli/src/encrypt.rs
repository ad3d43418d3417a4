//! `keylane encrypt`

use crate::file_secret::SecretOptions;
use crate::status::Outcome;
use crate::transfer::{Transfer, TransferOptions};
use clap::{Args, ValueEnum};
use keylane_file::{Algorithm, MAX_ITERATIONS, MIN_ITERATIONS, Options};

/// Encrypt a file with a key file or a passphrase
#[derive(Args, Debug)]
#[command(
    long_about = "Encrypt a file with a key file or a passphrase.\n\n\
        A key file is 32 bytes or more that nobody can guess \
        (`umask 077; head -c 32 /dev/urandom > backup.key`), all of which count. Without an option for either, \
        a passphrase is asked twice at the terminal. What is written shows its length, the algorithm and the \
        kind of secret. A file of a key or a passphrase that others than its owner can read gets a warning.\n\n\
        A file is written under another name, `.keylane-` and some letters, and renamed when it is whole and on \
        the disk. If this fails or a signal ends it (SIGHUP, SIGINT, SIGQUIT, SIGTERM), that file is removed; \
        SIGKILL and a power cut leave it. A signal that is ignored at the start, as with `nohup`, stays ignored.",
    after_help = "Example: keylane encrypt --key-file backup.key home.tar -o home.tar.kl; \
        tar c . | keylane encrypt --key-file backup.key > home.tar.kl"
)]
pub(crate) struct Encrypt {
    #[command(flatten)]
    transfer: TransferOptions,
    #[command(flatten)]
    secret: SecretOptions,
    /// How to encrypt
    #[arg(long, value_enum, value_name = "ALG", default_value_t = Cipher::Aes256Gcm)]
    algorithm: Cipher,
    /// The cost of guessing the passphrase, for whoever guesses and at every decryption: PBKDF2's iterations
    #[arg(
        long,
        value_name = "N",
        default_value_t = Options::default().iterations,
        value_parser = clap::value_parser!(u32).range(i64::from(MIN_ITERATIONS)..=i64::from(MAX_ITERATIONS)),
        conflicts_with_all = ["key_file", "key_fd"],
    )]
    iterations: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Cipher {
    /// The faster one on CPUs with AES instructions
    #[value(name = "aes-256-gcm")]
    Aes256Gcm,
    /// The faster one on others
    #[value(name = "chacha20-poly1305")]
    ChaCha20Poly1305,
}

impl Encrypt {
    pub(crate) fn run(&self) -> Outcome {
        let source = self.secret.source()?;
        let transfer = Transfer::new(&self.transfer, &source)?;
        transfer.refuse_terminal()?;
        let secret = source.read_new()?;
        let options = Options {
            algorithm: self.algorithm.into(),
            iterations: self.iterations,
            threads: self.transfer.threads,
        };
        transfer.run(|input, output, progress| {
            keylane_file::encrypt_file(input, output, secret.key(), &options, progress)
        })
    }
}

impl From<Cipher> for Algorithm {
    fn from(cipher: Cipher) -> Self {
        match cipher {
            Cipher::Aes256Gcm => Self::Aes256Gcm,
            Cipher::ChaCha20Poly1305 => Self::ChaCha20Poly1305,
        }
    }
}
