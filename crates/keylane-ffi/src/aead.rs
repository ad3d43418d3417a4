//! AEADs, by algorithm.

use crate::batch::{Batch, BatchMut};
use crate::boundary::{
    Array, Call, GROUP, Group, Input, Mut, Numbers, OutArray, Output, Ref, Text, are_null, export, structs,
};
use crate::error::{
    Failure, KEYLANE_ERROR_AUTHENTICATION_FAILED, KEYLANE_ERROR_INPUT_TOO_LONG,
    KEYLANE_ERROR_INVALID_PARAMETER, KEYLANE_ERROR_WRONG_LENGTH,
};
use crate::hash::numbered;
use keylane::Error;
use keylane::aead::Message;
use keylane::aes_gcm::{AesGcm, TruncatedTag};
use keylane::any::{AeadKind, AnyAead};
use std::ffi::c_int;
use std::slice::ChunksExact;

pub const KEYLANE_AEAD_TAG_LEN: usize = AnyAead::TAG_LEN;
pub const KEYLANE_AEAD_NONCE_MAX_LEN: usize = 24;

structs! {
    keylane_aead: 1536, 64, b"klaead\0\x01", AnyAead; keylane_aead_wipe
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_aead_key_len(algorithm: c_int) -> usize {
    numbered(&AeadKind::ALL, algorithm).map_or(0, AeadKind::key_len)
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_aead_nonce_len(algorithm: c_int) -> usize {
    numbered(&AeadKind::ALL, algorithm).map_or(0, AeadKind::nonce_len)
}

export! {
    fn keylane_aead_init(call; aead: Mut<keylane_aead>, algorithm: c_int, key[key_len]: Input) {
        let kind = numbered(&AeadKind::ALL, algorithm).ok_or(Failure(KEYLANE_ERROR_INVALID_PARAMETER))?;
        let key = AnyAead::from_slice(kind, call.input(key)?)?;
        if let Some(key) = key.as_aes_gcm() {
            // C may copy and share the key, so processing a message must not write to it.
            key.precompute();
        }
        call.put(aead, &key)
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_aead_seal(
        call;
        key: Ref<keylane_aead>,
        nonce[nonce_len]: Input,
        aad[aad_len]: Input,
        text[text_len]: Output,
        tag: OutArray<16>,
    ) {
        // The closure captures pairs in the order of their use, then the rest. The text's length and the tag,
        // which C passes on the stack, must not be adjacent: pushed one by one and loaded as a vector, they
        // would stall.
        let (text, nonce, aad) = (call.output(text)?, call.input(nonce)?, call.input(aad)?);
        let tag = call.result_array(tag)?;
        call.reads(key, |key| tag.set(&key.seal(nonce, aad, text)?))?
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_aead_open(
        call;
        key: Ref<keylane_aead>,
        nonce[nonce_len]: Input,
        aad[aad_len]: Input,
        text[text_len]: Output,
        tag: Array<16>,
    ) {
        let (text, nonce, aad) = (call.output(text)?, call.input(nonce)?, call.input(aad)?);
        let tag = call.array(tag)?;
        Ok(call.reads(key, |key| key.open(nonce, aad, text, tag))??)
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_aead_seal_tag_len(
        call;
        key: Ref<keylane_aead>,
        nonce[nonce_len]: Input,
        aad[aad_len]: Input,
        text[text_len]: Output,
        tag[tag_len]: Output,
    ) {
        let (text, nonce, aad) = (call.output(text)?, call.input(nonce)?, call.input(aad)?);
        let tag = call.result(tag)?;
        call.reads(key, |key| {
            aes_gcm(key)?;
            if !(TruncatedTag::MIN_SHORT_LEN..=AnyAead::TAG_LEN).contains(&tag_len) {
                return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH));
            }
            tag.set(&key.seal(nonce, aad, text)?[..tag_len])
        })?
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_aead_open_tag_len(
        call;
        key: Ref<keylane_aead>,
        nonce[nonce_len]: Input,
        aad[aad_len]: Input,
        text[text_len]: Output,
        tag[tag_len]: Input,
    ) {
        let (text, nonce, aad) = (call.output(text)?, call.input(nonce)?, call.input(aad)?);
        let tag = call.input(tag)?;
        call.reads(key, |key| {
            let gcm = aes_gcm(key)?;
            if nonce.len() != key.algorithm().nonce_len() {
                return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH));
            }
            Ok(gcm.open_truncated_any_nonce(nonce, aad, text, &TruncatedTag::short(tag)?)?)
        })?
    }

    fn keylane_aead_seal_to(
        call;
        key: Ref<keylane_aead>,
        nonce[nonce_len]: Input,
        aad[aad_len]: Input,
        text: Input,
        text_len: usize,
        output: Output,
        output_len: usize,
    ) {
        if text_len.checked_add(AnyAead::TAG_LEN) != Some(output_len) {
            return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH));
        }
        let (nonce, aad) = (call.input(nonce)?, call.input(aad)?);
        let text = call.text((text, text_len), (output, output_len))?;
        call.reads(key, |key| match text {
            Text::Apart(text, output) => key.seal_to(nonce, aad, &[text], output),
            Text::InPlace(buffer) => {
                let (text, tag) = buffer.split_at_mut(text_len);
                tag.copy_from_slice(&key.seal(nonce, aad, text)?);
                Ok(())
            }
        })?
        .map_err(Failure::from)
    }

    fn keylane_aead_open_to(
        call;
        key: Ref<keylane_aead>,
        nonce[nonce_len]: Input,
        aad[aad_len]: Input,
        sealed: Input,
        sealed_len: usize,
        output: Output,
        output_len: usize,
    ) {
        if output_len.checked_add(AnyAead::TAG_LEN) != Some(sealed_len) {
            return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH));
        }
        let (nonce, aad) = (call.input(nonce)?, call.input(aad)?);
        let text = call.text((sealed, sealed_len), (output, output_len))?;
        call.reads(key, |key| match text {
            Text::Apart(sealed, output) => Ok(key.open_to(nonce, aad, sealed, output)?),
            Text::InPlace(buffer) => {
                let Some((text, tag)) = buffer.split_last_chunk_mut() else {
                    return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH));
                };
                Ok(key.open(nonce, aad, text, tag)?)
            }
        })?
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_aead_seal_many(
        call;
        key: Ref<keylane_aead>,
        nonces: Input,
        aad: Input,
        aad_offsets: Numbers,
        text: Output,
        text_offsets: Numbers,
        tags: Output,
        count: usize,
    ) {
        let tags = call.output((tags, tags_len(count)?))?.as_chunks_mut().0;
        call.reads(key, |key| {
            let (aad, text) = ((aad, aad_offsets), (text, text_offsets));
            let mut messages = Messages::new(call, key.algorithm(), nonces, aad, text, count)?;
            for tags in tags.chunks_mut(GROUP) {
                key.seal_many(messages.next(&mut Group::new(), tags))?;
            }
            Ok(())
        })?
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_aead_open_many(
        call;
        key: Ref<keylane_aead>,
        nonces: Input,
        aad: Input,
        aad_offsets: Numbers,
        text: Output,
        text_offsets: Numbers,
        tags: Input,
        opened: Output,
        count: usize,
    ) {
        let tags = call.input((tags, tags_len(count)?))?.as_chunks().0;
        let opened = call.output((opened, count))?;
        call.reads(key, |key| {
            let (aad, text) = ((aad, aad_offsets), (text, text_offsets));
            let mut messages = Messages::new(call, key.algorithm(), nonces, aad, text, count)?;
            let mut authentic = true;
            for (tags, opened) in tags.chunks(GROUP).zip(opened.chunks_mut(GROUP)) {
                let (mut copies, mut results) = (Group::new(), Group::new());
                let copies = copies.fill(tags.iter().copied());
                let results = results.fill(opened.iter().map(|_| false));
                match key.open_many(messages.next(&mut Group::new(), copies), results) {
                    // Continue: all groups are opened.
                    Ok(()) | Err(Error::AuthenticationFailed) => {}
                    Err(error) => return Err(error.into()),
                }
                for (opened, result) in opened.iter_mut().zip(results) {
                    *opened = (*result).into();
                    authentic &= *result;
                }
            }
            if authentic { Ok(()) } else { Err(Failure(KEYLANE_ERROR_AUTHENTICATION_FAILED)) }
        })?
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_aead_seal_random(
        call;
        key: Ref<keylane_aead>,
        aad[aad_len]: Input,
        text[text_len]: Input,
        output[output_len]: Output,
    ) {
        let (aad, text, output) = (call.input(aad)?, call.input(text)?, call.output(output)?);
        Ok(call.reads(key, |key| key.seal_random(aad, text, output))??)
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_aead_open_random(
        call;
        key: Ref<keylane_aead>,
        aad[aad_len]: Input,
        sealed[sealed_len]: Input,
        output[output_len]: Output,
    ) {
        let (aad, sealed, output) = (call.input(aad)?, call.input(sealed)?, call.output(output)?);
        Ok(call.reads(key, |key| key.open_random(aad, sealed, output))??)
    }
}

fn aes_gcm(key: &AnyAead) -> Result<&AesGcm, Failure> {
    key.as_aes_gcm().ok_or(Failure(KEYLANE_ERROR_INVALID_PARAMETER))
}

/// Returns the length of the tags of `count` messages.
fn tags_len(count: usize) -> Result<usize, Failure> {
    count.checked_mul(AnyAead::TAG_LEN).ok_or(Failure(KEYLANE_ERROR_INPUT_TOO_LONG))
}

/// The messages of a batch that are not processed yet.
struct Messages<'a> {
    nonces: ChunksExact<'a, u8>,
    aad: Option<Batch<'a>>,
    text: BatchMut<'a>,
    done: usize,
}

impl<'a> Messages<'a> {
    fn new(
        call: &'a Call,
        kind: AeadKind,
        nonces: Input,
        (aad, aad_offsets): (Input, Numbers),
        (text, text_offsets): (Output, Numbers),
        count: usize,
    ) -> Result<Self, Failure> {
        let len = count.checked_mul(kind.nonce_len()).ok_or(Failure(KEYLANE_ERROR_INPUT_TOO_LONG))?;
        let nonces = call.input((nonces, len))?.chunks_exact(kind.nonce_len());
        let no_aad = are_null(aad, aad_offsets);
        let aad = if no_aad { None } else { Some(Batch::new(call, aad, aad_offsets, count)?) };
        let text = BatchMut::new(call, text, text_offsets, count)?;
        // Checked before anything is written.
        let aad_len = aad.as_ref().map_or(0, Batch::max_len);
        if text.max_len() as u64 > kind.max_text_len() || aad_len as u64 > kind.max_aad_len() {
            return Err(Failure(KEYLANE_ERROR_INPUT_TOO_LONG));
        }
        Ok(Self { nonces, aad, text, done: 0 })
    }

    /// Returns the next messages, one per tag.
    fn next<'b, 'm>(
        &mut self,
        group: &'b mut Group<Message<'m>>,
        tags: &'m mut [[u8; AnyAead::TAG_LEN]],
    ) -> &'b mut [Message<'m>]
    where
        'a: 'm,
    {
        let parts = tags.iter_mut().zip(self.nonces.by_ref().zip(self.text.by_ref()));
        group.fill(parts.map(|(tag, (nonce, text))| {
            let aad = self.aad.as_ref().map_or(&[][..], |aad| aad.get(self.done));
            self.done += 1;
            Message { nonce, aad, text, tag }
        }))
    }
}
