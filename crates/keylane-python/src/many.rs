//! Many messages under one AEAD key.

use crate::buffer::{Input, NewBytes, Output, Private, Snapshot, Source, has_buffer};
use crate::error::{exception, expect_len, expect_none};
use crate::integer::Integer;
use crate::messages::{Messages, expect_count};
use crate::threads::detached;
use keylane::Error;
use keylane::aead::Message;
use keylane::any::AnyAead;
use keylane_cpu::in_out::any_bytes;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

pub(crate) const TAG_LEN: usize = AnyAead::TAG_LEN;

/// The direction of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Seal,
    Open,
}

/// The number of messages that are copied and then sealed or opened together: enough for all lanes, and few
/// enough to stay in the CPU's cache.
const GROUP: usize = 64;

/// The arguments of every method, except the texts and the tags. In Python `aads` may be None.
pub(crate) struct Batch<'a, 'py> {
    pub(crate) py: Python<'py>,
    pub(crate) direction: Direction,
    pub(crate) key: &'a AnyAead,
    /// An iterable of nonces, or all of them in one buffer.
    pub(crate) nonces: Bound<'py, PyAny>,
    pub(crate) aads: Option<Messages<'py>>,
}

/// A text and its tag in the caller's memory. The tag is read to open the text; it is too short if the whole
/// message is shorter than a tag.
type Given<'a> = (Source<'a>, Source<'a>);

impl<'py> Batch<'_, 'py> {
    /// Returns copies of the nonces, one after the other: kernels read a nonce more than once.
    fn nonces(&self, count: usize) -> PyResult<Vec<u8>> {
        let len = self.key.algorithm().nonce_len();
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

    /// Copies the given messages to their places, seals or opens them there, and returns the indices of those
    /// that are not authentic. Releases the GIL meanwhile if they or their associated data are long or many.
    fn run<'t, P: Iterator<Item = (&'t mut [u8], &'t mut [u8; TAG_LEN])>>(
        &self,
        given: Vec<Given<'_>>,
        places: impl FnOnce() -> P + Send,
    ) -> PyResult<Vec<usize>> {
        let (key, direction, count) = (self.key, self.direction, given.len());
        let nonces = self.nonces(count)?;
        let aads = match &self.aads {
            Some(aads) => aads.inputs()?,
            None => (0..count).map(|_| Input::NONE).collect(),
        };
        expect_count("associated data", count, aads.len())?;
        // An empty message costs a block of work, too.
        let texts = given.iter().map(|(text, _)| text.len() + TAG_LEN);
        let work = texts.chain(aads.iter().map(Input::len)).fold(0, usize::saturating_add);
        let mut aads = aads.iter().map(Input::snapshot).collect::<PyResult<Vec<_>>>()?;
        let complete: Vec<_> = given.iter().map(|(_, tag)| tag.len() == TAG_LEN).collect();
        let mut opened = vec![false; count];
        let done = detached(self.py, work, || {
            let aads = aads.iter_mut().map(Snapshot::take);
            let mut parts =
                given.into_iter().zip(places()).zip(aads).zip(nonces.chunks(key.algorithm().nonce_len()));
            for opened in opened.chunks_mut(GROUP) {
                let mut group = Vec::with_capacity(opened.len());
                for ((((given, received), (text, tag)), aad), nonce) in parts.by_ref().take(opened.len()) {
                    given.copy_to(text);
                    if received.len() == TAG_LEN {
                        received.copy_to(tag);
                    }
                    group.push(Message { nonce, aad, text, tag });
                }
                match direction {
                    Direction::Seal => key.seal_many(&mut group)?,
                    Direction::Open => match key.open_many(&mut group, opened) {
                        Ok(()) | Err(Error::AuthenticationFailed) => {}
                        Err(error) => return Err(error),
                    },
                }
            }
            Ok(())
        });
        done.map_err(exception)?;
        Ok(match direction {
            Direction::Seal => Vec::new(),
            Direction::Open => (0..count).filter(|&i| !(opened[i] && complete[i])).collect(),
        })
    }

    /// Seals or opens the texts of a list.
    pub(crate) fn list(&self, texts: &Messages<'py>) -> PyResult<Bound<'py, PyList>> {
        let texts = texts.inputs()?;
        let text_len = |len: usize| match self.direction {
            Direction::Seal => len,
            Direction::Open => len.saturating_sub(TAG_LEN),
        };
        let (tag_len, tags_apart) = match self.direction {
            Direction::Seal => (TAG_LEN, 0),
            Direction::Open => (0, texts.len()),
        };
        let new = |text: &Input<'_, '_>| NewBytes::new(self.py, text_len(text.len()) + tag_len);
        let mut results = texts.iter().map(new).collect::<PyResult<Vec<_>>>()?;
        let rooms: Vec<_> = results.iter_mut().map(NewBytes::room).collect();
        let mut tags = vec![[0; TAG_LEN]; tags_apart];
        let mut tags = tags.iter_mut();
        let place = |room| match tags.next() {
            Some(tag) => (any_bytes(room), tag),
            None => any_bytes(room).split_last_chunk_mut().expect("room for the tag"),
        };
        let given = texts.iter().map(|text| text.source().split_at(text_len(text.len()))).collect();
        expect_none(self.py, self.run(given, || rooms.into_iter().map(place))?)?;
        PyList::new(self.py, results.into_iter().map(NewBytes::finish))
    }

    /// Seals or opens the texts of one buffer in place.
    pub(crate) fn in_place(
        &self,
        buf: &Bound<'py, PyAny>,
        offsets: &Bound<'py, PyAny>,
        tags: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let (data, received) = (Input::of(buf.as_borrowed())?, Input::of(tags.as_borrowed())?);
        let lens = lengths(offsets, data.len())?;
        expect_len("tags", TAG_LEN * lens.len(), received.len())?;
        let mut buf = buf.extract::<Output<'_>>()?;
        let mut tags = match self.direction {
            Direction::Seal => Some(tags.extract::<Output<'_>>()?),
            Direction::Open => None,
        };
        // An object may report another length when it is asked again.
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
        let (mut texts, mut rest_of_tags) = (data.source(), received.source());
        let mut given = Vec::with_capacity(lens.len());
        for &len in &lens {
            let ((text, after), (tag, tags_after)) = (texts.split_at(len), rest_of_tags.split_at(TAG_LEN));
            (texts, rest_of_tags) = (after, tags_after);
            given.push((text, tag));
        }
        let failed = self.run(given, || {
            let (mut rest, tags) = (text.room(), tag_copies.room().as_chunks_mut().0);
            let place = move |(len, tag)| (rest.split_off_mut(..len).expect("the offsets ascend"), tag);
            lens.into_iter().zip(tags).map(place)
        })?;
        detached(self.py, data.len(), || target.write(text.written()));
        if let Some(mut tags) = tags {
            tags.write(tag_copies.written());
            text.drop_unwiped();
        }
        expect_none(self.py, failed)
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
