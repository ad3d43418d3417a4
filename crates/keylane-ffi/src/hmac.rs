//! HMAC.

use crate::batch::{Batch, check_many, size};
use crate::boundary::{GROUP, Group, Input, Mut, Numbers, OutSlot, Output, Ref, export, structs};
use crate::error::{
    Failure, KEYLANE_ERROR_AUTHENTICATION_FAILED, KEYLANE_ERROR_INVALID_PARAMETER, KEYLANE_ERROR_WRONG_LENGTH,
};
use crate::hash::hash_kind;
use keylane::Error;
use keylane::any::{AnyHmac, AnyHmacKey, HashKind};
use keylane::constant_time::eq;
use std::ffi::c_int;

structs! {
    keylane_hmac_key: 192, 16, b"klhmack\x01", AnyHmacKey; keylane_hmac_key_wipe
    keylane_hmac: 448, 16, b"klhmac\0\x01", AnyHmac; keylane_hmac_wipe
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hmac_key_state_len(hash: c_int) -> usize {
    hash_kind(hash).map_or(0, AnyHmacKey::exported_len)
}

export! {
    #[cfg(not(target_family = "wasm"))]
    fn keylane_hmac_mac(
        call;
        hash: c_int,
        key[key_len]: Input,
        message[message_len]: Input,
        tag[tag_len]: Output,
    ) {
        let (key, message, tag) = (call.input(key)?, call.input(message)?, call.result(tag)?);
        tag.set(AnyHmacKey::new(hash_kind(hash)?, key).mac(message).as_bytes())
    }

    fn keylane_hmac_key_init(call; prepared: Mut<keylane_hmac_key>, hash: c_int, key[key_len]: Input) {
        call.put(prepared, &AnyHmacKey::new(hash_kind(hash)?, call.input(key)?))
    }

    fn keylane_hmac_key_mac(
        call;
        key: Ref<keylane_hmac_key>,
        message[message_len]: Input,
        tag[tag_len]: Output,
    ) {
        let (message, tag) = (call.input(message)?, call.result(tag)?);
        call.reads(key, |key| tag.set(key.mac(message).as_bytes()))?
    }

    fn keylane_hmac_key_mac_many(
        call;
        key: Ref<keylane_hmac_key>,
        messages: Input,
        offsets: Numbers,
        count: usize,
        tags[tags_len]: Output,
    ) {
        let messages = Batch::new(call, messages, offsets, count)?;
        let tags = call.output(tags)?;
        call.reads(key, |key| {
            let len = key.algorithm().output_len();
            messages.each_group(len, tags, |group, tags| key.mac_many(group, tags))
        })?
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_hmac_key_mac_each(
        call;
        keys: Ref<keylane_hmac_key>,
        keys_count: usize,
        which: Numbers,
        messages: Input,
        offsets: Numbers,
        count: usize,
        tags[tags_len]: Output,
    ) {
        let (keys, which) = (call.table(keys, keys_count)?, call.numbers(which, count)?);
        let messages = Batch::new(call, messages, offsets, count)?;
        let tags = call.output(tags)?;
        let key = |i| keys.get(size(which, i));
        let tag_len = of_one_hash((0..count).map(key))?;
        check_many(tag_len, count, tags_len)?;
        for (i, tags) in tags.chunks_mut(GROUP * tag_len).enumerate() {
            let group = (GROUP * i..count).take(GROUP).map(|i| Ok::<_, Failure>((key(i)?, messages.get(i))));
            AnyHmacKey::mac_each(Group::new().try_fill(group)?, tags)?;
        }
        Ok(())
    }

    fn keylane_hmac_key_verify(
        call;
        key: Ref<keylane_hmac_key>,
        message[message_len]: Input,
        tag[tag_len]: Input,
    ) {
        let (message, tag) = (call.input(message)?, call.input(tag)?);
        Ok(call.reads(key, |key| key.verify(message, tag))??)
    }

    fn keylane_hmac_key_verify_truncated(
        call;
        key: Ref<keylane_hmac_key>,
        message[message_len]: Input,
        tag[tag_len]: Input,
    ) {
        let (message, tag) = (call.input(message)?, call.input(tag)?);
        Ok(call.reads(key, |key| key.verify_truncated(message, tag))??)
    }

    fn keylane_hmac_key_verify_many(
        call;
        key: Ref<keylane_hmac_key>,
        messages: Input,
        offsets: Numbers,
        count: usize,
        tags[tags_len]: Input,
    ) {
        let messages = Batch::new(call, messages, offsets, count)?;
        let tags = call.input(tags)?;
        call.reads(key, |key| verify_many(key, &messages, count, tags))?
    }

    fn keylane_hmac_verify_any(
        call;
        keys: Ref<keylane_hmac_key>,
        keys_count: usize,
        message[message_len]: Input,
        tags[tags_len]: Input,
        which: Mut<usize>,
    ) {
        let keys = call.table(keys, keys_count)?;
        let (message, tags, which) = (call.input(message)?, call.input(tags)?, call.number(which)?);
        let tag_len = of_one_hash((0..keys_count).map(|i| keys.get(i)))?;
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
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_hmac_key_export(call; key: Ref<keylane_hmac_key>, state[state_len]: Output) {
        let state = call.output(state)?;
        Ok(call.reads(key, |key| key.export(state))??)
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_hmac_key_import(call; key: Mut<keylane_hmac_key>, hash: c_int, state[state_len]: Input) {
        call.put(key, &AnyHmacKey::import(hash_kind(hash)?, call.input(state)?)?)
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_hmac_init(call; mac: Mut<keylane_hmac>, hash: c_int, key[key_len]: Input) {
        call.put(mac, &AnyHmac::new(hash_kind(hash)?, call.input(key)?))
    }

    fn keylane_hmac_start(call; mac: Mut<keylane_hmac>, key: Ref<keylane_hmac_key>) {
        call.reads(key, |key| call.put(mac, &key.start()))?
    }

    fn keylane_hmac_update(call; mac: Mut<keylane_hmac>, data[data_len]: Input) {
        let data = call.input(data)?;
        call.changes(mac, |mac| mac.update(data))
    }

    fn keylane_hmac_finalize(call; mac: Mut<keylane_hmac>, tag[tag_len]: Output) {
        let tag = call.result(tag)?;
        call.finish(mac, |mac| set_tag(mac, tag))
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_hmac_finalize_reset(call; mac: Mut<keylane_hmac>, tag[tag_len]: Output) {
        let tag = call.result(tag)?;
        call.changes(mac, |mac| set_tag(mac, tag))?
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_hmac_reset(call; mac: Mut<keylane_hmac>) {
        call.changes(mac, AnyHmac::reset)
    }

    fn keylane_hmac_verify(call; mac: Mut<keylane_hmac>, tag[tag_len]: Input) {
        let tag = call.input(tag)?;
        let verified = call.finish(mac, |mac| match mac.clone().verify(tag) {
            Err(error @ Error::WrongLength { .. }) => Err(Failure::from(error)),
            verified => Ok(verified),
        })?;
        Ok(verified?)
    }
}

/// Sets the tag and starts over. Fails without a change if the tag has the wrong length.
fn set_tag(mac: &mut AnyHmac, tag: OutSlot<'_>) -> Result<(), Failure> {
    tag.expect(mac.algorithm().output_len())?;
    tag.set(mac.finalize_reset().as_bytes())
}

/// Returns the length of the keys' tags; 1 if there are none. INVALID_PARAMETER if there are several hashes.
fn of_one_hash<'a>(
    mut keys: impl Iterator<Item = Result<&'a AnyHmacKey, Failure>>,
) -> Result<usize, Failure> {
    let Some(first) = keys.next().transpose()?.map(AnyHmacKey::algorithm) else { return Ok(1) };
    for key in keys {
        if key?.algorithm() != first {
            return Err(Failure(KEYLANE_ERROR_INVALID_PARAMETER));
        }
    }
    Ok(HashKind::output_len(first))
}

fn verify_many(key: &AnyHmacKey, messages: &Batch<'_>, count: usize, tags: &[u8]) -> Result<(), Failure> {
    let len = key.algorithm().output_len();
    check_many(len, count, tags.len())?;
    let mut good = true;
    for (i, tags) in tags.chunks(GROUP * len).enumerate() {
        let (mut tag_group, mut group) = (Group::new(), Group::new());
        match key.verify_many(messages.group(&mut group, GROUP * i), tag_group.fill(tags.chunks(len))) {
            Ok(()) => {}
            // The time must not depend on which tag is wrong, so all groups are checked.
            Err(Error::AuthenticationFailed) => good = false,
            Err(error) => return Err(error.into()),
        }
    }
    if good { Ok(()) } else { Err(Failure(KEYLANE_ERROR_AUTHENTICATION_FAILED)) }
}
