//! RustCrypto, the generation before, which most dependency trees still hold.

use crate::{case::*, rival::Rival};
use old_aes_gcm::aead::{AeadInPlace, generic_array::GenericArray};
use {
    old_aes as aes, old_aes_gcm as aes_gcm, old_chacha20 as chacha20,
    old_chacha20poly1305 as chacha20poly1305,
};
use {old_ctr as ctr, old_hkdf as hkdf, old_hmac as hmac, old_pbkdf2 as pbkdf2, old_poly1305 as poly1305};
use {old_sha1 as sha1, old_sha2 as sha2};

#[path = "rustcrypto_generation.rs"]
#[allow(clippy::duplicate_mod, reason = "the same traits in another version")]
mod generation;

const CRATES: [(&str, &str); 7] = [
    ("hmac", "0.12"),
    ("sha1", "0.10"),
    ("sha2", "0.10"),
    ("pbkdf2", "0.12"),
    ("hkdf", "0.12"),
    ("poly1305", "0.8"),
    ("chacha20", "0.9"),
];

pub(super) fn rival() -> Rival {
    Rival::new("rustcrypto-old", crate::lock::versions(&CRATES), generation::prepare)
}

fn seal<A: AeadInPlace>(key: &A, text: &mut [u8], tag: &mut [u8; 16]) {
    let nonce = GenericArray::from_slice(&NONCE);
    tag.copy_from_slice(&key.encrypt_in_place_detached(nonce, &AAD, text).unwrap())
}

/// It only seals in place: a copy first.
fn seal_to<A: AeadInPlace>(key: &A, text: &[u8], out: &mut [u8], tag: &mut [u8; 16]) {
    out.copy_from_slice(text);
    seal(key, out, tag)
}

fn open<A: AeadInPlace>(key: &A, text: &mut [u8], tag: &[u8; 16]) {
    let nonce = GenericArray::from_slice(&NONCE);
    key.decrypt_in_place_detached(nonce, &AAD, text, GenericArray::from_slice(tag)).unwrap()
}
