//! RustCrypto, the newest stable generation.

use crate::{case::*, rival::Rival};
use rc_aes_gcm::aead::{AeadInOut, Nonce, inout::InOutBuf};
use {
    rc_aes as aes, rc_aes_gcm as aes_gcm, rc_chacha20 as chacha20, rc_chacha20poly1305 as chacha20poly1305,
};
use {rc_ctr as ctr, rc_hkdf as hkdf, rc_hmac as hmac, rc_pbkdf2 as pbkdf2, rc_poly1305 as poly1305};
use {rc_sha1 as sha1, rc_sha2 as sha2};

#[path = "rustcrypto_generation.rs"]
mod generation;

const CRATES: [(&str, &str); 7] = [
    ("hmac", "0.13"),
    ("sha1", "0.11"),
    ("sha2", "0.11"),
    ("pbkdf2", "0.13"),
    ("hkdf", "0.13"),
    ("poly1305", "0.9"),
    ("chacha20", "0.10"),
];

pub(super) fn rival() -> Rival {
    Rival::new("rustcrypto", crate::lock::versions(&CRATES), generation::prepare)
}

fn nonce<A: AeadInOut>() -> &'static Nonce<A> {
    NONCE[..].try_into().unwrap()
}

fn seal<A: AeadInOut>(key: &A, text: &mut [u8], tag: &mut [u8; 16]) {
    tag.copy_from_slice(&key.encrypt_inout_detached(nonce::<A>(), &AAD, text.into()).unwrap())
}

fn seal_to<A: AeadInOut>(key: &A, text: &[u8], out: &mut [u8], tag: &mut [u8; 16]) {
    let buffer = InOutBuf::new(text, out).unwrap();
    tag.copy_from_slice(&key.encrypt_inout_detached(nonce::<A>(), &AAD, buffer).unwrap())
}

fn open<A: AeadInOut>(key: &A, text: &mut [u8], tag: &[u8; 16]) {
    key.decrypt_inout_detached(nonce::<A>(), &AAD, text.into(), tag[..].try_into().unwrap()).unwrap()
}
