//! Poly1305 (RFC 8439 section 2.5).

use crate::boundary::{Array, Held, Input, Mut, OutArray, call, wipe_struct};
use keylane::poly1305::Poly1305;
use std::ffi::c_int;

#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct keylane_poly1305 {
    opaque: [u8; 320],
}

impl Held<keylane_poly1305> for Poly1305 {
    const MARK: u64 = u64::from_ne_bytes(*b"klpoly\0\x01");
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_poly1305_mac(
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

#[unsafe(no_mangle)]
pub extern "C" fn keylane_poly1305_init(poly1305: Mut<keylane_poly1305>, key: Array<32>) -> c_int {
    call(move |call| {
        let place = call.place(poly1305)?;
        place.put(&Poly1305::new(call.array(key)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_poly1305_init_with_hint(
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

#[unsafe(no_mangle)]
pub extern "C" fn keylane_poly1305_update(
    poly1305: Mut<keylane_poly1305>,
    data: Input,
    data_len: usize,
) -> c_int {
    call(move |call| {
        let data = call.input(data, data_len)?;
        call.changes(poly1305)?.with(|poly1305: &mut Poly1305| {
            poly1305.update(data);
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_poly1305_pad_to_block(poly1305: Mut<keylane_poly1305>) -> c_int {
    call(move |call| {
        call.changes(poly1305)?.with(|poly1305: &mut Poly1305| {
            poly1305.pad_to_block();
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_poly1305_finalize(poly1305: Mut<keylane_poly1305>, tag: OutArray<16>) -> c_int {
    call(move |call| {
        let tag = call.result_array(tag)?;
        call.finish(poly1305, |poly1305: &mut Poly1305| tag.set(&poly1305.clone().finalize()))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_poly1305_verify(poly1305: Mut<keylane_poly1305>, tag: Array<16>) -> c_int {
    call(move |call| {
        let tag = call.array(tag)?;
        let verified = call.finish(poly1305, |poly1305: &mut Poly1305| Ok(poly1305.clone().verify(tag)))?;
        Ok(verified?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_poly1305_wipe(poly1305: Mut<keylane_poly1305>) {
    wipe_struct(poly1305);
}
