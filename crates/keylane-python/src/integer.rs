//! Integers of any size.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

/// An integer, clamped to 128 bits. Every function accepts a narrower range, and raises its own exception
/// below and above it.
pub(crate) struct Integer(pub(crate) i128);

impl FromPyObject<'_, '_> for Integer {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let overflows = |error: &PyErr| error.is_instance_of::<PyOverflowError>(py);
        match object.extract::<i64>() {
            Err(error) if overflows(&error) => {}
            extracted => return Ok(Self(extracted?.into())),
        }
        let number = py.import("operator")?.call_method1("index", (object,))?;
        match number.extract() {
            Err(error) if overflows(&error) => Ok(Self(if number.lt(0)? { i128::MIN } else { i128::MAX })),
            extracted => extracted.map(Self),
        }
    }
}
