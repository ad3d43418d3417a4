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
        A key file holds 32 or more bytes that cannot be guessed (`keylane keygen -o backup.key`); every \
        byte counts. Without an option for the secret, the terminal asks for a passphrase twice. The \
        encrypted file reveals the text's length, the algorithm and the kind of secret. A warning is printed \
        if others can read the key file or passphrase file.\n\n\
        Each FILE is encrypted to FILE.kl, and kept. Without `-o`, standard input goes to standard output; \
        so does a FILE with `-c`. If one file fails, the others are still encrypted.\n\n\
        Output is written to a temporary file, `.keylane-` and some letters, and renamed when it is complete \
        and on the disk. A new file has the permissions that your umask gives, not the input's. After an \
        error or a signal the temporary file is removed; SIGKILL and a power cut leave it behind. A signal \
        that is ignored at the start, as with `nohup`, stays ignored.",
    after_help = "\
Examples:
  keylane encrypt -k backup.key home.tar
  tar c photos | keylane encrypt -k backup.key >photos.tar.kl
  keylane encrypt -k backup.key --recursive photos"
)]
pub(crate) struct Encrypt {
    #[command(flatten)]
    transfer: TransferOptions,
    /// The encryption algorithm
    #[arg(long, value_name = "ALG", value_parser = algorithms(), default_value = "aes-256-gcm")]
    algorithm: Algorithm,
    /// How a passphrase becomes a key: sets the cost of each guess and of each decryption
    #[arg(
        long,
        value_enum,
        value_name = "KDF",
        default_value_t = KdfName::Argon2id,
        conflicts_with_all = ["key_file", "key_fd"],
    )]
    kdf: KdfName,
    /// Iterations of `--kdf pbkdf2`: 600000 to 10000000, by default 1000000
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
    /// HMAC-SHA-512; constant time, but guesses are cheap because it needs no memory
    Pbkdf2,
}

fn algorithms() -> impl TypedValueParser<Value = Algorithm> {
    let help = ["Faster on CPUs with AES instructions", "Faster on other CPUs"];
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
            (KdfName::Argon2id, Some(_)) => Err(Failure::input("--iterations needs --kdf pbkdf2")),
            (KdfName::Pbkdf2, iterations) => Ok(Kdf::Pbkdf2 { iterations: iterations.unwrap_or(1_000_000) }),
        }
    }
}
