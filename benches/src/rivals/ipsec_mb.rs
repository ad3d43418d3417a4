//! intel-ipsec-mb through the shim `c/ipsecmb_shim.c`.
//!
//! Safety of the calls: the signatures are those of the shim; its states come from it, live as long as the process and
//! stay on one thread; pointers come with the lengths of the slices that they are made from, and out buffers are as
//! long as the case's `out_len`.
use crate::{Op, Rival, case::*, op};
use libc::{c_char, c_int, c_void, size_t};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::hint::black_box;

type S = *mut c_void;

api! {
    "pk_";
    new: fn(c_int) -> S;
    version: fn() -> *const c_char;
    hmac_key: fn(S, c_int, *const u8, size_t);
    hmac_jobs: fn(S, *const u8, size_t, size_t, *mut u8);
    hmac_burst: fn(S, *const u8, size_t, size_t, *mut u8) -> c_int;
    digest: fn(S, c_int, *const u8, size_t, *mut u8);
    digest_jobs: fn(S, c_int, *const u8, size_t, size_t, *mut u8);
    aes_key: fn(S, c_int, *const u8);
    ctr: fn(S, *mut u8, size_t, *const u8);
    gcm_key: fn(S, c_int, *const u8);
    gcm_run: fn(S, c_int, *const u8, *mut u8, size_t, *const u8, *const u8, size_t, *mut u8);
    chacha_key: fn(S, *const u8);
    chacha_stream: fn(S, *mut u8, size_t, *const u8);
    chacha_run: fn(S, c_int, *const u8, *mut u8, size_t, *const u8, *const u8, size_t, *mut u8);
    poly1305: fn(S, *const u8, *const u8, size_t, *mut u8);
}

/// One version and one of its managers.
pub struct IpsecMb {
    name: String,
    version: String,
    api: Api,
    sse: bool,
}

/// The shim, if it was built, by the manager that the library chooses and by the one for SSE and SHA-NI, which is the
/// better one on some CPUs.
pub fn found() -> Vec<Box<dyn Rival>> {
    // SAFETY: our own shim; it stays loaded for the life of the process.
    let loaded = unsafe {
        let Ok(l) = Library::open(Some(super::lib_dir().join("libipsecmb.so")), RTLD_NOW | RTLD_LOCAL) else {
            return vec![];
        };
        let Ok(api) = Api::load(&l) else {
            eprintln!("ipsec-mb: the shim is an older one, left out; c/build.sh builds it");
            return vec![];
        };
        core::mem::forget(l);
        (api, core::ffi::CStr::from_ptr((api.version)()).to_str().unwrap())
    };
    let (api, version) = loaded;
    let manager = |name: &str, sse| -> Box<dyn Rival> {
        Box::new(IpsecMb { name: name.into(), version: version.into(), api, sse })
    };
    vec![manager("ipsec-mb", false), manager("ipsec-mb-sse", true)]
}

