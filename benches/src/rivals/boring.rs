//! BoringSSL through boring-sys (symbols it does not bind are declared here).
//!
//! Safety of the calls: the signatures are those of BoringSSL's headers; contexts come from the library, live as long as
//! the process and stay on one thread; pointers come with the lengths of the slices that they are made from, and out
//! buffers are as long as the case's `out_len`.
use crate::{Op, Rival, case::*, op};
use boring_sys as b;
use libc::{c_int, c_uint, c_void, size_t};
use std::{hint::black_box, mem::MaybeUninit, ptr::null, ptr::null_mut};

pub struct Boring;

#[repr(C, align(64))]
struct Poly1305State([u8; 512]);

unsafe extern "C" {
    fn CRYPTO_poly1305_init(s: *mut Poly1305State, key: *const u8);
    fn CRYPTO_poly1305_update(s: *mut Poly1305State, m: *const u8, len: size_t);
    fn CRYPTO_poly1305_finish(s: *mut Poly1305State, mac: *mut u8);
    fn HKDF_expand(
        out: *mut u8,
        out_len: size_t,
        md: *const c_void,
        prk: *const u8,
        prk_len: size_t,
        info: *const u8,
        info_len: size_t,
    ) -> c_int;
}

fn md(h: Hash) -> *const b::EVP_MD {
    // SAFETY: as said above.
    unsafe {
        match h {
            Hash::Sha1 => b::EVP_sha1(),
            Hash::Sha256 => b::EVP_sha256(),
            Hash::Sha384 => b::EVP_sha384(),
            Hash::Sha512 => b::EVP_sha512(),
        }
    }
}

fn hmac_ctx(h: Hash) -> *mut b::HMAC_CTX {
    // SAFETY: as said above.
    unsafe {
        let c = b::HMAC_CTX_new();
        assert_eq!(1, b::HMAC_Init_ex(c, key::<32>().as_ptr().cast(), 32, md(h), null_mut()));
        c
    }
}

#[inline]
unsafe fn hmac_again(c: *mut b::HMAC_CTX, m: &[u8], out: &mut [u8]) {
    // SAFETY: as said above.
    unsafe {
        let mut n: c_uint = 0;
        b::HMAC_Init_ex(c, null(), 0, null(), null_mut());
        b::HMAC_Update(c, m.as_ptr(), m.len());
        b::HMAC_Final(c, out.as_mut_ptr(), &mut n);
    }
}

fn digest(h: Hash) -> unsafe extern "C" fn(*const u8, size_t, *mut u8) -> *mut u8 {
    match h {
        Hash::Sha1 => b::SHA1,
        Hash::Sha256 => b::SHA256,
        Hash::Sha384 => b::SHA384,
        Hash::Sha512 => b::SHA512,
    }
}

fn aead(a: Aead) -> *const b::EVP_AEAD {
    // SAFETY: as said above.
    unsafe {
        match a {
            Aead::Aes128Gcm => b::EVP_aead_aes_128_gcm(),
            Aead::Aes256Gcm => b::EVP_aead_aes_256_gcm(),
            Aead::ChaChaPoly => b::EVP_aead_chacha20_poly1305(),
        }
    }
}

fn aead_ctx(a: Aead) -> *mut b::EVP_AEAD_CTX {
    let k = a.key();
    // SAFETY: as said above.
    unsafe { b::EVP_AEAD_CTX_new(aead(a), k.as_ptr(), k.len(), 16) }
}

