//! Transports that are watched, or slow.

use crate::{clock, contender::Io};
use std::{
    io::{self, Read, Write},
    sync::{Arc, Mutex, PoisonError},
    thread::sleep,
    time::{Duration, Instant},
};

/// What went over a transport.
#[derive(Clone, Default)]
pub(crate) struct Wire(Arc<Mutex<(Vec<u8>, Duration)>>);

struct Watched(Io, Wire);

impl Wire {
    /// Returns the transport as seen from here.
    pub(crate) fn watch(&self, io: Io) -> Io {
        Box::new(Watched(io, self.clone()))
    }

    fn with<T>(&self, f: impl FnOnce(&mut (Vec<u8>, Duration)) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns what has been written since the last call, and the CPU time that the transport took: an end
    /// that waits for the other one pays for it there.
    pub(crate) fn take(&self) -> (Vec<u8>, Duration) {
        self.with(std::mem::take)
    }

    fn spend<T>(&self, f: impl FnOnce() -> T) -> T {
        let start = clock::thread();
        let result = f();
        self.with(|seen| seen.1 += clock::thread() - start);
        result
    }
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1.spend(|| self.0.read(buffer))
    }
}

impl Write for Watched {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let written = self.1.spend(|| self.0.write(data))?;
        self.1.with(|seen| seen.0.extend_from_slice(&data[..written]));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A transport through which so many bits a second may be written.
pub(crate) struct Slow(pub(crate) Io, pub(crate) f64);

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Slow {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let (start, mut written) = (Instant::now(), 0);
        while written < data.len() {
            sleep(Duration::from_micros(100));
            let allowed = (start.elapsed().as_secs_f64() * self.1 / 8.0) as usize;
            if let Some(next) = data.get(written..allowed.min(data.len())).filter(|next| !next.is_empty()) {
                written += self.0.write(next)?;
            }
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
