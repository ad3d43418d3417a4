//! HMAC.

use crate::algorithm::{algorithm, check_hmac_len, check_many};
use keylane::Error;
use keylane::hash::{AnyHmac, AnyHmacKey, Digest};
use keylane_boundary::error::{
    Failure, KEYLANE_ERROR_AUTHENTICATION_FAILED, KEYLANE_ERROR_INVALID_PARAMETER, KEYLANE_ERROR_WRONG_LENGTH,
};
use keylane_boundary::{GROUP, Input, List, Mut, Opaque, Output, Ref, RefList, Slices, call, wipe_struct};
use std::ffi::c_int;

/// An HMAC key, prepared once: a short message then costs two compressions. Threads may share it. Secret:
/// wipe it. May be copied by assignment; the copy is as secret.
#[repr(C, align(16))]
pub(crate) struct keylane_hmac_key {
    opaque: [u8; 192],
}

impl Opaque for keylane_hmac_key {
    type Value = AnyHmacKey;
    const MARK: [u8; 8] = *b"klhmack\x01";
}

/// A MAC of a message that arrives in pieces. Secret: finalize or wipe it. May be copied by assignment; the
/// copies are independent.
#[repr(C, align(16))]
pub(crate) struct keylane_hmac {
    opaque: [u8; 448],
}

impl Opaque for keylane_hmac {
    type Value = AnyHmac;
    const MARK: [u8; 8] = *b"klhmac\0\x01";
}

/// Computes the tag of one message under a key of any length. `tag_len` must be the hash's length. For
/// several messages, prepare the key once.
///
/// @return 0; INVALID_PARAMETER for an unknown hash; WRONG_LENGTH.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_mac(
    hash: c_int,
    key: Input,
    key_len: usize,
    message: Input,
    message_len: usize,
    tag: Output,
    tag_len: usize,
) -> c_int {
    call(move |call| {
        let key = call.input(key, key_len)?;
        let message = call.input(message, message_len)?;
        let tag = call.result(tag, tag_len)?;
        let algorithm = algorithm(hash)?;
        tag.expect(algorithm.output_len())?;
        tag.set(AnyHmacKey::new(algorithm, key).mac(message).as_bytes())
    })
}

/// Prepares a key of any length. Keys shorter than the digest weaken HMAC.
///
/// @return 0; INVALID_PARAMETER for an unknown hash.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_key_init(
    prepared: Mut<keylane_hmac_key>,
    hash: c_int,
    key: Input,
    key_len: usize,
) -> c_int {
    call(move |call| {
        let place = call.place(prepared)?;
        let key = call.input(key, key_len)?;
        place.put(&AnyHmacKey::new(algorithm(hash)?, key));
        Ok(())
    })
}

/// Computes the tag of a message. `tag_len` must be the hash's length.
///
/// @return 0; UNINITIALISED; WRONG_LENGTH.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_key_mac(
    key: Ref<keylane_hmac_key>,
    message: Input,
    message_len: usize,
    tag: Output,
    tag_len: usize,
) -> c_int {
    call(move |call| {
        let message = call.input(message, message_len)?;
        let tag = call.result(tag, tag_len)?;
        call.with(key, |key| {
            tag.expect(key.algorithm().output_len())?;
            tag.set(key.mac(message).as_bytes())
        })
    })
}

/// Computes the tag of one message that is in several parts. `tag_len` must be the hash's length.
///
/// @return 0; UNINITIALISED; WRONG_LENGTH; INPUT_TOO_LONG if the parts (which may be the same memory) are
/// together 2^61 - 64 bytes or longer (with SHA-384, SHA-512 and SHA-512/256: 2^64 - 128).
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_key_mac_parts(
    key: Ref<keylane_hmac_key>,
    parts: List,
    count: usize,
    tag: Output,
    tag_len: usize,
) -> c_int {
    call(move |call| {
        let parts = call.list(parts, count)?;
        let tag = call.result(tag, tag_len)?;
        call.with(key, |key| {
            tag.expect(key.algorithm().output_len())?;
            tag.set(mac_parts(key, &parts)?.as_bytes())
        })
    })
}

