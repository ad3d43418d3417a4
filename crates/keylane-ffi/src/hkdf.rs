//! HKDF (RFC 5869).

use crate::algorithm::{algorithm, check_hmac_len};
use keylane::hash::AnyPrk;
use keylane_boundary::error::{Failure, KEYLANE_ERROR_INVALID_PARAMETER};
use keylane_boundary::{GROUP, Input, List, Mut, Opaque, Output, Ref, Slices, call, wipe_struct};
use std::ffi::c_int;

/// A pseudorandom key of HKDF, prepared. Threads may share it. Secret: wipe it.
#[repr(C, align(16))]
pub(crate) struct keylane_hkdf {
    opaque: [u8; 192],
}

impl Opaque for keylane_hkdf {
    type Value = AnyPrk;
    const MARK: [u8; 8] = *b"klhkdf\0\x01";
}

/// Extracts a key from input keying material of any length and quality (RFC 5869 section 2.2). If there is no
/// salt, pass an empty one.
///
/// @return 0; INVALID_PARAMETER for an unknown hash.
#[unsafe(no_mangle)]
extern "C" fn keylane_hkdf_extract(
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

/// Prepares a key that is already pseudorandom.
///
/// @return 0; INVALID_PARAMETER for an unknown hash; WRONG_LENGTH if the key is shorter than a digest.
#[unsafe(no_mangle)]
extern "C" fn keylane_hkdf_from_bytes(
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

/// Fills `out` with the key derived for `info` (RFC 5869 section 2.3).
///
/// @return 0; UNINITIALISED; INPUT_TOO_LONG if `out_len` is above 255 digests.
#[unsafe(no_mangle)]
extern "C" fn keylane_hkdf_expand(
    prk: Ref<keylane_hkdf>,
    info: Input,
    info_len: usize,
    out: Output,
    out_len: usize,
) -> c_int {
    call(move |call| {
        let info = call.input(info, info_len)?;
        let out = call.output(out, out_len)?;
        call.with(prk, |prk| Ok(prk.expand(&[info], out)?))
    })
}

/// Does keylane_hkdf_expand with the info in at most 64 parts, which are read as one.
///
/// @return 0; UNINITIALISED; INPUT_TOO_LONG if `out_len` is above 255 digests, or if the parts (which may be
/// the same memory) are together longer than the hash can count; INVALID_PARAMETER for more than 64 parts.
#[unsafe(no_mangle)]
extern "C" fn keylane_hkdf_expand_parts(
    prk: Ref<keylane_hkdf>,
    info: List,
    count: usize,
    out: Output,
    out_len: usize,
) -> c_int {
    call(move |call| {
        let info = call.list(info, count)?;
        let out = call.output(out, out_len)?;
        if info.count() > GROUP {
            return Err(Failure(KEYLANE_ERROR_INVALID_PARAMETER));
        }
        call.with(prk, |prk| expand_parts(prk, &info, out))
    })
}

fn expand_parts(prk: &AnyPrk, info: &Slices<'_>, out: &mut [u8]) -> Result<(), Failure> {
    // HMAC's message is the last digest, the info, and a counter of one byte.
    let digest_len = prk.algorithm().output_len() as u128;
    check_hmac_len(prk.algorithm(), info.total_len() + digest_len + 1)?;
    let (info, len) = info.group(0);
    Ok(prk.expand(&info[..len], out)?)
}

/// Wipes the struct. Null is accepted.
#[unsafe(no_mangle)]
extern "C" fn keylane_hkdf_wipe(prk: Mut<keylane_hkdf>) {
    wipe_struct(prk);
}
