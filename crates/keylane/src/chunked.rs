//! C2SP's chunked encryption (<https://c2sp.org/chunked-encryption>): an open format for one long message
//! that can be encrypted and decrypted as a stream or by several threads, and read from any position. Keys
//! have 16 bytes (Cobblestone-128) or 32 bytes (Cobblestone-256).
//!
//! A message is a header of 56 bytes, with a salt and a commitment to the key, and chunks of 16 KiB under
//! AES-GCM, the last of which is always shorter. HKDF with SHA-512 derives the message's own key from the
//! input key, the salt and the context.
//!
//! ```
//! # fn main() -> Result<(), keylane::Error> {
//! use keylane::chunked;
//!
//! let (key, salt) = ([7; 32], [9; 24]); // both from a random generator
//! let text = b"attack at dawn";
//! let mut message = vec![0; chunked::message_len(text.len() as u64).unwrap() as usize];
//! chunked::seal_to(&key, &salt, b"example.org backup", text, &mut message)?;
//!
//! let mut opened = vec![0; chunked::text_len(message.len() as u64).unwrap() as usize];
//! chunked::open_to(&key, b"example.org backup", &message, &mut opened)?;
//! assert_eq!(opened, text);
//! # Ok(())
//! # }
//! ```
//!
//! [`Writer`] and [`Reader`] implement the standard library's I/O traits; the reader can seek. A
//! [`ChunkCipher`] processes chunks in any order.
//!
//! # Security
//! - A key must be uniformly random: do not use a password.
//! - A salt must never be used twice with a key, with the same consequences as nonce reuse. 24 random bytes
//!   are enough for any number of messages.
//! - The context is not secret and not in the message. It separates uses of one key: a message opens only
//!   with the context under which it was sealed.
//! - The length of the text is visible.

use crate::aead::TAG_LEN;
use crate::aes_gcm::AesGcm;
use crate::error::Error;
use crate::hkdf::Prk;
use crate::hmac::HmacKey;
use crate::sha2::Sha512;
use core::fmt;
use keylane_cpu::constant_time::{declassify, equal};
use keylane_cpu::wipe::{Secret, wipe};
use zeroize::ZeroizeOnDrop;

#[cfg(feature = "std")]
mod io;
#[cfg(feature = "std")]
pub use io::{Reader, Writer};

/// The length of a chunk's text in bytes. The last chunk is shorter.
pub const CHUNK_LEN: usize = 16_384;
/// The length of a salt in bytes.
pub const SALT_LEN: usize = 24;
/// The length of a header in bytes: a salt and a commitment.
pub const HEADER_LEN: usize = SALT_LEN + COMMITMENT_LEN;
/// The maximum number of chunks in a message, which limits the text to 4 PiB.
pub const MAX_CHUNKS: u64 = 1 << 38;

const COMMITMENT_LEN: usize = 32;
const NONCE_LEN: usize = 12;
const SEALED_LEN: usize = CHUNK_LEN + TAG_LEN;
const LABEL: &[u8] = b"c2sp.org/chunked-encryption@v1+";

/// Returns the length in bytes of a message with a text of `text_len` bytes; `None` if the text is too long.
///
/// ```
/// use keylane::chunked::message_len;
///
/// assert_eq!(message_len(14), Some(56 + 14 + 16));
/// assert_eq!(message_len(16_384), Some(56 + 16_384 + 16 + 16)); // the last chunk is empty
/// ```
#[must_use]
pub const fn message_len(text_len: u64) -> Option<u64> {
    let full = text_len / CHUNK_LEN as u64;
    if full < MAX_CHUNKS { Some(HEADER_LEN as u64 + text_len + (full + 1) * TAG_LEN as u64) } else { None }
}

/// Returns the text's length in a message of `message_len` bytes, in bytes; `None` if no whole message has
/// this length, as after truncation or when data was appended.
///
/// # Security
/// A truncated message may have a whole message's length: only opening the last chunk detects that.
#[must_use]
pub const fn text_len(message_len: u64) -> Option<u64> {
    let Some(sealed) = message_len.checked_sub(HEADER_LEN as u64) else { return None };
    let (full, last) = (sealed / SEALED_LEN as u64, sealed % SEALED_LEN as u64);
    if full < MAX_CHUNKS && last >= TAG_LEN as u64 {
        Some(sealed - (full + 1) * TAG_LEN as u64)
    } else {
        None
    }
}

