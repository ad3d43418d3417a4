//! Other promises of the traits, and Keylane's inherent methods while the traits are in scope.

use aead::{AeadInOut, inout::InOutBuf};
use blake2::Blake2b512;
use cipher::{AlgorithmName, KeyIvInit, StreamCipher, StreamCipherSeek};
use digest::{KeyInit, Mac};
use keylane::aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm, Ghash};
use keylane::chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use keylane::hmac::{Hmac, HmacKey};
use keylane::rustcrypto::{self, Aes128, Aes256, Ctr128BE, GenericHmacKey};
use keylane::sha1::Sha1;
use keylane::sha2::{Sha256, Sha512_256};
use keylane::{aes::Aes, aes_ctr, chacha20, pbkdf2, poly1305};
use keylane_contracts::painted;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use universal_hash::UniversalHash;
use zeroize::ZeroizeOnDrop;

/// RustCrypto's PBKDF2 over Keylane's HMAC and over Keylane's hash.
#[test]
fn derivation_by_rustcrypto() {
    let iterations = NonZeroU32::new(5).unwrap();
    let (mut expected, mut out) = ([0; 150], [0; 150]);
    ::pbkdf2::pbkdf2::<Hmac<Sha256>>(b"password", b"salt", 5, &mut expected).unwrap();
    pbkdf2::derive::<Sha256>(b"password", b"salt", iterations, &mut out).unwrap();
    assert_eq!(out, expected);
    ::pbkdf2::pbkdf2_hmac::<Sha256>(b"password", b"salt", 5, &mut expected);
    assert_eq!(out, expected);
    ::pbkdf2::pbkdf2_hmac::<rustcrypto::Sha256>(b"password", b"salt", 5, &mut expected);
    assert_eq!(out, expected);
    rustcrypto::pbkdf2_hmac::<rustcrypto::Sha256>(b"password", b"salt", 5, &mut expected);
    assert_eq!(out, expected);
}

/// With all traits in scope, a name that is in both means Keylane's method.
#[test]
fn inherent_methods_take_precedence() {
    let digest: [u8; 32] = Sha256::digest(b"message");
    let mut hash = Sha256::new();
    hash.update(b"message");
    assert_eq!(hash.finalize(), digest);

    let mut mac = Hmac::<Sha256>::new(b"any length");
    mac.update(b"message");
    let tag: [u8; 32] = mac.finalize_reset();
    mac.update(b"message");
    assert_eq!(mac.verify(&tag), Ok(()));

    let _: Aes128Gcm = Aes128Gcm::new(&[7; 16]);
    let tag: [u8; 16] = poly1305::Poly1305::new(&[7; 32]).finalize();
    assert_eq!(tag, [7; 16]);
    let mut stream = chacha20::ChaCha20::new(&[7; 32], &[9; 12]);
    assert_eq!(stream.seek(u64::MAX), Err(keylane::Error::InputTooLong { max: 1 << 38 }));
}

fn refuses<A: AeadInOut + KeyInit>() {
    let cipher = A::new_from_slice(&painted(A::key_size())).unwrap();
    let nonce = aead::Nonce::<A>::default();
    for len in [0, 1, 16, 100, 1000] {
        let text = painted(len);
        let mut sealed = text.clone();
        let mut tag = cipher.encrypt_inout_detached(&nonce, b"aad", sealed[..].as_mut().into()).unwrap();
        tag[15] ^= 0x80;
        let mut apart = vec![0xa5; len];
        let sealed_to = InOutBuf::new(&sealed, &mut apart).unwrap();
        assert_eq!(cipher.decrypt_inout_detached(&nonce, b"aad", sealed_to, &tag), Err(aead::Error));
        assert_eq!(apart, vec![0; len], "a trace of the text");
        let in_place = sealed[..].as_mut().into();
        assert_eq!(cipher.decrypt_inout_detached(&nonce, b"aad", in_place, &tag), Err(aead::Error));
        assert_eq!(sealed, vec![0; len], "a trace of the text");
    }
    // Shorter than a tag.
    assert_eq!(cipher.decrypt_in_place(&nonce, b"", &mut vec![0; 15]), Err(aead::Error));
    for len in (0..100).filter(|&len| len != A::key_size()) {
        assert!(A::new_from_slice(&painted(len)).is_err(), "{len} bytes");
    }
}

