//! HMAC, as in the standard library's `hmac`, and with a key that is prepared once.

use crate::algorithm::{Named, to_hex};
use crate::buffer::Input;
use crate::error::{expect_none, holds_a_key, invalid_tag};
use crate::messages::{Messages, expect_count};
use crate::threads::{Locked, detached};
use keylane::constant_time;
use keylane::hash::{AnyHmac, AnyHmacKey, Digest};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::ops::Range;

/// A running HMAC. Threads may share an object: their calls take turns.
///
/// Raises TypeError without a digestmod, ValueError for an unknown hash.
#[pyclass(frozen, name = "HMAC", module = "keylane.hmac")]
pub(crate) struct PyHmac {
    algorithm: &'static Named,
    running: Locked<AnyHmac>,
}

impl PyHmac {
    fn start(
        py: Python<'_>,
        algorithm: &'static Named,
        running: AnyHmac,
        msg: Option<&Input<'_, '_>>,
    ) -> Self {
        let hmac = Self { algorithm, running: Locked::new(running) };
        if let Some(msg) = msg {
            hmac.absorb(py, msg);
        }
        hmac
    }

    fn absorb(&self, py: Python<'_>, msg: &Input<'_, '_>) {
        let msg = msg.bytes();
        self.running.with(py, msg.len(), |running| running.update(msg));
    }

    fn finish(&self, py: Python<'_>) -> Digest {
        self.running.with(py, 0, |running| running.clone().finalize())
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
    ) -> PyResult<Self> {
        // As in the standard library, where an empty name is the default.
        let missing = || PyTypeError::new_err("missing required argument 'digestmod'");
        let digestmod = digestmod.ok_or_else(missing)?;
        if !digestmod.is_truthy()? {
            return Err(missing());
        }
        let algorithm = Named::from_digestmod(digestmod)?;
        let running = prepare(py, algorithm, &key).start();
        Ok(Self::start(py, algorithm, running, msg.as_ref()))
    }

    /// The name: "hmac-sha256".
    #[getter]
    fn name(&self) -> String {
        format!("hmac-{}", self.algorithm.name)
    }

    /// The tag's length in bytes.
    #[getter]
    fn digest_size(&self) -> usize {
        self.algorithm.id.output_len()
    }

    /// The length of the hash's block in bytes.
    #[getter]
    fn block_size(&self) -> usize {
        self.algorithm.id.block_len()
    }

    /// Absorbs a piece of the message. How the bytes are divided among calls does not change the tag.
    fn update(&self, py: Python<'_>, msg: Input<'_, '_>) {
        self.absorb(py, &msg);
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
    fn copy(&self, py: Python<'_>) -> Self {
        let running = self.running.with(py, 0, |running| running.clone());
        Self { algorithm: self.algorithm, running: Locked::new(running) }
    }

    fn __repr__(&self) -> String {
        format!("<keylane.hmac.HMAC {}>", self.name())
    }

    fn __reduce__(this: &Bound<'_, Self>) -> PyResult<()> {
        Err(holds_a_key(this))
    }
}

fn prepare(py: Python<'_>, algorithm: &Named, key: &Input<'_, '_>) -> AnyHmacKey {
    let key = key.bytes();
    detached(py, key.len(), || AnyHmacKey::new(algorithm.id, key))
}

/// Begins an HMAC.
///
/// The digestmod is a hash's name, a constructor such as hashlib.sha256, a module with a function new(), or a
/// class of cryptography.hazmat.primitives.hashes or an instance of one. A constructor or a module is
/// recognised by its digest of the empty message. Raises TypeError without a digestmod, and ValueError for an
/// unknown hash. For many messages under one key, prepare a keylane.HmacKey.
#[pyfunction]
#[pyo3(signature = (key, msg = None, digestmod = None), text_signature = "(key, msg=None, digestmod='')")]
pub(crate) fn new(
    py: Python<'_>,
    key: Input<'_, '_>,
    msg: Option<Input<'_, '_>>,
    digestmod: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyHmac> {
    PyHmac::new(py, key, msg, digestmod)
}

/// Returns the tag of a message in one call. The digest is anything that new() accepts as digestmod.
#[pyfunction]
pub(crate) fn digest<'py>(
    py: Python<'py>,
    key: Input<'_, 'py>,
    msg: Input<'_, 'py>,
    digest: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let algorithm = Named::from_digestmod(digest)?;
    let (key, msg) = (key.bytes(), msg.bytes());
    let tag = detached(py, key.len().max(msg.len()), || AnyHmacKey::new(algorithm.id, key).mac(msg));
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
/// The time does not depend on where a wrong tag differs. It does on which key matched, as the result does.
#[pyfunction]
pub(crate) fn verify_any<'py>(
    py: Python<'py>,
    keys: Messages<'py>,
    message: Input<'_, 'py>,
    tags: Messages<'py>,
) -> PyResult<usize> {
    let (keys, tags) = (keys.instances::<PyHmacKey>()?, tags.inputs()?);
    let keys: Vec<_> = keys.iter().map(|key| &key.get().key).collect();
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
#[pyclass(frozen, name = "HmacKey", module = "keylane")]
pub(crate) struct PyHmacKey {
    algorithm: &'static Named,
    key: AnyHmacKey,
}

impl PyHmacKey {
    fn mac_block(&self, msgs: &[&[u8]], tags: &mut [u8]) {
        self.key.mac_many(msgs, tags).expect("a tag for each message");
    }
}

#[pymethods]
impl PyHmacKey {
    #[new]
    fn new(py: Python<'_>, key: Input<'_, '_>, digestmod: &Bound<'_, PyAny>) -> PyResult<Self> {
        let algorithm = Named::from_digestmod(digestmod)?;
        Ok(Self { algorithm, key: prepare(py, algorithm, &key) })
    }

    /// The name: "hmac-sha256".
    #[getter]
    fn name(&self) -> String {
        format!("hmac-{}", self.algorithm.name)
    }

    /// The tag's length in bytes.
    #[getter]
    fn digest_size(&self) -> usize {
        self.algorithm.id.output_len()
    }

    /// The length of the hash's block in bytes.
    #[getter]
    fn block_size(&self) -> usize {
        self.algorithm.id.block_len()
    }

    /// Returns the tag of a message.
    fn mac<'py>(&self, py: Python<'py>, msg: Input<'_, 'py>) -> Bound<'py, PyBytes> {
        let msg = msg.bytes();
        let tag = detached(py, msg.len(), || self.key.mac(msg));
        PyBytes::new(py, tag.as_bytes())
    }

