//! Authenticated encryption, like `cryptography.hazmat.primitives.ciphers.aead`.

use crate::buffer::{Input, NewBytes, Output, Private, Source};
use crate::error::{exception, expect_len, holds_a_key, invalid_tag};
use crate::integer::Integer;
use crate::many::{Batch, Direction, TAG_LEN};
use crate::messages::Messages;
use crate::threads::detached;
use keylane::Error;
use keylane::aes_gcm::TruncatedTag;
use keylane::any::{AeadKind, AnyAead};
use keylane_cpu::in_out::any_bytes;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::ops::RangeInclusive;

/// The lengths in bytes that `cryptography` accepts.
const GCM_NONCES: RangeInclusive<usize> = 8..=128;

/// The AEADs of the class AESGCM, which differ in their keys' lengths.
const AES_GCM: [AeadKind; 3] = [AeadKind::Aes128Gcm, AeadKind::Aes192Gcm, AeadKind::Aes256Gcm];
const AES_GCM_SIV: [AeadKind; 2] = [AeadKind::Aes128GcmSiv, AeadKind::Aes256GcmSiv];

/// Returns the lengths of keys in bytes times `unit`: "128, 192 or 256".
fn key_lens(kinds: &[AeadKind], unit: usize) -> String {
    let lens: Vec<_> = kinds.iter().map(|kind| (unit * kind.key_len()).to_string()).collect();
    let lens = lens.join(", ");
    lens.rsplit_once(", ").map(|(rest, last)| format!("{rest} or {last}")).unwrap_or(lens)
}

/// Returns a random key of as many bits, from the operating system.
fn random_key<'py>(py: Python<'py>, kinds: &[AeadKind], bits: &Integer) -> PyResult<Bound<'py, PyAny>> {
    let len = kinds.iter().map(|kind| kind.key_len()).find(|&len| 8 * len as i128 == bits.0);
    let wrong = || PyValueError::new_err(format!("bit_length must be {}", key_lens(kinds, 8)));
    random(py, len.ok_or_else(wrong)?)
}

