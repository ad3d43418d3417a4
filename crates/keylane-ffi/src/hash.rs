//! Hashes: SHA-1 and SHA-2.

use crate::algorithm::{algorithm, check_many};
use crate::batch::Batch;
use crate::boundary::{Held, Input, Mut, Numbers, Output, Ref, call, wipe_struct};
use keylane::hash::AnyHash;
use std::ffi::c_int;

#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct keylane_hash {
    opaque: [u8; 256],
}

impl Held<keylane_hash> for AnyHash {
    const MARK: u64 = u64::from_ne_bytes(*b"klhash\0\x01");
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hash_digest(
    hash: c_int,
    data: Input,
    data_len: usize,
    digest: Output,
    digest_len: usize,
) -> c_int {
    call(move |call| {
        let data = call.input(data, data_len)?;
        let algorithm = algorithm(hash)?;
        let digest = call.result(digest, digest_len)?;
        digest.expect(algorithm.output_len())?;
        digest.set(algorithm.digest(data).as_bytes())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hash_digest_many(
    hash: c_int,
    messages: Input,
    offsets: Numbers,
    count: usize,
    digests: Output,
    digests_len: usize,
) -> c_int {
    call(move |call| {
        let messages = Batch::new(call, messages, offsets, count)?;
        let digests = call.output(digests, digests_len)?;
        let algorithm = algorithm(hash)?;
        check_many(algorithm, count, digests_len)?;
        messages.each_group(algorithm.output_len(), digests, |group, out| algorithm.digest_many(group, out))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hash_init(state: Mut<keylane_hash>, hash: c_int) -> c_int {
    call(move |call| {
        let place = call.place(state)?;
        place.put(&AnyHash::new(algorithm(hash)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hash_update(state: Mut<keylane_hash>, data: Input, data_len: usize) -> c_int {
    call(move |call| {
        let data = call.input(data, data_len)?;
        call.changes(state)?.with(|hash: &mut AnyHash| {
            hash.update(data);
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hash_finalize_many(
    state: Ref<keylane_hash>,
    suffixes: Input,
    offsets: Numbers,
    count: usize,
    digests: Output,
    digests_len: usize,
) -> c_int {
    call(move |call| {
        let suffixes = Batch::new(call, suffixes, offsets, count)?;
        let digests = call.output(digests, digests_len)?;
        call.reads(state)?.with(|hash: &AnyHash| {
            check_many(hash.algorithm(), count, digests_len)?;
            let len = hash.algorithm().output_len();
            suffixes.each_group(len, digests, |group, out| hash.finalize_many(group, out))
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hash_finalize(
    state: Mut<keylane_hash>,
    digest: Output,
    digest_len: usize,
) -> c_int {
    call(move |call| {
        let digest = call.result(digest, digest_len)?;
        call.finish(state, |hash: &mut AnyHash| {
            digest.expect(hash.algorithm().output_len())?;
            digest.set(hash.clone().finalize().as_bytes())
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hash_wipe(state: Mut<keylane_hash>) {
    wipe_struct(state);
}
