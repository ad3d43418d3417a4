//! The same computations by RustCrypto.

use crate::FITS;
use crate::{Aead, Hash, Stream};
use aes::cipher::{BlockCipherEncrypt, BlockSizeUser, KeyInit, array::Array, consts::U16};
use chacha20poly1305::aead::AeadInOut;
use ctr::Ctr32BE;
use ctr::cipher::{KeyIvInit, StreamCipher};
use ghash::{GHash, universal_hash::UniversalHash};
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use sha1::Digest;

/// The results of other libraries where Keylane computes with this hash.
pub trait Expected: keylane::Hash {
    /// The digest.
    fn expected_digest(data: &[u8]) -> Self::Output;

    /// The whole tag.
    fn expected_mac(key: &[u8], message: &[u8]) -> Self::Output {
        hmac_by_definition(Self::expected_digest, Self::BLOCK_LEN, key, message)
    }
}

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

/// What RustCrypto computes where Keylane computes with its own hash.
pub trait Oracle: Expected + Hash {
    /// Fills `out` by PBKDF2.
    fn expected_pbkdf2(password: &[u8], salt: &[u8], iterations: u32, out: &mut [u8]);
    /// Fills `out` by HKDF, extraction and expansion.
    ///
    /// # Panics
    /// If `out` is too long.
    fn expected_hkdf(salt: &[u8], ikm: &[u8], info: &[u8], out: &mut [u8]);
}

macro_rules! oracle {
    ($($Hash:ident: $Theirs:ty;)*) => { $(
        impl Expected for $Hash {
            fn expected_digest(data: &[u8]) -> Self::Output {
                <$Theirs>::digest(data).into()
            }
        }

        impl Oracle for $Hash {
            fn expected_pbkdf2(password: &[u8], salt: &[u8], iterations: u32, out: &mut [u8]) {
                pbkdf2::pbkdf2_hmac::<$Theirs>(password, salt, iterations, out);
            }

            fn expected_hkdf(salt: &[u8], ikm: &[u8], info: &[u8], out: &mut [u8]) {
                let hkdf = hkdf::Hkdf::<$Theirs>::new(Some(salt), ikm);
                hkdf.expand(info, out).expect("a length within the limit");
            }
        }
    )* };
}

oracle! {
    Sha1: sha1::Sha1;
    Sha224: sha2::Sha224;
    Sha256: sha2::Sha256;
    Sha384: sha2::Sha384;
    Sha512: sha2::Sha512;
    Sha512_256: sha2::Sha512_256;
}

const LENGTH: &str = "the right length";

/// The first `len` bytes of the key stream.
///
/// # Panics
/// If a length is wrong, or the cipher unknown.
#[must_use]
pub fn expected_keystream<S: Stream>(key: &[u8], nonce: &[u8], len: usize) -> Vec<u8> {
    fn by<C: KeyIvInit + StreamCipher>(key: &[u8], nonce: &[u8], len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        C::new_from_slices(key, nonce).expect(LENGTH).apply_keystream(&mut bytes);
        bytes
    }
    match S::NAME {
        "aes-128-ctr" => by::<ctr::Ctr128BE<aes::Aes128>>(key, nonce, len),
        "aes-192-ctr" => by::<ctr::Ctr128BE<aes::Aes192>>(key, nonce, len),
        "aes-256-ctr" => by::<ctr::Ctr128BE<aes::Aes256>>(key, nonce, len),
        "chacha20" => by::<chacha20::ChaCha20>(key, nonce, len),
        "xchacha20" => by::<chacha20::XChaCha20>(key, nonce, len),
        name => panic!("{name} has nothing to compare with"),
    }
}

fn sealed_by<C: AeadInOut + KeyInit>(key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8]) -> Vec<u8> {
    let (cipher, mut sealed) = (C::new_from_slice(key).expect(LENGTH), text.to_vec());
    let nonce = nonce.try_into().expect(LENGTH);
    let tag = cipher.encrypt_inout_detached(nonce, aad, sealed.as_mut_slice().into());
    sealed.extend_from_slice(&tag.expect(FITS));
    sealed
}

/// AES-GCM as NIST SP 800-38D defines it, with RustCrypto's AES and GHASH: its own takes no nonce of a length
/// that is known at run time only.
fn sealed_by_aes_gcm<Aes>(key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8]) -> Vec<u8>
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

/// Text and tag.
///
/// # Panics
/// If a length is wrong, or the AEAD unknown.
#[must_use]
pub fn expected_sealed<A: Aead>(key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8]) -> Vec<u8> {
    let by = match A::NAME {
        "aes-128-gcm" => sealed_by_aes_gcm::<aes::Aes128>,
        "aes-192-gcm" => sealed_by_aes_gcm::<aes::Aes192>,
        "aes-256-gcm" => sealed_by_aes_gcm::<aes::Aes256>,
        "aes-128-gcm-siv" => sealed_by::<aes_gcm_siv::Aes128GcmSiv>,
        "aes-256-gcm-siv" => sealed_by::<aes_gcm_siv::Aes256GcmSiv>,
        "xaes-256-gcm" => sealed_by::<xaes_256_gcm::Xaes256Gcm>,
        "chacha20-poly1305" => sealed_by::<chacha20poly1305::ChaCha20Poly1305>,
        "xchacha20-poly1305" => sealed_by::<chacha20poly1305::XChaCha20Poly1305>,
        name => panic!("{name} has nothing to compare with"),
    };
    by(key, nonce, aad, text)
}

/// Poly1305's tag.
#[must_use]
pub fn expected_poly1305(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    poly1305::Poly1305::new(key.into()).compute_unpadded(message).into()
}
