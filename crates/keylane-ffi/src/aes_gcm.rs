//! AES-GCM (NIST SP 800-38D).

use crate::aead;
use keylane::aes_gcm::{Aes256Gcm, AesGcm, TruncatedTag};
use keylane_boundary::{Array, Input, Mut, Opaque, OutArray, Output, Ref, call, wipe_struct};
use std::ffi::c_int;

/// An AES-GCM key, prepared. Secret: wipe it. Threads may share it, but none may copy it while another uses
/// it: a message stores in it the powers of H that it is the first to need, although it takes it as `const`.
///
/// Two messages under one key and one nonce reveal the XOR of the plaintexts and the authentication key, with
/// which anyone can forge messages. Use a counter as the nonce, or derive a key for each message; random
/// nonces of 12 bytes are safe for 2^32 messages under one key.
#[repr(C, align(64))]
pub(crate) struct keylane_aes_gcm {
    opaque: [u8; 2048],
}

impl Opaque for keylane_aes_gcm {
    type Value = AesGcm;
    const MARK: [u8; 8] = *b"klaesgcm";
}

/// Prepares a key of 16, 24 or 32 bytes: AES-128, AES-192, AES-256.
///
/// @return 0; WRONG_LENGTH.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_init(gcm: Mut<keylane_aes_gcm>, key: Input, key_len: usize) -> c_int {
    call(move |call| {
        let place = call.place(gcm)?;
        place.put(&AesGcm::from_slice(call.input(key, key_len)?)?);
        Ok(())
    })
}

aead::exports! { keylane_aes_gcm, 12, Aes256Gcm, "2^36 - 32 bytes of text or 2^61 - 1 of `aad`" }

/// Does keylane_aes_gcm_seal with a nonce of 1 byte or more. A nonce of 12 bytes is used as in
/// keylane_aes_gcm_seal; others are hashed (SP 800-38D section 7.1), which is slower. Hashed nonces may
/// collide by chance: use one length for all nonces of a key.
///
/// @return as keylane_aes_gcm_seal; INVALID_PARAMETER for an empty nonce.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_seal_any_nonce(
    key: Ref<keylane_aes_gcm>,
    nonce: Input,
    nonce_len: usize,
    aad: Input,
    aad_len: usize,
    data: Output,
    data_len: usize,
    tag: OutArray<16>,
) -> c_int {
    call(move |call| {
        let (nonce, aad) = (call.input(nonce, nonce_len)?, call.input(aad, aad_len)?);
        let data = call.output(data, data_len)?;
        let tag = call.result_array(tag)?;
        call.with(key, |key| tag.set(&key.seal_any_nonce(nonce, aad, data)?))
    })
}

/// Does keylane_aes_gcm_open with a nonce of 1 byte or more.
///
/// @return as keylane_aes_gcm_open; INVALID_PARAMETER for an empty nonce.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_open_any_nonce(
    key: Ref<keylane_aes_gcm>,
    nonce: Input,
    nonce_len: usize,
    aad: Input,
    aad_len: usize,
    data: Output,
    data_len: usize,
    tag: Array<16>,
) -> c_int {
    call(move |call| {
        let (nonce, aad) = (call.input(nonce, nonce_len)?, call.input(aad, aad_len)?);
        let data = call.output(data, data_len)?;
        let tag = call.array(tag)?;
        call.with(key, |key| Ok(key.open_any_nonce(nonce, aad, data, tag)?))
    })
}

/// Does keylane_aes_gcm_open_any_nonce with a tag that the sender truncated to its first 12 to 16 bytes. A
/// shorter tag is easier to forge, and each forgery makes the next one easier (SP 800-38D appendix C).
///
/// @return as keylane_aes_gcm_open_any_nonce; WRONG_LENGTH unless `tag_len` is 12 to 16.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_open_truncated_any_nonce(
    key: Ref<keylane_aes_gcm>,
    nonce: Input,
    nonce_len: usize,
    aad: Input,
    aad_len: usize,
    data: Output,
    data_len: usize,
    tag: Input,
    tag_len: usize,
) -> c_int {
    call(move |call| {
        let (nonce, aad) = (call.input(nonce, nonce_len)?, call.input(aad, aad_len)?);
        let data = call.output(data, data_len)?;
        let tag = TruncatedTag::new(call.input(tag, tag_len)?)?;
        call.with(key, |key| Ok(key.open_truncated_any_nonce(nonce, aad, data, &tag)?))
    })
}

/// Wipes the struct. Null is accepted.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_wipe(key: Mut<keylane_aes_gcm>) {
    wipe_struct(key);
}
