//! Where the memory of Python's objects becomes slices, and the only unsafe code of this crate.
//!
//! pyo3 has no buffers in the limited API of CPython 3.9, so the few functions of C are declared here. All
//! versions from 3.9 on export them (on Windows from 3.11 on), and the struct has had its layout since Python
//! 3.3; 3.11 made it part of the stable ABI.
//!
//! A view keeps the memory where it is: its owner can neither free nor resize it before the release. It does
//! not keep others from writing to it during the call: threads that run when the GIL is released (or any,
//! where Python has none), and processes that share an `mmap`. Two kinds of access follow from that:
//!
//! - Where a byte that is read twice would do harm, no slice of such memory is made. [`Shared`] and
//!   [`Target`] copy each byte once, between it and memory that this call alone has, and the work is done
//!   there. That holds for the texts and associated data of ciphers, and for what a key derivation reads once
//!   a block. Nonces are copied, too, with the GIL.
//! - The messages of hashes and MACs are read in place by [`Input::bytes`], as `hashlib` does, and so are
//!   keys and tags. In Rust's terms a write during the call is a data race. What is relied on is that no
//!   address and no branch of Keylane depends on a message, so that such a write changes the digest and
//!   nothing else.

use crate::error::wrong_length;
use keylane_cpu::in_out::any_bytes;
use keylane_cpu::wipe::wipe;
use pyo3::exceptions::{PyBufferError, PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3::{Borrowed, ffi};
use std::ffi::{c_char, c_int, c_void};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::{ptr, slice};

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

/// A view that was got, on the heap: an exporter may keep pointers into it. `'py` keeps it on a thread that
/// is attached to the interpreter, as the release has to be.
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
        if self.view.len == 0 { ptr::dangling_mut() } else { self.view.buf.cast() }
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

    /// The bytes in place. For what is read once, or where another value in the middle of the call does no
    /// harm.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            // SAFETY: the view is contiguous and held; writers as the module says.
            Self::View(Buffer(held)) => unsafe { slice::from_raw_parts(held.start(), held.len()) },
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::View(Buffer(held)) => held.len(),
        }
    }

    fn start(&self) -> *const u8 {
        match self {
            Self::Bytes(bytes) => bytes.as_ptr(),
            Self::View(Buffer(held)) => held.start(),
        }
    }

    /// The bytes for a thread that has not the GIL.
    pub(crate) fn source(&self) -> Source<'_> {
        match self {
            Self::Bytes(bytes) => Source::Fixed(bytes),
            Self::View(Buffer(held)) => {
                Source::Shared(Shared { start: held.start(), len: held.len(), held: PhantomData })
            }
        }
    }

    /// A copy that outlives the call, and is wiped.
    ///
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn copied(&self) -> PyResult<Private> {
        let mut copy = Private::new(self.len())?;
        copy.room().copy_from_slice(self.bytes());
        Ok(copy)
    }

    /// # Errors
    /// `MemoryError`.
    pub(crate) fn snapshot(&self) -> PyResult<Snapshot<'_>> {
        let source = self.source();
        let copied = if let Source::Shared(shared) = source { shared.len } else { 0 };
        Ok(Snapshot { source, copy: Private::new(copied)? })
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

impl Output<'_> {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The first `len` bytes, for the result that `data` becomes.
    ///
    /// # Errors
    /// `ValueError` if they overlap `data` and do not begin where it begins, or overlap one of `others`.
    pub(crate) fn target(
        &mut self,
        len: usize,
        data: &Input<'_, '_>,
        others: &[&Input<'_, '_>],
    ) -> PyResult<Target<'_>> {
        assert!(len <= self.len(), "the caller has compared the lengths");
        let start = self.0.start();
        let overlaps = |input: &Input<'_, '_>| {
            let (begin, input_len) = (input.start().addr(), input.len());
            input_len > 0 && len > 0 && begin < start.addr() + len && start.addr() < begin + input_len
        };
        let in_place = data.start().addr() == start.addr();
        if !in_place && overlaps(data) || others.iter().any(|other| overlaps(other)) {
            return Err(PyValueError::new_err(
                "the output overlaps an input: it may begin where the data begins, or lie apart",
            ));
        }
        Ok(Target { start, len, held: PhantomData })
    }
}

impl<'py> FromPyObject<'_, 'py> for Output<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let reason = match Held::get(object, WRITABLE) {
            Ok(held) => return Ok(Self(held)),
            Err(reason) => reason,
        };
        // Exporters have several exceptions for memory that is only read. CPython's own functions make a
        // TypeError of them.
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

/// The bytes of an input, by whether others may write to them during the call.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    Fixed(&'a [u8]),
    Shared(Shared<'a>),
}

