//! The asynchronous stream, over any transport of tokio's traits.
//!
//! [`connect`] and [`accept`] perform the handshake, as do [`TlsConnector`] and [`TlsAcceptor`], which keep a
//! configuration and have the names of tokio-rustls; [`TlsStream`] moves the data, and
//! [`TlsStream::into_split`] splits it into halves that two tasks can use at the same time.
//!
//! # Cancelling
//! A future may be dropped at any await point, as `select!` and timeouts do:
//!
//! | future | when it is dropped |
//! |---|---|
//! | `read`, `read_buf`, `fill_buf` | nothing was taken |
//! | `write`, `write_vectored` | nothing was taken; bytes are counted in the same poll that seals them |
//! | `flush`, `shutdown` | nothing is lost: call it again to continue |
//! | `write_all`, `read_exact`, `copy` … | some bytes may have moved; their number is lost, as on any stream |
//! | [`connect`], [`accept`], [`Handshaking`] | **the transport is lost with it**: [`TlsStream::handshake`] keeps it |
//!
//! # Time limits
//! Keylane sets no time limits. Put a timeout around connecting, which includes the handshake, and around
//! each read and write.
//!
//! ```
//! use keylane_tls::tokio::{TlsStream, connect};
//! use rustls::ClientConfig;
//! use std::{io, sync::Arc, time::Duration};
//! use tokio::{net::TcpStream, time::timeout};
//!
//! async fn connect_in_time(config: Arc<ClientConfig>) -> io::Result<TlsStream<TcpStream>> {
//!     let connecting = async {
//!         let socket = TcpStream::connect("example.org:443").await?;
//!         connect(config, "example.org".try_into().unwrap(), socket).await
//!     };
//!     timeout(Duration::from_secs(10), connecting).await?
//! }
//! # let _ = connect_in_time;
//! ```
//!
//! # Examples
//! ```
//! use keylane_tls::tokio::{accept, connect};
//! use tokio::io::{AsyncReadExt, AsyncWriteExt};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! # use keylane_tls_checks::certificates::{Credentials, server_name};
//! # use keylane_tls_checks::terms::{Cipher, Key, Terms, Version};
//! # let terms = Terms { version: Version::Tls13, cipher: Cipher::Aes128Gcm, key: Key::EcdsaP256 };
//! # let configs = Credentials::generate().unwrap().configs(keylane_tls::provider(), &terms, false).unwrap();
//! # let (client_config, server_config) = (configs.client, configs.server);
//! # let name = server_name();
//! let (here, there) = tokio::io::duplex(4096); // or a TcpStream each
//! let server = tokio::spawn(async move {
//!     let mut stream = accept(server_config, there).await?;
//!     let mut request = String::new();
//!     stream.read_to_string(&mut request).await?; // up to the client's close_notify
//!     stream.write_all(request.to_uppercase().as_bytes()).await?;
//!     stream.shutdown().await
//! });
//!
//! let (mut from_server, mut to_server) = connect(client_config, name, here).await?.into_split();
//! to_server.write_all(b"loud").await?;
//! to_server.shutdown().await?;
//! let mut answer = String::new();
//! from_server.read_to_string(&mut answer).await?;
//! assert_eq!(answer, "LOUD");
//! server.await?
//! # }
//! ```

mod endpoints;
mod halves;
mod lazy;
mod polled;
mod writer;

pub use endpoints::{Accept, Connect, Fallible, Handshaking, TlsAcceptor, TlsConnector, client, server};
pub use halves::{ReadHalf, WriteHalf};
pub use lazy::{LazyConfigAcceptor, StartHandshake};

#[cfg(doc)]
use crate::Error;
use crate::debug::debug;
use crate::handshake::{ConnectionInfo, Handshake};
use crate::session::{Options, PendingReplies, Receiver, Session};
use crate::transfer::{self, Reply, Upstream};
use ::tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};
use polled::{Polled, polled};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ServerConfig};
use std::future::poll_fn;
use std::io::{self, IoSlice, Read};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use writer::Writer;

/// Connects to the server `name` over `transport` and completes the handshake.
///
/// If the future is dropped before it completes, the transport is dropped with it. A server can delay the
/// handshake for any time: put a [timeout](self#time-limits) around it.
///
/// # Errors
/// The transport's errors; inside an [`io::Error`], [`Error::Handshake`], [`Error::AlertReceived`] and
/// [`Error::Truncated`].
pub async fn connect<T: AsyncRead + AsyncWrite + Unpin>(
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
    transport: T,
) -> io::Result<TlsStream<T>> {
    TlsConnector::from(config).connect(name, transport).await
}