fn random(py: Python<'_>, bytes: usize) -> PyResult<Bound<'_, PyAny>> {
    py.import("os")?.getattr("urandom")?.call1((bytes,))
}

/// Seals or opens `text` into memory private to this call. Each byte of `text` is read once, so the tag of a
/// sealed text matches it whatever other threads write meanwhile. If a text to open were read twice, to hash
/// it and to decrypt it, bytes that another thread writes in between would pass as authentic.
///
/// Callers have checked the nonce's length.
fn crypt(
    direction: Direction,
    aead: &Aead,
    nonce: &[u8],
    aad: &[u8],
    text: Source<'_>,
    output: &mut [u8],
) -> Result<(), Error> {
    let (key, tag_len) = (&aead.key, aead.tag_len);
    let in_one_pass = nonce.len() == key.algorithm().nonce_len() && tag_len == TAG_LEN;
    match (direction, text) {
        (Direction::Seal, Source::Fixed(text)) if in_one_pass => key.seal_to(nonce, aad, &[text], output),
        (Direction::Open, Source::Fixed(sealed)) if in_one_pass => key.open_to(nonce, aad, sealed, output),
        (Direction::Seal, text) => {
            let (data, tag) = output.split_at_mut(text.len());
            text.copy_to(data);
            let whole = match key.as_aes_gcm() {
                Some(gcm) => gcm.seal_any_nonce(nonce, aad, data)?,
                None => key.seal(nonce, aad, data)?,
            };
            tag.copy_from_slice(&whole[..tag_len]);
            Ok(())
        }
        (Direction::Open, sealed) => {
            let (ciphertext, received) = sealed.split_at(output.len());
            ciphertext.copy_to(output);
            let mut tag = [0; TAG_LEN];
            received.copy_to(&mut tag[..tag_len]);
            match key.as_aes_gcm() {
                Some(gcm) => {
                    let tag = TruncatedTag::short(&tag[..tag_len])?;
                    gcm.open_truncated_any_nonce(nonce, aad, output, &tag)
                }
                None => key.open(nonce, aad, output, &tag),
            }
        }
    }
}

/// Calls `work` with the nonce, the associated data, which in Python may be None, and the text. Releases the
/// GIL if they are long. The nonce is copied before: kernels read it more than once per message, and if
/// another thread changed it in between, one message would be encrypted under two nonces, of which another
/// message may have used one.
fn detached_with<R: Send>(
    py: Python<'_>,
    nonce: Source<'_>,
    aad: Option<&Input<'_, '_>>,
    text: Source<'_>,
    work: impl FnOnce(&[u8], &[u8], Source<'_>) -> Result<R, Error> + Send,
) -> PyResult<R> {
    let aad = aad.unwrap_or(&Input::NONE).source();
    let (bytes, mut nonce, mut aad) =
        (text.len().saturating_add(aad.len()), nonce.snapshot()?, aad.snapshot()?);
    let nonce = nonce.take();
    detached(py, bytes, move || work(nonce, aad.take(), text)).map_err(exception)
}

/// The arguments of every method.
struct Message<'a, 'py> {
    py: Python<'py>,
    nonce: Input<'a, 'py>,
    data: Input<'a, 'py>,
    aad: Option<Input<'a, 'py>>,
}

impl<'py> Message<'_, 'py> {
    /// Checks the nonce's length, and returns the length of the sealed or opened message.
    fn result_len(&self, direction: Direction, aead: &Aead) -> PyResult<usize> {
        let (given, len) = (self.nonce.len(), self.data.len());
        if aead.key.as_aes_gcm().is_none() {
            expect_len("nonce", aead.key.algorithm().nonce_len(), given)?;
        } else if !GCM_NONCES.contains(&given) {
            let (min, max) = GCM_NONCES.into_inner();
            let message = format!("nonce must be {min} to {max} bytes long, not {given}");
            return Err(PyValueError::new_err(message));
        }
        match direction {
            Direction::Seal => Ok(len + aead.tag_len),
            Direction::Open => len.checked_sub(aead.tag_len).ok_or_else(invalid_tag),
        }
    }

    fn detached<R: Send>(
        &self,
        work: impl FnOnce(&[u8], &[u8], Source<'_>) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        detached_with(self.py, self.nonce.source(), self.aad.as_ref(), self.data.source(), work)
    }

    /// Returns the sealed or opened message.
    fn to_bytes(&self, direction: Direction, aead: &Aead) -> PyResult<Bound<'py, PyBytes>> {
        let mut result = NewBytes::new(self.py, self.result_len(direction, aead)?)?;
        let room = result.room();
        self.detached(|nonce, aad, text| crypt(direction, aead, nonce, aad, text, any_bytes(room)))?;
        Ok(result.finish())
    }

    /// Writes the sealed or opened message to `buf`, and returns its length.
    fn to_buf(&self, direction: Direction, aead: &Aead, mut buf: Output<'_>) -> PyResult<usize> {
        let len = self.result_len(direction, aead)?;
        expect_len("buf", len, buf.len())?;
        let aad = self.aad.as_ref().unwrap_or(&Input::NONE);
        let mut target = buf.target(len, &self.data, &[&self.nonce, aad])?;
        let mut result = Private::new(len)?;
        self.detached(move |nonce, aad, text| {
            let done = crypt(direction, aead, nonce, aad, text, result.room());
            match (direction, &done) {
                (_, Ok(())) => target.write(result.written()),
                (Direction::Seal, Err(_)) => {}
                (Direction::Open, Err(_)) => target.fill_with_zeros(),
            }
            if direction == Direction::Seal && done.is_ok() {
                result.drop_unwiped();
            }
            done.map(|()| len)
        })
    }
}

/// The base class: the methods of all AEADs.
#[pyclass(frozen, subclass, name = "_Aead", module = "keylane")]
pub(crate) struct Aead {
    /// Boxed: Python's memory is aligned to 16 bytes, an AES-GCM key to 64.
    key: Box<AnyAead>,
    /// The length of the tags: 16, or less for AES-GCM.
    tag_len: usize,
}

impl Aead {
    /// Prepares a key with the AEAD that has its length.
    fn new(kinds: &[AeadKind], key: &Input<'_, '_>, tag_len: usize) -> PyResult<PyClassInitializer<Self>> {
        let key = key.bytes();
        let kind = kinds.iter().find(|kind| kind.key_len() == key.len()).ok_or_else(|| {
            let message = format!("key must be {} bytes long, not {}", key_lens(kinds, 1), key.len());
            PyValueError::new_err(message)
        })?;
        Ok(Self { key: Box::new(AnyAead::from_slice(*kind, key).map_err(exception)?), tag_len }.into())
    }

    fn batch<'py>(
        &self,
        py: Python<'py>,
        direction: Direction,
        nonces: Bound<'py, PyAny>,
        aads: Option<Messages<'py>>,
    ) -> PyResult<Batch<'_, 'py>> {
        if self.tag_len != TAG_LEN {
            let message = "the methods for many messages have tags of 16 bytes, not of another tag_length";
            return Err(PyValueError::new_err(message));
        }
        Ok(Batch { py, direction, key: &self.key, nonces, aads })
    }
}

