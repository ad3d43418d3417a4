//! The system's libsodium. Operations that an older version lacks are left out.
#![allow(clippy::undocumented_unsafe_blocks, reason = "said once, here")]
//! Safety of the calls: the signatures are those of libsodium's headers; states are no shorter than the
//! library says and initialised by it; pointers come with the lengths of the slices that they are made from,
//! and out buffers are as long as the case's `out_len`.

use super::{needed, symbol};
use crate::{case::*, rival::*};
use libloading::Library;
use std::ffi::{c_char, c_int, c_ulonglong};
use std::ptr::{null, null_mut};

/// A running HMAC, or a key schedule: opaque.
#[repr(C, align(16))]
#[derive(Clone)]
struct State<const N: usize>([u8; N]);

type Len = c_ulonglong;
type Bytes = *const u8;
type Out = *mut u8;
type Init = unsafe extern "C" fn(Out, Bytes, usize) -> c_int;
type Update = unsafe extern "C" fn(Out, Bytes, Len) -> c_int;
type Schedule = unsafe extern "C" fn(Out, Bytes) -> c_int;
type Final = unsafe extern "C" fn(Out, Out) -> c_int;
type Expand = unsafe extern "C" fn(Out, usize, *const c_char, usize, Bytes) -> c_int;
type Stream = unsafe extern "C" fn(Out, Bytes, Len, Bytes, u32, Bytes) -> c_int;
type Mac = unsafe extern "C" fn(Out, Bytes, Len, Bytes) -> c_int;
type Encrypt = unsafe extern "C" fn(Out, Out, *mut Len, Bytes, Len, Bytes, Len, Bytes, Bytes, Bytes) -> c_int;
type Decrypt = unsafe extern "C" fn(Out, Out, Bytes, Len, Bytes, Bytes, Len, Bytes, Bytes) -> c_int;

/// Returns libsodium, if it is installed: the newest binary interface that it has had, or the one before.
pub(super) fn rival(name: &'static str) -> Option<Rival> {
    let object =
        ["libsodium.so.26", "libsodium.so.23"].into_iter().find_map(|name| super::open(name.into()))?;
    unsafe {
        let init: unsafe extern "C" fn() -> c_int = needed(object, "sodium_init")?;
        let version: unsafe extern "C" fn() -> *const c_char = needed(object, "sodium_version_string")?;
        assert!(init() >= 0);
        for (part, len) in [("auth_hmacsha256", 208), ("auth_hmacsha512", 416), ("aead_aes256gcm", 512)] {
            let bytes: unsafe extern "C" fn() -> usize =
                needed(object, &format!("crypto_{part}_statebytes"))?;
            assert_eq!(bytes(), len);
        }
        Some(Rival::new(name, super::text(version()), move |case| prepare(object, case)))
    }
}

unsafe fn hmac<const N: usize>(object: &Library, case: &Case) -> Option<Op> {
    let function = |part| format!("crypto_auth_{}_{part}", case.algorithm.replace('-', ""));
    unsafe {
        let init: Init = symbol(object, &function("init"))?;
        let update: Update = symbol(object, &function("update"))?;
        let finish: Final = symbol(object, &function("final"))?;
        Some(case.hmac(
            move |key| {
                let mut state = State([0; N]);
                init(state.0.as_mut_ptr(), key.as_ptr(), 32);
                state
            },
            move |state, m, out| {
                let mut state = state.into_owned();
                update(state.0.as_mut_ptr(), m.as_ptr(), m.len() as _);
                finish(state.0.as_mut_ptr(), out.as_mut_ptr());
            },
        ))
    }
}

fn prepare(object: &'static Library, case: &Case) -> Option<Op> {
    unsafe {
        Some(match case.algorithm {
            "hmac-sha256" => return hmac::<208>(object, case),
            "hmac-sha512" => return hmac::<416>(object, case),
            "sha256" | "sha512" => {
                let hash: Update = symbol(object, &format!("crypto_hash_{}", case.algorithm))?;
                case.messages(move |m, out| _ = hash(out.as_mut_ptr(), m.as_ptr(), m.len() as _))
            }
            "hkdf-sha256" => {
                let expand: Expand = symbol(object, "crypto_kdf_hkdf_sha256_expand")?;
                let info = INFO.as_ptr();
                op(move |out| _ = expand(out.as_mut_ptr(), out.len(), info.cast(), INFO.len(), KEY.as_ptr()))
            }
            "chacha20" => {
                let xor: Stream = symbol(object, "crypto_stream_chacha20_ietf_xor_ic")?;
                op(move |out| {
                    let p = out.as_mut_ptr();
                    xor(p, p, out.len() as _, NONCE.as_ptr(), 1, KEY.as_ptr());
                })
            }
            "poly1305" => {
                let mac: Mac = symbol(object, "crypto_onetimeauth_poly1305")?;
                case.messages(move |m, out| {
                    mac(out.as_mut_ptr(), m.as_ptr(), m.len() as _, new_key().as_ptr());
                })
            }
            "aes256gcm" => {
                let usable: unsafe extern "C" fn() -> c_int =
                    symbol(object, "crypto_aead_aes256gcm_is_available")?;
                let schedule: Schedule = symbol(object, "crypto_aead_aes256gcm_beforenm")?;
                if usable() == 0 {
                    return None;
                }
                return aead(object, case, ("aes256gcm", "_afternm"), move |key| {
                    let mut state = State([0; 512]);
                    schedule(state.0.as_mut_ptr(), key.as_ptr());
                    state
                });
            }
            "chachapoly" => {
                let new = |key: &[u8]| State(<[u8; 32]>::try_from(key).unwrap());
                return aead(object, case, ("chacha20poly1305_ietf", ""), new);
            }
            _ => return None,
        })
    }
}

/// The functions' names have these parts.
unsafe fn aead<const N: usize>(
    object: &Library,
    case: &Case,
    (name, suffix): (&str, &str),
    new: impl Fn(&[u8]) -> State<N> + 'static,
) -> Option<Op> {
    let (nonce, aad, aad_len) = (NONCE.as_ptr(), AAD.as_ptr(), AAD.len() as Len);
    unsafe {
        let encrypt: Encrypt = symbol(object, &format!("crypto_aead_{name}_encrypt_detached{suffix}"))?;
        let decrypt: Decrypt = symbol(object, &format!("crypto_aead_{name}_decrypt_detached{suffix}"))?;
        Some(case.aead(
            new,
            move |key, from, out| {
                let (p, len, key) = (out.as_mut_ptr(), out.len() - 16, key.0.as_ptr());
                let from = from.map_or_else(|| p.cast_const(), <[u8]>::as_ptr);
                encrypt(p, p.add(len), null_mut(), from, len as Len, aad, aad_len, null(), nonce, key);
            },
            move |key, out| {
                let (p, len, key) = (out.as_mut_ptr(), out.len() - 16, key.0.as_ptr());
                assert_eq!(decrypt(p, null_mut(), p, len as Len, p.add(len), aad, aad_len, nonce, key), 0);
            },
        ))
    }
}
