//! Authenticated encryption, as `cryptography.hazmat.primitives.ciphers.aead` has it.

use crate::buffer::{Input, NewBytes, Output, Private, Source, Target};
use crate::error::{exception, expect_len, invalid_tag};
use crate::integer::Integer;
use crate::threads::detached;
use keylane::Error;
use keylane::aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm};
use keylane::chacha20poly1305;
use keylane_cpu::in_out::any_bytes;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ops::RangeInclusive;

const TAG_LEN: usize = 16;

/// What `cryptography` takes.
const GCM_NONCES: RangeInclusive<usize> = 8..=128;

/// A key of any algorithm, with nonces that were checked.
trait Aead: Send + Sync {
    fn check_nonce(&self, nonce: &[u8]) -> PyResult<()>;
    fn seal(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<[u8; TAG_LEN], Error>;
    fn open(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &[u8; TAG_LEN]) -> Result<(), Error>;
    fn seal_to(&self, nonce: &[u8], aad: &[u8], plaintext: &[u8], output: &mut [u8]) -> Result<(), Error>;
    fn open_to(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<(), Error>;
}

macro_rules! gcm {
    ($($Gcm:ident)*) => { $(
        impl Aead for $Gcm {
            fn check_nonce(&self, nonce: &[u8]) -> PyResult<()> {
                if GCM_NONCES.contains(&nonce.len()) {
                    return Ok(());
                }
                let (least, most) = GCM_NONCES.into_inner();
                let message = format!("nonce must be {least} to {most} bytes long, not {}", nonce.len());
                Err(PyValueError::new_err(message))
            }

            fn seal(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<[u8; TAG_LEN], Error> {
                self.seal_any_nonce(nonce, aad, data)
            }

            fn open(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &[u8; TAG_LEN]) -> Result<(), Error> {
                self.open_any_nonce(nonce, aad, data, tag)
            }

            fn seal_to(&self, nonce: &[u8], aad: &[u8], plaintext: &[u8], output: &mut [u8]) -> Result<(), Error> {
                if let Ok(nonce) = nonce.try_into() {
                    return Self::seal_to(self, nonce, aad, &[plaintext], output);
                }
                let (data, tag) = output.split_at_mut(plaintext.len());
                data.copy_from_slice(plaintext);
                tag.copy_from_slice(&self.seal_any_nonce(nonce, aad, data)?);
                Ok(())
            }

            fn open_to(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<(), Error> {
                if let Ok(nonce) = nonce.try_into() {
                    return Self::open_to(self, nonce, aad, sealed, output);
                }
                let (ciphertext, tag) = sealed.split_last_chunk().ok_or(Error::AuthenticationFailed)?;
                output.copy_from_slice(ciphertext);
                self.open_any_nonce(nonce, aad, output, tag)
            }
        }
    )* };
}
gcm!(Aes128Gcm Aes192Gcm Aes256Gcm);

macro_rules! chacha {
    ($($Type:ident)*) => { $(
        impl Aead for chacha20poly1305::$Type {
            fn check_nonce(&self, nonce: &[u8]) -> PyResult<()> {
                expect_len("nonce", Self::NONCE_LEN, nonce.len())
            }

            fn seal(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<[u8; TAG_LEN], Error> {
                Self::seal(self, array(nonce)?, aad, data)
            }

            fn open(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &[u8; TAG_LEN]) -> Result<(), Error> {
                Self::open(self, array(nonce)?, aad, data, tag)
            }

            fn seal_to(&self, nonce: &[u8], aad: &[u8], plaintext: &[u8], output: &mut [u8]) -> Result<(), Error> {
                Self::seal_to(self, array(nonce)?, aad, &[plaintext], output)
            }

            fn open_to(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<(), Error> {
                Self::open_to(self, array(nonce)?, aad, sealed, output)
            }
        }
    )* };
}
chacha!(ChaCha20Poly1305 XChaCha20Poly1305);

fn array<const N: usize>(nonce: &[u8]) -> Result<&[u8; N], Error> {
    let what = "length of the nonce in bytes";
    nonce.try_into().map_err(|_| Error::WrongLength { what, min: N, max: N, actual: nonce.len() })
}

/// Encrypts what is read, each byte once, into memory of this call alone: the tag is that of the ciphertext
/// there.
fn seal(key: &dyn Aead, nonce: &[u8], aad: &[u8], text: Source<'_>, output: &mut [u8]) -> Result<(), Error> {
    match text {
        Source::Fixed(plaintext) => key.seal_to(nonce, aad, plaintext, output),
        Source::Shared(plaintext) => {
            let (data, tag) = output.split_at_mut(output.len() - TAG_LEN);
            plaintext.copy_to(data);
            tag.copy_from_slice(&key.seal(nonce, aad, data)?);
            Ok(())
        }
    }
}

/// Decrypts what is read, each byte once, into memory of this call alone: what comes out is what was
/// authenticated. Read twice, to hash it and to decrypt it, what another thread writes in between would pass
/// as authentic.
fn open(key: &dyn Aead, nonce: &[u8], aad: &[u8], text: Source<'_>, output: &mut [u8]) -> Result<(), Error> {
    match text {
        Source::Fixed(sealed) => key.open_to(nonce, aad, sealed, output),
        Source::Shared(sealed) => {
            let (ciphertext, tag_from) = sealed.split_at(output.len());
            ciphertext.copy_to(output);
            let mut tag = [0; TAG_LEN];
            tag_from.copy_to(&mut tag);
            key.open(nonce, aad, output, &tag)
        }
    }
}

/// A copy of a nonce: it is read for the text and for the tag, by some for every few blocks, and two nonces
/// in one message would be one used twice.
struct Nonce {
    bytes: [u8; *GCM_NONCES.end()],
    len: usize,
}

impl Nonce {
    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// What every method is given besides the key. In Python `associated_data` may be None.
struct Message<'a, 'py> {
    py: Python<'py>,
    nonce: Input<'a, 'py>,
    data: Input<'a, 'py>,
    aad: Option<Input<'a, 'py>>,
}

impl<'py> Message<'_, 'py> {
    /// # Errors
    /// `ValueError` for a length that the key does not take.
    fn nonce(&self, key: &dyn Aead) -> PyResult<Nonce> {
        let given = self.nonce.bytes();
        key.check_nonce(given)?;
        let mut bytes = [0; *GCM_NONCES.end()];
        bytes[..given.len()].copy_from_slice(given);
        Ok(Nonce { bytes, len: given.len() })
    }

    /// How long the text is in a sealed message.
    fn opened_len(&self) -> PyResult<usize> {
        self.data.len().checked_sub(TAG_LEN).ok_or_else(invalid_tag)
    }

    /// Does `work`, which is given the nonce, the associated data and the text.
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

    fn encrypt(&self, key: &dyn Aead) -> PyResult<Bound<'py, PyBytes>> {
        let nonce = self.nonce(key)?;
        let mut sealed = NewBytes::new(self.py, self.data.len() + TAG_LEN)?;
        let room = sealed.room();
        self.detached(&nonce, |nonce, aad, text| seal(key, nonce, aad, text, any_bytes(room)))?;
        Ok(sealed.finish())
    }

    fn decrypt(&self, key: &dyn Aead) -> PyResult<Bound<'py, PyBytes>> {
        let nonce = self.nonce(key)?;
        let mut text = NewBytes::new(self.py, self.opened_len()?)?;
        let room = text.room();
        self.detached(&nonce, |nonce, aad, sealed| open(key, nonce, aad, sealed, any_bytes(room)))?;
        Ok(text.finish())
    }

    fn encrypt_into(&self, key: &dyn Aead, mut buf: Output<'_>) -> PyResult<usize> {
        let nonce = self.nonce(key)?;
        let len = self.data.len() + TAG_LEN;
        expect_len("buf", len, buf.len())?;
        let mut target = self.target(&mut buf, len)?;
        let mut sealed = Private::new(len)?;
        self.detached(&nonce, move |nonce, aad, text| {
            seal(key, nonce, aad, text, sealed.room())?;
            target.write(sealed.room());
            sealed.drop_unwiped();
            Ok(len)
        })
    }

    fn decrypt_into(&self, key: &dyn Aead, mut buf: Output<'_>) -> PyResult<usize> {
        let nonce = self.nonce(key)?;
        let len = self.opened_len()?;
        expect_len("buf", len, buf.len())?;
        let mut target = self.target(&mut buf, len)?;
        let mut text = Private::new(len)?;
        self.detached(&nonce, |nonce, aad, sealed| {
            match open(key, nonce, aad, sealed, text.room()) {
                Ok(()) => target.write(text.room()),
                Err(error) => {
                    target.fill_with_zeros();
                    return Err(error);
                }
            }
            Ok(len)
        })
    }

    fn target<'b>(&self, buf: &'b mut Output<'_>, len: usize) -> PyResult<Target<'b>> {
        match &self.aad {
            Some(aad) => buf.target(len, &self.data, &[&self.nonce, aad]),
            None => buf.target(len, &self.data, &[&self.nonce]),
        }
    }
}

/// A class: how its keys are made, and what all of them do.
macro_rules! class {
    ($(#[$doc:meta])* $Class:ident $name:literal { $($own:tt)* }) => {
        $(#[$doc])*
        #[pyclass(frozen, name = $name, module = "keylane")]
        pub(crate) struct $Class {
            key: Box<dyn Aead>,
        }

        #[pymethods]
        impl $Class {
            $($own)*

            /// Returns the encrypted data followed by a tag of 16 bytes, which also covers associated_data
            /// (None if there is none) and the nonce.
            ///
            /// Raises ValueError for a nonce of the wrong length, OverflowError if there is more data than the algorithm allows.
            fn encrypt<'py>(
                &self,
                py: Python<'py>,
                nonce: Input<'_, 'py>,
                data: Input<'_, 'py>,
                associated_data: Option<Input<'_, 'py>>,
            ) -> PyResult<Bound<'py, PyBytes>> {
                Message { py, nonce, data, aad: associated_data }.encrypt(&*self.key)
            }

            /// Decrypts what encrypt() returned, if nonce and associated_data are the same.
            ///
            /// Raises InvalidTag otherwise, also if data is shorter than a tag.
            fn decrypt<'py>(
                &self,
                py: Python<'py>,
                nonce: Input<'_, 'py>,
                data: Input<'_, 'py>,
                associated_data: Option<Input<'_, 'py>>,
            ) -> PyResult<Bound<'py, PyBytes>> {
                Message { py, nonce, data, aad: associated_data }.decrypt(&*self.key)
            }

            /// As encrypt(), into buf, which must have the length of the result: 16 bytes more than data.
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
                Message { py, nonce, data, aad: associated_data }.encrypt_into(&*self.key, buf)
            }

            /// As decrypt(), into buf, which must have the length of the result: 16 bytes less than data.
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
                Message { py, nonce, data, aad: associated_data }.decrypt_into(&*self.key, buf)
            }
        }
    };
}

