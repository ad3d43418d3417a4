//! AES-GCM (NIST SP 800-38D).

use crate::aead;
use keylane::aes_gcm::{Aes256Gcm, AesGcm, TruncatedTag};
use keylane_boundary::{
    Array, Input, List, MessageList, Mut, Opaque, OutArray, Output, Ref, call, wipe_struct,
};
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
    call(|call| {
        let place = call.place(gcm)?;
        place.put(&AesGcm::from_slice(call.input(key, key_len)?)?);
        Ok(())
    })
}

/// Encrypts `data` in place and writes the tag, which also covers `aad` and the nonce.
///
/// @return 0; UNINITIALISED; INPUT_TOO_LONG above 2^36 - 32 bytes of text or 2^61 - 1 of `aad`.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_seal(
    key: Ref<keylane_aes_gcm>,
    nonce: Array<12>,
    aad: Input,
    aad_len: usize,
    data: Output,
    data_len: usize,
    tag: OutArray<16>,
) -> c_int {
    aead::seal(&key, nonce.input(), (aad, aad_len), (data, data_len), tag)
}

/// Decrypts `data` in place if `tag` is the tag of `data`, `aad` and the nonce.
///
/// @return 0; AUTHENTICATION_FAILED, with `data` wiped; UNINITIALISED; INPUT_TOO_LONG as
/// keylane_aes_gcm_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_open(
    key: Ref<keylane_aes_gcm>,
    nonce: Array<12>,
    aad: Input,
    aad_len: usize,
    data: Output,
    data_len: usize,
    tag: Array<16>,
) -> c_int {
    aead::open(&key, nonce.input(), (aad, aad_len), (data, data_len), tag)
}

/// Encrypts `plaintext` into `output`: the ciphertext, then the tag of 16 bytes. They may be the same buffer.
///
/// @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is `plaintext_len` + 16; INPUT_TOO_LONG as
/// keylane_aes_gcm_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_seal_to(
    key: Ref<keylane_aes_gcm>,
    nonce: Array<12>,
    aad: Input,
    aad_len: usize,
    plaintext: Input,
    plaintext_len: usize,
    output: Output,
    output_len: usize,
) -> c_int {
    aead::seal_to(&key, nonce.input(), (aad, aad_len), (plaintext, plaintext_len), (output, output_len))
}

/// As keylane_aes_gcm_seal_to, for a plaintext in at most 64 parts, none of which may overlap `output`.
///
/// @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is the text's length + 16; INVALID_PARAMETER
/// for more than 64 parts; INPUT_TOO_LONG as keylane_aes_gcm_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_seal_parts_to(
    key: Ref<keylane_aes_gcm>,
    nonce: Array<12>,
    aad: Input,
    aad_len: usize,
    parts: List,
    count: usize,
    output: Output,
    output_len: usize,
) -> c_int {
    aead::seal_parts_to(&key, nonce.input(), (aad, aad_len), (parts, count), (output, output_len))
}

/// Decrypts `sealed`, a ciphertext and its tag of 16 bytes, into `output`. They may be the same buffer.
///
/// @return 0; AUTHENTICATION_FAILED, with `output` wiped; UNINITIALISED; WRONG_LENGTH unless `output_len` is
/// `sealed_len` - 16; INPUT_TOO_LONG as keylane_aes_gcm_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_open_to(
    key: Ref<keylane_aes_gcm>,
    nonce: Array<12>,
    aad: Input,
    aad_len: usize,
    sealed: Input,
    sealed_len: usize,
    output: Output,
    output_len: usize,
) -> c_int {
    aead::open_to(&key, nonce.input(), (aad, aad_len), (sealed, sealed_len), (output, output_len))
}

/// Encrypts the texts of `count` messages in place and writes their tags: several at a time, where that is
/// faster than keylane_aes_gcm_seal one by one. Their lengths may differ. Nothing that is written may
/// overlap another range of any message. More than 1024 messages must lie in ascending order of their
/// addresses.
///
/// @return 0; UNINITIALISED; INVALID_PARAMETER for more messages in another order; INPUT_TOO_LONG as
/// keylane_aes_gcm_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_seal_many(
    key: Ref<keylane_aes_gcm>,
    messages: MessageList,
    count: usize,
) -> c_int {
    aead::seal_many(&key, 12, (messages, count), (Aes256Gcm::MAX_TEXT_LEN, Aes256Gcm::MAX_AAD_LEN))
}

/// Decrypts the texts of `count` messages in place, as keylane_aes_gcm_open does one. Writes to `opened`
/// for each message 1 if its tag is right, or 0 if it is wrong: then its text is wiped. As when sealing, no
/// two tags may overlap.
///
/// @return 0 if every tag is right; AUTHENTICATION_FAILED; UNINITIALISED; WRONG_LENGTH unless `opened_len` is
/// `count`; INPUT_TOO_LONG as keylane_aes_gcm_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_open_many(
    key: Ref<keylane_aes_gcm>,
    messages: MessageList,
    count: usize,
    opened: Output,
    opened_len: usize,
) -> c_int {
    aead::open_many(
        &key,
        12,
        (messages, count),
        (Aes256Gcm::MAX_TEXT_LEN, Aes256Gcm::MAX_AAD_LEN),
        (opened, opened_len),
    )
}

/// As keylane_aes_gcm_seal, with a nonce of 1 byte or more. A nonce of 12 bytes is used as in
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
    call(|call| {
        let (nonce, aad) = (call.input(nonce, nonce_len)?, call.input(aad, aad_len)?);
        let data = call.output(data, data_len)?;
        let tag = call.result_array(tag)?;
        call.with(key, |key| tag.set(&key.seal_any_nonce(nonce, aad, data)?))
    })
}

/// As keylane_aes_gcm_open, with a nonce of 1 byte or more.
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
    call(|call| {
        let (nonce, aad) = (call.input(nonce, nonce_len)?, call.input(aad, aad_len)?);
        let data = call.output(data, data_len)?;
        let tag = call.array(tag)?;
        call.with(key, |key| Ok(key.open_any_nonce(nonce, aad, data, tag)?))
    })
}

/// As keylane_aes_gcm_open_any_nonce, with a tag that the sender truncated to its first 12 to 16 bytes. A
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
    call(|call| {
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
