//! Encrypted files: the key, and the buffers that text went through.

use crate::memory::unwatched;
use crate::watch::{Boxes, Case, Secret};
use keylane_file::{Algorithm, Header, Kdf, Key, MIN_ITERATIONS, Options, decrypt, encrypt};
use std::io;
use std::num::NonZeroUsize;

pub(super) fn cases() -> Vec<Case> {
    let case = |with, primitive, run| Case {
        types: &["keylane_file"],
        with,
        primitive: Some(primitive),
        boxes: Boxes::OfLibrary,
        run,
    };
    vec![
        case("aes-256-gcm, a key file", "aes-gcm", |secret| with_key_file(secret, Algorithm::Aes256Gcm)),
        case("chacha20-poly1305, a key file", "chacha20-poly1305", |secret| {
            with_key_file(secret, Algorithm::ChaCha20Poly1305);
        }),
        case("aes-256-gcm, a passphrase by PBKDF2", "sha512", |secret| {
            with_passphrase(secret, Algorithm::Aes256Gcm);
        }),
        Case { primitive: None, ..case("aes-256-gcm, a passphrase by Argon2id", "sha512", with_argon2id) },
    ]
}

fn with_key_file(secret: &mut Secret, algorithm: Algorithm) {
    let key = secret.bytes::<32>();
    round_trip(secret, algorithm, Key::File(&key));
}

fn with_passphrase(secret: &mut Secret, algorithm: Algorithm) {
    let passphrase = secret.bytes::<20>();
    round_trip(secret, algorithm, Key::Passphrase(&passphrase));
}

/// Once, and no more than that: an image holds the 64 MiB.
fn with_argon2id(secret: &mut Secret) {
    let passphrase = secret.bytes::<20>();
    let options = Options { kdf: Kdf::default(), threads: NonZeroUsize::new(1), ..Options::default() };
    let text = secret.bytes::<4096>();
    encrypt(&text[..], io::sink(), Key::Passphrase(&passphrase), &options, |_| secret.lives())
        .expect("nothing fails");
}

/// More than one batch of chunks, there and back; and once damaged. On one thread: several would not allocate in one order.
fn round_trip(secret: &mut Secret, algorithm: Algorithm, key: Key<'_>) {
    let threads = NonZeroUsize::new(1);
    let options = Options { algorithm, kdf: Kdf::Pbkdf2 { iterations: MIN_ITERATIONS }, threads };
    let piece = secret.bytes::<4096>();
    // The caller's own, as the sealed file is.
    let text = unwatched(|| piece.repeat(80));
    let mut told = false;
    // The buffers live while progress is told of.
    let mut progress = |_| {
        if !std::mem::replace(&mut told, true) {
            secret.lives();
        }
    };
    encrypt(&text[..], io::sink(), key, &options, &mut progress).expect("nothing fails");
    let mut file = unwatched(|| {
        let mut file = Vec::new();
        encrypt(&text[..], &mut file, key, &options, |_| ()).map(|_| file).expect("nothing fails")
    });
    let written = decrypt(&file[..], io::sink(), key, threads, |_| ()).expect("as it was sealed");
    assert_eq!(written, text.len() as u64);
    let middle = file.len() / 2;
    file[middle] ^= 1;
    let header = Header::read(&mut &file[..]).expect("the header is whole");
    let body = &file[keylane_file::HEADER_LEN..];
    assert!(header.decrypt(body, io::sink(), key, threads, |_| ()).is_err());
    unwatched(|| drop((text, file)));
}
