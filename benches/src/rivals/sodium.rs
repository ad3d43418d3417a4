//! The system's libsodium, where it may be the best rival.
#![allow(clippy::undocumented_unsafe_blocks, reason = "said once, here")]
//! Safety of the calls: the signatures are those of libsodium's headers; states are as long as the library
//! says and initialised by it; pointers come with the lengths of the slices that they are made from, and out
//! buffers are as long as the case's `out_len`.

use crate::{case::*, rival::*};
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
type Final = unsafe extern "C" fn(Out, Out) -> c_int;

api! { Sodium {
    sodium_init: fn() -> c_int;
    sodium_version_string: fn() -> *const c_char;
    crypto_auth_hmacsha256_statebytes: fn() -> usize;
    crypto_auth_hmacsha256_init: fn(Out, Bytes, usize) -> c_int;
    crypto_auth_hmacsha256_update: fn(Out, Bytes, Len) -> c_int;
    crypto_auth_hmacsha256_final: fn(Out, Out) -> c_int;
    crypto_auth_hmacsha512_statebytes: fn() -> usize;
    crypto_auth_hmacsha512_init: fn(Out, Bytes, usize) -> c_int;
    crypto_auth_hmacsha512_update: fn(Out, Bytes, Len) -> c_int;
    crypto_auth_hmacsha512_final: fn(Out, Out) -> c_int;
    crypto_stream_chacha20_ietf_xor_ic: fn(Out, Bytes, Len, Bytes, u32, Bytes) -> c_int;
    crypto_aead_aes256gcm_is_available: fn() -> c_int;
    crypto_aead_aes256gcm_statebytes: fn() -> usize;
    crypto_aead_aes256gcm_beforenm: fn(Out, Bytes) -> c_int;
    crypto_aead_aes256gcm_encrypt_detached_afternm:
        fn(Out, Out, *mut Len, Bytes, Len, Bytes, Len, Bytes, Bytes, Bytes) -> c_int;
    crypto_aead_aes256gcm_decrypt_detached_afternm:
        fn(Out, Out, Bytes, Len, Bytes, Bytes, Len, Bytes, Bytes) -> c_int;
} }

/// Returns libsodium, if it is installed: the newest binary interface that it has had, or the one before.
pub(super) fn rival(name: &'static str) -> Option<Rival> {
    let object =
        ["libsodium.so.26", "libsodium.so.23"].into_iter().find_map(|name| super::open(name.into()))?;
    unsafe {
        let lib = Sodium::load(object)?;
        assert!((lib.sodium_init)() >= 0);
        assert_eq!((lib.crypto_auth_hmacsha256_statebytes)(), 208);
        assert_eq!((lib.crypto_auth_hmacsha512_statebytes)(), 416);
        assert_eq!((lib.crypto_aead_aes256gcm_statebytes)(), 512);
        let version = super::text((lib.sodium_version_string)());
        Some(Rival::new(name, version, |case| lib.prepare(case)))
    }
}

fn hmac<const N: usize>(case: &Case, init: Init, update: Update, finish: Final) -> Op {
    case.hmac(
        move |key| unsafe {
            let mut state = State([0; N]);
            init(state.0.as_mut_ptr(), key.as_ptr(), 32);
            state
        },
        move |state, m, out| unsafe {
            let mut state = state.into_owned();
            update(state.0.as_mut_ptr(), m.as_ptr(), m.len() as _);
            finish(state.0.as_mut_ptr(), out.as_mut_ptr());
        },
    )
}

impl Sodium {
    fn prepare(&'static self, case: &Case) -> Option<Op> {
        Some(match case.algorithm {
            "hmac-sha256" => hmac::<208>(
                case,
                self.crypto_auth_hmacsha256_init,
                self.crypto_auth_hmacsha256_update,
                self.crypto_auth_hmacsha256_final,
            ),
            "hmac-sha512" => hmac::<416>(
                case,
                self.crypto_auth_hmacsha512_init,
                self.crypto_auth_hmacsha512_update,
                self.crypto_auth_hmacsha512_final,
            ),
            "chacha20" => op(move |out| {
                let (p, len, nonce, key) = (out.as_mut_ptr(), out.len() as Len, NONCE.as_ptr(), KEY.as_ptr());
                unsafe { (self.crypto_stream_chacha20_ietf_xor_ic)(p, p, len, nonce, 1, key) };
            }),
            "aes256gcm" if unsafe { (self.crypto_aead_aes256gcm_is_available)() } != 0 => self.aes_gcm(case),
            _ => return None,
        })
    }

    fn aes_gcm(&'static self, case: &Case) -> Op {
        let (nonce, aad, aad_len) = (NONCE.as_ptr(), AAD.as_ptr(), AAD.len() as Len);
        case.aead(
            |key| unsafe {
                let mut state = State([0; 512]);
                (self.crypto_aead_aes256gcm_beforenm)(state.0.as_mut_ptr(), key.as_ptr());
                state
            },
            move |key, from, out| unsafe {
                let (p, len, key) = (out.as_mut_ptr(), out.len() - 16, key.0.as_ptr());
                let from = from.map_or_else(|| p.cast_const(), <[u8]>::as_ptr);
                let seal = self.crypto_aead_aes256gcm_encrypt_detached_afternm;
                seal(p, p.add(len), null_mut(), from, len as Len, aad, aad_len, null(), nonce, key);
            },
            move |key, out| unsafe {
                let (p, len, key) = (out.as_mut_ptr(), out.len() - 16, key.0.as_ptr());
                let open = self.crypto_aead_aes256gcm_decrypt_detached_afternm;
                assert_eq!(open(p, null_mut(), p, len as Len, p.add(len), aad, aad_len, nonce, key), 0);
            },
        )
    }
}
