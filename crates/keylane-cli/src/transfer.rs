//! Opens inputs and outputs for `encrypt` and `decrypt`.

use crate::descriptor::{self, STANDARD, is_stdin, number};
use crate::file_secret::{FileSecretSource, SecretOptions};
use crate::folders;
use crate::identity::Identity;
use crate::os::{self, STDIN};
use crate::progress::{self, Bar};
use crate::status::{Failure, Outcome, Status, quoted};
use crate::target::Target;
use clap::Args;
use keylane_file::Error;
use std::fs::File;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
pub(crate) struct TransferOptions {
    /// The files to read; `-` or none is standard input
    #[arg(value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// The file to write, which appears when it is complete, or not at all; `-` is standard output,
    /// `/dev/fd/N` a descriptor
    #[arg(long = "output", short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write to standard output
    #[arg(long, short = 'c', conflicts_with = "output")]
    stdout: bool,
    /// Include files in folders and subfolders, but no links or devices: `encrypt` skips *.kl, `decrypt`
    /// takes only *.kl
    #[arg(long, short, requires = "inputs", conflicts_with_all = ["output", "stdout"])]
    recursive: bool,
    /// Overwrite the output, except if it is the input or the secret's file; write ciphertext to a terminal
    #[arg(long)]
    force: bool,
    /// Number of threads; by default one per core
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    secret: SecretOptions,
}

/// Returns the output's name for an input's, or the reason why there is none.
type Rename = fn(&Path) -> Result<PathBuf, &'static str>;

/// Returns FILE.kl for FILE.
pub(crate) fn encrypted(name: &Path) -> Result<PathBuf, &'static str> {
    let mut encrypted = name.as_os_str().to_owned();
    encrypted.push(".kl");
    if decrypted(name).is_ok() { Err("it ends in .kl already") } else { Ok(encrypted.into()) }
}

/// Returns FILE for FILE.kl.
pub(crate) fn decrypted(name: &Path) -> Result<PathBuf, &'static str> {
    let is_encrypted = name.extension().is_some_and(|end| end == "kl");
    if is_encrypted { Ok(name.with_extension("")) } else { Err("it does not end in .kl") }
}

/// An open input, its target and the secret.
pub(crate) struct Transfer<'a> {
    pub(crate) input: File,
    /// Quoted, for messages.
    pub(crate) input_name: String,
    pub(crate) target: Target,
    pub(crate) secret: &'a FileSecretSource<'a>,
}

impl TransferOptions {
    /// Returns the number of threads, or 0 if none is given.
    pub(crate) fn threads(&self) -> usize {
        self.threads.map_or(0, NonZeroUsize::get)
    }

    /// Calls `each` for every file and continues after a failure, unless the secret cannot be read.
    pub(crate) fn run(&self, rename: Rename, each: impl Fn(&Transfer<'_>) -> Outcome) -> Outcome {
        let secret = self.secret.source()?;
        let (inputs, mut status) = match &*self.inputs {
            _ if self.recursive => folders::files(&self.inputs, |path| rename(path).is_ok()),
            [] => (vec![PathBuf::from(STANDARD)], Status::Done),
            inputs => (inputs.to_vec(), Status::Done),
        };
        // Concatenated, they would be a file that cannot be decrypted, or a text that may have gaps.
        if inputs.iter().filter_map(|input| self.given_output(input)).count() > 1 {
            let output = if self.output.is_some() { "--output" } else { "standard output" };
            return Err(Failure::input(format_args!("{output} takes only one file")));
        }
        for input in &inputs {
            match self.open(input, rename, &secret).and_then(|transfer| each(&transfer)) {
                Ok(_) => {}
                Err(failure @ Failure::NoSecret(_)) => return Err(failure),
                Err(failure) => status = status.and(failure.report()),
            }
        }
        Ok(status)
    }

    /// Returns the output's name, unless it follows from the input's.
    fn given_output(&self, input: &Path) -> Option<&Path> {
        let to_stdout = self.stdout || input == Path::new(STANDARD) || number(input).is_some();
        self.output.as_deref().or_else(|| to_stdout.then_some(Path::new(STANDARD)))
    }

    fn output_of(&self, input: &Path, rename: Rename) -> Result<PathBuf, Failure> {
        if let Some(output) = self.given_output(input) {
            return Ok(output.to_owned());
        }
        let metadata = input.metadata().map_err(|error| Failure::file(input, &error))?;
        let why = match rename(input) {
            _ if metadata.is_dir() => return Err(Failure::file(input, &descriptor::is_folder())),
            // An output beside a device makes no sense.
            _ if !metadata.is_file() => "it is no regular file",
            Ok(output) => return Ok(output),
            Err(why) => why,
        };
        Err(Failure::input(format_args!("{}: {why}: name the output with -o", quoted(input))))
    }

    /// Opens input and target, failing before a secret is asked for if possible.
    fn open<'a>(
        &self,
        input: &Path,
        rename: Rename,
        secret: &'a FileSecretSource<'a>,
    ) -> Result<Transfer<'a>, Failure> {
        let target = Target::new(Some(&self.output_of(input, rename)?), self.force)?;
        let is_stdin = is_stdin(input);
        let name = if is_stdin { "standard input".to_owned() } else { quoted(input).to_string() };
        let file = if is_stdin { os::open(STDIN) } else { descriptor::open_file(input) };
        let input = file.map_err(|error| Failure::io(&name, &error))?;
        let identity = Identity::of(&input).ok();
        if is_stdin && secret.source.is_stdin() || identity.is_some() && identity == secret.source.identity()
        {
            return Err(Failure::input(format_args!("{name} cannot be both the secret and the data")));
        }
        target.refuse(identity.as_ref(), &name)?;
        secret.source.refuse_as(&target)?;
        Ok(Transfer { input, input_name: name, target, secret })
    }
}

impl Transfer<'_> {
    /// Opens the output, runs `work` with a progress bar, and completes the output.
    pub(crate) fn run(&self, work: impl FnOnce(&File, &File, &Bar) -> Result<u64, Error>) -> Outcome {
        let output = self.target.open()?;
        let bar = if self.target.is_terminal() {
            Bar::hidden()
        } else {
            match self.input.metadata() {
                Ok(metadata) if metadata.is_file() => progress::of_file(&self.input_name, metadata.len()),
                _ => progress::of_stream(),
            }
        };
        let done = work(&self.input, output.file(), &bar);
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

/// Returns the failure of reading an encrypted file.
pub(crate) fn failure(input: &str, error: Error) -> Failure {
    match error {
        Error::Read(error) => Failure::io(input, &error),
        // The input does not cause these.
        Error::KeyFileLength(_) | Error::NoMemory { .. } | Error::Random(_) => Failure::input(error),
        error if error.is_verification_failure() => Failure::VerificationFailed(format!("{input}: {error}")),
        error => Failure::input(format_args!("{input}: {error}")),
    }
}
