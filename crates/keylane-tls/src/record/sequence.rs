//! Nonces: the IV and the number of the record.

use crate::error::Error;
use zeroize::Zeroizing;

/// Where sending stops: well before a number would repeat.
const END: u64 = u64::MAX - 0xffff;

/// A direction's IV, and the number of its next record.
pub(super) struct Sequence {
    iv: Zeroizing<[u8; 12]>,
    next: u64,
}

impl Sequence {
    pub(super) fn new(iv: &[u8; 12], next: u64) -> Self {
        Self { iv: Zeroizing::new(*iv), next }
    }

    /// The number of the next record.
    pub(super) const fn next(&self) -> u64 {
        self.next
    }

    /// How many records may still follow.
    pub(super) const fn left(&self) -> u64 {
        END.saturating_sub(self.next)
    }

    /// RFC 8446 §5.3: the IV and, over its last 8 bytes, the number.
    #[inline]
    pub(super) fn nonce(&self) -> [u8; 12] {
        let mut nonce = *self.iv;
        for (byte, number) in nonce[4..].iter_mut().zip(self.next.to_be_bytes()) {
            *byte ^= number;
        }
        nonce
    }

    /// RFC 5288 §3: the salt, and what the record carries.
    #[inline]
    pub(super) fn nonce_with(&self, explicit: &[u8]) -> [u8; 12] {
        let mut nonce = *self.iv;
        nonce[4..].copy_from_slice(explicit);
        nonce
    }

    #[inline]
    pub(super) fn advance(&mut self) -> Result<(), Error> {
        self.next = self.next.checked_add(1).ok_or(Error::KeysExhausted)?;
        Ok(())
    }
}
