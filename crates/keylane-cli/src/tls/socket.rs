//! The socket of a server's connection. It knows when the peer last took something, and closes in a way that
//! loses nothing of what was sent.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep, sleep_until};

/// For the peer to take what is left and our close_notify, and to close.
pub(crate) const CLOSING: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(crate) struct Socket {
    stream: TcpStream,
    progress: Arc<Progress>,
    /// Runs from the shutdown on.
    closing: Option<Pin<Box<Sleep>>>,
}

/// What is known of a socket while something else owns it.
#[derive(Debug)]
pub(crate) struct Progress {
    start: Instant,
    /// When the socket last took bytes: milliseconds after `start`.
    last: AtomicU64,
    peer_stays: AtomicBool,
}

impl Socket {
    pub(crate) fn new(stream: TcpStream) -> (Self, Arc<Progress>) {
        let (start, last, peer_stays) = (Instant::now(), AtomicU64::new(0), AtomicBool::new(false));
        let progress = Arc::new(Progress { start, last, peer_stays });
        (Self { stream, progress: progress.clone(), closing: None }, progress)
    }
}

impl Progress {
    /// Returns when nothing was sent for so long.
    pub(crate) async fn stalled(&self, patience: Duration) {
        loop {
            let last = self.last.load(Ordering::Relaxed);
            sleep_until((self.start + Duration::from_millis(last) + patience).into()).await;
            if self.last.load(Ordering::Relaxed) == last {
                return;
            }
        }
    }

    /// Whether the peer did not close in time after a shutdown.
    pub(crate) fn peer_stays(&self) -> bool {
        self.peer_stays.load(Ordering::Relaxed)
    }

    fn wrote(&self, written: &Poll<io::Result<usize>>) {
        if matches!(written, Poll::Ready(Ok(1..))) {
            self.last.store(self.start.elapsed().as_millis() as u64, Ordering::Relaxed);
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, data);
        self.progress.wrote(&written);
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    /// Ends what is sent, and then waits for the peer to close: a socket that is closed with bytes unread may
    /// take back what was sent last. Some peers reset the connection then, which loses nothing.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, progress, closing } = &mut *self;
        if closing.is_none() {
            ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
        }
        let closing = closing.get_or_insert_with(|| Box::pin(sleep(CLOSING)));
        loop {
            if closing.as_mut().poll(context).is_ready() {
                progress.peer_stays.store(true, Ordering::Relaxed);
                return Poll::Ready(Ok(()));
            }
            let mut discarded = [0; 4096];
            let mut discarded = ReadBuf::new(&mut discarded);
            let read = ready!(Pin::new(&mut *stream).poll_read(context, &mut discarded));
            if read.is_err() || discarded.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}
