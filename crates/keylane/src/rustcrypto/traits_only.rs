//! Types under RustCrypto's names, without inherent methods that have the names of trait methods.

use crate::{aes_gcm, aes_gcm_siv, chacha20, chacha20poly1305, hmac, poly1305, sha1, sha2, xaes};
use aead::{AeadCore, AeadInOut, Nonce, Tag, TagPosition};
use cipher::{
    AlgorithmName, Block, BlockSizeUser, InOutBuf, InvalidLength, Iv, IvSizeUser, Key, KeyInit, KeyIvInit,
    KeySizeUser, OverflowError, SeekNum, StreamCipher, StreamCipherError, StreamCipherSeek,
};
use core::fmt;
use digest::block_api::EagerHash;
use digest::const_oid::{AssociatedOid, ObjectIdentifier};
use digest::{FixedOutput, FixedOutputReset, HashMarker, MacMarker, Output, OutputSizeUser, Reset, Update};
use universal_hash::{UhfClosure, UniversalHash};

/// `T` without inherent methods, for code that was written for RustCrypto's types.
///
/// Keylane's types have inherent methods, which Rust prefers to a trait's of the same name: `finalize` of
/// [`hmac::Hmac`] returns an array, not a `CtOutput`. Here the name means the trait's method, as in
/// RustCrypto's crates.
///
/// ```
/// use keylane::rustcrypto::aead::{AeadInOut, KeyInit};
/// use keylane::rustcrypto::Aes256Gcm; // was: aes_gcm::{Aes256Gcm, aead::{AeadInOut, KeyInit}}
///
/// # fn main() -> Result<(), keylane::rustcrypto::aead::Error> {
/// let cipher = Aes256Gcm::new(&[7; 32].into());
/// let nonce = [0; 12].into(); // never twice with one key
/// let mut data = *b"attack at dawn";
/// let tag = cipher.encrypt_inout_detached(&nonce, b"header", data.as_mut_slice().into())?;
/// cipher.decrypt_inout_detached(&nonce, b"header", data.as_mut_slice().into(), &tag)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct TraitsOnly<T>(T);

/// SHA-1, as in the crate `sha1`.
pub type Sha1 = TraitsOnly<sha1::Sha1>;
/// SHA-224, as in the crate `sha2`.
pub type Sha224 = TraitsOnly<sha2::Sha224>;
/// SHA-256, as in the crate `sha2`.
pub type Sha256 = TraitsOnly<sha2::Sha256>;
/// SHA-384, as in the crate `sha2`.
pub type Sha384 = TraitsOnly<sha2::Sha384>;
/// SHA-512, as in the crate `sha2`.
pub type Sha512 = TraitsOnly<sha2::Sha512>;
/// SHA-512/256, as in the crate `sha2`.
pub type Sha512_256 = TraitsOnly<sha2::Sha512_256>;
/// HMAC, as in the crate `hmac`. `H` is a hash of this module, or the same hash of [`sha1`] or [`sha2`].
pub type Hmac<H> = TraitsOnly<hmac::Hmac<<H as EagerHash>::Core>>;
/// AES-128-GCM, as in the crate `aes-gcm`.
pub type Aes128Gcm = TraitsOnly<aes_gcm::Aes128Gcm>;
/// AES-192-GCM.
pub type Aes192Gcm = TraitsOnly<aes_gcm::Aes192Gcm>;
/// AES-256-GCM, as in the crate `aes-gcm`.
pub type Aes256Gcm = TraitsOnly<aes_gcm::Aes256Gcm>;
/// AES-128-GCM-SIV, as in the crate `aes-gcm-siv`.
pub type Aes128GcmSiv = TraitsOnly<aes_gcm_siv::Aes128GcmSiv>;
/// AES-256-GCM-SIV, as in the crate `aes-gcm-siv`.
pub type Aes256GcmSiv = TraitsOnly<aes_gcm_siv::Aes256GcmSiv>;
/// XAES-256-GCM, as in the crate `xaes-256-gcm`.
pub type Xaes256Gcm = TraitsOnly<xaes::Xaes256Gcm>;
/// GHASH, as in the crate `ghash`.
pub type GHash = TraitsOnly<aes_gcm::Ghash>;
/// ChaCha20, as in the crate `chacha20`.
pub type ChaCha20 = TraitsOnly<chacha20::ChaCha20>;
/// XChaCha20, as in the crate `chacha20`.
pub type XChaCha20 = TraitsOnly<chacha20::XChaCha20>;
/// ChaCha20-Poly1305, as in the crate `chacha20poly1305`.
pub type ChaCha20Poly1305 = TraitsOnly<chacha20poly1305::ChaCha20Poly1305>;
/// XChaCha20-Poly1305, as in the crate `chacha20poly1305`.
pub type XChaCha20Poly1305 = TraitsOnly<chacha20poly1305::XChaCha20Poly1305>;
/// Poly1305, as in the crate `poly1305`.
pub type Poly1305 = TraitsOnly<poly1305::Poly1305>;

