//! The operating system's random bytes.

use crate::byte_array::ByteArray;
use crate::error::Error;
use core::fmt;
use core::ops::Deref;
use keylane_cpu::constant_time::{declassify, equal};
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// Fills `bytes` with random bytes.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(bytes).map_err(|_| Error::NoRandomness)
}

/// Returns a random key.
pub(crate) fn key<K: ByteArray>() -> Result<Zeroizing<K>, Error> {
    let mut key = Zeroizing::new(K::ZERO);
    fill(key.as_mut())?;
    Ok(key)
}

/// A random key, which dereferences to a slice of bytes. Wiped when dropped.
///
/// This type exists because Rust does not coerce `&Zeroizing<[u8; 32]>` to `&[u8]`.
#[derive(Clone)]
pub struct RandomKey<K: ByteArray>(pub(crate) Zeroizing<K>);

impl<K: ByteArray> Deref for RandomKey<K> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl<K: ByteArray> AsRef<[u8]> for RandomKey<K> {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl<K: ByteArray> PartialEq for RandomKey<K> {
    /// Compares in constant time.
    fn eq(&self, other: &Self) -> bool {
        declassify(equal(self, other))
    }
}

impl<K: ByteArray> ZeroizeOnDrop for RandomKey<K> {}

impl<K: ByteArray> fmt::Debug for RandomKey<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RandomKey { .. }")
    }
}
