//! OpenSSL through dlopen, so that several versions stand side by side in one process:
//! the system's libcrypto.so.3 and a newer one built by `c/build.sh`.
//!
//! Safety of the calls: the signatures are those of OpenSSL 3's manual; contexts come from the library, live as long as
//! the process and stay on one thread; pointers come with the lengths of the slices that they are made from, and out
//! buffers are as long as the case's `out_len`.
use crate::{Op, Rival, case::*, op};
use libc::{c_char, c_int, c_uint, c_void, size_t};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::{hint::black_box, ptr::null, ptr::null_mut};

type P = *mut c_void;
type CP = *const c_void;

#[repr(C)]
struct Param {
    key: *const c_char,
    data_type: c_uint,
    data: *mut c_void,
    data_size: size_t,
    return_size: size_t,
}

fn param(key: &'static core::ffi::CStr, data_type: c_uint, data: &[u8]) -> Param {
    Param {
        key: key.as_ptr(),
        data_type,
        data: data.as_ptr() as P,
        data_size: data.len(),
        return_size: usize::MAX,
    }
}

const PARAM_END: Param = Param { key: null(), data_type: 0, data: null_mut(), data_size: 0, return_size: 0 };

api! {
    "";
    OpenSSL_version: fn(c_int) -> *const c_char;
    EVP_MD_fetch: fn(P, *const c_char, *const c_char) -> P;
    EVP_MD_CTX_new: fn() -> P;
    EVP_DigestInit_ex2: fn(P, CP, CP) -> c_int;
    EVP_DigestUpdate: fn(P, CP, size_t) -> c_int;
    EVP_DigestFinal_ex: fn(P, *mut u8, *mut c_uint) -> c_int;
    HMAC_CTX_new: fn() -> P;
    HMAC_CTX_free: fn(P);
    HMAC_Init_ex: fn(P, CP, c_int, CP, P) -> c_int;
    HMAC_Update: fn(P, CP, size_t) -> c_int;
    HMAC_Final: fn(P, *mut u8, *mut c_uint) -> c_int;
    PKCS5_PBKDF2_HMAC: fn(CP, c_int, CP, c_int, c_int, CP, c_int, *mut u8) -> c_int;
    EVP_KDF_fetch: fn(P, *const c_char, *const c_char) -> P;
    EVP_KDF_CTX_new: fn(P) -> P;
    EVP_KDF_CTX_set_params: fn(P, *const Param) -> c_int;
    EVP_KDF_derive: fn(P, *mut u8, size_t, *const Param) -> c_int;
    EVP_MAC_fetch: fn(P, *const c_char, *const c_char) -> P;
    EVP_MAC_CTX_new: fn(P) -> P;
    EVP_MAC_init: fn(P, CP, size_t, *const Param) -> c_int;
    EVP_MAC_update: fn(P, CP, size_t) -> c_int;
    EVP_MAC_final: fn(P, *mut u8, *mut size_t, size_t) -> c_int;
    EVP_CIPHER_fetch: fn(P, *const c_char, *const c_char) -> P;
    EVP_CIPHER_CTX_new: fn() -> P;
    EVP_CIPHER_CTX_free: fn(P);
    EVP_CipherInit_ex: fn(P, CP, P, *const u8, *const u8, c_int) -> c_int;
    EVP_CipherUpdate: fn(P, *mut u8, *mut c_int, *const u8, c_int) -> c_int;
    EVP_CipherFinal_ex: fn(P, *mut u8, *mut c_int) -> c_int;
    EVP_CIPHER_CTX_ctrl: fn(P, c_int, c_int, P) -> c_int;
}

const GET_TAG: c_int = 0x10;
const SET_TAG: c_int = 0x11;

/// One version of it.
pub struct OpenSsl {
    name: String,
    version: String,
    api: Api,
}

