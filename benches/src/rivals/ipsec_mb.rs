//! intel-ipsec-mb through the shim `c/ipsecmb_shim.c`.
#![allow(clippy::undocumented_unsafe_blocks, reason = "said once, here")]
//! Safety of the calls: the signatures are those of the shim; its states come from it, live as long as the
//! process and stay on one thread; pointers come with the lengths of the slices that they are made from, and
//! out buffers are as long as the case's `out_len`.

use crate::{case::*, rival::*};
use libc::{c_char, c_int, c_void, size_t};

type S = *mut c_void;

api! {
    "pk_";
    new: fn(c_int) -> S;
    version: fn() -> *const c_char;
    hmac_key: fn(S, c_int, *const u8, size_t);
    hmac: fn(S, c_int, *const u8, size_t, size_t, *mut u8) -> c_int;
    digest: fn(S, c_int, *const u8, size_t, size_t, *mut u8);
    stream_key: fn(S, c_int, *const u8);
    stream: fn(S, *mut u8, size_t, *const u8);
    aead_key: fn(S, c_int, *const u8);
    aead: fn(S, c_int, *const u8, *mut u8, size_t, *const u8, *const u8, size_t, *mut u8);
    poly1305: fn(S, *const u8, *const u8, size_t, *mut u8);
}

/// The shim, if it was built, by the manager that the library chooses and by the one for SSE and SHA-NI,
/// which is the better one on some CPUs.
pub(super) fn found() -> Vec<Rival> {
    unsafe {
        let Some((api, _)) = Api::load(&[&super::lib_dir().join("libipsecmb.so")]) else { return vec![] };
        let version = super::text((api.version)());
        let manager = |name, sse| Rival::new(name, version, move |case| prepare(api, (api.new)(sse), case));
        vec![manager("ipsec-mb", 0), manager("ipsec-mb-sse", 1)]
    }
}

fn prepare(api: &'static Api, s: S, case: &Case) -> Option<Op> {
    assert!(!s.is_null());
    let (n, len) = (case.batch, case.len);
    let bits = |a| [128, 256, 0][a as usize];
    Some(match case.work {
        Work::HmacNew(h) => case.messages(move |m, out| unsafe {
            (api.hmac_key)(s, h as c_int, new_key().as_ptr(), 32);
            (api.hmac)(s, h as c_int, m.as_ptr(), 1, m.len(), out.as_mut_ptr());
        }),
        Work::Hmac(h) => unsafe {
            (api.hmac_key)(s, h as c_int, KEY.as_ptr(), 32);
            let m = msg(n * len);
            op(move |out| {
                let done = (api.hmac)(s, h as c_int, m.as_ptr(), n, len, out.as_mut_ptr());
                assert_eq!(done as usize, n);
            })
        },
        Work::HmacKey(h) => setup(move || unsafe { (api.hmac_key)(s, h as c_int, new_key().as_ptr(), 32) }),
        Work::Digest(h) => {
            let m = msg(n * len);
            op(move |out| unsafe { (api.digest)(s, h as c_int, m.as_ptr(), n, len, out.as_mut_ptr()) })
        }
        Work::AesCtr(bits) => unsafe {
            (api.stream_key)(s, bits as c_int, KEY.as_ptr());
            op(move |out| (api.stream)(s, out.as_mut_ptr(), out.len(), IV16.as_ptr()))
        },
        Work::ChaCha20 => unsafe {
            (api.stream_key)(s, 0, KEY.as_ptr());
            op(move |out| (api.stream)(s, out.as_mut_ptr(), out.len(), NONCE.as_ptr()))
        },
        Work::Seal(a) | Work::SealTo(a) => {
            unsafe { (api.aead_key)(s, bits(a), KEY.as_ptr()) };
            let seal = move |text: *const u8, out: &mut [u8]| unsafe {
                let (p, tag) = (out.as_mut_ptr(), out.as_mut_ptr().add(len));
                (api.aead)(s, 1, text, p, len, NONCE.as_ptr(), AAD.as_ptr(), AAD.len(), tag);
            };
            match case.work {
                Work::Seal(_) => op(move |out| seal(out.as_ptr(), out)),
                _ => case.seal_to(move |text, out| seal(text.as_ptr(), out)),
            }
        }
        Work::Open(a) => unsafe {
            (api.aead_key)(s, bits(a), KEY.as_ptr());
            case.open(a, move |out| {
                // The library makes a tag; the comparison is the caller's.
                let (p, mut tag) = (out.as_mut_ptr(), [0; 16]);
                (api.aead)(s, 0, p, p, len, NONCE.as_ptr(), AAD.as_ptr(), AAD.len(), tag.as_mut_ptr());
                assert!(tag == out[len..]);
            })
        },
        Work::AeadKey(a) if a != Aead::ChaChaPoly => {
            setup(move || unsafe { (api.aead_key)(s, bits(a), new_key().as_ptr()) })
        }
        Work::Poly1305 => case.messages(move |m, out| unsafe {
            (api.poly1305)(s, new_key().as_ptr(), m.as_ptr(), m.len(), out.as_mut_ptr());
        }),
        _ => return None,
    })
}
