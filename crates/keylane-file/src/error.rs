//! The error type.

use crate::{
    ARGON2ID_LANES, ARGON2ID_MEMORY_MIB, ARGON2ID_PASSES, MAX_ITERATIONS, MAX_KEY_FILE_LEN, MIN_ITERATIONS,
    MIN_KEY_FILE_LEN,
};
use std::{fmt, io};

/// The reason why a file was not encrypted or decrypted. Anything written before the error consists of whole,
/// authentic chunks, in order; after [`Write`](Error::Write), the last may be incomplete.
///
/// ```
/// use keylane_file::{Decryption, Error, Key};
///
/// let decryption = Decryption::new(Key::File(&[7; 32]));
/// let error = decryption.run(&b"a letter"[..], Vec::new()).unwrap_err();
/// assert!(matches!(error, Error::NotKeylane));
/// assert!(error.is_verification_failure()); // the file's fault, not the disk's
/// ```
#[non_exhaustive]
#[derive(Debug)]
pub enum Error {
    /// The input could not be read.
    Read(io::Error),
    /// The output could not be written.
    Write(io::Error),
    /// The operating system returned no random bytes for the salt.
    Random(io::Error),
    /// The input is not a file encrypted by Keylane.
    NotKeylane,
    /// The file has an unknown version.
    UnknownVersion(u8),
    /// The header names an unknown algorithm.
    UnknownAlgorithm(u8),
    /// The header names an unknown key source.
    UnknownKeySource(u8),
    /// The header names a chunk length other than 2^16 bytes.
    ChunkLength {
        /// The exponent in the header.
        log2: u8,
    },
    /// The number of PBKDF2 iterations is out of bounds. None was computed.
    Iterations(u32),
    /// The parameters of Argon2id are out of bounds. Nothing was allocated.
    Argon2id {
        /// The memory in MiB.
        memory_mib: u16,
        /// The number of passes over the memory.
        passes: u8,
        /// The number of lanes into which the memory is divided.
        lanes: u8,
    },
    /// The operating system did not provide the memory that Argon2id needs.
    NoMemory {
        /// The memory needed, in MiB.
        memory_mib: u16,
    },
    /// The key file is shorter than 32 bytes or longer than 1 MiB.
    KeyFileLength(usize),
    /// The passphrase is empty.
    EmptyPassphrase,
    /// The passphrase has more than 1 MiB.
    PassphraseTooLong,
    /// A passphrase was given for a file that needs a key file, or the other way round.
    WrongKeySource,
    /// The header was made with another key file, or was changed.
    WrongKey,
    /// The header was made with another passphrase, or was changed.
    WrongPassphrase,
    /// A chunk is not authentic: it was changed or moved, or belongs to another file.
    Damaged {
        /// The chunk's number, counted from 0.
        chunk: u64,
        /// The position at which its text begins in the whole text, in bytes.
        from: u64,
    },
    /// The last chunk is not authentic: it was changed or cut off, or something was appended to it.
    DamagedEnd {
        /// The chunk's number, counted from 0.
        chunk: u64,
        /// The position at which its text begins in the whole text, in bytes.
        from: u64,
    },
    /// The file was cut off: its end is missing.
    Truncated,
    /// Data follows the file's last chunk.
    TrailingData,
    /// The text has more chunks than the format allows.
    TooLong,
}

impl Error {
    /// Returns whether a decryption failed because of the input: it is not an encrypted file, was damaged, or
    /// belongs to another key. All other errors are misuse or failures of the system.
    #[must_use]
    pub const fn is_verification_failure(&self) -> bool {
        !matches!(
            self,
            Self::Read(_)
                | Self::Write(_)
                | Self::Random(_)
                | Self::NoMemory { .. }
                | Self::KeyFileLength(_)
                | Self::EmptyPassphrase
                | Self::PassphraseTooLong
                | Self::WrongKeySource
                | Self::TooLong
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "cannot read: {error}"),
            Self::Write(error) => write!(f, "cannot write: {error}"),
            Self::Random(error) => write!(f, "no random bytes: {error}"),
            Self::NotKeylane => f.write_str("not a file encrypted by Keylane"),
            Self::UnknownVersion(version) => write!(f, "unknown format version {version}"),
            Self::UnknownAlgorithm(number) => write!(f, "unknown algorithm {number}"),
            Self::UnknownKeySource(number) => write!(f, "unknown key source {number}"),
            Self::ChunkLength { log2 } => write!(f, "unknown chunk length of 2^{log2} bytes"),
            Self::Iterations(given) => {
                write!(f, "{given} iterations: {MIN_ITERATIONS} to {MAX_ITERATIONS} with PBKDF2, else 0")
            }
            Self::Argon2id { memory_mib, passes, lanes } => write!(
                f,
                "Argon2id with {memory_mib} MiB, {passes} passes, {lanes} lanes: \
                {} to {}, {} to {}, {} to {} are allowed",
                ARGON2ID_MEMORY_MIB.start(),
                ARGON2ID_MEMORY_MIB.end(),
                ARGON2ID_PASSES.start(),
                ARGON2ID_PASSES.end(),
                ARGON2ID_LANES.start(),
                ARGON2ID_LANES.end(),
            ),
            Self::NoMemory { memory_mib } => write!(f, "not enough memory: Argon2id needs {memory_mib} MiB"),
            Self::KeyFileLength(len) => {
                write!(f, "a key file has {MIN_KEY_FILE_LEN} to {MAX_KEY_FILE_LEN} bytes, not {len}")
            }
            Self::EmptyPassphrase => f.write_str("the passphrase is empty"),
            Self::PassphraseTooLong => f.write_str("the passphrase is longer than 1 MiB"),
            Self::WrongKeySource => {
                f.write_str("a passphrase in place of a key file, or a key file in place of a passphrase")
            }
            Self::WrongKey => f.write_str("wrong key, or the header was changed"),
            Self::WrongPassphrase => f.write_str("wrong passphrase, or the header was changed"),
            Self::Damaged { chunk, from } => {
                write!(f, "damaged: chunk {chunk}, text from byte {from}, was changed or moved")
            }
            Self::DamagedEnd { chunk, from } => {
                write!(f, "damaged: the end, chunk {chunk}, text from byte {from}, was changed or cut off")
            }
            Self::Truncated => f.write_str("the file was cut off: its end is missing"),
            Self::TrailingData => f.write_str("unexpected data after the end of the file"),
            Self::TooLong => f.write_str("too long: the format allows no more chunks"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) | Self::Write(error) | Self::Random(error) => Some(error),
            _ => None,
        }
    }
}
