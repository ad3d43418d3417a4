//! The buffers of Python's objects as slices. This is the only unsafe code in the crate.
//!
//! PyO3 has no buffers in the limited API of CPython 3.9, so C's functions are declared here. Every version
//! since 3.9 exports them (on Windows since 3.11). The struct's layout has not changed since Python 3.3 and
//! is part of the stable ABI since 3.11.
//!
//! A view pins the memory: its owner can neither free nor resize it before the view is released. It does not
//! stop others from writing to it during the call: threads that run while the GIL is released (or any thread,
//! in a Python without a GIL), and processes that share an `mmap`. So there are two kinds of access:
//!
//! - If reading a byte twice would do harm, no slice of such memory is made. [`Shared`] and [`Target`] copy
//!   each byte once, from or to memory private to the call, and the work is done there. This applies to
//!   ciphers' texts and associated data, and to the inputs that a key derivation reads once per block. Nonces
//!   are copied as well, with the GIL held.
//! - The messages of hashes and MACs, keys and tags are read in place by [`Input::bytes`], as in `hashlib`.
//!   In Rust's terms, a write during the call is a data race. It is harmless because no address and no branch
//!   in Keylane depends on these bytes: such a write changes the digest and nothing else.

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

/// Returns whether the object is bytes-like, contiguous or not.
pub(crate) fn has_buffer(object: Borrowed<'_, '_, PyAny>) -> bool {
    // SAFETY: the object lives, and the thread is attached.
    unsafe { check_buffer(object.as_ptr()) != 0 }
}

/// A view that is released on drop. It is on the heap because an exporter may keep pointers into it. `'py`
/// keeps it on a thread that is attached to the interpreter, which releasing it requires.
pub(crate) struct Held<'py> {
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
        // An empty view may be null, a slice must not.
        if self.view.len == 0 { ptr::dangling_mut() } else { self.view.buf.cast() }
    }

    fn len(&self) -> usize {
        self.view.len.cast_unsigned()
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // SAFETY: the view was filled in and not released; the thread is attached.
        unsafe { release(&raw mut *self.view) }
    }
}

/// An object whose bytes are read.
pub(crate) enum Input<'a, 'py> {
    /// A `bytes` object, which is immutable.
    Bytes(&'a [u8]),
    /// Bytes that others may change.
    View(Held<'py>),
}

impl<'a, 'py> Input<'a, 'py> {
    pub(crate) const NONE: Self = Self::Bytes(&[]);

    pub(crate) fn of(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is_exact_instance_of::<PyBytes>() {
            return Ok(Self::Bytes(object.extract()?));
        }
        Ok(Self::View(Held::get(object, SIMPLE)?))
    }

    /// Returns the bytes in place, for bytes that are read once or may change during the call without harm.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            // SAFETY: the view is contiguous and held. The module's comment says why writers do no harm.
            Self::View(held) => unsafe { slice::from_raw_parts(held.start(), held.len()) },
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::View(held) => held.len(),
        }
    }

    fn start(&self) -> *const u8 {
        match self {
            Self::Bytes(bytes) => bytes.as_ptr(),
            Self::View(held) => held.start(),
        }
    }

    /// Returns the bytes for work without the GIL.
    pub(crate) fn source(&self) -> Source<'_> {
        match self {
            Self::Bytes(bytes) => Source::Fixed(bytes),
            Self::View(held) => {
                Source::Shared(Shared { start: held.start(), len: held.len(), held: PhantomData })
            }
        }
    }

    /// Returns a copy that outlives the call and is wiped on drop.
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
        self.source().snapshot()
    }

    /// Returns the bytes as an array.
    ///
    /// # Errors
    /// `ValueError`, which names `what`, for another length.
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

    /// Returns the first `len` bytes as the place for the result of processing `data`.
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
                "the output overlaps an input: it must begin where the data begins, or not overlap at all",
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
        // Exporters raise various exceptions for read-only memory. CPython's own functions turn them into a
        // TypeError.
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

/// The bytes of an input, which others may (`Shared`) or cannot (`Fixed`) write to during the call.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    Fixed(&'a [u8]),
    Shared(Shared<'a>),
}

impl<'a> Source<'a> {
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn snapshot(self) -> PyResult<Snapshot<'a>> {
        let copied = if let Self::Shared(shared) = self { shared.len } else { 0 };
        Ok(Snapshot { source: self, copy: Private::new(copied)? })
    }

    pub(crate) fn len(self) -> usize {
        match self {
            Self::Fixed(bytes) => bytes.len(),
            Self::Shared(shared) => shared.len,
        }
    }

    /// Splits the bytes at `mid`.
    ///
    /// # Panics
    /// If there are fewer than `mid`.
    pub(crate) fn split_at(self, mid: usize) -> (Self, Self) {
        match self {
            Self::Fixed(bytes) => {
                let (front, rest) = bytes.split_at(mid);
                (Self::Fixed(front), Self::Fixed(rest))
            }
            Self::Shared(shared) => {
                assert!(mid <= shared.len);
                // SAFETY: at most one past the end.
                let start = unsafe { shared.start.add(mid) };
                let rest = Shared { start, len: shared.len - mid, ..shared };
                (Self::Shared(Shared { len: mid, ..shared }), Self::Shared(rest))
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
            Self::Shared(shared) => {
                assert!(output.len() == shared.len);
                // SAFETY: both are `len` bytes long. They do not overlap, since no exporter has the memory of
                // `output`.
                unsafe { ptr::copy_nonoverlapping(shared.start, output.as_mut_ptr(), shared.len) }
            }
        }
    }
}

