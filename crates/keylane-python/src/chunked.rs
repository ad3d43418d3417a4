//! C2SP's chunked encryption, the basis of `keylane.chunked`.

use crate::buffer::{Input, NewBytes};
use crate::error::{invalid_tag, other_format};
use crate::threads::{detached, filled};
use keylane::chunked::{self, CHUNK_LEN, SALT_LEN, message_len, open_to, seal_to, text_len};
use keylane_cpu::in_out::any_bytes;
use keylane_cpu::wipe::Secret;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};

/// Encrypts data and returns the message: 56 bytes, the encrypted data, and a tag of 16 bytes for each chunk
/// of 16 KiB. The salt is random. The same context, which is not secret, decrypts the message.
///
/// Raises ValueError unless the key has 16 bytes (Cobblestone-128) or 32 (Cobblestone-256).
#[pyfunction]
#[pyo3(signature = (key, data, context = Input::NONE), text_signature = "(key, data, context=b'')")]
pub(crate) fn encrypt<'py>(
    py: Python<'py>,
    key: Input<'_, 'py>,
    data: Input<'_, 'py>,
    context: Input<'_, 'py>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (salt, key, mut context, mut text) =
        (new_salt(py)?, key.copied()?, context.snapshot()?, data.snapshot()?);
    let len = message_len(data.len() as u64).ok_or_else(|| PyOverflowError::new_err("data is too long"))?;
    let seal = |room: &mut [u8]| seal_to(key.written(), &salt, context.take(), text.take(), room);
    filled(py, data.len(), len as usize, seal)
}

/// Decrypts and returns what encrypt() or a Writer encrypted.
///
/// Raises InvalidTag for another key or context, or if the message was changed or cut off; ValueError for a
/// key of another length than 16 or 32 bytes.
#[pyfunction]
#[pyo3(signature = (key, message, context = Input::NONE), text_signature = "(key, message, context=b'')")]
pub(crate) fn decrypt<'py>(
    py: Python<'py>,
    key: Input<'_, 'py>,
    message: Input<'_, 'py>,
    context: Input<'_, 'py>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (key, mut context, mut sealed) = (key.copied()?, context.snapshot()?, message.snapshot()?);
    // The reader reports the error of a message with an impossible length.
    let mut text = NewBytes::new(py, text_len(message.len() as u64).unwrap_or(0) as usize)?;
    let room = text.room();
    let open = || {
        let (context, sealed) = (context.take(), sealed.take());
        open_to(key.written(), context, sealed, any_bytes(room))
            .map_err(|_| chunked::Reader::new(sealed, key.written(), context).err())
    };
    detached(py, message.len(), open).map_err(|error| error.map_or_else(invalid_tag, io_exception))?;
    Ok(text.finish())
}

fn new_salt(py: Python<'_>) -> PyResult<[u8; SALT_LEN]> {
    py.import("os")?.getattr("urandom")?.call1((SALT_LEN,))?.extract()
}

/// A Python object with a binary file's methods.
struct PyFile(Py<PyAny>);

impl Read for PyFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let read = self.0.bind(py).call_method1("read", (buffer.len(),))?;
            if read.is_none() {
                return Err(ErrorKind::WouldBlock.into());
            }
            let bytes = Input::of(read.as_borrowed())?;
            let place = buffer
                .get_mut(..bytes.len())
                .ok_or_else(|| io::Error::other("read() has returned too much"))?;
            bytes.source().copy_to(place);
            Ok(bytes.len())
        })
    }
}

impl Seek for PyFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (offset, whence) = match to {
            SeekFrom::Start(offset) => (i128::from(offset), 0),
            SeekFrom::Current(by) => (by.into(), 1),
            SeekFrom::End(by) => (by.into(), 2),
        };
        Python::attach(|py| Ok(self.0.bind(py).call_method1("seek", (offset, whence))?.extract()?))
    }
}

impl Write for PyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let written = self.0.bind(py).call_method1("write", (PyBytes::new(py, bytes),))?;
            let written: Option<usize> = written.extract()?;
            written.filter(|&len| len <= bytes.len()).ok_or_else(|| ErrorKind::WouldBlock.into())
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn io_exception(error: io::Error) -> PyErr {
    match error.kind() {
        ErrorKind::InvalidData if !error.get_ref().is_some_and(|error| error.is::<keylane::Error>()) => {
            other_format(error)
        }
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof => invalid_tag(),
        ErrorKind::InvalidInput => PyValueError::new_err(error.to_string()),
        _ => error.into(),
    }
}

/// A reader without its own buffer, for keylane.chunked.Reader. Boxed: Python's memory is aligned to 16
/// bytes, an AES-GCM key to 64.
#[pyclass(name = "_ChunkedReader", module = "keylane")]
pub(crate) struct ChunkedReader(Box<chunked::Reader<PyFile>>);

#[pymethods]
impl ChunkedReader {
    #[new]
    fn new(file: Py<PyAny>, key: Input<'_, '_>, context: Input<'_, '_>) -> PyResult<Self> {
        let reader =
            chunked::Reader::new(PyFile(file), key.bytes(), context.bytes()).map_err(io_exception)?;
        Ok(Self(Box::new(reader)))
    }

    /// Returns at most a chunk.
    fn read<'py>(&mut self, py: Python<'py>, size: usize) -> PyResult<Bound<'py, PyBytes>> {
        let mut text = Secret::new([0; CHUNK_LEN]);
        let len = self.0.read(&mut text[..size.min(CHUNK_LEN)]).map_err(io_exception)?;
        Ok(PyBytes::new(py, &text[..len]))
    }

    fn seek(&mut self, offset: i64, whence: u8) -> PyResult<u64> {
        let to = match (whence, u64::try_from(offset)) {
            (0, Ok(offset)) => SeekFrom::Start(offset),
            (1, _) => SeekFrom::Current(offset),
            (2, _) => SeekFrom::End(offset),
            _ => {
                return Err(PyValueError::new_err("a position before the text's start, or a wrong whence"));
            }
        };
        self.0.seek(to).map_err(io_exception)
    }

    fn tell(&mut self) -> PyResult<u64> {
        self.0.stream_position().map_err(io_exception)
    }
}

fn broken() -> PyErr {
    PyValueError::new_err(
        "the message is not complete: an earlier write() failed, or a copy has completed it",
    )
}

/// A writer, for keylane.chunked.Writer. It is `None` after a write that failed.
#[pyclass(name = "_ChunkedWriter", module = "keylane")]
pub(crate) struct ChunkedWriter(Option<Box<chunked::Writer<PyFile>>>);

#[pymethods]
impl ChunkedWriter {
    #[new]
    fn new(py: Python<'_>, file: Py<PyAny>, key: Input<'_, '_>, context: Input<'_, '_>) -> PyResult<Self> {
        let writer = chunked::Writer::new(PyFile(file), key.bytes(), &new_salt(py)?, context.bytes());
        writer.map(|writer| Self(Some(Box::new(writer)))).map_err(io_exception)
    }

    fn write(&mut self, data: Input<'_, '_>) -> PyResult<usize> {
        // Not put back after an error: the file may have a part of the data, which must not have gaps.
        let mut writer = self.0.take().ok_or_else(broken)?;
        let mut data = data.snapshot()?;
        let data = data.take();
        writer.write_all(data).map_err(io_exception)?;
        self.0 = Some(writer);
        Ok(data.len())
    }

    fn finish(&mut self) -> PyResult<()> {
        self.0.take().ok_or_else(broken)?.finish().map(drop).map_err(io_exception)
    }
}
