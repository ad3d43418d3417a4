//! One connection, two tasks.
//!
//! The halves share the sending direction, under a lock that is held only within a poll. The reading half
//! takes it when it has something to reply.

#[cfg(doc)]
use super::Error;
use super::polled::{Polled, polled};
use super::writer::Writer;
use super::{TlsStream, poll_read};
use crate::debug::debug;
use crate::handshake::ConnectionInfo;
use crate::lock::{lock, try_lock, unlock};
use crate::session::{PendingReplies, Receiver};
use crate::transfer::{self, Reply, Upstream};
use ::tokio::io::{self as transport, AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker, ready};

/// The reading half of a [`TlsStream`], from [`TlsStream::into_split`].
///
/// - When the connection fails here, because of a bad record or an alert, writes on the other half fail as
///   well. This half sends the alert to the peer.
/// - A read sends the reply to a peer that requests new keys, even if the other half was dropped.
/// - After this half is dropped, writing still works, but the peer's close, alerts and requests for new keys
///   go unnoticed, and the peer may wait forever for this end to read.
///
/// ```
/// use keylane_tls::tokio::TlsStream;
/// use tokio::io::{self, AsyncRead, AsyncWrite};
///
/// /// Sends back what comes, reading and writing at the same time.
/// async fn echo<T: AsyncRead + AsyncWrite + Unpin>(stream: TlsStream<T>) -> io::Result<u64> {
///     let (mut reader, mut writer) = stream.into_split();
///     io::copy_buf(&mut reader, &mut writer).await
/// }
/// # let _ = echo::<tokio::io::DuplexStream>;
/// ```
pub struct ReadHalf<T> {
    transport: transport::ReadHalf<T>,
    receiver: Receiver,
    /// Whether a reply to what was received waits for the transport.
    replying: bool,
    shared: Arc<Mutex<Shared<T>>>,
    info: ConnectionInfo,
}

/// The writing half of a [`TlsStream`], from [`TlsStream::into_split`].
///
/// Dropping it does not close the connection, and bytes that were not flushed may be lost: call `shutdown`
/// first.
///
/// ```
/// use keylane_tls::tokio::WriteHalf;
/// use tokio::io::{self, AsyncWrite, AsyncWriteExt};
///
/// async fn say<T: AsyncWrite + Unpin>(mut half: WriteHalf<T>, text: &[u8]) -> io::Result<()> {
///     half.write_all(text).await?;
///     half.shutdown().await // flushes, and says that this was all
/// }
/// # let _ = say::<tokio::io::DuplexStream>;
/// ```
pub struct WriteHalf<T> {
    shared: Arc<Mutex<Shared<T>>>,
}

struct Shared<T> {
    transport: transport::WriteHalf<T>,
    writer: Writer,
}

type Reader<'a, T> = Polled<'a, transport::ReadHalf<T>>;

pub(super) fn split<T: AsyncRead + AsyncWrite>(stream: TlsStream<T>) -> (ReadHalf<T>, WriteHalf<T>) {
    let TlsStream { transport, receiver, writer, replying, info } = stream;
    let (read, write) = transport::split(transport);
    // A pending record may be a reply.
    let replying = replying || !writer.sender.pending().is_empty();
    let shared = Arc::new(Mutex::new(Shared { transport: write, writer }));
    (ReadHalf { transport: read, receiver, replying, shared: shared.clone(), info }, WriteHalf { shared })
}

impl<T> ReadHalf<T> {
    /// Returns the parameters that the handshake agreed on.
    pub fn info(&self) -> &ConnectionInfo {
        &self.info
    }

    /// Returns whether the peer has closed: no data will follow what was already received. A close that
    /// arrived together with the last data is known as soon as that data is.
    pub fn peer_closed(&self) -> bool {
        self.receiver.peer_closed()
    }

    /// Returns whether both halves belong to the same connection.
    pub fn is_pair_of(&self, other: &WriteHalf<T>) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// Joins the halves into the stream again.
    ///
    /// # Panics
    /// If the halves belong to different connections: see [`is_pair_of`](Self::is_pair_of).
    pub fn unsplit(self, other: WriteHalf<T>) -> TlsStream<T>
    where
        T: Unpin,
    {
        assert!(self.is_pair_of(&other), "halves of different connections");
        let Self { transport, receiver, replying, shared, info } = self;
        drop(other);
        let shared = Arc::into_inner(shared).expect("there are two halves and both are here");
        let Shared { transport: write, writer } = unlock(shared);
        TlsStream { transport: transport.unsplit(write), receiver, writer, replying, info }
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> ReadHalf<T> {
    fn split<'a>(
        &'a mut self,
        waker: &'a Waker,
    ) -> (&'a mut Receiver, Upstream<Reader<'a, T>, impl Reply<Reader<'a, T>>>) {
        let Self { transport, receiver, replying, shared, .. } = self;
        let reply = |_: &mut Polled<'a, _>, replies: PendingReplies| {
            if !replies.is_empty() || *replying {
                let reply = {
                    let Shared { transport, writer } = &mut *lock(shared);
                    writer.reply(replies, transport, waker)
                };
                *replying = reply.finish();
            } else if let Some(mut shared) = try_lock(shared) {
                // No task writes: the connection may be idle.
                shared.writer.sender.release();
            }
        };
        (receiver, Upstream { transport: Polled { transport, waker }, reply })
    }
}

impl<T> WriteHalf<T> {
    /// Renews the keys for sending. With `request_peer`, also asks the peer to renew its own, unless an
    /// earlier request is still unanswered. The message is sent with the next write or flush.
    ///
    /// # Errors
    /// [`Error::Unsupported`] in TLS 1.2, or if too much is pending; [`Error::Closed`].
    pub fn update_keys(&mut self, request_peer: bool) -> io::Result<()> {
        Ok(lock(&self.shared).writer.sender.update_keys(request_peer)?)
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncRead for ReadHalf<T> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (receiver, mut upstream) = self.get_mut().split(context.waker());
        poll_read(receiver, &mut upstream, buffer)
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncBufRead for ReadHalf<T> {
    fn poll_fill_buf(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        {
            let (receiver, mut upstream) = this.split(context.waker());
            ready!(polled(transfer::receive(receiver, &mut upstream)))?;
        }
        Poll::Ready(Ok(this.receiver.data()))
    }

    fn consume(self: Pin<&mut Self>, len: usize) {
        let this = self.get_mut();
        this.receiver.consume(len);
        let replies = this.receiver.take_replies();
        if !replies.is_empty() {
            // Later data must follow the reply; if nothing is written, the next read sends it.
            lock(&this.shared).writer.sender.reply(replies);
            this.replying = true;
        }
    }
}

impl<T: AsyncWrite> AsyncWrite for WriteHalf<T> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(data)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let Shared { transport, writer } = &mut *lock(&self.shared);
        writer.poll_write(transport, context, data)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Shared { transport, writer } = &mut *lock(&self.shared);
        writer.poll_flush(transport, context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Shared { transport, writer } = &mut *lock(&self.shared);
        writer.poll_shutdown(transport, context)
    }
}

debug! { [T: core::fmt::Debug] ReadHalf<T>: info }

debug! { [T: core::fmt::Debug] WriteHalf<T>: }
