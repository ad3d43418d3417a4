//! `keylane derive`

use crate::algorithm;
use crate::descriptor;
use crate::hex;
use crate::identity::Identity;
use crate::os;
use crate::secret::{Secret, Source};
use crate::status::{Failure, Outcome, Status, quoted};
use crate::target::Target;
use clap::{Args, Subcommand};
use keylane::any::{AnyPrk, HashKind};
use keylane::secret::read_key;
use std::fs::File;
use std::io::Write;
use std::num::NonZeroU32;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// The maximum length of a key, which is kept in memory.
const MAX_LEN: u64 = 1 << 30;

/// Derive a key from a password (pbkdf2) or a secret (hkdf)
#[derive(Subcommand, Debug)]
#[command(after_help = "\
Examples:
  keylane derive hkdf --hash sha256 --length 32 --ikm-file secret --info client")]
pub(crate) enum Derive {
    Pbkdf2(Pbkdf2),
    Hkdf(Hkdf),
}

/// From a password: slow on purpose (RFC 8018)
#[derive(Args, Debug)]
#[command(
    mut_group("Salt", |salt| salt.required(true)),
    long_about = "From a password: slow on purpose (RFC 8018).\n\n\
        Without --password-file or --password-fd, the terminal asks for the password twice.",
    after_help = "\
Examples:
  keylane derive pbkdf2 --hash sha256 --iterations 600000 --length 32 \\
      --salt-file salt --password-file password --password-trim-newline"
)]
pub(crate) struct Pbkdf2 {
    /// The hash function of the HMAC
    #[arg(long, value_name = "ALG", value_parser = algorithm::parser())]
    hash: HashKind,
    /// The cost of a guess: 600000 or more with sha256, 210000 with sha512
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    salt: Salt,
    /// Read the password from this file, every byte of it; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "password_fd")]
    password_file: Option<PathBuf>,
    /// Read the password from this open file descriptor
    #[arg(long, value_name = "N")]
    password_fd: Option<u32>,
    /// Remove a final newline (\n or \r\n) and an initial byte order mark, as editors add them; convert
    /// UTF-16 to UTF-8
    #[arg(long)]
    password_trim_newline: bool,
}

/// From a secret that is already hard to guess (RFC 5869)
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  keylane derive hkdf --hash sha256 --length 32 --ikm-file secret --info client")]
pub(crate) struct Hkdf {
    /// The hash function of the HMAC
    #[arg(long, value_name = "ALG", value_parser = algorithm::parser())]
    hash: HashKind,
    /// Read the secret (input keying material, IKM) from this file, every byte of it; `-` is standard input.
    /// Without an option for it, the terminal asks
    #[arg(long, value_name = "FILE", conflicts_with = "ikm_fd")]
    ikm_file: Option<PathBuf>,
    /// Read the secret from this open file descriptor
    #[arg(long, value_name = "N")]
    ikm_fd: Option<u32>,
    #[command(flatten)]
    salt: Salt,
    /// What the key is for
    #[arg(long, value_name = "TEXT", conflicts_with = "info_hex")]
    info: Option<String>,
    /// What the key is for, in hexadecimal
    #[arg(long, value_name = "HEX", value_parser = bytes)]
    info_hex: Option<Bytes>,
    #[command(flatten)]
    output: Output,
}

#[derive(Args, Debug)]
struct Salt {
    /// The salt, in hexadecimal
    #[arg(long, value_name = "HEX", conflicts_with = "salt_file", value_parser = bytes)]
    salt_hex: Option<Bytes>,
    /// Read the salt from this file, every byte of it
    #[arg(long, value_name = "FILE")]
    salt_file: Option<PathBuf>,
}

#[derive(Args, Debug)]
struct Output {
    /// The key's length in bytes
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..=MAX_LEN))]
    length: u64,
    /// Write the key's bytes to this file, readable only by its owner; `-` is standard output. Without this
    /// option, the key is printed in hexadecimal
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite the file, or write to a terminal
    #[arg(long, requires = "out")]
    force: bool,
}

/// An argument in hexadecimal. clap would treat a plain `Vec` as a repeated option.
#[derive(Clone, Debug)]
struct Bytes(Vec<u8>);

