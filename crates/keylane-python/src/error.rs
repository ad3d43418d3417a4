//! What Python users get for errors.

use keylane::Error;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyOverflowError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    keylane,
    InvalidTag,
    PyException,
    "A tag is not the right one for its message, key and nonce: the message was changed, or the key is another.\n\n\
     It is no ValueError, so that who handles wrong arguments does not handle forgeries by accident."
);
create_exception!(
    keylane,
    AlreadyFinalized,
    PyException,
    "A Poly1305 object was used after finalize() or verify()."
);

/// The exception for an error of Keylane.
pub(crate) fn exception(error: Error) -> PyErr {
    match error {
        Error::AuthenticationFailed => invalid_tag(),
        Error::InputTooLong { .. } => PyOverflowError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

pub(crate) fn invalid_tag() -> PyErr {
    InvalidTag::new_err("the tag is not that of the message")
}

#[cold]
pub(crate) fn wrong_length(what: &str, expected: usize, actual: usize) -> PyErr {
    PyValueError::new_err(format!("{what} must be {expected} bytes long, not {actual}"))
}

/// Refuses a wrong number of bytes in a buffer.
pub(crate) fn expect_len(what: &str, expected: usize, actual: usize) -> PyResult<()> {
    if expected == actual { Ok(()) } else { Err(wrong_length(what, expected, actual)) }
}
