//! PBKDF2 with the arguments of RustCrypto's crate.

use crate::hash::Hash;
use crate::pbkdf2::derive;
use core::num::NonZeroU32;
use digest::block_api::EagerHash;

/// Fills `out` like [`derive`](derive()), with the arguments of the crate `pbkdf2`. 0 rounds count as 1.
///
/// # Panics
/// If `out` is longer than 2^32 - 1 digests.
///
/// ```
/// use keylane::{rustcrypto::pbkdf2_hmac, sha2::Sha256};
///
/// let mut key = [0; 32];
/// pbkdf2_hmac::<Sha256>(b"password", b"salt", 1000, &mut key);
/// ```
pub fn pbkdf2_hmac<H: EagerHash<Core: Hash>>(password: &[u8], salt: &[u8], rounds: u32, out: &mut [u8]) {
    let rounds = NonZeroU32::new(rounds).unwrap_or(NonZeroU32::MIN);
    derive::<H::Core>(password, salt, rounds, out).expect("no more than 2^32 - 1 digests");
}