#[pymethods]
impl Aead {
    /// Returns the encrypted data followed by the tag, 16 bytes or tag_length, which also covers
    /// associated_data (None if there is none) and the nonce.
    ///
    /// Raises ValueError for a nonce of the wrong length, OverflowError if there is more data than the
    /// algorithm allows.
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        nonce: Input<'_, 'py>,
        data: Input<'_, 'py>,
        associated_data: Option<Input<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        Message { py, nonce, data, aad: associated_data }.to_bytes(Direction::Seal, self)
    }

    /// Decrypts and returns what encrypt() encrypted. The nonce and associated_data must be the same.
    ///
    /// Raises InvalidTag if they are not, or if data was changed or is shorter than a tag.
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        nonce: Input<'_, 'py>,
        data: Input<'_, 'py>,
        associated_data: Option<Input<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        Message { py, nonce, data, aad: associated_data }.to_bytes(Direction::Open, self)
    }

    /// Writes what encrypt() returns to buf, which must have its length: that of data and the tag. Returns
    /// the length.
    ///
    /// buf may begin where data begins: then it is encrypted in place. Raises ValueError if buf
    /// overlaps an input in another way, or has another length, and TypeError if it is read-only. The
    /// result is computed in private memory and copied to buf at the end, so writes by other threads to
    /// data or buf during the call do not cause a wrong tag.
    fn encrypt_into<'py>(
        &self,
        py: Python<'py>,
        nonce: Input<'_, 'py>,
        data: Input<'_, 'py>,
        associated_data: Option<Input<'_, 'py>>,
        buf: Output<'py>,
    ) -> PyResult<usize> {
        Message { py, nonce, data, aad: associated_data }.to_buf(Direction::Seal, self, buf)
    }

    /// Writes what decrypt() returns to buf, which must have its length: that of data less the tag. Returns
    /// the length.
    ///
    /// buf may begin where data begins, as for encrypt_into(), and the same exceptions are raised.
    /// After InvalidTag, buf holds zeros, unless data was shorter than a tag.
    fn decrypt_into<'py>(
        &self,
        py: Python<'py>,
        nonce: Input<'_, 'py>,
        data: Input<'_, 'py>,
        associated_data: Option<Input<'_, 'py>>,
        buf: Output<'py>,
    ) -> PyResult<usize> {
        Message { py, nonce, data, aad: associated_data }.to_buf(Direction::Open, self, buf)
    }

    /// Encrypts many messages, in parallel where that is faster, and returns a list of what encrypt()
    /// returns.
    ///
    /// nonces is an iterable of nonces, or one bytes-like object with all of them; AES-GCM's have 12
    /// bytes here. associated_data is None, or an iterable with the associated data of each message.
    ///
    /// Raises ValueError unless there are as many nonces, texts and associated data.
    #[pyo3(signature = (nonces, texts, associated_data = None))]
    fn encrypt_many<'py>(
        &self,
        py: Python<'py>,
        nonces: Bound<'py, PyAny>,
        texts: Messages<'py>,
        associated_data: Option<Messages<'py>>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.batch(py, Direction::Seal, nonces, associated_data)?.list(&texts)
    }

    /// Decrypts and returns the messages that encrypt_many() encrypted.
    ///
    /// Raises InvalidTag if any of them is not as it was encrypted; the exception's attribute failed
    /// lists the indices of those messages.
    #[pyo3(signature = (nonces, texts, associated_data = None))]
    fn decrypt_many<'py>(
        &self,
        py: Python<'py>,
        nonces: Bound<'py, PyAny>,
        texts: Messages<'py>,
        associated_data: Option<Messages<'py>>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.batch(py, Direction::Open, nonces, associated_data)?.list(&texts)
    }

    /// Encrypts the messages in buf in place, and writes their tags, 16 bytes each, to tags. Message i
    /// is buf[offsets[i]:offsets[i + 1]]; the offsets ascend from 0 to the length of buf.
    ///
    /// The other arguments are those of encrypt_many(). Raises ValueError for other offsets, for tags
    /// of another length, or if tags overlaps buf.
    #[pyo3(signature = (nonces, buf, offsets, tags, associated_data = None))]
    fn encrypt_many_into<'py>(
        &self,
        py: Python<'py>,
        nonces: Bound<'py, PyAny>,
        buf: Bound<'py, PyAny>,
        offsets: Bound<'py, PyAny>,
        tags: Bound<'py, PyAny>,
        associated_data: Option<Messages<'py>>,
    ) -> PyResult<()> {
        self.batch(py, Direction::Seal, nonces, associated_data)?.in_place(&buf, &offsets, &tags)
    }

    /// Decrypts the messages in buf in place, as encrypt_many_into() encrypts them.
    ///
    /// Raises InvalidTag as decrypt_many() does. The messages that failed are zeros then; the others
    /// are decrypted.
    #[pyo3(signature = (nonces, buf, offsets, tags, associated_data = None))]
    fn decrypt_many_into<'py>(
        &self,
        py: Python<'py>,
        nonces: Bound<'py, PyAny>,
        buf: Bound<'py, PyAny>,
        offsets: Bound<'py, PyAny>,
        tags: Bound<'py, PyAny>,
        associated_data: Option<Messages<'py>>,
    ) -> PyResult<()> {
        self.batch(py, Direction::Open, nonces, associated_data)?.in_place(&buf, &offsets, &tags)
    }

    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("<keylane.{} {}>", this.get_type().name()?, this.get().key.algorithm()))
    }

    fn __reduce__(this: &Bound<'_, Self>) -> PyResult<()> {
        Err(holds_a_key(this))
    }
}

