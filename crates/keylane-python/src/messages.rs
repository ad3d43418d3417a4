//! Several messages in one argument.

use crate::buffer::{Input, Private, has_buffer};
use crate::threads::detached;
use keylane::any::HashKind;
use pyo3::PyClass;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use std::ops::Range;

/// The number of messages that are read and hashed together: few enough to stay in the CPU's cache. After
/// each block, a thread that wants the GIL can take it, for 5 ms if it runs Python: with smaller blocks, a
/// long list would take longer beside such a thread than message by message.
const BLOCK: usize = 16_384;

/// The items of an iterable at the time of the call: later changes to a list have no effect. A single message
/// is refused, although its bytes could be iterated over.
pub(crate) struct Messages<'py>(Bound<'py, PyTuple>);

impl<'py> FromPyObject<'_, 'py> for Messages<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(list) = object.cast_exact::<PyList>() {
            return Ok(Self(list.to_tuple()));
        }
        // Iterating over a message makes numbers or arrays, which are refused later; but an empty message
        // would pass as no messages.
        if object.is_instance_of::<PyString>() || has_buffer(object) {
            let kind = object.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "an iterable of bytes-like objects is required, not a single '{kind}'"
            )));
        }
        // For a tuple, Python returns the same object.
        let tuple = object.py().get_type::<PyTuple>().call1((object,))?;
        Ok(Self(tuple.cast_into()?))
    }
}

/// Adds the item's index to a `TypeError`.
#[cold]
fn of_item(index: usize, error: PyErr, py: Python<'_>) -> PyErr {
    if !error.get_type(py).is(py.get_type::<PyTypeError>()) {
        return error;
    }
    PyTypeError::new_err(format!("item {index}: {}", error.value(py)))
}

impl<'py> Messages<'py> {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the items, which are instances of a class.
    ///
    /// # Errors
    /// `TypeError` if one is not.
    pub(crate) fn instances<T: PyClass>(&self) -> PyResult<Vec<Bound<'py, T>>> {
        self.0.iter().map(|item| Ok(item.cast_into()?)).collect()
    }

    pub(crate) fn inputs(&self) -> PyResult<Vec<Input<'_, 'py>>> {
        self.inputs_of(0..self.len())
    }

    pub(crate) fn inputs_of(&self, range: Range<usize>) -> PyResult<Vec<Input<'_, 'py>>> {
        // Not `collect`, which does not know how many there are, since each may be an error.
        let mut inputs = Vec::with_capacity(range.len());
        for i in range {
            let item = self.0.get_borrowed_item(i)?;
            inputs.push(Input::of(item).map_err(|error| of_item(i, error, item.py()))?);
        }
        Ok(inputs)
    }

    /// Hashes the messages, [`BLOCK`] at a time. Calls `hash` for each block, without the GIL if it is long,
    /// with the numbers of its messages, the messages, and room for a digest of each; then `take` with the
    /// digests, which are wiped.
    ///
    /// # Errors
    /// `TypeError` and others for a message without a buffer; those of `take`.
    pub(crate) fn hash(
        &self,
        py: Python<'py>,
        kind: HashKind,
        hash: impl Fn(Range<usize>, &[&[u8]], &mut [u8]) + Sync,
        mut take: impl FnMut(Range<usize>, &[u8]) -> PyResult<()>,
    ) -> PyResult<()> {
        let (len, digest_len) = (self.len(), kind.output_len());
        let mut digests = Private::new(len.min(BLOCK) * digest_len)?;
        for first in (0..len).step_by(BLOCK) {
            let block = first..len.min(first + BLOCK);
            let inputs = self.inputs_of(block.clone())?;
            let messages: Vec<_> = inputs.iter().map(Input::bytes).collect();
            // An empty message costs a block of work, too.
            let work = total(messages.iter().map(|message| message.len() + kind.block_len()))?;
            let digests = &mut digests.room()[..block.len() * digest_len];
            detached(py, work, || hash(block.clone(), &messages, digests));
            take(block, digests)?;
        }
        Ok(())
    }

    /// Returns the digests of [`hash`](Self::hash) as a list of `bytes`.
    pub(crate) fn digests(
        &self,
        py: Python<'py>,
        kind: HashKind,
        hash: impl Fn(Range<usize>, &[&[u8]], &mut [u8]) + Sync,
    ) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        self.hash(py, kind, hash, |_, digests| {
            let mut digests = digests.chunks_exact(kind.output_len());
            digests.try_for_each(|digest| list.append(PyBytes::new(py, digest)))
        })?;
        Ok(list)
    }
}

/// Returns the sum of lengths.
///
/// # Errors
/// `OverflowError`, since one long buffer may be passed several times.
pub(crate) fn total(lengths: impl IntoIterator<Item = usize>) -> PyResult<usize> {
    let too_long = || PyOverflowError::new_err("the arguments are too long together");
    lengths.into_iter().try_fold(0_usize, usize::checked_add).ok_or_else(too_long)
}

/// Checks a number of items.
///
/// # Errors
/// `ValueError` if it is wrong.
pub(crate) fn expect_count(what: &str, needed: usize, actual: usize) -> PyResult<()> {
    if needed == actual {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{needed} {what} are needed, not {actual}")))
}
