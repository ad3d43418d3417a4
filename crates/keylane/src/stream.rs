//! One long text in chunks, each of which can be opened before the next has arrived: the STREAM construction
//! of Hoang, Reyhanitabar, Rogaway and Vizár (*Online Authenticated-Encryption and its Nonce-Reuse
//! Misuse-Resistance*, CRYPTO 2015).
//!
//! A chunk's nonce is the stream's prefix of 7 bytes, the chunk's number in 4 bytes, big endian, and a byte
//! that is 1 for the last chunk and 0 for the others, as in `StreamBE32` of RustCrypto's `aead-stream` and in
//! Tink. (It has nothing to do with the asynchronous streams of `futures`.) Chunks that are changed, left
//! out, duplicated, reordered or cut off are therefore detected. The text of a chunk that fails to open is
//! never returned; the chunks opened before it are a prefix of what was sealed.
//!
//! [`Sealer`] and [`Opener`] count the chunks; a [`ChunkCipher`] takes chunks in any order, from any number
//! of threads.
//!
//! ```
//! # fn main() -> Result<(), keylane::Error> {
//! use keylane::aes_gcm::Aes256Gcm;
//! use keylane::stream::{ChunkCipher, Opener, Sealer};
//!
//! let (key, prefix) = ([7; 32], [0; 7]); // never twice together
//! let mut sealer = Sealer::new(ChunkCipher::new(Aes256Gcm::new(&key), &prefix));
//! let (mut first, mut last) = (*b"attack ", *b"at dawn");
//! let first_tag = sealer.seal_next(b"", &mut first)?;
//! let last_tag = sealer.seal_last(b"", &mut last)?;
//!
//! let mut opener = Opener::new(ChunkCipher::new(Aes256Gcm::new(&key), &prefix));
//! opener.open_next(b"", &mut first, &first_tag)?;
//! opener.open_last(b"", &mut last, &last_tag)?; // only now the text is known to be whole
//! assert_eq!([first, last].concat(), b"attack at dawn");
//! # Ok(())
//! # }
//! ```
//!
//! # Limits
//! 2^32 chunks, each no longer than the AEAD allows. The caller decides how long chunks are: their lengths
//! may differ, but both sides must know where each ends and which is the last.
//!
//! # Security
//! A prefix must never be used twice with a key, with the same consequences as nonce reuse. 7 random bytes
//! are few: among 2^20 streams under one key, two share a prefix with a probability of 2^-17. Derive a key
//! for each stream ([`hkdf`](crate::hkdf), with a random salt), or use a counter as the prefix. Sealing two
//! texts as the same chunk of one stream also reuses a nonce: a [`Sealer`] prevents this, a [`ChunkCipher`]
//! does not.
//!
//! If you stop before the last chunk has been opened, the text may have been truncated.

use crate::aead::{Aead, TAG_LEN};
use crate::error::Error;

/// The length of a stream's prefix, its part of every nonce.
pub const PREFIX_LEN: usize = 7;
/// The maximum number of chunks in a stream.
pub const MAX_CHUNKS: u64 = 1 << 32;

const NONCE_LEN: usize = 12;

/// Which chunk of a stream: its number, from 0, and whether others follow. See [`ChunkCipher`] for an
/// example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// A chunk that others follow.
    Inner(u32),
    /// The last chunk.
    Last(u32),
}

impl Chunk {
    /// Returns the chunk's nonce in the stream with this prefix.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for an inner chunk with the number 2^32 - 1, which no chunk can follow.
    pub fn nonce(self, prefix: &[u8; PREFIX_LEN]) -> Result<[u8; NONCE_LEN], Error> {
        let (number, last) = match self {
            Self::Inner(u32::MAX) => {
                return Err(Error::InvalidParameter { what: "chunk: a stream has at most 2^32" });
            }
            Self::Inner(number) => (number, 0),
            Self::Last(number) => (number, 1),
        };
        let mut nonce = [last; NONCE_LEN];
        nonce[..PREFIX_LEN].copy_from_slice(prefix);
        nonce[PREFIX_LEN..NONCE_LEN - 1].copy_from_slice(&number.to_be_bytes());
        Ok(nonce)
    }
}

