//! Authenticated encryption, as `cryptography.hazmat.primitives.ciphers.aead` has it.

use crate::buffer::{Input, NewBytes, Output, Private, Source, Target};
use crate::error::{exception, expect_len, holds_a_key, invalid_tag};
use crate::integer::Integer;
use crate::many::{Batch, TAG_LEN};
use crate::messages::Messages;
use crate::threads::detached;
use keylane::aead::DynAead;
use keylane::aes_gcm::{self, TruncatedTag};
use keylane::{Error, aes_gcm_siv, chacha20poly1305, xaes};
use keylane_cpu::in_out::any_bytes;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::ops::RangeInclusive;

/// The lengths in bytes that `cryptography` accepts.
const GCM_NONCES: RangeInclusive<usize> = 8..=128;

/// A key of any AEAD. Callers have checked the nonce's length.
trait Key: DynAead {
    /// Returns the key if it accepts nonces of any length.
    fn any_nonce(&self) -> Option<&aes_gcm::AesGcm> {
        None
    }

    /// Returns whether nonces may be random.
    fn random_nonces(&self) -> bool {
        true
    }
}

impl Key for aes_gcm::AesGcm {
    fn any_nonce(&self) -> Option<&aes_gcm::AesGcm> {
        Some(self)
    }

    fn random_nonces(&self) -> bool {
        false
    }
}

impl Key for chacha20poly1305::ChaCha20Poly1305 {
    fn random_nonces(&self) -> bool {
        false
    }
}

impl Key for aes_gcm_siv::AesGcmSiv {}
impl Key for xaes::Xaes256Gcm {}
impl Key for chacha20poly1305::XChaCha20Poly1305 {}

/// Encrypts `text` into memory private to this call. Each byte of `text` is read once, so the tag matches the
/// ciphertext whatever other threads write meanwhile.
fn seal(aead: &Aead, nonce: &[u8], aad: &[u8], text: Source<'_>, output: &mut [u8]) -> Result<(), Error> {
    let key = &aead.key;
    match text {
        Source::Fixed(plaintext) if nonce.len() == key.nonce_len() && aead.tag_len == TAG_LEN => {
            key.seal_to(nonce, aad, &[plaintext], output)
        }
        text => {
            let (data, tag) = output.split_at_mut(output.len() - aead.tag_len);
            text.copy_to(data);
            let whole = match key.any_nonce() {
                Some(gcm) => gcm.seal_any_nonce(nonce, aad, data)?,
                None => key.seal(nonce, aad, data)?,
            };
            tag.copy_from_slice(&whole[..aead.tag_len]);
            Ok(())
        }
    }
}

/// Decrypts `text` into memory private to this call. Each byte of `text` is read once: if it were read twice,
/// to hash it and to decrypt it, bytes that another thread writes in between would pass as authentic.
fn open(aead: &Aead, nonce: &[u8], aad: &[u8], text: Source<'_>, output: &mut [u8]) -> Result<(), Error> {
    let key = &aead.key;
    match text {
        Source::Fixed(sealed) if nonce.len() == key.nonce_len() && aead.tag_len == TAG_LEN => {
            key.open_to(nonce, aad, sealed, output)
        }
        sealed => {
            let (ciphertext, tag_from) = sealed.split_at(output.len());
            ciphertext.copy_to(output);
            let mut tag = [0; TAG_LEN];
            tag_from.copy_to(&mut tag[..aead.tag_len]);
            match key.any_nonce() {
                Some(gcm) => {
                    let tag = TruncatedTag::short(&tag[..aead.tag_len])?;
                    gcm.open_truncated_any_nonce(nonce, aad, output, &tag)
                }
                None => key.open(nonce, aad, output, &tag),
            }
        }
    }
}

/// Seals or opens `text` into memory private to this call.
fn apply(
    seals: bool,
    aead: &Aead,
    nonce: &[u8],
    aad: &[u8],
    text: Source<'_>,
    output: &mut [u8],
) -> Result<(), Error> {
    if seals { seal(aead, nonce, aad, text, output) } else { open(aead, nonce, aad, text, output) }
}

