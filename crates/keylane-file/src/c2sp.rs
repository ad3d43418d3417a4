//! Files in an open format: C2SP's chunked encryption (<https://c2sp.org/chunked-encryption>), which
//! [`keylane::chunked`] describes. It can also be read from any place: see [`keylane::chunked::Reader`].
//!
//! A key has 16 random bytes (Cobblestone-128) or 32 (Cobblestone-256); there are no passphrases. The context
//! is not secret and not in the file: the same one decrypts it.
//!
//! ```
//! # fn main() -> Result<(), keylane_file::Error> {
//! use keylane_file::c2sp::{decrypt, encrypt};
//!
//! let (key, mut file, mut text) = ([7; 32], Vec::new(), Vec::new()); // a key from a random generator
//! encrypt(&b"attack at dawn"[..], &mut file, &key, b"letters", None, |_| ())?;
//! decrypt(&file[..], &mut text, &key, b"letters", None, |_| ())?;
//! assert_eq!(text, b"attack at dawn");
//! # Ok(())
//! # }
//! ```

use crate::chunks::{Chunks, Direction};
use crate::source::{Places, Source, Stream, fill};
use crate::{Error, new_salt, pipeline};
use keylane::chunked::{self, ChunkCipher, HEADER_LEN};
use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroUsize;

/// Encrypts all of `input` and returns the text's length in bytes. `threads` is as in
/// [`Options`](crate::Options), `progress` as in [`crate::encrypt`].
///
/// # Errors
/// [`Error::KeyLength`], [`Error::Random`] before anything is read or written. [`Error::Read`],
/// [`Error::Write`], [`Error::TooLong`]: what was written cannot be decrypted to the end.
pub fn encrypt(
    input: impl Read + Send,
    output: impl Write + Send,
    key: &[u8],
    context: &[u8],
    threads: Option<NonZeroUsize>,
    progress: impl FnMut(u64) + Send,
) -> Result<u64, Error> {
    seal(&Stream::new(input), output, key, context, threads, progress)
}

/// Encrypts a file from its current position on, as [`encrypt`] does; see [`crate::encrypt_file`].
///
/// # Errors
/// As [`encrypt`].
pub fn encrypt_file(
    input: &File,
    output: impl Write + Send,
    key: &[u8],
    context: &[u8],
    threads: Option<NonZeroUsize>,
    progress: impl FnMut(u64) + Send,
) -> Result<u64, Error> {
    match Places::of(input) {
        Some(places) => seal(&places, output, key, context, threads, progress),
        None => encrypt(input, output, key, context, threads, progress),
    }
}

fn seal(
    source: &impl Source,
    mut output: impl Write + Send,
    key: &[u8],
    context: &[u8],
    threads: Option<NonZeroUsize>,
    progress: impl FnMut(u64) + Send,
) -> Result<u64, Error> {
    let cipher = ChunkCipher::new(key, &new_salt()?, context).map_err(|_| Error::KeyLength(key.len()))?;
    output.write_all(cipher.header()).map_err(Error::Write)?;
    pipeline::run(&cipher, Direction::Seal, source, output, threads, progress)
}

/// Decrypts all of `input` and returns the text's length in bytes. Writes only authentic, whole chunks, in
/// order.
///
/// # Errors
/// [`Error::KeyLength`], [`Error::WrongKeyOrContext`] before anything is written, [`Error::Damaged`],
/// [`Error::DamagedEnd`], [`Error::Truncated`], [`Error::TooLong`], [`Error::Read`], [`Error::Write`]; see
/// [`Header::decrypt`](crate::Header::decrypt).
pub fn decrypt(
    mut input: impl Read + Send,
    output: impl Write + Send,
    key: &[u8],
    context: &[u8],
    threads: Option<NonZeroUsize>,
    progress: impl FnMut(u64) + Send,
) -> Result<u64, Error> {
    let cipher = read_header(&mut input, key, context)?;
    pipeline::run(&cipher, Direction::Open, &Stream::new(input), output, threads, progress)
}

/// Decrypts a file from its current position on, as [`decrypt`] does; see
/// [`Header::decrypt_file`](crate::Header::decrypt_file).
///
/// # Errors
/// As [`decrypt`].
pub fn decrypt_file(
    mut input: &File,
    output: impl Write + Send,
    key: &[u8],
    context: &[u8],
    threads: Option<NonZeroUsize>,
    progress: impl FnMut(u64) + Send,
) -> Result<u64, Error> {
    let cipher = read_header(&mut input, key, context)?;
    match Places::of(input) {
        Some(places) => pipeline::run(&cipher, Direction::Open, &places, output, threads, progress),
        None => pipeline::run(&cipher, Direction::Open, &Stream::new(input), output, threads, progress),
    }
}

fn read_header(input: &mut impl Read, key: &[u8], context: &[u8]) -> Result<ChunkCipher, Error> {
    let mut header = [0; HEADER_LEN];
    if fill(input, &mut header).map_err(Error::Read)? < HEADER_LEN {
        return Err(Error::Truncated);
    }
    ChunkCipher::for_message(key, &header, context).map_err(|error| match error {
        keylane::Error::AuthenticationFailed => Error::WrongKeyOrContext,
        _ => Error::KeyLength(key.len()),
    })
}

impl Chunks for ChunkCipher {
    const CHUNK_LEN: usize = chunked::CHUNK_LEN;
    const LAST_IS_SHORT: bool = true;

    fn convert(
        &self,
        direction: Direction,
        number: u64,
        last: bool,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), Error> {
        let done = match direction {
            Direction::Seal => self.seal(number, input, output),
            Direction::Open => self.open(number, input, output),
        };
        let from = number.saturating_mul(Self::CHUNK_LEN as u64);
        done.map_err(|error| match error {
            keylane::Error::AuthenticationFailed if last => Error::DamagedEnd { chunk: number, from },
            keylane::Error::AuthenticationFailed => Error::Damaged { chunk: number, from },
            _ => Error::TooLong,
        })
    }
}
