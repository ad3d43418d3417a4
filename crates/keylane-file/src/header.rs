//! A file's header, 80 bytes in front of the chunks: `docs/format.md`, "Header".

use crate::source::fill;
use crate::{ARGON2ID_LANES, ARGON2ID_MEMORY_MIB, ARGON2ID_PASSES, Error, MAX_ITERATIONS, MIN_ITERATIONS};
use keylane::any::AeadKind;
use std::io::Read;

/// The length of a header in bytes.
pub const HEADER_LEN: usize = 80;
/// The format's version.
pub const VERSION: u8 = 1;
/// The length of the salt in bytes.
pub const SALT_LEN: usize = 32;

const MAGIC: [u8; 8] = *b"\x8ckeylane";
const CHUNK_LEN_LOG2: u8 = 16;
pub(crate) const COMMITMENT_LEN: usize = 32;
/// The commitment's position; it commits to the bytes before it.
pub(crate) const COMMITTED_LEN: usize = HEADER_LEN - COMMITMENT_LEN;

/// The AEAD that seals the chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// AES-256-GCM: faster on CPUs with AES instructions.
    Aes256Gcm = 1,
    /// ChaCha20-Poly1305: faster on all other CPUs.
    ChaCha20Poly1305 = 2,
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Self; 2] = [Self::Aes256Gcm, Self::ChaCha20Poly1305];

    /// Returns the AEAD as `keylane::any` knows it.
    pub const fn kind(self) -> AeadKind {
        match self {
            Self::Aes256Gcm => AeadKind::Aes256Gcm,
            Self::ChaCha20Poly1305 => AeadKind::ChaCha20Poly1305,
        }
    }
}

/// The kind of secret from which a file's key is derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// A key file.
    KeyFile,
    /// A passphrase, with this key derivation function.
    Passphrase(Kdf),
}

/// The function that derives a secret from a passphrase, and its cost: you pay it once per file, an attacker
/// once per guess.
///
/// ```
/// use keylane_file::Kdf;
///
/// assert_eq!(Kdf::default(), Kdf::Argon2id { memory_mib: 64, passes: 3, lanes: 4 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kdf {
    /// Argon2id (RFC 9106), which needs memory for each guess. The default has the RFC's second recommended
    /// parameters.
    ///
    /// # Security
    /// From the middle of its first pass, Argon2id reads at addresses that depend on the passphrase: an
    /// attacker who observes this process's cache can test guesses without using much memory.
    /// [`Pbkdf2`](Self::Pbkdf2) runs in constant time.
    Argon2id {
        /// The memory in MiB, within [`ARGON2ID_MEMORY_MIB`].
        memory_mib: u16,
        /// The number of passes over the memory, within [`ARGON2ID_PASSES`].
        passes: u8,
        /// The number of lanes, within [`ARGON2ID_LANES`]. They are computed one after the other.
        lanes: u8,
    },
    /// PBKDF2-HMAC-SHA-512 (RFC 8018), which needs almost no memory: a graphics card can test thousands of
    /// guesses at once.
    Pbkdf2 {
        /// The number of iterations, from [`MIN_ITERATIONS`] to [`MAX_ITERATIONS`].
        iterations: u32,
    },
}

impl Default for Kdf {
    fn default() -> Self {
        Self::Argon2id { memory_mib: 64, passes: 3, lanes: 4 }
    }
}

/// A file's header. Its fields are within bounds, but authenticated only once a
/// [`Decryption`](crate::Decryption) checks them with the key.
///
/// ```
/// # fn main() -> Result<(), keylane_file::Error> {
/// use keylane_file::{Algorithm, Decryption, Encryption, Header, Key, KeySource};
///
/// let mut file = Vec::new();
/// Encryption::new(Key::File(&[7; 32])).run(&b"attack at dawn"[..], &mut file)?;
///
/// let mut input = &file[..];
/// let header = Header::read(&mut input)?;
/// assert_eq!(header.algorithm(), Algorithm::Aes256Gcm);
/// let key = match header.key_source() {
///     KeySource::KeyFile => Key::File(&[7; 32]),
///     KeySource::Passphrase(_) => Key::Passphrase(b"ask for it now"),
/// };
/// let mut text = Vec::new();
/// Decryption::new(key).header(header).run(input, &mut text)?;
/// assert_eq!(text, b"attack at dawn");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Header {
    algorithm: Algorithm,
    key_source: KeySource,
    bytes: [u8; HEADER_LEN],
}

