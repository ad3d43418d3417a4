use crate::chunks::{Chunks, Direction};
use crate::key::FileKey;
use crate::source::Stream;
use crate::{Algorithm, CHUNK_LEN, Decryption, Encryption, Error, Header, Kdf, Key, KeySource};
use std::collections::BTreeSet;

/// `docs/format.md`, over a link that `cargo package` follows. It shows whole files in hexadecimal digits,
/// each after a line that says how it was made.
const DOCUMENT: &str = include_str!("format.txt");

fn hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// The block of digits that follows `title`.
fn block(title: &str) -> Vec<u8> {
    let (_, rest) = DOCUMENT.split_once(title).unwrap_or_else(|| panic!("{title} is missing"));
    hex(rest.split("\n\n").nth(1).unwrap())
}

const KEY_FILE: [u8; 32] = {
    let mut bytes = [0; 32];
    let mut i = 0;
    while i < 32 {
        bytes[i] = i as u8;
        i += 1;
    }
    bytes
};

#[test]
fn the_documented_files() {
    let salt = KEY_FILE.map(|byte| byte + 0x20);
    let (aes, chacha) = (Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305);
    let (key_file, passphrase) = (Key::File(&KEY_FILE), Key::Passphrase(b"passphrase"));
    for (title, algorithm, key, kdf) in [
        ("AES-256-GCM, a key file", aes, key_file, Kdf::default()),
        ("ChaCha20-Poly1305, a key file", chacha, key_file, Kdf::default()),
        ("AES-256-GCM, a passphrase by Argon2id", aes, passphrase, Kdf::default()),
        (
            "ChaCha20-Poly1305, a passphrase by PBKDF2",
            chacha,
            passphrase,
            Kdf::Pbkdf2 { iterations: 600_000 },
        ),
    ] {
        let encryption = Encryption::new(key).algorithm(algorithm).kdf(kdf);
        let mut file = Vec::new();
        encryption.seal(&salt, &Stream::new(&b"attack at dawn"[..]), &mut file).unwrap();
        let digits: String = file.iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(block(title) == file, "{title}: {digits}");
        let mut text = Vec::new();
        Decryption::new(key).run(&file[..], &mut text).unwrap();
        assert_eq!(text, b"attack at dawn");
    }
}

/// The same bytes, whatever the number of threads.
#[test]
fn threads_do_not_show() {
    let text: Vec<u8> = (0..30 * CHUNK_LEN + 9).map(|i| (i % 241) as u8).collect();
    let sealed = |threads| {
        let (encryption, mut file) = (Encryption::new(Key::File(&KEY_FILE)).threads(threads), Vec::new());
        encryption.seal(&[3; 32], &Stream::new(&text[..]), &mut file).unwrap();
        file
    };
    let expected = sealed(1);
    for threads in [2, 3, 5, 16] {
        assert!(sealed(threads) == expected, "{threads} threads");
    }
}

/// Only the last chunks: a text of 256 TiB takes too long for a test.
#[test]
fn no_more_than_2_to_the_32_chunks() {
    let header = Header::new(Algorithm::Aes256Gcm, KeySource::KeyFile, &[5; 32]).unwrap();
    let key = FileKey::derive(Key::File(&KEY_FILE), &header).unwrap();
    let chunks = Chunks::new(&header, &key);
    let (text, most) = ([1; 100], u64::from(u32::MAX));
    for (number, last, allowed) in [
        (most - 1, false, true),
        (most - 1, true, true),
        (most, true, true),
        (most, false, false),
        (most + 1, true, false),
        (u64::MAX, true, false),
    ] {
        let mut sealed = [0; 116];
        let result = chunks.convert(Direction::Seal, number, last, &text, &mut sealed);
        assert_eq!(result.is_ok(), allowed, "chunk {number}, {last}");
        let result = chunks.convert(Direction::Open, number, last, &sealed, &mut [0; 100]);
        assert_eq!(result.is_ok(), allowed, "chunk {number}, {last}");
        if !allowed {
            assert!(matches!(result, Err(Error::TooLong)));
            assert_eq!(sealed, [0; 116]);
        }
    }
}

/// Each bit of a chunk's number changes its nonce, and so does being the last. A round trip would not notice
/// a repeated nonce.
#[test]
fn chunks_have_nonces_of_their_own() {
    for algorithm in [Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305] {
        let header = Header::new(algorithm, KeySource::KeyFile, &[5; 32]).unwrap();
        let chunks = Chunks::new(&header, &FileKey::derive(Key::File(&KEY_FILE), &header).unwrap());
        let numbers = [0].into_iter().chain((0..32).map(|bit| 1 << bit));
        let sealed = numbers.flat_map(|number| {
            [false, true].map(|last| {
                let mut sealed = [0; 116];
                chunks.convert(Direction::Seal, number, last, &[1; 100], &mut sealed).unwrap();
                sealed
            })
        });
        assert_eq!(sealed.collect::<BTreeSet<_>>().len(), 66);
    }
}
