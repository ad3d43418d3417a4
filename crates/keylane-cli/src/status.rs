//! Exit statuses and error messages.

use crate::os;
use os_display::{Quotable, Quoted};
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// The exit status, the same for every command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Done = 0,
    /// A checksum, a tag, an encrypted file or an implementation is wrong.
    VerificationFailed = 1,
    /// Wrong usage, or input that cannot be used.
    WrongInput = 2,
}

impl Status {
    /// Returns the status of both: a failed verification outweighs wrong input.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::VerificationFailed, _) | (_, Self::VerificationFailed) => Self::VerificationFailed,
            (Self::WrongInput, _) | (_, Self::WrongInput) => Self::WrongInput,
            (Self::Done, Self::Done) => Self::Done,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}

/// The reason why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    VerificationFailed(String),
    WrongInput(String),
    /// The secret cannot be used, for other files either.
    NoSecret(String),
    /// Standard output failed. If a pipe's reader has gone (`keylane … | head`), the command ends by SIGPIPE,
    /// like others: an interrupted verification must not look successful.
    Output(io::Error),
}

pub(crate) type Outcome = Result<Status, Failure>;

impl Failure {
    pub(crate) fn input(what: impl Display) -> Self {
        Self::WrongInput(what.to_string())
    }

    /// An operation on `name` failed, which must be [`quoted`].
    pub(crate) fn io(name: impl Display, error: &io::Error) -> Self {
        Self::input(format_args!("{name}: {}", reason(error)))
    }

    /// An operation on a file failed.
    pub(crate) fn file(path: impl AsRef<OsStr>, error: &io::Error) -> Self {
        Self::io(quoted(&path), error)
    }

    /// Returns the message, if there is one.
    pub(crate) fn message(&self) -> Option<String> {
        match self {
            Self::VerificationFailed(what) | Self::WrongInput(what) | Self::NoSecret(what) => {
                Some(what.clone())
            }
            Self::Output(error) if is_sigpipe(error) => None,
            Self::Output(error) => Some(format!("standard output: {}", reason(error))),
        }
    }

    /// Prints the message to standard error. Ends the program if there is none.
    pub(crate) fn report(&self) -> Status {
        match self.message() {
            Some(message) => complain(message),
            None => os::end_by_sigpipe(),
        }
        match self {
            Self::VerificationFailed(_) => Status::VerificationFailed,
            Self::WrongInput(_) | Self::NoSecret(_) | Self::Output(_) => Status::WrongInput,
        }
    }
}

/// Returns whether a pipe's reader has gone, unless the program was started with SIGPIPE ignored, which asks
/// for the error.
pub(crate) fn is_sigpipe(error: &io::Error) -> bool {
    // ERROR_PIPE_NOT_CONNECTED is another name for it.
    let is_broken =
        error.kind() == ErrorKind::BrokenPipe || cfg!(windows) && error.raw_os_error() == Some(233);
    is_broken && !os::ignored_sigpipe()
}

/// Converts errors in writing to standard output. Errors of files are made by [`Failure::file`], with their
/// name.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Writes a line to standard error. `eprintln!` would panic if that is closed.
pub(crate) fn complain(what: impl Display) {
    let _ = writeln!(io::stderr().lock(), "keylane: {what}");
}

/// Returns the system's message without Rust's "(os error 2)". Usual errors have Unix's messages everywhere:
/// Windows' are in the user's language.
pub(crate) fn reason(error: &io::Error) -> String {
    let message = error.to_string();
    let Some((system, _)) = message.split_once(" (os error") else { return message };
    let words = match error.kind() {
        ErrorKind::NotFound if cfg!(windows) => "No such file or directory",
        ErrorKind::PermissionDenied if cfg!(windows) => "Permission denied",
        ErrorKind::StorageFull if cfg!(windows) => "No space left on device",
        _ => system,
    };
    words.to_owned()
}

/// Quotes a file's name for a message, as a shell would read it, unless it is one plain word. Names may
/// contain terminal control sequences, or a newline and a forged message.
pub(crate) fn quoted(name: &(impl AsRef<OsStr> + ?Sized)) -> Quoted<'_> {
    name.as_ref().maybe_quote()
}
