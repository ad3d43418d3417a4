//! `aead`'s traits on the AEADs.

use crate::aead::{self as ours, Algorithm, checked};
use aead::array::{Array, AssocArraySize};
use aead::consts::U16;
use aead::inout::InOutBuf;
use aead::{AeadCore, AeadInOut, Error, Key, KeyInit, KeySizeUser, Nonce, Result, Tag, TagPosition};

impl<A: Algorithm<Key: AssocArraySize>> KeySizeUser for ours::Aead<A> {
    type KeySize = <A::Key as AssocArraySize>::Size;
}

impl<A: Algorithm<Key: AssocArraySize>> KeyInit for ours::Aead<A> {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        Self::new(checked::<A::Key>(key))
    }
}

impl<A: Algorithm<Nonce: AssocArraySize>> AeadCore for ours::Aead<A> {
    type NonceSize = <A::Nonce as AssocArraySize>::Size;
    type TagSize = U16;

    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

impl<A: Algorithm<Nonce: AssocArraySize>> AeadInOut for ours::Aead<A> {
    #[inline]
    fn encrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        aad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<Tag<Self>> {
        // Copied only if the output is not the input.
        self.seal(checked(nonce), aad, buffer.into_out_with_copied_in()).map(Array).map_err(|_| Error)
    }

    #[inline]
    fn decrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        aad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &Tag<Self>,
    ) -> Result<()> {
        self.open(checked(nonce), aad, buffer.into_out_with_copied_in(), &tag.0).map_err(|_| Error)
    }
}
