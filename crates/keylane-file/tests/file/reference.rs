//! A second implementation of `docs/format.md`, with primitives of other libraries. It can also write files
//! that the document does not allow.

use crate::{ALGORITHMS, CHUNK_LEN, KEY_BYTES, opened, parts, sealed, text, with};
use aead_stream::aead::array::{ArraySize, typenum::U5};
use aead_stream::aead::{AeadCore, AeadInOut, Key as AeadKey, KeyInit, Payload};
use aead_stream::{NewStream, StreamBE32, StreamPrimitive};
use keylane_file::{Algorithm, Encryption, Kdf, Key, text_len};
use std::ops::Sub;

/// Returns a header up to its commitment.
pub(crate) fn committed(algorithm: Algorithm, key_source: u8, parameters: [u8; 4], salt: &[u8]) -> Vec<u8> {
    let number = match algorithm {
        Algorithm::Aes256Gcm => 1,
        Algorithm::ChaCha20Poly1305 => 2,
    };
    assert_eq!(salt.len(), 32);
    [b"\x8ckeylane", &[1, number, key_source, 16][..], &parameters, salt].concat()
}

/// Returns the file of these chunks, each with its last flag.
pub(crate) fn file(committed: &[u8], secret: &[u8], chunks: &[(&[u8], bool)]) -> Vec<u8> {
    let mut okm = [0; 71];
    hkdf::Hkdf::<sha2::Sha512>::new(Some(&committed[16..48]), secret)
        .expand(&[b"keylane file 1", committed].concat(), &mut okm)
        .unwrap();
    let header = [committed, &okm[..32]].concat();
    let seal = match committed[9] {
        1 => seal::<aes_gcm::Aes256Gcm>,
        2 => seal::<chacha20poly1305::ChaCha20Poly1305>,
        number => panic!("algorithm {number}"),
    };
    let chunks = (0_u32..).zip(chunks).map(|(number, &(text, last))| seal(&okm, number, last, &header, text));
    header.iter().copied().chain(chunks.flatten()).collect()
}

fn seal<A>(okm: &[u8; 71], number: u32, last: bool, aad: &[u8], msg: &[u8]) -> Vec<u8>
where
    A: AeadInOut + KeyInit,
    <A as AeadCore>::NonceSize: Sub<U5, Output: ArraySize>,
{
    let key: &AeadKey<A> = okm[32..64].try_into().unwrap();
    let stream = StreamBE32::<A>::new(key, okm[64..].try_into().unwrap());
    stream.encrypt(number, last, Payload { msg, aad }).unwrap()
}

/// Divides a text as the format requires.
pub(crate) fn cut(text: &[u8]) -> Vec<(&[u8], bool)> {
    if text.is_empty() {
        return vec![(text, true)];
    }
    let count = text.len().div_ceil(CHUNK_LEN);
    text.chunks(CHUNK_LEN).enumerate().map(|(i, chunk)| (chunk, i + 1 == count)).collect()
}

#[test]
fn both_write_the_same() {
    for algorithm in ALGORITHMS {
        for len in [0, 1, 1000, CHUNK_LEN, CHUNK_LEN + 1, 9 * CHUNK_LEN - 1, 18 * CHUNK_LEN] {
            let text = text(len);
            let ours = sealed(&text, with(algorithm, 2));
            let committed = committed(algorithm, 1, [0; 4], &ours[16..48]);
            let theirs = file(&committed, &KEY_BYTES, &cut(&text));
            assert!(ours == theirs, "{algorithm:?}, {len} bytes");
        }
    }
}

#[test]
fn both_write_the_same_for_a_passphrase() {
    let (text, passphrase) = (text(100), b"correct horse");
    let encryption = Encryption::new(Key::Passphrase(passphrase)).kdf(Kdf::Pbkdf2 { iterations: 600_001 });
    let ours = sealed(&text, encryption);
    let (mut secret, iterations) = ([0; 64], 600_001.try_into().unwrap());
    keylane::pbkdf2::derive::<keylane::sha2::Sha512>(passphrase, &ours[16..48], iterations, &mut secret)
        .unwrap();
    let committed = committed(Algorithm::Aes256Gcm, 2, 600_001_u32.to_be_bytes(), &ours[16..48]);
    assert!(ours == file(&committed, &secret, &cut(&text)));
    let (output, result) = opened(&ours, Key::Passphrase(passphrase), 1);
    assert_eq!((output, result.unwrap()), (text, 100));
}

#[test]
fn a_file_has_the_length_that_is_documented() {
    for (len, chunks) in [(0, 1), (1, 1), (CHUNK_LEN, 1), (CHUNK_LEN + 1, 2), (3 * CHUNK_LEN, 3)] {
        let file = sealed(&text(len), with(Algorithm::ChaCha20Poly1305, 1));
        assert_eq!(file.len(), 80 + len + 16 * chunks);
        assert_eq!(parts(&file).1.len(), chunks);
        assert_eq!(text_len(file.len() as u64), Some(len as u64));
    }
    // Every possible length of a file belongs to one length of a text; all others are impossible.
    let mut known = 0;
    for (text, chunks) in (0..3 * CHUNK_LEN as u64).map(|len| (len, len.div_ceil(CHUNK_LEN as u64).max(1))) {
        let file = 80 + text + 16 * chunks;
        assert!((known..file).all(|len| text_len(len).is_none()), "{known} to {file}");
        assert_eq!(text_len(file), Some(text));
        known = file + 1;
    }
    let longest = 80 + (1 << 48) + (16 << 32);
    assert_eq!(text_len(longest), Some(1 << 48));
    assert_eq!((text_len(longest + 17), text_len(u64::MAX)), (None, None));
}
