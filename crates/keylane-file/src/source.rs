//! Sources of batches of chunks.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// A batch that was read into the calling thread's buffer.
pub(crate) struct Batch {
    /// The batch's number, counted from 0 without gaps.
    pub(crate) number: u64,
    pub(crate) len: io::Result<usize>,
    /// Whether this is the last batch.
    pub(crate) ends: bool,
}

/// Hands out batches to any number of threads.
pub(crate) trait Source: Sync {
    /// Reads the next batch into `buffer` except its last byte: if that byte is also read, another batch
    /// follows. After the end, returns `None`, or an error that can be ignored.
    fn next(&self, buffer: &mut [u8]) -> Option<Batch>;
}

/// A reader, from which one thread reads at a time.
pub(crate) struct Stream<R>(Mutex<Position<R>>);

struct Position<R> {
    reader: R,
    /// The number of the next batch.
    next: u64,
    /// The byte after the last batch, which showed that the batch was not the end.
    ahead: Option<u8>,
    ended: bool,
}

impl<R> Stream<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self(Mutex::new(Position { reader, next: 0, ahead: None, ended: false }))
    }
}

impl<R: Read + Send> Source for Stream<R> {
    fn next(&self, buffer: &mut [u8]) -> Option<Batch> {
        // The lock is poisoned: a thread panicked and has ended all threads.
        let mut position = self.0.lock().ok()?;
        if position.ended {
            return None;
        }
        let number = position.next;
        position.next += 1;
        let kept = position.ahead.take().map_or(0, |byte| {
            buffer[0] = byte;
            1
        });
        let len = fill(&mut position.reader, &mut buffer[kept..]).map(|len| kept + len);
        let (batch, ahead) = batch(number, len, buffer);
        position.ended = batch.ends;
        position.ahead = ahead;
        Some(batch)
    }
}

/// A regular file from its position on, from which all threads read at once, each at its own position.
pub(crate) struct Places<'a> {
    file: &'a File,
    start: u64,
    next: AtomicU64,
}

impl<'a> Places<'a> {
    /// Returns `None` if only one thread can read this file at a time.
    pub(crate) fn of(mut file: &'a File) -> Option<Self> {
        if !cfg!(unix) || !file.metadata().ok()?.is_file() {
            return None;
        }
        let start = io::Seek::stream_position(&mut file).ok()?;
        Some(Self { file, start, next: AtomicU64::new(0) })
    }
}

impl Source for Places<'_> {
    fn next(&self, buffer: &mut [u8]) -> Option<Batch> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let place = number.checked_mul(buffer.len() as u64 - 1).and_then(|len| self.start.checked_add(len));
        let len = match place {
            Some(place) => fill(&mut Place { file: self.file, place }, buffer),
            None => Ok(0),
        };
        let len = match len {
            // The previous batch was not the last when it was read: the file has become shorter.
            Ok(0) if number > 0 => {
                Err(io::Error::new(ErrorKind::UnexpectedEof, "it became shorter meanwhile"))
            }
            len => len,
        };
        Some(batch(number, len, buffer).0)
    }
}

/// Reads a file from a position on, without moving the file's own position.
struct Place<'a> {
    file: &'a File,
    place: u64,
}

impl Read for Place<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let len = std::os::unix::fs::FileExt::read_at(self.file, buffer, self.place)?;
        #[cfg(not(unix))]
        let len = Read::read(&mut &*self.file, buffer)?;
        self.place += len as u64;
        Ok(len)
    }
}

/// Returns the batch that was read, and the byte after it if there was one.
fn batch(number: u64, len: io::Result<usize>, buffer: &[u8]) -> (Batch, Option<u8>) {
    match len {
        Ok(len) if len == buffer.len() => {
            (Batch { number, len: Ok(len - 1), ends: false }, buffer.last().copied())
        }
        len => (Batch { number, len, ends: true }, None),
    }
}

/// Reads until `buffer` is full or the input ends, and returns the number of bytes.
pub(crate) fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(len) => filled += len,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::{Seek, SeekFrom, Write};

    fn file(len: usize) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![7; len]).unwrap();
        file.rewind().unwrap();
        file
    }

    fn next(source: &impl Source) -> Option<(u64, Option<usize>, bool)> {
        // Batches of four bytes.
        source.next(&mut [0; 5]).map(|batch| (batch.number, batch.len.ok(), batch.ends))
    }

    #[test]
    fn both_give_the_same_batches() {
        for (len, expected) in [
            (0, &[(0, Some(0), true)][..]),
            (3, &[(0, Some(3), true)]),
            (4, &[(0, Some(4), true)]),
            (5, &[(0, Some(4), false), (1, Some(1), true)]),
            (12, &[(0, Some(4), false), (1, Some(4), false), (2, Some(4), true)]),
        ] {
            let file = file(len);
            let (places, stream) = (Places::of(&file).unwrap(), Stream::new(&file));
            for &batch in expected {
                assert_eq!((next(&places), next(&stream)), (Some(batch), Some(batch)), "{len} bytes");
            }
            assert_eq!(next(&stream), None);
        }
    }

    /// Batches from 1 GiB on, in sparse files.
    #[test]
    fn batches_far_into_a_file() {
        for (start, number) in
            [(3, 1 << 28), (3, 1 << 30), (3, (1 << 32) + 1), (5 << 30, 0), (5 << 30, 1 << 30)]
        {
            let mut file = file(0);
            file.seek(SeekFrom::Start(start + 4 * number)).unwrap();
            file.write_all(b"far").unwrap();
            let places = Places { file: &file, start, next: AtomicU64::new(number) };
            let mut buffer = [0; 5];
            let batch = places.next(&mut buffer).unwrap();
            assert_eq!((batch.number, batch.len.unwrap(), batch.ends), (number, 3, true));
            assert_eq!(&buffer[..3], b"far");
        }
    }

    /// The previous batch was not the last when it was read: without an error, the text would have no end.
    #[test]
    fn a_file_that_becomes_shorter() {
        let file = file(8);
        let places = Places::of(&file).unwrap();
        assert_eq!(next(&places), Some((0, Some(4), false)));
        file.set_len(4).unwrap();
        assert_eq!(next(&places), Some((1, None, true)));
    }

    #[test]
    fn pipes_and_devices_have_no_places() {
        let (reader, _writer) = io::pipe().unwrap();
        assert!(Places::of(&File::from(std::os::fd::OwnedFd::from(reader))).is_none());
        assert!(Places::of(&File::open("/dev/zero").unwrap()).is_none());
    }
}