/// AES-GCM (NIST SP 800-38D) with a key of 16, 24 or 32 bytes. Threads may share an object.
///
///     >>> key = keylane.AESGCM.generate_key(bit_length=256)
///     >>> aead = keylane.AESGCM(key)
///     >>> nonce = os.urandom(12)
///     >>> sealed = aead.encrypt(nonce, b"attack at dawn", b"to the general")
///     >>> aead.decrypt(nonce, sealed, b"to the general")
///     b'attack at dawn'
///
/// A nonce should have 12 bytes. 8 to 128 are accepted; lengths other than 12 are hashed first, which is
/// slower. A nonce must never be used twice with one key: two such messages reveal the XOR of the
/// plaintexts and the authentication key, with which anyone can forge messages. Use a counter as the
/// nonce, or random nonces for at most 2**32 messages under one key.
///
/// A protocol with shorter tags sets their tag_length in bytes, from 4. Each byte less makes a guess 256
/// times as likely to be right, and each forgery makes the next one easier (SP 800-38D appendix C). The
/// methods for many messages have tags of 16 bytes only, and raise ValueError for an object with others.
///
/// Raises ValueError for a key of another length or another tag_length.
#[pyclass(frozen, extends = Aead, name = "AESGCM", module = "keylane")]
pub(crate) struct AesGcm;

