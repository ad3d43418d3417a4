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

/// The methods that both key streams have.
trait KeyStream: Send {
    /// # Errors
    /// If fewer than `len` bytes of the key stream are left.
    fn check(&self, len: usize) -> Result<(), Error>;
    fn xor(&mut self, data: &mut [u8]) -> Result<(), Error>;
    fn xor_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error>;
}

impl KeyStream for aes_ctr::AesCtr {
    fn check(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }

    fn xor(&mut self, data: &mut [u8]) -> Result<(), Error> {
        self.xor_keystream(data);
        Ok(())
    }

    fn xor_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.xor_keystream_to(input, output)
    }
}

impl KeyStream for chacha20::ChaCha20 {
    fn check(&self, len: usize) -> Result<(), Error> {
        let max = Self::MAX_LEN;
        if len as u64 > max - self.position() { Err(Error::InputTooLong { max }) } else { Ok(()) }
    }

    fn xor(&mut self, data: &mut [u8]) -> Result<(), Error> {
        self.xor_keystream(data)
    }

    fn xor_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.xor_keystream_to(input, output)
    }
}

/// Encrypts `text` into memory private to this call, reading each byte once. In memory shared with another
/// process, that process could write a byte that it knows over one that it does not, read the result, and so
/// learn the key stream.
fn xor<S: KeyStream>(stream: &mut S, text: Source<'_>, output: &mut [u8]) -> Result<(), Error> {
    match text {
        Source::Fixed(input) => stream.xor_to(input, output),
        Source::Shared(input) => {
            input.copy_to(output);
            stream.xor(output)
        }
    }
}

fn update<'py, S: KeyStream>(
    py: Python<'py>,
    stream: &Locked<S>,
    data: &Input<'_, 'py>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (text, len) = (data.source(), data.len());
    let mut result = NewBytes::new(py, len)?;
    let room = result.room();
    let encrypt = move |stream: &mut S| {
        stream.check(len)?;
        xor(stream, text, any_bytes(room))
    };
    stream.with(py, len, encrypt).map_err(exception)?;
    Ok(result.finish())
}

/// The bytes that [`update_into`] encrypts at a time: whole blocks, and few enough for the level-1 cache.
const PIECE: usize = 1 << 13;

fn update_into<S: KeyStream>(
    py: Python<'_>,
    stream: &Locked<S>,
    data: &Input<'_, '_>,
    mut buf: Output<'_>,
) -> PyResult<usize> {
    let (mut text, len) = (data.source(), data.len());
    if buf.len() < len {
        let message = format!("buf must be at least {len} bytes long, not {}", buf.len());
        return Err(PyValueError::new_err(message));
    }
    let mut target = buf.target(len, data, &[])?;
    let encrypt = move |stream: &mut S| {
        stream.check(len)?;
        let mut room = [MaybeUninit::uninit(); PIECE];
        let piece = any_bytes(&mut room[..len.min(PIECE)]);
        let mut left = len;
        while left > 0 {
            let piece = &mut piece[..left.min(PIECE)];
            let (front, rest) = text.split_at(piece.len());
            xor(stream, front, piece)?;
            target.write(piece);
            (text, left) = (rest, left - piece.len());
        }
        wipe(piece);
        Ok(len)
    };
    stream.with(py, len, encrypt).map_err(exception)
}

