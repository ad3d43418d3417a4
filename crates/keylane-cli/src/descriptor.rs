//! File names that mean standard input, standard output or another descriptor.

use crate::os::{self, STDIN};
use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::{io, process};

/// The name that means standard input or output.
pub(crate) const STANDARD: &str = "-";

/// Returns N for `/dev/fd/N`, for descriptor N's other names, and for links to them.
pub(crate) fn number(name: &Path) -> Option<u32> {
    let mut name = name.to_owned();
    for _ in 0..8 {
        for (number, known) in (0..).zip(["/dev/stdin", "/dev/stdout", "/dev/stderr"]) {
            if name == Path::new(known) {
                return Some(number);
            }
        }
        let own = format!("/proc/{}/fd", process::id());
        for folder in ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd", &own] {
            if let Ok(number) = name.strip_prefix(folder) {
                return number.to_str()?.parse().ok();
            }
        }
        let link = name.read_link().ok()?;
        name = name.parent()?.join(link);
    }
    None
}

/// Returns whether the name means standard input.
pub(crate) fn is_stdin(name: &Path) -> bool {
    name == Path::new(STANDARD) || number(name) == Some(STDIN)
}

/// Opens a file; `-` is standard input.
pub(crate) fn open_input(name: &OsStr) -> io::Result<File> {
    if name == STANDARD {
        return os::open(STDIN);
    }
    number(Path::new(name)).map_or(Ok(()), os::check)?;
    open_file(Path::new(name))
}

/// Opens a file. Folders, which Unix opens but cannot read and Windows does not open, are refused.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    let file = File::open(path);
    let is_folder = match &file {
        Ok(file) => file.metadata()?.is_dir(),
        Err(_) => cfg!(windows) && path.is_dir(),
    };
    if is_folder {
        return Err(self::is_folder());
    }
    file
}

pub(crate) fn is_folder() -> io::Error {
    io::Error::new(io::ErrorKind::IsADirectory, "Is a directory; --recursive takes the files in it")
}
