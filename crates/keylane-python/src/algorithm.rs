//! Hashes by their names in Python.

use crate::buffer::Input;
use keylane::any::{Digest, HashKind};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyType};

/// For each of [`HashKind::ALL`], its name in `hashlib`, then OpenSSL's others, in lower case, which
/// `hashlib.new` accepts.
const NAMES: [&[&str]; HashKind::ALL.len()] = [
    &["sha1", "sha-1"],
    &["sha224", "sha-224", "sha2-224"],
    &["sha256", "sha-256", "sha2-256"],
    &["sha384", "sha-384", "sha2-384"],
    &["sha512", "sha-512", "sha2-512"],
    &["sha512_256", "sha512-256", "sha512/256", "sha-512/256", "sha2-512/256"],
];

/// Returns the name in `hashlib`.
pub(crate) const fn name(hash: HashKind) -> &'static str {
    NAMES[hash as usize - 1][0]
}

fn all_names() -> String {
    HashKind::ALL.map(name).join(", ")
}

/// Finds a hash by a name that `hashlib` or OpenSSL has for it, in upper or lower case.
///
/// # Errors
/// `ValueError` for an unknown name.
fn from_name(name: &Bound<'_, PyString>) -> PyResult<HashKind> {
    let name = name.to_cow()?;
    let place = NAMES.iter().position(|names| names.iter().any(|known| known.eq_ignore_ascii_case(&name)));
    place.map(|place| HashKind::ALL[place]).ok_or_else(|| {
        PyValueError::new_err(format!("unsupported hash type {name}: use one of {}", all_names()))
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
pub(crate) fn from_digestmod(digestmod: &Bound<'_, PyAny>) -> PyResult<HashKind> {
    let py = digestmod.py();
    if let Some((_, hash)) = known(py)?.iter().find(|(object, _)| object.is(digestmod)) {
        return Ok(*hash);
    }
    if let Ok(name) = digestmod.cast::<PyString>() {
        return from_name(name);
    }
    if let Some(name) = cryptography_name(digestmod)? {
        return from_name(&name);
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
        return Err(PyTypeError::new_err(format!("digestmod must make a hash, not '{kind}'")));
    };
    let digest = digest.call0()?;
    let digest = Input::of(digest.as_borrowed())?;
    HashKind::ALL.into_iter().find(|hash| hash.digest(&[]).as_bytes() == digest.bytes()).ok_or_else(|| {
        PyValueError::new_err(format!(
            "digestmod makes '{kind}', whose digest of the empty message is that of none of {}",
            all_names()
        ))
    })
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

type Known = Vec<(Py<PyAny>, HashKind)>;

/// The objects that most callers pass, which are recognised by identity: Python interns the names in a
/// program's source, and a constructor of `hashlib` or of this module is one object.
fn known(py: Python<'_>) -> PyResult<&'static Known> {
    static KNOWN: PyOnceLock<Known> = PyOnceLock::new();
    KNOWN.get_or_try_init(py, || {
        let modules = [py.import("hashlib")?, py.import("keylane._keylane")?];
        let mut known = Vec::new();
        for hash in HashKind::ALL {
            known.push((PyString::intern(py, name(hash)).into_any().unbind(), hash));
            for module in &modules {
                if let Some(constructor) = module.getattr_opt(name(hash))? {
                    known.push((constructor.unbind(), hash));
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
