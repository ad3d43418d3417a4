//! HMAC with the interface of the standard library's `hmac`, and keys that are prepared once.

use crate::algorithm::{from_digestmod, to_hex};
use crate::buffer::Input;
use crate::error::{expect_none, holds_a_key, invalid_tag};
use crate::hash::Function;
use crate::messages::{Messages, expect_count};
use crate::threads::{Locked, detached};
use keylane::any::{AnyHmac, AnyHmacKey, Digest};
use keylane::constant_time;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::ops::Range;

/// A running HMAC. Threads may share an object: their calls take turns.
///
/// Raises TypeError without a digestmod, ValueError for an unknown hash.
#[pyclass(frozen, extends = Function, name = "HMAC", module = "keylane.hmac")]
pub(crate) struct PyHmac(Locked<AnyHmac>);

impl PyHmac {
    fn start(py: Python<'_>, running: AnyHmac, msg: Option<Input<'_, '_>>) -> PyClassInitializer<Self> {
        let function = Function::hmac(running.algorithm());
        let hmac = Self(Locked::new(running));
        hmac.update(py, msg.unwrap_or(Input::NONE));
        function.add_subclass(hmac)
    }

    fn finish(&self, py: Python<'_>) -> Digest {
        self.0.copy(py).finalize()
    }
}

#[pymethods]
impl PyHmac {
    #[new]
    #[pyo3(signature = (key, msg = None, digestmod = None), text_signature = "(key, msg=None, digestmod='')")]
    fn new(
        py: Python<'_>,
        key: Input<'_, '_>,
        msg: Option<Input<'_, '_>>,
        digestmod: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        // As in the standard library, where an empty name is the default.
        let missing = || PyTypeError::new_err("missing required argument 'digestmod'");
        let digestmod = digestmod.ok_or_else(missing)?;
        if !digestmod.is_truthy()? {
            return Err(missing());
        }
        Ok(Self::start(py, prepare(py, &key, digestmod)?.start(), msg))
    }

    /// Absorbs a piece of the message. How the bytes are divided among calls does not change the tag.
    fn update(&self, py: Python<'_>, msg: Input<'_, '_>) {
        let msg = msg.bytes();
        self.0.with(py, msg.len(), |running| running.update(msg));
    }

    /// Returns the tag of everything absorbed. More data can follow. Compare tags with compare_digest(),
    /// never with ==.
    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.finish(py).as_bytes())
    }

    /// Returns digest() in hexadecimal.
    fn hexdigest(&self, py: Python<'_>) -> String {
        to_hex(&self.finish(py))
    }

    /// Returns an independent copy.
    fn copy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Self>> {
        Bound::new(py, Self::start(py, self.0.copy(py), None))
    }

    fn __reduce__(this: &Bound<'_, Self>) -> PyResult<()> {
        Err(holds_a_key(this))
    }
}

fn prepare(py: Python<'_>, key: &Input<'_, '_>, digestmod: &Bound<'_, PyAny>) -> PyResult<AnyHmacKey> {
    let (hash, key) = (from_digestmod(digestmod)?, key.bytes());
    Ok(detached(py, key.len(), || AnyHmacKey::new(hash, key)))
}

/// Begins an HMAC.
///
/// The digestmod is a hash's name, a constructor such as hashlib.sha256, a module with a function new(), or a
/// class of cryptography.hazmat.primitives.hashes or an instance of one. A constructor or a module is
/// recognised by its digest of the empty message. Raises TypeError without a digestmod, and ValueError for an
/// unknown hash. For many messages under one key, prepare a keylane.HmacKey.
#[pyfunction]
#[pyo3(signature = (key, msg = None, digestmod = None), text_signature = "(key, msg=None, digestmod='')")]
pub(crate) fn new<'py>(
    py: Python<'py>,
    key: Input<'_, 'py>,
    msg: Option<Input<'_, 'py>>,
    digestmod: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyHmac>> {
    Bound::new(py, PyHmac::new(py, key, msg, digestmod)?)
}

/// Returns the tag of a message in one call. The digest is anything that new() accepts as digestmod.
#[pyfunction]
pub(crate) fn digest<'py>(
    py: Python<'py>,
    key: Input<'_, 'py>,
    msg: Input<'_, 'py>,
    digest: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (hash, key, msg) = (from_digestmod(digest)?, key.bytes(), msg.bytes());
    let tag = detached(py, key.len().max(msg.len()), || AnyHmacKey::new(hash, key).mac(msg));
    Ok(PyBytes::new(py, tag.as_bytes()))
}

/// Returns the index of the first key that made one of the tags: while a secret is rotated, or for a sender
/// that signs with the old and the new one. Raises InvalidTag if no key made any of them. The keys may be of
/// different hashes; a tag that is not as long as the digest is wrong.
///
///     >>> keys = [keylane.HmacKey(secret, "sha256") for secret in (new, old)]
///     >>> keylane.verify_any(keys, b"message", [tag])
///     1
///
/// The time does not depend on where a wrong tag differs, but reveals which key made which tag.
#[pyfunction]
pub(crate) fn verify_any<'py>(
    py: Python<'py>,
    keys: Messages<'py>,
    message: Input<'_, 'py>,
    tags: Messages<'py>,
) -> PyResult<usize> {
    let (keys, tags) = (keys.instances::<PyHmacKey>()?, tags.inputs()?);
    let keys: Vec<_> = keys.iter().map(|key| &key.get().0).collect();
    let (message, tags) = (message.bytes(), tags.iter().map(Input::bytes).collect::<Vec<_>>());
    detached(py, message.len().saturating_mul(keys.len()), || AnyHmacKey::verify_any(keys, message, &tags))
        .map_err(|_| invalid_tag())
}

