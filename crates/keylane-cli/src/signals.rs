//! Cleans up when a signal ends the program, and restores the state after a stop.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) type Undo = Box<dyn FnOnce() + Send>;
pub(crate) type Redo = Box<dyn Fn() + Send>;

static ACTIONS: Mutex<Option<(Undo, Redo)>> = Mutex::new(None);

/// Runs a clean-up before a signal ends the program, as long as it lives. SIGKILL cannot be caught.
///
/// Only one exists at a time.
pub(crate) struct Watch(());

impl Watch {
    /// Calls `begin`, which returns its clean-up and a function to run whenever the program continues after a
    /// stop. Signals wait for `begin`.
    pub(crate) fn over<T>(begin: impl FnOnce() -> io::Result<(T, Undo, Redo)>) -> io::Result<(T, Self)> {
        #[cfg(unix)]
        unix::watch()?;
        let mut actions = lock();
        let (begun, undo, redo) = begin()?;
        *actions = Some((undo, redo));
        Ok((begun, Self(())))
    }

    /// Calls `finish`, after which no clean-up runs. Signals wait for `finish`.
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

/// Locks the actions, which are valid even after a panic in another thread.
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

    /// Installs the handlers, once. They outlive their owner, so they end the program themselves.
    pub(super) fn watch() -> io::Result<()> {
        static WATCHED: OnceLock<()> = OnceLock::new();
        if WATCHED.get().is_some() {
            return Ok(());
        }
        let mut signals = Signals::new(endings())?;
        // SIGCONT continues a stopped program even if it is handled.
        signals.add_signal(SIGCONT)?;
        thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for signal in signals.forever() {
                // The lock is held to the end, so that no thread continues with a removed file.
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

    /// Returns the signals that end this program, without those that it was started to ignore (`nohup`, `trap
    /// '' INT`).
    fn endings() -> Vec<i32> {
        match ignored() {
            Some(ignored) => {
                let is_ignored = |signal: &i32| ignored >> (signal - 1) & 1 == 1;
                let all = [SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU];
                all.into_iter().filter(|signal| !is_ignored(signal)).collect()
            }
            // These two are ignored least often.
            None => vec![SIGINT, SIGTERM],
        }
    }

    /// Returns the ignored signals, one bit each, lowest first; `None` if the system does not report them.
    fn ignored() -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    }
}
