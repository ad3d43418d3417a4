//! Connectors and acceptors under tokio-rustls' names.

use super::TlsStream;
use super::polled::{Polled, polled};
use crate::Error;
use crate::debug::debug;
use crate::handshake::{Client, ClientHandshake, Handshake, Server, ServerHandshake};
use crate::session::Options;
use crate::transfer;
use ::tokio::io::{AsyncRead, AsyncWrite};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ServerConfig};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

/// Connects to servers with one configuration, any number of times.
///
/// ```
/// use keylane_tls::rustls::{ClientConfig, pki_types::ServerName};
/// use keylane_tls::tokio::{TlsConnector, client::TlsStream};
/// use std::{io, sync::Arc};
/// use tokio::net::TcpStream;
///
/// async fn connect(config: Arc<ClientConfig>) -> io::Result<TlsStream<TcpStream>> {
///     let connector = TlsConnector::from(config); // once
///     let socket = TcpStream::connect("example.org:443").await?;
///     connector.connect(ServerName::try_from("example.org").unwrap(), socket).await
/// }
/// # let _ = connect;
/// ```
#[derive(Clone, Debug)]
pub struct TlsConnector {
    config: Arc<ClientConfig>,
}

impl From<Arc<ClientConfig>> for TlsConnector {
    fn from(config: Arc<ClientConfig>) -> Self {
        Self { config }
    }
}

