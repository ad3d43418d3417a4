//! The system's libsodium, through dlopen.
#![allow(clippy::undocumented_unsafe_blocks, reason = "said once, here")]
//! Safety of the calls: the signatures are those of libsodium's headers; states are no shorter than the
//! library says and initialised by it; pointers come with the lengths of the slices that they are made from,
//! and out buffers are as long as the case's `out_len`.

use crate::{case::*, rival::*};
use libc::{c_char, c_int, c_ulonglong, size_t};
use std::{path::Path, ptr::null, ptr::null_mut};

/// A running HMAC, or a key schedule: opaque.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct State<const N: usize>([u8; N]);

/// Methods, since a closure that names the field holds the field alone, without its alignment.
impl<const N: usize> State<N> {
    fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr()
    }

    fn as_mut_ptr(&mut self) -> *mut u8 {
        self.0.as_mut_ptr()
    }
}

type Init = unsafe extern "C" fn(*mut u8, *const u8, size_t) -> c_int;
type Update = unsafe extern "C" fn(*mut u8, *const u8, c_ulonglong) -> c_int;
type Final = unsafe extern "C" fn(*mut u8, *mut u8) -> c_int;
/// `crypto_kdf_hkdf_sha256_expand`, of which older versions have none.
type Expand = unsafe extern "C" fn(*mut u8, size_t, *const c_char, size_t, *const u8) -> c_int;

api! {
    "";
    sodium_init: fn() -> c_int;
    sodium_version_string: fn() -> *const c_char;
    crypto_auth_hmacsha256_statebytes: fn() -> size_t;
    crypto_auth_hmacsha256_init: fn(*mut u8, *const u8, size_t) -> c_int;
    crypto_auth_hmacsha256_update: fn(*mut u8, *const u8, c_ulonglong) -> c_int;
    crypto_auth_hmacsha256_final: fn(*mut u8, *mut u8) -> c_int;
    crypto_auth_hmacsha512_statebytes: fn() -> size_t;
    crypto_auth_hmacsha512_init: fn(*mut u8, *const u8, size_t) -> c_int;
    crypto_auth_hmacsha512_update: fn(*mut u8, *const u8, c_ulonglong) -> c_int;
    crypto_auth_hmacsha512_final: fn(*mut u8, *mut u8) -> c_int;
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
    crypto_aead_aes256gcm_beforenm: fn(*mut u8, *const u8) -> c_int;
    crypto_aead_aes256gcm_encrypt_detached_afternm: fn(
        *mut u8, *mut u8, *mut c_ulonglong, *const u8, c_ulonglong, *const u8, c_ulonglong, *const u8, *const u8,
        *const u8
    ) -> c_int;
    crypto_aead_aes256gcm_decrypt_detached_afternm: fn(
        *mut u8, *mut u8, *const u8, c_ulonglong, *const u8, *const u8, c_ulonglong, *const u8, *const u8
    ) -> c_int;
}

/// libsodium, if it is installed: the newest binary interface that it has had, or the one before.
pub(super) fn found() -> Option<Rival> {
    unsafe {
        let (api, object) = Api::load(&[Path::new("libsodium.so.26"), Path::new("libsodium.so.23")])?;
        let expand = object.get::<Expand>(b"crypto_kdf_hkdf_sha256_expand\0").ok().map(|expand| *expand);
        assert!((api.sodium_init)() >= 0);
        assert_eq!((api.crypto_auth_hmacsha256_statebytes)(), 208);
        assert_eq!((api.crypto_auth_hmacsha512_statebytes)(), 416);
        assert_eq!((api.crypto_aead_aes256gcm_statebytes)(), 512);
        let name = format!("libsodium-{}", super::text((api.sodium_version_string)()));
        Some(Rival::new(name, "the system's", move |case| prepare(api, expand, case)))
    }
}

impl Api {
    /// A key as the functions take it; AES-256-GCM's where the library can use this CPU's AES.
    fn key(&self, a: Aead, key: &[u8; 32]) -> Option<State<512>> {
        let mut state = State([0; 512]);
        match a {
            Aead::ChaChaPoly => state.0[..32].copy_from_slice(key),
            Aead::Aes128Gcm => return None,
            Aead::Aes256Gcm => unsafe {
                if (self.crypto_aead_aes256gcm_is_available)() == 0 {
                    return None;
                }
                (self.crypto_aead_aes256gcm_beforenm)(state.as_mut_ptr(), key.as_ptr());
            },
        }
        Some(state)
    }
}

