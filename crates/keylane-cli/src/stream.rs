//! The names of standard input.

use std::path::Path;

/// The name that stands for standard input.
pub(crate) const STDIN: &str = "-";

/// Whether a name is standard input's.
pub(crate) fn is_stdin(name: &Path) -> bool {
    [STDIN, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].map(Path::new).contains(&name)
}