/// Converts Python's integer to a position of a key stream.
fn position(number: &Integer) -> PyResult<u64> {
    if number.0 < 0 {
        return Err(PyValueError::new_err("position must not be negative"));
    }
    u64::try_from(number.0).map_err(|_| PyOverflowError::new_err("position must be below 2**64"))
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
#[pyclass(frozen, name = "AESCTR", module = "keylane")]
pub(crate) struct AesCtr {
    key_len: usize,
    stream: Locked<aes_ctr::AesCtr>,
}

#[pymethods]
impl AesCtr {
    #[new]
    fn new(key: Input<'_, '_>, counter_block: Input<'_, '_>) -> PyResult<Self> {
        let bytes = key.bytes();
        let aes = Aes::from_slice(bytes).map_err(|_| {
            PyValueError::new_err(format!("key must be 16, 24 or 32 bytes long, not {}", bytes.len()))
        })?;
        let stream = aes_ctr::AesCtr::new(&aes, counter_block.array("counter_block")?);
        Ok(Self { key_len: bytes.len(), stream: Locked::new(stream) })
    }

    /// The position in the key stream, in bytes.
    #[getter]
    fn position(&self, py: Python<'_>) -> u128 {
        self.stream.with(py, 0, |stream| stream.position())
    }

    /// Encrypts or decrypts data with the next bytes of the key stream. How the bytes are divided among calls
    /// does not change the result.
    fn update<'py>(&self, py: Python<'py>, data: Input<'_, 'py>) -> PyResult<Bound<'py, PyBytes>> {
        update(py, &self.stream, &data)
    }

    /// Does update() into the beginning of buf, which must not be shorter than data. Returns data's length.
    ///
    /// buf may begin where data begins: then it is encrypted in place. Raises ValueError if the output
    /// overlaps data in another way, or if buf is shorter than data, and TypeError if buf is read-only.
    fn update_into(&self, py: Python<'_>, data: Input<'_, '_>, buf: Output<'_>) -> PyResult<usize> {
        update_into(py, &self.stream, &data, buf)
    }

    /// Moves to a position in the key stream, in bytes from its beginning.
    ///
    /// Raises ValueError if position is negative, OverflowError from 2**64 on.
    fn seek(&self, py: Python<'_>, position: Integer) -> PyResult<()> {
        let position = self::position(&position)?;
        self.stream.with(py, 0, |stream| stream.seek(position));
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("<keylane.AESCTR aes-{}-ctr>", 8 * self.key_len)
    }

    fn __reduce__(this: &Bound<'_, Self>) -> PyResult<()> {
        Err(holds_a_key(this))
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
/// Raises ValueError for a key or a nonce of another length.
#[pyclass(frozen, name = "ChaCha20", module = "keylane")]
pub(crate) struct ChaCha20 {
    stream: Locked<chacha20::ChaCha20>,
}

#[pymethods]
impl ChaCha20 {
    #[new]
    fn new(key: Input<'_, '_>, nonce: Input<'_, '_>) -> PyResult<Self> {
        let stream = chacha20::ChaCha20::new(key.array("key")?, nonce.array("nonce")?);
        Ok(Self { stream: Locked::new(stream) })
    }

    /// The position in the key stream, in bytes.
    #[getter]
    fn position(&self, py: Python<'_>) -> u64 {
        self.stream.with(py, 0, |stream| stream.position())
    }

    /// Encrypts or decrypts data with the next bytes of the key stream. How the bytes are divided among calls
    /// does not change the result.
    ///
    /// Raises OverflowError beyond the key stream's 2**38 bytes; the position is then unchanged.
    fn update<'py>(&self, py: Python<'py>, data: Input<'_, 'py>) -> PyResult<Bound<'py, PyBytes>> {
        update(py, &self.stream, &data)
    }

    /// Does update() into the beginning of buf, which must not be shorter than data. Returns data's length.
    ///
    /// buf may begin where data begins: then it is encrypted in place. Raises ValueError if the output
    /// overlaps data in another way, or if buf is shorter than data, and TypeError if buf is read-only.
    fn update_into(&self, py: Python<'_>, data: Input<'_, '_>, buf: Output<'_>) -> PyResult<usize> {
        update_into(py, &self.stream, &data, buf)
    }

    /// Moves to a position in the key stream, in bytes from its beginning.
    ///
    /// Raises ValueError if position is negative, OverflowError above 2**38.
    fn seek(&self, py: Python<'_>, position: Integer) -> PyResult<()> {
        let position = self::position(&position)?;
        self.stream.with(py, 0, |stream| stream.seek(position)).map_err(exception)
    }

    fn __reduce__(this: &Bound<'_, Self>) -> PyResult<()> {
        Err(holds_a_key(this))
    }
}
