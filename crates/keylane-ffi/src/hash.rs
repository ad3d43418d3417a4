//! Hashes: SHA-1 and SHA-2.

use crate::algorithm::{algorithm, check_many};
use keylane::hash::AnyHash;
use keylane_boundary::{GROUP, Input, List, Mut, Opaque, Output, Ref, call, wipe_struct};
use std::ffi::c_int;

/// A running hash. May be copied by assignment; the copies are independent.
#[repr(C, align(16))]
pub(crate) struct keylane_hash {
    opaque: [u8; 256],
}

impl Opaque for keylane_hash {
    type Value = AnyHash;
    const MARK: [u8; 8] = *b"klhash\0\x01";
}

/// Computes the digest of `data`. `digest_len` must be the hash's length. `digest` may be `data`.
///
/// @return 0; INVALID_PARAMETER for an unknown hash; WRONG_LENGTH.
#[unsafe(no_mangle)]
extern "C" fn keylane_hash_digest(
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

/// Computes the digests of `count` messages and writes them to `digests`, one after the other. Messages are
/// hashed several at a time, in the lanes of vector registers; their lengths may differ. `digests_len` must
/// be `count` times the hash's length.
///
/// @return 0; INVALID_PARAMETER for an unknown hash; WRONG_LENGTH.
#[unsafe(no_mangle)]
extern "C" fn keylane_hash_digest_many(
    hash: c_int,
    messages: List,
    count: usize,
    digests: Output,
    digests_len: usize,
) -> c_int {
    call(move |call| {
        let messages = call.list(messages, count)?;
        let digests = call.output(digests, digests_len)?;
        let algorithm = algorithm(hash)?;
        check_many(algorithm, messages.count(), digests.len())?;
        for (i, digests) in digests.chunks_mut(GROUP * algorithm.output_len()).enumerate() {
            let (group, len) = messages.group(GROUP * i);
            algorithm.digest_many(&group[..len], digests)?;
        }
        Ok(())
    })
}

/// Begins a hash.
///
/// @return 0; INVALID_PARAMETER for an unknown hash.
#[unsafe(no_mangle)]
extern "C" fn keylane_hash_init(state: Mut<keylane_hash>, hash: c_int) -> c_int {
    call(move |call| {
        let place = call.place(state)?;
        place.put(&AnyHash::new(algorithm(hash)?));
        Ok(())
    })
}

/// Absorbs `data`. How the bytes are divided among calls does not change the digest.
///
/// @return 0; UNINITIALISED.
#[unsafe(no_mangle)]
extern "C" fn keylane_hash_update(state: Mut<keylane_hash>, data: Input, data_len: usize) -> c_int {
    call(move |call| {
        let data = call.input(data, data_len)?;
        call.with_mut(state, |hash| {
            hash.update(data);
            Ok(())
        })
    })
}

/// Computes the digests of everything absorbed, followed by each of `count` suffixes, and writes them to
/// `digests`, one after the other. The struct is unchanged. Suffixes are hashed several at a time, in the
/// lanes of vector registers; their lengths may differ. `digests_len` must be `count` times the hash's
/// length.
///
/// @return 0; UNINITIALISED; WRONG_LENGTH.
#[unsafe(no_mangle)]
extern "C" fn keylane_hash_finalize_many(
    state: Ref<keylane_hash>,
    suffixes: List,
    count: usize,
    digests: Output,
    digests_len: usize,
) -> c_int {
    call(move |call| {
        let suffixes = call.list(suffixes, count)?;
        let digests = call.output(digests, digests_len)?;
        call.with(state, |hash| {
            check_many(hash.algorithm(), suffixes.count(), digests.len())?;
            for (i, digests) in digests.chunks_mut(GROUP * hash.algorithm().output_len()).enumerate() {
                let (group, len) = suffixes.group(GROUP * i);
                hash.finalize_many(&group[..len], digests)?;
            }
            Ok(())
        })
    })
}

/// Writes the digest of everything absorbed. The struct is wiped; to hash again, initialise it again.
/// `digest_len` must be the hash's length.
///
/// @return 0; UNINITIALISED; WRONG_LENGTH: then the struct is unchanged.
#[unsafe(no_mangle)]
extern "C" fn keylane_hash_finalize(state: Mut<keylane_hash>, digest: Output, digest_len: usize) -> c_int {
    call(move |call| {
        let digest = call.result(digest, digest_len)?;
        call.finish(state, |hash| {
            digest.expect(hash.algorithm().output_len())?;
            digest.set(hash.clone().finalize().as_bytes())
        })
    })
}

/// Wipes the struct, for a hash that is abandoned. Null is accepted.
#[unsafe(no_mangle)]
extern "C" fn keylane_hash_wipe(state: Mut<keylane_hash>) {
    wipe_struct(state);
}
