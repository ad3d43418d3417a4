//! Encrypted files: any reader to any writer, on all cores, in constant memory.
//!
//! | to | use |
//! |---|---|
//! | encrypt with a key file or a passphrase | [`encrypt`], [`decrypt`]: [Keylane's format](https://keylane.github.io/keylane/docs/format.html) |
//! | exchange files with other programs | [`c2sp`]: C2SP's chunked encryption, with a key |
//! | read a regular file from all threads at once | [`encrypt_file`], [`Header::decrypt_file`] |
//! | learn which kind of key a file needs | [`Header::read`] |
//! | know the length of the text before it is decrypted | [`text_len`] |
//! | read a key file or a passphrase file | [`keylane::secret`] |
//!
//! A file is a header and chunks of 64 KiB, sealed with AES-256-GCM or ChaCha20-Poly1305. The command `keylane
//! encrypt` writes the same files.
//!
//! # Examples
//! ```
//! # fn main() -> Result<(), keylane_file::Error> {
//! use keylane_file::{Key, Options, decrypt, encrypt};
//!
//! let key = Key::File(&[7; 32]); // from a random generator
//! let mut file = Vec::new();
//! encrypt(&b"attack at dawn"[..], &mut file, key, &Options::default(), |_| ())?;
//!
//! let mut text = Vec::new();
//! decrypt(&file[..], &mut text, key, None, |_| ())?;
//! assert_eq!(text, b"attack at dawn");
//! # Ok(())
//! # }
//! ```
//!
//! The header says whether to ask for a passphrase:
//!
//! ```
//! # fn main() -> Result<(), keylane_file::Error> {
//! # use keylane_file::{Options, encrypt};
//! use keylane_file::{Header, Key, KeySource};
//!
//! # let mut file = Vec::new();
//! # encrypt(&b"attack at dawn"[..], &mut file, Key::File(&[7; 32]), &Options::default(), |_| ())?;
//! let mut input = &file[..];
//! let header = Header::read(&mut input)?;
//! let key = match header.key_source() {
//!     KeySource::KeyFile => Key::File(&[7; 32]),
//!     KeySource::Passphrase(_) => Key::Passphrase(b"what the user types"),
//! };
//! let mut text = Vec::new();
//! header.decrypt(input, &mut text, key, None, |_| ())?;
//! # assert_eq!(text, b"attack at dawn");
//! # Ok(())
//! # }
//! ```
//!
//! A file for other programs:
//!
//! ```
//! # fn main() -> Result<(), keylane_file::Error> {
//! use keylane_file::c2sp::{decrypt, encrypt};
//!
//! let (key, mut file, mut text) = ([7; 32], Vec::new(), Vec::new());
//! encrypt(&b"attack at dawn"[..], &mut file, &key, b"letters", None, |_| ())?;
//! decrypt(&file[..], &mut text, &key, b"letters", None, |_| ())?;
//! assert_eq!(text, b"attack at dawn");
//! # Ok(())
//! # }
//! ```
//!
//! # Debug builds
//! Without optimisation this is more than a hundred times slower. Put these lines into the `Cargo.toml` of
//! your workspace:
//!
//! ```toml
//! [profile.dev.package]
//! argon2 = { opt-level = 3, debug = false }
//! keylane = { opt-level = 3, debug = false, debug-assertions = false, overflow-checks = false }
//! keylane-cpu = { opt-level = 3, debug = false, debug-assertions = false, overflow-checks = false }
//! keylane-file = { opt-level = 3, debug = false, debug-assertions = false, overflow-checks = false }
//! ```
//!
//! # Security
//! What [`decrypt`] writes is authentic, but only when it returns `Ok` is the text known to be complete: the
//! file may be truncated, or damaged further on. If an incomplete text must never be seen, write to a
//! temporary file and rename it at the end.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod c2sp;
mod chunks;
mod error;
mod header;
mod key;
mod limits;
mod pipeline;
mod source;

pub use error::Error;
pub use header::{HEADER_LEN, Header, Kdf, KeySource, SALT_LEN, VERSION};
pub use key::Key;
pub use limits::{
    ARGON2ID_LANES, ARGON2ID_MEMORY_MIB, ARGON2ID_PASSES, MAX_ITERATIONS, MAX_KEY_FILE_LEN, MIN_ITERATIONS,
    MIN_KEY_FILE_LEN,
};

use chunks::{Direction, OwnChunks};
use key::FileKey;
use source::{Places, Source, Stream};
use std::fs::File;
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;

/// The length of a chunk's text in bytes. The last chunk may be shorter.
pub const CHUNK_LEN: usize = 65_536;
/// The length of the tag that sealing adds to each chunk.
pub const TAG_LEN: usize = 16;

