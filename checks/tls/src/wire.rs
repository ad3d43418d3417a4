//! A transport that is watched, or slow.

use crate::{clock, contender::Io};
use std::{
    io::{self, IoSlice, Read, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::sleep,
    time::{Duration, Instant},
};

/// What a transport is put through, and what went over it.
#[derive(Clone, Default)]
pub struct Wire {
    /// How many bits a second may be written, if not all at once.
    bits_per_second: Option<f64>,
    seen: Arc<Mutex<(Vec<u8>, Duration)>>,
}

struct Watched {
    io: Io,
    wire: Wire,
}

impl Wire {
    pub(crate) fn slow(bits_per_second: f64) -> Self {
        Self { bits_per_second: Some(bits_per_second), ..Self::default() }
    }

    /// Returns the transport as seen from here.
    pub(crate) fn watch(&self, io: Io) -> Io {
        Box::new(Watched { io, wire: self.clone() })
    }

    fn seen(&self) -> MutexGuard<'_, (Vec<u8>, Duration)> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what has been written since the last call, and the CPU time that the transport took: an end
    /// that waits for the other one pays for it there.
    pub(crate) fn take(&self) -> (Vec<u8>, Duration) {
        std::mem::take(&mut self.seen())
    }
}

impl Watched {
    fn spend<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let start = clock::thread();
        let result = f(self);
        self.wire.seen().1 += clock::thread() - start;
        result
    }
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.spend(|this| this.io.read(buffer))
    }
}

impl Write for Watched {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(data)])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.spend(|this| {
            let written = match this.wire.bits_per_second {
                None => this.io.write_vectored(slices)?,
                Some(speed) => write_slowly(&mut this.io, slices.first().map_or(&[], |slice| slice), speed)?,
            };
            let mut left = written;
            for slice in slices {
                let part = &slice[..left.min(slice.len())];
                this.wire.seen().0.extend_from_slice(part);
                left -= part.len();
            }
            Ok(written)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.io.flush()
    }
}

fn write_slowly(io: &mut Io, data: &[u8], bits_per_second: f64) -> io::Result<usize> {
    let (start, mut written) = (Instant::now(), 0);
    while written < data.len() {
        sleep(Duration::from_micros(100));
        let allowed = (start.elapsed().as_secs_f64() * bits_per_second / 8.0) as usize;
        if let Some(next) = data.get(written..allowed.min(data.len())).filter(|next| !next.is_empty()) {
            written += io.write(next)?;
        }
    }
    Ok(written)
}
