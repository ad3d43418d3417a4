//! Cleans up when a signal ends the program, and starts again what a stop has interrupted.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) type Undo = Box<dyn FnOnce() + Send>;
pub(crate) type Redo = Box<dyn Fn() + Send>;

static ACTIONS: Mutex<Option<(Undo, Redo)>> = Mutex::new(None);

/// While this lives, a signal that ends the program first runs a clean-up. SIGKILL does not.
///
/// There is one at a time.
pub(crate) struct Watch(());

impl Watch {
    /// `begin` returns its own clean-up, and what runs each time when the program continues after it was
    /// stopped. A signal waits for it.
    pub(crate) fn over<T>(begin: impl FnOnce() -> io::Result<(T, Undo, Redo)>) -> io::Result<(T, Self)> {
        #[cfg(unix)]
        unix::watch()?;
        let mut actions = lock();
        let (begun, undo, redo) = begin()?;
        *actions = Some((undo, redo));
        Ok((begun, Self(())))
    }

    /// No clean-up runs after `finish`. A signal waits for it.
    pub(crate) fn end<T>(self, finish: impl FnOnce() -> T) -> T {
        let mut actions = lock();
        let finished = finish();
        *actions = None;
        // The drop locks them again.
        drop(actions);
        finished
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        *lock() = None;
    }
}

/// The clean-up is valid even after a panic in another thread.
fn lock() -> MutexGuard<'static, Option<(Undo, Redo)>> {
    ACTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
mod unix {
    use super::lock;
    use signal_hook::consts::{
        SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU,
    };
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
        // It continues a stopped program whoever handles it.
        signals.add_signal(SIGCONT)?;
        thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for signal in signals.forever() {
                // Held to the end, so that no thread continues with a file that is gone.
                let mut actions = lock();
                if signal == SIGCONT {
                    actions.iter().for_each(|(_, redo)| redo());
                    continue;
                }
                if let Some((undo, _)) = actions.take() {
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
