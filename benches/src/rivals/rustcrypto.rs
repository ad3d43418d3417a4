//! RustCrypto, the newest stable generation; and AES-CTR of the one before, which is faster for short texts.

use super::version;
use crate::{case::*, rival::*};
use aes_gcm::aead::{AeadInOut, KeyInit, Nonce, inout::InOutBuf};
use hmac::{EagerHash, Hmac, Mac};
use sha2::{Digest, Sha256, Sha384, Sha512};

/// Keyed once, rewound to `start` for each message: the nonce is no part of the key.
macro_rules! stream {
    ($traits:ident, $Cipher:ty, $key:expr, $iv:expr, $start:literal) => {{
        use $traits::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
        let mut cipher = <$Cipher>::new_from_slices($key, $iv).unwrap();
        op(move |out| {
            cipher.seek($start);
            cipher.apply_keystream(out)
        })
    }};
}

pub(super) fn rival(name: &'static str) -> Option<Rival> {
    let crates = [
        "hmac", "sha1", "sha2", "pbkdf2", "hkdf", "aes", "aes-gcm", "aes-gcm-siv", "xaes-256-gcm",
        "poly1305", "chacha20",
    ];
    let versions = crates.map(|part| format!("{part} {}", version(part)));
    Some(Rival::new(name, versions.join(", "), prepare))
}

pub(super) fn before(name: &'static str) -> Option<Rival> {
    Some(Rival::new(name, "aes 0.8, ctr 0.9", |case| match case.algorithm {
        "aes128ctr" => Some(stream!(old_ctr, old_ctr::Ctr128BE<old_aes::Aes128>, case.key(), &IV16, 0)),
        "aes256ctr" => Some(stream!(old_ctr, old_ctr::Ctr128BE<old_aes::Aes256>, case.key(), &IV16, 0)),
        _ => None,
    }))
}

fn hash<D: EagerHash + Digest + 'static>(case: &Case) -> Op {
    match case.table {
        "HMAC" => case.hmac(
            |key| <Hmac<D> as KeyInit>::new_from_slice(key).unwrap(),
            |hmac, m, out| {
                let mut hmac = hmac.into_owned();
                hmac.update(m);
                out.copy_from_slice(&hmac.finalize().into_bytes())
            },
        ),
        "Hash" => case.messages(|m, out| out.copy_from_slice(&D::digest(m))),
        _ => case.passwords(|password, out| pbkdf2::pbkdf2_hmac::<D>(password, &SALT, ITERATIONS, out)),
    }
}

fn aead<A: AeadInOut + KeyInit + 'static>(case: &Case) -> Op {
    fn nonce<A: AeadInOut>() -> &'static Nonce<A> {
        NONCE24[..size_of::<Nonce<A>>()].try_into().unwrap()
    }
    case.aead(
        |key| A::new_from_slice(key).unwrap(),
        |key, from, out| {
            let (out, tag) = split(out);
            let text = match from {
                None => InOutBuf::from(out),
                Some(from) => InOutBuf::new(from, out).unwrap(),
            };
            tag.copy_from_slice(&key.encrypt_inout_detached(nonce::<A>(), &AAD, text).unwrap())
        },
        |key, out| {
            let (text, tag) = split(out);
            let tag = tag[..].try_into().unwrap();
            key.decrypt_inout_detached(nonce::<A>(), &AAD, text.into(), tag).unwrap()
        },
    )
}

fn prepare(case: &Case) -> Option<Op> {
    Some(match case.algorithm {
        "hkdf-sha256" => {
            let key = hkdf::Hkdf::<Sha256>::from_prk(&KEY).unwrap();
            op(move |out| key.expand(&INFO, out).unwrap())
        }
        "aes128ctr" => stream!(ctr, ctr::Ctr128BE<aes::Aes128>, case.key(), &IV16, 0),
        "aes256ctr" => stream!(ctr, ctr::Ctr128BE<aes::Aes256>, case.key(), &IV16, 0),
        "chacha20" => stream!(chacha20, chacha20::ChaCha20, &KEY, &NONCE, 64),
        "aes128gcm" => aead::<aes_gcm::Aes128Gcm>(case),
        "aes256gcm" => aead::<aes_gcm::Aes256Gcm>(case),
        "aes128gcmsiv" => aead::<aes_gcm_siv::Aes128GcmSiv>(case),
        "aes256gcmsiv" => aead::<aes_gcm_siv::Aes256GcmSiv>(case),
        "xaes256gcm" => aead::<xaes_256_gcm::Xaes256Gcm>(case),
        "chachapoly" => aead::<chacha20poly1305::ChaCha20Poly1305>(case),
        "poly1305" => case.messages(|m, out| {
            let key = <poly1305::Poly1305 as KeyInit>::new(new_key().into());
            out.copy_from_slice(&key.compute_unpadded(m))
        }),
        _ => case.by_hash([hash::<sha1::Sha1>, hash::<Sha256>, hash::<Sha384>, hash::<Sha512>])?(case),
    })
}
