//! The interface that ring and aws-lc-rs share: `super::lib` is one of them.

use super::lib::{aead, digest, hkdf, hmac, pbkdf2};
use crate::{case::*, rival::*};
use std::num::NonZeroU32;

/// Returns what sets the key of a case's AEAD up.
pub(super) fn aead_key(case: &Case) -> Option<impl Fn(&[u8]) -> aead::LessSafeKey + use<>> {
    let algorithm = case.by_aead([&aead::AES_128_GCM, &aead::AES_256_GCM, &aead::CHACHA20_POLY1305]);
    let algorithm = algorithm.or_else(|| super::other_aead(case))?;
    Some(|key: &[u8]| aead::LessSafeKey::new(aead::UnboundKey::new(algorithm, key).unwrap()))
}

pub(super) fn nonce() -> (aead::Nonce, aead::Aad<[u8; 13]>) {
    (aead::Nonce::assume_unique_for_key(NONCE), aead::Aad::from(AAD))
}

/// Seals in place, for `copying`.
fn seal(key: &aead::LessSafeKey, text: &mut [u8], tag: &mut [u8; 16]) {
    let (nonce, aad) = nonce();
    tag.copy_from_slice(key.seal_in_place_separate_tag(nonce, aad, text).unwrap().as_ref())
}

pub(super) fn open(key: &aead::LessSafeKey, out: &mut [u8]) {
    let (nonce, aad) = nonce();
    key.open_in_place(nonce, aad, out).unwrap();
}

struct Len(usize);

impl hkdf::KeyType for Len {
    fn len(&self) -> usize {
        self.0
    }
}

pub(super) fn prepare(case: &Case) -> Option<Op> {
    Some(match case.table {
        "HMAC" => {
            use hmac::*;
            let algorithms = [HMAC_SHA1_FOR_LEGACY_USE_ONLY, HMAC_SHA256, HMAC_SHA384, HMAC_SHA512];
            let algorithm = case.by_hash(algorithms)?;
            let new = move |key: &[u8; 32]| Key::new(algorithm, key);
            case.hmac(new, |key, m, out| out.copy_from_slice(sign(&key, m).as_ref()))
        }
        "Hash" => {
            use digest::*;
            let algorithm = case.by_hash([&SHA1_FOR_LEGACY_USE_ONLY, &SHA256, &SHA384, &SHA512])?;
            case.messages(move |m, out| out.copy_from_slice(digest(algorithm, m).as_ref()))
        }
        "PBKDF2" => {
            use pbkdf2::*;
            let algorithms = [PBKDF2_HMAC_SHA1, PBKDF2_HMAC_SHA256, PBKDF2_HMAC_SHA384, PBKDF2_HMAC_SHA512];
            let (algorithm, iterations) = (case.by_hash(algorithms)?, NonZeroU32::new(ITERATIONS).unwrap());
            case.passwords(move |password, out| derive(algorithm, iterations, &SALT, password, out))
        }
        "HKDF" => {
            let key = hkdf::Prk::new_less_safe(hkdf::HKDF_SHA256, &KEY);
            op(move |out| key.expand(&[&INFO], Len(out.len())).unwrap().fill(out).unwrap())
        }
        _ => case.aead(aead_key(case)?, copying(seal), open),
    })
}
