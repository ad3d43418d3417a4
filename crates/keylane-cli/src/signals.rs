//! Cleans up when a signal ends the program.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) type Undo = Box<dyn FnOnce() + Send>;

static UNDO: Mutex<Option<Undo>> = Mutex::new(None);

/// While this lives, a signal that ends the program first runs a clean-up. SIGKILL does not.
///
/// There is one at a time.
pub(crate) struct Watch(());

impl Watch {
    /// `begin` returns its own clean-up. A signal waits for it.
    pub(crate) fn over<T>(begin: impl FnOnce() -> io::Result<(T, Undo)>) -> io::Result<(T, Self)> {
        #[cfg(unix)]
        unix::watch()?;
        let mut undo = lock();
        let (begun, how) = begin()?;
        *undo = Some(how);
        Ok((begun, Self(())))
    }

    /// No clean-up runs after `finish`. A signal waits for it.
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

/// The clean-up is valid even after a panic in another thread.
fn lock() -> MutexGuard<'static, Option<Undo>> {
    UNDO.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
mod unix {
    use super::lock;
    use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::sync::OnceLock;
    use std::{io, thread};

    /// Installed once: a handler outlives its owner, and the signal would then do nothing.
    pub(super) fn watch() -> io::Result<()> {
        static WATCHED: OnceLock<()> = OnceLock::new();
        if WATCHED.get().is_some() {
            return Ok(());
        }
        let mut signals = Signals::new(endings())?;
        thread::Builder::new().name("signals".to_owned()).spawn(move || {
            if let Some(signal) = signals.forever().next() {
                // Held to the end, so that no thread continues with a file that is gone.
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
                let all = [SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU];
                all.into_iter().filter(|signal| !is_ignored(signal)).collect()
            }
            // The two that are least often ignored.
            None => vec![SIGINT, SIGTERM],
        }
    }

    /// One bit for each signal, lowest first; `None` if the system does not report them.
    fn ignored() -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    }
}
