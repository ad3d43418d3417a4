//! Keylane's operations.

use crate::operation;
use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane::aes_gcm::Aes128Gcm;
use keylane::aes_gcm_siv::Aes256GcmSiv;
use keylane::chacha20::ChaCha20;
use keylane::chacha20poly1305::ChaCha20Poly1305;
use keylane::hkdf::Prk;
use keylane::hmac::HmacKey;
use keylane::poly1305::Poly1305;
use keylane::sha1::Sha1;
use keylane::sha2::{Sha256, Sha512};
use keylane::xaes::Xaes256Gcm;

pub(crate) fn run() {
    operation!("keylane-", "sha256", |_| (), |(), text, out| put(out, Sha256::digest(text)));
    operation!("keylane-", "hmac-sha256", |key| HmacKey::<Sha256>::new(key), |key, text, out| {
        put(out, key.mac(text));
    });
    operation!("keylane-", "hmac-sha512", |key| HmacKey::<Sha512>::new(key), |key, text, out| {
        put(out, key.mac(text));
    });
    operation!("keylane-", "hkdf-sha256", |_| (), |(), text, out| {
        Prk::<Sha256>::extract(b"salt", text).expand(&[b"info"], &mut out[..42]).expect("short");
    });
    operation!(
        "keylane-",
        "aes-128-ctr",
        |key| AesCtr::new(&Aes::new_128(half(key)), &[9; 16]),
        |key, text, _| key.xor_keystream(text)
    );
    operation!("keylane-", "aes-128-gcm", |key| Aes128Gcm::new(half(key)), |key, text, out| {
        put(out, key.seal(&[9; 12], b"head", text).expect("short"));
    });
    operation!("keylane-", "poly1305", |key| *key, |key, text, out| {
        put(out, Poly1305::mac(key, text));
    });
    operation!("keylane-", "chacha20", |key| ChaCha20::new(key, &[9; 12]), |key, text, _| {
        key.xor_keystream(text).expect("short");
    });
    operation!("keylane-", "chacha20-poly1305", ChaCha20Poly1305::new, |key, text, out| put(
        out,
        key.seal(&[9; 12], b"head", text).expect("short")
    ));
    // What the others leave out: the other hashes, ciphers and nonces, verifying, and opening.
    operation!("", "keylane-others", |key| *key, |key, text, out| {
        put(out, Sha1::digest(&*text));
        HmacKey::<Sha256>::new(key).verify(text, &out[..32]).expect_err("of another hash");
        let aes = Aes::new_256(key);
        aes.decrypt_blocks(text.as_chunks_mut().0);
        aes.encrypt_blocks(text.as_chunks_mut().0);
        let tag = Aes128Gcm::new(half(key)).seal(&[1; 12], b"", text).expect("short");
        Aes128Gcm::new(half(key)).open(&[1; 12], b"", text, &tag).expect("authentic");
        let tag = ChaCha20Poly1305::new(key).seal(&[1; 12], b"", text).expect("short");
        ChaCha20Poly1305::new(key).open(&[1; 12], b"", text, &tag).expect("authentic");
        put(out, Aes256GcmSiv::new(key).seal(&[1; 12], b"", text).expect("short"));
        put(&mut out[16..], Xaes256Gcm::new(key).seal(&[1; 24], b"", text).expect("short"));
    });
}

pub(crate) fn half(key: &[u8; 32]) -> &[u8; 16] {
    key.first_chunk().expect("half of it")
}

pub(crate) fn put(out: &mut [u8], answer: impl AsRef<[u8]>) {
    out[..answer.as_ref().len()].copy_from_slice(answer.as_ref());
}
