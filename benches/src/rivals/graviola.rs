use crate::{Op, Rival, case::*, op};
use graviola::aead::{AesGcm, ChaCha20Poly1305};
use graviola::hashing::{Hash as GHash, Sha256, Sha384, Sha512, hmac::Hmac};
use std::hint::black_box;

pub struct Graviola;

fn hmac<H: GHash + 'static>(case: &Case) -> Option<Op>
where
    Hmac<H>: Clone,
{
    match *case {
        Case::HmacNew { len, .. } => {
            let (m, k) = (msg(len), key::<32>());
            op(move |out| {
                let mut c = Hmac::<H>::new(black_box(&k));
                c.update(&m);
                out.copy_from_slice(c.finish().as_ref())
            })
        }
        Case::HmacKeyed { len, .. } => {
            let m = msg(len);
            let k = Hmac::<H>::new(key::<32>());
            op(move |out| {
                let mut c = k.clone();
                c.update(&m);
                out.copy_from_slice(c.finish().as_ref())
            })
        }
        Case::HmacBatch { h, n, len } => {
            let m = msg(n * len);
            let k = Hmac::<H>::new(key::<32>());
            op(move |out| {
                for (m, o) in m.chunks_exact(len).zip(out.chunks_exact_mut(h.len())) {
                    let mut c = k.clone();
                    c.update(m);
                    o.copy_from_slice(c.finish().as_ref())
                }
            })
        }
        Case::Digest { len, .. } => {
            let m = msg(len);
            op(move |out| out.copy_from_slice(H::hash(&m).as_ref()))
        }
        Case::DigestBatch { h, n, len } => {
            let m = msg(n * len);
            op(move |out| {
                for (m, o) in m.chunks_exact(len).zip(out.chunks_exact_mut(h.len())) {
                    o.copy_from_slice(H::hash(m).as_ref())
                }
            })
        }
        Case::HmacKey { .. } => op(move |_| {
            black_box(Hmac::<H>::new(black_box(key::<32>())));
        }),
        _ => None,
    }
}

impl Rival for Graviola {
    fn name(&self) -> String {
        "graviola".into()
    }
    fn version(&self) -> String {
        crate::lock::version("graviola", "")
    }
    fn prepare(&self, case: &Case) -> Option<Op> {
        match *case {
            Case::HmacNew { h, .. }
            | Case::HmacKeyed { h, .. }
            | Case::HmacBatch { h, .. }
            | Case::Digest { h, .. }
            | Case::DigestBatch { h, .. }
            | Case::HmacKey { h } => match h {
                Hash::Sha1 => None,
                Hash::Sha256 => hmac::<Sha256>(case),
                Hash::Sha384 => hmac::<Sha384>(case),
                Hash::Sha512 => hmac::<Sha512>(case),
            },
            Case::Seal { a: Aead::ChaChaPoly, len } => {
                let k = ChaCha20Poly1305::new(key());
                op(move |out| {
                    let (text, tag) = out.split_at_mut(len);
                    k.encrypt(&NONCE, &AAD, text, tag.try_into().unwrap())
                })
            }
            Case::Open { a: Aead::ChaChaPoly, len } => {
                let k = ChaCha20Poly1305::new(key());
                let ct = sealed(Aead::ChaChaPoly, len);
                op(move |out| {
                    out.copy_from_slice(&ct);
                    let (text, tag) = out.split_at_mut(len);
                    k.decrypt(&NONCE, &AAD, text, tag).unwrap()
                })
            }
            Case::Seal { a, len } => {
                let k = AesGcm::new(&a.key());
                op(move |out| {
                    let (text, tag) = out.split_at_mut(len);
                    k.encrypt(&NONCE, &AAD, text, tag.try_into().unwrap())
                })
            }
            Case::Open { a, len } => {
                let k = AesGcm::new(&a.key());
                let ct = sealed(a, len);
                op(move |out| {
                    out.copy_from_slice(&ct);
                    let (text, tag) = out.split_at_mut(len);
                    k.decrypt(&NONCE, &AAD, text, tag).unwrap()
                })
            }
            Case::AeadKey { a: Aead::ChaChaPoly } => op(move |_| {
                black_box(ChaCha20Poly1305::new(black_box(key())));
            }),
            Case::AeadKey { a } => {
                let k = a.key();
                op(move |_| {
                    black_box(AesGcm::new(black_box(&k)));
                })
            }
            _ => None,
        }
    }
}