/// Encrypts `text` into `message`, which has [`message_len`] bytes. The key has 16 bytes (Cobblestone-128) or
/// 32 (Cobblestone-256).
///
/// # Errors
/// [`Error::InvalidParameter`] for a key of another length, [`Error::WrongLength`] for another length of
/// `message`, [`Error::InputTooLong`] above 4 PiB; `message` is unchanged.
///
/// # Security
/// The salt must never be used twice with the key.
pub fn seal_to(
    key: &[u8],
    salt: &[u8; SALT_LEN],
    context: &[u8],
    text: &[u8],
    message: &mut [u8],
) -> Result<(), Error> {
    let len = message_len(text.len() as u64).ok_or(TOO_LONG)?;
    Error::check_length(
        "length of the message in bytes",
        usize::try_from(len).unwrap_or(usize::MAX),
        message.len(),
    )?;
    let cipher = ChunkCipher::new(key, salt, context)?;
    let (header, chunks) = message.split_at_mut(HEADER_LEN);
    header.copy_from_slice(cipher.header());
    let full = text.len() / CHUNK_LEN;
    let (full_text, last_text) = text.split_at(full * CHUNK_LEN);
    let (full_chunks, last_chunk) = chunks.split_at_mut(full * SEALED_LEN);
    if full > 0 {
        cipher.seal(0, full_text, full_chunks)?;
    }
    cipher.seal(full as u64, last_text, last_chunk)
}

/// Decrypts `message` into `text`, which has [`text_len`] bytes.
///
/// # Errors
/// [`Error::AuthenticationFailed`] for another key, another context or a changed message; `text` is wiped.
/// [`Error::WrongLength`] if no whole message has the length of `message`, as after truncation, or if `text`
/// has another length. [`Error::InvalidParameter`] unless the key has 16 or 32 bytes.
pub fn open_to(key: &[u8], context: &[u8], message: &[u8], text: &mut [u8]) -> Result<(), Error> {
    let too_short = || Error::WrongLength {
        what: "length of the message in bytes",
        min: (message.len().saturating_sub(HEADER_LEN) / SEALED_LEN) * SEALED_LEN + HEADER_LEN + TAG_LEN,
        max: usize::MAX,
        actual: message.len(),
    };
    let len = text_len(message.len() as u64).ok_or_else(too_short)?;
    Error::check_length("length of the text in bytes", len as usize, text.len())?;
    let (header, chunks) = message.split_first_chunk().expect("it has a header");
    let opened = ChunkCipher::for_message(key, header, context).and_then(|cipher| {
        let full = text.len() / CHUNK_LEN;
        let (full_text, last_text) = text.split_at_mut(full * CHUNK_LEN);
        let (full_chunks, last_chunk) = chunks.split_at(full * SEALED_LEN);
        // The last chunk shows whether the length is right.
        cipher.open(full as u64, last_chunk, last_text)?;
        if full > 0 { cipher.open(0, full_chunks, full_text) } else { Ok(()) }
    });
    if opened == Err(Error::AuthenticationFailed) {
        wipe(text);
    }
    opened
}

const TOO_LONG: Error = Error::InputTooLong { max: MAX_CHUNKS * CHUNK_LEN as u64 - 1 };

/// Seals and opens one message's chunks, in any order, from any number of threads. It holds the message's own
/// key and header, and is wiped on drop.
///
/// Both methods process one or several consecutive chunks. A chunk that is shorter than [`CHUNK_LEN`],
/// perhaps empty, is the message's last one; each message has one. Chunks that open are authentic, but the
/// message is complete only if its last chunk opens.
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane::chunked::{CHUNK_LEN, ChunkCipher};
///
/// let text = [1; CHUNK_LEN + 100];
/// let cipher = ChunkCipher::new(&[7; 32], &[9; 24], b"")?; // never twice together
/// let (mut first, mut last) = (vec![0; CHUNK_LEN + 16], vec![0; 100 + 16]);
/// cipher.seal(1, &text[CHUNK_LEN..], &mut last)?; // in any order
/// cipher.seal(0, &text[..CHUNK_LEN], &mut first)?;
///
/// // The message is the header, and the chunks in their order.
/// let cipher = ChunkCipher::for_message(&[7; 32], cipher.header(), b"")?;
/// let mut end = [0; 100];
/// cipher.open(1, &last, &mut end)?;
/// assert!(cipher.open(0, &last, &mut end).is_err()); // not in its place
/// # Ok(())
/// # }
/// ```
///
/// # Security
/// Sealing two texts with the same chunk number reuses a nonce, which reveals the XOR of the texts and the
/// message's authentication key.
// No `Clone`: two that seal one message would use every nonce twice. Threads share a reference.
pub struct ChunkCipher {
    aead: AesGcm,
    base_nonce: Secret<[u8; NONCE_LEN]>,
    /// Public; wiped with the rest.
    header: Secret<[u8; HEADER_LEN]>,
}