/// Connects like [`connect()`], with the given options.
///
/// # Errors
/// Those of [`connect`].
pub async fn connect_with<T: AsyncRead + AsyncWrite + Unpin>(
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
    transport: T,
    options: Options,
) -> io::Result<TlsStream<T>> {
    TlsConnector::from(config).connect_with(name, transport, options).await
}

/// Accepts a client over `transport` and completes the handshake.
///
/// If the future is dropped before it completes, the transport is dropped with it. A client can delay the
/// handshake for any time: put a [timeout](self#time-limits) around it.
///
/// # Errors
/// Those of [`connect`].
pub async fn accept<T: AsyncRead + AsyncWrite + Unpin>(
    config: Arc<ServerConfig>,
    transport: T,
) -> io::Result<TlsStream<T>> {
    TlsAcceptor::from(config).accept(transport).await
}

/// Accepts a client like [`accept()`], with the given options.
///
/// # Errors
/// Those of [`connect`].
pub async fn accept_with<T: AsyncRead + AsyncWrite + Unpin>(
    config: Arc<ServerConfig>,
    transport: T,
    options: Options,
) -> io::Result<TlsStream<T>> {
    TlsAcceptor::from(config).accept_with(transport, options).await
}

/// A TLS connection over an asynchronous transport.
///
/// - `AsyncRead` copies once, `AsyncBufRead` lends the data where it was decrypted. The end of the data means
///   that the peer has sent `close_notify`. If the transport ends without that, reading fails with an error
///   of the kind `UnexpectedEof`; an alert from the peer is an error of the kind `ConnectionAborted`.
///   [`Error::of`] returns the details.
/// - `AsyncWrite` seals the caller's bytes straight into the send buffer and sends them. Written bytes may
///   still wait for the transport: **flush** before you wait for the peer's answer. Many short writes make
///   many records and system calls: combine them, or use `write_vectored`.
/// - `shutdown` sends pending records and `close_notify`, and shuts the transport down for writing. The
///   stream can still receive. Dropping the stream sends nothing: the peer sees a truncated connection.
/// - If the peer asks for new keys while this end only reads, the read sends the answer, one short record,
///   without waiting for the transport to take it.
/// - One task can read while another writes, with `tokio::io::split`, or with
///   [`into_split`](Self::into_split), whose halves do not wait for each other.
/// - A peer can send a record byte by byte, over any time: put a [timeout](self#time-limits) around reads. A
///   read can be [cancelled](self#cancelling) without loss.
/// - While a read waits and nothing is pending, the connection's only buffer is one of 2 KiB for short
///   writes.
///
/// ```
/// use keylane_tls::tokio::TlsStream;
/// use tokio::io::{self, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt};
///
/// async fn ask<T: AsyncRead + AsyncWrite + Unpin>(stream: &mut TlsStream<T>) -> io::Result<String> {
///     stream.write_all(b"what time is it?\n").await?;
///     stream.flush().await?; // before waiting for the answer
///     let mut answer = String::new();
///     stream.read_line(&mut answer).await?;
///     Ok(answer)
/// }
/// # let _ = ask::<tokio::io::DuplexStream>;
/// ```
pub struct TlsStream<T> {
    transport: T,
    receiver: Receiver,
    writer: Writer,
    /// Whether a reply to what was received waits for the transport.
    replying: bool,
    info: ConnectionInfo,
}

impl<T: AsyncRead + AsyncWrite + Unpin> TlsStream<T> {
    /// Continues a handshake until it is complete. If the future is dropped, both arguments stay usable: call
    /// this again.
    ///
    /// # Errors
    /// Those of [`connect`].
    pub async fn handshake<Role>(handshake: &mut Handshake<Role>, transport: &mut T) -> io::Result<()> {
        poll_fn(|context| {
            let mut transport = Polled { transport: &mut *transport, waker: context.waker() };
            polled(transfer::shake_hands(handshake, &mut transport))
        })
        .await
    }

