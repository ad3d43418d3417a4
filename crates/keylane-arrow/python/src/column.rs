//! Column arguments and results, passed over the Arrow PyCapsule interface.

use crate::exception;
use arrow_array::{Array as _, ArrayRef};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, FieldRef};
use keylane_arrow::Error;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyCapsule, PyTuple};
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{ArrayIterator, to_array_pycapsules, to_schema_pycapsule, to_stream_pycapsule};
use pyo3_arrow::input::AnyArray;
use pyo3_arrow::{PyArrayReader, PyField};

/// Any object that has `__arrow_c_array__` or `__arrow_c_stream__`.
pub(crate) struct Column {
    array: AnyArray,
    /// The object, if it is a series of pandas.
    series: Option<Py<PyAny>>,
}

impl<'a, 'py> FromPyObject<'a, 'py> for Column {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let unexpected = || {
            let kind = object.get_type().name()?;
            let message = format!(
                "a column is expected, not an object of the type {kind}: one of a frame or table, as \
                 df[\"email\"], or pyarrow.array(rows)"
            );
            Err(PyTypeError::new_err(message))
        };
        if !object.hasattr("__arrow_c_array__")? && !object.hasattr("__arrow_c_stream__")? {
            return unexpected();
        }
        let mut array: AnyArray = object.extract()?;
        let (field, polars) = (array.field()?, is_of_polars(object));
        if matches!(field.data_type(), DataType::Struct(_)) && object.hasattr("columns")? {
            return unexpected();
        }
        expect_values(object, &field, polars)?;
        if polars && field.data_type().is_null() {
            // Its null arrays have a buffer, which Arrow forbids: only count their nulls.
            let nulls = arrow_array::new_null_array(field.data_type(), object.len()?);
            let reader = ArrayIterator::new([Ok(nulls)], field.clone());
            array = AnyArray::Stream(PyArrayReader::new(Box::new(reader)));
        }
        // A series exists only if pandas was imported.
        let modules = object.py().import("sys")?.getattr("modules")?;
        let series = match modules.get_item("pandas").and_then(|pandas| pandas.getattr("Series")) {
            Ok(class) if object.is_instance(&class)? => {
                expect_dates(object, &field)?;
                Some(object.to_owned().unbind())
            }
            _ => None,
        };
        Ok(Self { array, series })
    }
}

fn is_of_polars(object: Borrowed<'_, '_, PyAny>) -> bool {
    let module = object.getattr("dtype").and_then(|dtype| dtype.getattr("__module__")?.extract::<String>());
    module.is_ok_and(|module| module.starts_with("polars"))
}

/// Checks that Arrow passes the rows' own values.
///
/// # Errors
/// `TypeError` for Polars' objects, whose addresses are passed as `FixedSizeBinary`, a type that Polars does
/// not use otherwise; and for numbers that stand for something else, such as months since 1970 or positions
/// in a list.
fn expect_values(object: Borrowed<'_, '_, PyAny>, field: &Field, polars: bool) -> PyResult<()> {
    let storage = match field.data_type() {
        DataType::Dictionary(_, values) => values,
        other => other,
    };
    let number = storage.is_integer() || matches!(storage, DataType::Date32 | DataType::Date64);
    let name = match field.extension_type_name() {
        _ if polars && matches!(storage, DataType::FixedSizeBinary(_)) => {
            format!("the type {} of Polars", object.getattr("dtype")?)
        }
        Some(name) if number => format!("the extension type {name}"),
        _ => return Ok(()),
    };
    let message = format!("{} has {name}: convert it to strings, bytes, integers or dates", shown(field));
    Err(PyTypeError::new_err(message))
}

/// Checks that a series of Python objects that Arrow passes as dates has no times of day.
///
/// # Errors
/// `TypeError` if it has any: pyarrow would drop them.
fn expect_dates(series: Borrowed<'_, '_, PyAny>, field: &Field) -> PyResult<()> {
    if *field.data_type() != DataType::Date32 || series.getattr("dtype")?.str()? != "object" {
        return Ok(());
    }
    let (datetime, pandas) = (series.py().import("datetime")?, series.py().import("pandas")?);
    let (time, none) = (datetime.getattr("datetime")?, pandas.getattr("NaT")?);
    for value in series.try_iter()? {
        let value = value?;
        if value.is_instance(&time)? && !value.is(&none) {
            let message = format!("{} has dates with times of day: convert it to dates", shown(field));
            return Err(PyTypeError::new_err(message));
        }
    }
    Ok(())
}

fn shown(field: &Field) -> String {
    match field.name().as_str() {
        "" => "a column".to_owned(),
        name => format!("column `{name}`"),
    }
}

