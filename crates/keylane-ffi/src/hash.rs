//! Hashes: SHA-1 and SHA-2.

use crate::batch::Batch;
use crate::boundary::{Input, Mut, Numbers, Output, Ref, export, structs};
use crate::error::{Failure, KEYLANE_ERROR_INVALID_PARAMETER};
use keylane::any::{AnyHash, HashKind};
use std::ffi::{CStr, c_char, c_int};
use std::ptr;

pub const KEYLANE_HASH_MAX_LEN: usize = 64;

/// The names of [`HashKind::ALL`] as C strings.
pub(crate) static NAMES: [&CStr; HashKind::ALL.len()] =
    [c"sha1", c"sha224", c"sha256", c"sha384", c"sha512", c"sha512-256"];

/// Returns the hash with this number.
pub(crate) fn hash_kind(hash: c_int) -> Result<HashKind, Failure> {
    numbered(&HashKind::ALL, hash).ok_or(Failure(KEYLANE_ERROR_INVALID_PARAMETER))
}

/// Returns the value with this number, counted from 1.
pub(crate) fn numbered<T: Copy>(all: &[T], number: c_int) -> Option<T> {
    all.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
}

structs! {
    keylane_hash: 256, 16, b"klhash\0\x01", AnyHash; keylane_hash_wipe
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hash_output_len(hash: c_int) -> usize {
    numbered(&HashKind::ALL, hash).map_or(0, HashKind::output_len)
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hash_block_len(hash: c_int) -> usize {
    numbered(&HashKind::ALL, hash).map_or(0, HashKind::block_len)
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hash_name(hash: c_int) -> *const c_char {
    numbered(&NAMES, hash).map_or(ptr::null(), CStr::as_ptr)
}

export! {
    fn keylane_hash_digest(call; hash: c_int, data[data_len]: Input, digest[digest_len]: Output) {
        let (data, digest) = (call.input(data)?, call.result(digest)?);
        digest.set(hash_kind(hash)?.digest(data).as_bytes())
    }

    fn keylane_hash_digest_many(
        call;
        hash: c_int,
        messages: Input,
        offsets: Numbers,
        count: usize,
        digests[digests_len]: Output,
    ) {
        let messages = Batch::new(call, messages, offsets, count)?;
        let (digests, kind) = (call.output(digests)?, hash_kind(hash)?);
        messages.each_group(kind.output_len(), digests, |group, out| kind.digest_many(group, out))
    }

    fn keylane_hash_init(call; state: Mut<keylane_hash>, hash: c_int) {
        call.put(state, &AnyHash::new(hash_kind(hash)?))
    }

    fn keylane_hash_update(call; state: Mut<keylane_hash>, data[data_len]: Input) {
        let data = call.input(data)?;
        call.changes(state, |hash| hash.update(data))
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_hash_finalize_many(
        call;
        state: Ref<keylane_hash>,
        suffixes: Input,
        offsets: Numbers,
        count: usize,
        digests[digests_len]: Output,
    ) {
        let suffixes = Batch::new(call, suffixes, offsets, count)?;
        let digests = call.output(digests)?;
        call.reads(state, |hash| {
            let len = hash.algorithm().output_len();
            suffixes.each_group(len, digests, |group, out| hash.finalize_many(group, out))
        })?
    }

    fn keylane_hash_finalize(call; state: Mut<keylane_hash>, digest[digest_len]: Output) {
        let digest = call.result(digest)?;
        call.finish(state, |hash| digest.set(hash.clone().finalize().as_bytes()))
    }
}
