//! Nonces, made from the IV and the record's number.

use crate::error::Error;
use zeroize::Zeroizing;

/// The number at which sending stops, well before a number would repeat.
const END: u64 = u64::MAX - 0xffff;

/// The IV from which each nonce of a key is made. Wiped on drop.
pub(crate) struct NonceBase(Zeroizing<[u8; 12]>);

impl NonceBase {
    pub(crate) fn new(iv: &[u8; 12]) -> Self {
        Self(Zeroizing::new(*iv))
    }

    /// Returns the nonce (RFC 8446 §5.3): the IV, its last 8 bytes XORed with the number of a record or
    /// packet.
    #[inline]
    pub(crate) fn nonce(&self, number: u64) -> [u8; 12] {
        self.nonce_on_path(0, number)
    }

    /// Returns the nonce of a packet on one of several paths, each of which has its own packet numbers
    /// (draft-ietf-quic-multipath).
    #[inline]
    pub(crate) fn nonce_on_path(&self, path: u32, number: u64) -> [u8; 12] {
        let mut nonce = *self.0;
        let over = path.to_be_bytes().into_iter().chain(number.to_be_bytes());
        nonce.iter_mut().zip(over).for_each(|(byte, over)| *byte ^= over);
        nonce
    }
}

/// A direction's IV, and the number of its next record.
pub(super) struct Sequence {
    iv: NonceBase,
    next: u64,
}

impl Sequence {
    pub(super) fn new(iv: &[u8; 12], next: u64) -> Self {
        Self { iv: NonceBase::new(iv), next }
    }

    /// Returns the next record's number.
    pub(super) const fn next(&self) -> u64 {
        self.next
    }

    /// Returns the number of records that may still follow.
    pub(super) const fn left(&self) -> u64 {
        END.saturating_sub(self.next)
    }

    /// Returns the next record's nonce.
    #[inline]
    pub(super) fn nonce(&self) -> [u8; 12] {
        self.iv.nonce(self.next)
    }

    /// Returns the nonce made from the salt and the record's explicit part (RFC 5288 §3).
    #[inline]
    pub(super) fn nonce_with(&self, explicit: &[u8]) -> [u8; 12] {
        let mut nonce = *self.iv.0;
        nonce[4..].copy_from_slice(explicit);
        nonce
    }

    #[inline]
    pub(super) fn advance(&mut self) -> Result<(), Error> {
        self.next = self.next.checked_add(1).ok_or(Error::KeysExhausted)?;
        Ok(())
    }
}
