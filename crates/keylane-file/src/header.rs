//! The 80 bytes in front of the chunks: `docs/format.md`, "Header".

use crate::source::fill;
use crate::{Algorithm, Error};
use std::io::Read;

/// The length of a header in bytes.
pub const HEADER_LEN: usize = 80;
/// The fewest iterations of PBKDF2 that are allowed.
pub const MIN_ITERATIONS: u32 = 600_000;
/// The most, which bounds what a forged header can cost: seconds.
pub const MAX_ITERATIONS: u32 = 10_000_000;

const MAGIC: [u8; 8] = *b"\x8ckeylane";
const VERSION: u8 = 1;
const CHUNK_LEN_LOG2: u8 = 16;
pub(crate) const SALT_LEN: usize = 32;
pub(crate) const COMMITMENT_LEN: usize = 32;
/// Where the commitment begins: the bytes before it are what it commits to.
pub(crate) const COMMITTED_LEN: usize = HEADER_LEN - COMMITMENT_LEN;

/// What a file's key is derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// A key file.
    KeyFile,
    /// A passphrase, by PBKDF2-HMAC-SHA-512.
    Passphrase {
        /// [`MIN_ITERATIONS`] to [`MAX_ITERATIONS`].
        iterations: u32,
    },
}

/// A file's header. Its fields are in bounds; whether it is authentic is known with the key.
///
/// ```
/// # fn main() -> Result<(), keylane_file::Error> {
/// use keylane_file::{Algorithm, Header, Key, KeySource, Options, encrypt};
///
/// let mut file = Vec::new();
/// encrypt(&b"attack at dawn"[..], &mut file, Key::File(&[7; 32]), &Options::default(), |_| ())?;
///
/// let mut input = &file[..];
/// let header = Header::read(&mut input)?;
/// assert_eq!(header.algorithm(), Algorithm::Aes256Gcm);
/// let key = match header.key_source() {
///     KeySource::KeyFile => Key::File(&[7; 32]),
///     KeySource::Passphrase { .. } => Key::Passphrase(b"ask for it now"),
/// };
/// let mut text = Vec::new();
/// header.decrypt(input, &mut text, key, None, |_| ())?;
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
    /// Reads a header, and not a byte more.
    ///
    /// # Errors
    /// [`Error::Read`]; [`Error::NotKeylane`]; [`Error::Truncated`] if it is cut off, be nothing of it left; for values that are not known here or out of bounds
    /// [`Error::UnknownVersion`], [`Error::UnknownAlgorithm`], [`Error::UnknownKeySource`], [`Error::ChunkLength`] or
    /// [`Error::Iterations`].
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
        let algorithm = Algorithm::from_number(bytes[9]).ok_or(Error::UnknownAlgorithm(bytes[9]))?;
        let iterations = u32::from_be_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]);
        let key_source = match bytes[10] {
            1 => KeySource::KeyFile,
            2 => KeySource::Passphrase { iterations },
            number => return Err(Error::UnknownKeySource(number)),
        };
        if bytes[11] != CHUNK_LEN_LOG2 {
            return Err(Error::ChunkLength { log2: bytes[11] });
        }
        if key_source.iterations()? != iterations {
            return Err(Error::Iterations(iterations));
        }
        Ok(Self { algorithm, key_source, bytes })
    }

    /// A header without its commitment.
    pub(crate) fn new(
        algorithm: Algorithm,
        key_source: KeySource,
        salt: &[u8; SALT_LEN],
    ) -> Result<Self, Error> {
        let mut bytes = [0; HEADER_LEN];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8] = VERSION;
        bytes[9] = algorithm.number();
        bytes[10] = match key_source {
            KeySource::KeyFile => 1,
            KeySource::Passphrase { .. } => 2,
        };
        bytes[11] = CHUNK_LEN_LOG2;
        bytes[12..16].copy_from_slice(&key_source.iterations()?.to_be_bytes());
        bytes[16..48].copy_from_slice(salt);
        Ok(Self { algorithm, key_source, bytes })
    }

    /// How the chunks are sealed.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// What the key is derived from.
    #[must_use]
    pub const fn key_source(&self) -> KeySource {
        self.key_source
    }

    pub(crate) fn salt(&self) -> &[u8] {
        &self.bytes[16..][..SALT_LEN]
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
    /// The header's number, if it is in bounds.
    fn iterations(self) -> Result<u32, Error> {
        match self {
            Self::KeyFile => Ok(0),
            Self::Passphrase { iterations } if (MIN_ITERATIONS..=MAX_ITERATIONS).contains(&iterations) => {
                Ok(iterations)
            }
            Self::Passphrase { iterations } => Err(Error::Iterations(iterations)),
        }
    }
}
