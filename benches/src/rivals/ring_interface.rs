//! The interface that ring and aws-lc-rs share: `super::lib` is one of them.

use super::lib::{aead, digest, hkdf, hmac, pbkdf2};
use crate::{case::*, rival::*};
use std::{hint::black_box, num::NonZeroU32};

fn hmac_key(h: Hash, key: &[u8]) -> hmac::Key {
    let algorithms =
        [hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, hmac::HMAC_SHA256, hmac::HMAC_SHA384, hmac::HMAC_SHA512];
    hmac::Key::new(algorithms[h as usize], key)
}

pub(super) fn aead_key(a: Aead, key: &[u8]) -> aead::LessSafeKey {
    let algorithms = [&aead::AES_128_GCM, &aead::AES_256_GCM, &aead::CHACHA20_POLY1305];
    aead::LessSafeKey::new(aead::UnboundKey::new(algorithms[a as usize], key).unwrap())
}

struct Len(usize);

impl hkdf::KeyType for Len {
    fn len(&self) -> usize {
        self.0
    }
}

pub(super) fn prepare(case: &Case) -> Option<Op> {
    Some(match case.work {
        Work::HmacNew(h) => case.messages(move |m, out| {
            out.copy_from_slice(hmac::sign(&hmac_key(h, new_key()), m).as_ref());
        }),
        Work::Hmac(h) => {
            let key = hmac_key(h, &KEY);
            case.messages(move |m, out| out.copy_from_slice(hmac::sign(&key, m).as_ref()))
        }
        Work::HmacKey(h) => setup(move || hmac_key(h, new_key())),
        Work::Digest(h) => {
            let algorithms =
                [&digest::SHA1_FOR_LEGACY_USE_ONLY, &digest::SHA256, &digest::SHA384, &digest::SHA512];
            let algorithm = algorithms[h as usize];
            case.messages(move |m, out| out.copy_from_slice(digest::digest(algorithm, m).as_ref()))
        }
        Work::Pbkdf2(h) => {
            let algorithms = [
                pbkdf2::PBKDF2_HMAC_SHA1,
                pbkdf2::PBKDF2_HMAC_SHA256,
                pbkdf2::PBKDF2_HMAC_SHA384,
                pbkdf2::PBKDF2_HMAC_SHA512,
            ];
            let (algorithm, iterations) = (algorithms[h as usize], NonZeroU32::new(ITERATIONS).unwrap());
            case.passwords(move |password, out| pbkdf2::derive(algorithm, iterations, &SALT, password, out))
        }
        Work::HkdfExpand => {
            let key = hkdf::Prk::new_less_safe(hkdf::HKDF_SHA256, &KEY);
            op(move |out| key.expand(&[&INFO], Len(out.len())).unwrap().fill(out).unwrap())
        }
        Work::Seal(a) => {
            let key = aead_key(a, a.key());
            op(move |out| {
                let (nonce, (text, tag)) = (aead::Nonce::assume_unique_for_key(NONCE), split(out));
                let made = key.seal_in_place_separate_tag(nonce, aead::Aad::from(AAD), text).unwrap();
                tag.copy_from_slice(made.as_ref())
            })
        }
        Work::Open(a) => {
            let key = aead_key(a, a.key());
            case.open(a, move |out| {
                let nonce = aead::Nonce::assume_unique_for_key(NONCE);
                key.open_in_place(nonce, aead::Aad::from(AAD), out).unwrap();
            })
        }
        Work::AeadKey(a) => setup(move || aead_key(a, black_box(a.key()))),
        _ => return None,
    })
}