impl Source<'_> {
    /// The bytes before `mid`, and the others.
    ///
    /// # Panics
    /// If there are fewer.
    pub(crate) fn split_at(self, mid: usize) -> (Self, Self) {
        match self {
            Self::Fixed(bytes) => {
                let (front, rest) = bytes.split_at(mid);
                (Self::Fixed(front), Self::Fixed(rest))
            }
            Self::Shared(shared) => {
                let (front, rest) = shared.split_at(mid);
                (Self::Shared(front), Self::Shared(rest))
            }
        }
    }

    /// Copies all bytes, each once.
    ///
    /// # Panics
    /// If `output` has another length.
    pub(crate) fn copy_to(self, output: &mut [u8]) {
        match self {
            Self::Fixed(bytes) => output.copy_from_slice(bytes),
            Self::Shared(shared) => shared.copy_to(output),
        }
    }
}

/// Memory that is read while others may write to it.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a> {
    /// Readable for `len` bytes, as long as the view is held.
    start: *const u8,
    len: usize,
    held: PhantomData<&'a ()>,
}

// SAFETY: any thread may read what it points to, and no reference to it is made.
unsafe impl Send for Shared<'_> {}

impl Shared<'_> {
    /// The bytes before `mid`, and the others.
    ///
    /// # Panics
    /// If there are fewer.
    pub(crate) fn split_at(self, mid: usize) -> (Self, Self) {
        assert!(mid <= self.len);
        // SAFETY: at most one past the end.
        let rest = unsafe { self.start.add(mid) };
        (Self { len: mid, ..self }, Self { start: rest, len: self.len - mid, ..self })
    }

    /// Copies all bytes, each once.
    ///
    /// # Panics
    /// If `output` has another length.
    pub(crate) fn copy_to(self, output: &mut [u8]) {
        assert!(output.len() == self.len);
        // SAFETY: both are as long, and Rust's memory, which `output` is, is none that an exporter has.
        unsafe { ptr::copy_nonoverlapping(self.start, output.as_mut_ptr(), self.len) }
    }
}

/// Memory that a result is written to, and that others may write to at the same time.
pub(crate) struct Target<'a> {
    /// Writable for `len` bytes, as long as the view is held.
    start: *mut u8,
    len: usize,
    held: PhantomData<&'a mut ()>,
}

// SAFETY: any thread may write to what it points to, and no reference to it is made.
unsafe impl Send for Target<'_> {}

impl Target<'_> {
    /// Writes to the front, and takes that off.
    ///
    /// # Panics
    /// If there is less room.
    pub(crate) fn write(&mut self, result: &[u8]) {
        assert!(result.len() <= self.len);
        // SAFETY: there is room, and the result is memory of this call alone, or of a `bytes` object, which
        // is not written.
        unsafe {
            ptr::copy_nonoverlapping(result.as_ptr(), self.start, result.len());
            self.start = self.start.add(result.len());
        }
        self.len -= result.len();
    }

    /// Writes zeros to all of it.
    pub(crate) fn fill_with_zeros(self) {
        // SAFETY: there is room.
        unsafe { ptr::write_bytes(self.start, 0, self.len) }
    }
}

/// Memory that one call alone has, and that is wiped at its end.
pub(crate) struct Private {
    memory: Vec<u8>,
    len: usize,
}

impl Private {
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn new(len: usize) -> PyResult<Self> {
        let mut memory = Vec::new();
        memory.try_reserve_exact(len).map_err(|_| PyMemoryError::new_err(()))?;
        Ok(Self { memory, len })
    }

    /// All of it, with whatever it holds. Whoever first asks waits for the system's pages, and so shall be
    /// detached.
    pub(crate) fn room(&mut self) -> &mut [u8] {
        if self.memory.len() < self.len {
            any_bytes(&mut self.memory.spare_capacity_mut()[..self.len]);
            // SAFETY: `new` has reserved as many, and `any_bytes` has initialised them.
            unsafe { self.memory.set_len(self.len) }
        }
        &mut self.memory
    }

    /// What was written to the room.
    pub(crate) fn written(&self) -> &[u8] {
        &self.memory
    }

    /// For what is no secret.
    pub(crate) fn drop_unwiped(mut self) {
        self.memory.clear();
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        wipe(self.memory.as_mut_slice());
    }
}

/// The bytes that an input has at one moment: a copy, where others may write to it.
pub(crate) struct Snapshot<'a> {
    source: Source<'a>,
    copy: Private,
}

impl Snapshot<'_> {
    /// Takes it, and shall be called once, detached: a copy of a long input takes its time.
    pub(crate) fn take(&mut self) -> &[u8] {
        match self.source {
            Source::Fixed(bytes) => bytes,
            Source::Shared(shared) => {
                let copy = self.copy.room();
                shared.copy_to(copy);
                copy
            }
        }
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
        // SAFETY: without a source CPython gives a new object, or an error; the one empty object has no bytes
        // to write.
        let object = unsafe {
            let object = ffi::PyBytes_FromStringAndSize(ptr::null(), size);
            Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked::<PyBytes>()
        };
        Ok(Self { object, len })
    }

    /// Where the result goes, all of it. Whoever first writes to a page of it waits for the system, and so
    /// shall be detached.
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
