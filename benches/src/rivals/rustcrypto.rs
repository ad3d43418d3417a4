//! RustCrypto: the latest stable generation (`new`) and the one before (`old`).
//! The two differ only in the AEAD in-place signature and in the poly1305 entry.

macro_rules! generation {
    ($module:ident, $label:literal, $hmac:ident, $sha1:ident, $sha2:ident, $pbkdf2:ident, $hkdf:ident,
     $aes:ident, $ctr:ident, $aes_gcm:ident, $poly1305:ident, $chacha20:ident, $chacha:ident, $versions:expr, { $($glue:item)* }) => {
        #[doc = $label]
        pub mod $module {
            use crate::{Op, Rival, case::*, op};
            use std::hint::black_box;
            use $aes_gcm::{Aes128Gcm, Aes256Gcm, KeyInit};
            use $chacha::ChaCha20Poly1305;
            use $chacha20::ChaCha20;
            use $ctr::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
            use $hkdf::Hkdf;
            use $hmac::{Hmac, Mac};
            use $poly1305::Poly1305;
            use $sha1::Sha1;
            use $sha2::{Digest, Sha256, Sha384, Sha512};

            /// This generation.
            pub struct RustCrypto;

            $($glue)*

            macro_rules! hash_cases {
                ($case:expr, $D:ty) => {
                    match *$case {
                        Case::HmacNew { len, .. } => {
                            let (m, k) = (msg(len), key::<32>());
                            op(move |out| {
                                let mut c = <Hmac<$D> as $hmac::digest::KeyInit>::new_from_slice(black_box(&k)).unwrap();
                                c.update(&m);
                                out.copy_from_slice(&c.finalize().into_bytes())
                            })
                        }
                        Case::HmacKeyed { len, .. } => {
                            let m = msg(len);
                            let k = <Hmac<$D> as $hmac::digest::KeyInit>::new_from_slice(&key::<32>()).unwrap();
                            op(move |out| {
                                let mut c = k.clone();
                                c.update(&m);
                                out.copy_from_slice(&c.finalize().into_bytes())
                            })
                        }
                        Case::HmacBatch { h, n, len } => {
                            let m = msg(n * len);
                            let k = <Hmac<$D> as $hmac::digest::KeyInit>::new_from_slice(&key::<32>()).unwrap();
                            op(move |out| {
                                for (m, o) in m.chunks_exact(len).zip(out.chunks_exact_mut(h.len())) {
                                    let mut c = k.clone();
                                    c.update(m);
                                    o.copy_from_slice(&c.finalize().into_bytes())
                                }
                            })
                        }
                        Case::Digest { len, .. } => {
                            let m = msg(len);
                            op(move |out| out.copy_from_slice(&<$D>::digest(&m)))
                        }
                        Case::DigestBatch { h, n, len } => {
                            let m = msg(n * len);
                            op(move |out| {
                                for (m, o) in m.chunks_exact(len).zip(out.chunks_exact_mut(h.len())) {
                                    o.copy_from_slice(&<$D>::digest(m))
                                }
                            })
                        }
                        Case::Pbkdf2 { h, iters, blocks, .. } => op(move |out| {
                            for (i, o) in out.chunks_exact_mut(h.len() * blocks).enumerate() {
                                $pbkdf2::pbkdf2_hmac::<$D>(&password(i), &SALT, iters, o)
                            }
                        }),
                        Case::HmacKey { .. } => op(move |_| {
                            black_box(<Hmac<$D> as $hmac::digest::KeyInit>::new_from_slice(black_box(&key::<32>())).unwrap());
                        }),
                        _ => None,
                    }
                };
            }

            macro_rules! aead_cases {
                ($case:expr, $A:ty) => {
                    match *$case {
                        Case::Seal { a, len } => {
                            let k = <$A as KeyInit>::new_from_slice(&a.key()).unwrap();
                            op(move |out| {
                                let (text, tag) = out.split_at_mut(len);
                                seal(&k, text, tag)
                            })
                        }
                        Case::SealTo { a, len } => {
                            let k = <$A as KeyInit>::new_from_slice(&a.key()).unwrap();
                            let text = msg(len);
                            op(move |out| {
                                let (ct, tag) = out.split_at_mut(len);
                                seal_to(&k, &text, ct, tag)
                            })
                        }
                        Case::Open { a, len } => {
                            let k = <$A as KeyInit>::new_from_slice(&a.key()).unwrap();
                            let ct = sealed(a, len);
                            op(move |out| {
                                out.copy_from_slice(&ct);
                                let (text, tag) = out.split_at_mut(len);
                                open(&k, text, tag)
                            })
                        }
                        Case::AeadKey { a } => {
                            let k = a.key();
                            op(move |_| {
                                black_box(<$A as KeyInit>::new_from_slice(black_box(&k)).unwrap());
                            })
                        }
                        _ => None,
                    }
                };
            }

            macro_rules! ctr_case {
                ($C:ty, $n:literal) => {{
                    // Keyed once, rewound for each message (the counter block is not part of the key).
                    let mut s = $ctr::Ctr128BE::<$C>::new(&key::<$n>().into(), &IV16.into());
                    op(move |out| {
                        s.seek(0u64);
                        s.apply_keystream(out)
                    })
                }};
            }

            impl Rival for RustCrypto {
                fn name(&self) -> String {
                    $label.into()
                }
                fn version(&self) -> String {
                    crate::lock::versions(&$versions)
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
                            Hash::Sha1 => hash_cases!(case, Sha1),
                            Hash::Sha256 => hash_cases!(case, Sha256),
                            Hash::Sha384 => hash_cases!(case, Sha384),
                            Hash::Sha512 => hash_cases!(case, Sha512),
                        },
                        Case::Seal { a, .. }
                        | Case::SealTo { a, .. }
                        | Case::Open { a, .. }
                        | Case::AeadKey { a } => match a {
                            Aead::Aes128Gcm => aead_cases!(case, Aes128Gcm),
                            Aead::Aes256Gcm => aead_cases!(case, Aes256Gcm),
                            Aead::ChaChaPoly => aead_cases!(case, ChaCha20Poly1305),
                        },
                        Case::AesCtr { bits: 128, .. } => ctr_case!($aes::Aes128, 16),
                        Case::AesCtr { .. } => ctr_case!($aes::Aes256, 32),
                        Case::ChaCha20 { .. } => {
                            // Keyed once, rewound for each message.
                            let mut s = ChaCha20::new(&key::<32>().into(), &NONCE.into());
                            op(move |out| {
                                s.seek(64u64);
                                s.apply_keystream(out)
                            })
                        }
                        Case::HkdfExpand { .. } => {
                            let k = Hkdf::<Sha256>::from_prk(&key::<32>()).unwrap();
                            op(move |out| k.expand(&INFO, out).unwrap())
                        }
                        Case::Poly1305 { len } => {
                            let (m, k) = (msg(len), key::<32>());
                            op(move |out| {
                                let p = <Poly1305 as $poly1305::universal_hash::KeyInit>::new(
                                    black_box(&k).into(),
                                );
                                out.copy_from_slice(&p.compute_unpadded(&m))
                            })
                        }
                        Case::Memcpy { .. } => None,
                    }
                }
            }
        }
    };
}

