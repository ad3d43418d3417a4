//! The libraries under test, as plain streams over any transport.

use crate::certificates::server_name;
use keylane_tls::{
    ClientHandshake, Handshake, ServerHandshake, TlsStream,
    session::{Options, RecordSizing},
};
use rustls::{
    ClientConfig, ClientConnection, ConnectionCommon, ServerConfig, ServerConnection, SideData, StreamOwned,
    crypto::{CryptoProvider, ring},
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

/// One end's handshake; with `true`, dynamic record sizes follow.
pub type Open<C> = fn(&Arc<C>, bool, Io) -> io::Result<Box<dyn Stream>>;

/// A library under test.
#[derive(Clone, Copy)]
pub struct Contender {
    /// Its name in tables.
    pub name: &'static str,
    /// What its configurations are made from.
    pub provider: fn() -> CryptoProvider,
    /// Whether it can begin with short records; one that cannot sends long records.
    pub dynamic: bool,
    /// A client's handshake.
    pub connect: Open<ClientConfig>,
    /// A server's handshake.
    pub accept: Open<ServerConfig>,
}

/// Returns those that need nothing but this crate: Keylane's streams, and rustls with two providers.
pub fn all() -> Vec<Contender> {
    vec![
        keylane("keylane", keylane_tls::provider),
        rustls("rustls+keylane", keylane_tls::provider),
        rustls("rustls+ring", ring::default_provider),
    ]
}

/// Returns Keylane's streams, with a provider.
pub fn keylane(name: &'static str, provider: fn() -> CryptoProvider) -> Contender {
    fn open<Role: 'static>(
        handshake: Handshake<Role>,
        dynamic: bool,
        mut io: Io,
    ) -> io::Result<Box<dyn Stream>> {
        let mut options = Options::default();
        options.record_sizing = if dynamic { RecordSizing::Dynamic } else { RecordSizing::Fixed };
        let mut handshake = handshake.with_options(options);
        TlsStream::handshake(&mut handshake, &mut io)?;
        Ok(Box::new(TlsStream::from_handshake(handshake, io)?))
    }
    Contender {
        name,
        provider,
        dynamic: true,
        connect: |config, dynamic, io| {
            open(ClientHandshake::new(config.clone(), server_name())?, dynamic, io)
        },
        accept: |config, dynamic, io| open(ServerHandshake::new(config.clone())?, dynamic, io),
    }
}

impl Stream for TlsStream<Io> {
    fn close(&mut self) -> io::Result<()> {
        Self::close(self)
    }
}

/// Returns rustls' own blocking streams, with a provider.
pub fn rustls(name: &'static str, provider: fn() -> CryptoProvider) -> Contender {
    fn open<C, S>(connection: Result<C, rustls::Error>, mut io: Io) -> io::Result<Box<dyn Stream>>
    where
        C: DerefMut<Target = ConnectionCommon<S>> + Send + 'static,
        S: SideData + 'static,
    {
        let mut connection = connection.map_err(io::Error::other)?;
        while connection.is_handshaking() || connection.wants_write() {
            connection.complete_io(&mut io)?;
        }
        Ok(Box::new(StreamOwned::new(connection, io)))
    }
    Contender {
        name,
        provider,
        dynamic: false,
        connect: |config, _, io| open(ClientConnection::new(config.clone(), server_name()), io),
        accept: |config, _, io| open(ServerConnection::new(config.clone()), io),
    }
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
