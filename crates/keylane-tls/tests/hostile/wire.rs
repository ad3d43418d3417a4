//! A transport in memory that never waits, and that fails on request.

use std::cell::{RefCell, RefMut};
use std::io::{self, ErrorKind, Read, Write};
use std::rc::Rc;

/// One connection, shared by both ends and the test.
#[derive(Clone, Default)]
pub(crate) struct Wire(Rc<RefCell<State>>);

pub(crate) struct State {
    /// Bytes that the stream has not read yet.
    pub(crate) inbound: Vec<u8>,
    /// Bytes that the stream has written.
    pub(crate) outbound: Vec<u8>,
    /// Whether the stream reads an end after all bytes, instead of `WouldBlock`.
    pub(crate) ended: bool,
    /// The maximum length of a read.
    pub(crate) segment: usize,
    /// The number of bytes that the stream may still write before it would block.
    pub(crate) room: usize,
    /// The errors of the next reads, the last one first.
    pub(crate) read_errors: Vec<ErrorKind>,
    /// The error of all writes.
    pub(crate) write_error: Option<ErrorKind>,
    /// The number of the stream's reads.
    pub(crate) reads: usize,
}

impl Default for State {
    fn default() -> Self {
        Self {
            inbound: Vec::new(),
            outbound: Vec::new(),
            ended: false,
            segment: usize::MAX,
            room: usize::MAX,
            read_errors: Vec::new(),
            write_error: None,
            reads: 0,
        }
    }
}

impl Wire {
    pub(crate) fn state(&self) -> RefMut<'_, State> {
        self.0.borrow_mut()
    }
}

/// The stream's end.
impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.state();
        state.reads += 1;
        if let Some(kind) = state.read_errors.pop() {
            return Err(kind.into());
        }
        if state.inbound.is_empty() && !state.ended {
            return Err(ErrorKind::WouldBlock.into());
        }
        let len = buffer.len().min(state.inbound.len()).min(state.segment);
        buffer[..len].copy_from_slice(&state.inbound[..len]);
        state.inbound.drain(..len);
        Ok(len)
    }
}

impl Write for Wire {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let mut state = self.state();
        if let Some(kind) = state.write_error {
            return Err(kind.into());
        }
        let len = data.len().min(state.room);
        if len == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        state.room = state.room.saturating_sub(len);
        state.outbound.extend_from_slice(&data[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
