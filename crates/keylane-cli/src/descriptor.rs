//! Standard input and output, other descriptors, and the names that stand for them.

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::{io, process};

/// The name that stands for standard input or output.
pub(crate) const STANDARD: &str = "-";
pub(crate) const STDIN: u32 = 0;
pub(crate) const STDOUT: u32 = 1;

/// Returns N for `/dev/fd/N`, the other names of descriptor N, and links to them.
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

/// Whether the name stands for standard input.
pub(crate) fn is_stdin(name: &Path) -> bool {
    name == Path::new(STANDARD) || number(name) == Some(STDIN)
}

/// Fails if the descriptor was closed when the program began, so that it is none that the program was given.
pub(crate) fn check(number: u32) -> io::Result<()> {
    #[cfg(unix)]
    if keylane_cpu::startup::was_closed(number) {
        return Err(rustix::io::Errno::BADF.into());
    }
    #[cfg(not(unix))]
    let _ = number;
    Ok(())
}

/// Returns the open file that the number stands for, at its position, without the buffer and the lock of
/// [`io::stdin`] or [`io::stdout`]. Opening `/dev/fd/N` instead would begin at the start of the file, and
/// fail where only whoever opened the descriptor was allowed to.
#[cfg(unix)]
pub(crate) fn open(number: u32) -> io::Result<File> {
    use filedescriptor::{Error, FileDescriptor};
    check(number)?;
    let number = i32::try_from(number).map_err(|_| rustix::io::Errno::BADF)?;
    FileDescriptor::dup(&number).and_then(|duplicate| duplicate.as_file()).map_err(|error| match error {
        Error::Dup { source, .. } => source,
        error => io::Error::other(error),
    })
}

/// Every system has standard input and output.
#[cfg(not(unix))]
pub(crate) fn open(number: u32) -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    let handle = match number {
        STDIN => io::stdin().as_handle().try_clone_to_owned(),
        STDOUT => io::stdout().as_handle().try_clone_to_owned(),
        _ => Err(io::Error::new(io::ErrorKind::Unsupported, "this system has 0 and 1 only")),
    };
    handle.map(File::from)
}

/// Opens a file; `-` is standard input.
pub(crate) fn open_input(name: &OsStr) -> io::Result<File> {
    if name == STANDARD {
        return open(STDIN);
    }
    number(Path::new(name)).map_or(Ok(()), check)?;
    open_file(Path::new(name))
}

/// Opens what is not a folder, which Unix opens but does not read, and Windows does not open.
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
