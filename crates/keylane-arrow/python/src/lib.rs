//! The package `keylane-arrow`, which users import as `keylane.arrow`.

mod column;
mod keys;

use column::{Column, compute};
use keylane::any::HashKind;
use keylane_arrow::{Error, Form};
use keys::key_of;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::PyField;
use std::sync::Arc;

/// Returns the exception for an error.
fn exception(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        // The base package's exception, or that of `cryptography` if that is installed.
        Error::Rejected { .. } => Python::attach(|py| {
            match py.import("keylane").and_then(|keylane| keylane.getattr("InvalidTag")?.call1((message,))) {
                Ok(exception) => PyErr::from_value(exception),
                Err(error) => error,
            }
        }),
        Error::NoKey { .. } => PyKeyError::new_err(message),
        Error::Type { .. } => PyTypeError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// Returns the hash with this name in `hashlib`.
fn hash_named(name: &str) -> PyResult<HashKind> {
    let named = |kind: HashKind| kind.name().replace('-', "_");
    HashKind::ALL.into_iter().find(|&kind| named(kind) == name).ok_or_else(|| {
        let known = HashKind::ALL.map(named).join(", ");
        PyValueError::new_err(format!("unknown hash `{name}`: use one of {known}"))
    })
}

/// Hashes every row: 32 bytes a row for SHA-256.
#[pyfunction]
#[pyo3(signature = (column, *, hash = "sha256"))]
fn digest<'py>(py: Python<'py>, column: Column, hash: &str) -> PyResult<Bound<'py, PyAny>> {
    let hash = hash_named(hash)?;
    compute(py, column, |rows| Ok(Arc::new(keylane_arrow::digest(hash, rows)?)))
}

/// Computes HMAC (RFC 2104) of every row: 32 bytes a row for SHA-256.
#[pyfunction]
#[pyo3(signature = (column, key, *, hash = "sha256"))]
fn hmac<'py>(
    py: Python<'py>,
    column: Column,
    key: &Bound<'py, PyAny>,
    hash: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let key = key_of(key)?.hmac(hash_named(hash)?);
    compute(py, column, |rows| Ok(Arc::new(keylane_arrow::hmac(&key, rows)?)))
}

/// Computes a token of every row: the first `length` bytes of its HMAC as text (`form` "hex" or "base64url"),
/// or 8 bytes as a number ("int64").
#[pyfunction]
#[pyo3(signature = (column, key, *, form = "hex", length = 16, hash = "sha256"))]
fn token<'py>(
    py: Python<'py>,
    column: Column,
    key: &Bound<'py, PyAny>,
    form: &str,
    length: usize,
    hash: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let form = Form::from_name(form, length).map_err(exception)?;
    let key = key_of(key)?.hmac(hash_named(hash)?);
    compute(py, column, |rows| keylane_arrow::token(&key, rows, form))
}

fn sealing_key(key: &Bound<'_, PyAny>, deterministic: bool) -> PyResult<keylane_arrow::SealingKey> {
    let key = key_of(key)?;
    if deterministic { key.deterministic() } else { key.random() }.map_err(exception)
}

/// Encrypts every row. The column's name is authenticated with it.
#[pyfunction]
#[pyo3(signature = (column, key, name, *, deterministic = false))]
fn seal<'py>(
    py: Python<'py>,
    column: Column,
    key: &Bound<'py, PyAny>,
    name: &str,
    deterministic: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let key = sealing_key(key, deterministic)?;
    compute(py, column, |rows| keylane_arrow::seal(&key, name, rows))
}

/// A column's type: its name in Arrow, or any object with a schema.
#[derive(FromPyObject)]
enum Type {
    Name(String),
    Schema(PyField),
}

/// Decrypts every row, or fails if one was not sealed under this key, this name and a type of this kind.
/// `type` is the result's: a name ("Utf8", the default, "Int64", "Date32") or an object with a schema.
#[pyfunction]
#[pyo3(signature = (column, key, name, *, r#type = None, deterministic = false))]
fn open<'py>(
    py: Python<'py>,
    column: Column,
    key: &Bound<'py, PyAny>,
    name: &str,
    r#type: Option<Type>,
    deterministic: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let key = sealing_key(key, deterministic)?;
    let data_type = match r#type {
        None => arrow_schema::DataType::Utf8,
        Some(Type::Name(name)) => name.parse().map_err(|_| {
            PyValueError::new_err(format!("unknown Arrow type `{name}`: use Utf8, Binary, Int64, Date32, …"))
        })?,
        Some(Type::Schema(field)) => field.into_inner().data_type().clone(),
    };
    compute(py, column, |rows| keylane_arrow::open(&key, name, rows, &data_type))
}

#[pymodule(name = "keylane_arrow", gil_used = false)]
mod module {
    #[pymodule_export]
    use super::column::{Array, ChunkedArray};
    #[pymodule_export]
    use super::keys::{Key, KeyRing};
    #[pymodule_export]
    use super::{digest, hmac, open, seal, token};
}
