//! Encrypts and decrypts files, from any reader to any writer, on all cores, in constant memory.
//!
//! | to | use |
//! |---|---|
//! | encrypt with a key file or a passphrase | [`Encryption`], [`Decryption`] |
//! | read a regular file from all threads at once | [`Encryption::run_file`], [`Decryption::run_file`] |
//! | learn which kind of key a file needs | [`Header::read`] |
//! | learn a text's length before you decrypt it | [`text_len`] |
//! | read a key file or a passphrase file | [`keylane::secret`] |
//! | write files for other programs | [`keylane::chunked`]: C2SP's chunked encryption |
//!
//! A file is a header and chunks of 64 KiB, sealed with AES-256-GCM or ChaCha20-Poly1305: `docs/format.md` in
//! Keylane's repository specifies it. The command `keylane encrypt` writes the same files.
//!
//! # Examples
//! ```
//! # fn main() -> Result<(), keylane_file::Error> {
//! use keylane_file::{Decryption, Encryption, Key};
//!
//! let key = Key::File(&[7; 32]); // 32 random bytes
//! let mut file = Vec::new();
//! Encryption::new(key).run(&b"attack at dawn"[..], &mut file)?;
//!
//! let mut text = Vec::new();
//! Decryption::new(key).threads(4).run(&file[..], &mut text)?;
//! assert_eq!(text, b"attack at dawn");
//! # Ok(())
//! # }
//! ```
//!
//! The header says whether to ask for a passphrase:
//!
//! ```
//! # fn main() -> Result<(), keylane_file::Error> {
//! use keylane_file::{Decryption, Header, Key, KeySource};
//!
//! # let mut file = Vec::new();
//! # keylane_file::Encryption::new(Key::File(&[7; 32])).run(&b"attack at dawn"[..], &mut file)?;
//! let mut input = &file[..];
//! let header = Header::read(&mut input)?;
//! let key = match header.key_source() {
//!     KeySource::KeyFile => Key::File(&[7; 32]),
//!     KeySource::Passphrase(_) => Key::Passphrase(b"what the user types"),
//! };
//! let mut text = Vec::new();
//! Decryption::new(key).header(header).run(input, &mut text)?;
//! # assert_eq!(text, b"attack at dawn");
//! # Ok(())
//! # }
//! ```
//!
//! # Debug builds
//! Without optimisation, encryption is more than a hundred times slower. These lines in your workspace's
//! `Cargo.toml` optimise it in debug builds too:
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
//! A [`Decryption`] writes only authentic text, but that text is complete only once it returns `Ok`: the file
//! may be truncated, or damaged further on. If nobody may see an incomplete text, write to a temporary file
//! and rename it at the end.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod chunks;
mod encryption;
mod error;
mod header;
mod key;
mod pipeline;
mod source;

pub use encryption::{Decryption, Encryption};
pub use error::Error;
pub use header::{Algorithm, HEADER_LEN, Header, Kdf, KeySource, SALT_LEN, VERSION};
pub use key::Key;

use std::ops::RangeInclusive;

/// The length of a chunk's text, in bytes. The last chunk may be shorter.
pub const CHUNK_LEN: usize = 65_536;
/// The length of each chunk's tag, in bytes.
pub const TAG_LEN: usize = 16;
/// The minimum number of PBKDF2 iterations.
pub const MIN_ITERATIONS: u32 = 600_000;
/// The maximum number of PBKDF2 iterations, which limits the cost of a forged header to seconds.
pub const MAX_ITERATIONS: u32 = 10_000_000;
/// The memory that Argon2id may use, in MiB. The maximum limits the cost of a forged header.
pub const ARGON2ID_MEMORY_MIB: RangeInclusive<u16> = 64..=1024;
/// The number of passes that Argon2id may make over its memory. The maximum limits the cost of a forged
/// header to seconds.
pub const ARGON2ID_PASSES: RangeInclusive<u8> = 1..=10;
/// The number of lanes into which Argon2id may divide its memory.
pub const ARGON2ID_LANES: RangeInclusive<u8> = 1..=16;
/// The minimum length of a key file, in bytes.
pub const MIN_KEY_FILE_LEN: usize = 32;
/// The maximum length of a key file, in bytes: 1 MiB.
pub const MAX_KEY_FILE_LEN: usize = 1 << 20;

/// Returns the text's length in an encrypted file of `file_len` bytes, in bytes; `None` if no whole file has
/// this length, as after truncation or when data was appended.
///
/// # Security
/// A truncated file may have a whole file's length: only decryption detects that.
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

#[cfg(test)]
mod tests;
