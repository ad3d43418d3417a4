//! OpenSSL through dlopen, so that several versions stand side by side in one process: the system's
//! libcrypto.so.3 and a newer one built by `c/build.sh`.
#![allow(clippy::undocumented_unsafe_blocks, reason = "said once, here")]
//! Safety of the calls: the signatures are those of OpenSSL 3's manual; contexts come from the library, live
//! as long as the process and stay on one thread; pointers come with the lengths of the slices that they are
//! made from, and out buffers are as long as the case's `out_len`.

use crate::{case::*, rival::*};
use libc::{c_char, c_int, c_uint, c_void, size_t};
use std::{ffi::CStr, path::Path, ptr::null, ptr::null_mut};

type P = *mut c_void;
type CP = *const c_void;

/// `OSSL_PARAM`.
#[repr(C)]
struct Param {
    key: *const c_char,
    data_type: c_uint,
    data: *const u8,
    data_size: size_t,
    return_size: size_t,
}

const UTF8: c_uint = 4;
const OCTETS: c_uint = 5;
const END: Param = Param { key: null(), data_type: 0, data: null(), data_size: 0, return_size: 0 };

fn param(key: &'static CStr, data_type: c_uint, data: &[u8]) -> Param {
    let (data, data_size) = (data.as_ptr(), data.len());
    Param { key: key.as_ptr(), data_type, data, data_size, return_size: usize::MAX }
}

api! {
    "";
    OpenSSL_version: fn(c_int) -> *const c_char;
    EVP_MD_fetch: fn(P, *const c_char, *const c_char) -> P;
    EVP_MD_CTX_new: fn() -> P;
    EVP_DigestInit_ex2: fn(P, CP, CP) -> c_int;
    EVP_DigestUpdate: fn(P, *const u8, size_t) -> c_int;
    EVP_DigestFinal_ex: fn(P, *mut u8, *mut c_uint) -> c_int;
    HMAC_CTX_new: fn() -> P;
    HMAC_CTX_free: fn(P);
    HMAC_Init_ex: fn(P, *const u8, c_int, CP, P) -> c_int;
    HMAC_Update: fn(P, *const u8, size_t) -> c_int;
    HMAC_Final: fn(P, *mut u8, *mut c_uint) -> c_int;
    PKCS5_PBKDF2_HMAC: fn(*const u8, c_int, *const u8, c_int, c_int, CP, c_int, *mut u8) -> c_int;
    EVP_KDF_fetch: fn(P, *const c_char, *const c_char) -> P;
    EVP_KDF_CTX_new: fn(P) -> P;
    EVP_KDF_CTX_set_params: fn(P, *const Param) -> c_int;
    EVP_KDF_derive: fn(P, *mut u8, size_t, *const Param) -> c_int;
    EVP_MAC_fetch: fn(P, *const c_char, *const c_char) -> P;
    EVP_MAC_CTX_new: fn(P) -> P;
    EVP_MAC_init: fn(P, *const u8, size_t, *const Param) -> c_int;
    EVP_MAC_update: fn(P, *const u8, size_t) -> c_int;
    EVP_MAC_final: fn(P, *mut u8, *mut size_t, size_t) -> c_int;
    EVP_CIPHER_fetch: fn(P, *const c_char, *const c_char) -> P;
    EVP_CIPHER_CTX_new: fn() -> P;
    EVP_CIPHER_CTX_free: fn(P);
    EVP_CipherInit_ex: fn(P, CP, P, *const u8, *const u8, c_int) -> c_int;
    EVP_CipherUpdate: fn(P, *mut u8, *mut c_int, *const u8, c_int) -> c_int;
    EVP_CipherFinal_ex: fn(P, *mut u8, *mut c_int) -> c_int;
    EVP_CIPHER_CTX_ctrl: fn(P, c_int, c_int, *mut u8) -> c_int;
}

const GET_TAG: c_int = 0x10;
const SET_TAG: c_int = 0x11;