    /// Completes a handshake and returns the stream.
    ///
    /// If the future is dropped before it completes, the transport is dropped with it.
    ///
    /// # Errors
    /// Those of [`connect`].
    pub async fn complete<Role: Unpin>(handshake: Handshake<Role>, transport: T) -> io::Result<Self> {
        Handshaking::new(Ok(handshake), transport).await
    }

    /// Returns the stream of a completed handshake.
    ///
    /// # Errors
    /// Those of [`Handshake::finish`].
    pub fn from_handshake<Role>(handshake: Handshake<Role>, transport: T) -> io::Result<Self> {
        let (session, info) = handshake.finish()?;
        Ok(Self::new(session, info, transport))
    }
}

impl<T> TlsStream<T> {
    fn new(Session { receiver, sender }: Session, info: ConnectionInfo, transport: T) -> Self {
        Self { transport, receiver, writer: Writer::new(sender), replying: false, info }
    }

    /// Returns the parameters that the handshake agreed on.
    pub fn info(&self) -> &ConnectionInfo {
        &self.info
    }

    /// Returns whether the peer has closed: no data will follow what was already received. A close that
    /// arrived together with the last data is known as soon as that data is, without another read of the
    /// transport.
    pub fn peer_closed(&self) -> bool {
        self.receiver.peer_closed()
    }

    /// Renews the keys for sending. With `request_peer`, also asks the peer to renew its own, unless an
    /// earlier request is still unanswered. The message is sent with the next write or flush.
    ///
    /// # Errors
    /// [`Error::Unsupported`] in TLS 1.2, or if too much is pending; [`Error::Closed`].
    pub fn update_keys(&mut self, request_peer: bool) -> io::Result<()> {
        Ok(self.writer.sender.update_keys(request_peer)?)
    }

    /// Frees empty buffers, except a few for reuse: for idle connections. A waiting read does this
    /// automatically.
    pub fn release_buffers(&mut self) {
        self.receiver.release();
        self.writer.sender.release();
    }

    /// Returns the transport. Reading or writing it directly breaks the connection.
    pub fn get_ref(&self) -> &T {
        &self.transport
    }

    /// Returns the transport, for instance to set its options: see [`get_ref`](Self::get_ref).
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.transport
    }

    /// Returns the transport and the session, for your own I/O.
    pub fn into_parts(self) -> (T, Session) {
        (self.transport, Session { receiver: self.receiver, sender: self.writer.sender })
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> TlsStream<T> {
    /// Splits the stream into two halves, for a task that reads and one that writes. [`ReadHalf::unsplit`]
    /// joins them again.
    pub fn into_split(self) -> (ReadHalf<T>, WriteHalf<T>) {
        halves::split(self)
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> TlsStream<T> {
    fn split<'a>(
        &'a mut self,
        waker: &'a Waker,
    ) -> (&'a mut Receiver, Upstream<Polled<'a, T>, impl Reply<Polled<'a, T>>>) {
        let Self { transport, receiver, writer, replying, .. } = self;
        let reply = |polled: &mut Polled<'a, T>, replies: PendingReplies| {
            if replies.is_empty() && !*replying && writer.sender.pending().is_empty() {
                writer.sender.release();
            } else {
                *replying = writer.reply(replies, polled.transport, waker).finish();
            }
        };
        (receiver, Upstream { transport: Polled { transport, waker }, reply })
    }
}

/// Implements `AsyncRead` with the code that the blocking stream uses.
fn poll_read<R: Read>(
    receiver: &mut Receiver,
    upstream: &mut Upstream<R, impl Reply<R>>,
    buffer: &mut ReadBuf<'_>,
) -> Poll<io::Result<()>> {
    let room = buffer.remaining();
    polled(transfer::read_with(receiver, upstream, room, |data| buffer.put_slice(data))).map_ok(drop)
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncRead for TlsStream<T> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (receiver, mut upstream) = self.get_mut().split(context.waker());
        poll_read(receiver, &mut upstream, buffer)
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncBufRead for TlsStream<T> {
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
        // Later data must follow the reply.
        this.writer.sender.reply(this.receiver.take_replies());
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncWrite for TlsStream<T> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(data)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let Self { writer, transport, .. } = self.get_mut();
        writer.poll_write(transport, context, data)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { writer, transport, .. } = self.get_mut();
        writer.poll_flush(transport, context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { writer, transport, .. } = self.get_mut();
        writer.poll_shutdown(transport, context)
    }
}

debug! { [T: core::fmt::Debug] TlsStream<T>: transport, info }
