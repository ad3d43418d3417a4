//! Tests that the loops of hashes count further than 16 bits, by the kernels that this CPU has. The proofs
//! have fewer blocks, messages and iterations.

use crate::hash::Hash;
use crate::hmac::{HmacKey, mac_each};
use crate::pbkdf2;
use crate::sha1::Sha1;
use crate::sha2::{Sha224, Sha256, Sha384, Sha512};
use core::num::NonZeroU32;
use digest::Digest;

const COUNT: usize = 66_000;

/// Runs a test with every implementation of a hash. Other tests that run meanwhile have it as well.
fn with_each(primitive: &str, test: &dyn Fn()) {
    let primitive = crate::primitives().iter().find(|known| known.name() == primitive).expect("a hash");
    for implementation in primitive.implementations().filter(|implementation| implementation.usable) {
        primitive.select(implementation.name).expect("an implementation");
        test();
    }
    primitive.reset();
}

/// Returns a message of so many bytes.
fn message(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

/// Messages of so many blocks, alone and side by side: as streams of instructions, and in lanes.
fn blocks<H: Hash>(primitive: &str, side_by_side: &[usize], reference: fn(&[u8]) -> Vec<u8>) {
    let message = message(COUNT * H::BLOCK_LEN);
    let expected = reference(&message);
    with_each(primitive, &|| {
        let mut hash = H::new();
        hash.update(&message);
        assert_eq!(hash.finalize().as_ref(), expected);
        assert_eq!(H::digest(&message).as_ref(), expected);
        for &count in side_by_side {
            let mut out = vec![H::digest(&[]); count];
            H::digest_many(&vec![&message; count], &mut out).expect("equal numbers");
            assert!(out.iter().all(|digest| digest.as_ref() == expected));
        }
    });
}

type Derive = fn(&[u8], &[u8], u32, &mut [u8]);

/// PBKDF2 of so many iterations, of some numbers of chains.
fn iterations<H: Hash>(primitive: &str, chains: &[usize], reference: Derive) {
    let mut expected = vec![0; chains[0] * H::OUTPUT_LEN];
    reference(b"password", b"salt", COUNT as u32, &mut expected);
    let iterations = NonZeroU32::new(COUNT as u32).expect("some");
    with_each(primitive, &|| {
        for chains in chains {
            let mut key = vec![0; chains * H::OUTPUT_LEN];
            pbkdf2::derive::<H>(b"password", b"salt", iterations, &mut key).expect("a short key");
            assert!(expected.starts_with(&key));
        }
    });
}

/// So many messages, tags and blocks of a key. No kernel has all of them at a time.
fn messages<H: Hash>(reference: fn(&[u8]) -> Vec<u8>, derive: Derive) {
    let text = message(100 + 251);
    let messages: Vec<&[u8]> = (0..COUNT).map(|i| &text[i % 251..][..i % 101]).collect();
    let mut digests = vec![H::digest(&[]); COUNT];
    H::digest_many(&messages, &mut digests).expect("equal numbers");
    assert!(digests.iter().zip(&messages).all(|(digest, message)| digest.as_ref() == reference(message)));

    let mut hashes = vec![H::new(); COUNT];
    H::update_many(&mut hashes, &messages).expect("equal numbers");
    assert!(hashes.into_iter().zip(&digests).all(|(hash, digest)| hash.finalize() == *digest));

    let key = HmacKey::<H>::new(b"key");
    let jobs: Vec<_> = messages.iter().map(|&message| (&key, message)).collect();
    mac_each(&jobs, &mut digests).expect("equal numbers");
    assert!(digests.iter().zip(&messages).all(|(tag, message)| *tag == key.mac(message)));

    let [mut key, mut expected] = [(); 2].map(|()| vec![0; COUNT * H::OUTPUT_LEN]);
    pbkdf2::derive::<H>(b"password", b"salt", NonZeroU32::MIN, &mut key).expect("a key");
    derive(b"password", b"salt", 1, &mut expected);
    assert!(key == expected);
}

#[test]
fn sha1() {
    blocks::<Sha1>("sha1", &[2, 5], |message| sha1::Sha1::digest(message).to_vec());
    iterations::<Sha1>("sha1", &[5, 2], ::pbkdf2::pbkdf2_hmac::<sha1::Sha1>);
}

#[test]
fn sha256() {
    let reference = |message: &[u8]| sha2::Sha256::digest(message).to_vec();
    blocks::<Sha256>("sha256", &[2, 5], reference);
    iterations::<Sha256>("sha256", &[5, 2], ::pbkdf2::pbkdf2_hmac::<sha2::Sha256>);
    iterations::<Sha224>("sha256", &[1], ::pbkdf2::pbkdf2_hmac::<sha2::Sha224>);
    messages::<Sha256>(reference, ::pbkdf2::pbkdf2_hmac::<sha2::Sha256>);
}

#[test]
fn sha512() {
    blocks::<Sha512>("sha512", &[4], |message| sha2::Sha512::digest(message).to_vec());
    iterations::<Sha512>("sha512", &[4], ::pbkdf2::pbkdf2_hmac::<sha2::Sha512>);
    iterations::<Sha384>("sha512", &[1], ::pbkdf2::pbkdf2_hmac::<sha2::Sha384>);
}