/// Returns the length in bytes of the text in an encrypted file of `file_len` bytes, if it is whole; `None`
/// if no whole file has this length, because it was cut off or something was appended to it.
///
/// # Security
/// A truncated file may have the length of a whole one. Only decryption detects that.
///
/// ```
/// use keylane_file::text_len;
///
/// assert_eq!(text_len(80 + 14 + 16), Some(14));
/// assert_eq!(text_len(80 + 14), None); // a part of a tag
/// ```
#[must_use]
pub fn text_len(file_len: u64) -> Option<u64> {
    const SEALED_LEN: u64 = (CHUNK_LEN + TAG_LEN) as u64;
    let sealed = file_len.checked_sub(HEADER_LEN as u64)?;
    let chunks = sealed.div_ceil(SEALED_LEN);
    let last = sealed.checked_sub(chunks.checked_sub(1)? * SEALED_LEN)?;
    // Only the first chunk can be empty.
    let whole = last > TAG_LEN as u64 || (last == TAG_LEN as u64 && chunks == 1);
    (whole && chunks <= 1 << 32).then(|| sealed - chunks * TAG_LEN as u64)
}

/// How chunks are sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// AES-256-GCM: faster on CPUs with AES instructions.
    Aes256Gcm,
    /// ChaCha20-Poly1305: faster on all others.
    ChaCha20Poly1305,
}

/// How a file is encrypted.
///
/// ```
/// use keylane_file::{Algorithm, Options};
///
/// let options = Options { algorithm: Algorithm::ChaCha20Poly1305, ..Options::default() };
/// assert_eq!(options.threads, None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The default is AES-256-GCM.
    pub algorithm: Algorithm,
    /// The function that derives the key from a passphrase, unused with a key file. The default is Argon2id
    /// with 64 MiB.
    pub kdf: Kdf,
    /// The maximum number of threads, each with half a MiB of memory; never more than 256 are used. The
    /// default is as many as there are cores.
    pub threads: Option<NonZeroUsize>,
}

impl Default for Options {
    fn default() -> Self {
        Self { algorithm: Algorithm::Aes256Gcm, kdf: Kdf::default(), threads: None }
    }
}

/// Encrypts all of `input` and returns the text's length in bytes. `progress` is called several times a
/// second, from any thread, with how much of the text is done.
///
/// # Errors
/// [`Error::KeyFileLength`], [`Error::EmptyPassphrase`], [`Error::PassphraseTooLong`], [`Error::Argon2id`],
/// [`Error::Iterations`], [`Error::NoMemory`], [`Error::Random`] before anything is read or written.
/// [`Error::Read`], [`Error::Write`], [`Error::TooLong`]: what was written cannot be decrypted to the end.
pub fn encrypt(
    input: impl Read + Send,
    output: impl Write + Send,
    key: Key<'_>,
    options: &Options,
    progress: impl FnMut(u64) + Send,
) -> Result<u64, Error> {
    seal(&new_salt()?, &Stream::new(input), output, key, options, progress)
}

/// Encrypts a file from its current position on, as [`encrypt`] does. If it is a regular file, all threads
/// read it at once, each at its own position: a reader is limited to what one thread can copy. The file's
/// position afterwards is unspecified.
///
/// # Errors
/// As [`encrypt`]. The file must not change meanwhile: if it does, each part is encrypted as it was when it
/// was read.
pub fn encrypt_file(
    input: &File,
    output: impl Write + Send,
    key: Key<'_>,
    options: &Options,
    progress: impl FnMut(u64) + Send,
) -> Result<u64, Error> {
    match Places::of(input) {
        Some(places) => seal(&new_salt()?, &places, output, key, options, progress),
        None => encrypt(input, output, key, options, progress),
    }
}

fn new_salt<const N: usize>() -> Result<[u8; N], Error> {
    let mut salt = [0; _];
    getrandom::fill(&mut salt).map_err(|error| Error::Random(io::Error::other(error)))?;
    Ok(salt)
}

fn seal(
    salt: &[u8; SALT_LEN],
    source: &impl Source,
    mut output: impl Write + Send,
    key: Key<'_>,
    options: &Options,
    progress: impl FnMut(u64) + Send,
) -> Result<u64, Error> {
    let key_source = match key {
        Key::File(_) => KeySource::KeyFile,
        Key::Passphrase(_) => KeySource::Passphrase(options.kdf),
    };
    let mut header = Header::new(options.algorithm, key_source, salt)?;
    let key = FileKey::derive(key, &header)?;
    header.commit(key.commitment());
    output.write_all(header.as_bytes()).map_err(Error::Write)?;
    let chunks = OwnChunks::new(&header, &key);
    pipeline::run(&chunks, Direction::Seal, source, output, options.threads, progress)
}

