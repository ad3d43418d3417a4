//! From one file or pipe to another.

use crate::descriptor::{self, STANDARD, STDIN, is_stdin, number};
use crate::file_secret::FileSecretSource;
use crate::folders;
use crate::identity::Identity;
use crate::progress;
use crate::status::{Failure, Outcome, Status, quoted, reason};
use crate::target::Target;
use clap::Args;
use keylane_file::Error;
use std::fs::File;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
pub(crate) struct TransferOptions {
    /// The files to read; `-` or none is standard input, which goes to standard output
    #[arg(value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// The file to write, which appears when it is complete, or not at all; `-` is standard output, and
    /// `/dev/fd/N` is that descriptor
    #[arg(long = "output", short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write to standard output
    #[arg(long, short = 'c', conflicts_with = "output")]
    stdout: bool,
    /// Take the regular files in folders and below, no links: to encrypt all but *.kl, to decrypt only *.kl
    #[arg(long, short, requires = "inputs", conflicts_with_all = ["output", "stdout"])]
    recursive: bool,
    /// Overwrite the output, unless it is the input or the file of the secret; write ciphertext to a terminal
    #[arg(long)]
    force: bool,
    /// Number of threads; by default as many as there are cores
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// Returns the name of the output that follows from an input's, or why none does.
type Rename = fn(&Path) -> Result<PathBuf, &'static str>;

/// FILE.kl for FILE.
pub(crate) fn encrypted(name: &Path) -> Result<PathBuf, &'static str> {
    let mut encrypted = name.as_os_str().to_owned();
    encrypted.push(".kl");
    if decrypted(name).is_ok() { Err("it ends in .kl already") } else { Ok(encrypted.into()) }
}

/// FILE for FILE.kl.
pub(crate) fn decrypted(name: &Path) -> Result<PathBuf, &'static str> {
    let is_encrypted = name.extension().is_some_and(|end| end == "kl");
    if is_encrypted { Ok(name.with_extension("")) } else { Err("it does not end in .kl") }
}

/// An open input, and where the output will be.
pub(crate) struct Transfer<'a> {
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
        let (inputs, mut status) = match &*self.inputs {
            _ if self.recursive => folders::files(&self.inputs, |path| rename(path).is_ok()),
            [] => (vec![PathBuf::from(STANDARD)], Status::Done),
            inputs => (inputs.to_vec(), Status::Done),
        };
        // One after the other, they would be one file that cannot be decrypted, or a text with a gap.
        if inputs.iter().filter(|input| !self.is_renamed(input)).count() > 1 {
            let output = if self.output.is_some() { "--output" } else { "standard output" };
            return Err(Failure::input(format_args!("{output} is for one file")));
        }
        for input in &inputs {
            let outcome = match self.output_of(input, rename) {
                Ok(output) => match Transfer::new(self.force, input, output.as_deref(), secret) {
                    Ok(transfer) => each(&transfer)?,
                    Err(failure) => Err(failure),
                },
                Err(failure) => Err(failure),
            };
            if let Err(failure) = outcome {
                status = status.and(failure.report());
            }
        }
        Ok(status)
    }

    /// Whether the name of its output follows from the input's.
    fn is_renamed(&self, input: &Path) -> bool {
        self.output.is_none() && !self.stdout && input != Path::new(STANDARD) && number(input).is_none()
    }

    /// Returns the output's name; `None` is standard output.
    fn output_of(&self, input: &Path, rename: Rename) -> Result<Option<PathBuf>, Failure> {
        if !self.is_renamed(input) {
            return Ok(self.output.clone());
        }
        let metadata = input.metadata().map_err(|error| Failure::file(input, &error))?;
        let why = match rename(input) {
            _ if metadata.is_dir() => return Err(Failure::file(input, &descriptor::is_folder())),
            // Beside a device there is no place for files.
            _ if !metadata.is_file() => "it is no regular file",
            Ok(output) => return Ok(Some(output)),
            Err(why) => why,
        };
        Err(Failure::input(format_args!("{}: {why}: name the output with -o", quoted(input))))
    }
}

impl<'a> Transfer<'a> {
    /// Fails before a secret is asked for, where that can be.
    fn new(
        force: bool,
        input: &Path,
        output: Option<&'a Path>,
        secret: &FileSecretSource<'_>,
    ) -> Result<Self, Failure> {
        let path = Some(input).filter(|path| !is_stdin(path));
        let target = Target::new(output, force)?;
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
        Ok(Self { input, input_name, target })
    }

    pub(crate) fn input(&self) -> &File {
        &self.input
    }

    pub(crate) fn input_name(&self) -> &str {
        &self.input_name
    }

    pub(crate) fn target(&self) -> &Target<'a> {
        &self.target
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
        match error {
            Error::Write(error) => self.target.failure(error),
            error => failure(&self.input_name, error),
        }
    }
}

/// The failure of reading an encrypted file.
pub(crate) fn failure(input: &str, error: Error) -> Failure {
    match error {
        Error::Read(error) => Failure::input(format_args!("{input}: {}", reason(&error))),
        // The input is not the cause of these.
        Error::KeyFileLength(_) | Error::KeyLength(_) | Error::NoMemory { .. } | Error::Random(_) => {
            Failure::input(error)
        }
        error if error.is_verification_failure() => Failure::VerificationFailed(format!("{input}: {error}")),
        error => Failure::input(format_args!("{input}: {error}")),
    }
}
