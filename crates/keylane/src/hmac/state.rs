//! Prepared keys as bytes.

use super::{HmacKey, Midstates};
use crate::error::Error;
use crate::hash::compression::Compression;
use crate::hash::{Function as _, Hash};
use core::fmt;
use core::marker::PhantomData;
use keylane_cpu::wipe::Secret;
use zeroize::ZeroizeOnDrop;

/// The beginning of a header: a magic number of four bytes and the version. The algorithm's number and two
/// zeros follow.
const MAGIC: [u8; 5] = *b"KLHM\x01";
const HEADER_LEN: usize = 8;
/// The length for SHA-512: a header and two midstates of 64 bytes.
const MAX_LEN: usize = HEADER_LEN + 128;

/// A prepared key as bytes, for storage or transfer: a header with the algorithm, then the inner and the
/// outer chaining value, in big-endian words. Wiped on drop.
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
/// Anyone who has these bytes can make tags, as with the key. The key itself, which may be used elsewhere,
/// cannot be recovered from them.
#[derive(Clone)]
pub struct HmacKeyState<H: Hash> {
    bytes: Secret<[u8; MAX_LEN]>,
    hash: PhantomData<H>,
}

impl<H: Hash> HmacKeyState<H> {
    /// The length in bytes: 48 for SHA-1, 72 for SHA-256, 136 for SHA-512.
    pub const LEN: usize = Midstates::<H::Core>::EXPORTED_LEN;

    /// Returns the [`LEN`](Self::LEN) bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..Self::LEN]
    }

    /// Wraps bytes that [`as_bytes`](Self::as_bytes) returned. [`HmacKey::import`] checks their contents.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless there are [`LEN`](Self::LEN) bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Midstates::<H::Core>::check_exported_len(bytes)?;
        let mut state = Self { bytes: Secret::new([0; MAX_LEN]), hash: PhantomData };
        state.bytes[..Self::LEN].copy_from_slice(bytes);
        Ok(state)
    }
}

impl<C: Compression> Midstates<C> {
    pub(crate) const EXPORTED_LEN: usize = HEADER_LEN + 2 * C::STATE_LEN;

    fn check_exported_len(bytes: &[u8]) -> Result<(), Error> {
        Error::check_length("length of the HMAC key state in bytes", Self::EXPORTED_LEN, bytes.len())
    }

    /// Writes the key of the hash with this number to `out`, which has [`EXPORTED_LEN`](Self::EXPORTED_LEN)
    /// bytes or is refused.
    pub(crate) fn export(&self, id: u8, out: &mut [u8]) -> Result<(), Error> {
        Self::check_exported_len(out)?;
        let (head, states) = out.split_at_mut(HEADER_LEN);
        head.copy_from_slice(&header(id));
        for (state, out) in self.states().into_iter().zip(states.chunks_mut(C::STATE_LEN)) {
            C::store(state, out);
        }
        Ok(())
    }

    /// Reads what [`export`](Self::export) wrote.
    pub(crate) fn import(id: u8, bytes: &[u8]) -> Result<Self, Error> {
        Self::check_exported_len(bytes)?;
        let other = Error::InvalidParameter { what: "HMAC key state: invalid, or for another algorithm" };
        let (inner, outer) = bytes.strip_prefix(&header(id)).ok_or(other)?.split_at(C::STATE_LEN);
        Ok(Self { inner: Secret::new(C::load(inner)), outer: Secret::new(C::load(outer)) })
    }
}

/// Returns the header of an exported key of the hash with this number.
const fn header(id: u8) -> [u8; HEADER_LEN] {
    let [a, b, c, d, version] = MAGIC;
    [a, b, c, d, version, id, 0, 0]
}

impl<H: Hash> ZeroizeOnDrop for HmacKeyState<H> {}

impl<H: Hash> fmt::Debug for HmacKeyState<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HmacKeyState<{}> {{ .. }}", H::NAME)
    }
}

impl<H: Hash> HmacKey<H> {
    /// Returns the prepared key as bytes.
    #[must_use]
    pub fn export(&self) -> HmacKeyState<H> {
        let mut state = HmacKeyState { bytes: Secret::new([0; MAX_LEN]), hash: PhantomData };
        self.0.export(H::Function::ID, &mut state.bytes[..HmacKeyState::<H>::LEN]).expect("the right length");
        state
    }

    /// Restores a key that [`export`](Self::export) returned.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] if the header names another algorithm, or none.
    pub fn import(state: &HmacKeyState<H>) -> Result<Self, Error> {
        Midstates::import(H::Function::ID, state.as_bytes()).map(Self)
    }
}
