//! OpenSSL 3 and 4 and BoringSSL in one process: the system's libcrypto.so.3, and the libraries that
//! `c/build.sh` has built.
#![allow(clippy::undocumented_unsafe_blocks, reason = "said once, here")]
//! Safety of the calls: the signatures are those of the manuals; contexts come from the library and stay on
//! one thread; pointers come with the lengths of the slices that they are made from, and out buffers are as
//! long as the case's `out_len`. Lengths that are an `int` in OpenSSL and a `usize` in BoringSSL are passed
//! as the latter, whose low half is the former.

use crate::{case::*, rival::*};
use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    mem::{ManuallyDrop, MaybeUninit},
    path::PathBuf,
    ptr::{null, null_mut},
};

type P = *mut c_void;
type Bytes = *const u8;

api! { Evp {
    OpenSSL_version: fn(c_int) -> *const c_char;
    EVP_MD_fetch: fn(P, *const c_char, *const c_char) -> P;
    EVP_MD_CTX_new: fn() -> P;
    EVP_DigestInit_ex: fn(P, P, P) -> c_int;
    EVP_DigestUpdate: fn(P, *const u8, usize) -> c_int;
    EVP_DigestFinal_ex: fn(P, *mut u8, *mut c_uint) -> c_int;
    HMAC_CTX_new: fn() -> P;
    HMAC_CTX_free: fn(P);
    HMAC_Init_ex: fn(P, *const u8, usize, P, P) -> c_int;
    HMAC_Update: fn(P, *const u8, usize) -> c_int;
    HMAC_Final: fn(P, *mut u8, *mut c_uint) -> c_int;
    PKCS5_PBKDF2_HMAC: fn(*const u8, usize, *const u8, usize, c_uint, P, usize, *mut u8) -> c_int;
    EVP_get_cipherbyname: fn(*const c_char) -> P;
    EVP_CIPHER_CTX_new: fn() -> P;
    EVP_CIPHER_CTX_free: fn(P);
    EVP_CipherInit_ex: fn(P, P, P, *const u8, *const u8, c_int) -> c_int;
    EVP_CipherUpdate: fn(P, *mut u8, *mut c_int, *const u8, c_int) -> c_int;
} }

api! { OpenSsl {
    EVP_CIPHER_fetch: fn(P, *const c_char, *const c_char) -> P;
    EVP_CipherFinal_ex: fn(P, *mut u8, *mut c_int) -> c_int;
    EVP_CIPHER_CTX_ctrl: fn(P, c_int, c_int, *mut u8) -> c_int;
    EVP_KDF_fetch: fn(P, *const c_char, *const c_char) -> P;
    EVP_KDF_CTX_new: fn(P) -> P;
    EVP_KDF_CTX_set_params: fn(P, *const Param) -> c_int;
    EVP_KDF_derive: fn(P, *mut u8, usize, *const Param) -> c_int;
    EVP_MAC_fetch: fn(P, *const c_char, *const c_char) -> P;
    EVP_MAC_CTX_new: fn(P) -> P;
    EVP_MAC_init: fn(P, *const u8, usize, *const Param) -> c_int;
    EVP_MAC_update: fn(P, *const u8, usize) -> c_int;
    EVP_MAC_final: fn(P, *mut u8, *mut usize, usize) -> c_int;
} }

api! { BoringSsl {
    SHA1: fn(*const u8, usize, *mut u8) -> *mut u8;
    SHA256: fn(*const u8, usize, *mut u8) -> *mut u8;
    SHA384: fn(*const u8, usize, *mut u8) -> *mut u8;
    SHA512: fn(*const u8, usize, *mut u8) -> *mut u8;
    HKDF_expand: fn(*mut u8, usize, P, *const u8, usize, *const u8, usize) -> c_int;
    EVP_aead_aes_128_gcm: fn() -> P;
    EVP_aead_aes_256_gcm: fn() -> P;
    EVP_aead_chacha20_poly1305: fn() -> P;
    EVP_AEAD_CTX_new: fn(P, *const u8, usize, usize) -> P;
    EVP_AEAD_CTX_free: fn(P);
    EVP_AEAD_CTX_seal: fn(P, *mut u8, *mut usize, usize, Bytes, usize, Bytes, usize, Bytes, usize) -> c_int;
    EVP_AEAD_CTX_open: fn(P, *mut u8, *mut usize, usize, Bytes, usize, Bytes, usize, Bytes, usize) -> c_int;
    CRYPTO_poly1305_init: fn(*mut u8, *const u8);
    CRYPTO_poly1305_update: fn(*mut u8, *const u8, usize);
    CRYPTO_poly1305_finish: fn(*mut u8, *mut u8);
} }

