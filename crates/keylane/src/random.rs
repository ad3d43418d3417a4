//! Random bytes of the operating system.

use crate::byte_array::ByteArray;
use crate::error::Error;
use zeroize::Zeroizing;

/// Fills `bytes`.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(bytes).map_err(|_| Error::NoRandomness)
}

/// Returns a random key.
pub(crate) fn key<K: ByteArray>() -> Result<Zeroizing<K>, Error> {
    let mut key = Zeroizing::new(K::ZERO);
    fill(key.as_mut())?;
    Ok(key)
}
