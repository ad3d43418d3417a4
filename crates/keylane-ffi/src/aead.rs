//! AEADs, by algorithm.

use crate::batch::{Batch, BatchMut, GROUP};
use crate::boundary::{
    Array, Call, Held, Input, Mut, Numbers, OutArray, Output, Ref, Text, are_null, call, wipe_struct,
};
use crate::error::{
    Failure, KEYLANE_ERROR_AUTHENTICATION_FAILED, KEYLANE_ERROR_INPUT_TOO_LONG,
    KEYLANE_ERROR_INVALID_PARAMETER, KEYLANE_ERROR_UNINITIALISED, KEYLANE_ERROR_WRONG_LENGTH,
};
use keylane::Error;
use keylane::aead::{DynAead, Message};
use keylane::aes_gcm::{AesGcm, TruncatedTag};
use keylane::aes_gcm_siv::AesGcmSiv;
use keylane::chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use keylane::xaes::Xaes256Gcm;
use std::ffi::c_int;

pub const KEYLANE_AES_128_GCM: c_int = 1;
pub const KEYLANE_AES_192_GCM: c_int = 2;
pub const KEYLANE_AES_256_GCM: c_int = 3;
pub const KEYLANE_AES_128_GCM_SIV: c_int = 4;
pub const KEYLANE_AES_256_GCM_SIV: c_int = 5;
pub const KEYLANE_CHACHA20_POLY1305: c_int = 6;
pub const KEYLANE_XCHACHA20_POLY1305: c_int = 7;
pub const KEYLANE_XAES_256_GCM: c_int = 8;
pub const KEYLANE_AEAD_TAG_LEN: usize = 16;
pub const KEYLANE_AEAD_NONCE_MAX_LEN: usize = 24;

/// A key of any AEAD, prepared.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct keylane_aead {
    opaque: [u8; 1536],
}

/// A key that the struct may hold: beyond what every AEAD does, its limits, and random nonces where they are
/// safe.
trait Key: DynAead {
    /// The maximum length of a text and of additional data.
    fn limits(&self) -> [u64; 2];
    fn seal_random(&self, _aad: &[u8], _text: &[u8], _output: &mut [u8]) -> Result<(), Error> {
        Err(NOT_RANDOM)
    }
    fn open_random(&self, _aad: &[u8], _sealed: &[u8], _output: &mut [u8]) -> Result<(), Error> {
        Err(NOT_RANDOM)
    }
}

const NOT_RANDOM: Error = Error::InvalidParameter { what: "nonce: 12 random bytes are too few" };

/// An AEAD, its mark in the struct, and its methods for random nonces.
macro_rules! key {
    ($Key:ident, $mark:literal, $($random:ident)*) => {
        impl Held<keylane_aead> for $Key {
            const MARK: u64 = u64::from_ne_bytes(*$mark);
        }

        impl Key for $Key {
            fn limits(&self) -> [u64; 2] {
                [Self::MAX_TEXT_LEN, Self::MAX_AAD_LEN]
            }
            $(fn $random(&self, aad: &[u8], text: &[u8], output: &mut [u8]) -> Result<(), Error> {
                self.$random(aad, text, output)
            })*
        }
    };
}
key! { AesGcm, b"klaeadg\x01", }
key! { AesGcmSiv, b"klaeads\x01", seal_random open_random }
key! { ChaCha20Poly1305, b"klaeadc\x01", }
key! { XChaCha20Poly1305, b"klaeadx\x01", seal_random open_random }
key! { Xaes256Gcm, b"klaeada\x01", seal_random open_random }

/// Calls `run` with the key in the struct.
fn with(
    call: &Call,
    key: Ref<keylane_aead>,
    run: &mut dyn FnMut(&dyn Key) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let key = call.reads(key)?;
    match key.mark {
        <AesGcm as Held<_>>::MARK => key.with(|key: &AesGcm| run(key)),
        <AesGcmSiv as Held<_>>::MARK => key.with(|key: &AesGcmSiv| run(key)),
        <ChaCha20Poly1305 as Held<_>>::MARK => key.with(|key: &ChaCha20Poly1305| run(key)),
        <XChaCha20Poly1305 as Held<_>>::MARK => key.with(|key: &XChaCha20Poly1305| run(key)),
        <Xaes256Gcm as Held<_>>::MARK => key.with(|key: &Xaes256Gcm| run(key)),
        _ => Err(Failure(KEYLANE_ERROR_UNINITIALISED)),
    }
}