/// `OSSL_PARAM`.
#[repr(C)]
struct Param {
    key: *const c_char,
    data_type: c_uint,
    data: *const u8,
    data_size: usize,
    return_size: usize,
}

const UTF8: c_uint = 4;
const OCTETS: c_uint = 5;
const GET_TAG: c_int = 0x10;
const SET_TAG: c_int = 0x11;

fn param(key: &'static CStr, data_type: c_uint, data: &[u8]) -> Param {
    let (data, data_size) = (data.as_ptr(), data.len());
    Param { key: key.as_ptr(), data_type, data, data_size, return_size: usize::MAX }
}

/// What has to be freed.
struct Context(P, unsafe extern "C" fn(P));

impl Drop for Context {
    fn drop(&mut self) {
        unsafe { (self.1)(self.0) }
    }
}

pub(super) fn openssl(name: &'static str, path: PathBuf) -> Option<Rival> {
    unsafe {
        let object = super::open(path)?;
        let (evp, own) = (Evp::load(object)?, OpenSsl::load(object)?);
        Some(evp.rival(name, |case| own.prepare(evp, case)))
    }
}

pub(super) fn boringssl(name: &'static str) -> Option<Rival> {
    unsafe {
        let object = super::open(super::built("libboringssl.so"))?;
        let (evp, own) = (Evp::load(object)?, BoringSsl::load(object)?);
        Some(evp.rival(name, |case| own.prepare(evp, case)))
    }
}

/// What both offer alike.
impl Evp {
    /// Returns the library, with what it has of its own.
    fn rival(&'static self, name: &'static str, own: impl Fn(&Case) -> Option<Op> + 'static) -> Rival {
        let version = unsafe { super::text((self.OpenSSL_version)(0)) };
        Rival::new(name, version, move |case| own(case).or_else(|| self.prepare(case)))
    }

    fn md(&self, case: &Case) -> Option<P> {
        let name = case.by_hash([c"SHA1", c"SHA256", c"SHA384", c"SHA512"])?;
        Some(unsafe { (self.EVP_MD_fetch)(null_mut(), name.as_ptr(), null()) })
    }

    fn keyed(&self, cipher: P, key: *const u8) -> Context {
        unsafe {
            let c = (self.EVP_CIPHER_CTX_new)();
            assert_eq!((self.EVP_CipherInit_ex)(c, cipher, null_mut(), key, null(), 1), 1);
            Context(c, self.EVP_CIPHER_CTX_free)
        }
    }

    fn stream(&'static self, cipher: P, iv: [u8; 16]) -> Op {
        // Never freed: a closure that names the pointer alone does not keep its owner.
        let c = ManuallyDrop::new(self.keyed(cipher, KEY.as_ptr())).0;
        op(move |out| unsafe {
            let mut n = 0;
            (self.EVP_CipherInit_ex)(c, null_mut(), null_mut(), null(), iv.as_ptr(), 1);
            (self.EVP_CipherUpdate)(c, out.as_mut_ptr(), &mut n, out.as_ptr(), out.len() as c_int);
        })
    }

