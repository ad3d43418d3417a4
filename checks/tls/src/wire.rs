//! What goes over a transport, seen from outside.

use crate::contender::Io;
use std::{
    io::{self, Read, Write},
    sync::{Arc, Mutex, PoisonError},
};

/// The lengths of the bodies of all records in `bytes`, which begins with one and ends with one.
///
/// # Errors
/// Where the last one is cut off.
pub fn record_lengths(mut bytes: &[u8]) -> io::Result<Vec<usize>> {
    let mut lengths = Vec::new();
    while !bytes.is_empty() {
        let (header, rest) = bytes.split_first_chunk::<5>().ok_or(io::ErrorKind::UnexpectedEof)?;
        let length = usize::from(u16::from_be_bytes([header[3], header[4]]));
        bytes = rest.get(length..).ok_or(io::ErrorKind::UnexpectedEof)?;
        lengths.push(length);
    }
    Ok(lengths)
}

/// Keeps a copy of what is written.
pub struct Tap {
    io: Io,
    written: Written,
}

/// What a [`Tap`] has kept.
#[derive(Clone, Default)]
pub struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    /// A transport that keeps its copy here.
    pub fn tap(&self, io: Io) -> Io {
        Box::new(Tap { io, written: self.clone() })
    }

    /// All of it.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Read for Tap {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.io.read(buffer)
    }
}

impl Write for Tap {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let n = self.io.write(data)?;
        self.written.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&data[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.io.flush()
    }
}