impl ChunkCipher {
    /// Begins a new message. The key has 16 bytes (Cobblestone-128) or 32 (Cobblestone-256).
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for any other length.
    ///
    /// # Security
    /// The salt must never be used twice with the key.
    pub fn new(key: &[u8], salt: &[u8; SALT_LEN], context: &[u8]) -> Result<Self, Error> {
        let aead_name: &[u8] = match key.len() {
            16 => b"AEAD_AES_128_GCM\0",
            32 => b"AEAD_AES_256_GCM\0",
            _ => return Err(Error::InvalidParameter { what: "key: it must have 16 or 32 bytes" }),
        };
        let mut derived = Secret::new([0; 32 + NONCE_LEN + COMMITMENT_LEN]);
        let derived = &mut derived[..key.len() + NONCE_LEN + COMMITMENT_LEN];
        // The key may be shorter than RFC 5869 requires: the specification requires a uniformly random key
        // instead.
        Prk::<Sha512>(HmacKey::new(key)).expand(&[LABEL, aead_name, salt, context], derived)?;
        let (aead_key, rest) = derived.split_at(key.len());
        let (base_nonce, commitment) = rest.split_first_chunk().expect("a commitment follows");
        let mut header = Secret::new([0; HEADER_LEN]);
        header[..SALT_LEN].copy_from_slice(salt);
        header[SALT_LEN..].copy_from_slice(commitment);
        Ok(Self { aead: AesGcm::from_slice(aead_key)?, base_nonce: Secret::new(*base_nonce), header })
    }

    /// Returns the cipher of an existing message, given its header.
    ///
    /// # Errors
    /// [`Error::AuthenticationFailed`] if the header was changed or made with another key or context.
    /// [`Error::InvalidParameter`] as for [`new`](Self::new).
    pub fn for_message(key: &[u8], header: &[u8; HEADER_LEN], context: &[u8]) -> Result<Self, Error> {
        let cipher = Self::new(key, header.first_chunk().expect("a salt"), context)?;
        if declassify(equal(cipher.header(), header)) { Ok(cipher) } else { Err(Error::AuthenticationFailed) }
    }

    /// Returns the message's header, which comes before its chunks.
    #[must_use]
    pub const fn header(&self) -> &[u8; HEADER_LEN] {
        self.header.get()
    }

    /// Encrypts the chunks from chunk `number` on into `output`: each chunk's ciphertext, then its tag. The
    /// text is divided into chunks of [`CHUNK_LEN`] bytes; an empty text is one empty chunk. If the message's
    /// text ends with a full chunk, seal an empty chunk after it.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless `output` has the length of the text and a tag for each chunk;
    /// [`Error::InvalidParameter`] if the message would have more than [`MAX_CHUNKS`] chunks.
    pub fn seal(&self, number: u64, text: &[u8], output: &mut [u8]) -> Result<(), Error> {
        check_end(number, text.len() / CHUNK_LEN)?;
        let len = text.len() + text.len().div_ceil(CHUNK_LEN).max(1) * TAG_LEN;
        Error::check_length("length of the output in bytes", len, output.len())?;
        for (i, sealed) in output.chunks_mut(SEALED_LEN).enumerate() {
            let text = &text[i * CHUNK_LEN..][..sealed.len() - TAG_LEN];
            self.aead.seal_to(&self.nonce(number + i as u64), b"", &[text], sealed)?;
        }
        Ok(())
    }

    /// Decrypts `sealed`, the chunks from chunk `number` on, into `output`.
    ///
    /// # Errors
    /// [`Error::AuthenticationFailed`] if any of them is not authentic; all of `output` is wiped.
    /// [`Error::WrongLength`] unless `output` has the text's length, or if `sealed` has no chunk or its last
    /// one is shorter than a tag. [`Error::InvalidParameter`] as for [`seal`](Self::seal).
    pub fn open(&self, number: u64, sealed: &[u8], output: &mut [u8]) -> Result<(), Error> {
        let (full, last) = (sealed.len() / SEALED_LEN, sealed.len() % SEALED_LEN);
        check_end(number, full)?;
        let min = if last > 0 || full == 0 { TAG_LEN } else { 0 };
        Error::check_range("length of the last chunk in bytes", min, SEALED_LEN, last)?;
        let len = full * CHUNK_LEN + last.saturating_sub(TAG_LEN);
        Error::check_length("length of the output in bytes", len, output.len())?;
        let mut opened = Ok(());
        for (i, sealed) in sealed.chunks(SEALED_LEN).enumerate() {
            let text = &mut output[i * CHUNK_LEN..][..sealed.len() - TAG_LEN];
            opened =
                opened.and_then(|()| self.aead.open_to(&self.nonce(number + i as u64), b"", sealed, text));
        }
        if opened.is_err() {
            wipe(output);
        }
        opened
    }

    fn nonce(&self, number: u64) -> [u8; NONCE_LEN] {
        let mut nonce = *self.base_nonce;
        for (byte, number) in nonce[NONCE_LEN - 8..].iter_mut().zip(number.to_be_bytes()) {
            *byte ^= number;
        }
        nonce
    }
}

/// Fails if a message has no room for `full` chunks from `number` on and for the short one after them.
fn check_end(number: u64, full: usize) -> Result<(), Error> {
    match number.checked_add(full as u64) {
        Some(last) if last < MAX_CHUNKS => Ok(()),
        _ => Err(Error::InvalidParameter { what: "chunk: a message has at most 2^38" }),
    }
}

impl ZeroizeOnDrop for ChunkCipher {}

impl fmt::Debug for ChunkCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkCipher").finish_non_exhaustive()
    }
}
