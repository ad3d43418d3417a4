//! A connection in memory that never waits, and that is as irregular as a transport may be.

#![allow(dead_code, reason = "each test binary uses its part")]

use keylane_contracts::Random;
use keylane_tls::{Handshake, TlsStream};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::rc::Rc;

/// The way in which a transport moves bytes.
#[derive(Debug)]
pub(crate) enum Manner {
    /// All bytes at once.
    Whole,
    /// One byte per call, and every other call returns `WouldBlock`.
    Halting { ready: bool },
    /// Any number of bytes, or any temporary error.
    Rough(Random),
}

impl Manner {
    pub(crate) fn halting() -> Self {
        Self::Halting { ready: false }
    }

    /// Returns how many of `len` bytes are moved now.
    fn now(&mut self, len: usize) -> io::Result<usize> {
        match self {
            Self::Whole => Ok(len),
            Self::Halting { ready } => {
                *ready = !*ready;
                if *ready { Ok(len.min(1)) } else { Err(ErrorKind::WouldBlock.into()) }
            }
            Self::Rough(random) => match random.below(12) {
                0 => Err(ErrorKind::WouldBlock.into()),
                1 => Err(ErrorKind::TimedOut.into()),
                2 => Err(ErrorKind::Interrupted.into()),
                3..=5 => Ok(len.min(1 + random.below(30))),
                6..=8 => Ok(len.min(1 + random.below(5000))),
                _ => Ok(len),
            },
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Wire {
    pub(crate) bytes: VecDeque<u8>,
    pub(crate) ended: bool,
}

pub(crate) type SharedWire = Rc<RefCell<Wire>>;

/// One end of a connection.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) input: SharedWire,
    pub(crate) output: SharedWire,
    pub(crate) manner: Manner,
    /// The number of its reads.
    pub(crate) reads: usize,
}

/// Returns both ends of a connection.
pub(crate) fn duplex(a: Manner, b: Manner) -> (End, End) {
    let (up, down) = (SharedWire::default(), SharedWire::default());
    let end = |input: &SharedWire, output: &SharedWire, manner| End {
        input: input.clone(),
        output: output.clone(),
        manner,
        reads: 0,
    };
    (end(&down, &up, a), end(&up, &down, b))
}

impl Read for End {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reads += 1;
        let mut wire = self.input.borrow_mut();
        if wire.bytes.is_empty() {
            return if wire.ended { Ok(0) } else { Err(ErrorKind::WouldBlock.into()) };
        }
        let len = self.manner.now(wire.bytes.len().min(buffer.len()))?;
        wire.bytes.read_exact(&mut buffer[..len])?;
        Ok(len)
    }
}

impl Write for End {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let len = self.manner.now(data.len())?;
        self.output.borrow_mut().bytes.extend(&data[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns whether the same call should be repeated.
pub(crate) fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// Repeats the call while its error is temporary.
pub(crate) fn persist<R>(mut call: impl FnMut() -> io::Result<R>) -> io::Result<R> {
    for _ in 0..1_000_000 {
        match call() {
            Err(error) if is_temporary(&error) => {}
            result => return result,
        }
    }
    panic!("nothing moves");
}

/// One end's handshake, complete or not.
enum Going<Role, T> {
    On(Box<Handshake<Role>>, T),
    Over(Box<io::Result<TlsStream<T>>>),
}

impl<Role> Going<Role, End> {
    fn step(self) -> Self {
        let Self::On(mut handshake, mut end) = self else { return self };
        match TlsStream::handshake(&mut handshake, &mut end) {
            Ok(()) => Self::Over(Box::new(TlsStream::from_handshake(*handshake, end))),
            Err(error) if is_temporary(&error) => Self::On(handshake, end),
            Err(error) => {
                // Every call returns the same error and sends more of the alert.
                while !handshake.pending().is_empty() {
                    TlsStream::handshake(&mut handshake, &mut end).unwrap_err();
                }
                end.output.borrow_mut().ended = true;
                Self::Over(Box::new(Err(error)))
            }
        }
    }
}

/// Completes both ends' handshakes, in turns.
pub(crate) fn shake_hands<A, B>(
    (a, a_end): (Handshake<A>, End),
    (b, b_end): (Handshake<B>, End),
) -> (io::Result<TlsStream<End>>, io::Result<TlsStream<End>>) {
    let mut a = Going::On(Box::new(a), a_end);
    let mut b = Going::On(Box::new(b), b_end);
    for _ in 0..2_000_000 {
        (a, b) = (a.step(), b.step());
        match (a, b) {
            (Going::Over(a), Going::Over(b)) => return (*a, *b),
            going => (a, b) = going,
        }
    }
    panic!("the handshake does not go on");
}
