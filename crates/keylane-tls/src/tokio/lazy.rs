//! A server that reads the client's first message before it chooses a configuration, under tokio-rustls'
//! names.

use super::endpoints::{Accept, Handshaking};
use super::polled::{Polled, polled};
use crate::debug::debug;
use crate::handshake::{Accepted, Acceptor};
use crate::transfer;
use ::tokio::io::{AsyncRead, AsyncWrite};
use rustls::ServerConfig;
use rustls::server::ClientHello;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// A future that reads a client's first message, by which the server can choose a configuration. It has
/// tokio-rustls' names.
///
/// A client can delay the message for any time: put a timeout around the future.
///
/// ```
/// use keylane_tls::tokio::{LazyConfigAcceptor, TlsStream};
/// use rustls::ServerConfig;
/// use std::{io, sync::Arc};
/// use tokio::net::TcpStream;
///
/// # async fn load(name: Option<&str>) -> io::Result<Arc<ServerConfig>> { todo!("{name:?}") }
/// /// Loads the certificates of the name that the client asked for.
/// async fn accept(socket: TcpStream) -> io::Result<TlsStream<TcpStream>> {
///     let start = LazyConfigAcceptor::new(rustls::server::Acceptor::default(), socket).await?;
///     let config = load(start.client_hello().server_name()).await?;
///     start.into_stream(config).await
/// }
/// # let _ = accept;
/// ```
///
/// # Errors
/// The future returns the transport's errors, and [`Error::Handshake`](crate::Error::Handshake) inside an
/// [`io::Error`]. Polled again after it has returned a message, it fails.
pub struct LazyConfigAcceptor<T> {
    acceptor: Acceptor,
    transport: Option<T>,
}

impl<T: AsyncRead + AsyncWrite + Unpin> LazyConfigAcceptor<T> {
    /// Returns a future that reads from `transport`. `acceptor` is Keylane's or rustls' own, which must not
    /// have read anything.
    pub fn new(acceptor: impl Into<Acceptor>, transport: T) -> Self {
        Self { acceptor: acceptor.into(), transport: Some(transport) }
    }

    /// Takes the transport back, after an error or when the client has taken too long. Bytes that were read
    /// from it are lost. `None` if the future has returned a message.
    ///
    /// ```
    /// use keylane_tls::Acceptor;
    /// use keylane_tls::tokio::LazyConfigAcceptor;
    /// use tokio::io::AsyncWriteExt;
    /// use tokio::net::TcpStream;
    ///
    /// async fn accept(socket: TcpStream) -> std::io::Result<()> {
    ///     let mut acceptor = LazyConfigAcceptor::new(Acceptor::default(), socket);
    ///     if (&mut acceptor).await.is_err() {
    ///         if let Some(mut socket) = acceptor.take_io() {
    ///             socket.write_all(b"HTTP/1.1 400 This is an HTTPS server\r\n\r\n").await?;
    ///         }
    ///     }
    ///     Ok(())
    /// }
    /// # let _ = accept;
    /// ```
    pub fn take_io(&mut self) -> Option<T> {
        self.transport.take()
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> Future for LazyConfigAcceptor<T> {
    type Output = io::Result<StartHandshake<T>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { acceptor, transport: place } = self.get_mut();
        let Some(transport) = place else {
            return Poll::Ready(Err(io::Error::other("the transport was taken")));
        };
        let mut polled_transport = Polled { transport, waker: context.waker() };
        polled(transfer::shake_hands(acceptor, &mut polled_transport)).map_ok(|accepted| {
            let io = place.take().expect("it was polled just now");
            StartHandshake { accepted, io }
        })
    }
}

/// A connection whose client has sent its first message, from [`LazyConfigAcceptor`], which has an example.
#[derive(Debug)]
#[non_exhaustive]
pub struct StartHandshake<T> {
    /// The ClientHello that was received.
    pub accepted: Accepted,
    /// The transport.
    pub io: T,
}

impl<T: AsyncRead + AsyncWrite + Unpin> StartHandshake<T> {
    /// Joins the two fields again after they were taken apart.
    pub fn from_parts(accepted: Accepted, transport: T) -> Self {
        Self { accepted, io: transport }
    }

    /// Returns what the client offers: a server name, protocols, signature schemes, cipher suites and more.
    pub fn client_hello(&self) -> ClientHello<'_> {
        self.accepted.client_hello()
    }

    /// Returns a future that completes the handshake with `config`.
    pub fn into_stream(self, config: Arc<ServerConfig>) -> Accept<T> {
        Handshaking::new(self.accepted.into_handshake(config), self.io)
    }
}

debug! { [T] LazyConfigAcceptor<T>: acceptor }