/// A copy of a nonce. Kernels read it more than once per message; if another thread changed it in between,
/// one message would be encrypted under two nonces, of which another message may have used one.
struct Nonce {
    bytes: [u8; *GCM_NONCES.end()],
    len: usize,
}

impl Nonce {
    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The arguments of every method. In Python `associated_data` may be None.
struct Message<'a, 'py> {
    py: Python<'py>,
    nonce: Input<'a, 'py>,
    data: Input<'a, 'py>,
    aad: Option<Input<'a, 'py>>,
}

impl<'py> Message<'_, 'py> {
    /// # Errors
    /// `ValueError` for a length that the key does not take.
    fn nonce(&self, key: &dyn Key) -> PyResult<Nonce> {
        let given = self.nonce.bytes();
        if key.any_nonce().is_none() {
            expect_len("nonce", key.nonce_len(), given.len())?;
        } else if !GCM_NONCES.contains(&given.len()) {
            let (min, max) = GCM_NONCES.into_inner();
            let message = format!("nonce must be {min} to {max} bytes long, not {}", given.len());
            return Err(PyValueError::new_err(message));
        }
        let mut bytes = [0; *GCM_NONCES.end()];
        bytes[..given.len()].copy_from_slice(given);
        Ok(Nonce { bytes, len: given.len() })
    }

    /// Returns the length of the sealed or opened message.
    fn result_len(&self, aead: &Aead, seals: bool) -> PyResult<usize> {
        let len = self.data.len();
        if seals { Ok(len + aead.tag_len) } else { len.checked_sub(aead.tag_len).ok_or_else(invalid_tag) }
    }

    /// Calls `work` with the nonce, the associated data and the text. Releases the GIL if they are long.
    fn detached<R: Send>(
        &self,
        nonce: &Nonce,
        work: impl FnOnce(&[u8], &[u8], Source<'_>) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        let mut aad = self.aad.as_ref().unwrap_or(&Input::NONE).snapshot()?;
        let text = self.data.source();
        let bytes = self.data.len().saturating_add(self.aad.as_ref().map_or(0, Input::len));
        detached(self.py, bytes, move || work(nonce.as_bytes(), aad.take(), text)).map_err(exception)
    }

    /// Returns the sealed or opened message.
    fn to_bytes(&self, aead: &Aead, seals: bool) -> PyResult<Bound<'py, PyBytes>> {
        let nonce = self.nonce(&*aead.key)?;
        let mut result = NewBytes::new(self.py, self.result_len(aead, seals)?)?;
        let room = result.room();
        self.detached(&nonce, |nonce, aad, text| apply(seals, aead, nonce, aad, text, any_bytes(room)))?;
        Ok(result.finish())
    }

    /// Writes the sealed or opened message to `buf`, and returns its length.
    fn to_buf(&self, aead: &Aead, seals: bool, mut buf: Output<'_>) -> PyResult<usize> {
        let nonce = self.nonce(&*aead.key)?;
        let len = self.result_len(aead, seals)?;
        expect_len("buf", len, buf.len())?;
        let mut target = self.target(&mut buf, len)?;
        let mut result = Private::new(len)?;
        self.detached(&nonce, move |nonce, aad, text| {
            let done = apply(seals, aead, nonce, aad, text, result.room());
            match done {
                Ok(()) => target.write(result.written()),
                Err(_) if seals => {}
                Err(_) => target.fill_with_zeros(),
            }
            if seals && done.is_ok() {
                result.drop_unwiped();
            }
            done.map(|()| len)
        })
    }

    fn target<'b>(&self, buf: &'b mut Output<'_>, len: usize) -> PyResult<Target<'b>> {
        match &self.aad {
            Some(aad) => buf.target(len, &self.data, &[&self.nonce, aad]),
            None => buf.target(len, &self.data, &[&self.nonce]),
        }
    }
}

/// The base class: the methods of all AEADs.
#[pyclass(frozen, subclass, name = "_Aead", module = "keylane")]
pub(crate) struct Aead {
    key: Box<dyn Key>,
    /// The algorithm's name: "aes-256-gcm".
    name: String,
    /// The length of the tags: 16, or less for AES-GCM.
    tag_len: usize,
}

