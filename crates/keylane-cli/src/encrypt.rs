//! `keylane encrypt`

use crate::status::{Failure, Outcome};
use crate::transfer::{TransferOptions, encrypted};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use keylane_file::{Algorithm, Encryption, Kdf, MAX_ITERATIONS, MIN_ITERATIONS};

/// Encrypt files with a key file or a passphrase
#[derive(Args, Debug)]
#[command(
    short_flag = 'e',
    long_about = "Encrypt files with a key file or a passphrase.\n\n\
        A key file holds 32 bytes or more that cannot be guessed (`keylane keygen -o backup.key`); every \
        byte counts. Without an option for either, a passphrase is asked for twice at the terminal. The \
        encrypted file reveals the length of its text, the algorithm and the kind of secret. A warning is \
        printed if others than its owner can read the file of a key or passphrase.\n\n\
        Each FILE is encrypted to FILE.kl, and kept. Standard input goes to standard output, and so does a \
        FILE with `-c`. A file that fails does not keep the others from being encrypted.\n\n\
        An output file is written under another name, `.keylane-` and some letters, and renamed when it is \
        complete and on the disk. A new one has the permissions that your umask gives, not those of the \
        input. If this fails or a signal ends it, that file is removed; SIGKILL and a power cut leave it \
        behind. A signal that is ignored at the start, as with `nohup`, stays ignored.",
    after_help = "\
Examples:
  keylane encrypt -k backup.key home.tar
  tar c photos | keylane encrypt -k backup.key >photos.tar.kl
  keylane encrypt -k backup.key --recursive photos"
)]
pub(crate) struct Encrypt {
    #[command(flatten)]
    transfer: TransferOptions,
    /// How to encrypt
    #[arg(long, value_name = "ALG", value_parser = algorithms(), default_value = "aes-256-gcm")]
    algorithm: Algorithm,
    /// What derives the key from a passphrase, which sets the cost of each guess and of each decryption
    #[arg(
        long,
        value_enum,
        value_name = "KDF",
        default_value_t = KdfName::Argon2id,
        conflicts_with_all = ["key_file", "key_fd"],
    )]
    kdf: KdfName,
    /// PBKDF2's iterations, 600000 to 10000000, only with `--kdf pbkdf2`; by default 1000000
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(i64::from(MIN_ITERATIONS)..=i64::from(MAX_ITERATIONS)),
        conflicts_with_all = ["key_file", "key_fd"],
    )]
    iterations: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KdfName {
    /// 64 MiB of memory, 3 passes, 4 lanes
    Argon2id,
    /// HMAC-SHA-512; runs in constant time and needs no memory, which makes guesses cheap
    Pbkdf2,
}

fn algorithms() -> impl TypedValueParser<Value = Algorithm> {
    let help = ["The faster one on CPUs with AES instructions", "The faster one on others"];
    let values = Algorithm::ALL.iter().zip(help);
    let values = values.map(|(algorithm, help)| PossibleValue::new(algorithm.kind().name()).help(help));
    PossibleValuesParser::new(values).map(|name| {
        Algorithm::ALL
            .into_iter()
            .find(|algorithm| algorithm.kind().name() == name)
            .expect("a possible value")
    })
}

impl Encrypt {
    pub(crate) fn run(&self) -> Outcome {
        let kdf = self.kdf()?;
        self.transfer.run(encrypted, |transfer| {
            transfer.target.refuse_terminal("ciphertext")?;
            let encryption = Encryption::new(transfer.secret.read_new()?).algorithm(self.algorithm);
            transfer.run(|input, output, bar| {
                let encryption = encryption.kdf(kdf).threads(self.transfer.threads());
                encryption.progress(|len| bar.set_position(len)).run_file(input, output)
            })
        })
    }

    fn kdf(&self) -> Result<Kdf, Failure> {
        match (self.kdf, self.iterations) {
            (KdfName::Argon2id, None) => Ok(Kdf::default()),
            (KdfName::Argon2id, Some(_)) => {
                Err(Failure::input("--iterations is an option of PBKDF2: give --kdf pbkdf2"))
            }
            (KdfName::Pbkdf2, iterations) => Ok(Kdf::Pbkdf2 { iterations: iterations.unwrap_or(1_000_000) }),
        }
    }
}
