//! Hashes by name, and one-call operations.

use crate::error::Error;
use crate::hash::Hash;
use crate::hash::compression::{Compression, Context, Variant, context};
use crate::pbkdf2::{Job, check_jobs, derive_each, verify_by};
use crate::sha1::Sha1;
use crate::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use core::fmt;
use core::num::NonZeroU32;
use keylane_cpu::wipe::Secret;
use zeroize::ZeroizeOnDrop;

pub(super) use crate::sha1::Sha1Core;
pub(super) use crate::sha2::{Sha256Core, Sha512Core};

/// A hash function chosen at run time.
///
/// ```
/// use keylane::any::HashKind;
///
/// for algorithm in HashKind::ALL {
///     assert_eq!(HashKind::from_name(algorithm.name()), Some(algorithm));
///     assert_eq!(algorithm.digest(b"message").as_bytes().len(), algorithm.output_len());
/// }
/// ```
#[non_exhaustive]
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum HashKind {
    /// SHA-1, broken as a hash: only for HMAC and PBKDF2 in old protocols.
    Sha1 = 1,
    /// SHA-224.
    Sha224 = 2,
    /// SHA-256.
    Sha256 = 3,
    /// SHA-384.
    Sha384 = 4,
    /// SHA-512.
    Sha512 = 5,
    /// SHA-512/256.
    Sha512_256 = 6,
}

/// A value for the compression function of an algorithm.
#[derive(Clone)]
pub(super) enum ByCore<A, B, C> {
    Sha1(A),
    Sha256(B),
    Sha512(C),
}

/// Evaluates an expression for the content `$value` of a [`ByCore`]. In it, `$C` is the compression function,
/// and `$Of` the variant.
macro_rules! by_core {
    ($any:expr, $C:ident $Of:ident, $value:pat => $body:expr) => {
        by_core!(Sha1 Sha1Core, Sha256 Sha256Core, Sha512 Sha512Core; $any, $C $Of, $value => $body)
    };
    ($($Variant:ident $Core:ident),+; $any:expr, $C:ident $Of:ident, $value:pat => $body:expr) => {
        match $any {
            $($crate::any::hash_kind::ByCore::$Variant($value) => {
                #[allow(unused, reason = "not every expression names both")]
                use $crate::any::hash_kind::{$Core as $C, ByCore::$Variant as $Of};
                $body
            })+
        }
    };
}
pub(super) use by_core;

type Of<C> = &'static Variant<C>;
pub(super) type AnyVariant = ByCore<Of<Sha1Core>, Of<Sha256Core>, Of<Sha512Core>>;

impl HashKind {
    /// All algorithms.
    pub const ALL: [Self; 6] =
        [Self::Sha1, Self::Sha224, Self::Sha256, Self::Sha384, Self::Sha512, Self::Sha512_256];

    /// The maximum length of a digest, in bytes.
    pub const MAX_OUTPUT_LEN: usize = 64;

