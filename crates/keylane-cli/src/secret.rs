//! Reads secrets from a file, a file descriptor or the terminal, never from an argument: all processes of a
//! machine can see each other's arguments.

use crate::descriptor::is_stdin;
use crate::identity::{Identity, leads_to_stdin};
use crate::os::{self, STDIN};
use crate::status::{Failure, complain, quoted, reason};
use crate::target::Target;
use crate::terminal::ask;
use keylane::secret::{open_mode, read_key, read_text};
use std::fmt;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::Path;
use zeroize::Zeroizing;

/// A secret, wiped on drop.
pub(crate) type Secret = Zeroizing<Vec<u8>>;

/// A secret's source.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    /// "key" or "password", for messages; options' names begin with it.
    what: &'a str,
    place: Place<'a>,
}

#[derive(Debug)]
enum Place<'a> {
    File(&'a Path),
    /// A descriptor's number and its file.
    Descriptor(u32, File),
    Terminal,
}

impl<'a> Source<'a> {
    /// Returns a source: a file, a descriptor or, with neither, the terminal.
    ///
    /// Call it before the command opens any file, like [`os::open`].
    pub(crate) fn new(
        what: &'a str,
        file: Option<&'a Path>,
        descriptor: Option<u32>,
    ) -> Result<Self, Failure> {
        let place = match (file, descriptor) {
            (Some(file), _) => Place::File(file),
            (None, Some(number)) => Place::Descriptor(
                number,
                os::open(number).map_err(|error| {
                    Failure::io(format_args!("the {what} of file descriptor {number}"), &error)
                })?,
            ),
            (None, None) => Place::Terminal,
        };
        Ok(Self { what, place })
    }

    /// Returns whether reading the secret consumes standard input.
    pub(crate) fn is_stdin(&self) -> bool {
        match &self.place {
            Place::File(file) => leads_to_stdin(file),
            Place::Descriptor(STDIN, _) => true,
            Place::Descriptor(_, file) => {
                Identity::of(file).is_ok_and(|it| Identity::of_stdin().is_ok_and(|stdin| it == stdin))
            }
            Place::Terminal => false,
        }
    }

    /// Returns the identity of the secret's file, if it is read from one.
    pub(crate) fn identity(&self) -> Option<Identity> {
        match &self.place {
            Place::File(file) if is_stdin(file) => Identity::of_stdin().ok(),
            Place::File(file) => Identity::at(file).ok(),
            Place::Descriptor(_, file) => Identity::of(file).ok(),
            Place::Terminal => None,
        }
    }

    /// Refuses to overwrite the secret's file.
    pub(crate) fn refuse_as(&self, output: &Target) -> Result<(), Failure> {
        output.refuse(self.identity().as_ref(), self)
    }

    /// Reads a key, every byte of it.
    pub(crate) fn read(&self) -> Result<Secret, Failure> {
        self.read_by(|file| read_key(file))
    }

    /// Reads a text without a final newline.
    pub(crate) fn read_line(&self) -> Result<Secret, Failure> {
        self.read_by(|file| read_text(file))
    }

    /// Reads the secret from a file with `read`. A typed secret is returned unchanged.
    fn read_by(&self, read: fn(&File) -> io::Result<Secret>) -> Result<Secret, Failure> {
        os::forbid_core_file();
        let read_from = |file: &File| read(file).inspect(|_| self.warn(file));
        let secret = match &self.place {
            Place::File(file) if is_stdin(file) => os::open(STDIN).and_then(|file| read_from(&file)),
            Place::File(file) => File::open(file).and_then(|file| read_from(&file)),
            Place::Descriptor(_, file) => read_from(file),
            // One of the two at a terminal is enough: data or errors may be redirected.
            Place::Terminal if !io::stdin().is_terminal() && !io::stderr().is_terminal() => {
                let what = self.what;
                let options = options(what);
                return Err(Failure::NoSecret(format!("no {what}: give {options}, or run at a terminal")));
            }
            Place::Terminal => ask(&format!("{}: ", self.what)),
        };
        match secret {
            Err(error) => Err(Failure::NoSecret(format!("{self}: {}", reason(&error)))),
            Ok(secret) if secret.is_empty() => Err(Failure::NoSecret(format!("{self} is empty"))),
            Ok(secret) => Ok(secret),
        }
    }

    /// Warns if others can read the file.
    fn warn(&self, file: &File) {
        let Some(mode) = open_mode(file) else { return };
        let path = match self.place {
            Place::File(path) if !is_stdin(path) => format!(" {}", quoted(path)),
            _ => String::new(),
        };
        let name = self.to_string();
        let name = name.trim_start_matches("the ");
        complain(format_args!("WARNING: {name} (mode {mode:03o}) is readable by others: chmod 600{path}"));
    }

    /// Asks for a typed `secret` from [`read`](Self::read) again, and returns it if both are equal.
    pub(crate) fn confirm(&self, secret: Secret) -> Result<Secret, Failure> {
        if let Place::Terminal = self.place {
            let again = ask(&format!("{} again: ", self.what));
            let again = again.map_err(|error| Failure::NoSecret(format!("{self}: {}", reason(&error))))?;
            if again != secret {
                return Err(Failure::NoSecret(format!("{self} differed the second time")));
            }
        }
        Ok(secret)
    }
}

impl fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {}", self.what)?;
        match &self.place {
            Place::File(file) => write!(f, " file {}", quoted(file)),
            Place::Descriptor(number, _) => write!(f, " of file descriptor {number}"),
            Place::Terminal => Ok(()),
        }
    }
}

/// Returns the options for a secret without a terminal, for messages. Windows has no descriptors.
pub(crate) fn options(what: &str) -> String {
    let file = format!("--{what}-file");
    if cfg!(windows) { file } else { format!("{file} or --{what}-fd") }
}
