use crate::{Op, Rival, case::*, op};
use orion::hazardous::{
    aead::chacha20poly1305 as aead, hash::sha2, kdf::hkdf, kdf::pbkdf2, mac::hmac, mac::poly1305,
    stream::chacha20,
};
use std::hint::black_box;

pub struct Orion;

macro_rules! hash_cases {
    ($case:expr, $hash:ident, $pb:ident, $Mac:ty, $Hash:ty) => {
        match *$case {
            Case::HmacNew { len, .. } => {
                let (m, k) = (msg(len), key::<32>());
                op(move |out| {
                    let k = hmac::$hash::SecretKey::try_from(&black_box(k)[..]).unwrap();
                    let t = <$Mac>::hmac(&k, &m).unwrap();
                    out.copy_from_slice(t.unprotected_as_ref())
                })
            }
            Case::HmacKeyed { len, .. } => {
                let m = msg(len);
                let k = hmac::$hash::SecretKey::try_from(&key::<32>()[..]).unwrap();
                let c = <$Mac>::new(&k);
                op(move |out| {
                    let mut c = c.clone();
                    c.update(&m).unwrap();
                    out.copy_from_slice(c.finalize().unwrap().unprotected_as_ref())
                })
            }
            Case::HmacBatch { h, n, len } => {
                let m = msg(n * len);
                let k = hmac::$hash::SecretKey::try_from(&key::<32>()[..]).unwrap();
                let c = <$Mac>::new(&k);
                op(move |out| {
                    for (m, o) in m.chunks_exact(len).zip(out.chunks_exact_mut(h.len())) {
                        let mut c = c.clone();
                        c.update(m).unwrap();
                        o.copy_from_slice(c.finalize().unwrap().unprotected_as_ref())
                    }
                })
            }
            Case::Pbkdf2 { h, iters, blocks, .. } => op(move |out| {
                for (i, o) in out.chunks_exact_mut(h.len() * blocks).enumerate() {
                    pbkdf2::Pbkdf2::<pbkdf2::$pb>::derive_key(&password(i), &SALT, iters as usize, o).unwrap()
                }
            }),
            Case::Digest { len, .. } => {
                let m = msg(len);
                op(move |out| out.copy_from_slice(<$Hash>::digest(&m).unwrap().as_ref()))
            }
            Case::DigestBatch { h, n, len } => {
                let m = msg(n * len);
                op(move |out| {
                    for (m, o) in m.chunks_exact(len).zip(out.chunks_exact_mut(h.len())) {
                        o.copy_from_slice(<$Hash>::digest(m).unwrap().as_ref())
                    }
                })
            }
            Case::HmacKey { .. } => op(move |_| {
                let k = hmac::$hash::SecretKey::try_from(&black_box(key::<32>())[..]).unwrap();
                black_box(<$Mac>::new(&k));
            }),
            _ => None,
        }
    };
}

impl Rival for Orion {
    fn name(&self) -> String {
        "orion".into()
    }
    fn version(&self) -> String {
        crate::lock::version("orion", "")
    }
    fn prepare(&self, case: &Case) -> Option<Op> {
        match *case {
            Case::HmacNew { h, .. }
            | Case::HmacKeyed { h, .. }
            | Case::HmacBatch { h, .. }
            | Case::Digest { h, .. }
            | Case::DigestBatch { h, .. }
            | Case::Pbkdf2 { h, .. }
            | Case::HmacKey { h } => match h {
                Hash::Sha1 => None,
                Hash::Sha256 => {
                    hash_cases!(case, sha256, SHA256, hmac::sha256::HmacSha256, sha2::sha256::Sha256)
                }
                Hash::Sha384 => {
                    hash_cases!(case, sha384, SHA384, hmac::sha384::HmacSha384, sha2::sha384::Sha384)
                }
                Hash::Sha512 => {
                    hash_cases!(case, sha512, SHA512, hmac::sha512::HmacSha512, sha2::sha512::Sha512)
                }
            },
            Case::HkdfExpand { .. } => {
                let prk = hmac::sha256::Tag::try_from(&key::<32>()[..]).unwrap();
                op(move |out| hkdf::Hkdf::<hkdf::SHA256>::expand(&prk, Some(&INFO), out).unwrap())
            }
            Case::Seal { a: Aead::ChaChaPoly, len } => {
                let k = aead::SecretKey::try_from(&key::<32>()[..]).unwrap();
                let n = aead::Nonce::try_from(&NONCE[..]).unwrap();
                op(move |out| {
                    let t =
                        aead::ChaCha20Poly1305::seal_inplace(&k, &n, Some(&AAD), &mut out[..len]).unwrap();
                    out[len..].copy_from_slice(t.unprotected_as_ref())
                })
            }
            Case::Open { a: Aead::ChaChaPoly, len } => {
                let k = aead::SecretKey::try_from(&key::<32>()[..]).unwrap();
                let n = aead::Nonce::try_from(&NONCE[..]).unwrap();
                let ct = sealed(Aead::ChaChaPoly, len);
                op(move |out| {
                    out.copy_from_slice(&ct);
                    let (text, tag) = out.split_at_mut(len);
                    let t = poly1305::Tag::try_from(&*tag).unwrap();
                    aead::ChaCha20Poly1305::open_inplace(&k, &n, &t, Some(&AAD), text).unwrap()
                })
            }
            Case::ChaCha20 { .. } => {
                let k = chacha20::SecretKey::try_from(&key::<32>()[..]).unwrap();
                let n = chacha20::Nonce::try_from(&NONCE[..]).unwrap();
                // Keyed once, rewound for each message.
                let mut stream = chacha20::ChaCha20::new(&k, &n);
                op(move |out| {
                    stream.set_position(1);
                    stream.xor_keystream_into(out).unwrap()
                })
            }
            Case::Poly1305 { len } => {
                let (m, k) = (msg(len), key::<32>());
                op(move |out| {
                    let k = poly1305::OneTimeKey::try_from(&black_box(k)[..]).unwrap();
                    let t = poly1305::Poly1305::poly1305(&k, &m).unwrap();
                    out.copy_from_slice(t.unprotected_as_ref())
                })
            }
            _ => None,
        }
    }
}
