//! Early data (RFC 8446 §2.3), which follows the client's first message.

use super::messages::records;
use super::{Client, Connection, Handshake, Progress, Server, Step};
use crate::debug::debug;
use crate::error::Error;
use crate::record::{HEADER_LEN, MAX_PLAINTEXT_LEN};
use rustls::server::ServerConnectionData;
use rustls::unbuffered::{ConnectionState, ReadEarlyData};
use zeroize::{Zeroize, Zeroizing};

/// The outcome of early data (RFC 8446 §2.3).
///
/// ```
/// use keylane_tls::{EarlyData, TlsStream};
/// use std::io::{self, Write};
/// use std::net::TcpStream;
///
/// /// Sends a request that was sent as early data again, if the server has not read it.
/// fn repeat(stream: &mut TlsStream<TcpStream>, request: &[u8]) -> io::Result<()> {
///     match stream.info().early_data() {
///         EarlyData::Accepted => Ok(()),
///         EarlyData::Rejected | EarlyData::None => stream.write_all(request),
///     }
/// }
/// # let _ = repeat;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EarlyData {
    /// The client did not offer any.
    #[default]
    None,
    /// The server has read it, if the client has sent any.
    Accepted,
    /// The client offered it, and the server has not read any.
    Rejected,
}

/// How much longer a record is than its data, at most.
const EXPANSION: usize = HEADER_LEN + 1 + 16;
/// The number of bytes that may wait to be sent.
const MAX_PENDING: usize = 64 << 10;

/// The early data of a handshake.
#[derive(Clone, Default)]
pub(super) struct Early {
    pub(super) status: EarlyData,
    /// How many records of data a server has sent before the handshake is complete.
    pub(super) answers: u64,
    /// The early data that a server has received.
    pub(super) received: Zeroizing<Vec<u8>>,
}

impl Early {
    /// For servers: takes what was received. rustls has checked that it is not too much.
    pub(super) fn receive(
        &mut self,
        mut data: ReadEarlyData<'_, '_, ServerConnectionData>,
    ) -> Result<Step, Error> {
        while let Some(record) = data.next_record() {
            append(&mut self.received, record?.payload);
        }
        Ok(Step::Again)
    }
}

/// Appends `more`. A vector that grows leaves what it held in memory; this wipes it.
fn append<T: Copy + Zeroize>(all: &mut Zeroizing<Vec<T>>, more: &[T]) {
    let len = all.len() + more.len();
    if len > all.capacity() {
        let mut larger = Zeroizing::new(Vec::with_capacity(len.max(2 * all.capacity())));
        larger.extend_from_slice(all);
        *all = larger;
    }
    all.extend_from_slice(more);
}

impl Handshake<Client> {
    /// Sends early data after the client's first message, which saves a round trip, and returns how many bytes
    /// of `data` that is. It can be called until the server has finished its part or rejected the data; then
    /// it is 0. It is also 0 without the configuration's
    /// [`enable_early_data`](rustls::ClientConfig::enable_early_data), if there is no ticket that allows it,
    /// or if the ticket allows no more.
    ///
    /// The server may reject the data. Then all of it must be sent again, as ordinary data:
    /// [`ConnectionInfo::early_data`](super::ConnectionInfo::early_data) says so.
    ///
    /// ```
    /// use keylane_tls::{ClientHandshake, EarlyData, TlsStream};
    /// use rustls::ClientConfig;
    /// use std::io::{self, Write};
    /// use std::net::TcpStream;
    /// use std::sync::Arc;
    ///
    /// const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n";
    ///
    /// fn get(config: &Arc<ClientConfig>, socket: TcpStream) -> io::Result<TlsStream<TcpStream>> {
    ///     let name = "example.org".try_into().unwrap();
    ///     let mut handshake = ClientHandshake::new(config.clone(), name)?;
    ///     let mut sent = handshake.write_early_data(REQUEST)?;
    ///     let mut stream = TlsStream::complete(handshake, socket)?;
    ///     if stream.info().early_data() != EarlyData::Accepted {
    ///         sent = 0;
    ///     }
    ///     stream.write_all(&REQUEST[sent..])?;
    ///     Ok(stream)
    /// }
    /// # let _ = get;
    /// ```
    ///
    /// # Security
    /// **Whoever records early data can send it to the server again**, which may then process it more than
    /// once. And it is not forward secret: whoever learns the ticket's key can decrypt it later. Send
    /// only what may be processed twice, such as a request that changes nothing, and only where a profile of
    /// the application's protocol says so, as RFC 8470 does for HTTP.
    ///
    /// # Errors
    /// Those of [`process`](Self::process).
    pub fn write_early_data(&mut self, data: &[u8]) -> Result<usize, Error> {
        self.process()?;
        let Connection::Client(connection) = &mut self.connection else { return Ok(0) };
        let (visible, outgoing) = self.wire.visible();
        let status = connection.process_tls_records(visible);
        let Ok(ConnectionState::TransmitTlsData(mut transmit)) = status.state else { return Ok(0) };
        let Some(mut early) = transmit.may_encrypt_early_data() else { return Ok(0) };
        Ok(seal(data, outgoing, |data, room| early.encrypt(data, room).ok()))
    }
}

