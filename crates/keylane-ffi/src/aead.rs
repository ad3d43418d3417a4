//! The exported functions of AEADs: a macro that declares them, and their bodies, compiled once for all keys.

use keylane::Error;
use keylane::aead::{Aead, DynAead, RandomNonces};
use keylane_boundary::error::{
    Failure, KEYLANE_ERROR_AUTHENTICATION_FAILED, KEYLANE_ERROR_INVALID_PARAMETER, KEYLANE_ERROR_WRONG_LENGTH,
};
use keylane_boundary::{
    Array, Call, GROUP, Input, List, MessageList, Opaque, OutArray, Output, Ref, Text, call,
};
use std::ffi::c_int;

/// Exports the functions that every AEAD has. `$key` is its struct, whose name begins theirs; `$nonce` the
/// length of its nonces; `$limited` has the maximum lengths, which `$limits` says in words. In the header,
/// these parameters are replaced in comments as well.
macro_rules! exports {
    ($key:ident, $nonce:literal, $limited:ident, $limits:literal) => {
        const _: () = {
            use crate::aead;
            use keylane_boundary::{Array, Input, List, MessageList, OutArray, Output, Ref};
            use std::ffi::c_int;

            /// Encrypts `data` in place and writes the tag, which also covers `aad` and the nonce.
            ///
            /// @return 0; UNINITIALISED; INPUT_TOO_LONG above $limits.
            #[unsafe(export_name = concat!(stringify!($key), "_seal"))]
            extern "C" fn seal(
                key: Ref<$key>,
                nonce: Array<$nonce>,
                aad: Input,
                aad_len: usize,
                data: Output,
                data_len: usize,
                tag: OutArray<16>,
            ) -> c_int {
                aead::seal(&key, nonce.input(), (aad, aad_len), (data, data_len), tag)
            }

            /// Decrypts `data` in place if `tag` is the tag of `data`, `aad` and the nonce.
            ///
            /// @return 0; AUTHENTICATION_FAILED, with `data` wiped; UNINITIALISED; INPUT_TOO_LONG as
            /// $key_seal.
            #[unsafe(export_name = concat!(stringify!($key), "_open"))]
            extern "C" fn open(
                key: Ref<$key>,
                nonce: Array<$nonce>,
                aad: Input,
                aad_len: usize,
                data: Output,
                data_len: usize,
                tag: Array<16>,
            ) -> c_int {
                aead::open(&key, nonce.input(), (aad, aad_len), (data, data_len), tag)
            }

            /// Encrypts `plaintext` into `output`: the ciphertext, then the tag of 16 bytes. They may be the
            /// same buffer.
            ///
            /// @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is `plaintext_len` + 16;
            /// INPUT_TOO_LONG as $key_seal.
            #[unsafe(export_name = concat!(stringify!($key), "_seal_to"))]
            extern "C" fn seal_to(
                key: Ref<$key>,
                nonce: Array<$nonce>,
                aad: Input,
                aad_len: usize,
                plaintext: Input,
                plaintext_len: usize,
                output: Output,
                output_len: usize,
            ) -> c_int {
                let (plaintext, output) = ((plaintext, plaintext_len), (output, output_len));
                aead::seal_to(&key, nonce.input(), (aad, aad_len), plaintext, output)
            }

            /// Does $key_seal_to for a plaintext in at most 64 parts, none of which may
            /// overlap `output`.
            ///
            /// @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is the text's length + 16;
            /// INVALID_PARAMETER for more than 64 parts; INPUT_TOO_LONG as $key_seal.
            #[unsafe(export_name = concat!(stringify!($key), "_seal_parts_to"))]
            extern "C" fn seal_parts_to(
                key: Ref<$key>,
                nonce: Array<$nonce>,
                aad: Input,
                aad_len: usize,
                parts: List,
                count: usize,
                output: Output,
                output_len: usize,
            ) -> c_int {
                aead::seal_parts_to(&key, nonce.input(), (aad, aad_len), (parts, count), (output, output_len))
            }

            /// Decrypts `sealed`, a ciphertext and its tag of 16 bytes, into `output`. They may be the same
            /// buffer.
            ///
            /// @return 0; AUTHENTICATION_FAILED, with `output` wiped; UNINITIALISED; WRONG_LENGTH unless
            /// `output_len` is `sealed_len` - 16; INPUT_TOO_LONG as $key_seal.
            #[unsafe(export_name = concat!(stringify!($key), "_open_to"))]
            extern "C" fn open_to(
                key: Ref<$key>,
                nonce: Array<$nonce>,
                aad: Input,
                aad_len: usize,
                sealed: Input,
                sealed_len: usize,
                output: Output,
                output_len: usize,
            ) -> c_int {
                aead::open_to(&key, nonce.input(), (aad, aad_len), (sealed, sealed_len), (output, output_len))
            }

            /// Encrypts the texts of `count` messages in place and writes their tags: several at a time,
            /// where that is faster than $key_seal one by one. Their lengths may differ.
            /// Nothing that is written may overlap another range of any message. More than 1024 messages must
            /// lie in ascending order of their addresses, where that of an empty text is its tag's.
            ///
            /// @return 0; UNINITIALISED; INVALID_PARAMETER for more messages in another order; INPUT_TOO_LONG
            /// as $key_seal.
            #[unsafe(export_name = concat!(stringify!($key), "_seal_many"))]
            extern "C" fn seal_many(key: Ref<$key>, messages: MessageList, count: usize) -> c_int {
                let limits = ($limited::MAX_TEXT_LEN, $limited::MAX_AAD_LEN);
                aead::seal_many(&key, $nonce, (messages, count), limits)
            }

            /// Decrypts the texts of `count` messages in place, as $key_open does one.
            /// Writes to `opened` for each message 1 if its tag is right, or 0 if it is wrong: then its text
            /// is wiped. As when sealing, no two tags may overlap.
            ///
            /// @return 0 if every tag is right; AUTHENTICATION_FAILED; UNINITIALISED; WRONG_LENGTH unless
            /// `opened_len` is `count`; INVALID_PARAMETER and INPUT_TOO_LONG as $key_seal_many.
            #[unsafe(export_name = concat!(stringify!($key), "_open_many"))]
            extern "C" fn open_many(
                key: Ref<$key>,
                messages: MessageList,
                count: usize,
                opened: Output,
                opened_len: usize,
            ) -> c_int {
                let limits = ($limited::MAX_TEXT_LEN, $limited::MAX_AAD_LEN);
                aead::open_many(&key, $nonce, (messages, count), limits, (opened, opened_len))
            }
        };
    };
}
pub(crate) use exports;