/// Applies `function` to each array of a column, without the interpreter's lock, and keeps the column's name.
/// The result is an array, several arrays, or a pandas series, like the argument.
pub(crate) fn compute<'py>(
    py: Python<'py>,
    column: Column,
    function: impl Fn(&dyn arrow_array::Array) -> Result<ArrayRef, Error> + Send + Sync,
) -> PyResult<Bound<'py, PyAny>> {
    let Column { array, series } = column;
    let is_array = matches!(array, AnyArray::Array(_));
    let values = PyClassInitializer::from(py.detach(|| values(array, function)).map_err(exception)?);
    let values = match is_array {
        true => Bound::new(py, values.add_subclass(Array))?.into_any(),
        false => Bound::new(py, values.add_subclass(ChunkedArray))?.into_any(),
    };
    let Some(series) = series else { return Ok(values) };
    let (series, pandas) = (series.bind(py), py.import("pandas")?);
    let values = py.import("pyarrow")?.call_method1("chunked_array", (values,))?;
    let values = pandas.getattr("arrays")?.call_method1("ArrowExtensionArray", (values,))?;
    let arguments = [("index", series.getattr("index")?), ("name", series.getattr("name")?)];
    pandas.getattr("Series")?.call((values,), Some(&arguments.into_py_dict(py)?))
}

fn values(
    array: AnyArray,
    function: impl Fn(&dyn arrow_array::Array) -> Result<ArrayRef, Error>,
) -> Result<Values, Error> {
    let named = |error: Error, field: &Field| match field.name().as_str() {
        "" => error,
        name => error.in_column(name),
    };
    match array {
        AnyArray::Array(array) => {
            let (array, field) = array.into_inner();
            let values = function(&*array).map_err(|error| named(error, &field))?;
            Ok(Values { field: field_of(&field, &values), chunks: vec![values] })
        }
        AnyArray::Stream(stream) => {
            let refused = |error: PyErr| Error::Parameter(error.to_string());
            let stream = stream.into_reader().map_err(refused)?;
            let field = stream.field();
            // The type is checked first: a stream may be empty, or fail.
            let none = function(&*arrow_array::new_empty_array(field.data_type()))
                .map_err(|error| named(error, &field))?;
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
            Ok(Values { field: field_of(&field, &none), chunks })
        }
    }
}

fn field_of(field: &Field, values: &ArrayRef) -> FieldRef {
    Field::new(field.name(), values.data_type().clone(), true).into()
}

/// Casts to the requested type, if there is one. A value that the type cannot represent is an error:
/// `pyo3_arrow` would turn it into a null.
fn requested(
    field: &FieldRef,
    chunks: &[ArrayRef],
    schema: Option<Bound<'_, PyCapsule>>,
) -> PyResult<(FieldRef, Vec<ArrayRef>)> {
    let Some(schema) = schema else { return Ok((field.clone(), chunks.to_vec())) };
    let schema = PyField::from_arrow_pycapsule(&schema)?.into_inner();
    let options = CastOptions { safe: false, ..CastOptions::default() };
    // Arrow's own error would contain the value.
    let refused =
        |_| PyValueError::new_err(format!("values that are not of the type {}", schema.data_type()));
    let cast = |chunk: &ArrayRef| cast_with_options(chunk, schema.data_type(), &options).map_err(refused);
    let chunks = chunks.iter().map(cast).collect::<PyResult<_>>()?;
    Ok((Field::new(field.name(), schema.data_type().clone(), true).into(), chunks))
}

/// The base class of the results.
#[pyclass(module = "keylane.arrow", frozen, subclass, name = "_Values")]
pub(crate) struct Values {
    field: FieldRef,
    chunks: Vec<ArrayRef>,
}

#[pymethods]
impl Values {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, &*self.field)
    }

    fn __len__(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    /// Pandas asks for the items of a column that is assigned to a frame. Without this method, it would
    /// put the whole column into each row.
    fn __iter__(this: &Bound<'_, Self>) -> PyResult<()> {
        let class = this.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "a keylane.arrow.{class} has no items for Python: convert it by pyarrow or Polars; for pandas, pass a series"
        )))
    }

    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        let (class, values) = (this.get_type().name()?, this.get());
        Ok(format!("<keylane.arrow.{class}: {} rows of {}>", values.__len__(), values.field.data_type()))
    }
}

/// An Arrow array.
#[pyclass(module = "keylane.arrow", frozen, extends = Values)]
pub(crate) struct Array;

#[pymethods]
impl Array {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        this: &Bound<'py, Self>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyTuple>> {
        let values = this.as_super().get();
        let (field, values) = requested(&values.field, &values.chunks, requested_schema)?;
        to_array_pycapsules(this.py(), field, &*values[0], None)
    }
}

/// Several Arrow arrays of one type.
#[pyclass(module = "keylane.arrow", frozen, extends = Values)]
pub(crate) struct ChunkedArray;

#[pymethods]
impl ChunkedArray {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        this: &Bound<'py, Self>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let values = this.as_super().get();
        let (field, chunks) = requested(&values.field, &values.chunks, requested_schema)?;
        let chunks: Vec<_> = chunks.into_iter().map(Ok).collect();
        to_stream_pycapsule(this.py(), Box::new(ArrayIterator::new(chunks, field)), None)
    }
}