impl Rival for IpsecMb {
    fn name(&self) -> String {
        self.name.clone()
    }
    fn version(&self) -> String {
        self.version.clone()
    }
    fn prepare(&self, case: &Case) -> Option<Op> {
        let api = self.api;
        // SAFETY: as said above.
        let s = unsafe { (api.new)(self.sse as c_int) };
        assert!(!s.is_null());
        let k = key::<32>();
        match *case {
            Case::HmacNew { h, len } => {
                let m = msg(len);
                // SAFETY: as said above.
                op(move |out| unsafe {
                    (api.hmac_key)(s, h as c_int, black_box(&k).as_ptr(), 32);
                    (api.hmac_jobs)(s, m.as_ptr(), 1, len, out.as_mut_ptr())
                })
            }
            Case::HmacKeyed { h, len } => {
                let m = msg(len);
                // SAFETY: as said above.
                unsafe { (api.hmac_key)(s, h as c_int, k.as_ptr(), 32) };
                // SAFETY: as said above.
                op(move |out| unsafe { (api.hmac_jobs)(s, m.as_ptr(), 1, len, out.as_mut_ptr()) })
            }
            Case::HmacBatch { h, n, len } => {
                let m = msg(n * len);
                // SAFETY: as said above.
                unsafe { (api.hmac_key)(s, h as c_int, k.as_ptr(), 32) };
                // SAFETY: as said above.
                op(move |out| unsafe {
                    let done = (api.hmac_burst)(s, m.as_ptr(), n, len, out.as_mut_ptr());
                    assert_eq!(done as usize, n);
                })
            }
            // SAFETY: as said above.
            Case::HmacKey { h } => op(move |_| unsafe {
                (api.hmac_key)(s, h as c_int, black_box(&k).as_ptr(), 32);
            }),
            Case::Digest { h, len } => {
                let m = msg(len);
                // SAFETY: as said above.
                op(move |out| unsafe { (api.digest)(s, h as c_int, m.as_ptr(), len, out.as_mut_ptr()) })
            }
            Case::DigestBatch { h, n, len } => {
                let m = msg(n * len);
                // SAFETY: as said above.
                op(move |out| unsafe {
                    (api.digest_jobs)(s, h as c_int, m.as_ptr(), n, len, out.as_mut_ptr())
                })
            }
            Case::AesCtr { bits, .. } => {
                // SAFETY: as said above.
                unsafe { (api.aes_key)(s, bits as c_int, k.as_ptr()) };
                // SAFETY: as said above.
                op(move |out| unsafe { (api.ctr)(s, out.as_mut_ptr(), out.len(), IV16.as_ptr()) })
            }
            Case::ChaCha20 { .. } => {
                // SAFETY: as said above.
                unsafe { (api.chacha_key)(s, k.as_ptr()) };
                // SAFETY: as said above.
                op(move |out| unsafe { (api.chacha_stream)(s, out.as_mut_ptr(), out.len(), NONCE.as_ptr()) })
            }
            Case::Seal { a, len } | Case::SealTo { a, len } | Case::Open { a, len } => {
                let (text, ct) = (msg(len), sealed(a, len));
                // SAFETY: as said above.
                unsafe {
                    match a {
                        Aead::Aes128Gcm => (api.gcm_key)(s, 128, k.as_ptr()),
                        Aead::Aes256Gcm => (api.gcm_key)(s, 256, k.as_ptr()),
                        Aead::ChaChaPoly => (api.chacha_key)(s, k.as_ptr()),
                    }
                }
                let run = if a == Aead::ChaChaPoly { api.chacha_run } else { api.gcm_run };
                // SAFETY: as said above.
                let seal = move |from: *const u8, out: &mut [u8]| unsafe {
                    let (p, a) = (out.as_mut_ptr(), AAD.as_ptr());
                    run(s, 1, from, p, len, NONCE.as_ptr(), a, AAD.len(), p.add(len));
                };
                match case {
                    Case::Seal { .. } => op(move |out| seal(out.as_ptr(), out)),
                    Case::SealTo { .. } => op(move |out| seal(text.as_ptr(), out)),
                    // SAFETY: as said above.
                    _ => op(move |out| unsafe {
                        out.copy_from_slice(&ct);
                        // The library gives the computed tag; the comparison is the caller's.
                        let (p, mut tag) = (out.as_mut_ptr(), [0u8; 16]);
                        run(s, 0, p, p, len, NONCE.as_ptr(), AAD.as_ptr(), AAD.len(), tag.as_mut_ptr());
                        assert!(tag == ct[len..]);
                    }),
                }
            }
            Case::AeadKey { a: Aead::ChaChaPoly } => None,
            Case::AeadKey { a } => {
                let bits = if a == Aead::Aes128Gcm { 128 } else { 256 };
                // SAFETY: as said above.
                op(move |_| unsafe { (api.gcm_key)(s, bits, black_box(&k).as_ptr()) })
            }
            Case::Poly1305 { len } => {
                let m = msg(len);
                // SAFETY: as said above.
                op(move |out| unsafe {
                    (api.poly1305)(s, black_box(&k).as_ptr(), m.as_ptr(), len, out.as_mut_ptr())
                })
            }
            Case::Pbkdf2 { .. } | Case::HkdfExpand { .. } | Case::Memcpy { .. } => None,
        }
    }
}
