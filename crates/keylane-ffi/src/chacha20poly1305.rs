//! ChaCha20-Poly1305 (RFC 8439 section 2.8) and XChaCha20-Poly1305.

use crate::aead;
use keylane::chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use keylane_boundary::{Array, Mut, Opaque, call, wipe_struct};
use std::ffi::c_int;

/// A key of ChaCha20-Poly1305, with nonces of 12 bytes. Threads may share it. Secret: wipe it.
///
/// Two messages under one key and one nonce reveal the XOR of the plaintexts, and let anyone forge messages
/// with that nonce. Use a counter as the nonce: 12 random bytes are too few for many messages under one key;
/// for random nonces, use keylane_xchacha20poly1305.
#[repr(C, align(16))]
pub(crate) struct keylane_chacha20poly1305 {
    opaque: [u8; 64],
}

impl Opaque for keylane_chacha20poly1305 {
    type Value = ChaCha20Poly1305;
    const MARK: [u8; 8] = *b"klccpoly";
}

/// Copies a key into the struct.
///
/// @return 0.
#[unsafe(no_mangle)]
extern "C" fn keylane_chacha20poly1305_init(aead: Mut<keylane_chacha20poly1305>, key: Array<32>) -> c_int {
    call(move |call| {
        let place = call.place(aead)?;
        place.put(&ChaCha20Poly1305::new(call.array(key)?));
        Ok(())
    })
}

aead::exports! { keylane_chacha20poly1305, 12, ChaCha20Poly1305, "2^38 - 64 bytes of text" }

/// Wipes the struct. Null is accepted.
#[unsafe(no_mangle)]
extern "C" fn keylane_chacha20poly1305_wipe(key: Mut<keylane_chacha20poly1305>) {
    wipe_struct(key);
}

/// A key of XChaCha20-Poly1305, with nonces of 24 bytes, which may be random. Threads may share it. Secret:
/// wipe it.
///
/// Two messages under one key and one nonce reveal the XOR of the plaintexts, and let anyone forge messages
/// with that nonce.
#[repr(C, align(16))]
pub(crate) struct keylane_xchacha20poly1305 {
    opaque: [u8; 64],
}

impl Opaque for keylane_xchacha20poly1305 {
    type Value = XChaCha20Poly1305;
    const MARK: [u8; 8] = *b"klxcpoly";
}

/// Copies a key into the struct.
///
/// @return 0.
#[unsafe(no_mangle)]
extern "C" fn keylane_xchacha20poly1305_init(aead: Mut<keylane_xchacha20poly1305>, key: Array<32>) -> c_int {
    call(move |call| {
        let place = call.place(aead)?;
        place.put(&XChaCha20Poly1305::new(call.array(key)?));
        Ok(())
    })
}

aead::exports! { keylane_xchacha20poly1305, 24, XChaCha20Poly1305, "2^38 - 64 bytes of text" }
aead::random_exports! { keylane_xchacha20poly1305, 24, 40 }

/// Wipes the struct. Null is accepted.
#[unsafe(no_mangle)]
extern "C" fn keylane_xchacha20poly1305_wipe(key: Mut<keylane_xchacha20poly1305>) {
    wipe_struct(key);
}
