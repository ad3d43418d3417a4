//! The package `keylane-arrow`, which users import as `keylane.arrow`.

mod column;
mod keys;

use column::{Column, compute};
use keylane::Hash;
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512};
use keylane_arrow::{Error, Form};
use keys::KeyArgument;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::PyField;
use std::sync::Arc;

/// Returns the exception for an error.
fn exception(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        // The base package's, which is that of `cryptography` where that is installed.
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

/// Calls `$function::<H>` with the hash of this name.
macro_rules! with_hash {
    ($name:expr, $function:ident($($argument:expr),*)) => {
        match $name {
            "sha1" => $function::<Sha1>($($argument),*),
            "sha224" => $function::<Sha224>($($argument),*),
            "sha256" => $function::<Sha256>($($argument),*),
            "sha384" => $function::<Sha384>($($argument),*),
            "sha512" => $function::<Sha512>($($argument),*),
            other => {
                let known = "sha1, sha224, sha256, sha384, sha512";
                Err(Error::Parameter(format!("no hash is named `{other}`: there are {known}")))
            }
        }
        .map_err(exception)
    };
}

/// Hash every row: 32 bytes a row for SHA-256.
#[pyfunction]
#[pyo3(signature = (column, *, hash = "sha256"))]
fn digest<'py>(py: Python<'py>, column: Column, hash: &str) -> PyResult<Bound<'py, PyAny>> {
    fn all<H: Hash>(py: Python<'_>, column: Column) -> Result<column::Result, Error> {
        compute(py, column, |rows| Ok(Arc::new(keylane_arrow::digest::<H>(rows)?)))
    }
    with_hash!(hash, all(py, column))?.into_bound(py)
}

/// Compute HMAC (RFC 2104) of every row: 32 bytes a row for SHA-256.
#[pyfunction]
#[pyo3(signature = (column, key, *, hash = "sha256"))]
fn hmac<'py>(py: Python<'py>, column: Column, key: KeyArgument, hash: &str) -> PyResult<Bound<'py, PyAny>> {
    fn all<H: Hash>(py: Python<'_>, column: Column, key: &KeyArgument) -> Result<column::Result, Error> {
        let key = key.inner().hmac::<H>();
        compute(py, column, |rows| Ok(Arc::new(keylane_arrow::hmac(&key, rows)?)))
    }
    with_hash!(hash, all(py, column, &key))?.into_bound(py)
}

/// Compute a token of every row: the first bytes of its HMAC, as text or as a number.
#[pyfunction]
#[pyo3(signature = (column, key, *, form = "hex", length = 16, hash = "sha256"))]
fn token<'py>(
    py: Python<'py>,
    column: Column,
    key: KeyArgument,
    form: &str,
    length: usize,
    hash: &str,
) -> PyResult<Bound<'py, PyAny>> {
    fn all<H: Hash>(
        py: Python<'_>,
        column: Column,
        key: &KeyArgument,
        form: Form,
    ) -> Result<column::Result, Error> {
        let key = key.inner().hmac::<H>();
        compute(py, column, |rows| keylane_arrow::token(&key, rows, form))
    }
    let form = match form {
        "hex" => Form::Hex { bytes: length },
        "base64url" => Form::Base64Url { bytes: length },
        "int64" => Form::Int64,
        other => {
            let message = format!("no form is named `{other}`: use hex, base64url or int64");
            return Err(PyValueError::new_err(message));
        }
    };
    with_hash!(hash, all(py, column, &key, form))?.into_bound(py)
}

fn sealing_key(key: &KeyArgument, deterministic: bool) -> PyResult<keylane_arrow::SealingKey> {
    let key = key.inner();
    if deterministic { key.deterministic() } else { key.random() }.map_err(exception)
}

/// Encrypt every row. The column's name is authenticated with it.
#[pyfunction]
#[pyo3(signature = (column, key, name, *, deterministic = false))]
fn seal<'py>(
    py: Python<'py>,
    column: Column,
    key: KeyArgument,
    name: &str,
    deterministic: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let key = sealing_key(&key, deterministic)?;
    compute(py, column, |rows| keylane_arrow::seal(&key, name, rows)).map_err(exception)?.into_bound(py)
}

/// The type of a column: Arrow's name for it, or any object with a schema.
#[derive(FromPyObject)]
enum Type {
    Name(String),
    Schema(PyField),
}

/// Decrypt every row, or fail for a row that was not sealed under this key, this name and a type of this kind.
#[pyfunction]
#[pyo3(signature = (column, key, name, *, r#type = None, deterministic = false))]
fn open<'py>(
    py: Python<'py>,
    column: Column,
    key: KeyArgument,
    name: &str,
    r#type: Option<Type>,
    deterministic: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let key = sealing_key(&key, deterministic)?;
    let data_type = match r#type {
        None => arrow_schema::DataType::Utf8,
        Some(Type::Name(name)) => name.parse().map_err(|_| {
            PyValueError::new_err(format!("no Arrow type is named `{name}`: Utf8, Binary, Int64, Date32, …"))
        })?,
        Some(Type::Schema(field)) => field.into_inner().data_type().clone(),
    };
    compute(py, column, |rows| keylane_arrow::open(&key, name, rows, &data_type))
        .map_err(exception)?
        .into_bound(py)
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
