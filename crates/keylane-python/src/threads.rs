//! Work without the GIL, and state that threads share.

use crate::buffer::NewBytes;
use crate::error::exception;
use keylane::Error;
use keylane_cpu::in_out::any_bytes;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;
use std::sync::{Mutex, PoisonError};

/// The number of bytes above which the GIL is released. Below, releasing and reacquiring it takes longer than
/// the work. `hashlib` has the same limit.
const WORTH_DETACHING: usize = 2048;

/// Calls `work`, without the GIL if it processes more than [`WORTH_DETACHING`] bytes.
#[inline]
pub(crate) fn detached<R: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> R + Send) -> R {
    if bytes > WORTH_DETACHING { py.detach(work) } else { work() }
}

/// Returns `len` bytes that `fill` writes, like [`detached`].
pub(crate) fn filled<'py>(
    py: Python<'py>,
    bytes: usize,
    len: usize,
    fill: impl FnOnce(&mut [u8]) -> Result<(), Error> + Send,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut result = NewBytes::new(py, len)?;
    let room = result.room();
    detached(py, bytes, || fill(any_bytes(room))).map_err(exception)?;
    Ok(result.finish())
}

/// A value that one thread at a time uses, like `hashlib`'s hash objects.
pub(crate) struct Locked<T>(Mutex<T>);

impl<T: Send> Locked<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Calls `work` on the value, like [`detached`]. Both branches release the GIL while they wait for the
    /// lock; otherwise a thread that holds the lock and waits for the GIL would deadlock with one that holds
    /// the GIL.
    #[inline]
    pub(crate) fn with<R: Send>(
        &self,
        py: Python<'_>,
        bytes: usize,
        work: impl FnOnce(&mut T) -> R + Send,
    ) -> R {
        // A panic, which only a CPU that computes wrongly can cause, leaves a value that is safe to use.
        if bytes > WORTH_DETACHING {
            py.detach(|| work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)))
        } else {
            work(&mut self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
        }
    }

    /// Returns a copy of the value.
    pub(crate) fn copy(&self, py: Python<'_>) -> T
    where
        T: Clone,
    {
        self.with(py, 0, |value| value.clone())
    }
}
