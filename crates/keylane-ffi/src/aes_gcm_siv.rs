//! AES-GCM-SIV (RFC 8452).

use crate::aead;
use keylane::aes_gcm_siv::{Aes256GcmSiv, AesGcmSiv};
use keylane_boundary::{
    Array, Input, List, MessageList, Mut, Opaque, OutArray, Output, Ref, call, wipe_struct,
};
use std::ffi::c_int;

/// An AES-GCM-SIV key, prepared, with nonces of 12 bytes, which may be random and may repeat. Threads may
/// share it. Secret: wipe it.
///
/// Two messages under one key and one nonce reveal whether they are equal, and nothing else.
#[repr(C, align(16))]
pub(crate) struct keylane_aes_gcm_siv {
    opaque: [u8; 320],
}

impl Opaque for keylane_aes_gcm_siv {
    type Value = AesGcmSiv;
    const MARK: [u8; 8] = *b"klgcmsiv";
}

/// Prepares a key of 16 or 32 bytes: AES-128 or AES-256.
///
/// @return 0; WRONG_LENGTH.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_siv_init(aead: Mut<keylane_aes_gcm_siv>, key: Input, key_len: usize) -> c_int {
    call(|call| {
        let place = call.place(aead)?;
        place.put(&AesGcmSiv::from_slice(call.input(key, key_len)?)?);
        Ok(())
    })
}

/// Encrypts `data` in place and writes the tag, which also covers `aad` and the nonce.
///
/// @return 0; UNINITIALISED; INPUT_TOO_LONG above 2^36 bytes of text or of `aad`.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_siv_seal(
    key: Ref<keylane_aes_gcm_siv>,
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
/// keylane_aes_gcm_siv_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_siv_open(
    key: Ref<keylane_aes_gcm_siv>,
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
/// keylane_aes_gcm_siv_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_siv_seal_to(
    key: Ref<keylane_aes_gcm_siv>,
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

/// As keylane_aes_gcm_siv_seal_to, for a plaintext in at most 64 parts, none of which may overlap
/// `output`.
///
/// @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is the text's length + 16; INVALID_PARAMETER
/// for more than 64 parts; INPUT_TOO_LONG as keylane_aes_gcm_siv_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_siv_seal_parts_to(
    key: Ref<keylane_aes_gcm_siv>,
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
/// @return 0; AUTHENTICATION_FAILED, with `output` wiped; UNINITIALISED; WRONG_LENGTH unless `output_len`
/// is `sealed_len` - 16; INPUT_TOO_LONG as keylane_aes_gcm_siv_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_siv_open_to(
    key: Ref<keylane_aes_gcm_siv>,
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
/// faster than keylane_aes_gcm_siv_seal one by one. Their lengths may differ. Nothing that is written may
/// overlap another range of any message. More than 1024 messages must lie in ascending order of their
/// addresses.
///
/// @return 0; UNINITIALISED; INVALID_PARAMETER for more messages in another order; INPUT_TOO_LONG as
/// keylane_aes_gcm_siv_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_siv_seal_many(
    key: Ref<keylane_aes_gcm_siv>,
    messages: MessageList,
    count: usize,
) -> c_int {
    aead::seal_many(&key, 12, (messages, count), (Aes256GcmSiv::MAX_TEXT_LEN, Aes256GcmSiv::MAX_AAD_LEN))
}

/// Decrypts the texts of `count` messages in place, as keylane_aes_gcm_siv_open does one. Writes to `opened`
/// for each message 1 if its tag is right, or 0 if it is wrong: then its text is wiped. As when sealing, no
/// two tags may overlap.
///
/// @return 0 if every tag is right; AUTHENTICATION_FAILED; UNINITIALISED; WRONG_LENGTH unless `opened_len` is
/// `count`; INPUT_TOO_LONG as keylane_aes_gcm_siv_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_siv_open_many(
    key: Ref<keylane_aes_gcm_siv>,
    messages: MessageList,
    count: usize,
    opened: Output,
    opened_len: usize,
) -> c_int {
    aead::open_many(
        &key,
        12,
        (messages, count),
        (Aes256GcmSiv::MAX_TEXT_LEN, Aes256GcmSiv::MAX_AAD_LEN),
        (opened, opened_len),
    )
}

/// Encrypts `plaintext` under a random nonce from the operating system into `output`: the nonce of 12 bytes,
/// the ciphertext, then the tag of 16 bytes.
///
/// @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is `plaintext_len` + 28; NO_RANDOMNESS;
/// INPUT_TOO_LONG as keylane_aes_gcm_siv_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_siv_seal_random(
    key: Ref<keylane_aes_gcm_siv>,
    aad: Input,
    aad_len: usize,
    plaintext: Input,
    plaintext_len: usize,
    output: Output,
    output_len: usize,
) -> c_int {
    aead::seal_random(key, (aad, aad_len), (plaintext, plaintext_len), (output, output_len))
}

/// Decrypts `sealed`, what keylane_aes_gcm_siv_seal_random wrote, into `output`.
///
/// @return 0; AUTHENTICATION_FAILED, with `output` wiped; UNINITIALISED; WRONG_LENGTH unless `output_len` is
/// `sealed_len` - 28; INPUT_TOO_LONG as keylane_aes_gcm_siv_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_siv_open_random(
    key: Ref<keylane_aes_gcm_siv>,
    aad: Input,
    aad_len: usize,
    sealed: Input,
    sealed_len: usize,
    output: Output,
    output_len: usize,
) -> c_int {
    aead::open_random(key, (aad, aad_len), (sealed, sealed_len), (output, output_len))
}

/// Wipes the struct. Null is accepted.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_siv_wipe(key: Mut<keylane_aes_gcm_siv>) {
    wipe_struct(key);
}
