//! HKDF (RFC 5869), which derives many keys from one secret. For passwords, use [`pbkdf2`](crate::pbkdf2).
//!
//! ```
//! use keylane::hkdf::Prk;
//! use keylane::sha2::Sha256;
//!
//! let prk = Prk::<Sha256>::extract(b"salt", b"a shared secret");
//! let (mut client, mut server) = ([0; 32], [0; 32]);
//! prk.expand(&[b"client key"], &mut client)?;
//! prk.expand(&[b"server key"], &mut server)?;
//! assert_ne!(client, server);
//! # Ok::<(), keylane::Error>(())
//! ```

use crate::error::Error;
use crate::hash::Hash;
use crate::hash::compression::{Compression, Kernel as _};
use crate::hmac::{HmacKey, Midstates};
use core::fmt;
use keylane_cpu::wipe::wipe;
use zeroize::ZeroizeOnDrop;

/// A pseudorandom key, from which keys are derived. Wiped on drop.
///
/// ```
/// use keylane::{hkdf::Prk, sha2::Sha256};
///
/// let prk = Prk::<Sha256>::from_bytes(&[7; 32])?; // random already: nothing to extract
/// let (mut one, mut another) = ([0; 16], [0; 16]);
/// prk.expand(&[b"session ", &1_u32.to_be_bytes()], &mut one)?; // slices that are read as one
/// prk.expand(&[b"session ", &2_u32.to_be_bytes()], &mut another)?;
/// assert_ne!(one, another);
/// # Ok::<(), keylane::Error>(())
/// ```
#[derive(Clone)]
pub struct Prk<H: Hash>(pub(crate) HmacKey<H>);

impl<H: Hash> Prk<H> {
    /// Extracts a pseudorandom key from input keying material (§2.2), which may have any length and need not
    /// be uniformly random. Without a salt, pass an empty one.
    #[must_use]
    pub fn extract(salt: &[u8], ikm: &[u8]) -> Self {
        let mut prk = HmacKey::<H>::new(salt).mac(ikm);
        let key = HmacKey::new(prk.as_ref());
        wipe(prk.as_mut());
        Self(key)
    }

    /// Prepares a key that is already pseudorandom.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if it is shorter than a digest (§2.3).
    pub fn from_bytes(prk: &[u8]) -> Result<Self, Error> {
        check_prk_len(H::OUTPUT_LEN, prk)?;
        Ok(Self(HmacKey::new(prk)))
    }

    /// Fills `out` with the key derived for `info`, whose slices count as one (§2.3).
    ///
    /// # Security
    /// Use a different `info` for each key: with the same `info`, a shorter key is the beginning of a longer
    /// one.
    ///
    /// # Errors
    /// [`Error::InputTooLong`] if `out` is longer than 255 digests; `out` is unchanged.
    pub fn expand(&self, info: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        expand::<H::Core>(self.0.midstates(), H::OUTPUT_LEN, info, out)
    }
}

pub(crate) fn check_prk_len(digest_len: usize, prk: &[u8]) -> Result<(), Error> {
    Error::check_range("length of the pseudorandom key in bytes", digest_len, usize::MAX, prk.len())
}

/// Fills `out` block by block.
pub(crate) fn expand<C: Compression>(
    key: &Midstates<C>,
    digest_len: usize,
    info: &[&[u8]],
    out: &mut [u8],
) -> Result<(), Error> {
    let max = 255 * digest_len;
    if out.len() > max {
        return Err(Error::InputTooLong { max: max as u64 });
    }
    if let [info] = info
        && 2 * digest_len == C::BLOCK_LEN
        && C::chosen().expand(key.states(), info, out)
    {
        return Ok(());
    }
    for i in 0..out.len().div_ceil(digest_len) {
        let (done, rest) = out.split_at_mut(digest_len * i);
        let previous = &done[done.len().saturating_sub(digest_len)..];
        let mut block = key.mac_parts(digest_len, previous, info, &[i as u8 + 1]);
        let len = rest.len().min(digest_len);
        C::store(&block, &mut rest[..len]);
        wipe(&mut block);
    }
    Ok(())
}

impl<H: Hash> ZeroizeOnDrop for Prk<H> {}

impl<H: Hash> fmt::Debug for Prk<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prk<{}> {{ .. }}", H::NAME)
    }
}
