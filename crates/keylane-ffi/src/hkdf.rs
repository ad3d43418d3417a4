//! HKDF (RFC 5869).

use crate::algorithm::algorithm;
use crate::boundary::{Held, Input, Mut, Output, Ref, call, wipe_struct};
use keylane::hash::AnyPrk;
use std::ffi::c_int;

#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct keylane_hkdf {
    opaque: [u8; 192],
}

impl Held<keylane_hkdf> for AnyPrk {
    const MARK: u64 = u64::from_ne_bytes(*b"klhkdf\0\x01");
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hkdf_extract(
    prk: Mut<keylane_hkdf>,
    hash: c_int,
    salt: Input,
    salt_len: usize,
    ikm: Input,
    ikm_len: usize,
) -> c_int {
    call(move |call| {
        let place = call.place(prk)?;
        let (salt, ikm) = (call.input(salt, salt_len)?, call.input(ikm, ikm_len)?);
        place.put(&AnyPrk::extract(algorithm(hash)?, salt, ikm));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hkdf_from_bytes(
    prk: Mut<keylane_hkdf>,
    hash: c_int,
    key: Input,
    key_len: usize,
) -> c_int {
    call(move |call| {
        let place = call.place(prk)?;
        let key = call.input(key, key_len)?;
        place.put(&AnyPrk::from_bytes(algorithm(hash)?, key)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hkdf_expand(
    prk: Ref<keylane_hkdf>,
    info: Input,
    info_len: usize,
    out: Output,
    out_len: usize,
) -> c_int {
    call(move |call| {
        let info = call.input(info, info_len)?;
        let out = call.output(out, out_len)?;
        call.reads(prk)?.with(|prk: &AnyPrk| Ok(prk.expand(&[info], out)?))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hkdf_wipe(prk: Mut<keylane_hkdf>) {
    wipe_struct(prk);
}