/// Memory that is read while others may write to it.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a> {
    /// Readable for `len` bytes while the view is held.
    start: *const u8,
    len: usize,
    held: PhantomData<&'a ()>,
}

// SAFETY: any thread may read what it points to, and no reference to it is made.
unsafe impl Send for Shared<'_> {}

/// The place for a result, which others may write to at the same time.
pub(crate) struct Target<'a> {
    /// Writable for `len` bytes while the view is held.
    start: *mut u8,
    len: usize,
    held: PhantomData<&'a mut ()>,
}

// SAFETY: any thread may write to what it points to, and no reference to it is made.
unsafe impl Send for Target<'_> {}

impl Target<'_> {
    /// Writes `result` to the front and advances past it.
    ///
    /// # Panics
    /// If less than its length is left.
    pub(crate) fn write(&mut self, result: &[u8]) {
        assert!(result.len() <= self.len);
        // SAFETY: there is room, and `result` does not overlap it: it is private to this call.
        unsafe {
            ptr::copy_nonoverlapping(result.as_ptr(), self.start, result.len());
            self.start = self.start.add(result.len());
        }
        self.len -= result.len();
    }

    /// Fills it with zeros.
    pub(crate) fn fill_with_zeros(self) {
        // SAFETY: there is room.
        unsafe { ptr::write_bytes(self.start, 0, self.len) }
    }
}

/// Memory private to one call, wiped on drop.
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

    /// Returns all of it, with unspecified contents. The first call waits for the system's pages, so the
    /// caller should have released the GIL.
    pub(crate) fn room(&mut self) -> &mut [u8] {
        if self.memory.len() < self.len {
            any_bytes(&mut self.memory.spare_capacity_mut()[..self.len]);
            // SAFETY: `new` has reserved as many, and `any_bytes` has initialised them.
            unsafe { self.memory.set_len(self.len) }
        }
        &mut self.memory
    }

    /// Returns what was written to [`room`](Self::room).
    pub(crate) fn written(&self) -> &[u8] {
        &self.memory
    }

    /// Drops contents that are not secret.
    pub(crate) fn drop_unwiped(mut self) {
        self.memory.clear();
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        // Where there is no memory, `memset` with AVX-512 takes 40 ns: its masked store is at address 1.
        if !self.memory.is_empty() {
            wipe(self.memory.as_mut_slice());
        }
    }
}

/// The bytes that an input has at one moment: a copy, if others may write to it.
pub(crate) struct Snapshot<'a> {
    source: Source<'a>,
    copy: Private,
}

impl Snapshot<'_> {
    /// Takes the snapshot. Call it once, without the GIL, since a long copy takes time.
    pub(crate) fn take(&mut self) -> &[u8] {
        match self.source {
            Source::Fixed(bytes) => bytes,
            shared => {
                let copy = self.copy.room();
                shared.copy_to(copy);
                copy
            }
        }
    }
}

/// A `bytes` object under construction, to which there is no other reference.
pub(crate) struct NewBytes<'py> {
    object: Bound<'py, PyBytes>,
    len: usize,
}

impl<'py> NewBytes<'py> {
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn new(py: Python<'py>, len: usize) -> PyResult<Self> {
        let size = ffi::Py_ssize_t::try_from(len).unwrap_or(ffi::Py_ssize_t::MAX);
        // SAFETY: without a source, CPython returns a new object or an error. The empty object is shared, but
        // has no bytes to write.
        let object = unsafe {
            let object = ffi::PyBytes_FromStringAndSize(ptr::null(), size);
            Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked::<PyBytes>()
        };
        Ok(Self { object, len })
    }

    /// Returns the place for the result. The first write to a page waits for the system, so the caller should
    /// have released the GIL.
    pub(crate) fn room(&mut self) -> &mut [MaybeUninit<u8>] {
        // SAFETY: the object has room for `len` bytes, and there is no other reference to it.
        unsafe {
            let start = ffi::PyBytes_AsString(self.object.as_ptr());
            slice::from_raw_parts_mut(start.cast(), self.len)
        }
    }

    /// Returns the finished object, which is immutable from now on.
    pub(crate) fn finish(self) -> Bound<'py, PyBytes> {
        self.object
    }
}
