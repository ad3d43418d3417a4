//! BoringSSL through boring-sys; symbols that it does not bind are declared here.
#![allow(clippy::undocumented_unsafe_blocks, reason = "said once, here")]
//! Safety of the calls: the signatures are those of BoringSSL's headers; contexts come from the library, live
//! as long as the process and stay on one thread; pointers come with the lengths of the slices that they are
//! made from, and out buffers are as long as the case's `out_len`.

use crate::{case::*, lock, rival::*};
use boring_sys as b;
use libc::{c_int, c_void, size_t};
use std::{hint::black_box, mem::MaybeUninit, ptr::null, ptr::null_mut};

#[repr(C, align(64))]
struct Poly1305State([u8; 512]);

unsafe extern "C" {
    fn CRYPTO_poly1305_init(s: *mut Poly1305State, key: *const u8);
    fn CRYPTO_poly1305_update(s: *mut Poly1305State, m: *const u8, len: size_t);
    fn CRYPTO_poly1305_finish(s: *mut Poly1305State, mac: *mut u8);
    fn HKDF_expand(
        out: *mut u8,
        out_len: size_t,
        md: *const c_void,
        prk: *const u8,
        prk_len: size_t,
        info: *const u8,
        info_len: size_t,
    ) -> c_int;
}

pub(super) fn rival() -> Rival {
    Rival::new("boringssl", format!("boring-sys {}", lock::version("boring-sys", "")), prepare)
}

fn md(h: Hash) -> *const b::EVP_MD {
    unsafe { [b::EVP_sha1(), b::EVP_sha256(), b::EVP_sha384(), b::EVP_sha512()][h as usize] }
}

fn aead_key(a: Aead, key: &[u8]) -> *mut b::EVP_AEAD_CTX {
    unsafe {
        let aeads = [b::EVP_aead_aes_128_gcm(), b::EVP_aead_aes_256_gcm(), b::EVP_aead_chacha20_poly1305()];
        b::EVP_AEAD_CTX_new(aeads[a as usize], key.as_ptr(), key.len(), 16)
    }
}

fn seal(c: *mut b::EVP_AEAD_CTX, text: *const u8, out: &mut [u8]) {
    let (p, len, mut n) = (out.as_mut_ptr(), out.len(), 0);
    let (nonce, aad) = (NONCE.as_ptr(), AAD.as_ptr());
    unsafe { b::EVP_AEAD_CTX_seal(c, p, &mut n, len, nonce, 12, text, len - 16, aad, AAD.len()) };
}

fn prepare(case: &Case) -> Option<Op> {
    Some(match case.work {
        Work::HmacNew(h) => {
            let md = md(h);
            case.messages(move |m, out| unsafe {
                let (key, mut n) = (new_key().as_ptr().cast(), 0);
                b::HMAC(md, key, 32, m.as_ptr(), m.len(), out.as_mut_ptr(), &mut n);
            })
        }
        Work::Hmac(h) => unsafe {
            let c = b::HMAC_CTX_new();
            assert_eq!(b::HMAC_Init_ex(c, KEY.as_ptr().cast(), 32, md(h), null_mut()), 1);
            case.messages(move |m, out| {
                let mut n = 0;
                b::HMAC_Init_ex(c, null(), 0, null(), null_mut());
                b::HMAC_Update(c, m.as_ptr(), m.len());
                b::HMAC_Final(c, out.as_mut_ptr(), &mut n);
            })
        },
        Work::HmacKey(h) => {
            let md = md(h);
            setup(move || unsafe {
                let c = b::HMAC_CTX_new();
                b::HMAC_Init_ex(c, new_key().as_ptr().cast(), 32, md, null_mut());
                b::HMAC_CTX_free(c);
            })
        }
        Work::Digest(h) => {
            let hash = [b::SHA1, b::SHA256, b::SHA384, b::SHA512][h as usize];
            case.messages(move |m, out| unsafe {
                hash(m.as_ptr(), m.len(), out.as_mut_ptr());
            })
        }
        Work::Pbkdf2(h) => {
            let md = md(h);
            case.passwords(move |p, out| unsafe {
                let (n, salt, (len, out)) = (ITERATIONS as _, SALT.as_ptr(), (out.len(), out.as_mut_ptr()));
                assert_eq!(b::PKCS5_PBKDF2_HMAC(p.as_ptr().cast(), 16, salt, 16, n, md, len, out), 1);
            })
        }
        Work::HkdfExpand => {
            let md = md(Hash::Sha256);
            op(move |out| unsafe {
                let (len, out) = (out.len(), out.as_mut_ptr());
                HKDF_expand(out, len, md.cast(), KEY.as_ptr(), 32, INFO.as_ptr(), INFO.len());
            })
        }
        Work::AesCtr(bits) => unsafe {
            let c = b::EVP_CIPHER_CTX_new();
            let cipher = if bits == 128 { b::EVP_aes_128_ctr() } else { b::EVP_aes_256_ctr() };
            b::EVP_EncryptInit_ex(c, cipher, null_mut(), KEY.as_ptr(), IV16.as_ptr());
            op(move |out| {
                let mut n = 0;
                b::EVP_EncryptInit_ex(c, null(), null_mut(), null(), IV16.as_ptr());
                b::EVP_EncryptUpdate(c, out.as_mut_ptr(), &mut n, out.as_ptr(), out.len() as _);
            })
        },
        Work::Seal(a) => {
            let c = aead_key(a, a.key());
            op(move |out| seal(c, out.as_ptr(), out))
        }
        Work::SealTo(a) => {
            let c = aead_key(a, a.key());
            case.seal_to(move |text, out| seal(c, text.as_ptr(), out))
        }
        Work::Open(a) => {
            let c = aead_key(a, a.key());
            case.open(a, move |out| unsafe {
                let (p, len, mut n) = (out.as_mut_ptr(), out.len(), 0);
                let (nonce, aad) = (NONCE.as_ptr(), AAD.as_ptr());
                let done = b::EVP_AEAD_CTX_open(c, p, &mut n, len, nonce, 12, p, len, aad, AAD.len());
                assert_eq!(done, 1);
            })
        }
        Work::AeadKey(a) => setup(move || unsafe { b::EVP_AEAD_CTX_free(aead_key(a, black_box(a.key()))) }),
        Work::Poly1305 => case.messages(|m, out| unsafe {
            let mut state = MaybeUninit::<Poly1305State>::uninit();
            CRYPTO_poly1305_init(state.as_mut_ptr(), new_key().as_ptr());
            CRYPTO_poly1305_update(state.as_mut_ptr(), m.as_ptr(), m.len());
            CRYPTO_poly1305_finish(state.as_mut_ptr(), out.as_mut_ptr());
        }),
        Work::ChaCha20 | Work::Memcpy => return None,
    })
}