/// Decrypts all of `input` and returns the text's length in bytes. Writes only authentic, whole chunks, in
/// order. `threads` and `progress` are as for [`encrypt`].
///
/// # Errors
/// As [`Header::read`], then as [`Header::decrypt`].
pub fn decrypt(
    mut input: impl Read + Send,
    output: impl Write + Send,
    key: Key<'_>,
    threads: Option<NonZeroUsize>,
    progress: impl FnMut(u64) + Send,
) -> Result<u64, Error> {
    Header::read(&mut input)?.decrypt(input, output, key, threads, progress)
}

impl Header {
    /// Decrypts what follows this header in its file, as [`decrypt`] does.
    ///
    /// # Errors
    /// [`Error::WrongKeySource`], [`Error::KeyFileLength`], [`Error::EmptyPassphrase`],
    /// [`Error::PassphraseTooLong`], [`Error::NoMemory`], [`Error::WrongKey`], [`Error::WrongPassphrase`]
    /// before anything is read or written.
    ///
    /// [`Error::Damaged`], [`Error::DamagedEnd`], [`Error::Truncated`], [`Error::TrailingData`],
    /// [`Error::TooLong`], [`Error::Read`], [`Error::Write`]: what was written before is the same whatever
    /// the number of threads. Nothing is written of a chunk that is not authentic, or of what follows it.
    /// With several threads, the error may be returned only after a read that is under way, which on a pipe
    /// may block.
    pub fn decrypt(
        &self,
        input: impl Read + Send,
        output: impl Write + Send,
        key: Key<'_>,
        threads: Option<NonZeroUsize>,
        progress: impl FnMut(u64) + Send,
    ) -> Result<u64, Error> {
        self.open(&Stream::new(input), output, key, threads, progress)
    }

    /// Decrypts a file from its current position on, just after this header, as [`decrypt`](Self::decrypt)
    /// does. If it is a regular file, all threads read it at once. The file's position afterwards is
    /// unspecified.
    ///
    /// # Errors
    /// As [`decrypt`](Self::decrypt).
    pub fn decrypt_file(
        &self,
        input: &File,
        output: impl Write + Send,
        key: Key<'_>,
        threads: Option<NonZeroUsize>,
        progress: impl FnMut(u64) + Send,
    ) -> Result<u64, Error> {
        match Places::of(input) {
            Some(places) => self.open(&places, output, key, threads, progress),
            None => self.decrypt(input, output, key, threads, progress),
        }
    }

    fn open(
        &self,
        source: &impl Source,
        output: impl Write + Send,
        key: Key<'_>,
        threads: Option<NonZeroUsize>,
        progress: impl FnMut(u64) + Send,
    ) -> Result<u64, Error> {
        let key = FileKey::derive(key, self)?;
        key.verify(self)?;
        pipeline::run(&OwnChunks::new(self, &key), Direction::Open, source, output, threads, progress)
    }
}

impl Algorithm {
    const fn number(self) -> u8 {
        match self {
            Self::Aes256Gcm => 1,
            Self::ChaCha20Poly1305 => 2,
        }
    }

