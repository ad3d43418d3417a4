//! What both generations of RustCrypto share: `super` names the crates of one, and seals with them.

use super::{aes, aes_gcm, chacha20, chacha20poly1305, ctr, hkdf, hmac, pbkdf2, poly1305, sha1, sha2};
use super::{open, seal, seal_to};
use crate::{case::*, rival::*};
use aes_gcm::{Aes128Gcm, Aes256Gcm, KeyInit};
use chacha20poly1305::ChaCha20Poly1305;
use ctr::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use hmac::{Hmac, Mac};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};
use std::hint::black_box;

// Macros, since the bounds of a generic function differ between the generations.
macro_rules! hash {
    ($case:ident, $D:ty) => {{
        fn key(key: &[u8]) -> Hmac<$D> {
            <Hmac<$D> as hmac::digest::KeyInit>::new_from_slice(key).unwrap()
        }
        fn mac(mut hmac: Hmac<$D>, m: &[u8], out: &mut [u8]) {
            hmac.update(m);
            out.copy_from_slice(&hmac.finalize().into_bytes())
        }
        match $case.work {
            Work::HmacNew(_) => $case.messages(|m, out| mac(key(new_key()), m, out)),
            Work::Hmac(_) => {
                let key = key(&KEY);
                $case.messages(move |m, out| mac(key.clone(), m, out))
            }
            Work::HmacKey(_) => setup(|| key(new_key())),
            Work::Digest(_) => $case.messages(|m, out| out.copy_from_slice(&<$D>::digest(m))),
            _ => $case.passwords(|password, out| {
                pbkdf2::pbkdf2_hmac::<$D>(password, &SALT, ITERATIONS, out);
            }),
        }
    }};
}

macro_rules! aead {
    ($case:ident, $a:ident, $A:ty) => {{
        let key = <$A as KeyInit>::new_from_slice($a.key()).unwrap();
        match $case.work {
            Work::Seal(_) => op(move |out| {
                let (text, tag) = split(out);
                seal(&key, text, tag)
            }),
            Work::SealTo(_) => $case.seal_to(move |text, out| {
                let (out, tag) = split(out);
                seal_to(&key, text, out, tag)
            }),
            Work::Open(a) => $case.open(a, move |out| {
                let (text, tag) = split(out);
                open(&key, text, tag)
            }),
            _ => setup(move || <$A as KeyInit>::new_from_slice(black_box($a.key())).unwrap()),
        }
    }};
}

/// Keyed once, rewound to `start` for each message: the nonce is no part of the key.
fn stream(mut cipher: impl StreamCipher + StreamCipherSeek + 'static, start: u64) -> Op {
    op(move |out| {
        cipher.seek(start);
        cipher.apply_keystream(out)
    })
}

pub(super) fn prepare(case: &Case) -> Option<Op> {
    Some(match case.work {
        Work::HmacNew(h) | Work::Hmac(h) | Work::HmacKey(h) | Work::Digest(h) | Work::Pbkdf2(h) => match h {
            Hash::Sha1 => hash!(case, Sha1),
            Hash::Sha256 => hash!(case, Sha256),
            Hash::Sha384 => hash!(case, Sha384),
            Hash::Sha512 => hash!(case, Sha512),
        },
        Work::Seal(a) | Work::SealTo(a) | Work::Open(a) | Work::AeadKey(a) => match a {
            Aead::Aes128Gcm => aead!(case, a, Aes128Gcm),
            Aead::Aes256Gcm => aead!(case, a, Aes256Gcm),
            Aead::ChaChaPoly => aead!(case, a, ChaCha20Poly1305),
        },
        Work::AesCtr(128) => stream(
            ctr::Ctr128BE::<aes::Aes128>::new(KEY.first_chunk::<16>().unwrap().into(), &IV16.into()),
            0,
        ),
        Work::AesCtr(_) => stream(ctr::Ctr128BE::<aes::Aes256>::new(&KEY.into(), &IV16.into()), 0),
        Work::ChaCha20 => stream(chacha20::ChaCha20::new(&KEY.into(), &NONCE.into()), 64),
        Work::HkdfExpand => {
            let key = hkdf::Hkdf::<Sha256>::from_prk(&KEY).unwrap();
            op(move |out| key.expand(&INFO, out).unwrap())
        }
        Work::Poly1305 => case.messages(|m, out| {
            let key = <poly1305::Poly1305 as KeyInit>::new(new_key().into());
            out.copy_from_slice(&key.compute_unpadded(m))
        }),
        Work::Memcpy => return None,
    })
}
