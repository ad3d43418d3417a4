//! The exported functions of an AEAD, compiled once for all keys.

use keylane::Error;
use keylane::aead::{DynAead, RandomNonces};
use keylane_boundary::error::{
    Failure, KEYLANE_ERROR_AUTHENTICATION_FAILED, KEYLANE_ERROR_INVALID_PARAMETER, KEYLANE_ERROR_WRONG_LENGTH,
};
use keylane_boundary::{
    Array, Call, GROUP, Input, List, MessageList, Opaque, OutArray, Output, Ref, Text, call,
};
use std::ffi::c_int;

/// A struct that holds a key of an AEAD.
pub(crate) trait Key {
    /// Calls `run` with the key. Only this is compiled for each AEAD.
    fn with(
        &self,
        call: &Call,
        run: &mut dyn FnMut(&dyn DynAead) -> Result<(), Failure>,
    ) -> Result<(), Failure>;
}

impl<O: Opaque<Value: DynAead>> Key for Ref<O> {
    fn with(
        &self,
        call: &Call,
        run: &mut dyn FnMut(&dyn DynAead) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        call.with(*self, |key| run(key))
    }
}

pub(crate) fn seal(
    key: &dyn Key,
    (nonce, nonce_len): (Input, usize),
    (aad, aad_len): (Input, usize),
    (data, data_len): (Output, usize),
    tag: OutArray<16>,
) -> c_int {
    call(|call| {
        let (nonce, aad) = (call.input(nonce, nonce_len)?, call.input(aad, aad_len)?);
        let data = call.output(data, data_len)?;
        let tag = call.result_array(tag)?;
        let mut value = [0; 16];
        key.with(call, &mut |key| {
            value = key.seal(nonce, aad, data)?;
            Ok(())
        })?;
        tag.set(&value)
    })
}

pub(crate) fn open(
    key: &dyn Key,
    (nonce, nonce_len): (Input, usize),
    (aad, aad_len): (Input, usize),
    (data, data_len): (Output, usize),
    tag: Array<16>,
) -> c_int {
    call(|call| {
        let (nonce, aad) = (call.input(nonce, nonce_len)?, call.input(aad, aad_len)?);
        let data = call.output(data, data_len)?;
        let tag = call.array(tag)?;
        key.with(call, &mut |key| Ok(key.open(nonce, aad, data, tag)?))
    })
}

pub(crate) fn seal_to(
    key: &dyn Key,
    (nonce, nonce_len): (Input, usize),
    (aad, aad_len): (Input, usize),
    (plaintext, plaintext_len): (Input, usize),
    (output, output_len): (Output, usize),
) -> c_int {
    call(|call| {
        let (nonce, aad) = (call.input(nonce, nonce_len)?, call.input(aad, aad_len)?);
        let mut text = call.text((plaintext, plaintext_len), (output, output_len))?;
        if plaintext_len.checked_add(16) != Some(output_len) {
            return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH));
        }
        key.with(call, &mut |key| {
            match &mut text {
                Text::Apart(plaintext, output) => key.seal_to(nonce, aad, &[plaintext], output)?,
                Text::InPlace(buffer) => {
                    let (data, tag) = buffer.split_at_mut(plaintext_len);
                    tag.copy_from_slice(&key.seal(nonce, aad, data)?);
                }
            }
            Ok(())
        })
    })
}

pub(crate) fn seal_parts_to(
    key: &dyn Key,
    (nonce, nonce_len): (Input, usize),
    (aad, aad_len): (Input, usize),
    (parts, count): (List, usize),
    (output, output_len): (Output, usize),
) -> c_int {
    call(|call| {
        let (nonce, aad) = (call.input(nonce, nonce_len)?, call.input(aad, aad_len)?);
        let parts = call.list(parts, count)?;
        let output = call.output(output, output_len)?;
        if parts.count() > GROUP {
            return Err(Failure(KEYLANE_ERROR_INVALID_PARAMETER));
        }
        let (parts, len) = parts.group(0);
        key.with(call, &mut |key| Ok(key.seal_to(nonce, aad, &parts[..len], output)?))
    })
}

pub(crate) fn seal_many(
    key: &dyn Key,
    nonce_len: usize,
    (messages, count): (MessageList, usize),
    limits: (u64, u64),
) -> c_int {
    call(|call| {
        let mut messages = call.messages(messages, count, nonce_len, limits)?;
        key.with(call, &mut |key| messages.each_group(&mut |_, group| Ok(key.seal_many(group)?)))
    })
}

pub(crate) fn open_many(
    key: &dyn Key,
    nonce_len: usize,
    (messages, count): (MessageList, usize),
    limits: (u64, u64),
    (opened, opened_len): (Output, usize),
) -> c_int {
    call(|call| {
        let mut messages = call.messages(messages, count, nonce_len, limits)?;
        let opened = call.output(opened, opened_len)?;
        if opened.len() != count {
            return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH));
        }
        key.with(call, &mut |key| {
            let mut authentic = true;
            messages.each_group(&mut |start, group| {
                let mut results = [false; GROUP];
                let results = &mut results[..group.len()];
                match key.open_many(group, results) {
                    Err(Error::AuthenticationFailed) => authentic = false,
                    done => done?,
                }
                for (opened, result) in opened[start..].iter_mut().zip(results) {
                    *opened = (*result).into();
                }
                Ok(())
            })?;
            if authentic { Ok(()) } else { Err(Failure(KEYLANE_ERROR_AUTHENTICATION_FAILED)) }
        })
    })
}

pub(crate) fn open_to(
    key: &dyn Key,
    (nonce, nonce_len): (Input, usize),
    (aad, aad_len): (Input, usize),
    (sealed, sealed_len): (Input, usize),
    (output, output_len): (Output, usize),
) -> c_int {
    call(|call| {
        let (nonce, aad) = (call.input(nonce, nonce_len)?, call.input(aad, aad_len)?);
        let mut text = call.text((sealed, sealed_len), (output, output_len))?;
        if output_len.checked_add(16) != Some(sealed_len) {
            return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH));
        }
        key.with(call, &mut |key| {
            match &mut text {
                Text::Apart(sealed, output) => key.open_to(nonce, aad, sealed, output)?,
                Text::InPlace(buffer) => {
                    let Some((data, tag)) = buffer.split_last_chunk_mut() else {
                        return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH));
                    };
                    key.open(nonce, aad, data, tag)?;
                }
            }
            Ok(())
        })
    })
}

pub(crate) fn seal_random<O: Opaque<Value: RandomNonces>>(
    key: Ref<O>,
    (aad, aad_len): (Input, usize),
    (plaintext, plaintext_len): (Input, usize),
    (output, output_len): (Output, usize),
) -> c_int {
    call(|call| {
        let (aad, plaintext) = (call.input(aad, aad_len)?, call.input(plaintext, plaintext_len)?);
        let output = call.output(output, output_len)?;
        call.with(key, |key| Ok(key.seal_random(aad, plaintext, output)?))
    })
}

pub(crate) fn open_random<O: Opaque<Value: RandomNonces>>(
    key: Ref<O>,
    (aad, aad_len): (Input, usize),
    (sealed, sealed_len): (Input, usize),
    (output, output_len): (Output, usize),
) -> c_int {
    call(|call| {
        let (aad, sealed) = (call.input(aad, aad_len)?, call.input(sealed, sealed_len)?);
        let output = call.output(output, output_len)?;
        call.with(key, |key| Ok(key.open_random(aad, sealed, output)?))
    })
}
