//! Transports that are watched, or slow.

use crate::contender::Io;
use std::{
    io::{self, Read, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::sleep,
    time::{Duration, Instant},
};

/// What has been written to a transport.
#[derive(Clone, Default)]
pub(crate) struct Wire(Arc<Mutex<Vec<u8>>>);

struct Watched(Io, Wire);

impl Wire {
    /// Returns the transport as seen from here.
    pub(crate) fn watch(&self, io: Io) -> Io {
        Box::new(Watched(io, self.clone()))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what has been written since the last call.
    pub(crate) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.lock())
    }
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Watched {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let written = self.0.write(data)?;
        self.1.lock().extend_from_slice(&data[..written]);
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
