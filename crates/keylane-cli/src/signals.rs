//! What a signal that ends the program leaves undone.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) type Undo = Box<dyn FnOnce() + Send>;

static UNDO: Mutex<Option<Undo>> = Mutex::new(None);

/// For as long as this lives, a signal that ends the program undoes something first. SIGKILL cannot.
///
/// There is one at a time.
pub(crate) struct Watch(());

impl Watch {
    /// `begin` says how to undo what it did. A signal waits for it.
    pub(crate) fn over<T>(begin: impl FnOnce() -> io::Result<(T, Undo)>) -> io::Result<(T, Self)> {
        #[cfg(unix)]
        unix::watch()?;
        let mut undo = lock();
        let (begun, how) = begin()?;
        *undo = Some(how);
        Ok((begun, Self(())))
    }

    /// There is nothing to undo after `finish`. A signal waits for it.
    pub(crate) fn end<T>(self, finish: impl FnOnce() -> T) -> T {
        let mut undo = lock();
        let finished = finish();
        *undo = None;
        // The drop locks it again.
        drop(undo);
        finished
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        *lock() = None;
    }
}

/// After a panic elsewhere it is to be undone all the same.
fn lock() -> MutexGuard<'static, Option<Undo>> {
    UNDO.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
mod unix {
    use super::lock;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::sync::OnceLock;
    use std::{io, thread};

    /// Once in a program's life: a handler stays when its owner goes, and then the signal would do nothing.
    pub(super) fn watch() -> io::Result<()> {
        static WATCHED: OnceLock<()> = OnceLock::new();
        if WATCHED.get().is_some() {
            return Ok(());
        }
        let mut signals = Signals::new(endings())?;
        thread::Builder::new().name("signals".to_owned()).spawn(move || {
            if let Some(signal) = signals.forever().next() {
                // Held to the end: nobody goes on with a file that is gone.
                let mut undo = lock();
                if let Some(undo) = undo.take() {
                    undo();
                }
                let _ = emulate_default_handler(signal);
            }
        })?;
        WATCHED.get_or_init(|| ());
        Ok(())
    }

    /// The signals that end this program: what it was started to ignore (`nohup`, `trap '' INT`) goes on
    /// being ignored.
    fn endings() -> Vec<i32> {
        match ignored() {
            Some(ignored) => {
                let is_ignored = |signal: &i32| ignored >> (signal - 1) & 1 == 1;
                [SIGHUP, SIGINT, SIGQUIT, SIGTERM].into_iter().filter(|signal| !is_ignored(signal)).collect()
            }
            // The two that are ignored the least.
            None => vec![SIGINT, SIGTERM],
        }
    }

    /// One bit for each signal, from the lowest on; `None` where the system does not tell.
    fn ignored() -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    }
}