impl Aead {
    fn of(key: impl Key + 'static, name: impl Into<String>) -> PyClassInitializer<Self> {
        Self { key: Box::new(key), name: name.into(), tag_len: TAG_LEN }.into()
    }

    fn batch<'py>(
        &self,
        py: Python<'py>,
        seals: bool,
        nonces: Bound<'py, PyAny>,
        aads: Option<Messages<'py>>,
    ) -> PyResult<Batch<'_, 'py>> {
        if self.tag_len != TAG_LEN {
            let message = "the methods for many messages have tags of 16 bytes, not of another tag_length";
            return Err(PyValueError::new_err(message));
        }
        Ok(Batch { py, key: &*self.key, nonces, aads, seals })
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
        Message { py, nonce, data, aad: associated_data }.to_bytes(self, true)
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
        Message { py, nonce, data, aad: associated_data }.to_bytes(self, false)
    }

    /// Does encrypt() into buf, which must have the length of the result: that of data and the tag.
    /// Returns that length.
    ///
    /// buf may begin where data begins: then it is encrypted in place. Raises ValueError if buf
    /// overlaps an input in another way, or has another length, and TypeError if it is read-only. The
    /// result is computed in memory private to this call and copied to buf at the end, so what
    /// another thread writes to data or buf during the call does not cause a wrong tag.
    fn encrypt_into<'py>(
        &self,
        py: Python<'py>,
        nonce: Input<'_, 'py>,
        data: Input<'_, 'py>,
        associated_data: Option<Input<'_, 'py>>,
        buf: Output<'py>,
    ) -> PyResult<usize> {
        Message { py, nonce, data, aad: associated_data }.to_buf(self, true, buf)
    }

    /// Does decrypt() into buf, which must have the length of the result: that of data less the tag.
    /// Returns that length.
    ///
    /// buf may begin where data begins, as for encrypt_into(), and the same exceptions are raised.
    /// After InvalidTag, buf holds zeros.
    fn decrypt_into<'py>(
        &self,
        py: Python<'py>,
        nonce: Input<'_, 'py>,
        data: Input<'_, 'py>,
        associated_data: Option<Input<'_, 'py>>,
        buf: Output<'py>,
    ) -> PyResult<usize> {
        Message { py, nonce, data, aad: associated_data }.to_buf(self, false, buf)
    }

    /// Encrypts many messages, side by side where that is faster than encrypt() one by one, and returns
    /// a list of what encrypt() returns.
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
        self.batch(py, true, nonces, associated_data)?.list(&texts)
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
        self.batch(py, false, nonces, associated_data)?.list(&texts)
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
        self.batch(py, true, nonces, associated_data)?.in_place(&buf, &offsets, &tags)
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
        self.batch(py, false, nonces, associated_data)?.in_place(&buf, &offsets, &tags)
    }

    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("<keylane.{} {}>", this.get_type().name()?, this.get().name))
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
        let key = key.bytes();
        let wrong =
            |_| PyValueError::new_err(format!("key must be 16, 24 or 32 bytes long, not {}", key.len()));
        let tag_len = usize::try_from(tag_length.0).unwrap_or(usize::MAX);
        if !(TruncatedTag::MIN_SHORT_LEN..=TAG_LEN).contains(&tag_len) {
            let message = format!("tag_length must be {} to {TAG_LEN} bytes", TruncatedTag::MIN_SHORT_LEN);
            return Err(PyValueError::new_err(message));
        }
        let name = format!("aes-{}-gcm", 8 * key.len());
        let key = Box::new(aes_gcm::AesGcm::from_slice(key).map_err(wrong)?);
        Ok(PyClassInitializer::from(Aead { key, name, tag_len }).add_subclass(Self))
    }

    /// Returns a random key of 128, 192 or 256 bits, from the operating system. Raises ValueError for
    /// another bit_length.
    #[staticmethod]
    fn generate_key(py: Python<'_>, bit_length: Integer) -> PyResult<Bound<'_, PyAny>> {
        match bit_length.0 {
            128 => random(py, 16),
            192 => random(py, 24),
            256 => random(py, 32),
            _ => Err(PyValueError::new_err("bit_length must be 128, 192 or 256")),
        }
    }
}

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
#[pyclass(frozen, extends = Aead, name = "ChaCha20Poly1305", module = "keylane")]
pub(crate) struct ChaCha20Poly1305;

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
#[pyclass(frozen, extends = Aead, name = "XChaCha20Poly1305", module = "keylane")]
pub(crate) struct XChaCha20Poly1305;

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
        let key = key.bytes();
        let wrong = |_| PyValueError::new_err(format!("key must be 16 or 32 bytes long, not {}", key.len()));
        let name = format!("aes-{}-gcm-siv", 8 * key.len());
        Ok(Aead::of(aes_gcm_siv::AesGcmSiv::from_slice(key).map_err(wrong)?, name).add_subclass(Self))
    }

    /// Returns a random key of 128 or 256 bits, from the operating system. Raises ValueError for another
    /// bit_length.
    #[staticmethod]
    fn generate_key(py: Python<'_>, bit_length: Integer) -> PyResult<Bound<'_, PyAny>> {
        match bit_length.0 {
            128 => random(py, 16),
            256 => random(py, 32),
            _ => Err(PyValueError::new_err("bit_length must be 128 or 256")),
        }
    }
}

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
#[pyclass(frozen, extends = Aead, name = "XAES256GCM", module = "keylane")]
pub(crate) struct Xaes256Gcm;

