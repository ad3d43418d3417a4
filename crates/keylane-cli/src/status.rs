//! How a command ends: its exit status and error messages.

use os_display::{Quotable, Quoted};
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// The exit status, the same for every command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Done = 0,
    /// A checksum, a tag, an encrypted file or an implementation is not what it must be.
    VerificationFailed = 1,
    /// Wrong usage, or input that cannot be used.
    WrongInput = 2,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}

/// Why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    VerificationFailed(String),
    WrongInput(String),
    /// Standard output is closed. If its reader is gone (`keylane … | head`), no message is printed, but the
    /// status is not 0: an interrupted verification has verified nothing.
    Output(io::Error),
}

pub(crate) type Outcome = Result<Status, Failure>;

impl Failure {
    pub(crate) fn input(what: impl Display) -> Self {
        Self::WrongInput(what.to_string())
    }

    /// An operation on a file failed.
    pub(crate) fn file(path: &Path, error: &io::Error) -> Self {
        Self::WrongInput(format!("{}: {}", quoted(path), reason(error)))
    }

    /// Returns the message, if there is one.
    pub(crate) fn message(&self) -> Option<String> {
        match self {
            Self::VerificationFailed(what) | Self::WrongInput(what) => Some(what.clone()),
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => None,
            Self::Output(error) => Some(format!("standard output: {}", reason(error))),
        }
    }

    /// Prints the message to standard error.
    pub(crate) fn report(&self) -> Status {
        if let Some(message) = self.message() {
            complain(message);
        }
        match self {
            Self::VerificationFailed(_) => Status::VerificationFailed,
            Self::WrongInput(_) | Self::Output(_) => Status::WrongInput,
        }
    }
}

/// In a command, a bare `?` on an I/O error is for writing to standard output; files say their name with
/// [`Failure::file`].
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Writes a line to standard error. `eprintln!` would panic if that is closed.
pub(crate) fn complain(what: impl Display) {
    let _ = writeln!(io::stderr().lock(), "keylane: {what}");
}

/// The system's message without Rust's "(os error 2)".
pub(crate) fn reason(error: &io::Error) -> String {
    let message = error.to_string();
    message.split(" (os error").next().unwrap_or(&message).to_owned()
}

/// A file's name in a message: between quotes, as a shell would read it, where it is more than one plain
/// word. It may hold a terminal's control sequences, or a newline and a message of its own.
pub(crate) fn quoted(name: &(impl AsRef<OsStr> + ?Sized)) -> Quoted<'_> {
    name.as_ref().maybe_quote()
}
