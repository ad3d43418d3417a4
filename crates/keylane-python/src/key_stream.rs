//! Key streams: AES in counter mode, and ChaCha20.

use crate::buffer::{Input, NewBytes, Output, Source};
use crate::error::{exception, holds_a_key};
use crate::integer::Integer;
use crate::threads::Locked;
use keylane::aes::Aes;
use keylane::{Error, aes_ctr, chacha20};
use keylane_cpu::in_out::any_bytes;
use keylane_cpu::wipe::wipe;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::mem::MaybeUninit;

/// A key stream of one algorithm.
enum Stream {
    AesCtr(aes_ctr::AesCtr),
    ChaCha20(chacha20::ChaCha20),
}

impl Stream {
    /// # Errors
    /// If fewer than `len` bytes of the key stream are left.
    fn check(&self, len: usize) -> Result<(), Error> {
        let max = chacha20::ChaCha20::MAX_LEN;
        match self {
            Self::ChaCha20(stream) if len as u64 > max - stream.position() => {
                Err(Error::InputTooLong { max })
            }
            _ => Ok(()),
        }
    }

    /// Encrypts `text` into memory private to this call, reading each byte once. Otherwise another process
    /// that shares the memory could replace a byte by a known one, read the result and so learn the key
    /// stream.
    fn xor(&mut self, text: Source<'_>, output: &mut [u8]) -> Result<(), Error> {
        if let Source::Fixed(input) = text {
            return match self {
                Self::AesCtr(stream) => stream.xor_keystream_to(input, output),
                Self::ChaCha20(stream) => stream.xor_keystream_to(input, output),
            };
        }
        text.copy_to(output);
        match self {
            Self::AesCtr(stream) => stream.xor_keystream(output),
            Self::ChaCha20(stream) => stream.xor_keystream(output)?,
        }
        Ok(())
    }

    fn position(&self) -> u128 {
        match self {
            Self::AesCtr(stream) => stream.position(),
            Self::ChaCha20(stream) => stream.position().into(),
        }
    }

    fn seek(&mut self, position: u64) -> Result<(), Error> {
        match self {
            Self::AesCtr(stream) => stream.seek(position),
            Self::ChaCha20(stream) => stream.seek(position)?,
        }
        Ok(())
    }
}

/// The bytes that `update_into()` encrypts at a time: whole blocks, and few enough for the level-1 cache.
const PIECE: usize = 1 << 13;

/// Converts Python's integer to a position of a key stream.
fn position(number: &Integer) -> PyResult<u64> {
    if number.0 < 0 {
        return Err(PyValueError::new_err("position must not be negative"));
    }
    u64::try_from(number.0).map_err(|_| PyOverflowError::new_err("position must be below 2**64"))
}

/// The base class: the methods of all key streams.
#[pyclass(frozen, subclass, name = "_KeyStream", module = "keylane")]
pub(crate) struct KeyStream {
    /// Boxed: Python's memory is aligned to 16 bytes, AES keys to 64.
    stream: Locked<Box<Stream>>,
    /// The algorithm's name: "aes-256-ctr".
    name: String,
}

impl KeyStream {
    fn new(stream: Stream, name: impl Into<String>) -> PyClassInitializer<Self> {
        Self { stream: Locked::new(Box::new(stream)), name: name.into() }.into()
    }
}

#[pymethods]
impl KeyStream {
    /// The position in the key stream, in bytes.
    #[getter]
    fn position(&self, py: Python<'_>) -> u128 {
        self.stream.with(py, 0, |stream| stream.position())
    }