    fn prepare(&'static self, case: &Case) -> Option<Op> {
        Some(match (case.table, case.operation) {
            ("HMAC", "keysetup") => {
                let md = self.md(case)?;
                setup(move || unsafe {
                    let c = Context((self.HMAC_CTX_new)(), self.HMAC_CTX_free);
                    (self.HMAC_Init_ex)(c.0, new_key().as_ptr(), 32, md, null_mut());
                })
            }
            ("HMAC", operation) => {
                // HMAC_Init_ex with a new key on a kept context beats HMAC() and EVP_MAC; without one it
                // takes the key it has.
                let (c, md, is_new) =
                    (unsafe { (self.HMAC_CTX_new)() }, self.md(case)?, operation == "newkey");
                unsafe { assert_eq!((self.HMAC_Init_ex)(c, KEY.as_ptr(), 32, md, null_mut()), 1) };
                case.messages(move |m, out| unsafe {
                    match is_new {
                        true => (self.HMAC_Init_ex)(c, new_key().as_ptr(), 32, md, null_mut()),
                        false => (self.HMAC_Init_ex)(c, null(), 0, null_mut(), null_mut()),
                    };
                    (self.HMAC_Update)(c, m.as_ptr(), m.len());
                    (self.HMAC_Final)(c, out.as_mut_ptr(), &mut 0);
                })
            }
            ("Hash", _) => {
                let (c, md) = (unsafe { (self.EVP_MD_CTX_new)() }, self.md(case)?);
                case.messages(move |m, out| unsafe {
                    (self.EVP_DigestInit_ex)(c, md, null_mut());
                    (self.EVP_DigestUpdate)(c, m.as_ptr(), m.len());
                    (self.EVP_DigestFinal_ex)(c, out.as_mut_ptr(), null_mut());
                })
            }
            ("PBKDF2", _) => {
                let (md, salt) = (self.md(case)?, SALT.as_ptr());
                case.passwords(move |p, out| unsafe {
                    let (p, out, len) = (p.as_ptr(), out.as_mut_ptr(), out.len());
                    assert_eq!((self.PKCS5_PBKDF2_HMAC)(p, 16, salt, 16, ITERATIONS, md, len, out), 1);
                })
            }
            ("AES-CTR", _) => {
                let name = if case.algorithm == "aes128ctr" { c"AES-128-CTR" } else { c"AES-256-CTR" };
                self.stream(unsafe { (self.EVP_get_cipherbyname)(name.as_ptr()) }, IV16)
            }
            _ => return None,
        })
    }
}

impl OpenSsl {
    fn cipher(&self, name: &CStr) -> P {
        unsafe { (self.EVP_CIPHER_fetch)(null_mut(), name.as_ptr(), null()) }
    }

    fn prepare(&'static self, evp: &'static Evp, case: &Case) -> Option<Op> {
        Some(match case.table {
            "HKDF" => unsafe {
                let c = (self.EVP_KDF_CTX_new)((self.EVP_KDF_fetch)(null_mut(), c"HKDF".as_ptr(), null()));
                // `info` accumulates on the context in some versions: it is set once, outside the timing.
                let params = [
                    param(c"digest", UTF8, c"SHA256".to_bytes()),
                    param(c"mode", UTF8, c"EXPAND_ONLY".to_bytes()),
                    param(c"key", OCTETS, &KEY),
                    param(c"info", OCTETS, &INFO),
                    Param { key: null(), data_type: 0, data: null(), data_size: 0, return_size: 0 },
                ];
                assert_eq!((self.EVP_KDF_CTX_set_params)(c, params.as_ptr()), 1);
                op(move |out| assert_eq!((self.EVP_KDF_derive)(c, out.as_mut_ptr(), out.len(), null()), 1))
            },
            "ChaCha20" => {
                // The number of the first block, then the nonce.
                let mut iv = [0; 16];
                iv[0] = 1;
                iv[4..].copy_from_slice(&NONCE);
                evp.stream(self.cipher(c"ChaCha20"), iv)
            }
            "AES-GCM" | "ChaCha20-Poly1305" => {
                let name = case.by_aead([c"AES-128-GCM", c"AES-256-GCM", c"ChaCha20-Poly1305"])?;
                let cipher = self.cipher(name);
                let update = |c: P, from: *const u8, out: *mut u8, len: usize, encrypt| unsafe {
                    let mut n = 0;
                    (evp.EVP_CipherInit_ex)(c, null_mut(), null_mut(), null(), NONCE.as_ptr(), encrypt);
                    (evp.EVP_CipherUpdate)(c, null_mut(), &mut n, AAD.as_ptr(), AAD.len() as c_int);
                    (evp.EVP_CipherUpdate)(c, out, &mut n, from, len as c_int);
                };
                case.aead(
                    move |key| evp.keyed(cipher, key.as_ptr()),
                    move |c, from, out| unsafe {
                        let (p, len, mut n) = (out.as_mut_ptr(), out.len() - 16, 0);
                        update(c.0, from.map_or(p, <[u8]>::as_ptr), p, len, 1);
                        (self.EVP_CipherFinal_ex)(c.0, p.add(len), &mut n);
                        (self.EVP_CIPHER_CTX_ctrl)(c.0, GET_TAG, 16, p.add(len));
                    },
                    move |c, out| unsafe {
                        let (p, len, mut n) = (out.as_mut_ptr(), out.len() - 16, 0);
                        update(c.0, p, p, len, 0);
                        (self.EVP_CIPHER_CTX_ctrl)(c.0, SET_TAG, 16, p.add(len));
                        assert_eq!((self.EVP_CipherFinal_ex)(c.0, p, &mut n), 1);
                    },
                )
            }
            "Poly1305" => unsafe {
                let c =
                    (self.EVP_MAC_CTX_new)((self.EVP_MAC_fetch)(null_mut(), c"POLY1305".as_ptr(), null()));
                case.messages(move |m, out| {
                    (self.EVP_MAC_init)(c, new_key().as_ptr(), 32, null());
                    (self.EVP_MAC_update)(c, m.as_ptr(), m.len());
                    (self.EVP_MAC_final)(c, out.as_mut_ptr(), &mut 0, 16);
                })
            },
            _ => return None,
        })
    }
}

