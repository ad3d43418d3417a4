//! XAES-256-GCM (C2SP).

use crate::aead;
use keylane::xaes::Xaes256Gcm;
use keylane_boundary::{Array, Mut, Opaque, call, wipe_struct};
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
    call(move |call| {
        let place = call.place(aead)?;
        place.put(&Xaes256Gcm::new(call.array(key)?));
        Ok(())
    })
}

aead::exports! { keylane_xaes_256_gcm, 24, Xaes256Gcm, "2^36 - 32 bytes of text or 2^61 - 1 of `aad`" }
aead::random_exports! { keylane_xaes_256_gcm, 24, 40 }

/// Wipes the struct. Null is accepted.
#[unsafe(no_mangle)]
extern "C" fn keylane_xaes_256_gcm_wipe(key: Mut<keylane_xaes_256_gcm>) {
    wipe_struct(key);
}
