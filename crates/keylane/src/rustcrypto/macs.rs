//! `digest`'s traits on HMAC, for every hash that has both its sizes as types.

use crate::hash::Hash;
use crate::hmac::{Hmac, HmacKey};
use core::fmt;
use digest::block_api::{AlgorithmName, BlockSizeUser};
use digest::common::{InnerUser, KeySizeUser};
use digest::{
    FixedOutput, FixedOutputReset, InnerInit, InvalidLength, Key, KeyInit, MacMarker, Output, OutputSizeUser,
    Reset, Update,
};

impl<H: Hash + BlockSizeUser> KeySizeUser for HmacKey<H> {
    /// A block, which is only the size of the trait's `Key`: keys may have any length.
    type KeySize = H::BlockSize;
}

impl<H: Hash + BlockSizeUser> KeyInit for HmacKey<H> {
    fn new(key: &Key<Self>) -> Self {
        Self::new(key.as_slice())
    }

    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Self::new(key))
    }
}

impl<H: Hash> InnerUser for Hmac<H> {
    type Inner = HmacKey<H>;
}

/// The trait also implements `KeyInit`, for keys of any length.
impl<H: Hash> InnerInit for Hmac<H> {
    fn inner_init(key: HmacKey<H>) -> Self {
        key.start()
    }
}

impl<H: Hash> MacMarker for Hmac<H> {}

impl<H: Hash + OutputSizeUser> OutputSizeUser for Hmac<H> {
    type OutputSize = H::OutputSize;
}

impl<H: Hash + AlgorithmName> AlgorithmName for Hmac<H> {
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hmac<")?;
        H::write_alg_name(f)?;
        f.write_str(">")
    }
}

impl<H: Hash> Update for Hmac<H> {
    #[inline]
    fn update(&mut self, data: &[u8]) {
        self.update(data);
    }
}

impl<H: Hash> Reset for Hmac<H> {
    fn reset(&mut self) {
        self.reset();
    }
}

impl<H: Hash + OutputSizeUser> FixedOutput for Hmac<H> {
    #[inline]
    fn finalize_into(self, out: &mut Output<Self>) {
        out.copy_from_slice(self.finalize().as_ref());
    }
}

impl<H: Hash + OutputSizeUser> FixedOutputReset for Hmac<H> {
    #[inline]
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        out.copy_from_slice(self.finalize_reset().as_ref());
    }
}
