//! Several messages in one argument.

use crate::buffer::{Input, has_buffer};
use pyo3::PyClass;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

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
        (0..self.0.len()).map(|i| Input::of(self.0.get_borrowed_item(i)?)).collect()
    }
}

pub(crate) fn slices<'a>(inputs: &'a [Input<'_, '_>]) -> Vec<&'a [u8]> {
    inputs.iter().map(Input::bytes).collect()
}

/// Returns the work of hashing the messages, in bytes. Even an empty message is a block of work.
///
/// # Errors
/// As [`total`].
pub(crate) fn work(messages: &[&[u8]], block_len: usize) -> PyResult<usize> {
    total(messages.iter().flat_map(|message| [message.len(), block_len]))
}

/// Returns the sum of lengths.
///
/// # Errors
/// `OverflowError`, since one long buffer may be passed several times.
pub(crate) fn total(lengths: impl IntoIterator<Item = usize>) -> PyResult<usize> {
    let too_long = || PyOverflowError::new_err("the arguments are too long together");
    lengths.into_iter().try_fold(0_usize, usize::checked_add).ok_or_else(too_long)
}

/// Checks that both have the same number of items.
///
/// # Errors
/// `ValueError` if they do not.
pub(crate) fn expect_as_many(what: &str, first: &Messages<'_>, second: &Messages<'_>) -> PyResult<()> {
    if first.len() == second.len() {
        return Ok(());
    }
    let message = format!("as many {what} are needed, not {} and {}", first.len(), second.len());
    Err(PyValueError::new_err(message))
}
