//! Hashes with `hashlib`'s interface.

use crate::algorithm::{from_digestmod, name, to_hex};
use crate::buffer::Input;
use crate::messages::Messages;
use crate::threads::Locked;
use keylane::any::{AnyHash, Digest, HashKind};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

/// The base class of Hash, HMAC and HmacKey: their hash's name and lengths.
#[pyclass(frozen, subclass, name = "_Function", module = "keylane")]
pub(crate) struct Function {
    hash: HashKind,
    /// The name's prefix: "hmac-" or "".
    prefix: &'static str,
}

impl Function {
    pub(crate) fn hmac(hash: HashKind) -> PyClassInitializer<Self> {
        Self { hash, prefix: "hmac-" }.into()
    }
}

#[pymethods]
impl Function {
    /// The name: "sha256", or "hmac-sha256" of an HMAC.
    #[getter]
    fn name(&self) -> String {
        [self.prefix, name(self.hash)].concat()
    }

    /// The length in bytes of the digest, or of the tag.
    #[getter]
    fn digest_size(&self) -> usize {
        self.hash.output_len()
    }

    /// The length of the hash's block in bytes.
    #[getter]
    fn block_size(&self) -> usize {
        self.hash.block_len()
    }

    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("<{} {}>", this.get_type().fully_qualified_name()?, this.get().name()))
    }
}

/// A running hash, made by new(), sha256() and the like. Threads may share an object: their calls take turns.
#[pyclass(frozen, extends = Function, name = "Hash", module = "keylane")]
pub(crate) struct PyHash(Locked<AnyHash>);

impl PyHash {
    fn new<'py>(py: Python<'py>, running: AnyHash, data: &Input<'_, 'py>) -> PyResult<Bound<'py, Self>> {
        let function = Function { hash: running.algorithm(), prefix: "" };
        let hash = Self(Locked::new(running));
        hash.update(py, data);
        Bound::new(py, PyClassInitializer::from(function).add_subclass(hash))
    }

    fn update(&self, py: Python<'_>, data: &Input<'_, '_>) {
        let data = data.bytes();
        self.0.with(py, data.len(), |running| running.update(data));
    }

    fn finish(&self, py: Python<'_>) -> Digest {
        self.0.copy(py).finalize()
    }
}

#[pymethods]
impl PyHash {
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
        let running = self.0.copy(py);
        suffixes.digests(py, running.algorithm(), |_, suffixes, digests| {
            running.finalize_many(suffixes, digests).expect("a digest for each suffix");
        })
    }

    /// Returns digest() in hexadecimal.
    fn hexdigest(&self, py: Python<'_>) -> String {
        to_hex(&self.finish(py))
    }

    /// Returns an independent copy.
    fn copy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Self>> {
        Self::new(py, self.0.copy(py), &Input::NONE)
    }
}

/// Returns the data, whose parameter `hashlib` calls string until Python 3.13.
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
pub(crate) fn new<'py>(
    py: Python<'py>,
    name: &Bound<'py, PyAny>,
    data: Input<'_, 'py>,
    usedforsecurity: bool,
    string: Option<Input<'_, 'py>>,
) -> PyResult<Bound<'py, PyHash>> {
    let _ = usedforsecurity;
    PyHash::new(py, AnyHash::new(from_digestmod(name)?), &either(data, string)?)
}

/// The constructors of single hashes.
macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident = $Kind:ident;)*) => { $(
        $(#[$doc])*
        ///
        /// The argument usedforsecurity is accepted as in hashlib and has no effect, and string is the name
        /// that data had there until Python 3.13.
        #[pyfunction]
        #[pyo3(
            signature = (data = Input::NONE, *, usedforsecurity = true, string = None),
            text_signature = "(data=b'', *, usedforsecurity=True, string=None)",
        )]
        pub(crate) fn $name<'py>(
            py: Python<'py>,
            data: Input<'_, 'py>,
            usedforsecurity: bool,
            string: Option<Input<'_, 'py>>,
        ) -> PyResult<Bound<'py, PyHash>> {
            let _ = usedforsecurity;
            PyHash::new(py, AnyHash::new(HashKind::$Kind), &either(data, string)?)
        }
    )* };
}
constructors! {
    /// Begins a SHA-1 hash. Broken where collisions matter; only for old protocols.
    sha1 = Sha1;
    /// Begins a SHA-224 hash.
    sha224 = Sha224;
    /// Begins a SHA-256 hash.
    sha256 = Sha256;
    /// Begins a SHA-384 hash.
    sha384 = Sha384;
    /// Begins a SHA-512 hash.
    sha512 = Sha512;
    /// Begins a SHA-512/256 hash.
    sha512_256 = Sha512_256;
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
    let hash = from_digestmod(name)?;
    messages.digests(py, hash, |_, messages, digests| {
        hash.digest_many(messages, digests).expect("a digest for each message");
    })
}
