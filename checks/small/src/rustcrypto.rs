//! The same operations of RustCrypto's crates.

use crate::keylane::{half, put};
use crate::operation;
use aes_gcm::{AeadInOut, Aes128Gcm};
use chacha20::ChaCha20;
use chacha20poly1305::ChaCha20Poly1305;
use ctr::cipher::{KeyIvInit, StreamCipher};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use poly1305::Poly1305;
use sha2::{Digest, Sha256, Sha512};

pub(crate) fn run() {
    operation!(b"rustcrypto-sha256" | b"rustcrypto-all", |_| (), |(), text, out| {
        put(out, Sha256::digest(text));
    });
    operation!(
        b"rustcrypto-hmac-sha256" | b"rustcrypto-all",
        |key| Hmac::<Sha256>::new_from_slice(key).expect("any length"),
        |key, text, out| put(out, key.clone().chain_update(text).finalize().into_bytes())
    );
    operation!(
        b"rustcrypto-hmac-sha512" | b"rustcrypto-all",
        |key| Hmac::<Sha512>::new_from_slice(key).expect("any length"),
        |key, text, out| put(out, key.clone().chain_update(text).finalize().into_bytes())
    );
    operation!(b"rustcrypto-hkdf-sha256" | b"rustcrypto-all", |_| (), |(), text, out| {
        Hkdf::<Sha256>::new(Some(b"salt"), text).expand(b"info", &mut out[..42]).expect("short");
    });
    operation!(
        b"rustcrypto-aes-128-ctr" | b"rustcrypto-all",
        |key| ctr::Ctr128BE::<aes::Aes128>::new(half(key).into(), &[9; 16].into()),
        |key, text, _| key.apply_keystream(text)
    );
    operation!(
        b"rustcrypto-aes-128-gcm" | b"rustcrypto-all",
        |key| Aes128Gcm::new(half(key).into()),
        |key, text, out| {
            put(out, key.encrypt_inout_detached(&[9; 12].into(), b"head", text.into()).expect("short"));
        }
    );
    operation!(b"rustcrypto-poly1305" | b"rustcrypto-all", |key| *key, |key, text, out| {
        put(out, Poly1305::new((&*key).into()).compute_unpadded(text));
    });
    operation!(
        b"rustcrypto-chacha20" | b"rustcrypto-all",
        |key| ChaCha20::new(key.into(), &[9; 12].into()),
        |key, text, _| key.apply_keystream(text)
    );
    operation!(
        b"rustcrypto-chacha20-poly1305" | b"rustcrypto-all",
        |key| ChaCha20Poly1305::new(key.into()),
        |key, text, out| {
            put(out, key.encrypt_inout_detached(&[9; 12].into(), b"head", text.into()).expect("short"));
        }
    );
}
