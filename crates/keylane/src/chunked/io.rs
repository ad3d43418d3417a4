//! Messages over the standard library's I/O traits.

use super::{CHUNK_LEN, ChunkCipher, HEADER_LEN, SALT_LEN, SEALED_LEN, text_len};
use crate::aead::TAG_LEN;
use crate::error::Error;
use alloc::boxed::Box;
use core::fmt;
use keylane_cpu::wipe::Secret;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};

#[cfg(test)]
mod tests;

/// The beginning of another format, that of the crate `keylane-file`.
const FILE_MAGIC: &[u8] = b"\x8ckeylane";

/// The bytes of a chunk, which are its text or sealed.
type Buffer = Box<Secret<[u8; SEALED_LEN]>>;

fn buffer() -> Buffer {
    Box::new(Secret::new([0; SEALED_LEN]))
}

fn invalid(error: Error) -> io::Error {
    let kind = match error {
        Error::AuthenticationFailed => ErrorKind::InvalidData,
        _ => ErrorKind::InvalidInput,
    };
    io::Error::new(kind, error)
}

/// Encrypts the text written to it and writes the message to another writer. The message is complete only
/// after [`finish`](Self::finish). After an error it cannot be completed.
///
/// ```
/// use keylane::chunked::{Reader, Writer};
/// use std::io::{Cursor, Read, Seek, SeekFrom, Write};
///
/// # fn main() -> std::io::Result<()> {
/// let (key, salt) = ([7; 32], [9; 24]); // both from a random generator
/// let mut writer = Writer::new(Vec::new(), &key, &salt, b"")?;
/// writer.write_all(&[1; 100_000])?;
/// writer.write_all(b"attack at dawn")?;
/// let message = writer.finish()?;
///
/// let mut reader = Reader::new(Cursor::new(message), &key, b"")?;
/// reader.seek(SeekFrom::End(-4))?;
/// let mut end = String::new();
/// reader.read_to_string(&mut end)?;
/// assert_eq!(end, "dawn");
/// # Ok(())
/// # }
/// ```
pub struct Writer<W: Write> {
    inner: W,
    cipher: ChunkCipher,
    buffer: Buffer,
    len: usize,
    number: u64,
    /// Whether the output lacks a chunk.
    has_failed: bool,
}

impl<W: Write> Writer<W> {
    /// Returns a writer and writes the message's header. The arguments are those of [`ChunkCipher::new`].
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] unless the key has 16 or 32 bytes, and errors of `inner`.
    ///
    /// # Security
    /// The salt must never be used twice with the key.
    pub fn new(mut inner: W, key: &[u8], salt: &[u8; SALT_LEN], context: &[u8]) -> io::Result<Self> {
        let cipher = ChunkCipher::new(key, salt, context).map_err(invalid)?;
        inner.write_all(cipher.header())?;
        Ok(Self { inner, cipher, buffer: buffer(), len: 0, number: 0, has_failed: false })
    }

    /// Writes the last chunk, flushes the writer and returns it.
    ///
    /// # Errors
    /// Errors of the inner writer, and one if an earlier write has failed.
    pub fn finish(mut self) -> io::Result<W> {
        self.seal()?;
        self.inner.flush()?;
        Ok(self.inner)
    }

    fn seal(&mut self) -> io::Result<()> {
        // A message without one of its chunks must not be completed.
        if std::mem::replace(&mut self.has_failed, true) {
            return Err(io::Error::other("an earlier write has failed"));
        }
        super::check_end(self.number, self.len / CHUNK_LEN).map_err(invalid)?;
        let (text, rest) = self.buffer.split_at_mut(self.len);
        let nonce = self.cipher.nonce(self.number);
        let tag = self.cipher.aead.seal(&nonce, b"", text).map_err(invalid)?;
        rest[..TAG_LEN].copy_from_slice(&tag);
        let sealed = &self.buffer[..self.len + TAG_LEN];
        // Even after an error, no other text may have this nonce.
        self.number += 1;
        self.len = 0;
        self.inner.write_all(sealed)?;
        self.has_failed = false;
        Ok(())
    }
}

impl<W: Write> Write for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = bytes.len().min(CHUNK_LEN - self.len);
        self.buffer[self.len..][..len].copy_from_slice(&bytes[..len]);
        self.len += len;
        if self.len == CHUNK_LEN {
            self.seal()?;
        }
        Ok(len)
    }

    /// Flushes the inner writer. The text of an incomplete chunk stays buffered.
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Decrypts a message from another reader. Can seek if that reader can.
///
/// Each read returns authentic text, but the text is complete only when a read has returned 0, or after a
/// seek: the first seek opens the last chunk, which proves the length. If the message was changed or
/// truncated, the error's kind is [`ErrorKind::InvalidData`] or [`ErrorKind::UnexpectedEof`], and all reads
/// fail until the next seek. See [`Writer`] for an example.
pub struct Reader<R> {
    inner: R,
    cipher: ChunkCipher,
    /// The text of the `held` chunk, or the `gathered` part of the next one.
    buffer: Buffer,
    /// The held chunk's number and its text's length. The inner reader is after this chunk.
    held: Option<(u64, usize)>,
    /// The number of bytes read from the chunk in which the inner reader is; `None` after a failure.
    gathered: Option<usize>,
    /// The inner reader's position in the message.
    inner_position: u64,
    /// The next byte's position in the text.
    position: u64,
    /// The text's length, once the last chunk was opened.
    len: Option<u64>,
}