#[test]
fn a_forgery_leaves_no_plaintext() {
    refuses::<Aes128Gcm>();
    refuses::<Aes192Gcm>();
    refuses::<Aes256Gcm>();
    refuses::<ChaCha20Poly1305>();
    refuses::<XChaCha20Poly1305>();
    refuses::<keylane::aes_gcm_siv::Aes256GcmSiv>();
    refuses::<keylane::xaes::Xaes256Gcm>();
    refuses::<rustcrypto::Aes256Gcm>();
}

/// The trait's truncated tags have 1 byte or more, its whole tags all bytes.
#[test]
fn truncated_tags() {
    let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(b"key").unwrap().chain_update(b"message");
    let tag = HmacKey::<Sha256>::new(b"key").mac(b"message");
    for len in 0..=33 {
        let left = &[&tag[..], &[0]].concat()[..len];
        let right = &[&[0], &tag[..]].concat()[33 - len..];
        assert_eq!(mac.clone().verify_truncated_left(left).is_ok(), (1..=32).contains(&len), "{len}");
        assert_eq!(mac.clone().verify_truncated_right(right).is_ok(), (1..=32).contains(&len), "{len}");
        assert_eq!(mac.clone().verify_slice(left).is_ok(), len == 32, "{len}");
        if len > 0 {
            let wrong = [&left[..len - 1], &[left[len - 1] ^ 1]].concat();
            assert!(mac.clone().verify_truncated_left(&wrong).is_err(), "{len}");
        }
    }
}

#[test]
fn chacha20_ends_where_its_counter_does() {
    let mut stream = <rustcrypto::ChaCha20 as KeyIvInit>::new(&[7; 32].into(), &[9; 12].into());
    for position in [1_u64 << 38, (1 << 38) - 1, (1 << 38) - 64] {
        stream.seek(position);
        assert_eq!(stream.current_pos::<u64>(), position);
        let left = ((1 << 38) - position) as usize;
        let mut data = painted(left + 1);
        assert!(stream.try_apply_keystream(&mut data).is_err());
        assert_eq!(data, painted(left + 1), "changed");
        assert!(stream.try_write_keystream(&mut data).is_err());
        assert!(stream.try_apply_keystream(&mut data[..left]).is_ok());
        assert!(left == 0 || data != painted(left + 1));
        assert!(stream.try_current_pos::<i32>().is_err());
    }
    stream.seek(100);
    assert!(stream.try_seek((1_u64 << 38) + 1).is_err());
    assert!(stream.try_seek(u128::MAX).is_err());
    for negative in [-1, -15, -64, i32::MIN] {
        assert!(stream.try_seek(negative).is_err());
    }
    assert_eq!(stream.current_pos::<i32>(), 100, "the position changed");
    assert!(stream.try_apply_keystream_b2b(&[0; 3], &mut [0; 4]).is_err());
}

#[test]
fn ctr_ends_at_the_last_position() {
    let new = || <Ctr128BE<Aes128> as KeyIvInit>::new(&[7; 16].into(), &[0; 16].into());
    let mut stream = new();
    stream.seek(u128::MAX - 4);
    assert_eq!(stream.current_pos::<u128>(), u128::MAX - 4);
    assert!(stream.try_current_pos::<u64>().is_err());
    let mut data = [0; 5];
    assert!(stream.try_apply_keystream(&mut data).is_err());
    assert_eq!(data, [0; 5], "changed");
    stream.apply_keystream(&mut data[..4]);
    assert_eq!(stream.current_pos::<u128>(), u128::MAX);
    // The same block, as the first of a stream.
    let counter = (u128::MAX / 16).to_be_bytes();
    let mut stream = <Ctr128BE<Aes128> as KeyIvInit>::new(&[7; 16].into(), &counter.into());
    let mut expected = [0; 4];
    stream.seek(11);
    stream.apply_keystream(&mut expected);
    assert_eq!(data[..4], expected);
    for negative in [-1, -15, i32::MIN] {
        assert!(stream.try_seek(negative).is_err());
    }
    assert_eq!(stream.current_pos::<i32>(), 15, "the position changed");
}

/// An algorithm's name.
struct Name<T>(PhantomData<T>);

