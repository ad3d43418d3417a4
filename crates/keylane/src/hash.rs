//! Hash functions: [`Hasher`].
//!
//! All hashes, such as [`Sha256`](crate::sha2::Sha256), are aliases of [`Hasher`] and have the same methods.
//! HMAC, PBKDF2 and HKDF are generic over them as [`Hash`]: `HmacKey<Sha256>`. For HMAC with another crate's
//! hash, use `keylane::rustcrypto::GenericHmacKey`. To choose a hash at run time, use [`any`](crate::any).
//!
//! # How a hash is built
//! There are four levels. Users see only the first:
//!
//! 1. A [`Function`]: an initial value, the length of a digest, and a name. Six types.
//! 2. A compression function: its state, its block, and its padding. SHA-1, SHA-256 (also for SHA-224) and
//!    SHA-512 (also for SHA-384 and SHA-512/256). Running hashes, batches in lanes, HMAC and PBKDF2 are built
//!    on this level.
//! 3. A kernel: one implementation of a compression function, chosen on first use among those that this CPU
//!    can run and that pass their self-test. A call from [`HmacKey::mac`](crate::hmac::HmacKey::mac) to the
//!    kernel is one relaxed load and one call, indirect unless the CPU has SHA instructions.
//! 4. The CPU's words: vectors of lanes, or its instructions for the hash.

pub(crate) mod compression;

use crate::byte_array::ByteArray;
use crate::error::Error;
use compression::context::{self, Context};
use compression::many::{self, Plan};
use compression::{Compression, Variant};
use core::fmt;
#[cfg(feature = "std")]
use std::io;
use zeroize::ZeroizeOnDrop;

/// The constants of a hash function. Sealed.
pub trait Function: Copy + Send + Sync + 'static {
    /// The digest: an array of bytes.
    type Output: ByteArray;

    /// The name in lower case: `"sha256"`, `"sha512-256"`.
    const NAME: &'static str;

    #[doc(hidden)]
    type Core: Compression;
    // Its type has no name outside of this crate, which seals the trait.
    #[doc(hidden)]
    const VARIANT: &'static Variant<Self::Core>;
    /// The number that names the hash in exported keys of HMAC.
    #[doc(hidden)]
    const ID: u8;
}

/// Any [`Hasher`], over which HMAC, PBKDF2 and HKDF are generic. Sealed.
///
/// ```
/// use keylane::hash::{Hash, Hasher};
/// use keylane::{hmac::HmacKey, sha2::Sha256};
///
/// /// Authenticates the digest of a file.
/// fn tag<H: Hash>(key: &HmacKey<H>, file: &[u8]) -> H::Output {
///     key.mac(Hasher::<H::Function>::digest(file).as_ref())
/// }
/// assert_eq!(tag(&HmacKey::<Sha256>::new(b"key"), b"text")[..2], [0x8d, 0x02]);
/// ```
pub trait Hash: Clone + Send + Sync + 'static {
    /// The function of this [`Hasher`].
    type Function: Function<Output = Self::Output>;

    /// The digest: an array of [`OUTPUT_LEN`](Self::OUTPUT_LEN) bytes.
    type Output: ByteArray;

    /// The digest's length in bytes.
    const OUTPUT_LEN: usize = Self::Output::LEN;

    /// The block's length in bytes, to which HMAC pads its key.
    const BLOCK_LEN: usize = Self::Core::BLOCK_LEN;

    /// The name in lower case: `"sha256"`, `"sha512-256"`.
    const NAME: &'static str = Self::Function::NAME;

    #[doc(hidden)]
    type Core: Compression;
    #[doc(hidden)]
    const VARIANT: &'static Variant<Self::Core>;
}

impl<F: Function> Hash for Hasher<F> {
    type Function = F;
    type Output = F::Output;
    type Core = F::Core;
    const VARIANT: &'static Variant<F::Core> = {
        assert!(F::VARIANT.digest_len == F::Output::LEN);
        F::VARIANT
    };
}

/// A running hash. Wiped on drop.
///
/// ```
/// use keylane::sha2::Sha256;
///
/// let mut hash = Sha256::new();
/// hash.update(b"one part, ");
/// hash.update(b"and another");
/// assert_eq!(hash.finalize(), Sha256::digest(b"one part, and another"));
/// ```
#[derive(Clone)]
pub struct Hasher<F: Function>(Context<F::Core>);

// Methods for short messages are inlined. The code behind the others is compiled in this crate.
impl<F: Function> Hasher<F> {
    /// The digest's length in bytes.
    pub const OUTPUT_LEN: usize = F::Output::LEN;

    /// The block's length in bytes, to which HMAC pads its key.
    pub const BLOCK_LEN: usize = F::Core::BLOCK_LEN;

