//! Keys from passwords and from other keys.

use crate::algorithm::Algorithm;
use crate::buffer::{Input, NewBytes, Snapshot};
use crate::error::exception;
use crate::integer::Integer;
use crate::messages::Messages;
use crate::threads::detached;
use keylane::pbkdf2::Job;
use keylane_cpu::in_out::any_bytes;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use std::num::NonZeroU32;

/// The key of a password by PBKDF2 with HMAC (RFC 8018 section 5.2), as hashlib.pbkdf2_hmac().
///
/// The iterations are the cost of a guess: OWASP asks for 600000 with SHA-256 and 210000 with SHA-512 (2023). The salt is
/// at least 16 random bytes, never used twice. dklen is the key's length; without it, the digest's.
///
/// Raises ValueError for an unknown hash, and for iterations or a dklen below 1; OverflowError above 2**32 - 1 iterations
/// or a dklen of 2**31 - 1.
#[pyfunction]
#[pyo3(signature = (hash_name, password, salt, iterations, dklen = None))]
pub(crate) fn pbkdf2_hmac<'py>(
    py: Python<'py>,
    hash_name: &Bound<'py, PyString>,
    password: Input<'_, 'py>,
    salt: Input<'_, 'py>,
    iterations: Integer,
    dklen: Option<Integer>,
) -> PyResult<Bound<'py, PyBytes>> {
    let cost = Cost::new(hash_name, iterations.0, dklen.map(|dklen| dklen.0))?;
    Ok(cost.derive(py, &[password], &[salt])?.remove(0))
}

/// The keys of several passwords, each with its own salt, side by side: several times as fast as one after the other.
///
/// Raises ValueError if there are not as many salts as passwords, and what pbkdf2_hmac() raises.
#[pyfunction]
#[pyo3(signature = (hash_name, passwords, salts, iterations, dklen = None))]
pub(crate) fn pbkdf2_hmac_many<'py>(
    py: Python<'py>,
    hash_name: &Bound<'py, PyString>,
    passwords: Messages<'py>,
    salts: Messages<'py>,
    iterations: Integer,
    dklen: Option<Integer>,
) -> PyResult<Bound<'py, PyList>> {
    let cost = Cost::new(hash_name, iterations.0, dklen.map(|dklen| dklen.0))?;
    if passwords.len() != salts.len() {
        let message = format!("{} passwords, and {} salts", passwords.len(), salts.len());
        return Err(PyValueError::new_err(message));
    }
    PyList::new(py, cost.derive(py, &passwords.inputs()?, &salts.inputs()?)?)
}

/// What all derivations of a call have in common.
struct Cost {
    hash: &'static Algorithm,
    iterations: NonZeroU32,
    key_len: usize,
}

impl Cost {
    fn new(hash_name: &Bound<'_, PyString>, iterations: i128, dklen: Option<i128>) -> PyResult<Self> {
        let hash = Algorithm::from_digestmod(hash_name)?;
        if iterations < 1 || dklen.is_some_and(|dklen| dklen < 1) {
            let what = if iterations < 1 { "iterations" } else { "dklen" };
            return Err(PyValueError::new_err(format!("{what} must be at least 1")));
        }
        let too_many = || PyOverflowError::new_err("at most 2**32 - 1 iterations, and a dklen of 2**31 - 1");
        let iterations = u32::try_from(iterations).ok().and_then(NonZeroU32::new).ok_or_else(too_many)?;
        let key_len = match dklen {
            // As hashlib has it.
            Some(dklen) => i32::try_from(dklen).map_err(|_| too_many())?.cast_unsigned() as usize,
            None => hash.digest_len,
        };
        Ok(Self { hash, iterations, key_len })
    }

    /// A key for each password and its salt.
    fn derive<'py>(
        &self,
        py: Python<'py>,
        passwords: &[Input<'_, 'py>],
        salts: &[Input<'_, 'py>],
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let new_key = |_| NewBytes::new(py, self.key_len);
        let mut keys = passwords.iter().map(new_key).collect::<PyResult<Vec<_>>>()?;
        let (mut password_copies, mut salt_copies) = (snapshots(passwords)?, snapshots(salts)?);
        let texts = password_copies.iter_mut().zip(&mut salt_copies);
        let parts: Vec<_> = texts.zip(keys.iter_mut().map(NewBytes::room)).collect();
        // Each iteration makes as many bytes as the key has, and hashes more.
        let derived = parts.len().saturating_mul(self.key_len).saturating_mul(self.iterations.get() as usize);
        let read: usize = passwords.iter().chain(salts).map(Input::len).sum();
        detached(py, derived.saturating_add(read), || {
            let jobs = parts.into_iter().map(|((password, salt), room)| Job {
                password: password.take(),
                salt: salt.take(),
                out: any_bytes(room),
            });
            (self.hash.pbkdf2)(&mut jobs.collect::<Vec<_>>(), self.iterations)
        })
        .map_err(exception)?;
        Ok(keys.into_iter().map(NewBytes::finish).collect())
    }
}

