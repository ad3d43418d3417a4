//! A connection in memory: one end reads what the other writes. It has no limit, and no system calls except
//! for waiting.

use std::{
    collections::VecDeque,
    io::{self, Read, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

/// One direction.
#[derive(Default)]
struct Pipe {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    bytes: VecDeque<u8>,
    closed: bool,
    /// Whether the reader sleeps. Waking it is a system call, even where it does not.
    waiting: bool,
}

/// One end of a connection. Dropping it ends what the other end reads.
pub struct End {
    input: Arc<Pipe>,
    output: Arc<Pipe>,
    /// Whether reading waits for the other end, or else fails with `WouldBlock`.
    pub blocking: bool,
}

/// Both ends of a new connection, which are blocking.
pub fn duplex() -> (End, End) {
    let (up, down) = (Arc::new(Pipe::default()), Arc::new(Pipe::default()));
    let near = End { input: down.clone(), output: up.clone(), blocking: true };
    (near, End { input: up, output: down, blocking: true })
}

/// A view of the bytes that wait to be read by an end.
pub struct Waiting(Arc<Pipe>);

impl Waiting {
    /// Returns the bytes, which still wait.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().bytes.iter().copied().collect()
    }
}

impl End {
    /// Returns a view of the bytes that wait to be read here.
    pub fn waiting(&self) -> Waiting {
        Waiting(self.input.clone())
    }
}

impl Pipe {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self, mut state: MutexGuard<'_, State>) {
        if std::mem::take(&mut state.waiting) {
            drop(state);
            self.changed.notify_one();
        }
    }
}

impl Read for End {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.input.lock();
        while state.bytes.is_empty() && !state.closed {
            if !self.blocking {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            state.waiting = true;
            state = self.input.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.bytes.read(buffer)
    }
}

impl Write for End {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[io::IoSlice::new(data)])
    }

    fn write_vectored(&mut self, slices: &[io::IoSlice<'_>]) -> io::Result<usize> {
        let mut state = self.output.lock();
        let written = state.bytes.write_vectored(slices)?;
        self.output.wake(state);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for End {
    fn drop(&mut self) {
        let mut state = self.output.lock();
        state.closed = true;
        self.output.wake(state);
    }
}
