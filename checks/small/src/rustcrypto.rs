//! The same operations with RustCrypto's crates.

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
    operation!("rustcrypto-", "sha256", |_| (), |(), text, out| {
        put(out, Sha256::digest(text));
    });
    operation!(
        "rustcrypto-",
        "hmac-sha256",
        |key| Hmac::<Sha256>::new_from_slice(key).expect("any length"),
        |key, text, out| put(out, key.clone().chain_update(text).finalize().into_bytes())
    );
    operation!(
        "rustcrypto-",
        "hmac-sha512",
        |key| Hmac::<Sha512>::new_from_slice(key).expect("any length"),
        |key, text, out| put(out, key.clone().chain_update(text).finalize().into_bytes())
    );
    operation!("rustcrypto-", "hkdf-sha256", |_| (), |(), text, out| {
        Hkdf::<Sha256>::new(Some(b"salt"), text).expand(b"info", &mut out[..42]).expect("short");
    });
    operation!(
        "rustcrypto-",
        "aes-128-ctr",
        |key| ctr::Ctr128BE::<aes::Aes128>::new(half(key).into(), &[9; 16].into()),
        |key, text, _| key.apply_keystream(text)
    );
    operation!("rustcrypto-", "aes-128-gcm", |key| Aes128Gcm::new(half(key).into()), |key, text, out| {
        put(out, key.encrypt_inout_detached(&[9; 12].into(), b"head", text.into()).expect("short"));
    });
    operation!("rustcrypto-", "poly1305", |key| *key, |key, text, out| {
        put(out, Poly1305::new((&*key).into()).compute_unpadded(text));
    });
    operation!(
        "rustcrypto-",
        "chacha20",
        |key| ChaCha20::new(key.into(), &[9; 12].into()),
        |key, text, _| key.apply_keystream(text)
    );
    operation!(
        "rustcrypto-",
        "chacha20-poly1305",
        |key| ChaCha20Poly1305::new(key.into()),
        |key, text, out| {
            put(out, key.encrypt_inout_detached(&[9; 12].into(), b"head", text.into()).expect("short"));
        }
    );
}
