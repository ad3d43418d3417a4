//! Record headers, and the checks that need only them.

use super::{Cipher, MAX_PLAINTEXT_LEN, TAG_LEN};
use crate::alert::Alert;
use crate::error::Error;

/// The length of a record's header, in bytes: type, version, and the length of the rest.
pub const HEADER_LEN: usize = 5;

/// TLS 1.2's version number, which TLS 1.3 also writes (RFC 8446 §5.1).
pub(super) const LEGACY_VERSION: [u8; 2] = [3, 3];

/// A version of TLS.
///
/// ```
/// use keylane_tls::record::{Cipher, RecordSealer, TrafficKeys, Version};
///
/// # fn main() -> Result<(), keylane_tls::Error> {
/// let keys = TrafficKeys::new(Cipher::Aes128Gcm, &[7; 16], &[9; 12])?;
/// assert_eq!(RecordSealer::new(Version::Tls12, &keys, 0).overhead(), 29);
/// assert_eq!(RecordSealer::new(Version::Tls13, &keys, 0).overhead(), 22);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// TLS 1.2, RFC 5246.
    Tls12,
    /// TLS 1.3, RFC 8446.
    Tls13,
}

/// The content of a record.
///
/// ```
/// assert_eq!(keylane_tls::record::ContentType::ApplicationData as u8, 23);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentType {
    /// An alert.
    Alert = 21,
    /// Handshake messages, or parts of them.
    Handshake = 22,
    /// The application's bytes.
    ApplicationData = 23,
}

impl ContentType {
    /// Reads a content type. `change_cipher_spec` is refused like any unknown number: it does not occur after
    /// a handshake.
    pub(super) fn read(byte: u8) -> Result<Self, Error> {
        match byte {
            21 => Ok(Self::Alert),
            22 => Ok(Self::Handshake),
            23 => Ok(Self::ApplicationData),
            20 => Err(Error::protocol(Alert::UNEXPECTED_MESSAGE, "change_cipher_spec after the handshake")),
            _ => Err(Error::protocol(Alert::UNEXPECTED_MESSAGE, "a record of an unknown type")),
        }
    }
}

/// Returns the length of a record, header included. A header that a peer may not send is refused here, before
/// the body arrives.
pub(super) fn record_len(version: Version, cipher: Cipher, header: [u8; HEADER_LEN]) -> Result<usize, Error> {
    let [kind, major, minor, length @ ..] = header;
    let length = usize::from(u16::from_be_bytes(length));
    let content = ContentType::read(kind)?;
    let (longest, shortest) = match version {
        Version::Tls13 => {
            if content != ContentType::ApplicationData {
                return Err(Error::protocol(Alert::UNEXPECTED_MESSAGE, "an unprotected record"));
            }
            (MAX_PLAINTEXT_LEN + 256, TAG_LEN)
        }
        Version::Tls12 => {
            if [major, minor] != LEGACY_VERSION {
                return Err(Error::protocol(Alert::PROTOCOL_VERSION, "a record of another version of TLS"));
            }
            (MAX_PLAINTEXT_LEN + 2048, cipher.explicit_nonce_len() + TAG_LEN)
        }
    };
    if length > longest {
        return Err(Error::protocol(Alert::RECORD_OVERFLOW, "a record longer than the protocol allows"));
    }
    if length < shortest {
        return Err(Error::protocol(Alert::BAD_RECORD_MAC, "a record too short to be protected"));
    }
    Ok(HEADER_LEN + length)
}

/// Returns TLS 1.2's additional data (RFC 5246 §6.2.3.3): record number, type, version, the plaintext's
/// length.
#[inline]
pub(super) fn additional_data(sequence: u64, kind: u8, plaintext_len: usize) -> [u8; 13] {
    let mut data = [0; 13];
    data[..8].copy_from_slice(&sequence.to_be_bytes());
    data[8] = kind;
    data[9..11].copy_from_slice(&LEGACY_VERSION);
    data[11..].copy_from_slice(&length_bytes(plaintext_len));
    data
}

/// Encodes a length that was checked against a record's limits.
#[inline]
pub(super) fn length_bytes(length: usize) -> [u8; 2] {
    debug_assert!(length <= usize::from(u16::MAX));
    (length as u16).to_be_bytes()
}
