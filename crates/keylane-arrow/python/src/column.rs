//! Columns in and out, over the Arrow PyCapsule interface.

use arrow_array::{Array as _, ArrayRef};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{Field, FieldRef};
use keylane_arrow::Error;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::PyField;
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{ArrayIterator, to_array_pycapsules, to_schema_pycapsule, to_stream_pycapsule};
use pyo3_arrow::input::AnyArray;
use std::slice;

/// Any object that has `__arrow_c_array__` or `__arrow_c_stream__`.
pub(crate) struct Column(AnyArray);

impl<'a, 'py> FromPyObject<'a, 'py> for Column {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let refused = |_| {
            let class = object.get_type();
            PyTypeError::new_err(format!("{class} has neither __arrow_c_array__ nor __arrow_c_stream__"))
        };
        Ok(Self(object.extract().map_err(refused)?))
    }
}

/// What is returned: an array for an array, and several for a stream of arrays.
pub(crate) enum Result {
    Array(Array),
    ChunkedArray(ChunkedArray),
}

impl Result {
    pub(crate) fn into_bound(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(match self {
            Self::Array(array) => Bound::new(py, array)?.into_any(),
            Self::ChunkedArray(chunks) => Bound::new(py, chunks)?.into_any(),
        })
    }
}

/// Computes a column of the same name from each array of a column, without the interpreter's lock.
pub(crate) fn compute(
    py: Python<'_>,
    Column(column): Column,
    function: impl Fn(&dyn arrow_array::Array) -> std::result::Result<ArrayRef, Error> + Send + Sync,
) -> std::result::Result<Result, Error> {
    py.detach(|| {
        let named = |error: Error, field: &Field| match field.name().as_str() {
            "" => error,
            name => error.in_column(name),
        };
        match column {
            AnyArray::Array(array) => {
                let (array, field) = array.into_inner();
                let values = function(&*array).map_err(|error| named(error, &field))?;
                Ok(Result::Array(Array { field: field_of(&field, &values), values }))
            }
            AnyArray::Stream(stream) => {
                let refused = |error: PyErr| Error::Parameter(error.to_string());
                let stream = stream.into_reader().map_err(refused)?;
                let field = stream.field();
                let (mut chunks, mut rows) = (Vec::new(), 0);
                for array in stream {
                    let array = array?;
                    let after = |error| match error {
                        Error::Rejected { column, row } => Error::Rejected { column, row: rows + row },
                        error => named(error, &field),
                    };
                    chunks.push(function(&*array).map_err(after)?);
                    rows += array.len();
                }
                // What an empty stream would hold.
                let values = match chunks.first() {
                    Some(first) => first.clone(),
                    None => function(&*arrow_array::new_empty_array(field.data_type()))
                        .map_err(|error| named(error, &field))?,
                };
                Ok(Result::ChunkedArray(ChunkedArray { field: field_of(&field, &values), chunks }))
            }
        }
    })
}

fn field_of(field: &Field, values: &ArrayRef) -> FieldRef {
    Field::new(field.name(), values.data_type().clone(), true).into()
}

/// Casts to the type that is requested, if one is. A value that the type does not have is an error: the cast
/// of `pyo3_arrow` would make a null of it.
fn requested(
    field: &FieldRef,
    chunks: &[ArrayRef],
    schema: Option<Bound<'_, PyCapsule>>,
) -> PyResult<(FieldRef, Vec<ArrayRef>)> {
    let Some(schema) = schema else { return Ok((field.clone(), chunks.to_vec())) };
    let schema = PyField::from_arrow_pycapsule(&schema)?.into_inner();
    let options = CastOptions { safe: false, ..CastOptions::default() };
    // Arrow's own error says the value.
    let refused =
        |_| PyValueError::new_err(format!("values that are not of the type {}", schema.data_type()));
    let cast = |chunk: &ArrayRef| cast_with_options(chunk, schema.data_type(), &options).map_err(refused);
    let chunks = chunks.iter().map(cast).collect::<PyResult<_>>()?;
    Ok((Field::new(field.name(), schema.data_type().clone(), true).into(), chunks))
}

/// An Arrow array.
#[pyclass(module = "keylane.arrow", frozen)]
pub(crate) struct Array {
    field: FieldRef,
    values: ArrayRef,
}

#[pymethods]
impl Array {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyTuple>> {
        let (field, values) = requested(&self.field, slice::from_ref(&self.values), requested_schema)?;
        to_array_pycapsules(py, field, &*values[0], None)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, &*self.field)
    }

    fn __len__(&self) -> usize {
        self.values.len()
    }

    fn __repr__(&self) -> String {
        format!("<keylane.arrow.Array: {} rows of {}>", self.values.len(), self.field.data_type())
    }
}

/// Several Arrow arrays of one type.
#[pyclass(module = "keylane.arrow", frozen)]
pub(crate) struct ChunkedArray {
    field: FieldRef,
    chunks: Vec<ArrayRef>,
}

#[pymethods]
impl ChunkedArray {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let (field, chunks) = requested(&self.field, &self.chunks, requested_schema)?;
        let chunks: Vec<_> = chunks.into_iter().map(Ok).collect();
        to_stream_pycapsule(py, Box::new(ArrayIterator::new(chunks, field)), None)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, &*self.field)
    }

    fn __len__(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    fn __repr__(&self) -> String {
        format!("<keylane.arrow.ChunkedArray: {} rows of {}>", self.__len__(), self.field.data_type())
    }
}
