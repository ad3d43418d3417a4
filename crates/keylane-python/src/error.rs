//! Python exceptions.

use keylane::Error;
use pyo3::exceptions::{PyAttributeError, PyException, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::ffi::CStr;
use std::fmt::Display;

/// An exception that `cryptography` also has. If that package is installed, its class is used, so that one
/// handler serves both; otherwise Keylane's own class. `cryptography` loads OpenSSL, so it is imported only
/// when the class is needed: when its name is looked up, or at the first error.
struct SharedException {
    name: &'static str,
    own_name: &'static CStr,
    doc: &'static CStr,
    class: PyOnceLock<Py<PyType>>,
}

static INVALID_TAG: SharedException = SharedException::new(
    "InvalidTag",
    c"keylane.InvalidTag",
    c"The tag does not match the message, key and nonce: the message was changed, or the key is wrong.\n\n\
      This is not a ValueError, so that code that handles wrong arguments does not handle forgeries by\n\
      accident.",
);
static INVALID_KEY: SharedException = SharedException::new(
    "InvalidKey",
    c"keylane.InvalidKey",
    c"A derived key is not the expected one: verify() of HKDF, HKDFExpand or PBKDF2HMAC.",
);
static ALREADY_FINALIZED: SharedException = SharedException::new(
    "AlreadyFinalized",
    c"keylane.AlreadyFinalized",
    c"An object that can be used once was used again: a Poly1305, HKDF, HKDFExpand or PBKDF2HMAC.",
);

impl SharedException {
    const fn new(name: &'static str, own_name: &'static CStr, doc: &'static CStr) -> Self {
        Self { name, own_name, doc, class: PyOnceLock::new() }
    }

    fn class<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyType>> {
        let class = self.class.get_or_try_init(py, || {
            match self.of_cryptography(py) {
                Ok(class) => Ok(class.unbind()),
                // Not installed, or not working. An interrupt is not an `Exception` and is passed on.
                Err(error) if error.is_instance_of::<PyException>(py) => {
                    PyErr::new_type(py, self.own_name, Some(self.doc), None, None)
                }
                Err(error) => Err(error),
            }
        });
        Ok(class?.bind(py))
    }

    fn of_cryptography<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyType>> {
        let class = py.import("cryptography.exceptions")?.getattr(self.name)?.cast_into::<PyType>()?;
        // Only exception classes can be raised.
        if class.is_subclass_of::<PyException>()? {
            Ok(class)
        } else {
            Err(PyAttributeError::new_err(self.name))
        }
    }

    fn error(&self, message: impl Into<String>) -> PyErr {
        Python::attach(|py| match self.class(py) {
            Ok(class) => PyErr::from_type(class.clone(), message.into()),
            Err(error) => error,
        })
    }
}

/// Returns the attributes of `keylane` that are looked up lazily.
#[pyfunction]
pub(crate) fn __getattr__<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    let wanted =
        [&INVALID_TAG, &INVALID_KEY, &ALREADY_FINALIZED].into_iter().find(|found| found.name == name);
    let missing = || PyAttributeError::new_err(format!("module 'keylane' has no attribute '{name}'"));
    Ok(wanted.ok_or_else(missing)?.class(py)?.clone())
}

/// Returns the exception for a Keylane error.
pub(crate) fn exception(error: Error) -> PyErr {
    match error {
        Error::AuthenticationFailed => invalid_tag(),
        Error::InputTooLong { .. } => PyOverflowError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

const WRONG_TAG: &str = "the tag does not match the message";

pub(crate) fn invalid_tag() -> PyErr {
    INVALID_TAG.error(WRONG_TAG)
}

/// Returns the exception for a message that has the wrong format.
pub(crate) fn other_format(error: impl Display) -> PyErr {
    INVALID_TAG.error(error.to_string())
}

/// Fails with `InvalidTag` unless `failed` is empty. It holds the indices of the messages whose tags are
/// wrong and becomes the exception's attribute.
pub(crate) fn expect_none(py: Python<'_>, failed: Vec<usize>) -> PyResult<()> {
    if failed.is_empty() {
        return Ok(());
    }
    let error = INVALID_TAG.class(py)?.call1((WRONG_TAG,))?;
    error.setattr("failed", failed)?;
    Err(PyErr::from_value(error))
}

pub(crate) fn invalid_key() -> PyErr {
    INVALID_KEY.error("the derived key is not the expected one")
}

pub(crate) fn already_finalized(message: &'static str) -> PyErr {
    ALREADY_FINALIZED.error(message)
}

/// Returns the exception for an attempt to pickle an object that holds a key, or to copy it, which pickles
/// it.
pub(crate) fn holds_a_key(object: &Bound<'_, PyAny>) -> PyErr {
    let message = |name| {
        format!(
            "cannot pickle or copy '{name}', which holds a key: make it in each process, from the key's bytes"
        )
    };
    object.get_type().name().map_or_else(|error| error, |name| PyTypeError::new_err(message(name)))
}

#[cold]
pub(crate) fn wrong_length(what: &str, expected: usize, actual: usize) -> PyErr {
    PyValueError::new_err(format!("{what} must be {expected} bytes long, not {actual}"))
}

/// Fails with `ValueError` unless a buffer has the expected length.
pub(crate) fn expect_len(what: &str, expected: usize, actual: usize) -> PyResult<()> {
    if expected == actual { Ok(()) } else { Err(wrong_length(what, expected, actual)) }
}