    /// The name in lower case: `"sha256"`, `"sha512-256"`.
    pub const NAME: &'static str = F::NAME;

    /// Returns a hash that has absorbed nothing.
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        Self(Context::resume(F::VARIANT.initial, 0))
    }

    /// Absorbs `data`. How the bytes are divided among calls does not change the digest.
    #[inline]
    pub fn update(&mut self, data: &[u8]) {
        F::Core::update(&mut self.0, data);
    }

    /// Returns the digest of everything absorbed.
    #[must_use]
    pub fn finalize(mut self) -> F::Output {
        output::<F::Core, _>(&self.0.finish(None))
    }

    /// Returns the digest of `data`.
    #[inline]
    #[must_use]
    pub fn digest(data: &[u8]) -> F::Output {
        output::<F::Core, _>(&context::digest::<F::Core>(&F::VARIANT.initial, data))
    }

    /// Writes the digest of every message to `out`. Several messages at a time are hashed side by side where
    /// that is faster. Their lengths may differ.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `messages` and `out` differ in length; `out` is unchanged.
    #[inline]
    pub fn digest_many(messages: &[impl AsRef<[u8]>], out: &mut [F::Output]) -> Result<(), Error> {
        Error::check_length("number of digests", messages.len(), out.len())?;
        let batch = |plan, out: &mut [_]| Self::new().fill_many(messages, Some(plan), out);
        many::fill::<F::Core, _>(messages, 0, out, batch, Self::digest);
        Ok(())
    }

    /// Writes the digests of everything absorbed followed by each of the suffixes to `out`. Several messages
    /// at a time are hashed side by side where that is faster. Their lengths may differ. The hash is
    /// unchanged.
    ///
    /// Uses are Merkle trees, salted blocks and hash-based signatures.
    ///
    /// ```
    /// use keylane::sha2::Sha256;
    ///
    /// let mut leaf = Sha256::new();
    /// leaf.update(&[0]); // says that a leaf follows (RFC 9162 §2.1.1)
    /// let mut digests = [[0; 32]; 2];
    /// leaf.finalize_many(&["one entry", "another"], &mut digests)?;
    /// assert_eq!(digests[1], Sha256::digest(b"\0another"));
    /// # Ok::<(), keylane::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `suffixes` and `out` differ in length; `out` is unchanged.
    pub fn finalize_many(&self, suffixes: &[impl AsRef<[u8]>], out: &mut [F::Output]) -> Result<(), Error> {
        Error::check_length("number of digests", suffixes.len(), out.len())?;
        self.fill_many(suffixes, None, out);
        Ok(())
    }

    fn fill_many(&self, suffixes: &[impl AsRef<[u8]>], plan: Option<Plan>, out: &mut [F::Output]) {
        self.0.finish_many(Self::OUTPUT_LEN, plan, &|i| suffixes[i].as_ref(), F::Output::flatten(out));
    }

    /// Lets each hash absorb its own element of `data`, several side by side where that is faster. Lengths
    /// may differ; long elements of equal length are fastest.
    ///
    /// ```
    /// use keylane::sha2::Sha256;
    ///
    /// let mut hashes = [Sha256::new(), Sha256::new()];
    /// Sha256::update_many(&mut hashes, &["one message, ", "another"])?;
    /// Sha256::update_many(&mut hashes[..1], &["and its end"])?;
    /// let [one, another] = hashes.map(Sha256::finalize);
    /// assert_eq!(one, Sha256::digest(b"one message, and its end"));
    /// assert_eq!(another, Sha256::digest(b"another"));
    /// # Ok::<(), keylane::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`] if there are more or fewer hashes than elements of `data`; nothing is absorbed.
    pub fn update_many<'a>(
        hashes: impl IntoIterator<Item = &'a mut Self, IntoIter: ExactSizeIterator>,
        data: &[impl AsRef<[u8]>],
    ) -> Result<(), Error> {
        F::Core::update_many(&mut context::pairs(hashes.into_iter().map(|hash| &mut hash.0), data)?);
        Ok(())
    }
}

impl<F: Function> Default for Hasher<F> {
    fn default() -> Self {
        Self::new()
    }
}

impl<F: Function> ZeroizeOnDrop for Hasher<F> {}

impl<F: Function> fmt::Debug for Hasher<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hasher<{}> {{ .. }}", F::NAME)
    }
}

/// Absorbs what is written: `io::copy(&mut file, &mut hash)`. Never fails.
#[cfg(feature = "std")]
impl<F: Function> io::Write for Hasher<F> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.update(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the digest, which is the beginning of the state.
#[inline]
pub(crate) fn output<C: Compression, Output: ByteArray>(state: &C::State) -> Output {
    let mut output = Output::ZERO;
    C::store(state, output.as_mut());
    output
}
