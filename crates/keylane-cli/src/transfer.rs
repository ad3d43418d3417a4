//! From one file or pipe to another.

use crate::descriptor::{self, STANDARD, STDIN, is_stdin, number};
use crate::file_secret::FileSecretSource;
use crate::folders;
use crate::identity::Identity;
use crate::progress;
use crate::status::{Failure, Outcome, Status, complain, quoted, reason};
use crate::target::Target;
use clap::Args;
use keylane_file::Error;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
pub(crate) struct TransferOptions {
    /// The files to read; `-` or none is standard input
    #[arg(value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// The file to write, which appears when it is complete, or not at all; `-` is standard output, and
    /// `/dev/fd/N` is that descriptor
    #[arg(long = "output", short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Take the regular files in folders and below, no links: to encrypt all but *.kl, to decrypt only *.kl
    #[arg(long, short, requires = "inputs", conflicts_with = "output")]
    recursive: bool,
    /// Overwrite the output, unless it is the input or the file of the secret; write ciphertext to a terminal
    #[arg(long)]
    force: bool,
    /// Number of threads; by default as many as there are cores
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// Returns the name of the output that follows from an input's, if one does.
type Rename = fn(&Path) -> Option<PathBuf>;

/// FILE.kl for FILE.
pub(crate) fn encrypted(name: &Path) -> Option<PathBuf> {
    let mut encrypted = name.as_os_str().to_owned();
    encrypted.push(".kl");
    decrypted(name).is_none().then(|| encrypted.into())
}

/// FILE for FILE.kl.
pub(crate) fn decrypted(name: &Path) -> Option<PathBuf> {
    (name.extension()? == "kl").then(|| name.with_extension(""))
}

/// An open input, and where the output will be.
pub(crate) struct Transfer<'a> {
    options: &'a TransferOptions,
    input: File,
    /// Quoted, for messages.
    input_name: String,
    target: Target<'a>,
}

impl TransferOptions {
    /// Calls `each` for every file, and goes on after one that fails, unless the secret cannot be read.
    pub(crate) fn run(
        &self,
        rename: Rename,
        secret: &FileSecretSource<'_>,
        each: impl Fn(&Transfer<'_>) -> Result<Outcome, Failure>,
    ) -> Outcome {
        let is_terminal = io::stdout().is_terminal();
        let (inputs, mut status) = match &*self.inputs {
            _ if self.recursive => folders::files(&self.inputs, |path| rename(path).is_some()),
            [] => (vec![PathBuf::from(STANDARD)], Status::Done),
            inputs => (inputs.to_vec(), Status::Done),
        };
        let several = self.recursive || inputs.len() > 1;
        if several && self.output.is_some() {
            return Err(Failure::input("--output is for one file"));
        }
        for input in &inputs {
            let is_named = input != Path::new(STANDARD) && number(input).is_none();
            let is_renamed = self.output.is_none() && is_named && (several || is_terminal && input.is_file());
            let renamed = if is_renamed { rename(input) } else { None };
            let output = self.output.as_deref().or(renamed.as_deref());
            let transfer = if several && output.is_none() {
                let (name, why) = (quoted(input), "the output's name does not follow from it");
                Err(match input.metadata() {
                    Err(error) if is_named => Failure::file(input, &error),
                    _ => Failure::input(format_args!("{name}: {why}: take it alone, with --output")),
                })
            } else {
                Transfer::new(self, input, output, secret)
            };
            let outcome = match transfer {
                Ok(transfer) => each(&transfer)?,
                Err(failure) => Err(failure),
            };
            match (outcome, output) {
                (Err(failure), _) => status = status.and(failure.report()),
                (Ok(_), Some(name)) if is_terminal && is_renamed => {
                    complain(format_args!("{} is written", quoted(name)));
                }
                _ => {}
            }
        }
        Ok(status)
    }
}

impl<'a> Transfer<'a> {
    /// Fails before a secret is asked for, where that can be.
    fn new(
        options: &'a TransferOptions,
        input: &Path,
        output: Option<&'a Path>,
        secret: &FileSecretSource<'_>,
    ) -> Result<Self, Failure> {
        let path = Some(input).filter(|path| !is_stdin(path));
        let target = Target::new(output, options.force)?;
        let (input, input_name) = match path {
            Some(path) => (descriptor::open_file(path), quoted(path).to_string()),
            None => (descriptor::open(STDIN), "standard input".to_owned()),
        };
        let input =
            input.map_err(|error| Failure::input(format_args!("{input_name}: {}", reason(&error))))?;
        let identity = Identity::of(&input).ok();
        if path.is_none() && secret.is_stdin() || identity.is_some() && identity == secret.identity() {
            return Err(Failure::input(format_args!("{input_name} cannot be both the secret and the data")));
        }
        target.refuse(identity.as_ref(), &input_name)?;
        secret.refuse_as(&target)?;
        Ok(Self { options, input, input_name, target })
    }

    pub(crate) fn input(&self) -> &File {
        &self.input
    }

    pub(crate) fn input_name(&self) -> &str {
        &self.input_name
    }

    /// Ciphertext can make a terminal unusable.
    pub(crate) fn refuse_terminal(&self) -> Result<(), Failure> {
        if self.target.is_terminal() && !self.options.force {
            return Err(Failure::input(
                "ciphertext is not written to a terminal: give --output, or --force to write it all the same",
            ));
        }
        Ok(())
    }

    /// Opens the output, runs `work` with a progress bar, and completes the output.
    pub(crate) fn run(
        &self,
        work: impl FnOnce(&File, &File, &mut (dyn FnMut(u64) + Send)) -> Result<u64, Error>,
    ) -> Outcome {
        let output = self.target.open()?;
        let bar = if self.target.is_terminal() {
            progress::hidden()
        } else {
            match self.input.metadata() {
                Ok(metadata) if metadata.is_file() => progress::of_file(&self.input_name, metadata.len()),
                _ => progress::of_stream(),
            }
        };
        let done = work(&self.input, output.file(), &mut |len| bar.set_position(len));
        bar.finish_and_clear();
        done.map_err(|error| self.failure(error))?;
        output.finish().map_err(|error| self.target.failure(error))?;
        Ok(Status::Done)
    }

    pub(crate) fn failure(&self, error: Error) -> Failure {
        let input = &self.input_name;
        match error {
            Error::Read(error) => Failure::input(format_args!("{input}: {}", reason(&error))),
            Error::Write(error) => self.target.failure(error),
            // The input is not the cause of these.
            Error::KeyFileLength(_) | Error::KeyLength(_) | Error::NoMemory { .. } | Error::Random(_) => {
                Failure::input(error)
            }
            error if error.is_verification_failure() => {
                Failure::VerificationFailed(format!("{input}: {error}"))
            }
            error => Failure::input(format_args!("{input}: {error}")),
        }
    }
}
