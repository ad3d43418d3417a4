//! XAES-256-GCM (C2SP).

use crate::aead;
use keylane::xaes::Xaes256Gcm;
use keylane_boundary::{
    Array, Input, List, MessageList, Mut, Opaque, OutArray, Output, Ref, call, wipe_struct,
};
use std::ffi::c_int;

/// A key of XAES-256-GCM, prepared, with nonces of 24 bytes, which may be random. Threads may share it.
/// Secret: wipe it.
///
/// Two messages under one key and one nonce reveal the XOR of the plaintexts and the key that authenticates
/// them.
#[repr(C, align(16))]
pub(crate) struct keylane_xaes_256_gcm {
    opaque: [u8; 320],
}

impl Opaque for keylane_xaes_256_gcm {
    type Value = Xaes256Gcm;
    const MARK: [u8; 8] = *b"klxaesgc";
}

/// Prepares a key.
///
/// @return 0.
#[unsafe(no_mangle)]
extern "C" fn keylane_xaes_256_gcm_init(aead: Mut<keylane_xaes_256_gcm>, key: Array<32>) -> c_int {
    call(|call| {
        let place = call.place(aead)?;
        place.put(&Xaes256Gcm::new(call.array(key)?));
        Ok(())
    })
}

/// Encrypts `data` in place and writes the tag, which also covers `aad` and the nonce.
///
/// @return 0; UNINITIALISED; INPUT_TOO_LONG above 2^36 - 32 bytes of text or 2^61 - 1 of `aad`.
#[unsafe(no_mangle)]
extern "C" fn keylane_xaes_256_gcm_seal(
    key: Ref<keylane_xaes_256_gcm>,
    nonce: Array<24>,
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
/// keylane_xaes_256_gcm_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_xaes_256_gcm_open(
    key: Ref<keylane_xaes_256_gcm>,
    nonce: Array<24>,
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
/// keylane_xaes_256_gcm_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_xaes_256_gcm_seal_to(
    key: Ref<keylane_xaes_256_gcm>,
    nonce: Array<24>,
    aad: Input,
    aad_len: usize,
    plaintext: Input,
    plaintext_len: usize,
    output: Output,
    output_len: usize,
) -> c_int {
    aead::seal_to(&key, nonce.input(), (aad, aad_len), (plaintext, plaintext_len), (output, output_len))
}

/// As keylane_xaes_256_gcm_seal_to, for a plaintext in at most 64 parts, none of which may overlap
/// `output`.
///
/// @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is the text's length + 16; INVALID_PARAMETER
/// for more than 64 parts; INPUT_TOO_LONG as keylane_xaes_256_gcm_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_xaes_256_gcm_seal_parts_to(
    key: Ref<keylane_xaes_256_gcm>,
    nonce: Array<24>,
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
/// is `sealed_len` - 16; INPUT_TOO_LONG as keylane_xaes_256_gcm_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_xaes_256_gcm_open_to(
    key: Ref<keylane_xaes_256_gcm>,
    nonce: Array<24>,
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
/// faster than keylane_xaes_256_gcm_seal one by one. Their lengths may differ. Nothing that is written may
/// overlap another range of any message. More than 1024 messages must lie in ascending order of their
/// addresses.
///
/// @return 0; UNINITIALISED; INVALID_PARAMETER for more messages in another order; INPUT_TOO_LONG as
/// keylane_xaes_256_gcm_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_xaes_256_gcm_seal_many(
    key: Ref<keylane_xaes_256_gcm>,
    messages: MessageList,
    count: usize,
) -> c_int {
    aead::seal_many(&key, 24, (messages, count), (Xaes256Gcm::MAX_TEXT_LEN, Xaes256Gcm::MAX_AAD_LEN))
}

/// Decrypts the texts of `count` messages in place, as keylane_xaes_256_gcm_open does one. Writes to `opened`
/// for each message 1 if its tag is right, or 0 if it is wrong: then its text is wiped. As when sealing, no
/// two tags may overlap.
///
/// @return 0 if every tag is right; AUTHENTICATION_FAILED; UNINITIALISED; WRONG_LENGTH unless `opened_len` is
/// `count`; INPUT_TOO_LONG as keylane_xaes_256_gcm_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_xaes_256_gcm_open_many(
    key: Ref<keylane_xaes_256_gcm>,
    messages: MessageList,
    count: usize,
    opened: Output,
    opened_len: usize,
) -> c_int {
    aead::open_many(
        &key,
        24,
        (messages, count),
        (Xaes256Gcm::MAX_TEXT_LEN, Xaes256Gcm::MAX_AAD_LEN),
        (opened, opened_len),
    )
}

/// Encrypts `plaintext` under a random nonce from the operating system into `output`: the nonce of 24 bytes,
/// the ciphertext, then the tag of 16 bytes.
///
/// @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is `plaintext_len` + 40; NO_RANDOMNESS;
/// INPUT_TOO_LONG as keylane_xaes_256_gcm_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_xaes_256_gcm_seal_random(
    key: Ref<keylane_xaes_256_gcm>,
    aad: Input,
    aad_len: usize,
    plaintext: Input,
    plaintext_len: usize,
    output: Output,
    output_len: usize,
) -> c_int {
    aead::seal_random(key, (aad, aad_len), (plaintext, plaintext_len), (output, output_len))
}

/// Decrypts `sealed`, what keylane_xaes_256_gcm_seal_random wrote, into `output`.
///
/// @return 0; AUTHENTICATION_FAILED, with `output` wiped; UNINITIALISED; WRONG_LENGTH unless `output_len` is
/// `sealed_len` - 40; INPUT_TOO_LONG as keylane_xaes_256_gcm_seal.
#[unsafe(no_mangle)]
extern "C" fn keylane_xaes_256_gcm_open_random(
    key: Ref<keylane_xaes_256_gcm>,
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
extern "C" fn keylane_xaes_256_gcm_wipe(key: Mut<keylane_xaes_256_gcm>) {
    wipe_struct(key);
}