    /// Returns the tags of several messages, computed in parallel, which is faster than one after the other.
    /// The messages may differ in length.
    fn mac_many<'py>(&self, py: Python<'py>, msgs: Messages<'py>) -> PyResult<Bound<'py, PyList>> {
        msgs.digests(py, self.algorithm.id, |_, msgs, tags| self.mac_block(msgs, tags))
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
        let keys: Vec<_> = keys.iter().map(|key| &key.get().key).collect();
        let Some(first) = keys.first() else { return Ok(PyList::empty(py)) };
        let hash = first.algorithm();
        if keys.iter().any(|key| key.algorithm() != hash) {
            return Err(PyValueError::new_err("the keys must be of one hash"));
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
        detached(py, msg.len(), || self.key.verify(msg, tag)).map_err(|_| invalid_tag())
    }

    /// Checks a tag that was truncated to its first bytes: at least 10 (RFC 2104 section 5). Raises
    /// InvalidTag if it is wrong, or has another length.
    ///
    /// Each byte less makes a guess 256 times as likely to be right. The protocol must determine the length,
    /// not the sender: compare it first, or a forger will send 10 bytes.
    fn verify_truncated(&self, py: Python<'_>, msg: Input<'_, '_>, tag: Input<'_, '_>) -> PyResult<()> {
        let (msg, tag) = (msg.bytes(), tag.bytes());
        detached(py, msg.len(), || self.key.verify_truncated(msg, tag)).map_err(|_| invalid_tag())
    }

    /// Checks the tags of several messages, in parallel. Raises InvalidTag if any is wrong; the exception's
    /// attribute failed lists the indices of those messages.
    ///
    /// Raises ValueError if there are not as many tags as messages.
    fn verify_many<'py>(&self, py: Python<'py>, msgs: Messages<'py>, tags: Messages<'py>) -> PyResult<()> {
        expect_count("tags", msgs.len(), tags.len())?;
        let mut failed = Vec::new();
        let take = |block: Range<usize>, expected: &[u8]| {
            let expected = expected.chunks_exact(self.digest_size());
            for ((i, tag), expected) in block.clone().zip(tags.inputs_of(block)?).zip(expected) {
                if !constant_time::eq(expected, tag.bytes()) {
                    failed.push(i);
                }
            }
            Ok(())
        };
        msgs.hash(py, self.algorithm.id, |_, msgs, tags| self.mac_block(msgs, tags), take)?;
        expect_none(py, failed)
    }

    /// Begins the HMAC of a message that arrives in pieces.
    #[pyo3(signature = (msg = None))]
    fn start(&self, py: Python<'_>, msg: Option<Input<'_, '_>>) -> PyHmac {
        PyHmac::start(py, self.algorithm, self.key.start(), msg.as_ref())
    }

    fn __repr__(&self) -> String {
        format!("<keylane.HmacKey {}>", self.name())
    }

    fn __reduce__(this: &Bound<'_, Self>) -> PyResult<()> {
        Err(holds_a_key(this))
    }
}
