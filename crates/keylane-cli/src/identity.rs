//! The identity of a file, whichever name, link or descriptor leads to it.

use crate::descriptor;
use crate::os::{self, STDIN};
use std::fs::File;
use std::io;
use std::path::Path;

#[cfg(unix)]
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

#[cfg(unix)]
impl Identity {
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        file.metadata().map(Self::from)
    }

    /// Returns a file's identity without opening it: opening a pipe would wait for its writer.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        path.metadata().map(Self::from)
    }
}

#[cfg(unix)]
impl From<std::fs::Metadata> for Identity {
    fn from(metadata: std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { device: metadata.dev(), inode: metadata.ino() }
    }
}

impl Identity {
    pub(crate) fn of_stdin() -> io::Result<Self> {
        os::open(STDIN).and_then(|file| Self::of(&file))
    }
}

/// Returns whether reading the file would consume standard input: it may be a link to `/dev/stdin`.
pub(crate) fn leads_to_stdin(name: &Path) -> bool {
    descriptor::is_stdin(name)
        || Identity::at(name).is_ok_and(|it| Identity::of_stdin().is_ok_and(|stdin| it == stdin))
}

#[cfg(not(unix))]
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Identity(same_file::Handle);

#[cfg(not(unix))]
impl Identity {
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        file.try_clone().and_then(same_file::Handle::from_file).map(Self)
    }

    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        same_file::Handle::from_path(path).map(Self)
    }
}