/// The methods of classes whose keys have 32 bytes.
macro_rules! keys_of_32_bytes {
    ($($Class:ident: $Key:ty = $name:literal),*) => { $(
        #[pymethods]
        impl $Class {
            #[new]
            fn new(key: Input<'_, '_>) -> PyResult<PyClassInitializer<Self>> {
                Ok(Aead::of(<$Key>::new(key.array("key")?), $name).add_subclass(Self))
            }

            /// Returns a random key, from the operating system.
            #[staticmethod]
            fn generate_key(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
                random(py, 32)
            }
        }
    )* };
}

keys_of_32_bytes! {
    ChaCha20Poly1305: chacha20poly1305::ChaCha20Poly1305 = "chacha20-poly1305",
    XChaCha20Poly1305: chacha20poly1305::XChaCha20Poly1305 = "xchacha20-poly1305",
    Xaes256Gcm: xaes::Xaes256Gcm = "xaes-256-gcm"
}

/// Encryption without nonces to choose: each message gets a random one, which it begins with. Threads may
/// share an object.
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
        if !aead.get().key.random_nonces() {
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
        let key = &*aead.key;
        let nonce = random(py, key.nonce_len())?;
        let message = Message { py, nonce: nonce.extract()?, data, aad: associated_data };
        let mut sealed = NewBytes::new(py, key.nonce_len() + message.data.len() + TAG_LEN)?;
        let room = sealed.room();
        message.detached(&message.nonce(key)?, |nonce, aad, text| {
            let (front, rest) = any_bytes(room).split_at_mut(nonce.len());
            front.copy_from_slice(nonce);
            seal(aead, nonce, aad, text, rest)
        })?;
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
        let key = &*aead.key;
        let len = data.len().checked_sub(key.nonce_len() + TAG_LEN).ok_or_else(invalid_tag)?;
        let mut nonce = Nonce { bytes: [0; *GCM_NONCES.end()], len: key.nonce_len() };
        data.source().split_at(nonce.len).0.copy_to(&mut nonce.bytes[..nonce.len]);
        let mut text = NewBytes::new(py, len)?;
        let room = text.room();
        Message { py, nonce: Input::NONE, data, aad: associated_data }
            .detached(&nonce, |nonce, aad, sealed| {
                open(aead, nonce, aad, sealed.split_at(nonce.len()).1, any_bytes(room))
            })?;
        Ok(text.finish())
    }

    fn __repr__(&self) -> String {
        format!("<keylane.RandomNonces {}>", self.0.get().name)
    }

    fn __reduce__(this: &Bound<'_, Self>) -> PyResult<()> {
        Err(holds_a_key(this))
    }
}

fn random(py: Python<'_>, bytes: usize) -> PyResult<Bound<'_, PyAny>> {
    py.import("os")?.getattr("urandom")?.call1((bytes,))
}
