//! intel-ipsec-mb through the shim `c/ipsecmb_shim.c`.
#![allow(clippy::undocumented_unsafe_blocks, reason = "said once, here")]
//! Safety of the calls: the signatures are those of the shim; its states come from it, live as long as the
//! process and stay on one thread; pointers come with the lengths of the slices that they are made from, and
//! out buffers are as long as the case's `out_len`.

use crate::{case::*, hide, rival::*};
use std::ffi::{c_char, c_int, c_void};

type S = *mut c_void;

api! { Mb {
    mb_new: fn(c_int, u64) -> S;
    imb_get_version_str: fn() -> *const c_char;
    mb_hmac_key: fn(S, c_int, *const u8, usize);
    mb_hmac: fn(S, c_int, *const u8, usize, usize, *mut u8) -> c_int;
    mb_digest: fn(S, c_int, *const u8, usize, usize, *mut u8);
    mb_key: fn(S, c_int, c_int, *const u8);
    mb_stream: fn(S, *mut u8, usize, *const u8);
    mb_aead: fn(S, c_int, *const u8, *mut u8, usize, *const u8, *const u8, usize, *mut u8);
    mb_poly1305: fn(S, *const u8, *const u8, usize, *mut u8);
} }

/// Returns the library, if the shim was built, by the manager that it chooses, or with `sse` by the one for
/// SSE and SHA-NI, which is the better one on some CPUs.
pub(super) fn rival(name: &'static str, sse: bool) -> Option<Rival> {
    unsafe {
        let mb = Mb::load(super::open(super::built("libipsecmb.so"))?)?;
        let version = super::text((mb.imb_get_version_str)());
        Some(Rival::new(name, version, move |case| {
            mb.prepare((mb.mb_new)(sse.into(), hide::flags("ipsec-mb", case.algorithm)), case)
        }))
    }
}

impl Mb {
    fn prepare(&'static self, s: S, case: &Case) -> Option<Op> {
        let (n, len) = (case.batch, case.len);
        let stream = |bits, iv: &'static [u8]| unsafe {
            (self.mb_key)(s, 0, bits, KEY.as_ptr());
            op(move |out| (self.mb_stream)(s, out.as_mut_ptr(), out.len(), iv.as_ptr()))
        };
        Some(match case.algorithm {
            "aes128ctr" => stream(128, &IV16),
            "aes256ctr" => stream(256, &IV16),
            "chacha20" => stream(0, &NONCE),
            "poly1305" => case.messages(move |m, out| unsafe {
                (self.mb_poly1305)(s, new_key().as_ptr(), m.as_ptr(), m.len(), out.as_mut_ptr());
            }),
            "aes128gcm" | "aes256gcm" | "chachapoly" => {
                let bits = case.by_aead([128, 256, 0])?;
                let run = move |decrypt, from, out, tag| unsafe {
                    (self.mb_aead)(s, decrypt, from, out, len, NONCE.as_ptr(), AAD.as_ptr(), AAD.len(), tag)
                };
                case.aead(
                    move |key| unsafe { (self.mb_key)(s, 1, bits, key.as_ptr()) },
                    move |(), from, out| {
                        let (out, tag) = split(out);
                        run(0, from.map_or(out.as_ptr(), <[u8]>::as_ptr), out.as_mut_ptr(), tag.as_mut_ptr());
                    },
                    move |(), out| {
                        // The library makes a tag; the comparison is the caller's.
                        let ((out, tag), mut made) = (split(out), [0; 16]);
                        run(1, out.as_ptr(), out.as_mut_ptr(), made.as_mut_ptr());
                        assert!(made == *tag);
                    },
                )
            }
            // Its jobs count bytes in 16 bits.
            _ if case.table == "HMAC" && len > 0xffff => return None,
            _ => {
                let (h, m, new) = (case.by_hash([0, 1, 2, 3])?, msg(n * len), case.operation == "newkey");
                let set_key = move || unsafe { (self.mb_hmac_key)(s, h, new_key().as_ptr(), 32) };
                set_key();
                match (case.table, case.operation) {
                    ("HMAC", "keysetup") => setup(set_key),
                    ("HMAC", _) => op(move |out| {
                        if new {
                            set_key();
                        }
                        let done = unsafe { (self.mb_hmac)(s, h, m.as_ptr(), n, len, out.as_mut_ptr()) };
                        assert_eq!(done as usize, n);
                    }),
                    ("Hash", _) => {
                        op(move |out| unsafe { (self.mb_digest)(s, h, m.as_ptr(), n, len, out.as_mut_ptr()) })
                    }
                    _ => return None,
                }
            }
        })
    }
}
