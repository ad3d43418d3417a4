//! The types that exist for RustCrypto's traits.

use crate::watch::{Boxes, Case, Secret, boxed};
use keylane::hmac::HmacKey;
use keylane::rustcrypto::aead::AeadInOut;
use keylane::rustcrypto::cipher::{BlockCipherEncrypt, KeyInit, KeyIvInit, StreamCipher};
use keylane::rustcrypto::digest::Mac;
use keylane::rustcrypto::universal_hash::UniversalHash;
use keylane::rustcrypto::{self as types, FromDigest};
use keylane::sha2::Sha256;
use std::hint::black_box;

pub(super) fn cases() -> Vec<Case> {
    let case = |types, with, primitive, run| Case {
        types,
        with,
        primitive: Some(primitive),
        boxes: Boxes::OfCase,
        run,
    };
    const TRAITS_ONLY: &[&str] = &["keylane::rustcrypto::TraitsOnly"];
    const CTR: &[&str] = &["keylane::rustcrypto::Ctr128BE"];
    vec![
        case(&["keylane::rustcrypto::Aes128"], "aes-128", "aes", block_cipher::<types::Aes128>),
        case(&["keylane::rustcrypto::Aes192"], "aes-192", "aes", block_cipher::<types::Aes192>),
        case(&["keylane::rustcrypto::Aes256"], "aes-256", "aes", block_cipher::<types::Aes256>),
        case(CTR, "aes-128", "aes-ctr", key_stream::<types::Ctr128BE<types::Aes128>>),
        case(CTR, "aes-256", "aes-ctr", key_stream::<types::Ctr128BE<types::Aes256>>),
        case(TRAITS_ONLY, "chacha20", "chacha20", key_stream::<types::ChaCha20>),
        case(TRAITS_ONLY, "xchacha20", "chacha20", key_stream::<types::XChaCha20>),
        case(TRAITS_ONLY, "aes-128-gcm", "aes-gcm", aead::<types::Aes128Gcm>),
        case(TRAITS_ONLY, "aes-256-gcm", "aes-gcm", aead::<types::Aes256Gcm>),
        case(TRAITS_ONLY, "chacha20-poly1305", "chacha20-poly1305", aead::<types::ChaCha20Poly1305>),
        case(TRAITS_ONLY, "hmac-sha256", "sha256", mac),
        case(TRAITS_ONLY, "poly1305", "poly1305", universal_hash::<types::Poly1305>),
        case(TRAITS_ONLY, "ghash", "aes-gcm", universal_hash::<types::GHash>),
        Case {
            types: &["keylane::hash::Foreign"],
            with: "sha2's sha256, which wipes itself",
            primitive: None,
            boxes: Boxes::OfCase,
            run: foreign_hash,
        },
    ]
}

fn block_cipher<C: KeyInit + BlockCipherEncrypt + Clone>(secret: &mut Secret) {
    let cipher = boxed(|| C::new_from_slice(&secret.bytes::<32>()[..C::key_size()]).expect("its length"));
    let mut block = Default::default();
    boxed(|| (*cipher).clone()).encrypt_block(&mut block);
    black_box(&block);
    secret.lives();
}

fn key_stream<C: KeyIvInit + StreamCipher + Clone>(secret: &mut Secret) {
    let key = secret.bytes::<32>();
    let (key, nonce) = (&key[..C::key_size()], &[0; 24][..C::iv_size()]);
    let mut stream = boxed(|| C::new_from_slices(key, nonce).expect("their lengths"));
    let mut data = secret.bytes::<300>();
    stream.apply_keystream(&mut data[..101]);
    boxed(|| (*stream).clone()).apply_keystream(&mut data[101..]);
    black_box(data);
    secret.lives();
}

fn aead<A: AeadInOut + KeyInit + Clone>(secret: &mut Secret) {
    let aead = boxed(|| A::new_from_slice(&secret.bytes::<32>()[..A::key_size()]).expect("its length"));
    let mut text = secret.bytes::<300>();
    let nonce = Default::default();
    let tag = aead.encrypt_inout_detached(&nonce, b"", text.as_mut_slice().into()).expect("a short text");
    let other = boxed(|| (*aead).clone());
    other.decrypt_inout_detached(&nonce, b"", text.as_mut_slice().into(), &tag).expect("just sealed");
    secret.lives();
}

fn mac(secret: &mut Secret) {
    let key = secret.bytes::<40>();
    let mut mac = boxed(|| types::Hmac::<Sha256>::new_from_slice(&key).expect("any length"));
    mac.update(&secret.bytes::<99>());
    black_box((*mac).clone().finalize());
    secret.lives();
}

fn universal_hash<U: UniversalHash + KeyInit + Clone>(secret: &mut Secret) {
    let key = secret.bytes::<32>();
    let mut hash = boxed(|| U::new_from_slice(&key[..U::key_size()]).expect("its length"));
    hash.update_padded(&secret.bytes::<99>());
    black_box((*hash).clone().finalize());
    secret.lives();
}

fn foreign_hash(secret: &mut Secret) {
    let key = boxed(|| HmacKey::<FromDigest<sha2::Sha256>>::new(&secret.bytes::<40>()));
    black_box(key.mac(&secret.bytes::<99>()));
    secret.lives();
}