impl Handshake<Server> {
    /// Returns the early data that has been received. rustls accepts it up to the configuration's
    /// [`max_early_data_size`](rustls::ServerConfig::max_early_data_size), from clients that resume a session
    /// of TLS 1.3 which the server has stored ([`session_storage`](rustls::ServerConfig::session_storage),
    /// without a [`ticketer`](rustls::ServerConfig::ticketer)). There may be some as soon as
    /// [`process`](Self::process) has seen the client's first message, and more until it returns
    /// [`Progress::Complete`];
    /// [`ConnectionInfo::received_early_data`](super::ConnectionInfo::received_early_data) has all of it
    /// afterwards.
    ///
    /// # Security
    /// **Whoever records early data can send it again.** A session storage that gives each session out once,
    /// as rustls' own does, refuses the second time, but only as far as it is shared: servers with a storage
    /// each process the data once each, and a client that was refused sends it again as ordinary data.
    /// Process only what may be processed twice, such as a request that changes nothing; RFC 8446 §8 and,
    /// for HTTP, RFC 8470 say more.
    ///
    /// # Limits
    /// Data that is rejected is skipped, with its padding: as many records as `max_early_data_size` has
    /// bytes, or 16 Ki if that is 0, which is 270 MB of the longest records, and 32 empty ones. That is
    /// enough for every client that keeps to the limit. One that sends more has to connect anew.
    #[must_use]
    pub fn early_data(&self) -> &[u8] {
        &self.early.received
    }

    /// Sends data before the handshake is complete, such as the answer to early data, and returns how many
    /// bytes of `data` that is: call it when [`process`](Self::process) has returned
    /// [`Progress::NeedsInput`]. It is 0 if the server has not sent its own part yet, if it asks for a
    /// client's certificate, if too much is pending, if the configuration's `max_early_data_size` is 0, in
    /// TLS 1.2, and when the handshake is complete.
    ///
    /// ```
    /// use keylane_tls::{ServerHandshake, TlsStream};
    /// use rustls::ServerConfig;
    /// use std::io;
    /// use std::net::TcpStream;
    /// use std::sync::Arc;
    ///
    /// # fn answer(request: &[u8]) -> Option<Vec<u8>> { todo!("{request:?}") }
    /// /// Answers early data without waiting for the client to complete the handshake.
    /// fn accept(
    ///     config: &Arc<ServerConfig>,
    ///     mut socket: TcpStream,
    /// ) -> io::Result<TlsStream<TcpStream>> {
    ///     let mut handshake = ServerHandshake::new(config.clone())?;
    ///     socket.set_nonblocking(true)?; // so that `handshake` returns when it would wait
    ///     let mut answered = false;
    ///     while let Err(error) = TlsStream::handshake(&mut handshake, &mut socket) {
    ///         if error.kind() != io::ErrorKind::WouldBlock {
    ///             return Err(error);
    ///         }
    ///         if !answered && let Some(text) = answer(handshake.early_data()) {
    ///             answered = handshake.write(&text)? == text.len();
    ///         }
    ///         // … and wait until the socket can be read
    ///     }
    ///     TlsStream::from_handshake(handshake, socket)
    /// }
    /// # let _ = accept;
    /// ```
    ///
    /// # Security
    /// The client has not proved yet that it takes part in this connection now. What is sent can be read only
    /// by whoever has its secrets.
    ///
    /// # Errors
    /// Those of [`process`](Self::process).
    pub fn write(&mut self, data: &[u8]) -> Result<usize, Error> {
        if self.process()? == Progress::Complete || self.wire.pending().len() > MAX_PENDING {
            return Ok(0);
        }
        let Connection::Server(connection) = &mut self.connection else { return Ok(0) };
        let (visible, outgoing) = self.wire.visible();
        match connection.process_tls_records(visible).state {
            Ok(ConnectionState::WriteTraffic(mut traffic)) => {
                let data = &data[..data.len().min(MAX_PENDING)];
                let before = outgoing.len();
                let taken = seal(data, outgoing, |data, room| traffic.encrypt(data, room).ok());
                self.early.answers += records(&outgoing[before..]).count() as u64;
                Ok(taken)
            }
            Ok(_) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }
}

/// Adds records with `data` to `outgoing`. `encrypt` returns how many bytes of records it has written.
/// Returns how many bytes of data they hold.
fn seal(
    data: &[u8],
    outgoing: &mut Vec<u8>,
    mut encrypt: impl FnMut(&[u8], &mut [u8]) -> Option<usize>,
) -> usize {
    let mut taken = 0;
    for chunk in data.chunks(MAX_PLAINTEXT_LEN) {
        let start = outgoing.len();
        // The shortest records that rustls allows have 27 bytes of data.
        outgoing.resize(start + 2 * chunk.len() + EXPANSION, 0);
        let written = encrypt(chunk, &mut outgoing[start..]).unwrap_or(0);
        outgoing.truncate(start + written);
        let sealed: usize = records(&outgoing[start..]).map(|record| record.len() - EXPANSION).sum();
        taken += sealed;
        if sealed < chunk.len() {
            break;
        }
    }
    taken
}

debug! { Early: status }

#[cfg(test)]
mod tests;
