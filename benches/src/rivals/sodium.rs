//! The system's libsodium, through dlopen.
//!
//! Safety of the calls: the signatures are those of libsodium's headers; states are as long as the library says and
//! initialised by it; pointers come with the lengths of the slices that they are made from, and out buffers are as long
//! as the case's `out_len`.
use crate::{Op, Rival, case::*, op};
use libc::{c_char, c_int, c_ulonglong, size_t};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::{hint::black_box, ptr::null, ptr::null_mut};

/// A state of the library's, opaque.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct State<const N: usize>([u8; N]);

type HmacSha256 = State<208>;
type HmacSha512 = State<416>;
type Aes256Gcm = State<512>;

api! {
    "";
    sodium_init: fn() -> c_int;
    sodium_version_string: fn() -> *const c_char;
    crypto_auth_hmacsha256_statebytes: fn() -> size_t;
    crypto_auth_hmacsha256_init: fn(*mut HmacSha256, *const u8, size_t) -> c_int;
    crypto_auth_hmacsha256_update: fn(*mut HmacSha256, *const u8, c_ulonglong) -> c_int;
    crypto_auth_hmacsha256_final: fn(*mut HmacSha256, *mut u8) -> c_int;
    crypto_auth_hmacsha512_statebytes: fn() -> size_t;
    crypto_auth_hmacsha512_init: fn(*mut HmacSha512, *const u8, size_t) -> c_int;
    crypto_auth_hmacsha512_update: fn(*mut HmacSha512, *const u8, c_ulonglong) -> c_int;
    crypto_auth_hmacsha512_final: fn(*mut HmacSha512, *mut u8) -> c_int;
    crypto_hash_sha256: fn(*mut u8, *const u8, c_ulonglong) -> c_int;
    crypto_hash_sha512: fn(*mut u8, *const u8, c_ulonglong) -> c_int;
    crypto_onetimeauth_poly1305: fn(*mut u8, *const u8, c_ulonglong, *const u8) -> c_int;
    crypto_stream_chacha20_ietf_xor_ic: fn(*mut u8, *const u8, c_ulonglong, *const u8, u32, *const u8) -> c_int;
    crypto_aead_chacha20poly1305_ietf_encrypt_detached: fn(
        *mut u8, *mut u8, *mut c_ulonglong, *const u8, c_ulonglong, *const u8, c_ulonglong, *const u8, *const u8,
        *const u8
    ) -> c_int;
    crypto_aead_chacha20poly1305_ietf_decrypt_detached: fn(
        *mut u8, *mut u8, *const u8, c_ulonglong, *const u8, *const u8, c_ulonglong, *const u8, *const u8
    ) -> c_int;
    crypto_aead_aes256gcm_is_available: fn() -> c_int;
    crypto_aead_aes256gcm_statebytes: fn() -> size_t;
    crypto_aead_aes256gcm_beforenm: fn(*mut Aes256Gcm, *const u8) -> c_int;
    crypto_aead_aes256gcm_encrypt_detached_afternm: fn(
        *mut u8, *mut u8, *mut c_ulonglong, *const u8, c_ulonglong, *const u8, c_ulonglong, *const u8, *const u8,
        *const Aes256Gcm
    ) -> c_int;
    crypto_aead_aes256gcm_decrypt_detached_afternm: fn(
        *mut u8, *mut u8, *const u8, c_ulonglong, *const u8, *const u8, c_ulonglong, *const u8, *const Aes256Gcm
    ) -> c_int;
}

/// `crypto_kdf_hkdf_sha256_expand`, of which older versions have none.
type Expand = unsafe extern "C" fn(*mut u8, size_t, *const c_char, size_t, *const u8) -> c_int;

/// The version that is installed.
pub struct Sodium {
    api: Api,
    expand: Option<Expand>,
}

/// libsodium, if it is installed: the newest binary interface that it has had, or the one before.
pub fn found() -> Option<Box<dyn Rival>> {
    // SAFETY: as said above; it stays loaded for the life of the process.
    unsafe {
        let open = |name| Library::open(Some(name), RTLD_NOW | RTLD_LOCAL);
        let l = open("libsodium.so.26").or_else(|_| open("libsodium.so.23")).ok()?;
        let api = Api::load(&l).expect("libsodium symbols");
        let expand = l.get(b"crypto_kdf_hkdf_sha256_expand\0").ok().map(|expand| *expand);
        core::mem::forget(l);
        assert!((api.sodium_init)() >= 0);
        assert_eq!((api.crypto_auth_hmacsha256_statebytes)(), size_of::<HmacSha256>());
        assert_eq!((api.crypto_auth_hmacsha512_statebytes)(), size_of::<HmacSha512>());
        assert_eq!((api.crypto_aead_aes256gcm_statebytes)(), size_of::<Aes256Gcm>());
        Some(Box::new(Sodium { api, expand }))
    }
}

