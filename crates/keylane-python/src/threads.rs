//! Work beside the interpreter, and state that several threads may use.

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::sync::{Mutex, PoisonError};

/// Releases the GIL above this many bytes: below, releasing it and waiting for it again takes longer than the
/// work. `hashlib` has the same limit.
const WORTH_DETACHING: usize = 2048;

/// Does `work` on so many bytes: other threads of Python run meanwhile if there are many.
#[inline]
pub(crate) fn detached<R: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> R + Send) -> R {
    if bytes > WORTH_DETACHING { py.detach(work) } else { work() }
}

/// A value that one thread at a time works on; the others wait, as those that use a hash object of `hashlib`
/// do.
pub(crate) struct Locked<T>(Mutex<T>);

impl<T: Send> Locked<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// As [`detached`]. The lock is never held by a thread that waits for the interpreter while another that
    /// has the interpreter waits for the lock: both forms wait for it detached.
    #[inline]
    pub(crate) fn with<R: Send>(
        &self,
        py: Python<'_>,
        bytes: usize,
        work: impl FnOnce(&mut T) -> R + Send,
    ) -> R {
        // A panic, which only a CPU that computes wrong can cause, leaves a value that can be used, if a
        // wrong one.
        if bytes > WORTH_DETACHING {
            py.detach(|| work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)))
        } else {
            work(&mut self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
        }
    }
}