/// Calls `run` with the key in the struct, which must be one of AES-GCM.
fn with_gcm(
    call: &Call,
    key: Ref<keylane_aead>,
    run: impl FnOnce(&AesGcm) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let key = call.reads(key)?;
    match key.mark {
        <AesGcmSiv as Held<_>>::MARK
        | <ChaCha20Poly1305 as Held<_>>::MARK
        | <XChaCha20Poly1305 as Held<_>>::MARK
        | <Xaes256Gcm as Held<_>>::MARK => Err(Failure(KEYLANE_ERROR_INVALID_PARAMETER)),
        _ => key.with(run),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_aead_key_len(algorithm: c_int) -> usize {
    match algorithm {
        KEYLANE_AES_128_GCM | KEYLANE_AES_128_GCM_SIV => 16,
        KEYLANE_AES_192_GCM => 24,
        KEYLANE_AES_256_GCM..=KEYLANE_XAES_256_GCM => 32,
        _ => 0,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_aead_nonce_len(algorithm: c_int) -> usize {
    match algorithm {
        KEYLANE_XCHACHA20_POLY1305 | KEYLANE_XAES_256_GCM => 24,
        KEYLANE_AES_128_GCM..=KEYLANE_CHACHA20_POLY1305 => 12,
        _ => 0,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_aead_init(
    aead: Mut<keylane_aead>,
    algorithm: c_int,
    key: Input,
    key_len: usize,
) -> c_int {
    call(move |call| {
        let (place, key) = (call.place(aead)?, call.input(key, key_len)?);
        match keylane_aead_key_len(algorithm) {
            0 => return Err(Failure(KEYLANE_ERROR_INVALID_PARAMETER)),
            len if len != key_len => return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH)),
            _ => {}
        }
        match algorithm {
            KEYLANE_AES_128_GCM..=KEYLANE_AES_256_GCM => {
                let key = AesGcm::from_slice(key)?;
                // C may copy the key and share it: no message may write to it.
                key.precompute();
                place.put(&key);
            }
            KEYLANE_AES_128_GCM_SIV | KEYLANE_AES_256_GCM_SIV => place.put(&AesGcmSiv::from_slice(key)?),
            KEYLANE_CHACHA20_POLY1305 => place.put(&ChaCha20Poly1305::from_slice(key)?),
            KEYLANE_XCHACHA20_POLY1305 => place.put(&XChaCha20Poly1305::from_slice(key)?),
            _ => place.put(&Xaes256Gcm::from_slice(key)?),
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_aead_seal(
    key: Ref<keylane_aead>,
    nonce: Input,
    nonce_len: usize,
    aad: Input,
    aad_len: usize,
    text: Output,
    text_len: usize,
    tag: OutArray<16>,
) -> c_int {
    call(move |call| {
        // The closure holds its variables in the order of their use. Two that C passes on the stack must not be
        // neighbours: pushed one by one and loaded as a vector, they would wait for each other.
        let tag = call.result_array(tag)?;
        let (nonce, aad) = (call.input(nonce, nonce_len)?, call.input(aad, aad_len)?);
        let text = call.output(text, text_len)?;
        let mut value = [0; 16];
        with(call, key, &mut |key| {
            value = key.seal(nonce, aad, text)?;
            Ok(())
        })?;
        tag.set(&value)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_aead_open(
    key: Ref<keylane_aead>,
    nonce: Input,
    nonce_len: usize,
    aad: Input,
    aad_len: usize,
    text: Output,
    text_len: usize,
    tag: Array<16>,
) -> c_int {
    call(move |call| {
        let tag = call.array(tag)?;
        let (nonce, aad) = (call.input(nonce, nonce_len)?, call.input(aad, aad_len)?);
        let text = call.output(text, text_len)?;
        with(call, key, &mut |key| Ok(key.open(nonce, aad, text, tag)?))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_aead_seal_tag_len(
    key: Ref<keylane_aead>,
    nonce: Input,
    nonce_len: usize,
    aad: Input,
    aad_len: usize,
    text: Output,
    text_len: usize,
    tag: Output,
    tag_len: usize,
) -> c_int {
    call(move |call| {
        let tag = call.result(tag, tag_len)?;
        let (nonce, aad) = (call.input(nonce, nonce_len)?, call.input(aad, aad_len)?);
        let text = call.output(text, text_len)?;
        with_gcm(call, key, |key| {
            if !(TruncatedTag::MIN_SHORT_LEN..=16).contains(&tag_len) {
                return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH));
            }
            tag.set(&DynAead::seal(key, nonce, aad, text)?[..tag_len])
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_aead_open_tag_len(
    key: Ref<keylane_aead>,
    nonce: Input,
    nonce_len: usize,
    aad: Input,
    aad_len: usize,
    text: Output,
    text_len: usize,
    tag: Input,
    tag_len: usize,
) -> c_int {
    call(move |call| {
        let tag = call.input(tag, tag_len)?;
        let (nonce, aad) = (call.input(nonce, nonce_len)?, call.input(aad, aad_len)?);
        let text = call.output(text, text_len)?;
        with_gcm(call, key, |key| {
            if nonce_len != key.nonce_len() {
                return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH));
            }
            Ok(key.open_truncated_any_nonce(nonce, aad, text, &TruncatedTag::short(tag)?)?)
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_aead_seal_to(
    key: Ref<keylane_aead>,
    nonce: Input,
    nonce_len: usize,
    aad: Input,
    aad_len: usize,
    text: Input,
    text_len: usize,
    output: Output,
    output_len: usize,
) -> c_int {
    call(move |call| {
        if text_len.checked_add(16) != Some(output_len) {
            return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH));
        }
        let (nonce, aad) = (call.input(nonce, nonce_len)?, call.input(aad, aad_len)?);
        let mut text = call.text((text, text_len), (output, output_len))?;
        with(call, key, &mut |key| {
            match &mut text {
                Text::Apart(text, output) => key.seal_to(nonce, aad, &[text], output)?,
                Text::InPlace(buffer) => {
                    let (text, tag) = buffer.split_at_mut(text_len);
                    tag.copy_from_slice(&key.seal(nonce, aad, text)?);
                }
            }
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_aead_open_to(
    key: Ref<keylane_aead>,
    nonce: Input,
    nonce_len: usize,
    aad: Input,
    aad_len: usize,
    sealed: Input,
    sealed_len: usize,
    output: Output,
    output_len: usize,
) -> c_int {
    call(move |call| {
        if output_len.checked_add(16) != Some(sealed_len) {
            return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH));
        }
        let (nonce, aad) = (call.input(nonce, nonce_len)?, call.input(aad, aad_len)?);
        let mut text = call.text((sealed, sealed_len), (output, output_len))?;
        with(call, key, &mut |key| {
            match &mut text {
                Text::Apart(sealed, output) => key.open_to(nonce, aad, sealed, output)?,
                Text::InPlace(buffer) => {
                    let Some((text, tag)) = buffer.split_last_chunk_mut() else {
                        return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH));
                    };
                    key.open(nonce, aad, text, tag)?;
                }
            }
            Ok(())
        })
    })
}

/// The messages of a batch that are not processed yet.
struct Messages<'a> {
    nonces: std::slice::ChunksExact<'a, u8>,
    aad: Option<Batch<'a>>,
    text: BatchMut<'a>,
    done: usize,
}

impl<'a> Messages<'a> {
    fn new(
        call: &'a Call,
        key: &dyn Key,
        nonces: Input,
        (aad, aad_offsets): (Input, Numbers),
        (text, text_offsets): (Output, Numbers),
        count: usize,
    ) -> Result<Self, Failure> {
        let nonce_len = key.nonce_len();
        let len = count.checked_mul(nonce_len).ok_or(Failure(KEYLANE_ERROR_INPUT_TOO_LONG))?;
        let nonces = call.input(nonces, len)?.chunks_exact(nonce_len);
        let no_aad = are_null(aad, aad_offsets);
        let aad = if no_aad { None } else { Some(Batch::new(call, aad, aad_offsets, count)?) };
        let text = BatchMut::new(call, text, text_offsets, count)?;
        // Before anything is written.
        let lens = [text.max_len(), aad.as_ref().map_or(0, Batch::max_len)];
        if lens.iter().zip(key.limits()).any(|(&len, max)| len as u64 > max) {
            return Err(Failure(KEYLANE_ERROR_INPUT_TOO_LONG));
        }
        Ok(Self { nonces, aad, text, done: 0 })
    }

    /// Calls `run` with the next messages, as many as there are tags.
    fn next(
        &mut self,
        tags: &mut [[u8; 16]],
        run: &mut dyn FnMut(&mut [Message<'_>]) -> Result<(), Error>,
    ) -> Result<(), Failure> {
        // To fill a whole group takes longer than to process a few messages.
        if tags.len() > 4 { self.group::<GROUP>(tags, run) } else { self.group::<4>(tags, run) }
    }

    fn group<const N: usize>(
        &mut self,
        tags: &mut [[u8; 16]],
        run: &mut dyn FnMut(&mut [Message<'_>]) -> Result<(), Error>,
    ) -> Result<(), Failure> {
        let (mut unused, count) = ([[0; 16]; N], tags.len());
        let mut group = unused.each_mut().map(|tag| Message { nonce: &[], aad: &[], text: &mut [], tag });
        let parts = tags.iter_mut().zip(self.nonces.by_ref().zip(self.text.by_ref()));
        for (message, (tag, (nonce, text))) in group.iter_mut().zip(parts) {
            let aad = self.aad.as_ref().map_or(&[][..], |aad| aad.get(self.done));
            *message = Message { nonce, aad, text, tag };
            self.done += 1;
        }
        Ok(run(&mut group[..count])?)
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_aead_seal_many(
    key: Ref<keylane_aead>,
    nonces: Input,
    aad: Input,
    aad_offsets: Numbers,
    text: Output,
    text_offsets: Numbers,
    tags: Output,
    count: usize,
) -> c_int {
    call(move |call| {
        let tags_len = count.checked_mul(16).ok_or(Failure(KEYLANE_ERROR_INPUT_TOO_LONG))?;
        let tags = call.output(tags, tags_len)?.as_chunks_mut().0;
        with(call, key, &mut |key| {
            let (aad, text) = ((aad, aad_offsets), (text, text_offsets));
            let mut messages = Messages::new(call, key, nonces, aad, text, count)?;
            let mut groups = tags.chunks_mut(GROUP);
            groups.try_for_each(|tags| messages.next(tags, &mut |group| key.seal_many(group)))
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_aead_open_many(
    key: Ref<keylane_aead>,
    nonces: Input,
    aad: Input,
    aad_offsets: Numbers,
    text: Output,
    text_offsets: Numbers,
    tags: Input,
    opened: Output,
    count: usize,
) -> c_int {
    call(move |call| {
        let tags_len = count.checked_mul(16).ok_or(Failure(KEYLANE_ERROR_INPUT_TOO_LONG))?;
        let tags = call.input(tags, tags_len)?.as_chunks().0;
        let opened = call.output(opened, count)?;
        with(call, key, &mut |key| {
            let (aad, text) = ((aad, aad_offsets), (text, text_offsets));
            let mut messages = Messages::new(call, key, nonces, aad, text, count)?;
            let mut authentic = true;
            for (tags, opened) in tags.chunks(GROUP).zip(opened.chunks_mut(GROUP)) {
                let (mut copies, mut results) = ([[0; 16]; GROUP], [false; GROUP]);
                let (copies, results) = (&mut copies[..tags.len()], &mut results[..tags.len()]);
                copies.copy_from_slice(tags);
                messages.next(copies, &mut |group| match key.open_many(group, results) {
                    // All groups are opened.
                    Ok(()) | Err(Error::AuthenticationFailed) => Ok(()),
                    failed => failed,
                })?;
                for (opened, result) in opened.iter_mut().zip(results) {
                    *opened = (*result).into();
                    authentic &= *result;
                }
            }
            if authentic { Ok(()) } else { Err(Failure(KEYLANE_ERROR_AUTHENTICATION_FAILED)) }
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_aead_seal_random(
    key: Ref<keylane_aead>,
    aad: Input,
    aad_len: usize,
    text: Input,
    text_len: usize,
    output: Output,
    output_len: usize,
) -> c_int {
    call(move |call| {
        let (aad, text) = (call.input(aad, aad_len)?, call.input(text, text_len)?);
        let output = call.output(output, output_len)?;
        with(call, key, &mut |key| Ok(key.seal_random(aad, text, output)?))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_aead_open_random(
    key: Ref<keylane_aead>,
    aad: Input,
    aad_len: usize,
    sealed: Input,
    sealed_len: usize,
    output: Output,
    output_len: usize,
) -> c_int {
    call(move |call| {
        let (aad, sealed) = (call.input(aad, aad_len)?, call.input(sealed, sealed_len)?);
        let output = call.output(output, output_len)?;
        with(call, key, &mut |key| Ok(key.open_random(aad, sealed, output)?))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_aead_wipe(key: Mut<keylane_aead>) {
    wipe_struct(key);
}
