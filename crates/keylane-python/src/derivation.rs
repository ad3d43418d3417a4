//! Keys from passwords and from other keys.

use crate::algorithm::from_digestmod;
use crate::buffer::{Input, NewBytes, Private, Snapshot};
use crate::error::{already_finalized, exception, invalid_key};
use crate::integer::Integer;
use crate::messages::{Messages, expect_count, total};
use crate::threads::{detached, filled};
use keylane::Error;
use keylane::any::{AnyHmacKey, AnyPrk, HashKind};
use keylane::pbkdf2::Job;
use keylane_cpu::constant_time;
use keylane_cpu::in_out::any_bytes;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};

/// Derives a key from a password by PBKDF2 with HMAC (RFC 8018 section 5.2), as hashlib.pbkdf2_hmac().
///
/// The iterations set the cost of a guess. OWASP recommends 600000 with SHA-256 and 210000 with SHA-512
/// (2023). The salt should be at least 16 random bytes and never be used twice. dklen is the key's length;
/// the default is the digest's length.
///
/// Raises ValueError for an unknown hash, and for iterations or a dklen below 1; OverflowError above 2**32 -
/// 1 iterations or a dklen of 2**31 - 1.
#[pyfunction]
#[pyo3(signature = (hash_name, password, salt, iterations, dklen = None))]
pub(crate) fn pbkdf2_hmac<'py>(
    py: Python<'py>,
    hash_name: &Bound<'py, PyAny>,
    password: Input<'_, 'py>,
    salt: Input<'_, 'py>,
    iterations: Integer,
    dklen: Option<Integer>,
) -> PyResult<Bound<'py, PyBytes>> {
    let cost = Cost::new(hash_name, iterations.0, dklen.map(|dklen| dklen.0))?;
    Ok(cost.derive(py, &[password], &[salt])?.remove(0))
}

/// Derives keys from several passwords, each with its own salt, in parallel: several times as fast as one
/// after the other.
///
/// Raises ValueError if there are not as many salts as passwords, and what pbkdf2_hmac() raises.
#[pyfunction]
#[pyo3(signature = (hash_name, passwords, salts, iterations, dklen = None))]
pub(crate) fn pbkdf2_hmac_many<'py>(
    py: Python<'py>,
    hash_name: &Bound<'py, PyAny>,
    passwords: Messages<'py>,
    salts: Messages<'py>,
    iterations: Integer,
    dklen: Option<Integer>,
) -> PyResult<Bound<'py, PyList>> {
    let cost = Cost::new(hash_name, iterations.0, dklen.map(|dklen| dklen.0))?;
    expect_count("salts", passwords.len(), salts.len())?;
    PyList::new(py, cost.derive(py, &passwords.inputs()?, &salts.inputs()?)?)
}

/// The parameters that all derivations of a call share.
struct Cost {
    hash: HashKind,
    iterations: NonZeroU32,
    key_len: usize,
}

impl Cost {
    fn new(hash_name: &Bound<'_, PyAny>, iterations: i128, dklen: Option<i128>) -> PyResult<Self> {
        let hash = from_digestmod(hash_name)?;
        if iterations < 1 || dklen.is_some_and(|dklen| dklen < 1) {
            let what = if iterations < 1 { "iterations" } else { "the key's length" };
            return Err(PyValueError::new_err(format!("{what} must be at least 1")));
        }
        let too_many =
            || PyOverflowError::new_err("at most 2**32 - 1 iterations, and a key of 2**31 - 1 bytes");
        let iterations = u32::try_from(iterations).ok().and_then(NonZeroU32::new).ok_or_else(too_many)?;
        let key_len = match dklen {
            // hashlib has the same limit.
            Some(dklen) => i32::try_from(dklen).map_err(|_| too_many())?.cast_unsigned() as usize,
            None => hash.output_len(),
        };
        Ok(Self { hash, iterations, key_len })
    }

