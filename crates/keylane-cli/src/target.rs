//! Where a file is written: straight to standard output, a device or a pipe; to a regular file under another
//! name until it is whole.

mod draft;

use crate::identity::Identity;
use crate::status::{Failure, quoted};
use draft::Draft;
use std::fmt::Display;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

pub(crate) struct Target<'a> {
    /// As it was given; `None` is standard output.
    name: Option<&'a Path>,
    place: Place,
    force: bool,
    /// Whether the owner alone may read a file, whoever could read the one that it replaces.
    private: bool,
}

enum Place {
    /// Open already.
    Stream(File),
    /// Opening it waits for its reader.
    Pipe(PathBuf),
    /// A regular file that is there, where the links of its name lead.
    Old(PathBuf),
    New(PathBuf),
}

/// An open target.
pub(crate) enum Output<'a> {
    Stream(File),
    Draft(Draft<'a>),
}

impl<'a> Target<'a> {
    /// Makes nothing yet. Refuses a file or a disk that exists, but with `force`.
    pub(crate) fn new(name: Option<&'a Path>, force: bool) -> Result<Self, Failure> {
        let stdout_names = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].map(Path::new);
        let name = name.filter(|name| !stdout_names.contains(name));
        let place = match name {
            None => Place::Stream(stdout()?),
            Some(path) => Place::of(path, force)?,
        };
        Ok(Self { name, place, force, private: false })
    }

    pub(crate) fn is_terminal(&self) -> bool {
        matches!(&self.place, Place::Stream(file) if file.is_terminal())
    }

    /// For a secret.
    pub(crate) fn private(self) -> Self {
        Self { private: true, ..self }
    }

    pub(crate) fn is_stdout(&self) -> bool {
        self.name.is_none()
    }

    /// Refuses `file`, a secret or what is read: it would be lost, and `keylane encrypt file >> file` would
    /// never end.
    pub(crate) fn refuse(&self, file: Option<&Identity>, what: impl Display) -> Result<(), Failure> {
        let identity = match &self.place {
            // What is written to a terminal does not come back.
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

    /// Says now that a file cannot be written, where it will be long until it is. Leaves nothing.
    pub(crate) fn try_draft(&self) -> Result<(), Failure> {
        if let Place::Old(_) | Place::New(_) = self.place {
            self.open()?;
        }
        Ok(())
    }

    /// Writes the whole of it at once.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        let output = self.open()?;
        let written = output.file().write_all(bytes).and_then(|()| output.finish());
        written.map_err(|error| self.failure(error))
    }

    pub(crate) fn open(&self) -> Result<Output<'_>, Failure> {
        let output = match &self.place {
            Place::Stream(file) => file.try_clone().map(Output::Stream),
            Place::Pipe(path) => open(path).map(Output::Stream),
            Place::Old(path) | Place::New(path) => {
                Draft::of(path, self.force, self.private).map(Output::Draft)
            }
        };
        output.map_err(|error| self.failure(error))
    }

    /// What it means that the target cannot be written.
    pub(crate) fn failure(&self, error: io::Error) -> Failure {
        match self.name {
            None => Failure::Output(error),
            // It was not there when this began.
            Some(path) if error.kind() == ErrorKind::AlreadyExists => exists(path),
            Some(path) => Failure::file(path, &error),
        }
    }
}

impl Place {
    fn of(path: &Path, force: bool) -> Result<Self, Failure> {
        let place = match fs::metadata(path) {
            Ok(old) if !force && (old.is_file() || is_block_device(&old)) => return Err(exists(path)),
            Ok(old) if old.is_file() => fs::canonicalize(path).map(Self::Old),
            Ok(old) if is_pipe(&old) => Ok(Self::Pipe(path.to_owned())),
            Ok(_) => open(path).map(Self::Stream),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::New(path.to_owned())),
            Err(error) => Err(error),
        };
        place.map_err(|error| Failure::file(path, &error))
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

#[cfg(unix)]
fn is_pipe(metadata: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type())
}

#[cfg(not(unix))]
fn is_pipe(_: &Metadata) -> bool {
    false
}

/// A disk: as much is lost as with a file.
#[cfg(unix)]
fn is_block_device(metadata: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_block_device(&metadata.file_type())
}

#[cfg(not(unix))]
fn is_block_device(_: &Metadata) -> bool {
    false
}

impl Output<'_> {
    pub(crate) fn file(&self) -> &File {
        match self {
            Self::Stream(file) => file,
            Self::Draft(draft) => draft.file(),
        }
    }

    /// All was written. An output that is dropped instead leaves no file behind.
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

/// Without the buffer of [`io::stdout`], which looks for lines.
#[cfg(unix)]
fn stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdout().as_handle().try_clone_to_owned().map(File::from)
}
