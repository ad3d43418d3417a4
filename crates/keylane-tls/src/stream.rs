//! The blocking stream.

mod halves;

pub use halves::{ReadHalf, WriteHalf};

#[cfg(doc)]
use crate::Error;
use crate::debug::debug;
use crate::handshake::{Accepted, Acceptor, ClientHandshake, ConnectionInfo, Handshake, ServerHandshake};
use crate::session::{Options, PendingReplies, Receiver, Sender, Session};
use crate::transfer::{self, Reply, Upstream};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ServerConfig};
use std::io::{self, BufRead, IoSlice, Read, Write};
use std::sync::Arc;

/// A TLS connection over a blocking or non-blocking transport `T`, usually a socket.
///
/// - `Read` copies once, `BufRead` lends the data where it was decrypted. `Ok(0)` means that the peer has
///   sent `close_notify`. If the transport ends without that, reading fails with an error of the kind
///   `UnexpectedEof`; an alert from the peer is an error of the kind `ConnectionAborted`. [`Error::of`]
///   returns the details.
/// - `Write` seals the caller's bytes straight into the send buffer and sends them. Bytes reported as written
///   are kept until the transport takes them. `WouldBlock` and `TimedOut` mean that no new bytes were taken:
///   the stream is intact, and the next call continues. Many short writes make many records and system calls:
///   combine them, or use `write_vectored`.
/// - While this end only reads, the peer may ask for new keys or break the protocol. The read then writes the
///   answer or the alert, one short record. On a blocking transport whose peer does not read, this write also
///   blocks the read: set a write timeout.
/// - Dropping the stream sends nothing: the peer sees a truncated connection. Call [`close`](Self::close).
///
/// ```
/// use keylane_tls::TlsStream;
/// use std::io::{BufRead, Read, Write};
/// use std::net::{TcpListener, TcpStream};
///
/// # fn main() -> std::io::Result<()> {
/// # use keylane_tls_checks::certificates::{Credentials, server_name};
/// # use keylane_tls_checks::terms::{Cipher, Key, Terms, Version};
/// # let terms = Terms { version: Version::Tls13, cipher: Cipher::Aes128Gcm, key: Key::EcdsaP256 };
/// # let configs = Credentials::generate().unwrap().configs(keylane_tls::provider(), &terms, false).unwrap();
/// # let (client_config, server_config) = (configs.client, configs.server);
/// # let name = server_name();
/// let listener = TcpListener::bind("127.0.0.1:0")?;
/// let address = listener.local_addr()?;
/// let server = std::thread::spawn(move || -> std::io::Result<String> {
///     let mut stream = TlsStream::accept(server_config, listener.accept()?.0)?;
///     stream.write_all(b"good morning")?;
///     stream.close()?;
///     let mut answer = String::new();
///     stream.read_to_string(&mut answer)?; // up to the peer's close_notify
///     Ok(answer)
/// });
///
/// let mut stream = TlsStream::connect(client_config, name, TcpStream::connect(address)?)?;
/// let data = stream.fill_buf()?; // lent, not copied
/// assert_eq!(data, b"good morning");
/// let len = data.len();
/// stream.consume(len);
/// stream.write_all(b"and good night")?;
/// stream.close()?;
/// assert_eq!(server.join().unwrap()?, "and good night");
/// # Ok(())
/// # }
/// ```
///
/// # Time limits
/// Keylane sets no time limits: a peer may take any time for the handshake and for each record. Set the
/// socket's timeouts before the handshake:
///
/// ```
/// use keylane_tls::TlsStream;
/// use rustls::ClientConfig;
/// use std::io;
/// use std::net::{TcpStream, ToSocketAddrs};
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// fn connect(config: Arc<ClientConfig>) -> io::Result<TlsStream<TcpStream>> {
///     let limit = Duration::from_secs(10);
///     let address = "example.org:443".to_socket_addrs()?.next().ok_or(io::ErrorKind::NotFound)?;
///     let socket = TcpStream::connect_timeout(&address, limit)?;
///     socket.set_read_timeout(Some(limit))?;
///     socket.set_write_timeout(Some(limit))?;
///     TlsStream::connect(config, "example.org".try_into().unwrap(), socket)
/// }
/// # let _ = connect;
/// ```
///
/// A timeout is an error of the kind `WouldBlock` or `TimedOut`; `connect` and `accept` then drop the
/// transport. The timeout applies to each read of the socket, so a peer that sends single bytes can stay
/// below it. To limit a whole handshake or message, shut the socket down from another thread, use a
/// non-blocking socket, or use `tokio`'s stream.
pub struct TlsStream<T> {
    transport: T,
    receiver: Receiver,
    sender: Sender,
    /// Whether the transport has yet to flush a reply to what was received.
    replying: bool,
    info: ConnectionInfo,
}