pub(super) fn found() -> impl Iterator<Item = Rival> {
    ["libcrypto.so.3".into(), super::lib_dir().join("libossl4.so")].into_iter().filter_map(|path| unsafe {
        let (api, _) = Api::load(&[Path::new(&path)])?;
        let version = super::text((api.OpenSSL_version)(0));
        let name = format!("openssl-{}", version.split(' ').nth(1).unwrap_or("?"));
        Some(Rival::new(name, version, |case| prepare(api, case)))
    })
}

impl Api {
    fn md(&self, h: Hash) -> P {
        let name = [c"SHA1", c"SHA256", c"SHA384", c"SHA512"][h as usize];
        unsafe { (self.EVP_MD_fetch)(null_mut(), name.as_ptr(), null()) }
    }

    fn aead(&self, a: Aead) -> P {
        let name = [c"AES-128-GCM", c"AES-256-GCM", c"ChaCha20-Poly1305"][a as usize];
        unsafe { (self.EVP_CIPHER_fetch)(null_mut(), name.as_ptr(), null()) }
    }

    /// A context with the key set up.
    fn keyed(&self, cipher: P, encrypt: bool) -> P {
        unsafe {
            let c = (self.EVP_CIPHER_CTX_new)();
            let done = (self.EVP_CipherInit_ex)(c, cipher, null_mut(), KEY.as_ptr(), null(), encrypt.into());
            assert_eq!(done, 1);
            c
        }
    }

    fn stream(&'static self, name: &CStr, iv: [u8; 16]) -> Op {
        let c = self.keyed(unsafe { (self.EVP_CIPHER_fetch)(null_mut(), name.as_ptr(), null()) }, true);
        op(move |out| unsafe {
            let mut n = 0;
            (self.EVP_CipherInit_ex)(c, null(), null_mut(), null(), iv.as_ptr(), 1);
            (self.EVP_CipherUpdate)(c, out.as_mut_ptr(), &mut n, out.as_ptr(), out.len() as c_int);
        })
    }

    #[inline]
    fn seal(&self, c: P, text: *const u8, out: &mut [u8]) {
        let (p, len, mut n) = (out.as_mut_ptr(), out.len() - 16, 0);
        unsafe {
            (self.EVP_CipherInit_ex)(c, null(), null_mut(), null(), NONCE.as_ptr(), 1);
            (self.EVP_CipherUpdate)(c, null_mut(), &mut n, AAD.as_ptr(), AAD.len() as c_int);
            (self.EVP_CipherUpdate)(c, p, &mut n, text, len as c_int);
            (self.EVP_CipherFinal_ex)(c, p.add(len), &mut n);
            (self.EVP_CIPHER_CTX_ctrl)(c, GET_TAG, 16, p.add(len));
        }
    }
}