fn mac_parts(key: &AnyHmacKey, parts: &Slices<'_>) -> Result<Digest, Failure> {
    check_hmac_len(key.algorithm(), parts.total_len())?;
    let (group, len) = parts.group(0);
    if len == parts.count() {
        return Ok(key.mac_parts(&group[..len]));
    }
    let mut mac = key.start();
    for i in 0..parts.count() {
        mac.update(parts.get(i));
    }
    Ok(mac.finalize())
}

/// Computes the tags of `count` messages and writes them to `tags`, one after the other. Messages are hashed
/// several at a time, in the lanes of vector registers; their lengths may differ. `tags_len` must be `count`
/// times the hash's length.
///
/// @return 0; UNINITIALISED; WRONG_LENGTH.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_key_mac_many(
    key: Ref<keylane_hmac_key>,
    messages: List,
    count: usize,
    tags: Output,
    tags_len: usize,
) -> c_int {
    call(move |call| {
        let messages = call.list(messages, count)?;
        let tags = call.output(tags, tags_len)?;
        call.with(key, |key| {
            check_many(key.algorithm(), messages.count(), tags.len())?;
            for (i, tags) in tags.chunks_mut(GROUP * key.algorithm().output_len()).enumerate() {
                let (group, len) = messages.group(GROUP * i);
                key.mac_many(&group[..len], tags)?;
            }
            Ok(())
        })
    })
}

/// Computes the tags of `count` messages, each under its own key, and writes them to `tags`, one after the
/// other. All keys must be of one hash; the same key may be there repeatedly. Messages are hashed several at
/// a time, in the lanes of vector registers; their lengths may differ. `tags_len` must be `count` times the
/// hash's length.
///
/// @return 0; INVALID_PARAMETER for keys of more than one hash; UNINITIALISED; WRONG_LENGTH.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_key_mac_each(
    keys: RefList<keylane_hmac_key>,
    messages: List,
    count: usize,
    tags: Output,
    tags_len: usize,
) -> c_int {
    call(move |call| {
        let keys = call.structs(keys, count)?;
        let messages = call.list(messages, count)?;
        let tags = call.output(tags, tags_len)?;
        let mut algorithm = None;
        for start in (0..count).step_by(GROUP) {
            keys.group(start, &mut |keys| {
                let algorithm = *algorithm.get_or_insert_with(|| keys[0].algorithm());
                match keys.iter().all(|key| key.algorithm() == algorithm) {
                    true => Ok(()),
                    false => Err(Failure(KEYLANE_ERROR_INVALID_PARAMETER)),
                }
            })?;
        }
        let Some(algorithm) = algorithm else {
            return if tags.is_empty() { Ok(()) } else { Err(Failure(KEYLANE_ERROR_WRONG_LENGTH)) };
        };
        check_many(algorithm, count, tags.len())?;
        for (i, tags) in tags.chunks_mut(GROUP * algorithm.output_len()).enumerate() {
            let (group, _) = messages.group(GROUP * i);
            keys.group(GROUP * i, &mut |keys| {
                let mut jobs = [(keys[0], group[0]); GROUP];
                for (job, pair) in jobs.iter_mut().zip(keys.iter().copied().zip(group)) {
                    *job = pair;
                }
                Ok(AnyHmacKey::mac_each(&jobs[..keys.len()], tags)?)
            })?;
        }
        Ok(())
    })
}

/// Checks the tag of a message, all of it. The time does not depend on where a wrong tag differs.
///
/// @return 0; AUTHENTICATION_FAILED; UNINITIALISED; WRONG_LENGTH unless `tag_len` is the hash's length.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_key_verify(
    key: Ref<keylane_hmac_key>,
    message: Input,
    message_len: usize,
    tag: Input,
    tag_len: usize,
) -> c_int {
    call(move |call| {
        let (message, tag) = (call.input(message, message_len)?, call.input(tag, tag_len)?);
        call.with(key, |key| Ok(key.verify(message, tag)?))
    })
}

