//! Truncated tags.

use crate::aead::TAG_LEN;
use crate::error::Error;

/// A tag's first bytes. SP 800-38D §5.2.1.2 allows 12 to 16 bytes for all applications, and 4 or 8 for those
/// that follow its appendix C.
///
/// # Security
/// Each byte less makes a guess 256 times as likely to be right, and each forgery makes the next one easier.
/// The protocol must determine the length, not the sender: check it first, or a forger will send short tags.
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane::aes_gcm::{Aes256Gcm, TruncatedTag};
///
/// let key = Aes256Gcm::new(&[7; 32]);
/// let mut data = *b"attack at dawn";
/// let tag = key.seal(&[0; 12], b"", &mut data)?;
/// let tag = TruncatedTag::new(&tag[..12])?;
/// key.open_truncated_any_nonce(&[0; 12], b"", &mut data, &tag)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TruncatedTag {
    bytes: [u8; TAG_LEN],
    len: usize,
}

impl TruncatedTag {
    /// The minimum length in bytes of a tag for [`new`](Self::new).
    pub const MIN_LEN: usize = 12;
    /// The minimum length in bytes of a tag for [`short`](Self::short).
    pub const MIN_SHORT_LEN: usize = 4;

    /// Wraps a truncated tag of at least [`MIN_LEN`](Self::MIN_LEN) bytes.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless it has 12 to 16 bytes.
    pub fn new(tag: &[u8]) -> Result<Self, Error> {
        Self::of(Self::MIN_LEN, tag)
    }

    /// Wraps a truncated tag for protocols whose tags are shorter than [`MIN_LEN`](Self::MIN_LEN).
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless it has 4 to 16 bytes.
    pub fn short(tag: &[u8]) -> Result<Self, Error> {
        Self::of(Self::MIN_SHORT_LEN, tag)
    }

    fn of(min: usize, tag: &[u8]) -> Result<Self, Error> {
        Error::check_range("length of the tag in bytes", min, TAG_LEN, tag.len())?;
        let mut bytes = [0; TAG_LEN];
        bytes[..tag.len()].copy_from_slice(tag);
        Ok(Self { bytes, len: tag.len() })
    }

    /// Returns the bytes of the tag.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}