impl<T: Read + Write> TlsStream<T> {
    /// Connects to the server `name` over `transport` and completes the handshake. The server can delay that
    /// for any time, up to the [transport's limits](Self#time-limits).
    ///
    /// # Errors
    /// The transport's errors; inside an [`io::Error`], [`Error::Handshake`], [`Error::AlertReceived`] and
    /// [`Error::Truncated`]. A non-blocking transport needs [`handshake`](Self::handshake), which can be
    /// called again.
    pub fn connect(config: Arc<ClientConfig>, name: ServerName<'static>, transport: T) -> io::Result<Self> {
        Self::complete(ClientHandshake::new(config, name)?, transport)
    }

    /// Connects like [`connect`](Self::connect), with the given options.
    ///
    /// # Errors
    /// Those of [`connect`](Self::connect).
    pub fn connect_with(
        config: Arc<ClientConfig>,
        name: ServerName<'static>,
        transport: T,
        options: Options,
    ) -> io::Result<Self> {
        Self::complete(ClientHandshake::new(config, name)?.with_options(options), transport)
    }

    /// Accepts a client over `transport` and completes the handshake. The client can delay that for any time,
    /// up to the [transport's limits](Self#time-limits).
    ///
    /// # Errors
    /// Those of [`connect`](Self::connect).
    pub fn accept(config: Arc<ServerConfig>, transport: T) -> io::Result<Self> {
        Self::complete(ServerHandshake::new(config)?, transport)
    }

    /// Accepts a client like [`accept`](Self::accept), with the given options.
    ///
    /// # Errors
    /// Those of [`connect`](Self::connect).
    pub fn accept_with(config: Arc<ServerConfig>, transport: T, options: Options) -> io::Result<Self> {
        Self::complete(ServerHandshake::new(config)?.with_options(options), transport)
    }

    /// Reads a client's first message. After `WouldBlock` or `TimedOut`, call it again. After another error,
    /// an alert that the transport did not take may still be [`pending`](Acceptor::pending).
    ///
    /// ```
    /// use keylane_tls::{Acceptor, TlsStream};
    /// use rustls::ServerConfig;
    /// use std::collections::HashMap;
    /// use std::io;
    /// use std::net::TcpStream;
    /// use std::sync::Arc;
    ///
    /// /// Serves each name with a configuration of its own.
    /// fn accept(
    ///     mut socket: TcpStream,
    ///     configs: &HashMap<String, Arc<ServerConfig>>,
    /// ) -> io::Result<TlsStream<TcpStream>> {
    ///     let accepted = TlsStream::read_client_hello(&mut Acceptor::default(), &mut socket)?;
    ///     let config = accepted.client_hello().server_name().and_then(|name| configs.get(name));
    ///     let config = config.ok_or(io::ErrorKind::NotFound)?.clone();
    ///     TlsStream::complete(accepted.into_handshake(config)?, socket)
    /// }
    /// # let _ = accept;
    /// ```
    ///
    /// # Errors
    /// Those of [`connect`](Self::connect).
    pub fn read_client_hello(acceptor: &mut Acceptor, transport: &mut T) -> io::Result<Accepted> {
        transfer::shake_hands(acceptor, transport)
    }

    /// Completes a handshake and returns the stream.
    ///
    /// # Errors
    /// Those of [`connect`](Self::connect).
    pub fn complete<Role>(mut handshake: Handshake<Role>, mut transport: T) -> io::Result<Self> {
        Self::handshake(&mut handshake, &mut transport)?;
        Self::from_handshake(handshake, transport)
    }

    /// Continues a handshake until it is complete. After `WouldBlock` or `TimedOut`, call it again. If the
    /// handshake has failed, an alert that the transport did not take may still be
    /// [`pending`](Handshake::pending).
    ///
    /// # Errors
    /// Those of [`connect`](Self::connect).
    pub fn handshake<Role>(handshake: &mut Handshake<Role>, transport: &mut T) -> io::Result<()> {
        transfer::shake_hands(handshake, transport)
    }

    /// Returns the stream of a completed handshake.
    ///
    /// # Errors
    /// Those of [`Handshake::finish`].
    pub fn from_handshake<Role>(handshake: Handshake<Role>, transport: T) -> io::Result<Self> {
        let (session, info) = handshake.finish()?;
        let Session { receiver, sender } = session;
        Ok(Self { transport, receiver, sender, replying: false, info })
    }