fn prepare(api: &'static Api, case: &Case) -> Option<Op> {
    // HMAC_Init_ex with a new key on a kept context beats HMAC() and EVP_MAC; without one it takes the key it
    // has.
    let mac = move |c: P, key: Option<&[u8; 32]>, md: P, m: &[u8], out: &mut [u8]| unsafe {
        let (key, len) = key.map_or((null(), 0), |key| (key.as_ptr(), 32));
        (api.HMAC_Init_ex)(c, key, len, md, null_mut());
        (api.HMAC_Update)(c, m.as_ptr(), m.len());
        (api.HMAC_Final)(c, out.as_mut_ptr(), null_mut());
    };
    Some(match case.work {
        Work::HmacNew(h) => {
            let (c, md) = (unsafe { (api.HMAC_CTX_new)() }, api.md(h));
            case.messages(move |m, out| mac(c, Some(new_key()), md, m, out))
        }
        Work::Hmac(h) => {
            let c = unsafe { (api.HMAC_CTX_new)() };
            unsafe { assert_eq!((api.HMAC_Init_ex)(c, KEY.as_ptr(), 32, api.md(h), null_mut()), 1) };
            case.messages(move |m, out| mac(c, None, null_mut(), m, out))
        }
        Work::HmacKey(h) => {
            let md = api.md(h);
            setup(move || unsafe {
                let c = (api.HMAC_CTX_new)();
                (api.HMAC_Init_ex)(c, new_key().as_ptr(), 32, md, null_mut());
                (api.HMAC_CTX_free)(c);
            })
        }
        Work::Digest(h) => {
            let (c, md) = (unsafe { (api.EVP_MD_CTX_new)() }, api.md(h));
            case.messages(move |m, out| unsafe {
                (api.EVP_DigestInit_ex2)(c, md, null());
                (api.EVP_DigestUpdate)(c, m.as_ptr(), m.len());
                (api.EVP_DigestFinal_ex)(c, out.as_mut_ptr(), null_mut());
            })
        }
        Work::Pbkdf2(h) => {
            let md = api.md(h);
            case.passwords(move |p, out| unsafe {
                let (n, salt, len) = (ITERATIONS as c_int, SALT.as_ptr(), out.len() as c_int);
                let out = out.as_mut_ptr();
                assert_eq!((api.PKCS5_PBKDF2_HMAC)(p.as_ptr(), 16, salt, 16, n, md, len, out), 1);
            })
        }
        Work::HkdfExpand => unsafe {
            let c = (api.EVP_KDF_CTX_new)((api.EVP_KDF_fetch)(null_mut(), c"HKDF".as_ptr(), null()));
            // `info` accumulates on the context in some versions: it is set once, outside the timing.
            let params = [
                param(c"digest", UTF8, c"SHA256".to_bytes()),
                param(c"mode", UTF8, c"EXPAND_ONLY".to_bytes()),
                param(c"key", OCTETS, &KEY),
                param(c"info", OCTETS, &INFO),
                END,
            ];
            assert_eq!((api.EVP_KDF_CTX_set_params)(c, params.as_ptr()), 1);
            op(move |out| assert_eq!((api.EVP_KDF_derive)(c, out.as_mut_ptr(), out.len(), null()), 1))
        },
        Work::AesCtr(bits) => api.stream(if bits == 128 { c"AES-128-CTR" } else { c"AES-256-CTR" }, IV16),
        Work::ChaCha20 => {
            // The number of the first block, then the nonce.
            let mut iv = [0; 16];
            iv[0] = 1;
            iv[4..].copy_from_slice(&NONCE);
            api.stream(c"ChaCha20", iv)
        }
        Work::Seal(a) => {
            let c = api.keyed(api.aead(a), true);
            op(move |out| api.seal(c, out.as_ptr(), out))
        }
        Work::SealTo(a) => {
            let c = api.keyed(api.aead(a), true);
            case.seal_to(move |text, out| api.seal(c, text.as_ptr(), out))
        }
        Work::Open(a) => {
            let c = api.keyed(api.aead(a), false);
            case.open(a, move |out| unsafe {
                let (p, len, mut n) = (out.as_mut_ptr(), out.len() - 16, 0);
                (api.EVP_CipherInit_ex)(c, null(), null_mut(), null(), NONCE.as_ptr(), 0);
                (api.EVP_CipherUpdate)(c, null_mut(), &mut n, AAD.as_ptr(), AAD.len() as c_int);
                (api.EVP_CipherUpdate)(c, p, &mut n, p, len as c_int);
                (api.EVP_CIPHER_CTX_ctrl)(c, SET_TAG, 16, p.add(len));
                assert_eq!((api.EVP_CipherFinal_ex)(c, p, &mut n), 1);
            })
        }
        Work::AeadKey(a) => {
            let cipher = api.aead(a);
            setup(move || unsafe {
                let c = (api.EVP_CIPHER_CTX_new)();
                (api.EVP_CipherInit_ex)(c, cipher, null_mut(), new_key().as_ptr(), null(), 1);
                (api.EVP_CIPHER_CTX_free)(c);
            })
        }
        Work::Poly1305 => unsafe {
            let c = (api.EVP_MAC_CTX_new)((api.EVP_MAC_fetch)(null_mut(), c"POLY1305".as_ptr(), null()));
            case.messages(move |m, out| {
                let mut n = 0;
                (api.EVP_MAC_init)(c, new_key().as_ptr(), 32, null());
                (api.EVP_MAC_update)(c, m.as_ptr(), m.len());
                (api.EVP_MAC_final)(c, out.as_mut_ptr(), &mut n, 16);
            })
        },
        Work::Memcpy => return None,
    })
}