    fn from_number(number: u8) -> Option<Self> {
        [Self::Aes256Gcm, Self::ChaCha20Poly1305].into_iter().find(|algorithm| algorithm.number() == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chunks::Chunks;
    use std::collections::BTreeSet;

    /// `docs/format.md` shows whole files, in hexadecimal digits, each after a line that says how it was
    /// made. By a link, which `cargo package` follows.
    const DOCUMENT: &str = include_str!("format.txt");

    fn hex(digits: &str) -> Vec<u8> {
        let digits: Vec<u8> =
            digits.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
        digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
    }

    /// The block of digits that follows `title`.
    fn block(title: &str) -> Vec<u8> {
        let (_, rest) = DOCUMENT.split_once(title).unwrap_or_else(|| panic!("{title} is missing"));
        hex(rest.split("\n\n").nth(1).unwrap())
    }

    const KEY_FILE: [u8; 32] = {
        let mut bytes = [0; 32];
        let mut i = 0;
        while i < 32 {
            bytes[i] = i as u8;
            i += 1;
        }
        bytes
    };

    #[test]
    fn the_documented_files() {
        let salt = KEY_FILE.map(|byte| byte + 0x20);
        let (aes, chacha) = (Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305);
        let (key_file, passphrase) = (Key::File(&KEY_FILE), Key::Passphrase(b"passphrase"));
        for (title, algorithm, key, kdf) in [
            ("AES-256-GCM, a key file", aes, key_file, Kdf::default()),
            ("ChaCha20-Poly1305, a key file", chacha, key_file, Kdf::default()),
            ("AES-256-GCM, a passphrase by Argon2id", aes, passphrase, Kdf::default()),
            (
                "ChaCha20-Poly1305, a passphrase by PBKDF2",
                chacha,
                passphrase,
                Kdf::Pbkdf2 { iterations: 600_000 },
            ),
        ] {
            let options = Options { algorithm, kdf, threads: None };
            let mut file = Vec::new();
            seal(&salt, &Stream::new(&b"attack at dawn"[..]), &mut file, key, &options, |_| ()).unwrap();
            let digits: String = file.iter().map(|byte| format!("{byte:02x}")).collect();
            assert!(block(title) == file, "{title}: {digits}");
            let mut text = Vec::new();
            decrypt(&file[..], &mut text, key, None, |_| ()).unwrap();
            assert_eq!(text, b"attack at dawn");
        }
    }

    /// The same bytes, whatever the number of threads.
    #[test]
    fn threads_do_not_show() {
        let text: Vec<u8> = (0..30 * CHUNK_LEN + 9).map(|i| (i % 241) as u8).collect();
        let sealed = |threads| {
            let options = Options { threads: NonZeroUsize::new(threads), ..Options::default() };
            let mut file = Vec::new();
            seal(&[3; 32], &Stream::new(&text[..]), &mut file, Key::File(&KEY_FILE), &options, |_| ())
                .unwrap();
            file
        };
        let expected = sealed(1);
        for threads in [2, 3, 5, 16] {
            assert!(sealed(threads) == expected, "{threads} threads");
        }
    }

    /// A text of 256 TiB takes too long for a test: its last chunks by themselves.
    #[test]
    fn no_more_than_2_to_the_32_chunks() {
        let header = Header::new(Algorithm::Aes256Gcm, KeySource::KeyFile, &[5; 32]).unwrap();
        let key = FileKey::derive(Key::File(&KEY_FILE), &header).unwrap();
        let chunks = OwnChunks::new(&header, &key);
        let (text, most) = ([1; 100], u64::from(u32::MAX));
        for (number, last, allowed) in [
            (most - 1, false, true),
            (most - 1, true, true),
            (most, true, true),
            (most, false, false),
            (most + 1, true, false),
            (u64::MAX, true, false),
        ] {
            let mut sealed = [0; 116];
            let result = chunks.convert(Direction::Seal, number, last, &text, &mut sealed);
            assert_eq!(result.is_ok(), allowed, "chunk {number}, {last}");
            let result = chunks.convert(Direction::Open, number, last, &sealed, &mut [0; 100]);
            assert_eq!(result.is_ok(), allowed, "chunk {number}, {last}");
            if !allowed {
                assert!(matches!(result, Err(Error::TooLong)));
                assert_eq!(sealed, [0; 116]);
            }
        }
    }

    /// Each bit of a chunk's number is in its nonce, and whether it is the last. Sealing and opening would
    /// agree on a nonce that repeats.
    #[test]
    fn chunks_have_nonces_of_their_own() {
        for algorithm in [Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305] {
            let header = Header::new(algorithm, KeySource::KeyFile, &[5; 32]).unwrap();
            let chunks = OwnChunks::new(&header, &FileKey::derive(Key::File(&KEY_FILE), &header).unwrap());
            let numbers = [0].into_iter().chain((0..32).map(|bit| 1 << bit));
            let sealed = numbers.flat_map(|number| {
                [false, true].map(|last| {
                    let mut sealed = [0; 116];
                    chunks.convert(Direction::Seal, number, last, &[1; 100], &mut sealed).unwrap();
                    sealed
                })
            });
            assert_eq!(sealed.collect::<BTreeSet<_>>().len(), 66);
        }
    }

    #[test]
    fn messages_are_one_line() {
        let errors = [
            Error::Read(io::Error::other("why")),
            Error::Write(io::Error::other("why")),
            Error::Random(io::Error::other("why")),
            Error::NotKeylane,
            Error::UnknownVersion(2),
            Error::UnknownAlgorithm(3),
            Error::UnknownKeySource(4),
            Error::ChunkLength { log2: 20 },
            Error::Iterations(u32::MAX),
            Error::Argon2id { memory_mib: u16::MAX, passes: u8::MAX, lanes: u8::MAX },
            Error::NoMemory { memory_mib: 1024 },
            Error::KeyFileLength(3),
            Error::EmptyPassphrase,
            Error::PassphraseTooLong,
            Error::WrongKeySource,
            Error::WrongKey,
            Error::WrongPassphrase,
            Error::WrongKeyOrContext,
            Error::KeyLength(3),
            Error::Damaged { chunk: u64::MAX, from: u64::MAX },
            Error::DamagedEnd { chunk: 1, from: 65_536 },
            Error::Truncated,
            Error::TrailingData,
            Error::TooLong,
        ];
        for error in errors {
            let message = error.to_string();
            assert!((10..100).contains(&message.len()) && !message.contains('\n'), "{message}");
        }
    }
}
