//! Locks whose contents are consistent even if a thread panicked while it held them.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Waits for a lock.
pub(crate) fn lock<V: ?Sized>(mutex: &Mutex<V>) -> MutexGuard<'_, V> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns a lock that no thread holds.
pub(crate) fn try_lock<V: ?Sized>(mutex: &Mutex<V>) -> Option<MutexGuard<'_, V>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Returns what a mutex held.
pub(crate) fn unlock<V>(mutex: Mutex<V>) -> V {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