/// Exports the functions of an AEAD whose nonces may be random. `$more` is the length of nonce and tag.
macro_rules! random_exports {
    ($key:ident, $nonce:literal, $more:literal) => {
        const _: () = {
            use crate::aead;
            use keylane_boundary::{Input, Output, Ref};
            use std::ffi::c_int;

            /// Encrypts `plaintext` under a random nonce from the operating system into `output`: the nonce
            /// of $nonce bytes, the ciphertext, then the tag of 16 bytes.
            ///
            /// @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is `plaintext_len` + $more;
            /// NO_RANDOMNESS; INPUT_TOO_LONG as $key_seal.
            #[unsafe(export_name = concat!(stringify!($key), "_seal_random"))]
            extern "C" fn seal_random(
                key: Ref<$key>,
                aad: Input,
                aad_len: usize,
                plaintext: Input,
                plaintext_len: usize,
                output: Output,
                output_len: usize,
            ) -> c_int {
                aead::seal_random(key, (aad, aad_len), (plaintext, plaintext_len), (output, output_len))
            }

            /// Decrypts `sealed`, what $key_seal_random wrote, into `output`.
            ///
            /// @return 0; AUTHENTICATION_FAILED, with `output` wiped; UNINITIALISED; WRONG_LENGTH unless
            /// `output_len` is `sealed_len` - $more; INPUT_TOO_LONG as $key_seal.
            #[unsafe(export_name = concat!(stringify!($key), "_open_random"))]
            extern "C" fn open_random(
                key: Ref<$key>,
                aad: Input,
                aad_len: usize,
                sealed: Input,
                sealed_len: usize,
                output: Output,
                output_len: usize,
            ) -> c_int {
                aead::open_random(key, (aad, aad_len), (sealed, sealed_len), (output, output_len))
            }
        };
    };
}
pub(crate) use random_exports;

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
    call(move |call| {
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
    call(move |call| {
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
    call(move |call| {
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
    call(move |call| {
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
    call(move |call| {
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
    call(move |call| {
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
    call(move |call| {
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

pub(crate) fn seal_random<O: Opaque<Value = Aead<C>>, C: RandomNonces>(
    key: Ref<O>,
    (aad, aad_len): (Input, usize),
    (plaintext, plaintext_len): (Input, usize),
    (output, output_len): (Output, usize),
) -> c_int {
    call(move |call| {
        let (aad, plaintext) = (call.input(aad, aad_len)?, call.input(plaintext, plaintext_len)?);
        let output = call.output(output, output_len)?;
        call.with(key, |key| Ok(key.seal_random(aad, plaintext, output)?))
    })
}

pub(crate) fn open_random<O: Opaque<Value = Aead<C>>, C: RandomNonces>(
    key: Ref<O>,
    (aad, aad_len): (Input, usize),
    (sealed, sealed_len): (Input, usize),
    (output, output_len): (Output, usize),
) -> c_int {
    call(move |call| {
        let (aad, sealed) = (call.input(aad, aad_len)?, call.input(sealed, sealed_len)?);
        let output = call.output(output, output_len)?;
        call.with(key, |key| Ok(key.open_random(aad, sealed, output)?))
    })
}
