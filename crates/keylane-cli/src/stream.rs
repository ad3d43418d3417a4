//! Files of any size through one buffer.

use crate::checksum::Checksum;
use crate::identity::Identity;
use crate::progress;
use crate::status::quoted;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Large enough that a read costs nothing beside the hashing, small enough to stay in a core's own cache.
const BUFFER_LEN: usize = 256 << 10;

/// The name that stands for standard input.
pub(crate) const STDIN: &str = "-";

/// Whether a name is standard input's own.
pub(crate) fn is_stdin(name: &Path) -> bool {
    [STDIN, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].map(Path::new).contains(&name)
}

/// Whether reading the file would use up standard input, or read the same again: it may be a link to
/// `/dev/stdin`.
pub(crate) fn leads_to_stdin(name: &Path) -> bool {
    is_stdin(name) || Identity::at(name).is_ok_and(|it| Identity::of_stdin().is_ok_and(|stdin| it == stdin))
}

/// Without the buffer and the lock of [`io::stdin`].
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

/// Reads files, one after the other, into the same buffer.
pub(crate) struct Reader {
    buffer: Vec<u8>,
}

impl Reader {
    pub(crate) fn new() -> Self {
        Self { buffer: vec![0; BUFFER_LEN] }
    }

    /// Gives all of a file to `checksum`; `-` is standard input. After an error `checksum` has forgotten the
    /// file.
    pub(crate) fn absorb(&mut self, name: &OsStr, checksum: &mut dyn Checksum) -> io::Result<()> {
        let absorbed = if name == STDIN {
            self.pump(&mut io::stdin().lock(), checksum, &progress::hidden())
        } else {
            File::open(name).and_then(|mut file| {
                let len = file.metadata().map_or(0, |metadata| metadata.len());
                self.pump(&mut file, checksum, &progress::of_file(quoted(name), len))
            })
        };
        if absorbed.is_err() {
            checksum.reset();
        }
        absorbed
    }

    fn pump(
        &mut self,
        source: &mut dyn Read,
        checksum: &mut dyn Checksum,
        bar: &progress::Bar,
    ) -> io::Result<()> {
        loop {
            match source.read(&mut self.buffer) {
                Ok(0) => break,
                Ok(len) => {
                    checksum.update(&self.buffer[..len]);
                    bar.inc(len as u64);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        bar.finish_and_clear();
        Ok(())
    }
}
