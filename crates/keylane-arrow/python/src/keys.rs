//! Key rings. A pickled ring has the keys' sources, and check values by which changed keys are noticed.

use crate::exception;
use pyo3::exceptions::{PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;
use std::path::PathBuf;

/// Keys by name, from files, variables of the environment, or bytes.
///
///     >>> ring = KeyRing({"customers": "/run/secrets/customers.key"}, env={"born": "BORN_KEY"})
///     >>> key = ring["customers"]
///
/// A file holds the key's bytes, at least 32; a variable holds them in Base64. Both are read now, and again
/// where the ring is unpickled. Warns if others can read a file. The argument keys maps names to bytes, for
/// keys from another place; a ring with such keys cannot be pickled.
#[pyclass(module = "keylane.arrow", frozen)]
pub(crate) struct KeyRing {
    ring: keylane_arrow::KeyRing,
    files: BTreeMap<String, PathBuf>,
    env: BTreeMap<String, String>,
    /// The name of a key from bytes, with which the ring cannot be pickled.
    from_bytes: Option<String>,
}

#[pymethods]
impl KeyRing {
    #[new]
    #[pyo3(signature = (files = Mapping::EMPTY, env = Mapping::EMPTY, *, keys = Mapping::EMPTY))]
    fn new(
        py: Python<'_>,
        files: Mapping<PathBuf>,
        env: Mapping<String>,
        keys: Mapping<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (files, env, keys) = (files.0, env.0, keys.0);
        let (mut ring, mut seen) = (keylane_arrow::KeyRing::new(), BTreeSet::new());
        let mut names = files.keys().chain(env.keys()).chain(keys.keys());
        if let Some(name) = names.find(|name| !seen.insert(*name)) {
            return Err(PyValueError::new_err(format!("two keys are named `{name}`")));
        }
        for (name, path) in &files {
            if let Some(mode) = ring.read_file(name, path).map_err(exception)? {
                let path = path.display();
                let warning =
                    format!("{path} (mode {mode:03o}) is readable by others: change its mode to 600");
                PyErr::warn(py, &py.get_type::<PyUserWarning>(), &CString::new(warning)?, 1)?;
            }
        }
        for (name, variable) in &env {
            ring.read_env(name, variable).map_err(exception)?;
        }
        for (name, key) in &keys {
            ring.insert(name, key.extract::<&[u8]>()?).map_err(exception)?;
        }
        Ok(Self { ring, files, env, from_bytes: keys.into_keys().next() })
    }

    fn __getitem__(this: Bound<'_, Self>, name: &str) -> PyResult<Key> {
        let key = this.get().ring.get(name).map_err(exception)?.clone();
        Ok(Key { ring: this.unbind(), key })
    }

    fn __contains__(&self, name: &str) -> bool {
        self.ring.get(name).is_ok()
    }

    fn __len__(&self) -> usize {
        self.ring.names().count()
    }

    /// The names of the keys, in order.
    fn names(&self) -> Vec<&str> {
        self.ring.names().collect()
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let ring = this.get();
        if let Some(name) = &ring.from_bytes {
            return Err(PyTypeError::new_err(format!(
                "the key `{name}` is in memory only: a ring that is pickled must have its keys from files or \
                 the environment"
            )));
        }
        let py = this.py();
        let files = PyDict::new(py);
        for (name, path) in &ring.files {
            files.set_item(name, path)?;
        }
        let checks = PyDict::new(py);
        for name in ring.ring.names() {
            checks.set_item(name, ring.ring.get(name).map_err(exception)?.check_value())?;
        }
        (this.get_type(), (files, &ring.env), checks).into_pyobject(py)
    }

    fn __setstate__(&self, checks: BTreeMap<String, [u8; 8]>) -> PyResult<()> {
        for (name, check) in checks {
            if self.ring.get(&name).map_err(exception)?.check_value() != check {
                return Err(PyValueError::new_err(format!(
                    "the key `{name}` is not that of the process which pickled the ring"
                )));
            }
        }
        Ok(())
    }

    fn __repr__(&self) -> String {
        let names: Vec<_> = self.ring.names().collect();
        format!("<keylane.arrow.KeyRing: {}>", names.join(", "))
    }
}

/// Any mapping from names, converted to a dictionary.
struct Mapping<T>(BTreeMap<String, T>);

impl<T> Mapping<T> {
    const EMPTY: Self = Self(BTreeMap::new());
}

impl<'py, T: FromPyObjectOwned<'py>> FromPyObject<'_, 'py> for Mapping<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(object.py().get_type::<PyDict>().call1((object,))?.extract()?))
    }
}

/// A key of a ring.
#[pyclass(module = "keylane.arrow", frozen)]
pub(crate) struct Key {
    ring: Py<KeyRing>,
    key: keylane_arrow::Key,
}

/// Returns the key that was passed as an argument.
pub(crate) fn key_of<'a>(argument: &'a Bound<'_, PyAny>) -> PyResult<&'a keylane_arrow::Key> {
    if let Ok(key) = argument.cast::<Key>() {
        return Ok(&key.get().key);
    }
    let class = argument.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "a key is one of a keylane.arrow.KeyRing, such as KeyRing({{\"name\": \"its path\"}})[\"name\"], or of \
         bytes KeyRing(keys={{\"name\": …}})[\"name\"]; this is of the type {class}"
    )))
}

#[pymethods]
impl Key {
    /// The key's name.
    #[getter]
    fn name(&self) -> &str {
        self.key.name()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let getitem = py.import("operator")?.getattr("getitem")?;
        (getitem, (self.ring.clone_ref(py), self.key.name())).into_pyobject(py)
    }

    fn __repr__(&self) -> String {
        format!("<keylane.arrow.Key: {}>", self.key.name())
    }
}