generation!(
    new,
    "rustcrypto",
    rc_hmac,
    rc_sha1,
    rc_sha2,
    rc_pbkdf2,
    rc_hkdf,
    rc_aes,
    rc_ctr,
    rc_aes_gcm,
    rc_poly1305,
    rc_chacha20,
    rc_chacha20poly1305,
    [
        ("hmac", "0.13"),
        ("sha1", "0.11"),
        ("sha2", "0.11"),
        ("pbkdf2", "0.13"),
        ("hkdf", "0.13"),
        ("poly1305", "0.9"),
        ("chacha20", "0.10")
    ],
    {
        use rc_aes_gcm::aead::AeadInOut;

        fn seal<A: AeadInOut>(k: &A, text: &mut [u8], tag: &mut [u8]) {
            let t = k.encrypt_inout_detached(nonce::<A>(), &AAD, text.into()).unwrap();
            tag.copy_from_slice(&t)
        }
        fn seal_to<A: AeadInOut>(k: &A, text: &[u8], out: &mut [u8], tag: &mut [u8]) {
            let buffer = rc_aes_gcm::aead::inout::InOutBuf::new(text, out).unwrap();
            let t = k.encrypt_inout_detached(nonce::<A>(), &AAD, buffer).unwrap();
            tag.copy_from_slice(&t)
        }
        fn open<A: AeadInOut>(k: &A, text: &mut [u8], tag: &[u8]) {
            k.decrypt_inout_detached(nonce::<A>(), &AAD, text.into(), tag.try_into().unwrap()).unwrap()
        }
        fn nonce<A: AeadInOut>() -> &'static rc_aes_gcm::aead::Nonce<A> {
            NONCE[..].try_into().unwrap()
        }
    }
);

generation!(
    old,
    "rustcrypto-old",
    old_hmac,
    old_sha1,
    old_sha2,
    old_pbkdf2,
    old_hkdf,
    old_aes,
    old_ctr,
    old_aes_gcm,
    old_poly1305,
    old_chacha20,
    old_chacha20poly1305,
    [
        ("hmac", "0.12"),
        ("sha1", "0.10"),
        ("sha2", "0.10"),
        ("pbkdf2", "0.12"),
        ("hkdf", "0.12"),
        ("poly1305", "0.8"),
        ("chacha20", "0.9")
    ],
    {
        use old_aes_gcm::aead::{AeadInPlace, generic_array::GenericArray};

        fn seal<A: AeadInPlace>(k: &A, text: &mut [u8], tag: &mut [u8]) {
            let t = k.encrypt_in_place_detached(GenericArray::from_slice(&NONCE), &AAD, text).unwrap();
            tag.copy_from_slice(&t)
        }
        /// Only in place: a copy first.
        fn seal_to<A: AeadInPlace>(k: &A, text: &[u8], out: &mut [u8], tag: &mut [u8]) {
            out.copy_from_slice(text);
            seal(k, out, tag)
        }
        fn open<A: AeadInPlace>(k: &A, text: &mut [u8], tag: &[u8]) {
            let n = GenericArray::from_slice(&NONCE);
            k.decrypt_in_place_detached(n, &AAD, text, GenericArray::from_slice(tag)).unwrap()
        }
    }
);