/// A key of so many bytes from another by HKDF (RFC 5869): extract, then expand.
///
/// The salt is not secret; without one (None) it is zeros. The info tells keys from one another that are derived from the
/// same key. A password needs pbkdf2_hmac() instead.
///
/// Raises ValueError for an unknown hash, and if length is negative or above 255 digests.
#[pyfunction]
pub(crate) fn hkdf<'py>(
    py: Python<'py>,
    hash_name: &Bound<'py, PyString>,
    key: Input<'_, 'py>,
    salt: Option<Input<'_, 'py>>,
    info: Option<Input<'_, 'py>>,
    length: Integer,
) -> PyResult<Bound<'py, PyBytes>> {
    let hash = Algorithm::from_digestmod(hash_name)?;
    let (key, mut salt, mut info) = (key.bytes(), snapshot(salt.as_ref())?, snapshot(info.as_ref())?);
    let mut derived = NewBytes::new(py, expanded_len(hash, length.0)?)?;
    let out = any_bytes(derived.room());
    let work = key.len() + salt.len() + info.len() + out.len();
    detached(py, work, || (hash.hkdf)(salt.take(), key, info.take(), out)).map_err(exception)?;
    Ok(derived.finish())
}

/// The first step of hkdf(): a pseudorandom key, of the digest's length.
#[pyfunction]
pub(crate) fn hkdf_extract<'py>(
    py: Python<'py>,
    hash_name: &Bound<'py, PyString>,
    key: Input<'_, 'py>,
    salt: Option<Input<'_, 'py>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let hash = Algorithm::from_digestmod(hash_name)?;
    let (key, salt) = (key.bytes(), bytes(salt.as_ref()));
    // RFC 5869 section 2.2: no salt is zeros, as an empty key of HMAC is.
    let prk = detached(py, key.len() + salt.len(), || (hash.key)(salt).mac(key));
    Ok(PyBytes::new(py, prk.as_bytes()))
}

/// The second step of hkdf(): a key of so many bytes from a pseudorandom key, which is at least as long as the digest.
///
/// Raises ValueError if it is shorter, and what hkdf() raises.
#[pyfunction]
pub(crate) fn hkdf_expand<'py>(
    py: Python<'py>,
    hash_name: &Bound<'py, PyString>,
    prk: Input<'_, 'py>,
    info: Option<Input<'_, 'py>>,
    length: Integer,
) -> PyResult<Bound<'py, PyBytes>> {
    let hash = Algorithm::from_digestmod(hash_name)?;
    let (prk, mut info) = (prk.bytes(), snapshot(info.as_ref())?);
    let mut derived = NewBytes::new(py, expanded_len(hash, length.0)?)?;
    let out = any_bytes(derived.room());
    let work = prk.len() + info.len() + out.len();
    detached(py, work, || (hash.hkdf_expand)(prk, info.take(), out)).map_err(exception)?;
    Ok(derived.finish())
}

fn snapshots<'a>(inputs: &'a [Input<'_, '_>]) -> PyResult<Vec<Snapshot<'a>>> {
    inputs.iter().map(Input::snapshot).collect()
}

/// What is read once a block of the key is copied where others may write to it: each block would have its own.
fn snapshot<'a>(input: Option<&'a Input<'_, '_>>) -> PyResult<Snapshot<'a>> {
    input.unwrap_or(const { &Input::NONE }).snapshot()
}

fn bytes<'a>(input: Option<&'a Input<'_, '_>>) -> &'a [u8] {
    input.map_or(&[], Input::bytes)
}

/// RFC 5869 section 2.3.
fn expanded_len(hash: &Algorithm, length: i128) -> PyResult<usize> {
    let max = 255 * hash.digest_len;
    usize::try_from(length)
        .ok()
        .filter(|&length| length <= max)
        .ok_or_else(|| PyValueError::new_err(format!("length must be from 0 to {max}")))
}
