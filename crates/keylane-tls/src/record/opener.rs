//! Opens received records in place.

use super::cipher::Key;
use super::header::{additional_data, record_len};
use super::sequence::Sequence;
use super::{ContentType, HEADER_LEN, MAX_PLAINTEXT_LEN, TrafficKeys, Version};
use crate::alert::Alert;
use crate::error::Error;
use core::fmt;
use core::ops::Range;
use keylane_cpu::constant_time::declassify;
use zeroize::Zeroize;

/// Opens one direction's records. Keys are wiped on drop.
///
/// ```
/// # fn main() -> Result<(), keylane_tls::Error> {
/// use keylane_tls::record::{Cipher, RecordOpener, TrafficKeys, Version};
/// use keylane_tls::{Alert, Error};
///
/// let keys = TrafficKeys::new(Cipher::Aes128Gcm, &[7; 16], &[9; 12])?;
/// let mut opener = RecordOpener::new(Version::Tls13, &keys, 0);
/// let mut forged = [23, 3, 3, 0, 17, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17];
/// let error = opener.open(&mut forged).unwrap_err();
/// assert_eq!(error.alert_sent(), Some(Alert::BAD_RECORD_MAC));
/// # Ok(())
/// # }
/// ```
pub struct RecordOpener {
    key: Key,
    sequence: Sequence,
    version: Version,
}

impl RecordOpener {
    /// Returns an opener that expects record number `sequence` first. The first record under new keys is
    /// number 0.
    #[must_use]
    pub fn new(version: Version, keys: &TrafficKeys, sequence: u64) -> Self {
        Self { key: keys.key.clone(), sequence: Sequence::new(&keys.iv, sequence), version }
    }

    /// Returns the length of the record that begins with `header`, in bytes, header included. Type, version
    /// and length are checked here, before the body arrives.
    ///
    /// # Errors
    /// [`Error::Protocol`], with the alert for the peer.
    pub fn record_len(&self, header: [u8; HEADER_LEN]) -> Result<usize, Error> {
        record_len(self.version, self.key.cipher(), header)
    }

    /// Opens a whole record in place, header included. Returns its type and the range of its plaintext in
    /// `record`, without the padding of TLS 1.3.
    ///
    /// # Errors
    /// [`Error::Protocol`], with the alert for the peer. The record's body is wiped. The connection ends
    /// here: do not open a later record.
    pub fn open(&mut self, record: &mut [u8]) -> Result<(ContentType, Range<usize>), Error> {
        let opened = self.try_open(record);
        if opened.is_err() {
            let header = record.len().min(HEADER_LEN);
            record[header..].zeroize();
        }
        opened
    }

    #[inline]
    fn try_open(&mut self, record: &mut [u8]) -> Result<(ContentType, Range<usize>), Error> {
        let header = *record
            .first_chunk()
            .ok_or_else(|| Error::protocol(Alert::DECODE_ERROR, "a record without a header"))?;
        if self.record_len(header)? != record.len() {
            return Err(Error::protocol(
                Alert::DECODE_ERROR,
                "a record whose length differs from its header's",
            ));
        }
        let opened = match self.version {
            Version::Tls13 => self.open_tls13(header, record),
            Version::Tls12 => self.open_tls12(header, record),
        }?;
        self.sequence.advance()?;
        Ok(opened)
    }

    fn open_tls13(
        &mut self,
        header: [u8; HEADER_LEN],
        record: &mut [u8],
    ) -> Result<(ContentType, Range<usize>), Error> {
        let (text, tag) = record[HEADER_LEN..].split_last_chunk_mut().expect("record_len saw a tag");
        self.key.aead().open(&self.sequence.nonce(), &header, text, tag).map_err(forged)?;
        if text.len() > MAX_PLAINTEXT_LEN + 1 {
            return Err(too_long());
        }
        let Some(end) = last_nonzero(text) else {
            return Err(Error::protocol(Alert::UNEXPECTED_MESSAGE, "a record of padding only"));
        };
        Ok((ContentType::read(declassify(text[end]))?, HEADER_LEN..HEADER_LEN + end))
    }

    fn open_tls12(
        &mut self,
        header: [u8; HEADER_LEN],
        record: &mut [u8],
    ) -> Result<(ContentType, Range<usize>), Error> {
        let content = ContentType::read(header[0])?;
        let (explicit, body) = record[HEADER_LEN..].split_at_mut(self.key.cipher().explicit_nonce_len());
        let (text, tag) = body.split_last_chunk_mut().expect("record_len saw a tag");
        let nonce = match explicit.len() {
            0 => self.sequence.nonce(),
            _ => self.sequence.nonce_with(explicit),
        };
        let aad = additional_data(self.sequence.next(), header[0], text.len());
        self.key.aead().open(&nonce, &aad, text, tag).map_err(forged)?;
        if text.len() > MAX_PLAINTEXT_LEN {
            return Err(too_long());
        }
        let start = HEADER_LEN + explicit.len();
        Ok((content, start..start + text.len()))
    }
}

/// Returns the same error for every cause: whoever changed the record learns only that it was refused.
fn forged(_: keylane::Error) -> Error {
    Error::protocol(Alert::BAD_RECORD_MAC, "a record that does not authenticate")
}

fn too_long() -> Error {
    Error::protocol(Alert::RECORD_OVERFLOW, "a plaintext longer than 2^14 bytes")
}

/// Returns the position of the last byte that is not zero. More padding takes longer: the padding is
/// authentic, and the standard does not require constant time (RFC 8446, appendix E.3).
fn last_nonzero(text: &[u8]) -> Option<usize> {
    let mut end = text.len();
    // A record full of padding is cheap to send, so it must be cheap to read.
    while let Some(word) = text[..end].last_chunk()
        && declassify(u128::from_ne_bytes(*word) == 0)
    {
        end -= word.len();
    }
    text[..end].iter().rposition(|&byte| declassify(byte != 0))
}

impl fmt::Debug for RecordOpener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordOpener")
            .field("version", &self.version)
            .field("cipher", &self.key.cipher())
            .field("next", &self.sequence.next())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::last_nonzero;

    #[test]
    fn the_last_nonzero_byte_is_found_behind_any_padding() {
        for len in 0..80 {
            assert_eq!(last_nonzero(&vec![0; len]), None);
            for at in 0..len {
                let mut text = vec![0; len];
                text[..=at].fill(7);
                assert_eq!(last_nonzero(&text), Some(at));
            }
        }
    }
}