    /// Returns the algorithm with this [`name`](Self::name), or `None` if there is none.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    /// Returns the name in lower case: `"sha256"`, `"sha512-256"`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.constants().0
    }

    /// Returns the length of a digest, and of an HMAC tag, in bytes.
    #[must_use]
    pub const fn output_len(self) -> usize {
        by_core!(self.variant(), C Of, variant => variant.digest_len)
    }

    /// Returns the block's length in bytes.
    #[must_use]
    pub const fn block_len(self) -> usize {
        by_core!(self.variant(), C Of, _ => C::BLOCK_LEN)
    }

    /// Returns the digest of `data`.
    #[must_use]
    pub fn digest(self, data: &[u8]) -> Digest {
        by_core!(self.variant(), C Of, variant => {
            Digest::of::<C>(self, &context::digest::<C>(&variant.initial, data))
        })
    }

    /// Writes the messages' digests to `out`, one after the other. Several messages at a time are hashed side
    /// by side where that is faster. Their lengths may differ.
    ///
    /// ```
    /// use keylane::any::HashKind;
    ///
    /// let mut digests = [0; 2 * 32];
    /// HashKind::Sha256.digest_many(&["abc", "a longer message"], &mut digests)?;
    /// assert_eq!(digests[..32], *HashKind::Sha256.digest(b"abc").as_bytes());
    /// # Ok::<(), keylane::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `out` does not have room for exactly one digest per message; `out` is
    /// unchanged.
    pub fn digest_many(self, messages: &[impl AsRef<[u8]>], out: &mut [u8]) -> Result<(), Error> {
        let len = self.check_many(messages.len(), out.len())?;
        by_core!(self.variant(), C Of, variant => {
            Context::<C>::resume(variant.initial, 0).finish_many(len, None, &|i| messages[i].as_ref(), out);
        });
        Ok(())
    }

    /// Fills `out` with PBKDF2's output, like [`pbkdf2::derive`](crate::pbkdf2::derive()).
    ///
    /// # Errors
    /// [`Error::InputTooLong`] if `out` is longer than 2³² - 1 digests; `out` is unchanged.
    pub fn pbkdf2(
        self,
        password: &[u8],
        salt: &[u8],
        iterations: NonZeroU32,
        out: &mut [u8],
    ) -> Result<(), Error> {
        self.pbkdf2_many(&mut [Job { password, salt, out }], iterations)
    }

    /// Fills every job's `out` with PBKDF2's output, like
    /// [`pbkdf2::derive_many`](crate::pbkdf2::derive_many).
    ///
    /// # Errors
    /// Those of [`pbkdf2`](Self::pbkdf2); all outputs are unchanged.
    pub fn pbkdf2_many(self, jobs: &mut [Job<'_>], iterations: NonZeroU32) -> Result<(), Error> {
        check_jobs(jobs, self.output_len())?;
        by_core!(self.variant(), C Of, variant => derive_each::<C>(variant, jobs, iterations));
        Ok(())
    }

    /// Verifies that PBKDF2 derives `expected` from `password`, like
    /// [`pbkdf2::verify`](crate::pbkdf2::verify).
    ///
    /// # Errors
    /// [`Error::AuthenticationFailed`] if the derived key differs; [`Error::WrongLength`] if `expected` is
    /// empty or longer than 1024 bytes.
    pub fn pbkdf2_verify(
        self,
        password: &[u8],
        salt: &[u8],
        iterations: NonZeroU32,
        expected: &[u8],
    ) -> Result<(), Error> {
        verify_by(expected, &mut |derived| self.pbkdf2(password, salt, iterations, derived))
    }

    pub(super) const fn variant(self) -> AnyVariant {
        self.constants().1
    }

    const fn constants(self) -> (&'static str, AnyVariant) {
        match self {
            Self::Sha1 => (Sha1::NAME, ByCore::Sha1(Sha1::VARIANT)),
            Self::Sha224 => (Sha224::NAME, ByCore::Sha256(Sha224::VARIANT)),
            Self::Sha256 => (Sha256::NAME, ByCore::Sha256(Sha256::VARIANT)),
            Self::Sha384 => (Sha384::NAME, ByCore::Sha512(Sha384::VARIANT)),
            Self::Sha512 => (Sha512::NAME, ByCore::Sha512(Sha512::VARIANT)),
            Self::Sha512_256 => (Sha512_256::NAME, ByCore::Sha512(Sha512_256::VARIANT)),
        }
    }

    /// Returns the length of a digest. Fails unless the output has room for exactly one per message.
    pub(super) fn check_many(self, messages: usize, out_len: usize) -> Result<usize, Error> {
        let len = self.output_len();
        Error::check_length("length of the output in bytes", messages.saturating_mul(len), out_len)?;
        Ok(len)
    }
}

impl fmt::Display for HashKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A digest or an HMAC tag, for any [`HashKind`]. Wiped on drop, since a tag may be used as a key.
#[derive(Clone)]
pub struct Digest {
    bytes: Secret<[u8; HashKind::MAX_OUTPUT_LEN]>,
    len: usize,
}

impl Digest {
    #[inline]
    pub(super) fn of<C: Compression>(algorithm: HashKind, state: &C::State) -> Self {
        let mut digest = Self { bytes: Secret::new([0; _]), len: algorithm.output_len() };
        C::store(state, &mut digest.bytes[..digest.len]);
        digest
    }

    /// Returns the [`HashKind::output_len`] bytes. To compare tags, use `verify`.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl AsRef<[u8]> for Digest {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl ZeroizeOnDrop for Digest {}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digest { .. }")
    }
}
