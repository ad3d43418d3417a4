//! Adapts a polled transport to the code that the blocking stream uses.

use ::tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use std::io::{self, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// A transport that returns `WouldBlock` instead of `Pending`.
pub(super) struct Polled<'a, T> {
    pub(super) transport: &'a mut T,
    /// Wakes the task when the transport is ready.
    pub(super) waker: &'a Waker,
}

impl<T: Unpin> Polled<'_, T> {
    fn poll<R>(
        &mut self,
        poll: impl FnOnce(Pin<&mut T>, &mut Context<'_>) -> Poll<io::Result<R>>,
    ) -> io::Result<R> {
        match poll(Pin::new(self.transport), &mut Context::from_waker(self.waker)) {
            Poll::Ready(result) => result,
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
        }
    }
}

impl<T: AsyncRead + Unpin> Read for Polled<'_, T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut buffer = ReadBuf::new(buffer);
        self.poll(|transport, context| transport.poll_read(context, &mut buffer))?;
        Ok(buffer.filled().len())
    }
}

impl<T: AsyncWrite + Unpin> Write for Polled<'_, T> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.poll(|transport, context| transport.poll_write(context, data))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.poll(AsyncWrite::poll_flush)
    }
}

/// Turns `WouldBlock` back into `Pending`.
pub(super) fn polled<R>(result: io::Result<R>) -> Poll<io::Result<R>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Poll::Pending,
        result => Poll::Ready(result),
    }
}