/// An HMAC key, prepared once: a short message then costs half as much as with hmac.digest(). Threads may
/// share an object.
///
/// The key may have any length; a key shorter than the digest weakens HMAC. The digestmod is anything that
/// hmac.new() accepts.
///
///     >>> key = keylane.HmacKey(b"secret", "sha256")
///     >>> tag = key.mac(b"message")
///     >>> key.verify(b"message", tag)
///     >>> tags = key.mac_many([b"one message", b"another"])
#[pyclass(frozen, extends = Function, name = "HmacKey", module = "keylane")]
pub(crate) struct PyHmacKey(AnyHmacKey);

impl PyHmacKey {
    fn mac_block(&self, msgs: &[&[u8]], tags: &mut [u8]) {
        self.0.mac_many(msgs, tags).expect("a tag for each message");
    }
}

#[pymethods]
impl PyHmacKey {
    #[new]
    fn new(
        py: Python<'_>,
        key: Input<'_, '_>,
        digestmod: &Bound<'_, PyAny>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let key = prepare(py, &key, digestmod)?;
        let function = Function::hmac(key.algorithm());
        Ok(function.add_subclass(Self(key)))
    }

    /// Returns the tag of a message.
    fn mac<'py>(&self, py: Python<'py>, msg: Input<'_, 'py>) -> Bound<'py, PyBytes> {
        let msg = msg.bytes();
        let tag = detached(py, msg.len(), || self.0.mac(msg));
        PyBytes::new(py, tag.as_bytes())
    }

    /// Returns the tags of several messages, computed in parallel, which is faster than one after the other.
    /// The messages may differ in length.
    fn mac_many<'py>(&self, py: Python<'py>, msgs: Messages<'py>) -> PyResult<Bound<'py, PyList>> {
        msgs.digests(py, self.0.algorithm(), |_, msgs, tags| self.mac_block(msgs, tags))
    }

    /// Returns the tags of several messages, each under its own key, computed in parallel. The messages may
    /// differ in length.
    ///
    /// Raises ValueError if there are not as many keys as messages, or for keys of different hashes.
    #[staticmethod]
    fn mac_each<'py>(
        py: Python<'py>,
        keys: Messages<'py>,
        msgs: Messages<'py>,
    ) -> PyResult<Bound<'py, PyList>> {
        expect_count("messages", keys.len(), msgs.len())?;
        let keys = keys.instances::<Self>()?;
        let keys: Vec<_> = keys.iter().map(|key| &key.get().0).collect();
        let Some(first) = keys.first() else { return Ok(PyList::empty(py)) };
        let hash = first.algorithm();
        if keys.iter().any(|key| key.algorithm() != hash) {
            return Err(PyValueError::new_err("the keys must have the same hash"));
        }
        msgs.digests(py, hash, |block, msgs, tags| {
            let jobs: Vec<_> = keys[block].iter().copied().zip(msgs.iter().copied()).collect();
            AnyHmacKey::mac_each(&jobs, tags).expect("keys of one hash, and a tag for each message");
        })
    }

    /// Checks a message's tag, all of it. Raises InvalidTag if it is wrong. The time does not depend on where
    /// a wrong tag differs.
    fn verify(&self, py: Python<'_>, msg: Input<'_, '_>, tag: Input<'_, '_>) -> PyResult<()> {
        let (msg, tag) = (msg.bytes(), tag.bytes());
        detached(py, msg.len(), || self.0.verify(msg, tag)).map_err(|_| invalid_tag())
    }

    /// Checks a tag that was truncated to its first bytes: at least 10 (RFC 2104 section 5). Raises
    /// InvalidTag if it is wrong, or has another length.
    ///
    /// Each byte less makes a guess 256 times as likely to be right. The protocol must determine the length,
    /// not the sender: compare it first, or a forger will send 10 bytes.
    fn verify_truncated(&self, py: Python<'_>, msg: Input<'_, '_>, tag: Input<'_, '_>) -> PyResult<()> {
        let (msg, tag) = (msg.bytes(), tag.bytes());
        detached(py, msg.len(), || self.0.verify_truncated(msg, tag)).map_err(|_| invalid_tag())
    }

    /// Checks the tags of several messages, in parallel. Raises InvalidTag if any is wrong; the exception's
    /// attribute failed lists the indices of those messages.
    ///
    /// Raises ValueError if there are not as many tags as messages.
    fn verify_many<'py>(&self, py: Python<'py>, msgs: Messages<'py>, tags: Messages<'py>) -> PyResult<()> {
        expect_count("tags", msgs.len(), tags.len())?;
        let mut failed = Vec::new();
        let take = |block: Range<usize>, expected: &[u8]| {
            let expected = expected.chunks_exact(self.0.algorithm().output_len());
            for ((i, tag), expected) in block.clone().zip(tags.inputs_of(block)?).zip(expected) {
                if !constant_time::eq(expected, tag.bytes()) {
                    failed.push(i);
                }
            }
            Ok(())
        };
        msgs.hash(py, self.0.algorithm(), |_, msgs, tags| self.mac_block(msgs, tags), take)?;
        expect_none(py, failed)
    }

    /// Begins the HMAC of a message that arrives in pieces.
    #[pyo3(signature = (msg = None))]
    fn start<'py>(&self, py: Python<'py>, msg: Option<Input<'_, 'py>>) -> PyResult<Bound<'py, PyHmac>> {
        Bound::new(py, PyHmac::start(py, self.0.start(), msg))
    }

    fn __reduce__(this: &Bound<'_, Self>) -> PyResult<()> {
        Err(holds_a_key(this))
    }
}