/// Does keylane_hmac_key_verify for a tag truncated to its first bytes, at least 10. Each byte less makes a
/// guess 256 times as likely to be right, so `tag_len` must be the length that the protocol specifies, not
/// the length that the sender chose.
///
/// @return 0; AUTHENTICATION_FAILED; UNINITIALISED; WRONG_LENGTH for less than 10 bytes, or more than the
/// whole tag.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_key_verify_truncated(
    key: Ref<keylane_hmac_key>,
    message: Input,
    message_len: usize,
    tag: Input,
    tag_len: usize,
) -> c_int {
    call(move |call| {
        let (message, tag) = (call.input(message, message_len)?, call.input(tag, tag_len)?);
        call.with(key, |key| Ok(key.verify_truncated(message, tag)?))
    })
}

/// Checks the tags of `count` messages; `tags` holds them one after the other. If any tag is wrong, the whole
/// call fails without saying which, and the time does not depend on which. `tags_len` must be `count` times
/// the hash's length.
///
/// @return 0; AUTHENTICATION_FAILED; UNINITIALISED; WRONG_LENGTH.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_key_verify_many(
    key: Ref<keylane_hmac_key>,
    messages: List,
    count: usize,
    tags: Input,
    tags_len: usize,
) -> c_int {
    call(move |call| {
        let messages = call.list(messages, count)?;
        let tags = call.input(tags, tags_len)?;
        call.with(key, |key| verify_many(key, &messages, tags))
    })
}

fn verify_many(key: &AnyHmacKey, messages: &Slices<'_>, tags: &[u8]) -> Result<(), Failure> {
    check_many(key.algorithm(), messages.count(), tags.len())?;
    let tag_len = key.algorithm().output_len();
    let mut good = true;
    for (i, tags) in tags.chunks(GROUP * tag_len).enumerate() {
        let (group, len) = messages.group(GROUP * i);
        let mut slices = [&[][..]; GROUP];
        for (slice, tag) in slices.iter_mut().zip(tags.chunks(tag_len)) {
            *slice = tag;
        }
        match key.verify_many(&group[..len], &slices[..len]) {
            Ok(()) => {}
            // The time must not depend on which tag is wrong, so all groups are checked.
            Err(Error::AuthenticationFailed) => good = false,
            Err(error) => return Err(error.into()),
        }
    }
    if good { Ok(()) } else { Err(Failure(KEYLANE_ERROR_AUTHENTICATION_FAILED)) }
}

/// Returns the length in bytes of an exported key of this hash: 48 for SHA-1, 72 for SHA-256, 136 for
/// SHA-512; 0 for an unknown hash.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_key_state_len(hash: c_int) -> usize {
    algorithm(hash).map_or(0, AnyHmacKey::exported_len)
}

/// Exports the prepared key as bytes, to be stored or sent. They are as secret as the key: guard and wipe
/// them like it. `state_len` must be keylane_hmac_key_state_len of the hash.
///
/// @return 0; UNINITIALISED; WRONG_LENGTH.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_key_export(key: Ref<keylane_hmac_key>, state: Output, state_len: usize) -> c_int {
    call(move |call| {
        let state = call.output(state, state_len)?;
        call.with(key, |key| Ok(key.export(state)?))
    })
}

/// Imports a prepared key that keylane_hmac_key_export exported for the same hash.
///
/// @return 0; INVALID_PARAMETER for an unknown hash, or if the bytes are of another hash or not an exported
/// key; WRONG_LENGTH.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_key_import(
    key: Mut<keylane_hmac_key>,
    hash: c_int,
    state: Input,
    state_len: usize,
) -> c_int {
    call(move |call| {
        let place = call.place(key)?;
        let state = call.input(state, state_len)?;
        place.put(&AnyHmacKey::import(algorithm(hash)?, state)?);
        Ok(())
    })
}

