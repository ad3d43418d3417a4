//! Truncated tags.

use crate::aead::TAG_LEN;
use crate::error::Error;

/// The first 4 to 16 bytes of a tag. SP 800-38D §5.2.1.2 allows 12 to 16 for all applications, and 4 and 8 where
/// its appendix C is followed.
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
    /// The shortest allowed length in bytes.
    pub const MIN_LEN: usize = 4;

    /// Wraps a tag that the sender or the caller has truncated.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless it has 4 to 16 bytes.
    pub fn new(tag: &[u8]) -> Result<Self, Error> {
        if !(Self::MIN_LEN..=TAG_LEN).contains(&tag.len()) {
            return Err(Error::WrongLength {
                what: "length of the tag in bytes",
                min: Self::MIN_LEN,
                max: TAG_LEN,
                actual: tag.len(),
            });
        }
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