    /// Returns the work for one key, in bytes: each iteration computes as many bytes as the key has.
    fn work(&self) -> usize {
        self.key_len.saturating_mul(self.iterations.get() as usize)
    }

    /// Returns a key for each password and its salt.
    fn derive<'py>(
        &self,
        py: Python<'py>,
        passwords: &[Input<'_, 'py>],
        salts: &[Input<'_, 'py>],
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let new_key = |_| NewBytes::new(py, self.key_len);
        let mut keys = passwords.iter().map(new_key).collect::<PyResult<Vec<_>>>()?;
        let read = total(passwords.iter().chain(salts).map(Input::len))?;
        let (mut password_copies, mut salt_copies) = (snapshots(passwords)?, snapshots(salts)?);
        let texts = password_copies.iter_mut().zip(&mut salt_copies);
        let parts: Vec<_> = texts.zip(keys.iter_mut().map(NewBytes::room)).collect();
        let derived = parts.len().saturating_mul(self.work());
        detached(py, derived.saturating_add(read), || {
            let jobs = parts.into_iter().map(|((password, salt), room)| Job {
                password: password.take(),
                salt: salt.take(),
                out: any_bytes(room),
            });
            self.hash.pbkdf2_many(&mut jobs.collect::<Vec<_>>(), self.iterations)
        })
        .map_err(exception)?;
        Ok(keys.into_iter().map(NewBytes::finish).collect())
    }
}

/// Derives a key of length bytes from another key by HKDF (RFC 5869): extract, then expand.
///
/// The salt is not secret; None stands for zeros. The info distinguishes keys that are derived from the same
/// key. For a password, use pbkdf2_hmac() instead.
///
/// Raises ValueError for an unknown hash, and if length is negative or above 255 digests.
#[pyfunction]
pub(crate) fn hkdf<'py>(
    py: Python<'py>,
    hash_name: &Bound<'py, PyAny>,
    key: Input<'_, 'py>,
    salt: Option<Input<'_, 'py>>,
    info: Option<Input<'_, 'py>>,
    length: Integer,
) -> PyResult<Bound<'py, PyBytes>> {
    let (hash, len) = expanded_len(hash_name, &length)?;
    let (salt, info) = (salt.as_ref().unwrap_or(&Input::NONE), info.as_ref().unwrap_or(&Input::NONE));
    let work = total([key.len(), salt.len(), info.len(), len])?;
    let (key, mut salt, mut info) = (key.bytes(), salt.snapshot()?, info.snapshot()?);
    filled(py, work, len, |out| AnyPrk::extract(hash, salt.take(), key).expand(&[info.take()], out))
}

/// The first step of hkdf(): returns a pseudorandom key of the digest's length.
#[pyfunction]
pub(crate) fn hkdf_extract<'py>(
    py: Python<'py>,
    hash_name: &Bound<'py, PyAny>,
    key: Input<'_, 'py>,
    salt: Option<Input<'_, 'py>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let hash = from_digestmod(hash_name)?;
    let (key, salt) = (key.bytes(), salt.as_ref().map_or(&[][..], Input::bytes));
    // RFC 5869 section 2.2: no salt means zeros, which are the same HMAC key as an empty one.
    let prk = detached(py, total([key.len(), salt.len()])?, || AnyHmacKey::new(hash, salt).mac(key));
    Ok(PyBytes::new(py, prk.as_bytes()))
}

/// The second step of hkdf(): derives a key of length bytes from a pseudorandom key, which must be at least
/// as long as the digest.
///
/// Raises ValueError if it is shorter, and what hkdf() raises.
#[pyfunction]
pub(crate) fn hkdf_expand<'py>(
    py: Python<'py>,
    hash_name: &Bound<'py, PyAny>,
    prk: Input<'_, 'py>,
    info: Option<Input<'_, 'py>>,
    length: Integer,
) -> PyResult<Bound<'py, PyBytes>> {
    let (hash, len) = expanded_len(hash_name, &length)?;
    let info = info.as_ref().unwrap_or(&Input::NONE);
    let work = total([prk.len(), info.len(), len])?;
    let (prk, mut info) = (prk.bytes(), info.snapshot()?);
    filled(py, work, len, |out| AnyPrk::from_bytes(hash, prk)?.expand(&[info.take()], out))
}