fn bytes(hexadecimal: &str) -> Result<Bytes, &'static str> {
    hex::decode(hexadecimal.as_bytes()).map(Bytes).ok_or("not hexadecimal digits in pairs")
}

impl Derive {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        match self {
            Self::Pbkdf2(pbkdf2) => pbkdf2.run(out),
            Self::Hkdf(hkdf) => hkdf.run(out),
        }
    }
}

impl Pbkdf2 {
    fn run(&self, out: &mut dyn Write) -> Outcome {
        let source = Source::new("password", self.password_file.as_deref(), self.password_fd)?;
        let target = self.output.target(&source, &self.salt)?;
        let salt = self.salt.read(&source)?.ok_or_else(|| Failure::input("no salt"))?;
        let iterations = NonZeroU32::new(self.iterations).ok_or_else(|| Failure::input("no iterations"))?;
        let password = if self.password_trim_newline { source.read_line() } else { source.read() }?;
        let password = source.confirm(password)?;
        let mut key = self.output.reserve();
        self.hash.pbkdf2(&password, &salt, iterations, &mut key).map_err(Failure::input)?;
        write(&key, target.as_ref(), out)
    }
}

impl Hkdf {
    fn run(&self, out: &mut dyn Write) -> Outcome {
        let max = 255 * self.hash.output_len();
        if self.output.length > max as u64 {
            return Err(Failure::input(format_args!(
                "--length {} is too long: HKDF with {} gives at most {max} bytes",
                self.output.length, self.hash
            )));
        }
        let source = Source::new("ikm", self.ikm_file.as_deref(), self.ikm_fd)?;
        let target = self.output.target(&source, &self.salt)?;
        let salt = self.salt.read(&source)?.unwrap_or_default();
        let info = match (&self.info, &self.info_hex) {
            (Some(text), _) => text.as_bytes(),
            (None, Some(Bytes(info))) => info,
            (None, None) => &[],
        };
        let ikm = source.read()?;
        let mut key = self.output.reserve();
        let prk = AnyPrk::extract(self.hash, &salt, &ikm);
        prk.expand(&[info], &mut key).map_err(Failure::input)?;
        write(&key, target.as_ref(), out)
    }
}

impl Salt {
    fn read(&self, secret: &Source<'_>) -> Result<Option<Secret>, Failure> {
        let identity = self.salt_file.as_ref().and_then(|file| Identity::at(file).ok());
        if identity.is_some() && identity == secret.identity() {
            return Err(Failure::input(format_args!("{secret} is also the salt")));
        }
        match (&self.salt_hex, &self.salt_file) {
            (Some(Bytes(salt)), _) => Ok(Some(salt.clone().into())),
            (None, Some(file)) => {
                let open = descriptor::number(file).map_or(Ok(()), os::check);
                let salt = open.and_then(|()| read_key(File::open(file)?));
                salt.map(Some).map_err(|error| Failure::file(file, &error))
            }
            (None, None) => Ok(None),
        }
    }
}

impl Output {
    fn reserve(&self) -> Secret {
        // The option's range keeps the cast in range on every platform.
        Zeroizing::new(vec![0; self.length as usize])
    }

    /// Opens the output, failing before a secret is asked for if possible.
    fn target(&self, secret: &Source<'_>, salt: &Salt) -> Result<Option<Target>, Failure> {
        let Some(out) = &self.out else { return Ok(None) };
        let target = Target::new(Some(out), self.force)?.private();
        target.refuse_terminal("a key")?;
        secret.refuse_as(&target)?;
        if let Some(salt) = &salt.salt_file {
            target
                .refuse(Identity::at(salt).ok().as_ref(), format_args!("the salt file {}", quoted(salt)))?;
        }
        Ok(Some(target))
    }
}

fn write(key: &[u8], target: Option<&Target>, out: &mut dyn Write) -> Outcome {
    match target {
        Some(target) => target.write(key)?,
        None => writeln!(out, "{}", *Zeroizing::new(hex::encode(key)))?,
    }
    Ok(Status::Done)
}
