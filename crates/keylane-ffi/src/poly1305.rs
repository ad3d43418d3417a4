//! Poly1305 (RFC 8439 section 2.5).

use keylane::poly1305::Poly1305;
use keylane_boundary::{Array, Input, Mut, Opaque, OutArray, call, wipe_struct};
use std::ffi::c_int;

/// A running Poly1305. Secret: finalize or wipe it. May be copied by assignment; the copy goes on by itself.
///
/// A key is for one message. Tags of two messages under one key give the key away.
#[repr(C, align(16))]
pub(crate) struct keylane_poly1305 {
    opaque: [u8; 320],
}

impl Opaque for keylane_poly1305 {
    type Value = Poly1305;
    const MARK: [u8; 8] = *b"klpoly\0\x01";
}

/// The tag of a message. The key is for this message and no other.
///
/// @return 0.
#[unsafe(no_mangle)]
extern "C" fn keylane_poly1305_mac(
    key: Array<32>,
    message: Input,
    message_len: usize,
    tag: OutArray<16>,
) -> c_int {
    call(|call| {
        let (key, message) = (call.array(key)?, call.input(message, message_len)?);
        call.result_array(tag)?.set(&Poly1305::mac(key, message))
    })
}

/// Begins a message.
///
/// @return 0.
#[unsafe(no_mangle)]
extern "C" fn keylane_poly1305_init(poly1305: Mut<keylane_poly1305>, key: Array<32>) -> c_int {
    call(|call| {
        let place = call.place(poly1305)?;
        place.put(&Poly1305::new(call.array(key)?));
        Ok(())
    })
}

/// Begins a message of about `bytes_hint` bytes: a short one is spared the preparation that a long one is worth. A
/// message may be longer than the hint; it is only slower then.
///
/// @return 0.
#[unsafe(no_mangle)]
extern "C" fn keylane_poly1305_init_with_hint(
    poly1305: Mut<keylane_poly1305>,
    key: Array<32>,
    bytes_hint: usize,
) -> c_int {
    call(|call| {
        let place = call.place(poly1305)?;
        place.put(&Poly1305::with_hint(call.array(key)?, bytes_hint));
        Ok(())
    })
}

/// Absorbs `data`. Any chunking of the same bytes gives the same tag.
///
/// @return 0; UNINITIALISED.
#[unsafe(no_mangle)]
extern "C" fn keylane_poly1305_update(
    poly1305: Mut<keylane_poly1305>,
    data: Input,
    data_len: usize,
) -> c_int {
    call(|call| {
        let data = call.input(data, data_len)?;
        call.with_mut(poly1305, |poly1305| {
            poly1305.update(data);
            Ok(())
        })
    })
}

/// Fills the last block of 16 bytes with zeros, if it is not full: what AEADs do between additional data and text (RFC
/// 8439 section 2.8).
///
/// @return 0; UNINITIALISED.
#[unsafe(no_mangle)]
extern "C" fn keylane_poly1305_pad_to_block(poly1305: Mut<keylane_poly1305>) -> c_int {
    call(|call| {
        call.with_mut(poly1305, |poly1305| {
            poly1305.pad_to_block();
            Ok(())
        })
    })
}

/// The tag of everything absorbed. The struct is wiped.
///
/// @return 0; UNINITIALISED.
#[unsafe(no_mangle)]
extern "C" fn keylane_poly1305_finalize(poly1305: Mut<keylane_poly1305>, tag: OutArray<16>) -> c_int {
    call(|call| {
        let tag = call.result_array(tag)?;
        call.finish(poly1305, |poly1305| tag.set(&poly1305.clone().finalize()))
    })
}

/// Accepts everything absorbed if `tag` is its tag, in constant time. The struct is wiped, whether it is or not.
///
/// @return 0; AUTHENTICATION_FAILED; UNINITIALISED.
#[unsafe(no_mangle)]
extern "C" fn keylane_poly1305_verify(poly1305: Mut<keylane_poly1305>, tag: Array<16>) -> c_int {
    call(|call| {
        let tag = call.array(tag)?;
        let verified = call.finish(poly1305, |poly1305| Ok(poly1305.clone().verify(tag)))?;
        Ok(verified?)
    })
}

/// Wipes the struct, where a message is given up. Null is accepted.
#[unsafe(no_mangle)]
extern "C" fn keylane_poly1305_wipe(poly1305: Mut<keylane_poly1305>) {
    wipe_struct(poly1305);
}
