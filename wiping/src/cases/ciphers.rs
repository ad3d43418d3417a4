//! AES, and the key streams, GHASH and Poly1305.

use crate::watch::{Boxes, Case, Secret, boxed};
use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane::aes_gcm::Ghash;
use keylane::chacha20::{ChaCha20, XChaCha20};
use keylane::poly1305::Poly1305;
use std::hint::black_box;

pub(super) fn cases() -> Vec<Case> {
    let case = |types, with, primitive, run| Case {
        types,
        with,
        primitive: Some(primitive),
        boxes: Boxes::OfCase,
        run,
    };
    vec![
        case(&["keylane::aes::Aes"], "aes-128", "aes", |secret| aes(secret, 16)),
        case(&["keylane::aes::Aes"], "aes-192", "aes", |secret| aes(secret, 24)),
        case(&["keylane::aes::Aes"], "aes-256", "aes", |secret| aes(secret, 32)),
        case(&["keylane::aes_ctr::AesCtr"], "aes-128", "aes-ctr", |secret| aes_ctr(secret, 16)),
        case(&["keylane::aes_ctr::AesCtr"], "aes-192", "aes-ctr", |secret| aes_ctr(secret, 24)),
        case(&["keylane::aes_ctr::AesCtr"], "aes-256", "aes-ctr", |secret| aes_ctr(secret, 32)),
        case(&["keylane::chacha20::ChaCha20"], "chacha20", "chacha20", chacha20),
        case(&["keylane::chacha20::XChaCha20"], "xchacha20", "chacha20", xchacha20),
        case(&["keylane::poly1305::Poly1305"], "poly1305", "poly1305", poly1305),
        case(&["keylane::aes_gcm::Ghash"], "ghash", "aes-gcm", ghash),
    ]
}

fn aes(secret: &mut Secret, key_len: usize) {
    let key = secret.bytes::<32>();
    let aes = boxed(|| Aes::from_slice(&key[..key_len]).expect("one of the lengths"));
    let mut blocks = [secret.bytes::<16>(); 21];
    aes.encrypt_blocks(&mut blocks);
    boxed(|| (*aes).clone()).decrypt_blocks(&mut blocks);
    black_box(blocks);
    secret.lives();
}

fn aes_ctr(secret: &mut Secret, key_len: usize) {
    let key = secret.bytes::<32>();
    let aes = Aes::from_slice(&key[..key_len]).expect("one of the lengths");
    let mut stream = boxed(|| AesCtr::new(&aes, &[0; 16]));
    let mut data = secret.bytes::<600>();
    stream.xor_keystream(&mut data[..333]);
    boxed(|| (*stream).clone()).xor_keystream(&mut data[333..]);
    stream.seek(5);
    stream.xor_keystream(&mut data[..100]);
    black_box(data);
    secret.lives();
}

fn chacha20(secret: &mut Secret) {
    let mut stream = boxed(|| ChaCha20::new(&secret.bytes(), &[0; 12]));
    let mut data = secret.bytes::<900>();
    stream.xor_keystream(&mut data[..777]).expect("a short text");
    boxed(|| (*stream).clone()).xor_keystream(&mut data[777..]).expect("a short text");
    stream.seek(5).expect("near the beginning");
    stream.xor_keystream(&mut data[..100]).expect("a short text");
    black_box(data);
    secret.lives();
}

fn xchacha20(secret: &mut Secret) {
    let mut stream = boxed(|| XChaCha20::new(&secret.bytes(), &[0; 24]));
    let mut data = secret.bytes::<900>();
    stream.xor_keystream(&mut data[..777]).expect("a short text");
    boxed(|| (*stream).clone()).xor_keystream(&mut data[777..]).expect("a short text");
    black_box(data);
    secret.lives();
}

/// With powers of the key for a long message and without; with the beginning of a block.
fn poly1305(secret: &mut Secret) {
    let mut long = boxed(|| Poly1305::with_hint(&secret.bytes(), 5000));
    let text = secret.bytes::<2001>();
    long.update(&text);
    black_box((*long).clone().finalize());
    let mut short = boxed(|| Poly1305::new(&secret.bytes()));
    short.update(&text[..9]);
    short.pad_to_block();
    short.update(&text[..13]);
    secret.lives();
}

fn ghash(secret: &mut Secret) {
    let mut ghash = boxed(|| Ghash::new(&secret.bytes()));
    ghash.update(&[secret.bytes(); 40]);
    ghash.update_padded(&secret.bytes::<77>());
    black_box((*ghash).clone().finalize());
    let mut other = boxed(|| (*ghash).clone());
    other.reset();
    ghash.update(&[secret.bytes(); 3]);
    black_box(other);
    secret.lives();
}