impl Rival for Boring {
    fn name(&self) -> String {
        "boringssl".into()
    }
    fn version(&self) -> String {
        format!("boring-sys {}", crate::lock::version("boring-sys", ""))
    }
    fn prepare(&self, case: &Case) -> Option<Op> {
        match *case {
            Case::HmacNew { h, len } => {
                let (m, k, md) = (msg(len), key::<32>(), md(h));
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let mut n: c_uint = 0;
                    b::HMAC(md, black_box(&k).as_ptr().cast(), 32, m.as_ptr(), len, out.as_mut_ptr(), &mut n);
                })
            }
            Case::HmacKeyed { h, len } => {
                let (m, c) = (msg(len), hmac_ctx(h));
                // SAFETY: as said above.
                op(move |out| unsafe { hmac_again(c, &m, out) })
            }
            Case::HmacBatch { h, n, len } => {
                let (m, c) = (msg(n * len), hmac_ctx(h));
                op(move |out| {
                    for (m, o) in m.chunks_exact(len).zip(out.chunks_exact_mut(h.len())) {
                        // SAFETY: as said above.
                        unsafe { hmac_again(c, m, o) }
                    }
                })
            }
            Case::HmacKey { h } => {
                let md = md(h);
                // SAFETY: as said above.
                op(move |_| unsafe {
                    let c = b::HMAC_CTX_new();
                    b::HMAC_Init_ex(c, black_box(&key::<32>()).as_ptr().cast(), 32, md, null_mut());
                    b::HMAC_CTX_free(c);
                })
            }
            Case::Digest { h, len } => {
                let (m, f) = (msg(len), digest(h));
                // SAFETY: as said above.
                op(move |out| unsafe {
                    f(m.as_ptr(), len, out.as_mut_ptr());
                })
            }
            Case::DigestBatch { h, n, len } => {
                let (m, f) = (msg(n * len), digest(h));
                op(move |out| {
                    for (m, o) in m.chunks_exact(len).zip(out.chunks_exact_mut(h.len())) {
                        // SAFETY: as said above.
                        unsafe { f(m.as_ptr(), len, o.as_mut_ptr()) };
                    }
                })
            }
            Case::Pbkdf2 { h, iters, blocks, .. } => {
                let md = md(h);
                op(move |out| {
                    for (i, o) in out.chunks_exact_mut(h.len() * blocks).enumerate() {
                        let p = password(i);
                        // SAFETY: as said above.
                        let ok = unsafe {
                            b::PKCS5_PBKDF2_HMAC(
                                p.as_ptr().cast(),
                                16,
                                SALT.as_ptr(),
                                16,
                                iters as _,
                                md,
                                o.len(),
                                o.as_mut_ptr(),
                            )
                        };
                        assert_eq!(ok, 1);
                    }
                })
            }
            Case::HkdfExpand { .. } => {
                let (k, md) = (key::<32>(), md(Hash::Sha256));
                // SAFETY: as said above.
                op(move |out| unsafe {
                    HKDF_expand(
                        out.as_mut_ptr(),
                        out.len(),
                        md.cast(),
                        k.as_ptr(),
                        32,
                        INFO.as_ptr(),
                        INFO.len(),
                    );
                })
            }
            Case::AesCtr { bits, .. } => {
                // SAFETY: as said above.
                let c = unsafe {
                    let c = b::EVP_CIPHER_CTX_new();
                    let e = if bits == 128 { b::EVP_aes_128_ctr() } else { b::EVP_aes_256_ctr() };
                    b::EVP_EncryptInit_ex(c, e, null_mut(), key::<32>().as_ptr(), IV16.as_ptr());
                    c
                };
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let mut n = 0;
                    b::EVP_EncryptInit_ex(c, null(), null_mut(), null(), IV16.as_ptr());
                    b::EVP_EncryptUpdate(c, out.as_mut_ptr(), &mut n, out.as_ptr(), out.len() as _);
                })
            }
            Case::Seal { a, len } => {
                let c = aead_ctx(a);
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let (p, mut n) = (out.as_mut_ptr(), 0);
                    b::EVP_AEAD_CTX_seal(
                        c,
                        p,
                        &mut n,
                        len + 16,
                        NONCE.as_ptr(),
                        12,
                        p,
                        len,
                        AAD.as_ptr(),
                        13,
                    );
                })
            }
            Case::SealTo { a, len } => {
                let (c, text) = (aead_ctx(a), msg(len));
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let (p, mut n) = (out.as_mut_ptr(), 0);
                    b::EVP_AEAD_CTX_seal(
                        c,
                        p,
                        &mut n,
                        len + 16,
                        NONCE.as_ptr(),
                        12,
                        text.as_ptr(),
                        len,
                        AAD.as_ptr(),
                        13,
                    );
                })
            }
            Case::Open { a, len } => {
                let (c, ct) = (aead_ctx(a), sealed(a, len));
                // SAFETY: as said above.
                op(move |out| unsafe {
                    out.copy_from_slice(&ct);
                    let (p, mut n) = (out.as_mut_ptr(), 0);
                    let ok = b::EVP_AEAD_CTX_open(
                        c,
                        p,
                        &mut n,
                        len + 16,
                        NONCE.as_ptr(),
                        12,
                        p,
                        len + 16,
                        AAD.as_ptr(),
                        13,
                    );
                    assert_eq!(ok, 1);
                })
            }
            Case::AeadKey { a } => {
                let k = a.key();
                // SAFETY: as said above.
                op(move |_| unsafe {
                    let c = b::EVP_AEAD_CTX_new(aead(a), black_box(&k).as_ptr(), k.len(), 16);
                    b::EVP_AEAD_CTX_free(c);
                })
            }
            Case::Poly1305 { len } => {
                let (m, k) = (msg(len), key::<32>());
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let mut st = MaybeUninit::<Poly1305State>::uninit();
                    CRYPTO_poly1305_init(st.as_mut_ptr(), black_box(&k).as_ptr());
                    CRYPTO_poly1305_update(st.as_mut_ptr(), m.as_ptr(), len);
                    CRYPTO_poly1305_finish(st.as_mut_ptr(), out.as_mut_ptr());
                })
            }
            Case::ChaCha20 { .. } | Case::Memcpy { .. } => None,
        }
    }
}