macro_rules! hmac_cases {
    ($case:expr, $api:ident, $State:ty, $init:ident, $update:ident, $fin:ident) => {{
        let k = key::<32>();
        // SAFETY: as said above.
        let fresh = move || unsafe {
            let mut st: $State = State([0; _]);
            ($api.$init)(&mut st, black_box(&k).as_ptr(), 32);
            st
        };
        match *$case {
            Case::HmacNew { len, .. } => {
                let m = msg(len);
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let mut st = fresh();
                    ($api.$update)(&mut st, m.as_ptr(), len as _);
                    ($api.$fin)(&mut st, out.as_mut_ptr());
                })
            }
            Case::HmacKeyed { len, .. } => {
                let (m, st) = (msg(len), fresh());
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let mut st = st;
                    ($api.$update)(&mut st, m.as_ptr(), len as _);
                    ($api.$fin)(&mut st, out.as_mut_ptr());
                })
            }
            Case::HmacBatch { h, n, len } => {
                let (m, st) = (msg(n * len), fresh());
                // SAFETY: as said above.
                op(move |out| unsafe {
                    for (m, o) in m.chunks_exact(len).zip(out.chunks_exact_mut(h.len())) {
                        let mut st = st;
                        ($api.$update)(&mut st, m.as_ptr(), len as _);
                        ($api.$fin)(&mut st, o.as_mut_ptr());
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
        let v = unsafe { core::ffi::CStr::from_ptr((self.api.sodium_version_string)()) };
        format!("libsodium-{}", v.to_str().unwrap())
    }
    fn version(&self) -> String {
        "the system's".into()
    }
    fn prepare(&self, case: &Case) -> Option<Op> {
        let (api, expand) = (self.api, self.expand);
        match *case {
            Case::HmacNew { h, .. }
            | Case::HmacKeyed { h, .. }
            | Case::HmacBatch { h, .. }
            | Case::HmacKey { h } => match h {
                Hash::Sha256 => hmac_cases!(
                    case,
                    api,
                    HmacSha256,
                    crypto_auth_hmacsha256_init,
                    crypto_auth_hmacsha256_update,
                    crypto_auth_hmacsha256_final
                ),
                Hash::Sha512 => hmac_cases!(
                    case,
                    api,
                    HmacSha512,
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
                    (api.crypto_hash_sha256)(out.as_mut_ptr(), m.as_ptr(), len as _);
                })
            }
            Case::Digest { h: Hash::Sha512, len } => {
                let m = msg(len);
                // SAFETY: as said above.
                op(move |out| unsafe {
                    (api.crypto_hash_sha512)(out.as_mut_ptr(), m.as_ptr(), len as _);
                })
            }
            Case::HkdfExpand { .. } => {
                let (k, expand) = (key::<32>(), expand?);
                // SAFETY: as said above.
                op(move |out| unsafe {
                    expand(out.as_mut_ptr(), out.len(), INFO.as_ptr().cast(), INFO.len(), k.as_ptr());
                })
            }
            Case::ChaCha20 { len } => {
                let k = key::<32>();
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let p = out.as_mut_ptr();
                    (api.crypto_stream_chacha20_ietf_xor_ic)(p, p, len as _, NONCE.as_ptr(), 1, k.as_ptr());
                })
            }
            Case::Seal { a: Aead::ChaChaPoly, len } | Case::SealTo { a: Aead::ChaChaPoly, len } => {
                let (k, in_place, text) = (key::<32>(), matches!(case, Case::Seal { .. }), msg(len));
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let p = out.as_mut_ptr();
                    (api.crypto_aead_chacha20poly1305_ietf_encrypt_detached)(
                        p,
                        p.add(len),
                        null_mut(),
                        if in_place { p } else { text.as_ptr() },
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
                    let rc = (api.crypto_aead_chacha20poly1305_ietf_decrypt_detached)(
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
            Case::Seal { a: Aead::Aes256Gcm, len } | Case::SealTo { a: Aead::Aes256Gcm, len } => {
                let (st, in_place, text) = (api.aes_key()?, matches!(case, Case::Seal { .. }), msg(len));
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let p = out.as_mut_ptr();
                    (api.crypto_aead_aes256gcm_encrypt_detached_afternm)(
                        p,
                        p.add(len),
                        null_mut(),
                        if in_place { p } else { text.as_ptr() },
                        len as _,
                        AAD.as_ptr(),
                        13,
                        null(),
                        NONCE.as_ptr(),
                        &st,
                    );
                })
            }
            Case::Open { a: Aead::Aes256Gcm, len } => {
                let (st, ct) = (api.aes_key()?, sealed(Aead::Aes256Gcm, len));
                // SAFETY: as said above.
                op(move |out| unsafe {
                    out.copy_from_slice(&ct);
                    let p = out.as_mut_ptr();
                    let rc = (api.crypto_aead_aes256gcm_decrypt_detached_afternm)(
                        p,
                        null_mut(),
                        p,
                        len as _,
                        p.add(len),
                        AAD.as_ptr(),
                        13,
                        NONCE.as_ptr(),
                        &st,
                    );
                    assert_eq!(rc, 0);
                })
            }
            Case::AeadKey { a: Aead::Aes256Gcm } => op(move |_| {
                black_box(api.aes_key());
            }),
            Case::Poly1305 { len } => {
                let (m, k) = (msg(len), key::<32>());
                // SAFETY: as said above.
                op(move |out| unsafe {
                    (api.crypto_onetimeauth_poly1305)(
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

impl Api {
    /// The prepared key of AES-256-GCM, where the library can use this CPU's AES.
    fn aes_key(&self) -> Option<Aes256Gcm> {
        let mut st = State([0; _]);
        // SAFETY: as said above.
        unsafe {
            if (self.crypto_aead_aes256gcm_is_available)() == 0 {
                return None;
            }
            (self.crypto_aead_aes256gcm_beforenm)(&mut st, black_box(&key::<32>()).as_ptr());
        }
        Some(st)
    }
}