/// Copies inputs that others may write to and that are read once per block of the key: otherwise blocks of
/// one key could be derived from different inputs.
fn snapshots<'a>(inputs: &'a [Input<'_, '_>]) -> PyResult<Vec<Snapshot<'a>>> {
    inputs.iter().map(Input::snapshot).collect()
}

/// The base class: the methods of derivations that lack only the key material. As in `cryptography`, an
/// object can be used once.
#[pyclass(frozen, subclass, name = "_Derivation", module = "keylane")]
pub(crate) struct Derivation {
    /// Derives the key from the key material.
    fill: Box<Fill>,
    len: usize,
    /// The work in bytes, besides reading the key material.
    work: usize,
    done: AtomicBool,
}

type Fill = dyn Fn(&[u8], &mut [u8]) -> Result<(), Error> + Send + Sync;

impl Derivation {
    fn new(
        len: usize,
        work: usize,
        fill: impl Fn(&[u8], &mut [u8]) -> Result<(), Error> + Send + Sync + 'static,
    ) -> PyClassInitializer<Self> {
        Self { fill: Box::new(fill), len, work, done: AtomicBool::new(false) }.into()
    }

    /// Returns a copy of the key material and the work in bytes.
    fn begin<'a>(&self, key_material: &'a Input<'_, '_>) -> PyResult<(Snapshot<'a>, usize)> {
        if self.done.swap(true, Ordering::Relaxed) {
            return Err(already_finalized("derive() or verify() was called before"));
        }
        Ok((key_material.snapshot()?, key_material.len().saturating_add(self.work)))
    }
}

#[pymethods]
impl Derivation {
    /// Derives and returns the key. An object can be used once: raises AlreadyFinalized after derive() or
    /// verify().
    fn derive<'py>(&self, py: Python<'py>, key_material: Input<'_, 'py>) -> PyResult<Bound<'py, PyBytes>> {
        let (mut key_material, work) = self.begin(&key_material)?;
        filled(py, work, self.len, |out| (self.fill)(key_material.take(), out))
    }

    /// Derives the key, and raises InvalidKey unless it is the expected one. The time does not depend on
    /// where they differ. An object can be used once: raises AlreadyFinalized after derive() or verify().
    fn verify(
        &self,
        py: Python<'_>,
        key_material: Input<'_, '_>,
        expected_key: Input<'_, '_>,
    ) -> PyResult<()> {
        let ((mut key_material, work), expected) = (self.begin(&key_material)?, expected_key.bytes());
        let mut derived = Private::new(self.len)?;
        let equal = detached(py, work, || {
            (self.fill)(key_material.take(), derived.room())?;
            Ok(constant_time::equal(derived.room(), expected))
        });
        if equal.map_err(exception)? { Ok(()) } else { Err(invalid_key()) }
    }
}

/// HKDF (RFC 5869), as in cryptography: derives one key of length bytes. See hkdf() for the arguments.
///
///     >>> kdf = keylane.HKDF(hashlib.sha256, length=32, salt=None, info=b"client key")
///     >>> key = kdf.derive(b"a shared secret")
///
/// The algorithm is anything that hmac.new() accepts as digestmod. The backend is ignored.
///
/// Raises ValueError for an unknown hash, and if length is negative or above 255 digests.
#[pyclass(frozen, extends = Derivation, name = "HKDF", module = "keylane")]
pub(crate) struct Hkdf;

