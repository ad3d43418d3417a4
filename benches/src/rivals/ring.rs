use crate::{Op, Rival, case::*, op};
use ring::{aead, digest, hkdf, hmac, pbkdf2};
use std::{hint::black_box, num::NonZeroU32};

pub struct Ring;

fn hmac_alg(h: Hash) -> hmac::Algorithm {
    match h {
        Hash::Sha1 => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
        Hash::Sha256 => hmac::HMAC_SHA256,
        Hash::Sha384 => hmac::HMAC_SHA384,
        Hash::Sha512 => hmac::HMAC_SHA512,
    }
}

fn digest_alg(h: Hash) -> &'static digest::Algorithm {
    match h {
        Hash::Sha1 => &digest::SHA1_FOR_LEGACY_USE_ONLY,
        Hash::Sha256 => &digest::SHA256,
        Hash::Sha384 => &digest::SHA384,
        Hash::Sha512 => &digest::SHA512,
    }
}

fn pbkdf2_alg(h: Hash) -> pbkdf2::Algorithm {
    match h {
        Hash::Sha1 => pbkdf2::PBKDF2_HMAC_SHA1,
        Hash::Sha256 => pbkdf2::PBKDF2_HMAC_SHA256,
        Hash::Sha384 => pbkdf2::PBKDF2_HMAC_SHA384,
        Hash::Sha512 => pbkdf2::PBKDF2_HMAC_SHA512,
    }
}

fn aead_alg(a: Aead) -> &'static aead::Algorithm {
    match a {
        Aead::Aes128Gcm => &aead::AES_128_GCM,
        Aead::Aes256Gcm => &aead::AES_256_GCM,
        Aead::ChaChaPoly => &aead::CHACHA20_POLY1305,
    }
}

pub fn aead_key(a: Aead) -> aead::LessSafeKey {
    aead::LessSafeKey::new(aead::UnboundKey::new(aead_alg(a), &a.key()).unwrap())
}

struct Len(usize);
impl hkdf::KeyType for Len {
    fn len(&self) -> usize {
        self.0
    }
}

impl Rival for Ring {
    fn name(&self) -> String {
        "ring".into()
    }
    fn version(&self) -> String {
        crate::lock::version("ring", "")
    }
    fn prepare(&self, case: &Case) -> Option<Op> {
        match *case {
            Case::HmacNew { h, len } => {
                let (m, k) = (msg(len), key::<32>());
                op(move |out| {
                    let k = hmac::Key::new(hmac_alg(h), black_box(&k));
                    out.copy_from_slice(hmac::sign(&k, &m).as_ref())
                })
            }
            Case::HmacKeyed { h, len } => {
                let m = msg(len);
                let k = hmac::Key::new(hmac_alg(h), &key::<32>());
                op(move |out| out.copy_from_slice(hmac::sign(&k, &m).as_ref()))
            }
            Case::HmacBatch { h, n, len } => {
                let m = msg(n * len);
                let k = hmac::Key::new(hmac_alg(h), &key::<32>());
                op(move |out| {
                    for (m, o) in m.chunks_exact(len).zip(out.chunks_exact_mut(h.len())) {
                        o.copy_from_slice(hmac::sign(&k, m).as_ref())
                    }
                })
            }
            Case::Digest { h, len } => {
                let m = msg(len);
                op(move |out| out.copy_from_slice(digest::digest(digest_alg(h), &m).as_ref()))
            }
            Case::DigestBatch { h, n, len } => {
                let m = msg(n * len);
                op(move |out| {
                    for (m, o) in m.chunks_exact(len).zip(out.chunks_exact_mut(h.len())) {
                        o.copy_from_slice(digest::digest(digest_alg(h), m).as_ref())
                    }
                })
            }
            Case::Pbkdf2 { h, iters, blocks, .. } => op(move |out| {
                for (i, o) in out.chunks_exact_mut(h.len() * blocks).enumerate() {
                    pbkdf2::derive(pbkdf2_alg(h), NonZeroU32::new(iters).unwrap(), &SALT, &password(i), o)
                }
            }),
            Case::HkdfExpand { len } => {
                let prk = hkdf::Prk::new_less_safe(hkdf::HKDF_SHA256, &key::<32>());
                op(move |out| prk.expand(&[&INFO], Len(len)).unwrap().fill(out).unwrap())
            }
            Case::Seal { a, len } => {
                let k = aead_key(a);
                op(move |out| {
                    let n = aead::Nonce::assume_unique_for_key(NONCE);
                    let tag = k.seal_in_place_separate_tag(n, aead::Aad::from(AAD), &mut out[..len]).unwrap();
                    out[len..].copy_from_slice(tag.as_ref())
                })
            }
            Case::Open { a, len } => {
                let (k, ct) = (aead_key(a), sealed(a, len));
                op(move |out| {
                    out.copy_from_slice(&ct);
                    let n = aead::Nonce::assume_unique_for_key(NONCE);
                    k.open_in_place(n, aead::Aad::from(AAD), out).unwrap();
                })
            }
            Case::AeadKey { a } => {
                let k = a.key();
                op(move |_| {
                    black_box(aead::LessSafeKey::new(
                        aead::UnboundKey::new(aead_alg(a), black_box(&k)).unwrap(),
                    ));
                })
            }
            Case::HmacKey { h } => op(move |_| {
                black_box(hmac::Key::new(hmac_alg(h), black_box(&key::<32>())));
            }),
            // Only in place.
            Case::SealTo { .. } => None,
            Case::AesCtr { .. } | Case::ChaCha20 { .. } | Case::Poly1305 { .. } | Case::Memcpy { .. } => None,
        }
    }
}
