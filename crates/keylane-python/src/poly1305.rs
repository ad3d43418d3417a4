//! Poly1305 with the interface of `cryptography.hazmat.primitives.poly1305`.

use crate::buffer::Input;
use crate::error::{self, holds_a_key, invalid_tag};
use crate::threads::{Locked, detached};
use keylane::poly1305;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Poly1305 (RFC 8439 section 2.5): a tag of 16 bytes for one message, with a key of 32 bytes that is used
/// only once.
///
///     >>> poly1305 = keylane.Poly1305(key)
///     >>> poly1305.update(b"message")
///     >>> tag = poly1305.finalize()
///     >>> keylane.Poly1305.verify_tag(key, b"message", tag)
///
/// Tags of two messages under one key reveal the key.
///
/// Raises ValueError for a key of another length.
#[pyclass(frozen, module = "keylane")]
pub(crate) struct Poly1305 {
    /// `None` once it is finalized.
    running: Locked<Option<poly1305::Poly1305>>,
}

#[pymethods]
impl Poly1305 {
    #[new]
    fn new(key: Input<'_, '_>) -> PyResult<Self> {
        Ok(Self { running: Locked::new(Some(poly1305::Poly1305::new(key.array("key")?))) })
    }

    /// Returns the tag of a message in one call.
    #[staticmethod]
    fn generate_tag<'py>(
        py: Python<'py>,
        key: Input<'_, 'py>,
        data: Input<'_, 'py>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (key, data) = (key.array("key")?, data.bytes());
        Ok(PyBytes::new(py, &detached(py, data.len(), || poly1305::Poly1305::mac(key, data))))
    }

    /// Checks a message's tag. Raises InvalidTag if it is wrong.
    #[staticmethod]
    fn verify_tag(
        py: Python<'_>,
        key: Input<'_, '_>,
        data: Input<'_, '_>,
        tag: Input<'_, '_>,
    ) -> PyResult<()> {
        let (key, data) = (key.array("key")?, data.bytes());
        let tag = tag.bytes().try_into().map_err(|_| invalid_tag())?;
        detached(py, data.len(), || {
            let mut running = poly1305::Poly1305::with_hint(key, data.len());
            running.update(data);
            running.verify(tag)
        })
        .map_err(|_| invalid_tag())
    }

    /// Absorbs a piece of the message. How the bytes are divided among calls does not change the tag.
    ///
    /// Raises AlreadyFinalized after finalize() or verify().
    fn update(&self, py: Python<'_>, data: Input<'_, '_>) -> PyResult<()> {
        let data = data.bytes();
        let absorbed =
            self.running.with(py, data.len(), |running| running.as_mut().map(|running| running.update(data)));
        absorbed.ok_or_else(already_finalized)
    }

    /// Returns the tag of everything absorbed. After that, the object cannot be used again: it raises
    /// AlreadyFinalized.
    fn finalize<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.end(py, poly1305::Poly1305::finalize)?))
    }

    /// Checks the tag of everything absorbed. Raises InvalidTag if it is wrong. After that, the object cannot
    /// be used again: it raises AlreadyFinalized.
    fn verify(&self, py: Python<'_>, tag: Input<'_, '_>) -> PyResult<()> {
        let tag = tag.bytes();
        let authentic =
            self.end(py, |running| tag.try_into().is_ok_and(|tag| running.verify(tag).is_ok()))?;
        if authentic { Ok(()) } else { Err(invalid_tag()) }
    }

    fn __reduce__(this: &Bound<'_, Self>) -> PyResult<()> {
        Err(holds_a_key(this))
    }
}

impl Poly1305 {
    /// Ends the object and returns the result of `last`.
    fn end<R: Send>(&self, py: Python<'_>, last: impl FnOnce(poly1305::Poly1305) -> R + Send) -> PyResult<R> {
        self.running
            .with(py, 0, |running| {
                let copy = running.clone();
                // Drops it in place, which wipes it. `Option::take` would leave the key in the object's
                // memory.
                *running = None;
                copy.map(last)
            })
            .ok_or_else(already_finalized)
    }
}

fn already_finalized() -> PyErr {
    error::already_finalized("finalize() or verify() was called before")
}