#[pymethods]
impl AesGcm {
    #[new]
    #[pyo3(signature = (key, tag_length = Integer(16)), text_signature = "(key, tag_length=16)")]
    fn new(key: Input<'_, '_>, tag_length: Integer) -> PyResult<PyClassInitializer<Self>> {
        let tag_len = usize::try_from(tag_length.0).unwrap_or(usize::MAX);
        if !(TruncatedTag::MIN_SHORT_LEN..=TAG_LEN).contains(&tag_len) {
            let message = format!("tag_length must be {} to {TAG_LEN} bytes", TruncatedTag::MIN_SHORT_LEN);
            return Err(PyValueError::new_err(message));
        }
        Ok(Aead::new(&AES_GCM, &key, tag_len)?.add_subclass(Self))
    }

    /// Returns a random key of 128, 192 or 256 bits, from the operating system. Raises ValueError for
    /// another bit_length.
    #[staticmethod]
    fn generate_key(py: Python<'_>, bit_length: Integer) -> PyResult<Bound<'_, PyAny>> {
        random_key(py, &AES_GCM, &bit_length)
    }
}

/// AES-GCM-SIV (RFC 8452) with a key of 16 or 32 bytes and nonces of 12, which may repeat: two messages under
/// one key and one nonce reveal whether they are equal, and nothing else. Threads may share an object.
///
///     >>> key = keylane.AESGCMSIV.generate_key(bit_length=256)
///     >>> aead = keylane.AESGCMSIV(key)
///     >>> cell = aead.encrypt(bytes(12), b"attack at dawn", b"column 3")
///     >>> aead.decrypt(bytes(12), cell, b"column 3")
///     b'attack at dawn'
///
/// Raises ValueError for a key of another length.
#[pyclass(frozen, extends = Aead, name = "AESGCMSIV", module = "keylane")]
pub(crate) struct AesGcmSiv;

#[pymethods]
impl AesGcmSiv {
    #[new]
    fn new(key: Input<'_, '_>) -> PyResult<PyClassInitializer<Self>> {
        Ok(Aead::new(&AES_GCM_SIV, &key, TAG_LEN)?.add_subclass(Self))
    }

