//! The libraries under test, as plain streams over any transport.

use crate::{certificates::server_name, terms::Packets};
use keylane_tls::{
    ClientHandshake, Handshake, ServerHandshake, TlsStream,
    session::{Options, RecordSizing},
};
use rustls::{
    ClientConfig, ClientConnection, ConnectionCommon, ServerConfig, ServerConnection, SideData, StreamOwned,
    crypto::CryptoProvider,
};
use std::{
    io::{self, BufRead, Read, Write},
    ops::DerefMut,
    sync::Arc,
};

/// What a stream runs over.
pub trait Transport: Read + Write + Send {}
impl<T: Read + Write + Send> Transport for T {}

/// Any transport.
pub type Io = Box<dyn Transport>;

/// A connection after its handshake.
pub trait Stream: BufRead + Write + Send {
    /// Sends close_notify and whatever waits to be sent.
    fn close(&mut self) -> io::Result<()>;
}

/// Does one end's handshake.
pub type Open<Config> = fn(Arc<Config>, Packets, Io) -> io::Result<Box<dyn Stream>>;

/// A library under test.
#[derive(Clone, Copy)]
pub struct Contender {
    /// Its name in tables.
    pub name: &'static str,
    /// What its configurations are made from.
    pub provider: fn() -> CryptoProvider,
    /// Whether it can do [`Packets::Dynamic`].
    pub dynamic: bool,
    /// A client's handshake, to the end.
    pub connect: Open<ClientConfig>,
    /// A server's handshake, to the end.
    pub accept: Open<ServerConfig>,
}

/// What needs nothing but this crate.
pub fn all() -> Vec<Contender> {
    vec![
        keylane(),
        rustls("rustls+keylane", keylane_tls::provider),
        rustls("rustls+ring", rustls::crypto::ring::default_provider),
    ]
}

/// Keylane's streams.
pub fn keylane() -> Contender {
    fn open<Role>(handshake: Handshake<Role>, packets: Packets, mut io: Io) -> io::Result<Box<dyn Stream>> {
        let mut options = Options::default();
        options.record_sizing = match packets {
            Packets::Max => RecordSizing::Fixed,
            Packets::Dynamic => RecordSizing::Dynamic,
        };
        let mut handshake = handshake.with_options(options);
        TlsStream::handshake(&mut handshake, &mut io)?;
        Ok(Box::new(TlsStream::from_handshake(handshake, io)?))
    }
    Contender {
        name: "keylane",
        provider: keylane_tls::provider,
        dynamic: true,
        connect: |config, packets, io| open(ClientHandshake::new(config, server_name())?, packets, io),
        accept: |config, packets, io| open(ServerHandshake::new(config)?, packets, io),
    }
}

impl Stream for TlsStream<Io> {
    fn close(&mut self) -> io::Result<()> {
        Self::close(self)
    }
}

/// rustls' own blocking streams, with a provider.
pub fn rustls(name: &'static str, provider: fn() -> CryptoProvider) -> Contender {
    Contender {
        name,
        provider,
        dynamic: false,
        connect: |config, _, io| {
            open(ClientConnection::new(config, server_name()).map_err(io::Error::other)?, io)
        },
        accept: |config, _, io| open(ServerConnection::new(config).map_err(io::Error::other)?, io),
    }
}

fn open<C, S>(mut connection: C, mut io: Io) -> io::Result<Box<dyn Stream>>
where
    C: DerefMut<Target = ConnectionCommon<S>> + Send + 'static,
    S: SideData + 'static,
{
    while connection.is_handshaking() || connection.wants_write() {
        connection.complete_io(&mut io)?;
    }
    Ok(Box::new(StreamOwned::new(connection, io)))
}

impl<C, S> Stream for StreamOwned<C, Io>
where
    C: DerefMut<Target = ConnectionCommon<S>> + Send,
    S: SideData + 'static,
{
    fn close(&mut self) -> io::Result<()> {
        self.conn.send_close_notify();
        self.flush()
    }
}