    /// Tells the peer that no data will follow (`close_notify`), and sends what is pending. The stream can
    /// still receive.
    ///
    /// # Errors
    /// The transport's errors. After `WouldBlock` or `TimedOut`, call it again. `NotConnected` is an error
    /// only if written data is still pending.
    pub fn close(&mut self) -> io::Result<()> {
        transfer::close(&mut self.sender, &mut self.transport)
    }

    /// Renews the keys for sending. With `request_peer`, also asks the peer to renew its own, unless an
    /// earlier request is still unanswered. The message is sent with the next write or flush.
    ///
    /// # Errors
    /// [`Error::Unsupported`] in TLS 1.2, or if too much is pending; [`Error::Closed`].
    pub fn update_keys(&mut self, request_peer: bool) -> io::Result<()> {
        Ok(self.sender.update_keys(request_peer)?)
    }
}

impl<T> TlsStream<T> {
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

    /// Frees empty buffers, except a few for reuse: for idle connections. This also happens whenever the
    /// transport returns `WouldBlock` or `TimedOut`.
    pub fn release_buffers(&mut self) {
        self.receiver.release();
        self.sender.release();
    }

    /// Returns the transport. Reading or writing it directly breaks the connection.
    pub fn get_ref(&self) -> &T {
        &self.transport
    }

    /// Returns the transport, for instance to set its options: see [`get_ref`](Self::get_ref).
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.transport
    }

    /// Splits the stream into two halves, for a thread that reads and one that writes. `second` is another
    /// handle to the same transport, for instance from
    /// [`TcpStream::try_clone`](std::net::TcpStream::try_clone). [`ReadHalf::unsplit`] joins the halves
    /// again.
    ///
    /// ```
    /// use keylane_tls::TlsStream;
    /// use std::io::{self, BufRead, BufReader, Write};
    /// use std::net::TcpStream;
    /// use std::thread;
    ///
    /// /// Prints what the peer says while it is told what is typed.
    /// fn chat(stream: TlsStream<TcpStream>) -> io::Result<()> {
    ///     let second = stream.get_ref().try_clone()?;
    ///     let (reader, mut writer) = stream.into_split(second);
    ///     let printing = thread::spawn(move || {
    ///         BufReader::new(reader).lines().try_for_each(|line| line.map(|line| println!("{line}")))
    ///     });
    ///     for line in io::stdin().lines() {
    ///         writeln!(writer, "{}", line?)?;
    ///     }
    ///     writer.close()?;
    ///     printing.join().unwrap()
    /// }
    /// # let _ = chat;
    /// ```
    pub fn into_split(self, second: T) -> (ReadHalf<T>, WriteHalf<T>) {
        halves::split(self, second)
    }

    /// Returns the transport and the session, for your own I/O.
    pub fn into_parts(self) -> (T, Session) {
        (self.transport, Session { receiver: self.receiver, sender: self.sender })
    }
}

impl<T: Read + Write> TlsStream<T> {
    fn split(&mut self) -> (&mut Receiver, Upstream<&mut T, impl Reply<&mut T>>) {
        let Self { transport, receiver, sender, replying, .. } = self;
        let reply = |transport: &mut &mut T, replies: PendingReplies| {
            if !replies.is_empty() {
                sender.reply(replies);
            }
            if sender.pending().is_empty() && !*replying {
                sender.release();
            } else {
                // Any other error, if it lasts, is returned by the next write.
                let flushed = transfer::flush(sender, transport);
                *replying = flushed.is_err_and(|error| transfer::is_temporary(&error));
            }
        };
        (receiver, Upstream { transport, reply })
    }
}

impl<T: Read + Write> Read for TlsStream<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (receiver, mut upstream) = self.split();
        transfer::read(receiver, &mut upstream, buffer)
    }
}

impl<T: Read + Write> BufRead for TlsStream<T> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        {
            let (receiver, mut upstream) = self.split();
            transfer::receive(receiver, &mut upstream)?;
        }
        Ok(self.receiver.data())
    }

    fn consume(&mut self, len: usize) {
        self.receiver.consume(len);
        // Later data must follow the reply.
        self.sender.reply(self.receiver.take_replies());
    }
}

impl<T: Read + Write> Write for TlsStream<T> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(data)])
    }

    fn write_vectored(&mut self, data: &[IoSlice<'_>]) -> io::Result<usize> {
        transfer::write(&mut self.sender, &mut self.transport, data)
    }

    fn flush(&mut self) -> io::Result<()> {
        transfer::flush(&mut self.sender, &mut self.transport)
    }
}

debug! { [T: core::fmt::Debug] TlsStream<T>: transport, info }