#[pymethods]
impl Hkdf {
    #[new]
    #[pyo3(signature = (algorithm, length, salt, info, backend = None))]
    fn new(
        algorithm: &Bound<'_, PyAny>,
        length: Integer,
        salt: Option<Input<'_, '_>>,
        info: Option<Input<'_, '_>>,
        backend: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let _ = backend;
        let (hash, len) = expanded_len(algorithm, &length)?;
        let (salt, info) = (salt.unwrap_or(Input::NONE).copied()?, info.unwrap_or(Input::NONE).copied()?);
        let work = len + salt.written().len() + info.written().len();
        let fill = move |key_material: &[u8], out: &mut [u8]| {
            AnyPrk::extract(hash, salt.written(), key_material).expand(&[info.written()], out)
        };
        Ok(Derivation::new(len, work, fill).add_subclass(Self))
    }
}

/// The second step of HKDF, as in cryptography: derives one key from a pseudorandom key. See
/// hkdf_expand() for the arguments.
///
/// derive() and verify() raise ValueError for a pseudorandom key that is shorter than the digest. The
/// constructor accepts and raises the same as that of HKDF.
#[pyclass(frozen, extends = Derivation, name = "HKDFExpand", module = "keylane")]
pub(crate) struct HkdfExpand;

#[pymethods]
impl HkdfExpand {
    #[new]
    #[pyo3(signature = (algorithm, length, info, backend = None))]
    fn new(
        algorithm: &Bound<'_, PyAny>,
        length: Integer,
        info: Option<Input<'_, '_>>,
        backend: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let _ = backend;
        let (hash, len) = expanded_len(algorithm, &length)?;
        let info = info.unwrap_or(Input::NONE).copied()?;
        let work = len + info.written().len();
        let fill =
            move |prk: &[u8], out: &mut [u8]| AnyPrk::from_bytes(hash, prk)?.expand(&[info.written()], out);
        Ok(Derivation::new(len, work, fill).add_subclass(Self))
    }
}

/// PBKDF2 with HMAC (RFC 8018 section 5.2), as in cryptography: derives one key of length bytes. See
/// pbkdf2_hmac() for the arguments.
///
///     >>> kdf = keylane.PBKDF2HMAC(hashlib.sha256, length=32, salt=os.urandom(16), iterations=600_000)
///     >>> key = kdf.derive(b"password")
///
/// The algorithm is anything that hmac.new() accepts as digestmod. The backend is ignored.
///
/// Raises ValueError for an unknown hash, and for iterations or a length below 1; OverflowError above
/// 2**32 - 1 iterations or a length of 2**31 - 1.
#[pyclass(frozen, extends = Derivation, name = "PBKDF2HMAC", module = "keylane")]
pub(crate) struct Pbkdf2Hmac;

#[pymethods]
impl Pbkdf2Hmac {
    #[new]
    #[pyo3(signature = (algorithm, length, salt, iterations, backend = None))]
    fn new(
        algorithm: &Bound<'_, PyAny>,
        length: Integer,
        salt: Input<'_, '_>,
        iterations: Integer,
        backend: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let _ = backend;
        let cost = Cost::new(algorithm, iterations.0, Some(length.0))?;
        let (len, work, salt) = (cost.key_len, cost.work().saturating_add(salt.len()), salt.copied()?);
        let fill = move |password: &[u8], out: &mut [u8]| {
            cost.hash.pbkdf2(password, salt.written(), cost.iterations, out)
        };
        Ok(Derivation::new(len, work, fill).add_subclass(Self))
    }
}

/// Returns the hash, and the length of a derived key if it is one that HKDF allows (RFC 5869 section 2.3).
fn expanded_len(hash_name: &Bound<'_, PyAny>, length: &Integer) -> PyResult<(HashKind, usize)> {
    let hash = from_digestmod(hash_name)?;
    let max = 255 * hash.output_len();
    let len = usize::try_from(length.0).ok().filter(|&length| length <= max);
    let wrong = || PyValueError::new_err(format!("length must be from 0 to {max}"));
    Ok((hash, len.ok_or_else(wrong)?))
}
