//! A prepared key as bytes.

use super::HmacKey;
use crate::error::Error;
use crate::hash::function::{Export, Hash};
use core::fmt;
use core::marker::PhantomData;
use keylane_cpu::wipe::Secret;
use zeroize::ZeroizeOnDrop;

/// The beginning of a header: a magic number of four bytes and the version. The algorithm's number and two
/// zeros follow.
const MAGIC: [u8; 5] = *b"KLHM\x01";
pub(crate) const HEADER_LEN: usize = 8;
/// The length for SHA-512: a header and two midstates of 64 bytes.
const MAX_LEN: usize = HEADER_LEN + 128;

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
/// With these bytes anyone can make tags, as with the key. The key itself, which may be in use elsewhere,
/// cannot be recovered from them.
#[derive(Clone)]
pub struct HmacKeyState<H: Hash> {
    bytes: Secret<[u8; MAX_LEN]>,
    hash: PhantomData<H>,
}

impl<H: Hash> HmacKeyState<H> {
    /// The length in bytes: 48 for SHA-1, 72 for SHA-256, 136 for SHA-512.
    pub const LEN: usize = HEADER_LEN + Self::EXPORT.len;

    const EXPORT: Export<H::Keyed> = match H::EXPORT {
        Some(export) => export,
        None => panic!("only keys of this crate's hashes can be exported"),
    };

    /// Returns the bytes, [`LEN`](Self::LEN) of them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..Self::LEN]
    }

    /// Wraps bytes that [`as_bytes`](Self::as_bytes) returned. [`HmacKey::import`] checks their contents.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if there are not [`LEN`](Self::LEN) of them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Error::check_length("length of the HMAC key state in bytes", Self::LEN, bytes.len())?;
        let mut state = Self { bytes: Secret::new([0; MAX_LEN]), hash: PhantomData };
        state.bytes[..Self::LEN].copy_from_slice(bytes);
        Ok(state)
    }
}

/// Returns the header of an exported key of the hash with this number.
pub(crate) const fn header(id: u8) -> [u8; HEADER_LEN] {
    let [a, b, c, d, version] = MAGIC;
    [a, b, c, d, version, id, 0, 0]
}

/// Returns the part of an exported key after its header.
///
/// # Errors
/// [`Error::InvalidParameter`] if the header names another algorithm, or none.
pub(crate) fn check_header(id: u8, state: &[u8]) -> Result<&[u8], Error> {
    let other = Error::InvalidParameter { what: "HMAC key state: of another algorithm, or none" };
    state.strip_prefix(&header(id)).ok_or(other)
}

impl<H: Hash> ZeroizeOnDrop for HmacKeyState<H> {}

impl<H: Hash> fmt::Debug for HmacKeyState<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HmacKeyState<{}> {{ .. }}", H::NAME)
    }
}

/// Only for the hashes of this crate: for a [`Foreign`](crate::hash::Foreign) hash, these methods do not
/// compile.
impl<H: Hash> HmacKey<H> {
    /// Returns the prepared key as bytes.
    #[must_use]
    pub fn export(&self) -> HmacKeyState<H> {
        let export = const { HmacKeyState::<H>::EXPORT };
        let mut state = HmacKeyState { bytes: Secret::new([0; MAX_LEN]), hash: PhantomData };
        let (head, rest) = state.bytes.split_at_mut(HEADER_LEN);
        head.copy_from_slice(&header(export.id));
        (export.store)(&self.0, &mut rest[..export.len]);
        state
    }

    /// Restores a key that [`export`](Self::export) returned.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] if the header names another algorithm, or none.
    pub fn import(state: &HmacKeyState<H>) -> Result<Self, Error> {
        let export = const { HmacKeyState::<H>::EXPORT };
        Ok(Self((export.load)(check_header(export.id, state.as_bytes())?)))
    }
}
