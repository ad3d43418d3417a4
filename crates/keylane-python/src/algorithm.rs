//! Hashes by their names in Python.

use crate::buffer::Input;
use keylane::hash::{Algorithm, Digest};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyType};

/// A hash and its names.
pub(crate) struct Named {
    /// The name in `hashlib`.
    pub(crate) name: &'static str,
    /// OpenSSL's other names for it, in lower case; `hashlib.new` accepts them.
    aliases: &'static [&'static str],
    pub(crate) id: Algorithm,
}

pub(crate) static ALGORITHMS: [Named; 6] = [
    Named { name: "sha1", aliases: &["sha-1"], id: Algorithm::Sha1 },
    Named { name: "sha224", aliases: &["sha-224", "sha2-224"], id: Algorithm::Sha224 },
    Named { name: "sha256", aliases: &["sha-256", "sha2-256"], id: Algorithm::Sha256 },
    Named { name: "sha384", aliases: &["sha-384", "sha2-384"], id: Algorithm::Sha384 },
    Named { name: "sha512", aliases: &["sha-512", "sha2-512"], id: Algorithm::Sha512 },
    Named {
        name: "sha512_256",
        aliases: &["sha512-256", "sha512/256", "sha-512/256", "sha2-512/256"],
        id: Algorithm::Sha512_256,
    },
];

fn names() -> String {
    ALGORITHMS.each_ref().map(|algorithm| algorithm.name).join(", ")
}

impl Named {
    /// Finds a hash by a name that `hashlib` or OpenSSL has for it, in upper or lower case.
    ///
    /// # Errors
    /// `ValueError` for an unknown name.
    fn from_name(name: &Bound<'_, PyString>) -> PyResult<&'static Self> {
        let name = name.to_cow()?;
        let is_wanted = |known: &&str| known.eq_ignore_ascii_case(&name);
        ALGORITHMS
            .iter()
            .find(|algorithm| is_wanted(&algorithm.name) || algorithm.aliases.iter().any(is_wanted))
            .ok_or_else(|| {
                PyValueError::new_err(format!("unsupported hash type {name}: there are {}", names()))
            })
    }

    /// Finds a hash by anything that `hmac` accepts (a name, a constructor, a module with `new`) or
    /// `cryptography` (a class or an instance).
    ///
    /// A constructor or a module is recognised by the digest of the empty message, not by the name of the
    /// object that it makes: some objects have no name, and a constructor that has absorbed some bytes
    /// already has the name of the plain hash.
    ///
    /// # Errors
    /// `TypeError` if the argument makes no hash, `ValueError` for an unknown hash.
    pub(crate) fn from_digestmod(digestmod: &Bound<'_, PyAny>) -> PyResult<&'static Self> {
        let py = digestmod.py();
        if let Some((_, algorithm)) = known(py)?.iter().find(|(object, _)| object.is(digestmod)) {
            return Ok(algorithm);
        }
        if let Ok(name) = digestmod.cast::<PyString>() {
            return Self::from_name(name);
        }
        if let Some(name) = cryptography_name(digestmod)? {
            return Self::from_name(&name);
        }
        let hash = if digestmod.is_callable() {
            digestmod.call0()?
        } else if let Ok(new) = digestmod.getattr("new") {
            new.call0()?
        } else {
            let kind = digestmod.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "a hash must be given as a name, a constructor or a module, not as '{kind}'"
            )));
        };
        let kind = hash.get_type().name()?;
        let Some(digest) = hash.getattr_opt("digest")? else {
            let message = format!("digestmod must make a hash, not '{kind}'");
            return Err(PyTypeError::new_err(message));
        };
        let digest = digest.call0()?;
        let digest = Input::of(digest.as_borrowed())?;
        ALGORITHMS.iter().find(|algorithm| algorithm.id.digest(&[]).as_bytes() == digest.bytes()).ok_or_else(
            || {
                PyValueError::new_err(format!(
                    "digestmod makes '{kind}', whose digest of the empty message is that of none of {}",
                    names()
                ))
            },
        )
    }
}

/// Returns the name of a class of `cryptography.hazmat.primitives.hashes`, or of an instance of one. A caller
/// who has one has imported that module, so this function never imports it.
fn cryptography_name<'py>(hash: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyString>>> {
    let modules = hash.py().import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
    let Some(module) = modules.get_item("cryptography.hazmat.primitives.hashes")? else { return Ok(None) };
    // The module is None if its import was blocked, and lacks the class while another thread imports it.
    let Some(base) = module.getattr_opt("HashAlgorithm")? else { return Ok(None) };
    let instance = match hash.cast::<PyType>() {
        Ok(class) if class.is_subclass(&base)? => class.call0()?,
        _ if hash.is_instance(&base)? => hash.clone(),
        _ => return Ok(None),
    };
    Ok(Some(instance.getattr("name")?.cast_into()?))
}

type Known = Vec<(Py<PyAny>, &'static Named)>;

/// The objects that most callers pass, which are recognised by identity: Python interns the names in a
/// program's source, and a constructor of `hashlib` or of this module is one object.
fn known(py: Python<'_>) -> PyResult<&'static Known> {
    static KNOWN: PyOnceLock<Known> = PyOnceLock::new();
    KNOWN.get_or_try_init(py, || {
        let modules = [py.import("hashlib")?, py.import("keylane._keylane")?];
        let mut known = Vec::new();
        for algorithm in &ALGORITHMS {
            known.push((PyString::intern(py, algorithm.name).into_any().unbind(), algorithm));
            for module in &modules {
                if let Some(constructor) = module.getattr_opt(algorithm.name)? {
                    known.push((constructor.unbind(), algorithm));
                }
            }
        }
        Ok(known)
    })
}

/// Returns the digest in hexadecimal. It may be secret, so no table is used: an address would reveal it.
pub(crate) fn to_hex(digest: &Digest) -> String {
    let digit = |nibble: u8| {
        let above_nine = 9_u8.wrapping_sub(nibble) >> 7;
        char::from(b'0' + nibble + above_nine * (b'a' - b'0' - 10))
    };
    digest.as_bytes().iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
