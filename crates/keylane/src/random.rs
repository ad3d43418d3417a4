//! Random bytes of the operating system.

use crate::error::Error;
use zeroize::{Zeroize, Zeroizing};

/// Fills `bytes`.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(bytes).map_err(|_| Error::NoRandomness)
}

/// Returns a random key in the place of `key`.
pub(crate) fn key<K: AsMut<[u8]> + Zeroize>(key: K) -> Result<Zeroizing<K>, Error> {
    let mut key = Zeroizing::new(key);
    fill(key.as_mut())?;
    Ok(key)
}