/// Wipes the struct. Null is accepted.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_key_wipe(key: Mut<keylane_hmac_key>) {
    wipe_struct(key);
}

/// Begins a MAC under a key of any length.
///
/// @return 0; INVALID_PARAMETER for an unknown hash.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_init(mac: Mut<keylane_hmac>, hash: c_int, key: Input, key_len: usize) -> c_int {
    call(move |call| {
        let place = call.place(mac)?;
        let key = call.input(key, key_len)?;
        place.put(&AnyHmac::new(algorithm(hash)?, key));
        Ok(())
    })
}

/// Begins a MAC under a prepared key, which is copied and may be wiped afterwards.
///
/// @return 0; UNINITIALISED.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_start(mac: Mut<keylane_hmac>, key: Ref<keylane_hmac_key>) -> c_int {
    call(move |call| {
        let place = call.place(mac)?;
        call.with(key, |key| {
            place.put(&key.start());
            Ok(())
        })
    })
}

/// Absorbs `data`. How the bytes are divided among calls does not change the tag.
///
/// @return 0; UNINITIALISED.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_update(mac: Mut<keylane_hmac>, data: Input, data_len: usize) -> c_int {
    call(move |call| {
        let data = call.input(data, data_len)?;
        call.with_mut(mac, |mac| {
            mac.update(data);
            Ok(())
        })
    })
}

/// Writes the tag of everything absorbed. The struct is wiped. `tag_len` must be the hash's length.
///
/// @return 0; UNINITIALISED; WRONG_LENGTH: then the struct is unchanged.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_finalize(mac: Mut<keylane_hmac>, tag: Output, tag_len: usize) -> c_int {
    call(move |call| {
        let tag = call.result(tag, tag_len)?;
        call.finish(mac, |mac| {
            tag.expect(mac.algorithm().output_len())?;
            tag.set(mac.finalize_reset().as_bytes())
        })
    })
}

/// Writes the tag of everything absorbed and starts over with the same key. `tag_len` must be the hash's
/// length.
///
/// @return 0; UNINITIALISED; WRONG_LENGTH: then the struct is unchanged.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_finalize_reset(mac: Mut<keylane_hmac>, tag: Output, tag_len: usize) -> c_int {
    call(move |call| {
        let tag = call.result(tag, tag_len)?;
        call.with_mut(mac, |mac| {
            tag.expect(mac.algorithm().output_len())?;
            tag.set(mac.finalize_reset().as_bytes())
        })
    })
}

/// Discards everything absorbed and starts over with the same key.
///
/// @return 0; UNINITIALISED.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_reset(mac: Mut<keylane_hmac>) -> c_int {
    call(move |call| {
        call.with_mut(mac, |mac| {
            mac.reset();
            Ok(())
        })
    })
}

/// Checks the tag of everything absorbed, all of it. The struct is wiped, whether the tag is right or not.
///
/// @return 0; AUTHENTICATION_FAILED; UNINITIALISED; WRONG_LENGTH: then the struct is unchanged.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_verify(mac: Mut<keylane_hmac>, tag: Input, tag_len: usize) -> c_int {
    call(move |call| {
        let tag = call.input(tag, tag_len)?;
        let verified = call.finish(mac, |mac| match mac.clone().verify(tag) {
            Err(error @ Error::WrongLength { .. }) => Err(Failure::from(error)),
            verified => Ok(verified),
        })?;
        Ok(verified?)
    })
}

/// Wipes the struct, for a MAC that is abandoned. Null is accepted.
#[unsafe(no_mangle)]
extern "C" fn keylane_hmac_wipe(mac: Mut<keylane_hmac>) {
    wipe_struct(mac);
}
