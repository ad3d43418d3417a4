//! HMAC.

use crate::algorithm::{algorithm, check_many};
use crate::batch::{Batch, GROUP, size};
use crate::boundary::{Held, Input, Mut, Numbers, Output, Ref, call, wipe_struct};
use crate::error::{
    Failure, KEYLANE_ERROR_AUTHENTICATION_FAILED, KEYLANE_ERROR_INVALID_PARAMETER, KEYLANE_ERROR_WRONG_LENGTH,
};
use keylane::Error;
use keylane::constant_time::eq;
use keylane::hash::{Algorithm, AnyHmac, AnyHmacKey};
use std::ffi::c_int;

#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct keylane_hmac_key {
    opaque: [u8; 192],
}

impl Held<keylane_hmac_key> for AnyHmacKey {
    const MARK: u64 = u64::from_ne_bytes(*b"klhmack\x01");
}

#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct keylane_hmac {
    opaque: [u8; 448],
}

impl Held<keylane_hmac> for AnyHmac {
    const MARK: u64 = u64::from_ne_bytes(*b"klhmac\0\x01");
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_mac(
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

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_key_init(
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

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_key_mac(
    key: Ref<keylane_hmac_key>,
    message: Input,
    message_len: usize,
    tag: Output,
    tag_len: usize,
) -> c_int {
    call(move |call| {
        let message = call.input(message, message_len)?;
        let tag = call.result(tag, tag_len)?;
        call.reads(key)?.with(|key: &AnyHmacKey| {
            tag.expect(key.algorithm().output_len())?;
            tag.set(key.mac(message).as_bytes())
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_key_mac_many(
    key: Ref<keylane_hmac_key>,
    messages: Input,
    offsets: Numbers,
    count: usize,
    tags: Output,
    tags_len: usize,
) -> c_int {
    call(move |call| {
        let messages = Batch::new(call, messages, offsets, count)?;
        let tags = call.output(tags, tags_len)?;
        call.reads(key)?.with(|key: &AnyHmacKey| {
            check_many(key.algorithm(), count, tags_len)?;
            messages.each_group(key.algorithm().output_len(), tags, |group, tags| key.mac_many(group, tags))
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_key_mac_each(
    keys: Ref<keylane_hmac_key>,
    keys_count: usize,
    which: Numbers,
    messages: Input,
    offsets: Numbers,
    count: usize,
    tags: Output,
    tags_len: usize,
) -> c_int {
    call(move |call| {
        let keys = call.table::<_, AnyHmacKey>(keys, keys_count)?;
        let which = call.numbers(which, count)?;
        let messages = Batch::new(call, messages, offsets, count)?;
        let tags = call.output(tags, tags_len)?;
        let key = |i| keys.get(size(which, i));
        let Some(algorithm) = of_one_hash((0..count).map(key))? else {
            return if tags_len == 0 { Ok(()) } else { Err(Failure(KEYLANE_ERROR_WRONG_LENGTH)) };
        };
        check_many(algorithm, count, tags_len)?;
        for (i, tags) in tags.chunks_mut(GROUP * algorithm.output_len()).enumerate() {
            let (group, len) = messages.group(GROUP * i);
            let mut jobs = [(key(GROUP * i)?, group[0]); GROUP];
            for j in 1..len {
                jobs[j] = (key(GROUP * i + j)?, group[j]);
            }
            AnyHmacKey::mac_each(&jobs[..len], tags)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_key_verify(
    key: Ref<keylane_hmac_key>,
    message: Input,
    message_len: usize,
    tag: Input,
    tag_len: usize,
) -> c_int {
    call(move |call| {
        let (message, tag) = (call.input(message, message_len)?, call.input(tag, tag_len)?);
        call.reads(key)?.with(|key: &AnyHmacKey| Ok(key.verify(message, tag)?))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_key_verify_truncated(
    key: Ref<keylane_hmac_key>,
    message: Input,
    message_len: usize,
    tag: Input,
    tag_len: usize,
) -> c_int {
    call(move |call| {
        let (message, tag) = (call.input(message, message_len)?, call.input(tag, tag_len)?);
        call.reads(key)?.with(|key: &AnyHmacKey| Ok(key.verify_truncated(message, tag)?))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_key_verify_many(
    key: Ref<keylane_hmac_key>,
    messages: Input,
    offsets: Numbers,
    count: usize,
    tags: Input,
    tags_len: usize,
) -> c_int {
    call(move |call| {
        let messages = Batch::new(call, messages, offsets, count)?;
        let tags = call.input(tags, tags_len)?;
        call.reads(key)?.with(|key: &AnyHmacKey| verify_many(key, &messages, count, tags))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_verify_any(
    keys: Ref<keylane_hmac_key>,
    keys_count: usize,
    message: Input,
    message_len: usize,
    tags: Input,
    tags_len: usize,
    which: Mut<usize>,
) -> c_int {
    call(move |call| {
        let keys = call.table::<_, AnyHmacKey>(keys, keys_count)?;
        let (message, tags) = (call.input(message, message_len)?, call.input(tags, tags_len)?);
        let which = call.number(which)?;
        let tag_len = of_one_hash((0..keys_count).map(|i| keys.get(i)))?.map_or(1, Algorithm::output_len);
        if !tags_len.is_multiple_of(tag_len) {
            return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH));
        }
        for i in 0..keys_count {
            let mac = keys.get(i)?.mac(message);
            if tags.chunks_exact(tag_len).any(|tag| eq(tag, mac.as_bytes())) {
                which.copy_from_slice(&i.to_ne_bytes());
                return Ok(());
            }
        }
        Err(Failure(KEYLANE_ERROR_AUTHENTICATION_FAILED))
    })
}

/// Returns the hash of the keys, if there are any. INVALID_PARAMETER if there are several hashes.
fn of_one_hash<'a>(
    mut keys: impl Iterator<Item = Result<&'a AnyHmacKey, Failure>>,
) -> Result<Option<Algorithm>, Failure> {
    let Some(first) = keys.next().transpose()?.map(AnyHmacKey::algorithm) else { return Ok(None) };
    for key in keys {
        if key?.algorithm() != first {
            return Err(Failure(KEYLANE_ERROR_INVALID_PARAMETER));
        }
    }
    Ok(Some(first))
}

fn verify_many(key: &AnyHmacKey, messages: &Batch<'_>, count: usize, tags: &[u8]) -> Result<(), Failure> {
    check_many(key.algorithm(), count, tags.len())?;
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

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_key_state_len(hash: c_int) -> usize {
    algorithm(hash).map_or(0, AnyHmacKey::exported_len)
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_key_export(
    key: Ref<keylane_hmac_key>,
    state: Output,
    state_len: usize,
) -> c_int {
    call(move |call| {
        let state = call.output(state, state_len)?;
        call.reads(key)?.with(|key: &AnyHmacKey| Ok(key.export(state)?))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_key_import(
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

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_key_wipe(key: Mut<keylane_hmac_key>) {
    wipe_struct(key);
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_init(
    mac: Mut<keylane_hmac>,
    hash: c_int,
    key: Input,
    key_len: usize,
) -> c_int {
    call(move |call| {
        let place = call.place(mac)?;
        let key = call.input(key, key_len)?;
        place.put(&AnyHmac::new(algorithm(hash)?, key));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_start(mac: Mut<keylane_hmac>, key: Ref<keylane_hmac_key>) -> c_int {
    call(move |call| {
        let place = call.place(mac)?;
        call.reads(key)?.with(|key: &AnyHmacKey| {
            place.put(&key.start());
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_update(mac: Mut<keylane_hmac>, data: Input, data_len: usize) -> c_int {
    call(move |call| {
        let data = call.input(data, data_len)?;
        call.changes(mac)?.with(|mac: &mut AnyHmac| {
            mac.update(data);
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_finalize(mac: Mut<keylane_hmac>, tag: Output, tag_len: usize) -> c_int {
    call(move |call| {
        let tag = call.result(tag, tag_len)?;
        call.finish(mac, |mac: &mut AnyHmac| {
            tag.expect(mac.algorithm().output_len())?;
            tag.set(mac.finalize_reset().as_bytes())
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_finalize_reset(mac: Mut<keylane_hmac>, tag: Output, tag_len: usize) -> c_int {
    call(move |call| {
        let tag = call.result(tag, tag_len)?;
        call.changes(mac)?.with(|mac: &mut AnyHmac| {
            tag.expect(mac.algorithm().output_len())?;
            tag.set(mac.finalize_reset().as_bytes())
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_reset(mac: Mut<keylane_hmac>) -> c_int {
    call(move |call| {
        call.changes(mac)?.with(|mac: &mut AnyHmac| {
            mac.reset();
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_verify(mac: Mut<keylane_hmac>, tag: Input, tag_len: usize) -> c_int {
    call(move |call| {
        let tag = call.input(tag, tag_len)?;
        let verified = call.finish(mac, |mac: &mut AnyHmac| match mac.clone().verify(tag) {
            Err(error @ Error::WrongLength { .. }) => Err(Failure::from(error)),
            verified => Ok(verified),
        })?;
        Ok(verified?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_wipe(mac: Mut<keylane_hmac>) {
    wipe_struct(mac);
}
