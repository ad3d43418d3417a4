//! libsodium, the version bundled in libsodium-sys-stable, built with the `optimized` feature.
//!
//! Safety of the calls: states are initialised by the library; pointers come with the lengths of the slices that they
//! are made from, and out buffers are as long as the case's `out_len`.
use crate::{Op, Rival, case::*, op};
use libsodium_sys as s;
use std::{hint::black_box, mem::MaybeUninit, ptr::null, ptr::null_mut};

pub struct Sodium;

impl Sodium {
    pub fn new() -> Self {
        // SAFETY: as said above.
        unsafe { assert!(s::sodium_init() >= 0) };
        Self
    }
}

impl Default for Sodium {
    fn default() -> Self {
        Self::new()
    }
}

macro_rules! hmac_cases {
    ($case:expr, $state:ident, $init:ident, $update:ident, $fin:ident) => {{
        let k = key::<32>();
        // SAFETY: as said above.
        let fresh = move || unsafe {
            let mut st = MaybeUninit::<s::$state>::uninit();
            s::$init(st.as_mut_ptr(), black_box(&k).as_ptr(), 32);
            st.assume_init()
        };
        match *$case {
            Case::HmacNew { len, .. } => {
                let m = msg(len);
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let mut st = fresh();
                    s::$update(&mut st, m.as_ptr(), len as _);
                    s::$fin(&mut st, out.as_mut_ptr());
                })
            }
            Case::HmacKeyed { len, .. } => {
                let (m, st) = (msg(len), fresh());
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let mut st = st;
                    s::$update(&mut st, m.as_ptr(), len as _);
                    s::$fin(&mut st, out.as_mut_ptr());
                })
            }
            Case::HmacBatch { h, n, len } => {
                let (m, st) = (msg(n * len), fresh());
                // SAFETY: as said above.
                op(move |out| unsafe {
                    for (m, o) in m.chunks_exact(len).zip(out.chunks_exact_mut(h.len())) {
                        let mut st = st;
                        s::$update(&mut st, m.as_ptr(), len as _);
                        s::$fin(&mut st, o.as_mut_ptr());
                    }
                })
            }
            _ => op(move |_| {
                black_box(fresh());
            }),
        }
    }};
}

impl Rival for Sodium {
    fn name(&self) -> String {
        // SAFETY: as said above.
        let v = unsafe { core::ffi::CStr::from_ptr(s::sodium_version_string()) };
        format!("libsodium-{}", v.to_str().unwrap())
    }
    fn version(&self) -> String {
        format!("libsodium-sys-stable {}", crate::lock::version("libsodium-sys-stable", ""))
    }
    fn prepare(&self, case: &Case) -> Option<Op> {
        match *case {
            Case::HmacNew { h, .. }
            | Case::HmacKeyed { h, .. }
            | Case::HmacBatch { h, .. }
            | Case::HmacKey { h } => match h {
                Hash::Sha256 => hmac_cases!(
                    case,
                    crypto_auth_hmacsha256_state,
                    crypto_auth_hmacsha256_init,
                    crypto_auth_hmacsha256_update,
                    crypto_auth_hmacsha256_final
                ),
                Hash::Sha512 => hmac_cases!(
                    case,
                    crypto_auth_hmacsha512_state,
                    crypto_auth_hmacsha512_init,
                    crypto_auth_hmacsha512_update,
                    crypto_auth_hmacsha512_final
                ),
                _ => None,
            },
            Case::Digest { h: Hash::Sha256, len } => {
                let m = msg(len);
                // SAFETY: as said above.
                op(move |out| unsafe {
                    s::crypto_hash_sha256(out.as_mut_ptr(), m.as_ptr(), len as _);
                })
            }
            Case::Digest { h: Hash::Sha512, len } => {
                let m = msg(len);
                // SAFETY: as said above.
                op(move |out| unsafe {
                    s::crypto_hash_sha512(out.as_mut_ptr(), m.as_ptr(), len as _);
                })
            }
            Case::HkdfExpand { .. } => {
                let k = key::<32>();
                // SAFETY: as said above.
                op(move |out| unsafe {
                    s::crypto_kdf_hkdf_sha256_expand(
                        out.as_mut_ptr(),
                        out.len(),
                        INFO.as_ptr().cast(),
                        INFO.len(),
                        k.as_ptr(),
                    );
                })
            }
            Case::Seal { a: Aead::ChaChaPoly, len } => {
                let k = key::<32>();
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let p = out.as_mut_ptr();
                    s::crypto_aead_chacha20poly1305_ietf_encrypt_detached(
                        p,
                        p.add(len),
                        null_mut(),
                        p,
                        len as _,
                        AAD.as_ptr(),
                        13,
                        null(),
                        NONCE.as_ptr(),
                        k.as_ptr(),
                    );
                })
            }
            Case::Open { a: Aead::ChaChaPoly, len } => {
                let (k, ct) = (key::<32>(), sealed(Aead::ChaChaPoly, len));
                // SAFETY: as said above.
                op(move |out| unsafe {
                    out.copy_from_slice(&ct);
                    let p = out.as_mut_ptr();
                    let rc = s::crypto_aead_chacha20poly1305_ietf_decrypt_detached(
                        p,
                        null_mut(),
                        p,
                        len as _,
                        p.add(len),
                        AAD.as_ptr(),
                        13,
                        NONCE.as_ptr(),
                        k.as_ptr(),
                    );
                    assert_eq!(rc, 0);
                })
            }
            Case::Seal { a: Aead::Aes256Gcm, len } => {
                let st = aes_state();
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let p = out.as_mut_ptr();
                    s::crypto_aead_aes256gcm_encrypt_detached_afternm(
                        p,
                        p.add(len),
                        null_mut(),
                        p,
                        len as _,
                        AAD.as_ptr(),
                        13,
                        null(),
                        NONCE.as_ptr(),
                        &*st,
                    );
                })
            }
            Case::Open { a: Aead::Aes256Gcm, len } => {
                let (st, ct) = (aes_state(), sealed(Aead::Aes256Gcm, len));
                // SAFETY: as said above.
                op(move |out| unsafe {
                    out.copy_from_slice(&ct);
                    let p = out.as_mut_ptr();
                    let rc = s::crypto_aead_aes256gcm_decrypt_detached_afternm(
                        p,
                        null_mut(),
                        p,
                        len as _,
                        p.add(len),
                        AAD.as_ptr(),
                        13,
                        NONCE.as_ptr(),
                        &*st,
                    );
                    assert_eq!(rc, 0);
                })
            }
            Case::AeadKey { a: Aead::Aes256Gcm } => op(|_| {
                black_box(aes_state());
            }),
            Case::Poly1305 { len } => {
                let (m, k) = (msg(len), key::<32>());
                // SAFETY: as said above.
                op(move |out| unsafe {
                    s::crypto_onetimeauth_poly1305(
                        out.as_mut_ptr(),
                        m.as_ptr(),
                        len as _,
                        black_box(&k).as_ptr(),
                    );
                })
            }
            _ => None,
        }
    }
}

fn aes_state() -> Box<s::crypto_aead_aes256gcm_state> {
    // SAFETY: as said above.
    let mut st: Box<s::crypto_aead_aes256gcm_state> = Box::new(unsafe { core::mem::zeroed() });
    // SAFETY: as said above.
    unsafe { s::crypto_aead_aes256gcm_beforenm(&mut *st, black_box(&key::<32>()).as_ptr()) };
    st
}
