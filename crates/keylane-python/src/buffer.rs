//! Where the memory of Python's objects becomes slices, and the only unsafe code of this crate.
//!
//! pyo3 has no buffers in the limited API of CPython 3.9, so the few functions of C are declared here. All versions from
//! 3.9 on export them (on Windows from 3.11 on), and the struct has had its layout since Python 3.3; 3.11 made it part of
//! the stable ABI.
//!
//! A view keeps the memory where it is: its owner can neither free nor resize it before the release. Python does not keep
//! others from writing to it meanwhile, as Rust would. No binding of a language with threads can, short of copying all;
//! what is relied on is that no address and no branch of Keylane depends on a text, so that who writes to a buffer of a
//! running call gets other bytes, as with `hashlib`, and nothing else. Where wrong bytes would be more than that,
//! [`Input::may_change`] tells.

use crate::error::wrong_length;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3::{Borrowed, ffi};
use std::ffi::{c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::slice;

/// `Py_buffer`.
#[repr(C)]
struct View {
    buf: *mut c_void,
    obj: *mut ffi::PyObject,
    len: ffi::Py_ssize_t,
    itemsize: ffi::Py_ssize_t,
    readonly: c_int,
    ndim: c_int,
    format: *mut c_char,
    shape: *mut ffi::Py_ssize_t,
    strides: *mut ffi::Py_ssize_t,
    suboffsets: *mut ffi::Py_ssize_t,
    internal: *mut c_void,
}

/// Contiguous bytes, whatever the items are.
const SIMPLE: c_int = 0;
const WRITABLE: c_int = 1;

unsafe extern "C" {
    #[link_name = "PyObject_CheckBuffer"]
    fn check_buffer(object: *mut ffi::PyObject) -> c_int;
    #[link_name = "PyObject_GetBuffer"]
    fn get_buffer(object: *mut ffi::PyObject, view: *mut View, flags: c_int) -> c_int;
    #[link_name = "PyBuffer_Release"]
    fn release(view: *mut View);
}

/// Whether the object is bytes-like, contiguous or not.
pub(crate) fn has_buffer(object: Borrowed<'_, '_, PyAny>) -> bool {
    // SAFETY: the object lives, and the thread is attached.
    unsafe { check_buffer(object.as_ptr()) != 0 }
}

/// A view that was got, on the heap: an exporter may keep pointers into it. `'py` keeps it on a thread that is attached to
/// the interpreter, as the release has to be.
struct Held<'py> {
    view: Box<View>,
    _attached: Python<'py>,
}

impl<'py> Held<'py> {
    fn get(object: Borrowed<'_, 'py, PyAny>, flags: c_int) -> PyResult<Self> {
        let mut view = Box::<View>::new_uninit();
        // SAFETY: the object lives, the thread is attached, and there is room for a view.
        let status = unsafe { get_buffer(object.as_ptr(), view.as_mut_ptr(), flags) };
        if status != 0 {
            return Err(PyErr::fetch(object.py()));
        }
        // SAFETY: CPython has filled it in.
        Ok(Self { view: unsafe { view.assume_init() }, _attached: object.py() })
    }

    fn start(&self) -> *mut u8 {
        // A slice is never null, an empty view may be.
        if self.view.len == 0 { std::ptr::dangling_mut() } else { self.view.buf.cast() }
    }

    fn len(&self) -> usize {
        self.view.len.cast_unsigned()
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // SAFETY: got and not released; the thread is attached.
        unsafe { release(&raw mut *self.view) }
    }
}

/// An object whose bytes are read.
pub(crate) enum Input<'a, 'py> {
    /// Nobody can change them.
    Bytes(&'a [u8]),
    View(Buffer<'py>),
}

/// Bytes that others may see, and change.
pub(crate) struct Buffer<'py>(Held<'py>);

impl<'a, 'py> Input<'a, 'py> {
    pub(crate) const NONE: Self = Self::Bytes(&[]);

    pub(crate) fn of(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is_exact_instance_of::<PyBytes>() {
            return Ok(Self::Bytes(object.extract()?));
        }
        Ok(Self::View(Buffer(Held::get(object, SIMPLE)?)))
    }

    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            // SAFETY: the view is contiguous and held; writers as the module says.
            Self::View(Buffer(held)) => unsafe { slice::from_raw_parts(held.start(), held.len()) },
        }
    }

    /// Whether another thread could change the bytes during a call.
    pub(crate) fn may_change(&self) -> bool {
        matches!(self, Self::View(_))
    }

    /// The bytes, if there are as many as `what` must have.
    pub(crate) fn array<const N: usize>(&self, what: &str) -> PyResult<&[u8; N]> {
        self.bytes().try_into().map_err(|_| wrong_length(what, N, self.bytes().len()))
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Input<'a, 'py> {
    type Error = PyErr;

    #[inline]
    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Self::of(object)
    }
}

