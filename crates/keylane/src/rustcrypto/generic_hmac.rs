//! HMAC with other crates' hashes.

use crate::error::Error;
use crate::hmac::{INNER, INNER_TO_OUTER, verify};
use core::fmt;
use digest::array::typenum::Unsigned;
use digest::block_api::{Block, BlockSizeUser};
use digest::{Digest, Output};
use keylane_cpu::wipe::wipe;
use zeroize::ZeroizeOnDrop;

/// A prepared HMAC key for any hash that implements `digest`'s traits, such as SHA-3 and BLAKE2.
///
/// It consists of two running hashes, each of which has absorbed a block of the key. They are wiped on drop
/// if `D` wipes itself, which needs the feature `zeroize` in most of RustCrypto's crates.
///
/// ```
/// use keylane::rustcrypto::GenericHmacKey;
///
/// let key = GenericHmacKey::<sha3::Sha3_256>::new(b"a key of any length");
/// let tag = key.mac(b"one piece, and another");
/// assert!(key.verify(b"one piece, and another", &tag).is_ok());
///
/// let mut mac = key.start();
/// mac.update(b"one piece, ");
/// mac.update(b"and another");
/// assert_eq!(mac.finalize(), tag);
/// ```
///
/// # Security
/// Guard it like the key. A key shorter than the digest weakens HMAC.
#[derive(Clone)]
pub struct GenericHmacKey<D> {
    inner: D,
    outer: D,
}

impl<D: Digest + BlockSizeUser + Clone> GenericHmacKey<D> {
    /// Prepares a key of any length. Does not compile for a hash whose digest is longer than its block.
    #[must_use]
    pub fn new(key: &[u8]) -> Self {
        const { assert!(D::OutputSize::USIZE <= D::BlockSize::USIZE) }
        let mut block = Block::<D>::default();
        if key.len() <= block.len() {
            block[..key.len()].copy_from_slice(key);
        } else {
            let mut hashed = D::digest(key);
            block[..hashed.len()].copy_from_slice(&hashed);
            wipe(&mut hashed[..]);
        }
        let [inner, outer] = [INNER, INNER_TO_OUTER].map(|pad| {
            block.iter_mut().for_each(|byte| *byte ^= pad);
            D::new_with_prefix(&block)
        });
        wipe(&mut block[..]);
        Self { inner, outer }
    }

    /// Returns the tag of `message`.
    #[must_use]
    pub fn mac(&self, message: &[u8]) -> Output<D> {
        let mut mac = self.start();
        mac.update(message);
        mac.finalize()
    }

    /// Verifies the whole tag of `message`. The time does not depend on where a wrong tag differs.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if the tag does not have the full length, [`Error::AuthenticationFailed`] if it
    /// is wrong.
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        let mut mac = self.start();
        mac.update(message);
        mac.verify(tag)
    }

    /// Returns a running MAC, for a message that arrives in pieces.
    #[must_use]
    pub fn start(&self) -> GenericHmac<D> {
        GenericHmac(self.clone())
    }
}

/// A running MAC, from [`GenericHmacKey::start`].
#[derive(Clone)]
pub struct GenericHmac<D>(GenericHmacKey<D>);

impl<D: Digest + BlockSizeUser + Clone> GenericHmac<D> {
    /// Absorbs `data`. How the bytes are divided among calls does not change the tag.
    pub fn update(&mut self, data: &[u8]) {
        self.0.inner.update(data);
    }

    /// Returns the tag of everything absorbed.
    #[must_use]
    pub fn finalize(self) -> Output<D> {
        let GenericHmacKey { inner, outer } = self.0;
        outer.chain_update(inner.finalize()).finalize()
    }

    /// Verifies the whole tag of everything absorbed, like [`GenericHmacKey::verify`].
    ///
    /// # Errors
    /// Those of `GenericHmacKey::verify`.
    pub fn verify(self, tag: &[u8]) -> Result<(), Error> {
        verify(<D as Digest>::output_size(), tag, || self.finalize())
    }
}

impl<D: ZeroizeOnDrop> ZeroizeOnDrop for GenericHmacKey<D> {}
impl<D: ZeroizeOnDrop> ZeroizeOnDrop for GenericHmac<D> {}

impl<D> fmt::Debug for GenericHmacKey<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GenericHmacKey { .. }")
    }
}

impl<D> fmt::Debug for GenericHmac<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GenericHmac { .. }")
    }
}