impl Header {
    /// Reads a header of [`HEADER_LEN`] bytes, and nothing after it.
    ///
    /// # Errors
    /// [`Error::Read`]; [`Error::NotKeylane`]; [`Error::Truncated`] if the header is cut off or the input is
    /// empty; for values that are unknown or out of bounds, [`Error::UnknownVersion`],
    /// [`Error::UnknownAlgorithm`], [`Error::UnknownKeySource`], [`Error::ChunkLength`], [`Error::Argon2id`]
    /// or [`Error::Iterations`].
    pub fn read(input: &mut impl Read) -> Result<Self, Error> {
        let mut bytes = [0; HEADER_LEN];
        let (start, rest) = bytes.split_at_mut(MAGIC.len() + 1);
        let len = fill(input, start).map_err(Error::Read)?;
        if !MAGIC.starts_with(&start[..len.min(MAGIC.len())]) {
            return Err(Error::NotKeylane);
        }
        if len < start.len() {
            return Err(Error::Truncated);
        }
        if start[MAGIC.len()] != VERSION {
            return Err(Error::UnknownVersion(start[MAGIC.len()]));
        }
        if fill(input, rest).map_err(Error::Read)? < rest.len() {
            return Err(Error::Truncated);
        }
        Self::parse(bytes)
    }

    fn parse(bytes: [u8; HEADER_LEN]) -> Result<Self, Error> {
        let algorithm = Algorithm::ALL.into_iter().find(|algorithm| *algorithm as u8 == bytes[9]);
        let algorithm = algorithm.ok_or(Error::UnknownAlgorithm(bytes[9]))?;
        let parameters @ [memory_high, memory_low, passes, lanes] =
            [bytes[12], bytes[13], bytes[14], bytes[15]];
        let iterations = u32::from_be_bytes(parameters);
        let key_source = match bytes[10] {
            1 => KeySource::KeyFile,
            2 => KeySource::Passphrase(Kdf::Pbkdf2 { iterations }),
            3 => {
                let memory_mib = u16::from_be_bytes([memory_high, memory_low]);
                KeySource::Passphrase(Kdf::Argon2id { memory_mib, passes, lanes })
            }
            number => return Err(Error::UnknownKeySource(number)),
        };
        if bytes[11] != CHUNK_LEN_LOG2 {
            return Err(Error::ChunkLength { log2: bytes[11] });
        }
        if key_source.parameters()? != parameters {
            return Err(Error::Iterations(iterations));
        }
        Ok(Self { algorithm, key_source, bytes })
    }

    /// Returns a header without its commitment.
    pub(crate) fn new(
        algorithm: Algorithm,
        key_source: KeySource,
        salt: &[u8; SALT_LEN],
    ) -> Result<Self, Error> {
        let mut bytes = [0; HEADER_LEN];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8] = VERSION;
        bytes[9] = algorithm as u8;
        bytes[10] = match key_source {
            KeySource::KeyFile => 1,
            KeySource::Passphrase(Kdf::Pbkdf2 { .. }) => 2,
            KeySource::Passphrase(Kdf::Argon2id { .. }) => 3,
        };
        bytes[11] = CHUNK_LEN_LOG2;
        bytes[12..16].copy_from_slice(&key_source.parameters()?);
        bytes[16..48].copy_from_slice(salt);
        Ok(Self { algorithm, key_source, bytes })
    }

    /// Returns the algorithm that seals the chunks.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Returns the kind of secret from which the key is derived.
    #[must_use]
    pub const fn key_source(&self) -> KeySource {
        self.key_source
    }

    /// Returns the salt, which is random for each file.
    #[must_use]
    pub fn salt(&self) -> &[u8; SALT_LEN] {
        self.bytes[16..].first_chunk().expect("the commitment follows")
    }

    pub(crate) fn committed(&self) -> &[u8] {
        &self.bytes[..COMMITTED_LEN]
    }

    pub(crate) fn commitment(&self) -> &[u8] {
        &self.bytes[COMMITTED_LEN..]
    }

    pub(crate) fn commit(&mut self, commitment: &[u8]) {
        self.bytes[COMMITTED_LEN..].copy_from_slice(commitment);
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; HEADER_LEN] {
        &self.bytes
    }
}

impl KeySource {
    /// Returns the header's four bytes of parameters, if they are in bounds.
    fn parameters(self) -> Result<[u8; 4], Error> {
        match self {
            Self::KeyFile => Ok([0; 4]),
            Self::Passphrase(Kdf::Pbkdf2 { iterations }) => {
                let allowed = (MIN_ITERATIONS..=MAX_ITERATIONS).contains(&iterations);
                allowed.then_some(iterations.to_be_bytes()).ok_or(Error::Iterations(iterations))
            }
            Self::Passphrase(Kdf::Argon2id { memory_mib, passes, lanes }) => {
                let allowed = ARGON2ID_MEMORY_MIB.contains(&memory_mib)
                    && ARGON2ID_PASSES.contains(&passes)
                    && ARGON2ID_LANES.contains(&lanes);
                let [high, low] = memory_mib.to_be_bytes();
                allowed.then_some([high, low, passes, lanes]).ok_or(Error::Argon2id {
                    memory_mib,
                    passes,
                    lanes,
                })
            }
        }
    }
}