    /// Encrypts or decrypts data with the next bytes of the key stream. How the bytes are divided among calls
    /// does not change the result.
    fn update<'py>(&self, py: Python<'py>, data: Input<'_, 'py>) -> PyResult<Bound<'py, PyBytes>> {
        let (text, len) = (data.source(), data.len());
        let mut result = NewBytes::new(py, len)?;
        let room = result.room();
        self.stream.with(py, len, move |stream| stream.xor(text, any_bytes(room))).map_err(exception)?;
        Ok(result.finish())
    }

    /// Writes what update() returns to the beginning of buf, which must not be shorter than data. Returns
    /// data's length.
    ///
    /// buf may begin where data begins: then it is encrypted in place. Raises ValueError if the output
    /// overlaps data in another way, or if buf is shorter than data, and TypeError if buf is read-only.
    fn update_into(&self, py: Python<'_>, data: Input<'_, '_>, mut buf: Output<'_>) -> PyResult<usize> {
        let (mut text, len) = (data.source(), data.len());
        if buf.len() < len {
            let message = format!("buf must be at least {len} bytes long, not {}", buf.len());
            return Err(PyValueError::new_err(message));
        }
        let mut target = buf.target(len, &data, &[])?;
        let encrypt = move |stream: &mut Box<Stream>| {
            stream.check(len)?;
            let mut room = [MaybeUninit::uninit(); PIECE];
            let piece = any_bytes(&mut room[..len.min(PIECE)]);
            let mut left = len;
            while left > 0 {
                let piece = &mut piece[..left.min(PIECE)];
                let (front, rest) = text.split_at(piece.len());
                stream.xor(front, piece)?;
                target.write(piece);
                (text, left) = (rest, left - piece.len());
            }
            wipe(piece);
            Ok(len)
        };
        self.stream.with(py, len, encrypt).map_err(exception)
    }

    /// Moves to a position in the key stream, in bytes from its beginning.
    ///
    /// Raises ValueError if position is negative, OverflowError from 2**64 on, or above ChaCha20's 2**38.
    fn seek(&self, py: Python<'_>, position: Integer) -> PyResult<()> {
        let position = self::position(&position)?;
        self.stream.with(py, 0, |stream| stream.seek(position)).map_err(exception)
    }

    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("<keylane.{} {}>", this.get_type().name()?, this.get().name))
    }

    fn __reduce__(this: &Bound<'_, Self>) -> PyResult<()> {
        Err(holds_a_key(this))
    }
}

/// AES in counter mode (NIST SP 800-38A section 6.5), with a key of 16, 24 or 32 bytes.
///
/// The key stream is the encryption of successive counter blocks of 16 bytes. counter_block is the first; the
/// others count up from it, as big-endian numbers of 128 bits. Threads may share an object: their calls take
/// turns, and each gets its own piece of the key stream.
///
///     >>> ciphertext = keylane.AESCTR(key, counter_block).update(b"attack at dawn")
///     >>> keylane.AESCTR(key, counter_block).update(ciphertext)
///     b'attack at dawn'
///
/// Nothing is authenticated: flipping a bit of the ciphertext flips it in the text. Two texts under one
/// key whose counters overlap reveal the XOR of the plaintexts. Prefer AESGCM.
///
/// Raises ValueError for a key or a counter_block of another length.
#[pyclass(frozen, extends = KeyStream, name = "AESCTR", module = "keylane")]
pub(crate) struct AesCtr;

#[pymethods]
impl AesCtr {
    #[new]
    fn new(key: Input<'_, '_>, counter_block: Input<'_, '_>) -> PyResult<PyClassInitializer<Self>> {
        let key = key.bytes();
        let aes = Aes::from_slice(key).map_err(|_| {
            PyValueError::new_err(format!("key must be 16, 24 or 32 bytes long, not {}", key.len()))
        })?;
        let stream = Stream::AesCtr(aes_ctr::AesCtr::new(&aes, counter_block.array("counter_block")?));
        Ok(KeyStream::new(stream, format!("aes-{}-ctr", 8 * key.len())).add_subclass(Self))
    }
}

/// ChaCha20 (RFC 8439 section 2.4), with a key of 32 bytes and a nonce of 12.
///
/// The counter begins with 0; the RFC's examples that begin with 1 start at byte 64 of this key stream:
/// seek(64). Threads may share an object: their calls take turns, and each gets its own piece of the key
/// stream.
///
/// Nothing is authenticated: flipping a bit of the ciphertext flips it in the text. Two texts encrypted
/// with one key and one nonce reveal the XOR of the plaintexts. Prefer ChaCha20Poly1305.
///
/// Raises ValueError for a key or a nonce of another length. update() and update_into() raise OverflowError
/// beyond the key stream's 2**38 bytes; the position is then unchanged.
#[pyclass(frozen, extends = KeyStream, name = "ChaCha20", module = "keylane")]
pub(crate) struct ChaCha20;

#[pymethods]
impl ChaCha20 {
    #[new]
    fn new(key: Input<'_, '_>, nonce: Input<'_, '_>) -> PyResult<PyClassInitializer<Self>> {
        let stream = chacha20::ChaCha20::new(key.array("key")?, nonce.array("nonce")?);
        Ok(KeyStream::new(Stream::ChaCha20(stream), "chacha20").add_subclass(Self))
    }
}