impl TlsConnector {
    /// Connects to the server `name` over `transport` and completes the handshake, like
    /// [`connect`](super::connect).
    pub fn connect<T>(&self, name: ServerName<'static>, transport: T) -> Connect<T>
    where
        T: AsyncRead + AsyncWrite + Unpin,
    {
        Handshaking::new(ClientHandshake::new(self.config.clone(), name), transport)
    }

    /// Connects like [`connect`](Self::connect), with the given options.
    pub fn connect_with<T>(&self, name: ServerName<'static>, transport: T, options: Options) -> Connect<T>
    where
        T: AsyncRead + AsyncWrite + Unpin,
    {
        let handshake = ClientHandshake::new(self.config.clone(), name);
        Handshaking::new(handshake.map(|handshake| handshake.with_options(options)), transport)
    }

    /// Returns a connector that offers these application protocols (ALPN, RFC 7301) instead of the
    /// configuration's. Both share their stored sessions.
    #[must_use]
    pub fn with_alpn(&self, protocols: Vec<Vec<u8>>) -> Self {
        let mut config = ClientConfig::clone(&self.config);
        config.alpn_protocols = protocols;
        Self { config: Arc::new(config) }
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Arc<ClientConfig> {
        &self.config
    }
}

/// Accepts clients with one configuration, any number of times.
///
/// ```
/// use keylane_tls::rustls::ServerConfig;
/// use keylane_tls::tokio::TlsAcceptor;
/// use std::{io, sync::Arc, time::Duration};
/// use tokio::{io::AsyncWriteExt, net::TcpListener, time::timeout};
///
/// async fn serve(config: Arc<ServerConfig>, listener: TcpListener) -> io::Result<()> {
///     let acceptor = TlsAcceptor::from(config); // once
///     loop {
///         let (socket, _) = listener.accept().await?;
///         let handshake = timeout(Duration::from_secs(10), acceptor.accept(socket));
///         tokio::spawn(async move {
///             let mut stream = handshake.await??;
///             stream.write_all(b"hello\n").await?;
///             stream.shutdown().await
///         });
///     }
/// }
/// # let _ = serve;
/// ```
#[derive(Clone, Debug)]
pub struct TlsAcceptor {
    config: Arc<ServerConfig>,
}

impl From<Arc<ServerConfig>> for TlsAcceptor {
    fn from(config: Arc<ServerConfig>) -> Self {
        Self { config }
    }
}

impl TlsAcceptor {
    /// Accepts a client over `transport` and completes the handshake, like [`accept`](super::accept).
    pub fn accept<T: AsyncRead + AsyncWrite + Unpin>(&self, transport: T) -> Accept<T> {
        Handshaking::new(ServerHandshake::new(self.config.clone()), transport)
    }

    /// Accepts a client like [`accept`](Self::accept), with the given options.
    pub fn accept_with<T: AsyncRead + AsyncWrite + Unpin>(
        &self,
        transport: T,
        options: Options,
    ) -> Accept<T> {
        let handshake = ServerHandshake::new(self.config.clone());
        Handshaking::new(handshake.map(|handshake| handshake.with_options(options)), transport)
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Arc<ServerConfig> {
        &self.config
    }
}

/// The future of [`TlsConnector::connect`].
pub type Connect<T> = Handshaking<Client, T>;
/// The future of [`TlsAcceptor::accept`].
pub type Accept<T> = Handshaking<Server, T>;

/// A handshake over a transport: a future whose output is the stream.
///
/// Dropping it before it completes drops the transport. Its error is the transport's, [`Error::Handshake`],
/// [`Error::AlertReceived`] or [`Error::Truncated`].
///
/// ```
/// use keylane_tls::tokio::{Accept, TlsStream};
/// use std::io;
/// use tokio::net::TcpStream;
///
/// async fn finish(handshake: Accept<TcpStream>) -> io::Result<TlsStream<TcpStream>> {
///     let peer = handshake.get_ref().map(TcpStream::peer_addr);
///     handshake.await.inspect_err(|error| eprintln!("{peer:?}: {error}"))
/// }
/// # let _ = finish;
/// ```
#[must_use = "nothing is sent unless this is awaited"]
pub struct Handshaking<Role, T>(Option<(Result<Handshake<Role>, Error>, T)>);

impl<Role, T> Handshaking<Role, T> {
    pub(super) fn new(handshake: Result<Handshake<Role>, Error>, transport: T) -> Self {
        Self(Some((handshake, transport)))
    }

    /// Returns a future whose error includes the transport.
    pub fn into_fallible(self) -> Fallible<Role, T> {
        Fallible(self)
    }

    /// Returns the transport, unless the handshake has ended.
    pub fn get_ref(&self) -> Option<&T> {
        self.0.as_ref().map(|(_, transport)| transport)
    }

    /// Returns the transport, for instance to set its options, unless the handshake has ended.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_mut().map(|(_, transport)| transport)
    }
}

impl<Role, T: AsyncRead + AsyncWrite + Unpin> Handshaking<Role, T> {
    fn poll_stream(&mut self, context: &Context<'_>) -> Poll<Result<TlsStream<T>, (io::Error, T)>> {
        let (handshake, transport) = self.0.as_mut().expect("polled after its end");
        let end = match handshake {
            Ok(handshake) => {
                let mut transport = Polled { transport, waker: context.waker() };
                ready!(polled(transfer::shake_hands(handshake, &mut transport)))
            }
            Err(_) => Ok(()),
        };
        let (handshake, transport) = self.0.take().expect("it was there");
        let session = end.and_then(|()| Ok(handshake?.finish()?));
        Poll::Ready(match session {
            Ok((session, info)) => Ok(TlsStream::new(session, info, transport)),
            Err(error) => Err((error, transport)),
        })
    }
}

impl<Role: Unpin, T: AsyncRead + AsyncWrite + Unpin> Future for Handshaking<Role, T> {
    type Output = io::Result<TlsStream<T>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().poll_stream(context).map_err(|(error, _)| error)
    }
}

debug! { [Role, T] Handshaking<Role, T>: }

/// The future of [`Handshaking::into_fallible`].
///
/// ```
/// use keylane_tls::tokio::TlsAcceptor;
/// use tokio::{io::AsyncWriteExt, net::TcpStream};
///
/// async fn answer_in_plain_text(acceptor: &TlsAcceptor, socket: TcpStream) {
///     if let Err((_, mut socket)) = acceptor.accept(socket).into_fallible().await {
///         let _ = socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\nThis port speaks TLS.\n").await;
///     }
/// }
/// # let _ = answer_in_plain_text;
/// ```
#[derive(Debug)]
#[must_use = "nothing is sent unless this is awaited"]
pub struct Fallible<Role, T>(Handshaking<Role, T>);

impl<Role: Unpin, T: AsyncRead + AsyncWrite + Unpin> Future for Fallible<Role, T> {
    type Output = Result<TlsStream<T>, (io::Error, T)>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().0.poll_stream(context)
    }
}

/// tokio-rustls' names of a client's types. Both ends have the same stream here.
pub mod client {
    pub use super::super::TlsStream;
    pub use super::{Connect, TlsConnector};
}

/// tokio-rustls' names of a server's types. Both ends have the same stream here.
pub mod server {
    pub use super::super::{LazyConfigAcceptor, StartHandshake, TlsStream};
    pub use super::{Accept, TlsAcceptor};
}
