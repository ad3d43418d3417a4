use crate::{case::*, lock, rival::*};
use orion::hazardous::{
    aead::chacha20poly1305 as aead, hash::sha2, kdf::hkdf, kdf::pbkdf2, mac::hmac, mac::poly1305,
    stream::chacha20,
};

pub(super) fn rival() -> Rival {
    Rival::new("orion", lock::version("orion", ""), prepare)
}

/// A module each, with types of the same methods.
macro_rules! hash {
    ($case:ident, $module:ident, $Hmac:ident, $Sha:ident, $PBKDF2:ident) => {{
        type Hmac = hmac::$module::$Hmac;
        fn key(key: &[u8]) -> Hmac {
            Hmac::new(&hmac::$module::SecretKey::try_from(key).unwrap())
        }
        match $case.work {
            Work::HmacNew(_) => $case.messages(|m, out| {
                let key = hmac::$module::SecretKey::try_from(&new_key()[..]).unwrap();
                out.copy_from_slice(Hmac::hmac(&key, m).unwrap().unprotected_as_ref())
            }),
            Work::Hmac(_) => {
                let key = key(&KEY);
                $case.messages(move |m, out| {
                    let mut hmac = key.clone();
                    hmac.update(m).unwrap();
                    out.copy_from_slice(hmac.finalize().unwrap().unprotected_as_ref())
                })
            }
            Work::HmacKey(_) => setup(|| key(new_key())),
            Work::Digest(_) => $case.messages(|m, out| {
                out.copy_from_slice(sha2::$module::$Sha::digest(m).unwrap().as_ref());
            }),
            _ => $case.passwords(|password, out| {
                let iterations = ITERATIONS as usize;
                pbkdf2::Pbkdf2::<pbkdf2::$PBKDF2>::derive_key(password, &SALT, iterations, out).unwrap()
            }),
        }
    }};
}

fn prepare(case: &Case) -> Option<Op> {
    Some(match case.work {
        Work::HmacNew(h) | Work::Hmac(h) | Work::HmacKey(h) | Work::Digest(h) | Work::Pbkdf2(h) => match h {
            Hash::Sha1 => return None,
            Hash::Sha256 => hash!(case, sha256, HmacSha256, Sha256, SHA256),
            Hash::Sha384 => hash!(case, sha384, HmacSha384, Sha384, SHA384),
            Hash::Sha512 => hash!(case, sha512, HmacSha512, Sha512, SHA512),
        },
        Work::HkdfExpand => {
            let key = hmac::sha256::Tag::try_from(&KEY[..]).unwrap();
            op(move |out| hkdf::Hkdf::<hkdf::SHA256>::expand(&key, Some(&INFO), out).unwrap())
        }
        Work::Seal(Aead::ChaChaPoly) | Work::Open(Aead::ChaChaPoly) => {
            let key = aead::SecretKey::try_from(&KEY[..]).unwrap();
            let nonce = aead::Nonce::try_from(&NONCE[..]).unwrap();
            if let Work::Open(a) = case.work {
                return Some(case.open(a, move |out| {
                    let (text, tag) = split(out);
                    let tag = poly1305::Tag::try_from(&tag[..]).unwrap();
                    aead::ChaCha20Poly1305::open_inplace(&key, &nonce, &tag, Some(&AAD), text).unwrap()
                }));
            }
            op(move |out| {
                let (text, tag) = split(out);
                let made = aead::ChaCha20Poly1305::seal_inplace(&key, &nonce, Some(&AAD), text).unwrap();
                tag.copy_from_slice(made.unprotected_as_ref())
            })
        }
        Work::ChaCha20 => {
            let key = chacha20::SecretKey::try_from(&KEY[..]).unwrap();
            let nonce = chacha20::Nonce::try_from(&NONCE[..]).unwrap();
            // Keyed once, rewound for each message.
            let mut stream = chacha20::ChaCha20::new(&key, &nonce);
            op(move |out| {
                stream.set_position(1);
                stream.xor_keystream_into(out).unwrap()
            })
        }
        Work::Poly1305 => case.messages(|m, out| {
            let key = poly1305::OneTimeKey::try_from(&new_key()[..]).unwrap();
            out.copy_from_slice(poly1305::Poly1305::poly1305(&key, m).unwrap().unprotected_as_ref())
        }),
        _ => return None,
    })
}
