//! The same computations by RustCrypto.

use crate::FITS;
use aes::cipher::{BlockCipherEncrypt, BlockSizeUser, KeyInit, array::Array, consts::U16};
use chacha20poly1305::aead::AeadInOut;
use ctr::Ctr32BE;
use ctr::cipher::{KeyIvInit, StreamCipher};
use ghash::{GHash, universal_hash::UniversalHash};

/// HMAC as RFC 2104 defines it.
pub fn hmac_by_definition<D: AsRef<[u8]>>(
    digest: impl Fn(&[u8]) -> D,
    block_len: usize,
    key: &[u8],
    message: &[u8],
) -> D {
    let mut block = if key.len() > block_len { digest(key).as_ref().to_vec() } else { key.to_vec() };
    block.resize(block_len, 0);
    let padded = |pad: u8| block.iter().map(|byte| byte ^ pad).collect::<Vec<_>>();
    let inner = digest(&[&padded(0x36), message].concat());
    digest(&[&padded(0x5c), inner.as_ref()].concat())
}

const LENGTH: &str = "the right length";

/// The first `len` bytes of a key stream.
pub(crate) fn keystream_by<C: KeyIvInit + StreamCipher>(key: &[u8], nonce: &[u8], len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    C::new_from_slices(key, nonce).expect(LENGTH).apply_keystream(&mut bytes);
    bytes
}

/// Text and tag.
pub(crate) fn sealed_by<C: AeadInOut + KeyInit>(
    key: &[u8],
    nonce: &[u8],
    aad: &[u8],
    text: &[u8],
) -> Vec<u8> {
    let (cipher, mut sealed) = (C::new_from_slice(key).expect(LENGTH), text.to_vec());
    let nonce = nonce.try_into().expect(LENGTH);
    let tag = cipher.encrypt_inout_detached(nonce, aad, sealed.as_mut_slice().into());
    sealed.extend_from_slice(&tag.expect(FITS));
    sealed
}

/// AES-GCM as NIST SP 800-38D defines it, with RustCrypto's AES and GHASH: its own takes no nonce of a length
/// that is known at run time only.
pub(crate) fn sealed_by_aes_gcm<Aes>(key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8]) -> Vec<u8>
where
    Aes: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16> + KeyInit,
{
    let mut h = Array::default();
    Aes::new_from_slice(key).expect(LENGTH).encrypt_block(&mut h);
    let ghash = |aad: &[u8], text: &[u8]| {
        let mut ghash = GHash::new(&h);
        let bits = [aad.len(), text.len()].map(|len| (8 * len as u64).to_be_bytes());
        [aad, text, bits.as_flattened()].iter().for_each(|part| ghash.update_padded(part));
        ghash.finalize()
    };
    let counter =
        if nonce.len() == 12 { [nonce, &[0, 0, 0, 1]].concat() } else { ghash(b"", nonce).to_vec() };
    let mut keystream = Ctr32BE::<Aes>::new_from_slices(key, &counter).expect(LENGTH);
    let (mut mask, mut sealed) = ([0; 16], text.to_vec());
    keystream.apply_keystream(&mut mask);
    keystream.apply_keystream(&mut sealed);
    let tag = ghash(aad, &sealed);
    sealed.extend(tag.iter().zip(mask).map(|(byte, mask)| byte ^ mask));
    sealed
}

/// Poly1305's tag.
pub fn expected_poly1305(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    poly1305::Poly1305::new(key.into()).compute_unpadded(message).into()
}