impl<T: AlgorithmName> fmt::Display for Name<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::write_alg_name(f)
    }
}

#[test]
fn names() {
    assert_eq!(Name::<Sha1>(PhantomData).to_string(), "Sha1");
    assert_eq!(Name::<Hmac<Sha512_256>>(PhantomData).to_string(), "Hmac<Sha512_256>");
    assert_eq!(Name::<rustcrypto::Sha512_256>(PhantomData).to_string(), "Sha512_256");
    assert_eq!(Name::<rustcrypto::Hmac<Sha256>>(PhantomData).to_string(), "Hmac<Sha256>");
    assert_eq!(Name::<rustcrypto::Hmac<rustcrypto::Sha384>>(PhantomData).to_string(), "Hmac<Sha384>");
    assert_eq!(Name::<Aes256>(PhantomData).to_string(), "Aes256");
}

#[test]
fn wiped_when_dropped() {
    fn wiped<T: ZeroizeOnDrop>() {}
    wiped::<Aes256>();
    wiped::<Ctr128BE<Aes256>>();
    wiped::<Ghash>();
    wiped::<rustcrypto::Hmac<Sha256>>();
    wiped::<rustcrypto::Sha256>();
    wiped::<GenericHmacKey<Sha256>>();
    wiped::<rustcrypto::GenericHmac<Sha256>>();
    wiped::<rustcrypto::Aes256Gcm>();
}

/// A reset discards the message and keeps the key.
#[test]
fn reset() {
    let key = HmacKey::<Sha256>::new(b"key");
    let mut mac = rustcrypto::Hmac::<Sha256>::from(key.start());
    digest::Update::update(&mut mac, b"what is forgotten");
    digest::Reset::reset(&mut mac);
    assert_eq!(mac.into_inner().finalize(), key.mac(b""));

    let mut hash = rustcrypto::GHash::new(&[7; 16].into());
    hash.update(&[[9; 16].into()]);
    digest::Reset::reset(&mut hash);
    assert_eq!(UniversalHash::finalize(hash.clone()), [0; 16]);
    let mut own = Ghash::new(&[7; 16]);
    own.update(&[[5; 16]]);
    hash.update(&[[5; 16].into()]);
    assert_eq!(UniversalHash::finalize(hash), own.finalize());
}

/// In the traits, HMAC's key has the length of a block.
#[test]
fn a_key_as_long_as_a_block() {
    let key = <HmacKey<Sha256> as KeyInit>::new(&[7; 64].into());
    assert_eq!(key.mac(b"message"), HmacKey::<Sha256>::new(&[7; 64]).mac(b"message"));
}

/// Converts between a type with inherent methods and the type with only the traits.
#[test]
fn conversion_to_traits_only_and_back() {
    let nonce = [9; 12];
    let own = Aes256Gcm::new(&[7; 32]);
    let mut data = *b"text";
    let tag = own.seal(&nonce, b"aad", &mut data).unwrap();
    let only = rustcrypto::Aes256Gcm::from(own);
    only.into_inner().open(&nonce, b"aad", &mut data, &tag).unwrap();
    assert_eq!(&data, b"text");
}

#[test]
fn copies_of_a_stream_are_independent() {
    let mut stream = Ctr128BE::<Aes128>::new(&[7; 16].into(), &[9; 16].into());
    stream.apply_keystream(&mut [0; 33]);
    let mut copy = stream.clone();
    let (mut first, mut second) = (painted(100), painted(100));
    stream.apply_keystream(&mut first);
    copy.apply_keystream(&mut second);
    assert_eq!(first, second);
}

#[test]
fn debug_output_has_no_keys() {
    let ctr = Ctr128BE::<Aes128>::new(&[7; 16].into(), &[9; 16].into());
    assert_eq!(format!("{ctr:?}"), format!("{:?}", aes_ctr::AesCtr::new(&Aes::new_128(&[7; 16]), &[9; 16])));
    let key = GenericHmacKey::<Blake2b512>::new(b"key");
    assert_eq!(format!("{key:?} {:?}", key.start()), "GenericHmacKey { .. } GenericHmac { .. }");
    let only = rustcrypto::Poly1305::new(&[7; 32].into());
    assert_eq!(format!("{only:?}"), format!("{:?}", poly1305::Poly1305::new(&[7; 32])));
}