/// Seals and opens the chunks of one stream, in any order: a key of an AEAD with nonces of 12 bytes, and the
/// stream's prefix of the nonces. The key is wiped when dropped.
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane::chacha20poly1305::ChaCha20Poly1305;
/// use keylane::stream::{Chunk, ChunkCipher};
///
/// let chunks = ChunkCipher::new(ChaCha20Poly1305::new(&[7; 32]), &[0; 7]); // never twice together
/// let (mut second, mut first) = (*b"at dawn", *b"attack ");
/// let second_tag = chunks.seal(Chunk::Last(1), b"", &mut second)?; // in any order
/// let first_tag = chunks.seal(Chunk::Inner(0), b"", &mut first)?;
///
/// chunks.open(Chunk::Inner(0), b"", &mut first, &first_tag)?;
/// assert!(chunks.open(Chunk::Inner(1), b"", &mut second, &second_tag).is_err()); // it is the last
/// # Ok(())
/// # }
/// ```
// No `Clone`: two sealers of one stream would use every nonce twice. Threads share a reference.
#[derive(Debug)]
pub struct ChunkCipher<A> {
    aead: A,
    prefix: [u8; PREFIX_LEN],
}

impl<A: Aead<Nonce = [u8; NONCE_LEN]>> ChunkCipher<A> {
    /// Combines a key and the stream's prefix, which must never be used together again: see the module's
    /// `# Security`.
    #[must_use]
    pub const fn new(aead: A, prefix: &[u8; PREFIX_LEN]) -> Self {
        Self { aead, prefix: *prefix }
    }

    /// Encrypts a chunk in place and returns the tag, which also covers `aad` and the chunk's position.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for an inner chunk with the number 2^32 - 1, which no chunk can follow;
    /// [`Error::InputTooLong`] as for the AEAD.
    pub fn seal(&self, chunk: Chunk, aad: &[u8], data: &mut [u8]) -> Result<[u8; TAG_LEN], Error> {
        self.aead.seal(&chunk.nonce(&self.prefix)?, aad, data)
    }

    /// Decrypts a chunk in place if `tag` is the tag of the chunk, `aad` and its position.
    ///
    /// # Errors
    /// [`Error::AuthenticationFailed`]: `data` was wiped. Others as for [`seal`](Self::seal).
    pub fn open(&self, chunk: Chunk, aad: &[u8], data: &mut [u8], tag: &[u8; TAG_LEN]) -> Result<(), Error> {
        self.aead.open(&chunk.nonce(&self.prefix)?, aad, data, tag)
    }

    /// Encrypts a chunk, the slices of `plaintext` one after the other, into `output`: the ciphertext, then
    /// the tag.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless `output` has exactly that length. Others as for [`seal`](Self::seal).
    pub fn seal_to(
        &self,
        chunk: Chunk,
        aad: &[u8],
        plaintext: &[&[u8]],
        output: &mut [u8],
    ) -> Result<(), Error> {
        self.aead.seal_to(&chunk.nonce(&self.prefix)?, aad, plaintext, output)
    }

    /// Decrypts `sealed`, an encrypted chunk and its tag, into `output`.
    ///
    /// # Errors
    /// [`Error::AuthenticationFailed`]: `output` was wiped. [`Error::WrongLength`] unless `output` has the
    /// chunk's length, or if `sealed` is shorter than a tag. Others as for [`seal`](Self::seal).
    pub fn open_to(&self, chunk: Chunk, aad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.aead.open_to(&chunk.nonce(&self.prefix)?, aad, sealed, output)
    }
}

/// Seals the chunks of a stream one after the other. After an error of `seal_next` or `seal_next_to`, the
/// same chunk can be sealed again; the last chunk can be tried only once.
#[derive(Debug)]
pub struct Sealer<A> {
    chunks: ChunkCipher<A>,
    next: u32,
}

