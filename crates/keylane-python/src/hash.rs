//! Hashes, as `hashlib` has them.

use crate::algorithm::{ALGORITHMS, Named, to_hex};
use crate::buffer::Input;
use crate::messages::Messages;
use crate::threads::Locked;
use keylane::hash::{AnyHash, Digest};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

/// A running hash, made by new(), sha256() and the like. Threads may share an object: their calls take turns.
#[pyclass(frozen, name = "Hash", module = "keylane")]
pub(crate) struct PyHash {
    algorithm: &'static Named,
    running: Locked<AnyHash>,
}

impl PyHash {
    fn new(py: Python<'_>, algorithm: &'static Named, data: &Input<'_, '_>) -> Self {
        let hash = Self { algorithm, running: Locked::new(AnyHash::new(algorithm.id)) };
        hash.update(py, data);
        hash
    }

    fn update(&self, py: Python<'_>, data: &Input<'_, '_>) {
        let data = data.bytes();
        self.running.with(py, data.len(), |running| running.update(data));
    }

    fn finish(&self, py: Python<'_>) -> Digest {
        self.running.with(py, 0, |running| running.clone().finalize())
    }
}

#[pymethods]
impl PyHash {
    /// The hash's name: "sha256".
    #[getter]
    fn name(&self) -> &'static str {
        self.algorithm.name
    }

    /// The digest's length in bytes.
    #[getter]
    fn digest_size(&self) -> usize {
        self.algorithm.id.output_len()
    }

    /// The block's length in bytes.
    #[getter]
    fn block_size(&self) -> usize {
        self.algorithm.id.block_len()
    }

    /// Absorbs data. How the bytes are divided among calls does not change the digest.
    #[pyo3(name = "update", signature = (data, /))]
    fn update_py(&self, py: Python<'_>, data: Input<'_, '_>) {
        self.update(py, &data);
    }

    /// Returns the digest of everything absorbed. More data can follow.
    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.finish(py).as_bytes())
    }

    /// Returns the digests of everything absorbed followed by each of the suffixes, hashed in parallel, which
    /// is faster than one after the other. The suffixes may differ in length. More data can follow.
    fn digest_many<'py>(&self, py: Python<'py>, suffixes: Messages<'py>) -> PyResult<Bound<'py, PyList>> {
        let running = self.running.with(py, 0, |running| running.clone());
        suffixes.digests(py, self.algorithm.id, |_, suffixes, digests| {
            running.finalize_many(suffixes, digests).expect("a digest for each suffix");
        })
    }

    /// Returns digest() in hexadecimal.
    fn hexdigest(&self, py: Python<'_>) -> String {
        to_hex(&self.finish(py))
    }

    /// Returns an independent copy.
    fn copy(&self, py: Python<'_>) -> Self {
        let running = self.running.with(py, 0, |running| running.clone());
        Self { algorithm: self.algorithm, running: Locked::new(running) }
    }

    fn __repr__(&self) -> String {
        format!("<keylane.Hash {}>", self.name())
    }
}

/// Returns the data, which `hashlib` calls string until Python 3.13.
///
/// # Errors
/// `TypeError` if there are both.
fn either<'a, 'py>(data: Input<'a, 'py>, string: Option<Input<'a, 'py>>) -> PyResult<Input<'a, 'py>> {
    match string {
        None => Ok(data),
        Some(string) if data.len() == 0 => Ok(string),
        Some(_) => Err(PyTypeError::new_err("data and string are two names of one argument")),
    }
}

/// Begins a hash by its name: "sha1", "sha224", "sha256", "sha384", "sha512", "sha512_256"; or by anything
/// that keylane.hmac.new() accepts as digestmod.
///
/// Raises ValueError for another hash.
#[pyfunction]
#[pyo3(
    signature = (name, data = Input::NONE, *, usedforsecurity = true, string = None),
    text_signature = "(name, data=b'', *, usedforsecurity=True, string=None)",
)]
pub(crate) fn new(
    py: Python<'_>,
    name: &Bound<'_, PyAny>,
    data: Input<'_, '_>,
    usedforsecurity: bool,
    string: Option<Input<'_, '_>>,
) -> PyResult<PyHash> {
    let _ = usedforsecurity;
    Ok(PyHash::new(py, Named::from_digestmod(name)?, &either(data, string)?))
}

/// The constructors of single hashes.
macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident = $place:literal;)*) => { $(
        $(#[$doc])*
        ///
        /// The argument usedforsecurity is accepted as in hashlib and has no effect, and string is the name
        /// that data had there until Python 3.13.
        #[pyfunction]
        #[pyo3(
            signature = (data = Input::NONE, *, usedforsecurity = true, string = None),
            text_signature = "(data=b'', *, usedforsecurity=True, string=None)",
        )]
        pub(crate) fn $name(
            py: Python<'_>,
            data: Input<'_, '_>,
            usedforsecurity: bool,
            string: Option<Input<'_, '_>>,
        ) -> PyResult<PyHash> {
            let _ = usedforsecurity;
            Ok(PyHash::new(py, &ALGORITHMS[$place], &either(data, string)?))
        }
    )* };
}
constructors! {
    /// Begins a SHA-1 hash. Broken where collisions matter; only for old protocols.
    sha1 = 0;
    /// Begins a SHA-224 hash.
    sha224 = 1;
    /// Begins a SHA-256 hash.
    sha256 = 2;
    /// Begins a SHA-384 hash.
    sha384 = 3;
    /// Begins a SHA-512 hash.
    sha512 = 4;
    /// Begins a SHA-512/256 hash.
    sha512_256 = 5;
}

/// Returns the digests of several messages, hashed in parallel, which is faster than one after the other.
///
/// The messages may differ in length. The name is anything that new() accepts. Raises ValueError for an
/// unknown hash.
#[pyfunction]
pub(crate) fn digest_many<'py>(
    py: Python<'py>,
    name: &Bound<'py, PyAny>,
    messages: Messages<'py>,
) -> PyResult<Bound<'py, PyList>> {
    let hash = Named::from_digestmod(name)?.id;
    messages.digests(py, hash, |_, messages, digests| {
        hash.digest_many(messages, digests).expect("a digest for each message");
    })
}