impl BoringSsl {
    fn prepare(&'static self, evp: &'static Evp, case: &Case) -> Option<Op> {
        Some(match case.table {
            "Hash" => {
                // Faster than a context, which its HMAC() is not.
                let hash = case.by_hash([self.SHA1, self.SHA256, self.SHA384, self.SHA512])?;
                case.messages(move |m, out| _ = unsafe { hash(m.as_ptr(), m.len(), out.as_mut_ptr()) })
            }
            "HKDF" => {
                let (md, info) = (evp.md(case)?, INFO.as_ptr());
                op(move |out| unsafe {
                    (self.HKDF_expand)(out.as_mut_ptr(), out.len(), md, KEY.as_ptr(), 32, info, INFO.len());
                })
            }
            "AES-GCM" | "ChaCha20-Poly1305" => {
                let algorithms =
                    [self.EVP_aead_aes_128_gcm, self.EVP_aead_aes_256_gcm, self.EVP_aead_chacha20_poly1305];
                let algorithm = unsafe { case.by_aead(algorithms)?() };
                let (nonce, aad) = (NONCE.as_ptr(), AAD.as_ptr());
                case.aead(
                    move |key| {
                        let c = unsafe { (self.EVP_AEAD_CTX_new)(algorithm, key.as_ptr(), key.len(), 16) };
                        Context(c, self.EVP_AEAD_CTX_free)
                    },
                    move |c, from, out| unsafe {
                        let (p, len, mut n) = (out.as_mut_ptr(), out.len(), 0);
                        let from = from.map_or_else(|| p.cast_const(), <[u8]>::as_ptr);
                        let seal = self.EVP_AEAD_CTX_seal;
                        seal(c.0, p, &mut n, len, nonce, 12, from, len - 16, aad, AAD.len());
                    },
                    move |c, out| unsafe {
                        let (p, len, mut n) = (out.as_mut_ptr(), out.len(), 0);
                        let open = self.EVP_AEAD_CTX_open;
                        assert_eq!(open(c.0, p, &mut n, len, nonce, 12, p, len, aad, AAD.len()), 1);
                    },
                )
            }
            "Poly1305" => case.messages(|m, out| unsafe {
                let mut state = MaybeUninit::<[u64; 64]>::uninit();
                let state = state.as_mut_ptr().cast();
                (self.CRYPTO_poly1305_init)(state, new_key().as_ptr());
                (self.CRYPTO_poly1305_update)(state, m.as_ptr(), m.len());
                (self.CRYPTO_poly1305_finish)(state, out.as_mut_ptr());
            }),
            _ => return None,
        })
    }
}