impl<A: Aead<Nonce = [u8; NONCE_LEN]>> Sealer<A> {
    /// Begins a stream.
    #[must_use]
    pub const fn new(chunks: ChunkCipher<A>) -> Self {
        Self { chunks, next: 0 }
    }

    /// Encrypts the next chunk, unless it is the last, in place. Returns its tag.
    ///
    /// # Errors
    /// As [`ChunkCipher::seal`]; [`Error::InvalidParameter`] for chunk 2^32, which must be the last.
    pub fn seal_next(&mut self, aad: &[u8], data: &mut [u8]) -> Result<[u8; TAG_LEN], Error> {
        let tag = self.chunks.seal(Chunk::Inner(self.next), aad, data)?;
        self.next += 1;
        Ok(tag)
    }

    /// Encrypts the last chunk in place. Returns its tag.
    ///
    /// # Errors
    /// As [`ChunkCipher::seal`].
    pub fn seal_last(self, aad: &[u8], data: &mut [u8]) -> Result<[u8; TAG_LEN], Error> {
        self.chunks.seal(Chunk::Last(self.next), aad, data)
    }

    /// As [`seal_next`](Self::seal_next), from the slices of `plaintext` into `output`.
    ///
    /// # Errors
    /// As [`ChunkCipher::seal_to`], and as [`seal_next`](Self::seal_next).
    pub fn seal_next_to(&mut self, aad: &[u8], plaintext: &[&[u8]], output: &mut [u8]) -> Result<(), Error> {
        self.chunks.seal_to(Chunk::Inner(self.next), aad, plaintext, output)?;
        self.next += 1;
        Ok(())
    }

    /// As [`seal_last`](Self::seal_last), from the slices of `plaintext` into `output`.
    ///
    /// # Errors
    /// As [`ChunkCipher::seal_to`].
    pub fn seal_last_to(self, aad: &[u8], plaintext: &[&[u8]], output: &mut [u8]) -> Result<(), Error> {
        self.chunks.seal_to(Chunk::Last(self.next), aad, plaintext, output)
    }
}

/// Opens the chunks of a stream one after the other. After an error of `open_next` or `open_next_to`, the
/// same chunk can be opened again; the last chunk can be tried only once.
#[derive(Debug)]
pub struct Opener<A> {
    chunks: ChunkCipher<A>,
    next: u32,
}

impl<A: Aead<Nonce = [u8; NONCE_LEN]>> Opener<A> {
    /// Begins a stream.
    #[must_use]
    pub const fn new(chunks: ChunkCipher<A>) -> Self {
        Self { chunks, next: 0 }
    }

    /// Decrypts the next chunk, unless it is the last, in place.
    ///
    /// # Errors
    /// As [`ChunkCipher::open`].
    pub fn open_next(&mut self, aad: &[u8], data: &mut [u8], tag: &[u8; TAG_LEN]) -> Result<(), Error> {
        self.chunks.open(Chunk::Inner(self.next), aad, data, tag)?;
        self.next += 1;
        Ok(())
    }

    /// Decrypts the last chunk in place. If this succeeds, the text is complete.
    ///
    /// # Errors
    /// As [`ChunkCipher::open`].
    pub fn open_last(self, aad: &[u8], data: &mut [u8], tag: &[u8; TAG_LEN]) -> Result<(), Error> {
        self.chunks.open(Chunk::Last(self.next), aad, data, tag)
    }

    /// As [`open_next`](Self::open_next), from `sealed` into `output`.
    ///
    /// # Errors
    /// As [`ChunkCipher::open_to`].
    pub fn open_next_to(&mut self, aad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.chunks.open_to(Chunk::Inner(self.next), aad, sealed, output)?;
        self.next += 1;
        Ok(())
    }

    /// As [`open_last`](Self::open_last), from `sealed` into `output`.
    ///
    /// # Errors
    /// As [`ChunkCipher::open_to`].
    pub fn open_last_to(self, aad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.chunks.open_to(Chunk::Last(self.next), aad, sealed, output)
    }
}
