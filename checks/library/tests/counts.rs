//! Tests that the loops of all kernels count further than 16 bits, and in `.ci/long` further than 24, or 20
//! for PBKDF2's iterations, on the implementations that this CPU has. The proofs have fewer blocks, messages
//! and iterations.

use aes_gcm::aead::{Aead as _, KeyInit, Payload};
use cipher::{KeyIvInit, StreamCipher};
use digest::Digest;
use keylane::aead::{Aead, Algorithm, ByteArray};
use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane::aes_gcm::{Gcm, Ghash};
use keylane::chacha20::ChaCha20;
use keylane::hmac::{HmacKey, mac_each};
use keylane::poly1305::Poly1305;
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512};
use keylane::{Hash, aes_gcm_siv::GcmSiv, chacha20poly1305::ChaChaPoly};
use keylane_contracts::{HasherOf, every_implementation};
use std::num::NonZeroU32;

const COUNT: usize = 66_000;

/// Of blocks, in gigabytes and minutes.
const MANY: usize = (1 << 24) + 500;

const MANY_ITERATIONS: usize = (1 << 20) + 500;

/// Returns a message of so many bytes.
fn message(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

/// Messages of so many blocks, alone and side by side: as streams of instructions, and in lanes.
fn blocks<H: Hash>(primitive: &str, side_by_side: &[usize], reference: fn(&[u8]) -> Vec<u8>) {
    let message = message(COUNT * H::BLOCK_LEN);
    let expected = reference(&message);
    every_implementation(primitive, |_| {
        let mut hash = HasherOf::<H>::new();
        hash.update(&message);
        assert_eq!(hash.finalize().as_ref(), expected);
        assert_eq!(HasherOf::<H>::digest(&message).as_ref(), expected);
        for &count in side_by_side {
            let mut out = vec![HasherOf::<H>::digest(&[]); count];
            HasherOf::<H>::digest_many(&vec![&message; count], &mut out).expect("equal numbers");
            assert!(out.iter().all(|digest| digest.as_ref() == expected));
        }
    });
}

type Derive = fn(&[u8], &[u8], u32, &mut [u8]);

/// PBKDF2 of so many iterations, of some numbers of chains.
fn iterations<H: Hash>(primitive: &str, count: usize, chains: &[usize], reference: Derive) {
    let mut expected = vec![0; chains[0] * H::OUTPUT_LEN];
    reference(b"password", b"salt", count as u32, &mut expected);
    let iterations = NonZeroU32::new(count as u32).expect("some");
    every_implementation(primitive, |_| {
        for chains in chains {
            let mut key = vec![0; chains * H::OUTPUT_LEN];
            keylane::pbkdf2::derive::<H>(b"password", b"salt", iterations, &mut key).expect("a short key");
            assert!(expected.starts_with(&key));
        }
    });
}

/// So many messages, tags and blocks of a key. No kernel has all of them at a time.
fn messages<H: Hash>(reference: fn(&[u8]) -> Vec<u8>, derive: Derive) {
    let text = message(100 + 251);
    let messages: Vec<&[u8]> = (0..COUNT).map(|i| &text[i % 251..][..i % 101]).collect();
    let mut digests = vec![HasherOf::<H>::digest(&[]); COUNT];
    HasherOf::<H>::digest_many(&messages, &mut digests).expect("equal numbers");
    assert!(digests.iter().zip(&messages).all(|(digest, message)| digest.as_ref() == reference(message)));

    let mut hashes = vec![HasherOf::<H>::new(); COUNT];
    HasherOf::<H>::update_many(&mut hashes, &messages).expect("equal numbers");
    assert!(hashes.into_iter().zip(&digests).all(|(hash, digest)| hash.finalize() == *digest));

    let key = HmacKey::<H>::new(b"key");
    let jobs: Vec<_> = messages.iter().map(|&message| (&key, message)).collect();
    mac_each(&jobs, &mut digests).expect("equal numbers");
    assert!(digests.iter().zip(&messages).all(|(tag, message)| *tag == key.mac(message)));

    let [mut key, mut expected] = [(); 2].map(|()| vec![0; COUNT * H::OUTPUT_LEN]);
    keylane::pbkdf2::derive::<H>(b"password", b"salt", NonZeroU32::MIN, &mut key).expect("a key");
    derive(b"password", b"salt", 1, &mut expected);
    assert!(key == expected);
}

/// A text and additional data of so many blocks, sealed and opened.
fn sealed<A: Algorithm>(primitive: &str, count: usize, reference: fn(&[u8], &[u8]) -> Vec<u8>) {
    let (text, aad) = (message(16 * count + 5), message(16 * count + 9));
    let expected = reference(&text, &aad);
    let key = Aead::<A>::from_slice(&[7; 32]).expect("32 bytes");
    let nonce = A::Nonce::from_slice(&[9; 12]).expect("12 bytes");
    every_implementation(primitive, |_| {
        let mut data = text.clone();
        let tag = key.seal(nonce, &aad, &mut data).expect("a short text");
        assert!(expected == [&data, &tag[..]].concat());
        key.open(nonce, &aad, &mut data, &tag).expect("the tag");
        assert!(data == text);
    });
}

/// The AEADs of RustCrypto have one interface.
macro_rules! reference {
    ($Aead:ty) => {
        |msg, aad| {
            let key = <$Aead>::new(&[7; 32].into());
            key.encrypt(&[9; 12].into(), Payload { msg, aad }).expect("a short text")
        }
    };
}

fn all_sealed(count: usize) {
    sealed::<Gcm<32>>("aes-gcm", count, reference!(aes_gcm::Aes256Gcm));
    sealed::<GcmSiv<32>>("aes-gcm-siv", count, reference!(aes_gcm_siv::Aes256GcmSiv));
    sealed::<ChaChaPoly>("chacha20-poly1305", count, reference!(chacha20poly1305::ChaCha20Poly1305));
}

#[test]
fn aeads() {
    all_sealed(COUNT);
}

#[test]
#[ignore = "takes gigabytes and minutes"]
fn aeads_of_many_blocks() {
    all_sealed(MANY);
}

/// AES-GCM hashes the text's length in bits, here a number of more than 32 bits. The expected tag is that of
/// SP 800-38D §7.1, by a cipher and a hash that other tests compare.
#[test]
#[ignore = "takes half a gigabyte"]
fn a_length_of_more_than_32_bits() {
    let mut blocks = [[0; 16], [9; 16]];
    blocks[1][12..].copy_from_slice(&[0, 0, 0, 1]);
    Aes::new_256(&[7; 32]).encrypt_blocks(&mut blocks);
    let [h, mask] = blocks;
    let mut data = vec![0; 1 << 29];
    let tag = Aead::<Gcm<32>>::new(&[7; 32]).seal(&[9; 12], b"", &mut data).expect("a short text");
    let mut hash = Ghash::new(&h);
    hash.update(data.as_chunks().0);
    hash.update(&[(1_u128 << 32).to_be_bytes()]);
    assert_eq!(u128::from_be_bytes(tag), u128::from_be_bytes(hash.finalize()) ^ u128::from_be_bytes(mask));
}

#[test]
#[ignore = "takes minutes"]
fn many_iterations() {
    iterations::<Sha1>("sha1", MANY_ITERATIONS, &[5, 2, 1], pbkdf2::pbkdf2_hmac::<sha1::Sha1>);
    iterations::<Sha256>("sha256", MANY_ITERATIONS, &[5, 2, 1], pbkdf2::pbkdf2_hmac::<sha2::Sha256>);
    iterations::<Sha512>("sha512", MANY_ITERATIONS, &[4, 1], pbkdf2::pbkdf2_hmac::<sha2::Sha512>);
}

#[test]
fn ciphers() {
    let text = message(16 * COUNT + 5);
    let mut expected = text.clone();
    ctr::Ctr128BE::<aes::Aes256>::new(&[7; 32].into(), &[0xff; 16].into()).apply_keystream(&mut expected);
    every_implementation("aes-ctr", |_| {
        let mut data = text.clone();
        AesCtr::new(&Aes::new_256(&[7; 32]), &[0xff; 16]).xor_keystream(&mut data);
        assert!(data == expected);
    });
    let text = message(64 * COUNT + 5);
    let mut expected = text.clone();
    chacha20::ChaCha20::new(&[7; 32].into(), &[9; 12].into()).apply_keystream(&mut expected);
    every_implementation("chacha20", |_| {
        let mut data = text.clone();
        ChaCha20::new(&[7; 32], &[9; 12]).xor_keystream(&mut data).expect("a short text");
        assert!(data == expected);
    });
    let expected = poly1305::Poly1305::new(&[7; 32].into()).compute_unpadded(&text);
    every_implementation("poly1305", |_| assert_eq!(Poly1305::mac(&[7; 32], &text), expected.as_slice()));
}

#[test]
fn sha1() {
    blocks::<Sha1>("sha1", &[2, 5], |message| sha1::Sha1::digest(message).to_vec());
    iterations::<Sha1>("sha1", COUNT, &[5, 2], pbkdf2::pbkdf2_hmac::<sha1::Sha1>);
}

#[test]
fn sha256() {
    let reference = |message: &[u8]| sha2::Sha256::digest(message).to_vec();
    blocks::<Sha256>("sha256", &[2, 5], reference);
    iterations::<Sha256>("sha256", COUNT, &[5, 2], pbkdf2::pbkdf2_hmac::<sha2::Sha256>);
    iterations::<Sha224>("sha256", COUNT, &[1], pbkdf2::pbkdf2_hmac::<sha2::Sha224>);
    messages::<Sha256>(reference, pbkdf2::pbkdf2_hmac::<sha2::Sha256>);
}

#[test]
fn sha512() {
    blocks::<Sha512>("sha512", &[4], |message| sha2::Sha512::digest(message).to_vec());
    iterations::<Sha512>("sha512", COUNT, &[4], pbkdf2::pbkdf2_hmac::<sha2::Sha512>);
    iterations::<Sha384>("sha512", COUNT, &[1], pbkdf2::pbkdf2_hmac::<sha2::Sha384>);
}
