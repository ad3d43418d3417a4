//! Many messages under one key of an AEAD.

use crate::buffer::{Input, NewBytes, Output, Private, Snapshot, Source, has_buffer};
use crate::error::{exception, expect_len, expect_none};
use crate::integer::Integer;
use crate::messages::{Messages, total};
use crate::threads::detached;
use keylane::Error;
use keylane::aead::{DynAead, Message};
use keylane_cpu::in_out::any_bytes;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

pub(crate) const TAG_LEN: usize = 16;

/// The arguments of every method, but for the texts and the tags. In Python `aads` may be None.
pub(crate) struct Batch<'a, 'py> {
    pub(crate) py: Python<'py>,
    pub(crate) key: &'a dyn DynAead,
    /// An iterable of nonces, or all of them in one buffer.
    pub(crate) nonces: Bound<'py, PyAny>,
    pub(crate) aads: Option<Messages<'py>>,
}

fn expect_count(what: &str, expected: usize, actual: usize) -> PyResult<()> {
    if expected == actual {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{expected} {what} are needed, not {actual}")))
}

impl<'py> Batch<'_, 'py> {
    /// Returns copies of the nonces, one after the other: kernels read a nonce more than once.
    fn nonces(&self, count: usize) -> PyResult<Vec<u8>> {
        let len = self.key.nonce_len();
        if has_buffer(self.nonces.as_borrowed()) {
            let nonces = Input::of(self.nonces.as_borrowed())?;
            expect_len("nonces", count.saturating_mul(len), nonces.len())?;
            return Ok(nonces.bytes().to_vec());
        }
        let nonces: Messages<'_> = self.nonces.extract()?;
        expect_count("nonces", count, nonces.len())?;
        let mut copies = Vec::with_capacity(count * len);
        for nonce in nonces.inputs()? {
            expect_len("nonce", len, nonce.len())?;
            copies.extend_from_slice(nonce.bytes());
        }
        Ok(copies)
    }

    /// Calls `places`, which returns the text and the tag of each message, then `work` with the messages.
    /// Releases the GIL meanwhile if there are many `bytes`.
    fn run<'t, R: Send>(
        &self,
        (count, bytes): (usize, usize),
        places: impl FnOnce() -> Vec<(&'t mut [u8], &'t mut [u8; TAG_LEN])> + Send,
        work: impl FnOnce(&dyn DynAead, &mut [Message<'_>]) -> R + Send,
    ) -> PyResult<R> {
        let (key, nonces) = (self.key, self.nonces(count)?);
        let aads = match &self.aads {
            Some(aads) => aads.inputs()?,
            None => (0..count).map(|_| Input::NONE).collect(),
        };
        expect_count("associated data", count, aads.len())?;
        let mut aads = aads.iter().map(Input::snapshot).collect::<PyResult<Vec<_>>>()?;
        Ok(detached(self.py, bytes, || {
            let parts = places().into_iter().zip(&mut aads).zip(nonces.chunks(key.nonce_len()));
            let message =
                |(((text, tag), aad), nonce)| Message { nonce, aad: Snapshot::take(aad), text, tag };
            work(key, &mut parts.map(message).collect::<Vec<_>>())
        }))
    }

    pub(crate) fn encrypt(&self, texts: &Messages<'py>) -> PyResult<Bound<'py, PyList>> {
        let texts = texts.inputs()?;
        let room = |text: &Input<'_, '_>| NewBytes::new(self.py, text.len() + TAG_LEN);
        let mut sealed = texts.iter().map(room).collect::<PyResult<Vec<_>>>()?;
        let pieces: Vec<_> =
            texts.iter().map(Input::source).zip(sealed.iter_mut().map(NewBytes::room)).collect();
        let places = || {
            let place = |(source, room): (Source<'_>, _)| {
                let (text, tag) = any_bytes(room).split_last_chunk_mut().expect("room for the tag");
                source.copy_to(text);
                (text, tag)
            };
            pieces.into_iter().map(place).collect()
        };
        let size = (texts.len(), total(texts.iter().map(Input::len))?);
        self.run(size, places, |key, messages| key.seal_many(messages))?.map_err(exception)?;
        PyList::new(self.py, sealed.into_iter().map(NewBytes::finish))
    }

    pub(crate) fn decrypt(&self, texts: &Messages<'py>) -> PyResult<Bound<'py, PyList>> {
        let texts = texts.inputs()?;
        let text_len = |text: &Input<'_, '_>| text.len().saturating_sub(TAG_LEN);
        let rooms = texts.iter().map(|text| NewBytes::new(self.py, text_len(text)));
        let (mut rooms, mut tags) = (rooms.collect::<PyResult<Vec<_>>>()?, vec![[0; TAG_LEN]; texts.len()]);
        let pieces: Vec<_> =
            texts.iter().map(Input::source).zip(rooms.iter_mut().map(NewBytes::room)).collect();
        let received = &mut tags;
        let places = move || {
            let mut places = Vec::with_capacity(pieces.len());
            for ((source, room), tag) in pieces.into_iter().zip(received) {
                let text = any_bytes(room);
                // A message that is shorter than a tag is refused below.
                if source.len() >= TAG_LEN {
                    let (ciphertext, received) = source.split_at(text.len());
                    ciphertext.copy_to(text);
                    received.copy_to(tag);
                }
                places.push((text, tag));
            }
            places
        };
        let mut opened = vec![false; texts.len()];
        let size = (texts.len(), total(texts.iter().map(Input::len))?);
        let done = self.run(size, places, |key, messages| key.open_many(messages, &mut opened))?;
        let has_tag = texts.iter().map(|text| text.len() >= TAG_LEN);
        opened.iter_mut().zip(has_tag).for_each(|(opened, has_tag)| *opened &= has_tag);
        self.refuse(done, &opened)?;
        PyList::new(self.py, rooms.into_iter().map(NewBytes::finish))
    }

    /// Seals or opens the texts of one buffer in place.
    pub(crate) fn in_place(
        &self,
        seal: bool,
        (buf, offsets, tags): (&Bound<'py, PyAny>, &Bound<'py, PyAny>, &Bound<'py, PyAny>),
    ) -> PyResult<()> {
        let (data, received) = (Input::of(buf.as_borrowed())?, Input::of(tags.as_borrowed())?);
        let lens = lengths(offsets, data.len())?;
        expect_len("tags", TAG_LEN * lens.len(), received.len())?;
        let (mut buf, mut tags) =
            (buf.extract::<Output<'_>>()?, if seal { Some(tags.extract::<Output<'_>>()?) } else { None });
        // An object may have another length when it is asked again.
        expect_len("buf", data.len(), buf.len())?;
        let mut target = buf.target(data.len(), &data, &[&received])?;
        let tags = match &mut tags {
            Some(tags) => {
                expect_len("tags", received.len(), tags.len())?;
                Some(tags.target(received.len(), &received, &[&data])?)
            }
            None => None,
        };
        // Other threads may write to the buffers: kernels work on copies.
        let (mut text, mut tag_copies) = (Private::new(data.len())?, Private::new(received.len())?);
        let mut opened = vec![seal; lens.len()];
        let (source, tag_source, count) = (data.source(), received.source(), lens.len());
        let (copy, tag_copy) = (&mut text, &mut tag_copies);
        let places = move || {
            source.copy_to(copy.room());
            tag_source.copy_to(tag_copy.room());
            let (mut rest, tags) = (copy.room(), tag_copy.room().as_chunks_mut().0);
            let place = |(len, tag)| {
                let (text, after) = std::mem::take(&mut rest).split_at_mut(len);
                rest = after;
                (text, tag)
            };
            lens.into_iter().zip(tags).map(place).collect()
        };
        let done = self.run((count, data.len()), places, |key, messages| {
            if seal { key.seal_many(messages) } else { key.open_many(messages, &mut opened) }
        })?;
        if let Err(Error::AuthenticationFailed) | Ok(()) = done {
            detached(self.py, data.len(), || target.write(text.written()));
            if let Some(mut tags) = tags {
                tags.write(tag_copies.written());
                text.drop_unwiped();
            }
        }
        self.refuse(done, &opened)
    }

    /// Raises `InvalidTag` with `failed`, the numbers of the messages that did not open.
    fn refuse(&self, done: Result<(), Error>, opened: &[bool]) -> PyResult<()> {
        match done {
            Ok(()) | Err(Error::AuthenticationFailed) => {}
            Err(error) => return Err(exception(error)),
        }
        expect_none(self.py, (0..opened.len()).filter(|&i| !opened[i]).collect())
    }
}

/// Returns the lengths of the texts that lie between offsets.
///
/// # Errors
/// `ValueError` unless the offsets ascend from 0 to `len`.
fn lengths(offsets: &Bound<'_, PyAny>, len: usize) -> PyResult<Vec<usize>> {
    let wrong = || PyValueError::new_err(format!("offsets must ascend from 0 to the buffer's length, {len}"));
    let mut lens = Vec::new();
    let mut end = None;
    for offset in offsets.try_iter()? {
        let offset = usize::try_from(offset?.extract::<Integer>()?.0).map_err(|_| wrong())?;
        match end {
            None if offset == 0 => {}
            None => return Err(wrong()),
            Some(before) => lens.push(offset.checked_sub(before).ok_or_else(wrong)?),
        }
        end = Some(offset);
    }
    if end == Some(len) { Ok(lens) } else { Err(wrong()) }
}
