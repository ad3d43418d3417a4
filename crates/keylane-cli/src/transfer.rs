//! From one file or pipe to another.

use crate::descriptor::{self, STDIN, is_stdin};
use crate::file_secret::FileSecretSource;
use crate::identity::Identity;
use crate::progress;
use crate::status::{Failure, Outcome, Status, quoted, reason};
use crate::target::Target;
use clap::Args;
use keylane_file::Error;
use std::fs::File;
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct TransferOptions {
    /// The file to read; `-` or none is standard input
    #[arg(value_name = "FILE")]
    input: Option<PathBuf>,
    /// The file to write, which appears when it is complete, or not at all; `-` or none is standard output
    #[arg(long = "output", short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite the output, unless it is the input or the file of the secret; write ciphertext to a terminal
    #[arg(long)]
    force: bool,
    /// Number of threads; by default as many as there are cores
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// An open input, and where the output will be.
pub(crate) struct Transfer<'a> {
    options: &'a TransferOptions,
    input: File,
    /// Quoted, for messages.
    input_name: String,
    target: Target<'a>,
}

impl<'a> Transfer<'a> {
    /// Fails before a secret is asked for, where that can be.
    pub(crate) fn new(options: &'a TransferOptions, secret: &FileSecretSource<'_>) -> Result<Self, Failure> {
        let path = options.input.as_deref().filter(|path| !is_stdin(path));
        let target = Target::new(options.output.as_deref(), options.force)?;
        let (input, input_name) = match path {
            Some(path) => (File::open(path), quoted(path).to_string()),
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
