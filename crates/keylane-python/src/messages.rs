//! Several messages in one argument.

use crate::buffer::{Input, has_buffer};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

/// The items of an iterable at the time of the call: whoever changes a list meanwhile changes nothing here. A
/// message is not taken for its items.
pub(crate) struct Messages<'py>(Bound<'py, PyTuple>);

impl<'py> FromPyObject<'_, 'py> for Messages<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(list) = object.cast_exact::<PyList>() {
            return Ok(Self(list.to_tuple()));
        }
        // Python would make numbers or arrays of it, which is an error in most cases only: an empty one is no
        // message.
        if object.is_instance_of::<PyString>() || has_buffer(object) {
            let kind = object.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "an iterable of bytes-like objects is required, not a single '{kind}'"
            )));
        }
        // A tuple is itself.
        let tuple = object.py().get_type::<PyTuple>().call1((object,))?;
        Ok(Self(tuple.cast_into()?))
    }
}

impl<'py> Messages<'py> {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn inputs(&self) -> PyResult<Vec<Input<'_, 'py>>> {
        (0..self.0.len()).map(|i| Input::of(self.0.get_borrowed_item(i)?)).collect()
    }
}

pub(crate) fn slices<'a>(inputs: &'a [Input<'_, '_>]) -> Vec<&'a [u8]> {
    inputs.iter().map(Input::bytes).collect()
}

/// How many bytes of work hashing the messages is: an empty one is a block, too.
///
/// # Errors
/// As [`total`].
pub(crate) fn work(messages: &[&[u8]], block_len: usize) -> PyResult<usize> {
    total(messages.iter().flat_map(|message| [message.len(), block_len]))
}

/// The sum of lengths.
///
/// # Errors
/// `OverflowError`: one long buffer may be given several times.
pub(crate) fn total(lengths: impl IntoIterator<Item = usize>) -> PyResult<usize> {
    let too_long = || PyOverflowError::new_err("the arguments are too long together");
    lengths.into_iter().try_fold(0_usize, usize::checked_add).ok_or_else(too_long)
}

/// Refuses to go on without an item of `second` for each of `first`.
///
/// # Errors
/// `ValueError`.
pub(crate) fn expect_as_many(what: &str, first: &Messages<'_>, second: &Messages<'_>) -> PyResult<()> {
    if first.len() == second.len() {
        return Ok(());
    }
    let message = format!("as many {what} are needed, not {} and {}", first.len(), second.len());
    Err(PyValueError::new_err(message))
}
