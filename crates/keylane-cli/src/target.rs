//! Output files. Standard output, devices and pipes are written directly; a regular file has a temporary name
//! until it is complete.

mod draft;

use crate::descriptor::{self, STANDARD};
use crate::identity::Identity;
use crate::os::{self, STDOUT, is_block_device, is_pipe};
use crate::status::{Failure, is_sigpipe, quoted, reason};
use draft::Draft;
use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

pub(crate) struct Target {
    /// The given name; `None` is standard output.
    name: Option<PathBuf>,
    place: Place,
    force: bool,
    /// Whether only the owner may read the file, even if it replaces one that others could read.
    private: bool,
}

enum Place {
    /// Already open.
    Stream(File),
    /// A pipe: opening it waits for its reader.
    Pipe(PathBuf),
    /// An existing regular file, with the links of its name resolved.
    Old(PathBuf),
    New(PathBuf),
}

/// An open target.
pub(crate) enum Output {
    Stream(File),
    Draft(Draft),
}

impl Target {
    /// Returns a target without creating it. Fails if the file or disk exists, unless `force`.
    pub(crate) fn new(name: Option<&Path>, force: bool) -> Result<Self, Failure> {
        let number = match name {
            Some(name) if name != Path::new(STANDARD) => descriptor::number(name),
            _ => Some(STDOUT),
        };
        let name = name.filter(|_| number != Some(STDOUT));
        let place = match (name, number) {
            (Some(path), None) => Place::of(path, force)?,
            (_, number) => {
                os::open(number.unwrap_or(STDOUT)).map(Place::Stream).map_err(|error| failure(name, error))?
            }
        };
        Ok(Self { name: name.map(Path::to_owned), place, force, private: false })
    }

    pub(crate) fn is_terminal(&self) -> bool {
        matches!(&self.place, Place::Stream(file) if file.is_terminal())
    }

    /// Refuses a terminal: bytes can make it unusable, and a key stays on the screen.
    pub(crate) fn refuse_terminal(&self, what: &str) -> Result<(), Failure> {
        if self.is_terminal() && !self.force {
            let how = "name a file, or give --force";
            return Err(Failure::input(format_args!("{what} is not written to a terminal: {how}")));
        }
        Ok(())
    }

    /// Makes the file readable only by its owner, for a secret.
    pub(crate) fn private(self) -> Self {
        Self { private: true, ..self }
    }

    pub(crate) fn is_stdout(&self) -> bool {
        self.name.is_none()
    }

    /// Fails if the output is `file`, which is the secret's or the input: it would be lost, and `keylane
    /// encrypt file >> file` would never end.
    pub(crate) fn refuse(&self, file: Option<&Identity>, what: impl Display) -> Result<(), Failure> {
        let identity = match &self.place {
            // A terminal can be input and output.
            Place::Stream(output) => output
                .metadata()
                .is_ok_and(|metadata| metadata.is_file() || is_block_device(&metadata))
                .then(|| Identity::of(output)),
            Place::Pipe(path) | Place::Old(path) => Some(Identity::at(path)),
            Place::New(_) => None,
        };
        match (identity, file) {
            (Some(Ok(identity)), Some(file)) if identity == *file => {
                Err(Failure::input(format_args!("{what} is also the output")))
            }
            _ => Ok(()),
        }
    }

    /// Fails early if the file cannot be written, and leaves no file behind.
    pub(crate) fn try_draft(&self) -> Result<(), Failure> {
        if let Place::Old(_) | Place::New(_) = self.place {
            self.open()?;
        }
        Ok(())
    }

    /// Writes `bytes` as the whole file.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        let output = self.open()?;
        let written = output.file().write_all(bytes).and_then(|()| output.finish());
        written.map_err(|error| self.failure(error))
    }

    pub(crate) fn open(&self) -> Result<Output, Failure> {
        let output = match &self.place {
            Place::Stream(file) => file.try_clone().map(Output::Stream),
            Place::Pipe(path) => open(path).map(Output::Stream),
            Place::Old(path) | Place::New(path) => {
                Draft::of(path, self.force, self.private).map(Output::Draft)
            }
        };
        output.map_err(|error| self.failure(error))
    }

    /// Returns the failure of writing the target.
    pub(crate) fn failure(&self, error: io::Error) -> Failure {
        use ErrorKind::{PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
        match (&self.name, &self.place, error.kind()) {
            // Only the folder forbids it, or the file is a mount point.
            (Some(name), Place::Old(path), PermissionDenied | ReadOnlyFilesystem | ResourceBusy)
                if open(path).is_ok() =>
            {
                let (name, reason) = (quoted(name), reason(&error));
                let why = "a new file is made beside it and then renamed";
                Failure::input(format_args!(
                    "{name}: {reason}: {why}; to write into it, give - as the output: - >{name}"
                ))
            }
            _ => failure(self.name.as_deref(), error),
        }
    }
}

fn failure(name: Option<&Path>, error: io::Error) -> Failure {
    match name {
        Some(path) if error.kind() == ErrorKind::AlreadyExists => exists(path), // not at the start
        Some(path) if !is_sigpipe(&error) => Failure::file(path, &error),
        _ => Failure::Output(error),
    }
}

impl Place {
    fn of(path: &Path, force: bool) -> Result<Self, Failure> {
        let place = match fs::metadata(path) {
            Ok(old) if !force && (old.is_file() || is_block_device(&old)) => return Err(exists(path)),
            Ok(old) if old.is_file() => fs::canonicalize(path).map(Self::Old),
            Ok(old) if is_pipe(&old) => Ok(Self::Pipe(path.to_owned())),
            Ok(_) => open(path).map(Self::Stream),
            Err(error) if error.kind() == ErrorKind::NotFound => match path.read_link() {
                // Another user's link may lead to a place that this user did not intend.
                Ok(to) => {
                    let (path, to) = (quoted(path), quoted(&to));
                    return Err(Failure::input(format_args!(
                        "{path} is a link to {to}, which does not exist"
                    )));
                }
                Err(_) => Ok(Self::New(path.to_owned())),
            },
            Err(error) => Err(error),
        };
        place.map_err(|error| Failure::file(path, &error))
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

impl Output {
    pub(crate) fn file(&self) -> &File {
        match self {
            Self::Stream(file) => file,
            Self::Draft(draft) => draft.file(),
        }
    }

    /// Completes the output. A dropped output leaves no file.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Self::Stream(_) => Ok(()),
            Self::Draft(draft) => draft.publish(),
        }
    }
}

fn exists(path: &Path) -> Failure {
    Failure::input(format_args!("{} exists: give --force to overwrite it", quoted(path)))
}
