//! Poly1305 (RFC 8439 section 2.5).

use keylane::poly1305::Poly1305;
use keylane_boundary::{Array, Input, Mut, Opaque, OutArray, call, wipe_struct};
use std::ffi::c_int;

/// A running Poly1305. Secret: finalize or wipe it. May be copied by assignment; the copies are independent.
///
/// A key is for one message: the tags of two messages under one key reveal the key.
#[repr(C, align(16))]
pub(crate) struct keylane_poly1305 {
    opaque: [u8; 320],
}

impl Opaque for keylane_poly1305 {
    type Value = Poly1305;
    const MARK: [u8; 8] = *b"klpoly\0\x01";
}

/// Computes the tag of a message. The key must be used for this message only.
///
/// @return 0.
#[unsafe(no_mangle)]
extern "C" fn keylane_poly1305_mac(
    key: Array<32>,
    message: Input,
    message_len: usize,
    tag: OutArray<16>,
) -> c_int {
    call(move |call| {
        let (key, message) = (call.array(key)?, call.input(message, message_len)?);
        call.result_array(tag)?.set(&Poly1305::mac(key, message))
    })
}

/// Begins a message.
///
/// @return 0.
#[unsafe(no_mangle)]
extern "C" fn keylane_poly1305_init(poly1305: Mut<keylane_poly1305>, key: Array<32>) -> c_int {
    call(move |call| {
        let place = call.place(poly1305)?;
        place.put(&Poly1305::new(call.array(key)?));
        Ok(())
    })
}

/// Begins a message of about `bytes_hint` bytes. For a short one, the preparation that speeds up long
/// messages is skipped. A message may be longer than the hint; it is then only slower.
///
/// @return 0.
#[unsafe(no_mangle)]
extern "C" fn keylane_poly1305_init_with_hint(
    poly1305: Mut<keylane_poly1305>,
    key: Array<32>,
    bytes_hint: usize,
) -> c_int {
    call(move |call| {
        let place = call.place(poly1305)?;
        place.put(&Poly1305::with_hint(call.array(key)?, bytes_hint));
        Ok(())
    })
}

/// Absorbs `data`. How the bytes are divided among calls does not change the tag.
///
/// @return 0; UNINITIALISED.
#[unsafe(no_mangle)]
extern "C" fn keylane_poly1305_update(
    poly1305: Mut<keylane_poly1305>,
    data: Input,
    data_len: usize,
) -> c_int {
    call(move |call| {
        let data = call.input(data, data_len)?;
        call.with_mut(poly1305, |poly1305| {
            poly1305.update(data);
            Ok(())
        })
    })
}

/// Pads a partial last block with zeros to 16 bytes, as AEADs do between additional data and text (RFC 8439
/// section 2.8).
///
/// @return 0; UNINITIALISED.
#[unsafe(no_mangle)]
extern "C" fn keylane_poly1305_pad_to_block(poly1305: Mut<keylane_poly1305>) -> c_int {
    call(move |call| {
        call.with_mut(poly1305, |poly1305| {
            poly1305.pad_to_block();
            Ok(())
        })
    })
}

/// Writes the tag of everything absorbed. The struct is wiped.
///
/// @return 0; UNINITIALISED.
#[unsafe(no_mangle)]
extern "C" fn keylane_poly1305_finalize(poly1305: Mut<keylane_poly1305>, tag: OutArray<16>) -> c_int {
    call(move |call| {
        let tag = call.result_array(tag)?;
        call.finish(poly1305, |poly1305| tag.set(&poly1305.clone().finalize()))
    })
}

/// Checks the tag of everything absorbed. The comparison takes constant time. The struct is wiped, whether
/// the tag is right or not.
///
/// @return 0; AUTHENTICATION_FAILED; UNINITIALISED.
#[unsafe(no_mangle)]
extern "C" fn keylane_poly1305_verify(poly1305: Mut<keylane_poly1305>, tag: Array<16>) -> c_int {
    call(move |call| {
        let tag = call.array(tag)?;
        let verified = call.finish(poly1305, |poly1305| Ok(poly1305.clone().verify(tag)))?;
        Ok(verified?)
    })
}

/// Wipes the struct, for a message that is abandoned. Null is accepted.
#[unsafe(no_mangle)]
extern "C" fn keylane_poly1305_wipe(poly1305: Mut<keylane_poly1305>) {
    wipe_struct(poly1305);
}