    /// Returns a random key of 128 or 256 bits, from the operating system. Raises ValueError for another
    /// bit_length.
    #[staticmethod]
    fn generate_key(py: Python<'_>, bit_length: Integer) -> PyResult<Bound<'_, PyAny>> {
        random_key(py, &AES_GCM_SIV, &bit_length)
    }
}

/// Defines classes of one AEAD each.
macro_rules! classes {
    ($($(#[$doc:meta])* $Kind:ident $name:literal)*) => { $(
        $(#[$doc])*
        #[pyclass(frozen, extends = Aead, name = $name, module = "keylane")]
        pub(crate) struct $Kind;

        #[pymethods]
        impl $Kind {
            #[new]
            fn new(key: Input<'_, '_>) -> PyResult<PyClassInitializer<Self>> {
                Ok(Aead::new(&[AeadKind::$Kind], &key, TAG_LEN)?.add_subclass(Self))
            }

            /// Returns a random key, from the operating system.
            #[staticmethod]
            fn generate_key(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
                random(py, AeadKind::$Kind.key_len())
            }
        }
    )* };
}

classes! {
    /// ChaCha20-Poly1305 (RFC 8439) with a key of 32 bytes and nonces of 12. Threads may share an object.
    ///
    ///     >>> key = keylane.ChaCha20Poly1305.generate_key()
    ///     >>> aead = keylane.ChaCha20Poly1305(key)
    ///     >>> nonce = os.urandom(12)
    ///     >>> sealed = aead.encrypt(nonce, b"attack at dawn", None)
    ///
    /// A nonce must never be used twice with one key: two such messages reveal the XOR of the plaintexts and
    /// the key that authenticates them. Use a counter as the nonce; for random nonces, use XChaCha20Poly1305.
    ///
    /// Raises ValueError for a key of another length.
    ChaCha20Poly1305 "ChaCha20Poly1305"

    /// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) with a key of 32 bytes and nonces of 24, which may be
    /// random. Threads may share an object.
    ///
    ///     >>> key = keylane.XChaCha20Poly1305.generate_key()
    ///     >>> aead = keylane.XChaCha20Poly1305(key)
    ///     >>> nonce = os.urandom(24)
    ///     >>> sealed = aead.encrypt(nonce, b"attack at dawn", None)
    ///
    /// A nonce must never be used twice with one key, as for ChaCha20Poly1305.
    ///
    /// Raises ValueError for a key of another length.
    XChaCha20Poly1305 "XChaCha20Poly1305"

    /// XAES-256-GCM (C2SP) with a key of 32 bytes and nonces of 24, which may be random. Threads may share an
    /// object.
    ///
    ///     >>> key = keylane.XAES256GCM.generate_key()
    ///     >>> aead = keylane.XAES256GCM(key)
    ///     >>> nonce = os.urandom(24)
    ///     >>> sealed = aead.encrypt(nonce, b"attack at dawn", None)
    ///
    /// A nonce must never be used twice with one key, as for AESGCM. RandomNonces makes the nonces.
    ///
    /// Raises ValueError for a key of another length.
    Xaes256Gcm "XAES256GCM"
}

/// Encryption under random nonces: each message begins with its own. Threads may share an object.
///
///     >>> key = keylane.XAES256GCM.generate_key()
///     >>> aead = keylane.RandomNonces(keylane.XAES256GCM(key))
///     >>> sealed = aead.encrypt(b"attack at dawn", b"to the general")
///     >>> aead.decrypt(sealed, b"to the general")
///     b'attack at dawn'
///
/// The AEAD is an XAES256GCM, an XChaCha20Poly1305 or an AESGCMSIV. Raises TypeError for another, whose
/// nonces are too short to be random.
#[pyclass(frozen, module = "keylane")]
pub(crate) struct RandomNonces(Py<Aead>);

#[pymethods]
impl RandomNonces {
    #[new]
    fn new(aead: Bound<'_, Aead>) -> PyResult<Self> {
        if !aead.get().key.algorithm().has_random_nonces() {
            return Err(PyTypeError::new_err(
                "the nonces of this AEAD are too short to be random: use XAES256GCM, XChaCha20Poly1305 or AESGCMSIV",
            ));
        }
        Ok(Self(aead.unbind()))
    }

    /// Returns a random nonce, the encrypted data, and a tag of 16 bytes, which also covers
    /// associated_data (None if there is none).
    ///
    /// Raises OverflowError if there is more data than the algorithm allows.
    #[pyo3(signature = (data, associated_data = None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        data: Input<'_, 'py>,
        associated_data: Option<Input<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let aead = self.0.get();
        let nonce = random(py, aead.key.algorithm().nonce_len())?;
        let nonce = Input::of(nonce.as_borrowed())?;
        let mut sealed = NewBytes::new(py, nonce.len() + data.len() + TAG_LEN)?;
        let room = sealed.room();
        let seal = |nonce: &[u8], aad: &[u8], text: Source<'_>| {
            let (front, rest) = any_bytes(room).split_at_mut(nonce.len());
            front.copy_from_slice(nonce);
            crypt(Direction::Seal, aead, nonce, aad, text, rest)
        };
        detached_with(py, nonce.source(), associated_data.as_ref(), data.source(), seal)?;
        Ok(sealed.finish())
    }

    /// Decrypts and returns what encrypt() encrypted. associated_data must be the same.
    ///
    /// Raises InvalidTag if it is not, or if data was changed or is shorter than a nonce and a tag.
    #[pyo3(signature = (data, associated_data = None))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        data: Input<'_, 'py>,
        associated_data: Option<Input<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let aead = self.0.get();
        let nonce_len = aead.key.algorithm().nonce_len();
        let len = data.len().checked_sub(nonce_len + TAG_LEN).ok_or_else(invalid_tag)?;
        let (nonce, sealed) = data.source().split_at(nonce_len);
        let mut text = NewBytes::new(py, len)?;
        let room = text.room();
        detached_with(py, nonce, associated_data.as_ref(), sealed, |nonce, aad, sealed| {
            crypt(Direction::Open, aead, nonce, aad, sealed, any_bytes(room))
        })?;
        Ok(text.finish())
    }

    fn __repr__(&self) -> String {
        format!("<keylane.RandomNonces {}>", self.0.get().key.algorithm())
    }

    fn __reduce__(this: &Bound<'_, Self>) -> PyResult<()> {
        Err(holds_a_key(this))
    }
}
