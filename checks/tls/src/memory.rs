//! A connection in memory: what one end writes, the other reads. No socket, no limit, no system call but to
//! wait.

use std::{
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
    bytes: Vec<u8>,
    /// How many of them have been read.
    read: usize,
    closed: bool,
    /// Whether the reader sleeps: waking nobody would still be a system call.
    waiting: bool,
}

/// One end of a connection. Reading waits for the other end; dropping it ends what the other end reads.
pub struct End {
    input: Arc<Pipe>,
    output: Arc<Pipe>,
}

/// Both ends of a new connection.
pub fn duplex() -> (End, End) {
    let (up, down) = (Arc::new(Pipe::default()), Arc::new(Pipe::default()));
    (End { input: down.clone(), output: up.clone() }, End { input: up, output: down })
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

/// Looks at one direction of a connection from outside.
pub struct Watch(Arc<Pipe>);

impl Watch {
    /// What has been written and not yet read.
    pub fn unread(&self) -> Vec<u8> {
        let state = self.0.lock();
        state.bytes[state.read..].to_vec()
    }
}

impl End {
    /// Watches what this end writes.
    pub fn watch(&self) -> Watch {
        Watch(self.output.clone())
    }
}

impl Read for End {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.input.lock();
        while state.read == state.bytes.len() && !state.closed {
            state.waiting = true;
            state = self.input.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let n = buffer.len().min(state.bytes.len() - state.read);
        buffer[..n].copy_from_slice(&state.bytes[state.read..][..n]);
        state.read += n;
        if state.read == state.bytes.len() {
            state.bytes.clear();
            state.read = 0;
        }
        Ok(n)
    }
}

impl Write for End {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let mut state = self.output.lock();
        state.bytes.extend_from_slice(data);
        self.output.wake(state);
        Ok(data.len())
    }

    fn write_vectored(&mut self, slices: &[io::IoSlice<'_>]) -> io::Result<usize> {
        let mut state = self.output.lock();
        let before = state.bytes.len();
        slices.iter().for_each(|slice| state.bytes.extend_from_slice(slice));
        let written = state.bytes.len() - before;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carries_both_ways_and_ends() {
        let (mut a, mut b) = duplex();
        let watch = a.watch();
        a.write_all(b"over ").unwrap();
        assert_eq!(watch.unread(), b"over ");
        let other = std::thread::spawn(move || {
            b.write_all(b"back").unwrap();
            let mut got = String::new();
            b.read_to_string(&mut got).unwrap();
            got
        });
        let mut back = [0; 4];
        a.read_exact(&mut back).unwrap();
        let both = [io::IoSlice::new(b"and "), io::IoSlice::new(b"out")];
        assert_eq!(a.write_vectored(&both).unwrap(), 7);
        drop(a);
        assert_eq!((&back, other.join().unwrap().as_str()), (b"back", "over and out"));
    }
}
