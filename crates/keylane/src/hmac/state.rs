//! A prepared key as bytes.

use super::{ChainingValue, HmacKey};
use crate::compression::Compression;
use crate::error::Error;
use crate::hash::MerkleDamgard;
use core::fmt;
use core::marker::PhantomData;
use keylane_cpu::wipe::wipe;
use zeroize::ZeroizeOnDrop;

/// Magic and version: four bytes, one byte; then the algorithm's number and two zeros.
const MAGIC: [u8; 5] = *b"KLHM\x01";
const HEADER_LEN: usize = 8;
/// SHA-512's: a header and two midstates of 64 bytes.
const LONGEST: usize = HEADER_LEN + 128;

/// A prepared key as bytes, to be stored or sent: a header that names the algorithm, then the inner and the
/// outer chaining value, words in big-endian order. Wiped on drop.
///
/// ```
/// use keylane::{hmac::{HmacKey, HmacKeyState}, sha2::Sha256};
///
/// let key = HmacKey::<Sha256>::new(b"key");
/// let kept = key.export().as_bytes().to_vec(); // as secret as the key
/// assert_eq!(kept.len(), HmacKeyState::<Sha256>::LEN);
///
/// let again = HmacKey::<Sha256>::import(&HmacKeyState::from_bytes(&kept)?)?;
/// assert_eq!(again.mac(b"message"), key.mac(b"message"));
/// # Ok::<(), keylane::Error>(())
/// ```
///
/// # Security
/// Whoever has these bytes can make tags, as with the key. The key itself, which may be in use elsewhere,
/// cannot be recovered from them.
pub struct HmacKeyState<H: MerkleDamgard> {
    bytes: [u8; LONGEST],
    hash: PhantomData<H>,
}

impl<H: MerkleDamgard> HmacKeyState<H> {
    /// The length in bytes: 48 for SHA-1, 72 for SHA-256, 136 for SHA-512.
    pub const LEN: usize = HEADER_LEN + 2 * H::Compression::STATE_LEN;

    /// Returns the bytes, [`LEN`](Self::LEN) of them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..Self::LEN]
    }

    /// Takes bytes that [`as_bytes`](Self::as_bytes) returned. [`HmacKey::import`] checks their contents.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if there are not [`LEN`](Self::LEN) of them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Error::check_length("length of the HMAC key state in bytes", Self::LEN, bytes.len())?;
        let mut state = Self { bytes: [0; LONGEST], hash: PhantomData };
        state.bytes[..Self::LEN].copy_from_slice(bytes);
        Ok(state)
    }

    fn header() -> [u8; HEADER_LEN] {
        let [a, b, c, d, version] = MAGIC;
        [a, b, c, d, version, H::ID, 0, 0]
    }
}

impl<H: MerkleDamgard> Clone for HmacKeyState<H> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<H: MerkleDamgard> Drop for HmacKeyState<H> {
    fn drop(&mut self) {
        wipe(&mut self.bytes);
    }
}

impl<H: MerkleDamgard> ZeroizeOnDrop for HmacKeyState<H> {}

impl<H: MerkleDamgard> fmt::Debug for HmacKeyState<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HmacKeyState<{}> {{ .. }}", H::NAME)
    }
}

impl<H: MerkleDamgard> HmacKey<H> {
    /// Returns the prepared key as bytes.
    #[must_use]
    pub fn export(&self) -> HmacKeyState<H> {
        let mut state = HmacKeyState { bytes: [0; LONGEST], hash: PhantomData };
        let len = H::Compression::STATE_LEN;
        let (header, values) = state.bytes.split_at_mut(HEADER_LEN);
        header.copy_from_slice(&HmacKeyState::<H>::header());
        let (inner, outer) = values.split_at_mut(len);
        H::Compression::store(&self.inner.0, inner);
        H::Compression::store(&self.outer.0, &mut outer[..len]);
        state
    }

    /// Restores a key that [`export`](Self::export) returned.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] if the header names another algorithm, or none.
    pub fn import(state: &HmacKeyState<H>) -> Result<Self, Error> {
        let (header, values) = state.as_bytes().split_at(HEADER_LEN);
        if header != HmacKeyState::<H>::header() {
            return Err(Error::InvalidParameter { what: "HMAC key state: of another algorithm, or none" });
        }
        let (inner, outer) = values.split_at(H::Compression::STATE_LEN);
        Ok(Self {
            inner: ChainingValue(H::Compression::load(inner)),
            outer: ChainingValue(H::Compression::load(outer)),
        })
    }
}
