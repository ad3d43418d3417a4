//! Seals slices of plaintext as records.

use super::cipher::Key;
use super::header::{LEGACY_VERSION, additional_data, length_bytes};
use super::sequence::Sequence;
use super::{ContentType, HEADER_LEN, MAX_PLAINTEXT_LEN, TAG_LEN, TrafficKeys, Version};
use crate::error::Error;
use core::fmt;

/// Seals one direction's records. Keys are wiped on drop.
///
/// ```
/// # fn main() -> Result<(), keylane_tls::Error> {
/// use keylane_tls::record::{Cipher, ContentType, RecordSealer, TrafficKeys, Version};
///
/// let keys = TrafficKeys::new(Cipher::Aes128Gcm, &[7; 16], &[9; 12])?;
/// let mut sealer = RecordSealer::new(Version::Tls13, &keys, 0);
/// let text = b"attack at dawn";
/// let mut record = vec![0; text.len() + sealer.overhead()];
/// sealer.seal(ContentType::ApplicationData, &[text], &mut record)?;
/// assert_eq!(record[..3], [23, 3, 3]);
/// # Ok(())
/// # }
/// ```
pub struct RecordSealer {
    key: Key,
    sequence: Sequence,
    /// The number of records that this key may still seal.
    records_left: u64,
    version: Version,
}

impl RecordSealer {
    /// The maximum number of slices in one record.
    pub const MAX_SLICES: usize = 15;

    /// Returns a sealer whose first record has the number `sequence`.
    ///
    /// # Security
    /// If these keys have already sealed a record with the same number, the nonce repeats, which reveals the
    /// XOR of both plaintexts and the authentication key.
    #[must_use]
    pub fn new(version: Version, keys: &TrafficKeys, sequence: u64) -> Self {
        Self {
            key: keys.key.clone(),
            sequence: Sequence::new(&keys.iv, sequence),
            records_left: keys.key.cipher().records_per_key().saturating_sub(sequence),
            version,
        }
    }

    /// Returns how much longer a record is than its plaintext, header included: 22 bytes in TLS 1.3, 29
    /// (AES-GCM) or 21 in TLS 1.2.
    #[must_use]
    pub const fn overhead(&self) -> usize {
        match self.version {
            Version::Tls13 => HEADER_LEN + 1 + TAG_LEN,
            Version::Tls12 => HEADER_LEN + self.key.cipher().explicit_nonce_len() + TAG_LEN,
        }
    }

    /// Returns how many more records these keys may seal.
    #[must_use]
    pub const fn records_left(&self) -> u64 {
        let in_sequence = self.sequence.left();
        if self.records_left < in_sequence { self.records_left } else { in_sequence }
    }

    /// Lets these keys seal at most `records` more records. This can only lower the standard's limit, never
    /// raise it.
    pub fn limit_records(&mut self, records: u64) {
        self.records_left = self.records_left.min(records);
    }

    /// Seals the slices as one record into the front of `output`. Returns the record's length: that of all
    /// slices plus [`overhead`](Self::overhead).
    ///
    /// # Errors
    /// [`Error::KeysExhausted`] if no record is left; [`Error::Primitive`] if the slices are more than
    /// [`MAX_SLICES`](Self::MAX_SLICES) or longer than [`MAX_PLAINTEXT_LEN`], or `output` is too short for
    /// the record. In each case, nothing was sealed and no sequence number was used.
    pub fn seal(
        &mut self,
        content: ContentType,
        slices: &[&[u8]],
        output: &mut [u8],
    ) -> Result<usize, Error> {
        if slices.len() > Self::MAX_SLICES {
            return Err(keylane::Error::InvalidParameter { what: "slices of a record: at most 15" }.into());
        }
        let length = slices.iter().try_fold(0_usize, |sum, slice| sum.checked_add(slice.len()));
        let Some(length) = length.filter(|&length| length <= MAX_PLAINTEXT_LEN) else {
            return Err(keylane::Error::InputTooLong { max: MAX_PLAINTEXT_LEN as u64 }.into());
        };
        let expected = length + self.overhead();
        let actual = output.len();
        let Some(record) = output.get_mut(..expected) else {
            let what = "length of the output of a record in bytes";
            return Err(keylane::Error::WrongLength { what, min: expected, max: usize::MAX, actual }.into());
        };
        if self.records_left() == 0 {
            return Err(Error::KeysExhausted);
        }
        let nonce = self.sequence.nonce();
        let body_len = length_bytes(expected - HEADER_LEN);
        match self.version {
            Version::Tls13 => {
                let (header, body) = record.split_first_chunk_mut().expect("the overhead was counted");
                *header = tls13_header(body_len);
                let kind = [content as u8];
                let mut gathered: [&[u8]; Self::MAX_SLICES + 1] = [&[]; Self::MAX_SLICES + 1];
                gathered[..slices.len()].copy_from_slice(slices);
                gathered[slices.len()] = &kind;
                self.key.aead().seal_to(&nonce, header, &gathered[..=slices.len()], body)?;
            }
            Version::Tls12 => {
                let explicit = self.key.cipher().explicit_nonce_len();
                let (header, body) = record.split_at_mut(HEADER_LEN + explicit);
                header[0] = content as u8;
                header[1..3].copy_from_slice(&LEGACY_VERSION);
                header[3..HEADER_LEN].copy_from_slice(&body_len);
                header[HEADER_LEN..].copy_from_slice(&nonce[4..4 + explicit]);
                let aad = additional_data(self.sequence.next(), content as u8, length);
                self.key.aead().seal_to(&nonce, &aad, slices, body)?;
            }
        }
        self.sequence.advance()?;
        self.records_left -= 1;
        Ok(expected)
    }
}

const fn tls13_header(body_len: [u8; 2]) -> [u8; HEADER_LEN] {
    let [high, low] = body_len;
    let [major, minor] = LEGACY_VERSION;
    [ContentType::ApplicationData as u8, major, minor, high, low]
}

impl fmt::Debug for RecordSealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordSealer")
            .field("version", &self.version)
            .field("cipher", &self.key.cipher())
            .field("next", &self.sequence.next())
            .finish_non_exhaustive()
    }
}
