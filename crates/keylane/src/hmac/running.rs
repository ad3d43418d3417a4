//! MACs of messages that arrive in pieces.

use super::{HmacKey, verify};
use crate::error::Error;
use crate::hash::compression::context::pairs;
use crate::hash::compression::{Compression, Context};
use crate::hash::{Hash, output};
use core::fmt;
#[cfg(feature = "std")]
use std::io;
use zeroize::ZeroizeOnDrop;

/// A running MAC.
///
/// ```
/// use keylane::hmac::{Hmac, HmacKey};
/// use keylane::sha2::Sha512;
///
/// let key = HmacKey::<Sha512>::new(b"key");
/// let mut mac = key.start();
/// mac.update(b"one piece, ");
/// mac.update(b"and another");
/// assert_eq!(mac.finalize_reset(), key.mac(b"one piece, and another"));
/// mac.update(b"the next message");
/// assert_eq!(mac.finalize(), key.mac(b"the next message"));
/// ```
#[derive(Clone)]
pub struct Hmac<H: Hash> {
    key: HmacKey<H>,
    /// The inner hash.
    inner: Context<H::Core>,
}

impl<H: Hash> Hmac<H> {
    pub(super) fn of(key: HmacKey<H>) -> Self {
        Self { inner: key.0.start(), key }
    }

    /// Prepares a key of any length and begins a MAC. To use the key again, keep a [`HmacKey`].
    #[must_use]
    pub fn new(key: &[u8]) -> Self {
        HmacKey::new(key).start()
    }

    /// Absorbs `data`. How the bytes are divided among calls does not change the tag.
    #[inline]
    pub fn update(&mut self, data: &[u8]) {
        H::Core::update(&mut self.inner, data);
    }

    /// Lets each MAC absorb its own element of `data`, several side by side where that is faster, like
    /// [`Hasher::update_many`](crate::hash::Hasher::update_many). The keys may differ.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if there are more or fewer MACs than elements of `data`; nothing is absorbed.
    pub fn update_many<'a>(
        macs: impl IntoIterator<Item = &'a mut Self, IntoIter: ExactSizeIterator>,
        data: &[impl AsRef<[u8]>],
    ) -> Result<(), Error>
    where
        H: 'a,
    {
        H::Core::update_many(&mut pairs(macs.into_iter().map(|mac| &mut mac.inner), data)?);
        Ok(())
    }

    /// Returns the tag of everything absorbed.
    #[must_use]
    pub fn finalize(mut self) -> H::Output {
        self.finish()
    }

    fn finish(&mut self) -> H::Output {
        output::<H::Core, _>(&self.key.0.finish(H::OUTPUT_LEN, &mut self.inner))
    }

    /// Returns the tag of everything absorbed, and starts over with the same key.
    #[must_use]
    pub fn finalize_reset(&mut self) -> H::Output {
        let tag = self.finish();
        self.reset();
        tag
    }

    /// Discards everything absorbed; the key stays.
    pub fn reset(&mut self) {
        self.inner = self.key.0.start();
    }

    /// Verifies the whole tag of everything absorbed. The time does not depend on where a wrong tag differs.
    ///
    /// # Errors
    /// Those of [`HmacKey::verify`].
    pub fn verify(self, tag: &[u8]) -> Result<(), Error> {
        verify(H::OUTPUT_LEN, tag, || self.finalize())
    }
}

impl<H: Hash> ZeroizeOnDrop for Hmac<H> {}

impl<H: Hash> fmt::Debug for Hmac<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hmac<{}> {{ .. }}", H::NAME)
    }
}

/// Absorbs what is written: `io::copy(&mut file, &mut mac)`. Never fails.
#[cfg(feature = "std")]
impl<H: Hash> io::Write for Hmac<H> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.update(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