impl<T> From<T> for TraitsOnly<T> {
    fn from(inner: T) -> Self {
        Self(inner)
    }
}

impl<T> TraitsOnly<T> {
    /// Returns the type with its own methods.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T: fmt::Debug> fmt::Debug for TraitsOnly<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: zeroize::ZeroizeOnDrop> zeroize::ZeroizeOnDrop for TraitsOnly<T> {}

impl<T: AlgorithmName> AlgorithmName for TraitsOnly<T> {
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::write_alg_name(f)
    }
}

impl<T: AssociatedOid> AssociatedOid for TraitsOnly<T> {
    const OID: ObjectIdentifier = T::OID;
}

impl<T: KeySizeUser> KeySizeUser for TraitsOnly<T> {
    type KeySize = T::KeySize;
}

impl<T: IvSizeUser> IvSizeUser for TraitsOnly<T> {
    type IvSize = T::IvSize;
}

impl<T: BlockSizeUser> BlockSizeUser for TraitsOnly<T> {
    type BlockSize = T::BlockSize;
}

impl<T: OutputSizeUser> OutputSizeUser for TraitsOnly<T> {
    type OutputSize = T::OutputSize;
}

impl<T: KeyInit> KeyInit for TraitsOnly<T> {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        Self(T::new(key))
    }

    #[inline]
    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        T::new_from_slice(key).map(Self)
    }
}

impl<T: KeyIvInit> KeyIvInit for TraitsOnly<T> {
    #[inline]
    fn new(key: &Key<Self>, iv: &Iv<Self>) -> Self {
        Self(T::new(key, iv))
    }
}

impl<T: Reset> Reset for TraitsOnly<T> {
    fn reset(&mut self) {
        self.0.reset();
    }
}

impl<T: MacMarker> MacMarker for TraitsOnly<T> {}

impl<T: HashMarker> HashMarker for TraitsOnly<T> {}

impl<T: Default> Default for TraitsOnly<T> {
    fn default() -> Self {
        Self(T::default())
    }
}

impl<T: EagerHash + HashMarker + FixedOutput + Default> EagerHash for TraitsOnly<T> {
    type Core = T::Core;
}

impl<T: Update> Update for TraitsOnly<T> {
    #[inline]
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}

impl<T: FixedOutput> FixedOutput for TraitsOnly<T> {
    #[inline]
    fn finalize_into(self, out: &mut Output<Self>) {
        self.0.finalize_into(out);
    }
}

impl<T: FixedOutputReset> FixedOutputReset for TraitsOnly<T> {
    #[inline]
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        self.0.finalize_into_reset(out);
    }
}

impl<T: AeadCore> AeadCore for TraitsOnly<T> {
    type NonceSize = T::NonceSize;
    type TagSize = T::TagSize;

    const TAG_POSITION: TagPosition = T::TAG_POSITION;
}

impl<T: AeadInOut> AeadInOut for TraitsOnly<T> {
    #[inline]
    fn encrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        aad: &[u8],
        data: InOutBuf<'_, '_, u8>,
    ) -> aead::Result<Tag<Self>> {
        self.0.encrypt_inout_detached(nonce, aad, data)
    }

    #[inline]
    fn decrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        aad: &[u8],
        data: InOutBuf<'_, '_, u8>,
        tag: &Tag<Self>,
    ) -> aead::Result<()> {
        self.0.decrypt_inout_detached(nonce, aad, data, tag)
    }
}

impl<T: StreamCipher> StreamCipher for TraitsOnly<T> {
    #[inline]
    fn check_remaining(&self, len: usize) -> Result<(), StreamCipherError> {
        self.0.check_remaining(len)
    }

    #[inline]
    fn unchecked_apply_keystream_inout(&mut self, data: InOutBuf<'_, '_, u8>) {
        self.0.unchecked_apply_keystream_inout(data);
    }

    #[inline]
    fn unchecked_write_keystream(&mut self, data: &mut [u8]) {
        self.0.unchecked_write_keystream(data);
    }
}

impl<T: StreamCipherSeek> StreamCipherSeek for TraitsOnly<T> {
    fn try_current_pos<N: SeekNum>(&self) -> Result<N, OverflowError> {
        self.0.try_current_pos()
    }

    fn try_seek<N: SeekNum>(&mut self, position: N) -> Result<(), StreamCipherError> {
        self.0.try_seek(position)
    }
}

impl<T: UniversalHash> UniversalHash for TraitsOnly<T> {
    fn update_with_backend(&mut self, f: impl UhfClosure<BlockSize = T::BlockSize>) {
        self.0.update_with_backend(f);
    }

    #[inline]
    fn update(&mut self, blocks: &[Block<Self>]) {
        self.0.update(blocks);
    }

    #[inline]
    fn finalize(self) -> Block<Self> {
        self.0.finalize()
    }
}
