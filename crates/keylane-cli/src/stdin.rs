//! Standard input, and its names.

use std::fs::File;
use std::io;
use std::path::Path;

/// The name that stands for standard input.
pub(crate) const STDIN: &str = "-";

/// Whether the name stands for standard input.
pub(crate) fn is_stdin(name: &Path) -> bool {
    [STDIN, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].map(Path::new).contains(&name)
}

/// Standard input without the buffer and the lock of [`io::stdin`].
#[cfg(unix)]
pub(crate) fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
pub(crate) fn stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdin().as_handle().try_clone_to_owned().map(File::from)
}