pub fn found() -> Vec<Box<dyn Rival>> {
    let newer = super::lib_dir().join("libossl4.so");
    let mut v: Vec<Box<dyn Rival>> = Vec::new();
    for path in ["libcrypto.so.3".into(), newer] {
        // SAFETY: a libcrypto; it stays loaded for the life of the process.
        unsafe {
            let Ok(l) = Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) else { continue };
            let api = Api::load(&l).expect("libcrypto symbols");
            core::mem::forget(l);
            let version = core::ffi::CStr::from_ptr((api.OpenSSL_version)(0)).to_str().unwrap();
            let number = version.split(' ').nth(1).unwrap_or("?");
            v.push(Box::new(OpenSsl { name: format!("openssl-{number}"), version: version.into(), api }));
        }
    }
    v
}

impl Api {
    fn md(&self, h: Hash) -> P {
        let n = match h {
            Hash::Sha1 => c"SHA1",
            Hash::Sha256 => c"SHA256",
            Hash::Sha384 => c"SHA384",
            Hash::Sha512 => c"SHA512",
        };
        // SAFETY: as said above.
        unsafe { (self.EVP_MD_fetch)(null_mut(), n.as_ptr(), null()) }
    }

    fn hmac_ctx(&self, h: Hash) -> P {
        let k = key::<32>();
        // SAFETY: as said above.
        unsafe {
            let c = (self.HMAC_CTX_new)();
            assert_eq!(1, (self.HMAC_Init_ex)(c, k.as_ptr().cast(), 32, self.md(h), null_mut()));
            c
        }
    }

    /// HMAC with the key already in the context: the documented way to reuse it.
    #[inline]
    fn hmac_again(&self, c: P, m: &[u8], out: &mut [u8]) {
        // SAFETY: as said above.
        unsafe {
            (self.HMAC_Init_ex)(c, null(), 0, null(), null_mut());
            (self.HMAC_Update)(c, m.as_ptr().cast(), m.len());
            (self.HMAC_Final)(c, out.as_mut_ptr(), null_mut());
        }
    }

    fn cipher(&self, name: &core::ffi::CStr, k: &[u8], enc: c_int) -> P {
        // SAFETY: as said above.
        unsafe {
            let cipher = (self.EVP_CIPHER_fetch)(null_mut(), name.as_ptr(), null());
            let c = (self.EVP_CIPHER_CTX_new)();
            assert_eq!(1, (self.EVP_CipherInit_ex)(c, cipher, null_mut(), k.as_ptr(), null(), enc));
            c
        }
    }

    #[inline]
    fn seal(&self, c: P, out: &mut [u8]) {
        let text = out.as_ptr();
        // SAFETY: the text is the front of `out`.
        unsafe { self.seal_from(c, text, out) };
    }

    /// # Safety
    /// `text` is readable for the length of `out` less 16, and is its front or apart from it.
    #[inline]
    unsafe fn seal_from(&self, c: P, text: *const u8, out: &mut [u8]) {
        let len = out.len() - 16;
        let mut n = 0;
        // SAFETY: as said above.
        unsafe {
            (self.EVP_CipherInit_ex)(c, null(), null_mut(), null(), NONCE.as_ptr(), 1);
            (self.EVP_CipherUpdate)(c, null_mut(), &mut n, AAD.as_ptr(), AAD.len() as c_int);
            (self.EVP_CipherUpdate)(c, out.as_mut_ptr(), &mut n, text, len as c_int);
            (self.EVP_CipherFinal_ex)(c, out.as_mut_ptr().add(len), &mut n);
            (self.EVP_CIPHER_CTX_ctrl)(c, GET_TAG, 16, out.as_mut_ptr().add(len).cast());
        }
    }

    #[inline]
    fn open(&self, c: P, out: &mut [u8]) {
        let len = out.len() - 16;
        let mut n = 0;
        // SAFETY: as said above.
        unsafe {
            (self.EVP_CipherInit_ex)(c, null(), null_mut(), null(), NONCE.as_ptr(), 0);
            (self.EVP_CipherUpdate)(c, null_mut(), &mut n, AAD.as_ptr(), AAD.len() as c_int);
            (self.EVP_CipherUpdate)(c, out.as_mut_ptr(), &mut n, out.as_ptr(), len as c_int);
            (self.EVP_CIPHER_CTX_ctrl)(c, SET_TAG, 16, out.as_mut_ptr().add(len).cast());
            assert_eq!(1, (self.EVP_CipherFinal_ex)(c, out.as_mut_ptr(), &mut n));
        }
    }
}