fn hmac<const N: usize>(case: &Case, init: Init, update: Update, finish: Final) -> Op {
    let start = move |key: &[u8; 32]| unsafe {
        let mut state = State([0; N]);
        init(state.as_mut_ptr(), key.as_ptr(), 32);
        state
    };
    let mac = move |mut state: State<N>, m: &[u8], out: &mut [u8]| unsafe {
        update(state.as_mut_ptr(), m.as_ptr(), m.len() as _);
        finish(state.as_mut_ptr(), out.as_mut_ptr());
    };
    match case.work {
        Work::HmacNew(_) => case.messages(move |m, out| mac(start(new_key()), m, out)),
        Work::Hmac(_) => {
            let state = start(&KEY);
            case.messages(move |m, out| mac(state, m, out))
        }
        _ => setup(move || start(new_key())),
    }
}

fn prepare(api: &'static Api, expand: Option<Expand>, case: &Case) -> Option<Op> {
    Some(match case.work {
        Work::HmacNew(h) | Work::Hmac(h) | Work::HmacKey(h) => match h {
            Hash::Sha256 => hmac::<208>(
                case,
                api.crypto_auth_hmacsha256_init,
                api.crypto_auth_hmacsha256_update,
                api.crypto_auth_hmacsha256_final,
            ),
            Hash::Sha512 => hmac::<416>(
                case,
                api.crypto_auth_hmacsha512_init,
                api.crypto_auth_hmacsha512_update,
                api.crypto_auth_hmacsha512_final,
            ),
            _ => return None,
        },
        Work::Digest(h @ (Hash::Sha256 | Hash::Sha512)) => {
            let hash = if h == Hash::Sha256 { api.crypto_hash_sha256 } else { api.crypto_hash_sha512 };
            case.messages(move |m, out| unsafe {
                hash(out.as_mut_ptr(), m.as_ptr(), m.len() as _);
            })
        }
        Work::HkdfExpand => {
            let expand = expand?;
            op(move |out| unsafe {
                expand(out.as_mut_ptr(), out.len(), INFO.as_ptr().cast(), INFO.len(), KEY.as_ptr());
            })
        }
        Work::ChaCha20 => op(|out| unsafe {
            let p = out.as_mut_ptr();
            (api.crypto_stream_chacha20_ietf_xor_ic)(p, p, out.len() as _, NONCE.as_ptr(), 1, KEY.as_ptr());
        }),
        Work::Poly1305 => case.messages(|m, out| unsafe {
            let key = new_key().as_ptr();
            (api.crypto_onetimeauth_poly1305)(out.as_mut_ptr(), m.as_ptr(), m.len() as _, key);
        }),
        Work::AeadKey(Aead::Aes256Gcm) => {
            api.key(Aead::Aes256Gcm, &KEY)?;
            setup(|| api.key(Aead::Aes256Gcm, new_key()))
        }
        Work::Seal(a) | Work::SealTo(a) => {
            let key = api.key(a, &KEY)?;
            let encrypt = match a {
                Aead::ChaChaPoly => api.crypto_aead_chacha20poly1305_ietf_encrypt_detached,
                _ => api.crypto_aead_aes256gcm_encrypt_detached_afternm,
            };
            let seal = move |text: *const u8, out: &mut [u8]| unsafe {
                let (p, len) = (out.as_mut_ptr(), out.len() - 16);
                let (tag, nonce, aad) = (p.add(len), NONCE.as_ptr(), AAD.as_ptr());
                encrypt(p, tag, null_mut(), text, len as _, aad, AAD.len() as _, null(), nonce, key.as_ptr());
            };
            match case.work {
                Work::Seal(_) => op(move |out| seal(out.as_ptr(), out)),
                _ => case.seal_to(move |text, out| seal(text.as_ptr(), out)),
            }
        }
        Work::Open(a) => {
            let key = api.key(a, &KEY)?;
            let decrypt = match a {
                Aead::ChaChaPoly => api.crypto_aead_chacha20poly1305_ietf_decrypt_detached,
                _ => api.crypto_aead_aes256gcm_decrypt_detached_afternm,
            };
            case.open(a, move |out| unsafe {
                let (p, len) = (out.as_mut_ptr(), out.len() - 16);
                let (tag, nonce, aad) = (p.add(len), NONCE.as_ptr(), AAD.as_ptr());
                assert_eq!(
                    decrypt(p, null_mut(), p, len as _, tag, aad, AAD.len() as _, nonce, key.as_ptr()),
                    0
                );
            })
        }
        _ => return None,
    })
}
