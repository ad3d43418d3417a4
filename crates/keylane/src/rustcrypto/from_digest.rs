//! A RustCrypto hash as a [`Hash`](crate::Hash).

use crate::hash::function::foreign::{Foreign, ForeignHash};
use core::fmt;
use digest::block_api::{AlgorithmName, BlockSizeUser};
use digest::typenum::Unsigned;
use digest::{Digest, Output, OutputSizeUser};
use zeroize::ZeroizeOnDrop;

/// Any hash that implements `digest`'s traits, as a [`Hash`](crate::Hash): for HMAC, PBKDF2 and HKDF over
/// SHA-3, BLAKE2 and others.
///
/// HMAC keeps clones of the running hash, which hold traces of the key. They are wiped on drop if `D` wipes
/// itself, which in most of RustCrypto's crates needs the feature `zeroize`.
///
/// ```
/// use keylane::hmac::HmacKey;
/// use keylane::rustcrypto::FromDigest;
///
/// let key = HmacKey::<FromDigest<sha3::Sha3_256>>::new(b"a key of any length");
/// let tag = key.mac(b"message");
/// assert!(key.verify(b"message", &tag).is_ok());
/// ```
pub type FromDigest<D> = Foreign<DigestHash<D>>;

/// The adapter in [`FromDigest`].
#[derive(Clone)]
pub struct DigestHash<D>(D);

impl<D: Digest + BlockSizeUser + Clone> ForeignHash for DigestHash<D>
where
    Output<D>: Copy,
{
    type Output = Output<D>;

    const OUTPUT_LEN: usize = D::OutputSize::USIZE;
    const BLOCK_LEN: usize = D::BlockSize::USIZE;
    /// The same for all, since the traits have a name only at run time, by [`AlgorithmName`].
    const NAME: &'static str = "digest";

    #[inline]
    fn new() -> Self {
        Self(D::new())
    }

    #[inline]
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    #[inline]
    fn finalize(self) -> Output<D> {
        self.0.finalize()
    }
}

impl<D: ZeroizeOnDrop> ZeroizeOnDrop for DigestHash<D> {}

impl<D: OutputSizeUser> OutputSizeUser for FromDigest<D> {
    type OutputSize = D::OutputSize;
}

impl<D: BlockSizeUser> BlockSizeUser for FromDigest<D> {
    type BlockSize = D::BlockSize;
}

impl<D: AlgorithmName> AlgorithmName for FromDigest<D> {
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        D::write_alg_name(f)
    }
}
