//! AES-GCM-SIV (RFC 8452).

use crate::aead;
use keylane::aes_gcm_siv::{Aes256GcmSiv, AesGcmSiv};
use keylane_boundary::{Input, Mut, Opaque, call, wipe_struct};
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
    call(move |call| {
        let place = call.place(aead)?;
        place.put(&AesGcmSiv::from_slice(call.input(key, key_len)?)?);
        Ok(())
    })
}

aead::exports! { keylane_aes_gcm_siv, 12, Aes256GcmSiv, "2^36 bytes of text or of `aad`" }
aead::random_exports! { keylane_aes_gcm_siv, 12, 28 }

/// Wipes the struct. Null is accepted.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_gcm_siv_wipe(key: Mut<keylane_aes_gcm_siv>) {
    wipe_struct(key);
}