impl<R: Read> Reader<R> {
    /// Returns a reader, having read the message's header and checked it with the key and the context.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidData`] for another key, another context or a changed header;
    /// [`ErrorKind::UnexpectedEof`] for a truncated header; [`ErrorKind::InvalidInput`] unless the key has 16
    /// or 32 bytes; and errors of `inner`.
    pub fn new(mut inner: R, key: &[u8], context: &[u8]) -> io::Result<Self> {
        let mut header = [0; HEADER_LEN];
        inner.read_exact(&mut header)?;
        Ok(Self {
            cipher: ChunkCipher::for_message(key, &header, context).map_err(|error| match error {
                Error::AuthenticationFailed if header.starts_with(FILE_MAGIC) => {
                    io::Error::new(ErrorKind::InvalidData, "the format of `keylane encrypt`, not C2SP's")
                }
                error => invalid(error),
            })?,
            inner,
            buffer: buffer(),
            held: None,
            gathered: Some(0),
            inner_position: HEADER_LEN as u64,
            position: 0,
            len: None,
        })
    }

    /// Reads and opens chunk `number`, in which the inner reader is. Returns the length of its text.
    fn load(&mut self, number: u64) -> io::Result<usize> {
        self.held = None;
        let failed = || io::Error::other("an earlier read or seek has failed: seek first");
        let mut len = self.gathered.take().ok_or_else(failed)?;
        while len < SEALED_LEN {
            match self.inner.read(&mut self.buffer[len..]) {
                Ok(0) => break,
                Ok(more) => {
                    len += more;
                    self.inner_position += more as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.gathered = Some(len);
                    return Err(error);
                }
            }
        }
        let text_len = len.checked_sub(TAG_LEN).ok_or_else(cut_off)?;
        super::check_end(number, text_len / CHUNK_LEN).map_err(invalid)?;
        let (text, tag) = self.buffer[..len].split_last_chunk_mut().expect("a tag");
        self.cipher.aead.open(&self.cipher.nonce(number), b"", text, tag).map_err(invalid)?;
        if text_len < CHUNK_LEN {
            self.len = Some(number * CHUNK_LEN as u64 + text_len as u64);
        }
        self.held = Some((number, text_len));
        self.gathered = Some(0);
        Ok(text_len)
    }
}

fn cut_off() -> io::Error {
    io::Error::new(ErrorKind::UnexpectedEof, "the message was cut off: its end is missing")
}

impl<R: Read> Read for Reader<R> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        if output.is_empty() || self.len.is_some_and(|len| self.position >= len) {
            return Ok(0);
        }
        let (number, at) = (self.position / CHUNK_LEN as u64, (self.position % CHUNK_LEN as u64) as usize);
        let text_len = match self.held {
            Some((held, text_len)) if held == number => text_len,
            _ => self.load(number)?,
        };
        // A chunk may have become shorter since a seek.
        let text = self.buffer[..].get(at..text_len).ok_or(ErrorKind::UnexpectedEof)?;
        let len = text.len().min(output.len());
        output[..len].copy_from_slice(&text[..len]);
        self.position += len as u64;
        Ok(len)
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Returns the text's length in bytes, which is authentic.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidData`] or [`ErrorKind::UnexpectedEof`] if the last chunk does not open, and errors
    /// of the inner reader.
    pub fn text_len(&mut self) -> io::Result<u64> {
        if self.len.is_none() {
            self.seek(SeekFrom::Start(self.position))?;
        }
        self.len.ok_or_else(cut_off)
    }

    /// Opens the last chunk. Returns the text's length.
    fn open_end(&mut self) -> io::Result<u64> {
        let here = self.inner.stream_position()?;
        // `None` until the inner reader is at a chunk again.
        self.gathered = None;
        let end = self.inner.seek(SeekFrom::End(0))?;
        self.inner_position = (self.inner_position + end).checked_sub(here).ok_or_else(cut_off)?;
        let last = text_len(self.inner_position).ok_or_else(cut_off)? / CHUNK_LEN as u64;
        self.go(last)?;
        self.load(last)?;
        self.len.ok_or_else(cut_off)
    }

    /// Moves the inner reader to chunk `number`.
    fn go(&mut self, number: u64) -> io::Result<()> {
        (self.held, self.gathered) = (None, None);
        let place = HEADER_LEN as u64 + number * SEALED_LEN as u64;
        self.inner.seek(SeekFrom::Current(place.wrapping_sub(self.inner_position).cast_signed()))?;
        (self.inner_position, self.gathered) = (place, Some(0));
        Ok(())
    }
}

impl<R: Read + Seek> Seek for Reader<R> {
    /// Moves to a position in the text, which may be beyond its end. The first seek opens the last chunk.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let len = self.len.map_or_else(|| self.open_end(), Ok)?;
        let asked = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(by) => len.checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        // If the position is refused, restore the old one: opening the last chunk has moved the inner reader.
        let position = asked.unwrap_or(self.position);
        let number = position / CHUNK_LEN as u64;
        if position < len && self.held.is_none_or(|(held, _)| held != number) {
            self.go(number)?;
        }
        self.position = position;
        asked.ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "a position before the text's start"))
    }

    fn stream_position(&mut self) -> io::Result<u64> {
        Ok(self.position)
    }
}

impl<W: Write> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

impl<R> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").finish_non_exhaustive()
    }
}