fn aead_name(a: Aead) -> &'static core::ffi::CStr {
    match a {
        Aead::Aes128Gcm => c"AES-128-GCM",
        Aead::Aes256Gcm => c"AES-256-GCM",
        Aead::ChaChaPoly => c"ChaCha20-Poly1305",
    }
}

impl Rival for OpenSsl {
    fn name(&self) -> String {
        self.name.clone()
    }
    fn version(&self) -> String {
        self.version.clone()
    }
    fn prepare(&self, case: &Case) -> Option<Op> {
        let api = self.api;
        match *case {
            Case::HmacNew { h, len } => {
                // HMAC_Init_ex with a new key on a kept context beats HMAC() and EVP_MAC.
                let (m, k, c, md) = (msg(len), key::<32>(), api.hmac_ctx(h), api.md(h));
                // SAFETY: as said above.
                op(move |out| unsafe {
                    (api.HMAC_Init_ex)(c, black_box(&k).as_ptr().cast(), 32, md, null_mut());
                    (api.HMAC_Update)(c, m.as_ptr().cast(), m.len());
                    (api.HMAC_Final)(c, out.as_mut_ptr(), null_mut());
                })
            }
            Case::HmacKeyed { h, len } => {
                let (m, c) = (msg(len), api.hmac_ctx(h));
                op(move |out| api.hmac_again(c, &m, out))
            }
            Case::HmacBatch { h, n, len } => {
                let (m, c) = (msg(n * len), api.hmac_ctx(h));
                op(move |out| {
                    for (m, o) in m.chunks_exact(len).zip(out.chunks_exact_mut(h.len())) {
                        api.hmac_again(c, m, o)
                    }
                })
            }
            Case::Digest { h, len } => {
                let (m, md) = (msg(len), api.md(h));
                // SAFETY: as said above.
                let c = unsafe { (api.EVP_MD_CTX_new)() };
                // SAFETY: as said above.
                op(move |out| unsafe {
                    (api.EVP_DigestInit_ex2)(c, md, null());
                    (api.EVP_DigestUpdate)(c, m.as_ptr().cast(), m.len());
                    (api.EVP_DigestFinal_ex)(c, out.as_mut_ptr(), null_mut());
                })
            }
            Case::DigestBatch { h, n, len } => {
                let (m, md) = (msg(n * len), api.md(h));
                // SAFETY: as said above.
                let c = unsafe { (api.EVP_MD_CTX_new)() };
                op(move |out| {
                    for (m, o) in m.chunks_exact(len).zip(out.chunks_exact_mut(h.len())) {
                        // SAFETY: as said above.
                        unsafe {
                            (api.EVP_DigestInit_ex2)(c, md, null());
                            (api.EVP_DigestUpdate)(c, m.as_ptr().cast(), m.len());
                            (api.EVP_DigestFinal_ex)(c, o.as_mut_ptr(), null_mut());
                        }
                    }
                })
            }
            Case::Pbkdf2 { h, iters, blocks, .. } => {
                let md = api.md(h);
                op(move |out| {
                    for (i, o) in out.chunks_exact_mut(h.len() * blocks).enumerate() {
                        let p = password(i);
                        let n = iters as c_int;
                        // SAFETY: as said above.
                        let ok = unsafe {
                            (api.PKCS5_PBKDF2_HMAC)(
                                p.as_ptr().cast(),
                                16,
                                SALT.as_ptr().cast(),
                                16,
                                n,
                                md,
                                o.len() as c_int,
                                o.as_mut_ptr(),
                            )
                        };
                        assert_eq!(ok, 1);
                    }
                })
            }
            Case::HkdfExpand { .. } => {
                let k = key::<32>();
                // SAFETY: as said above.
                let c = unsafe {
                    let kdf = (api.EVP_KDF_fetch)(null_mut(), c"HKDF".as_ptr(), null());
                    let c = (api.EVP_KDF_CTX_new)(kdf);
                    let p = [
                        param(c"digest", 4, &b"SHA256\0"[..6]),
                        param(c"mode", 4, &b"EXPAND_ONLY\0"[..11]),
                        param(c"key", 5, &k),
                        PARAM_END,
                    ];
                    assert_eq!(1, (api.EVP_KDF_CTX_set_params)(c, p.as_ptr()));
                    c
                };
                // `info` accumulates on the context in some versions: one parameter per derivation
                // is not measured; it is set once.
                let p = [param(c"info", 5, &INFO), PARAM_END];
                // SAFETY: as said above.
                unsafe { assert_eq!(1, (api.EVP_KDF_CTX_set_params)(c, p.as_ptr())) };
                // SAFETY: as said above.
                op(move |out| unsafe {
                    assert_eq!(1, (api.EVP_KDF_derive)(c, out.as_mut_ptr(), out.len(), null()));
                })
            }
            Case::AesCtr { bits, .. } => {
                let n = if bits == 128 { c"AES-128-CTR" } else { c"AES-256-CTR" };
                let c = api.cipher(n, &key::<32>(), 1);
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let mut n = 0;
                    (api.EVP_CipherInit_ex)(c, null(), null_mut(), null(), IV16.as_ptr(), 1);
                    (api.EVP_CipherUpdate)(c, out.as_mut_ptr(), &mut n, out.as_ptr(), out.len() as c_int);
                })
            }
            Case::ChaCha20 { .. } => {
                let c = api.cipher(c"ChaCha20", &key::<32>(), 1);
                // The number of the first block, then the nonce.
                let mut iv = [1u8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
                iv[4..].copy_from_slice(&NONCE);
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let mut n = 0;
                    (api.EVP_CipherInit_ex)(c, null(), null_mut(), null(), iv.as_ptr(), 1);
                    (api.EVP_CipherUpdate)(c, out.as_mut_ptr(), &mut n, out.as_ptr(), out.len() as c_int);
                })
            }
            Case::Seal { a, .. } => {
                let c = api.cipher(aead_name(a), &a.key(), 1);
                op(move |out| api.seal(c, out))
            }
            Case::SealTo { a, len } => {
                let (c, text) = (api.cipher(aead_name(a), &a.key(), 1), msg(len));
                // SAFETY: the text is 16 bytes shorter than the buffer.
                op(move |out| unsafe { api.seal_from(c, text.as_ptr(), out) })
            }
            Case::Open { a, len } => {
                let (c, ct) = (api.cipher(aead_name(a), &a.key(), 0), sealed(a, len));
                op(move |out| {
                    out.copy_from_slice(&ct);
                    api.open(c, out)
                })
            }
            Case::Poly1305 { len } => {
                let (m, k) = (msg(len), key::<32>());
                // SAFETY: as said above.
                let c = unsafe {
                    (api.EVP_MAC_CTX_new)((api.EVP_MAC_fetch)(null_mut(), c"POLY1305".as_ptr(), null()))
                };
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let mut n = 0;
                    (api.EVP_MAC_init)(c, black_box(&k).as_ptr().cast(), 32, null());
                    (api.EVP_MAC_update)(c, m.as_ptr().cast(), m.len());
                    (api.EVP_MAC_final)(c, out.as_mut_ptr(), &mut n, 16);
                })
            }
            Case::AeadKey { a } => {
                let k = a.key();
                // SAFETY: as said above.
                let cipher = unsafe { (api.EVP_CIPHER_fetch)(null_mut(), aead_name(a).as_ptr(), null()) };
                // SAFETY: as said above.
                op(move |_| unsafe {
                    let c = (api.EVP_CIPHER_CTX_new)();
                    (api.EVP_CipherInit_ex)(c, cipher, null_mut(), black_box(&k).as_ptr(), null(), 1);
                    (api.EVP_CIPHER_CTX_free)(c);
                })
            }
            Case::HmacKey { h } => {
                let md = api.md(h);
                // SAFETY: as said above.
                op(move |_| unsafe {
                    let c = (api.HMAC_CTX_new)();
                    (api.HMAC_Init_ex)(c, black_box(&key::<32>()).as_ptr().cast(), 32, md, null_mut());
                    (api.HMAC_CTX_free)(c);
                })
            }
            Case::Memcpy { .. } => None,
        }
    }
}