/// An object whose bytes are written.
pub(crate) struct Output<'py>(Held<'py>);

/// An input and an output: the same memory, or apart.
pub(crate) enum Text<'a> {
    /// The input begins here, and may be shorter or longer.
    InPlace(&'a mut [u8]),
    Apart(&'a [u8], &'a mut [u8]),
}

impl Output<'_> {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The first `len` bytes for the result that `data` becomes.
    ///
    /// # Errors
    /// `ValueError` if they overlap `data` and do not begin where it begins, or overlap one of `others`.
    pub(crate) fn take<'a>(
        &'a mut self,
        len: usize,
        data: &'a Input<'_, '_>,
        others: &[&Input<'_, '_>],
    ) -> PyResult<Text<'a>> {
        assert!(len <= self.len(), "the caller has compared the lengths");
        let start = self.0.start();
        let overlaps = |input: &[u8]| {
            let begin = input.as_ptr().addr();
            !input.is_empty() && len > 0 && begin < start.addr() + len && start.addr() < begin + input.len()
        };
        let in_place = data.bytes().as_ptr().addr() == start.addr();
        if !in_place && overlaps(data.bytes()) || others.iter().any(|other| overlaps(other.bytes())) {
            return Err(PyValueError::new_err(
                "the output overlaps an input: it may begin where the data begins, or lie apart",
            ));
        }
        // SAFETY: contiguous, writable, held, and as long; no slice of an input is used beside it that overlaps it.
        let output = unsafe { slice::from_raw_parts_mut(start, len) };
        Ok(if in_place { Text::InPlace(output) } else { Text::Apart(data.bytes(), output) })
    }
}

impl<'py> FromPyObject<'_, 'py> for Output<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let reason = match Held::get(object, WRITABLE) {
            Ok(held) => return Ok(Self(held)),
            Err(reason) => reason,
        };
        // Exporters have several exceptions for memory that is only read. CPython's own functions make a TypeError of them.
        let py = object.py();
        let refuses = |error: &PyErr| {
            error.is_instance_of::<PyBufferError>(py)
                || error.is_instance_of::<PyValueError>(py)
                || error.is_instance_of::<PyTypeError>(py)
        };
        if !refuses(&reason) {
            return Err(reason);
        }
        match Held::get(object, SIMPLE) {
            Ok(_) => {}
            Err(error) if refuses(&error) => return Err(reason),
            Err(error) => return Err(error),
        }
        let kind = object.get_type().name()?;
        let message = format!("a writable bytes-like object is required, and this '{kind}' is read-only");
        let error = PyTypeError::new_err(message);
        error.set_cause(py, Some(reason));
        Err(error)
    }
}

/// A `bytes` object that is being made: nobody else has it.
pub(crate) struct NewBytes<'py> {
    object: Bound<'py, PyBytes>,
    len: usize,
}

impl<'py> NewBytes<'py> {
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn new(py: Python<'py>, len: usize) -> PyResult<Self> {
        let size = ffi::Py_ssize_t::try_from(len).unwrap_or(ffi::Py_ssize_t::MAX);
        // SAFETY: without a source CPython gives a new object, or an error; the one empty object has no bytes to write.
        let object = unsafe {
            let object = ffi::PyBytes_FromStringAndSize(std::ptr::null(), size);
            Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked::<PyBytes>()
        };
        Ok(Self { object, len })
    }

    /// Where the result goes, all of it. Whoever first writes to a page of it waits for the system, and so shall be
    /// detached.
    pub(crate) fn room(&mut self) -> &mut [MaybeUninit<u8>] {
        // SAFETY: the object has room for `len` bytes, and nobody else has it.
        unsafe {
            let start = ffi::PyBytes_AsString(self.object.as_ptr());
            slice::from_raw_parts_mut(start.cast(), self.len)
        }
    }

    /// From here on it is immutable.
    pub(crate) fn finish(self) -> Bound<'py, PyBytes> {
        self.object
    }
}