class! {
    /// AES-GCM (NIST SP 800-38D) with a key of 16, 24 or 32 bytes. Any number of threads may use one at once.
    ///
    ///     >>> key = keylane.AESGCM.generate_key(bit_length=256)
    ///     >>> aead = keylane.AESGCM(key)
    ///     >>> nonce = os.urandom(12)
    ///     >>> sealed = aead.encrypt(nonce, b"attack at dawn", b"to the general")
    ///     >>> aead.decrypt(nonce, sealed, b"to the general")
    ///     b'attack at dawn'
    ///
    /// A nonce should have 12 bytes; 8 to 128 are accepted, and all lengths but 12 are hashed, which is
    /// slower. A nonce must never be used twice with one key: two such messages reveal the XOR of the
    /// plaintexts and the authentication key, with which anyone can forge messages. Use a counter as the
    /// nonce, or random nonces for at most 2**32 messages under one key.
    ///
    /// Raises ValueError for a key of another length.
    AesGcm "AESGCM" {
        #[new]
        fn new(key: Input<'_, '_>) -> PyResult<Self> {
            let key = key.bytes();
            let key: Box<dyn Aead> = match key.len() {
                16 => Box::new(Aes128Gcm::from_slice(key).map_err(exception)?),
                24 => Box::new(Aes192Gcm::from_slice(key).map_err(exception)?),
                32 => Box::new(Aes256Gcm::from_slice(key).map_err(exception)?),
                other => {
                    let message = format!("key must be 16, 24 or 32 bytes long, not {other}");
                    return Err(PyValueError::new_err(message));
                }
            };
            Ok(Self { key })
        }

        /// Returns a random key of 128, 192 or 256 bits, from the operating system. Raises ValueError for
        /// another number.
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
}

class! {
    /// ChaCha20-Poly1305 (RFC 8439) with a key of 32 bytes and nonces of 12. Any number of threads may use
    /// one at once.
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
    ChaCha20Poly1305 "ChaCha20Poly1305" {
        #[new]
        fn new(key: Input<'_, '_>) -> PyResult<Self> {
            Ok(Self { key: Box::new(chacha20poly1305::ChaCha20Poly1305::new(key.array("key")?)) })
        }

        /// Returns a random key, from the operating system.
        #[staticmethod]
        fn generate_key(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
            random(py, 32)
        }
    }
}

class! {
    /// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) with a key of 32 bytes and nonces of 24, which may be
    /// random. Any number of threads may use one at once.
    ///
    ///     >>> key = keylane.XChaCha20Poly1305.generate_key()
    ///     >>> aead = keylane.XChaCha20Poly1305(key)
    ///     >>> nonce = os.urandom(24)
    ///     >>> sealed = aead.encrypt(nonce, b"attack at dawn", None)
    ///
    /// A nonce must never be used twice with one key, as for ChaCha20Poly1305.
    ///
    /// Raises ValueError for a key of another length.
    XChaCha20Poly1305 "XChaCha20Poly1305" {
        #[new]
        fn new(key: Input<'_, '_>) -> PyResult<Self> {
            Ok(Self { key: Box::new(chacha20poly1305::XChaCha20Poly1305::new(key.array("key")?)) })
        }

        /// Returns a random key, from the operating system.
        #[staticmethod]
        fn generate_key(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
            random(py, 32)
        }
    }
}

fn random(py: Python<'_>, bytes: usize) -> PyResult<Bound<'_, PyAny>> {
    py.import("os")?.getattr("urandom")?.call1((bytes,))
}
