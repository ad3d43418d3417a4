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

/// The maximum difference between a record's length and its data's.
const EXPANSION: usize = HEADER_LEN + 1 + 16;
/// The number of bytes that may wait to be sent.
const MAX_PENDING: usize = 64 << 10;

/// The early data of a handshake.
#[derive(Clone, Default)]
pub(super) struct Early {
    pub(super) status: EarlyData,
    /// The number of data records that a server has sent before the handshake is complete.
    pub(super) answers: u64,
    /// The early data that a server has received.
    pub(super) received: Zeroizing<Vec<u8>>,
}

impl Early {
    /// For servers: takes received data, whose length rustls has checked.
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

/// Appends `more`, wiping the old allocation if the vector grows.
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
    /// Sends early data after the client's first message, which saves a round trip. Returns the number of
    /// bytes taken from `data`. Once the server has finished its part or rejected the data, that is 0. It is
    /// also 0 without the configuration's [`enable_early_data`](rustls::ClientConfig::enable_early_data),
    /// without a ticket that allows early data, or if the ticket allows no more.
    ///
    /// The server may reject the data, as [`ConnectionInfo::early_data`](super::ConnectionInfo::early_data)
    /// reports. Then send all of it again, as ordinary data.
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
    /// **Anyone who records early data can send it to the server again**, which may then process it more than
    /// once. Early data is not forward secret either: whoever learns the ticket's key can decrypt it later.
    /// Send only what may be processed twice, such as a request that changes nothing, and only if the
    /// application's protocol has rules for it, as HTTP has in RFC 8470.
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
    /// [`max_early_data_size`](rustls::ServerConfig::max_early_data_size), from clients that resume a TLS 1.3
    /// session that the server has stored ([`session_storage`](rustls::ServerConfig::session_storage),
    /// without a [`ticketer`](rustls::ServerConfig::ticketer)). It may begin with the client's first message
    /// and grow until [`process`](Self::process) returns [`Progress::Complete`]; afterwards,
    /// [`ConnectionInfo::received_early_data`](super::ConnectionInfo::received_early_data) has all of it.
    ///
    /// # Security
    /// **Anyone who records early data can send it again.** A session storage that gives out each session
    /// once, like rustls' own, refuses the repetition. Servers with separate storages still process the data
    /// once each, and a client that was refused sends it again as ordinary data. Process only what may be
    /// processed twice, such as a request that changes nothing (RFC 8446 §8; for HTTP, RFC 8470).
    ///
    /// # Limits
    /// Rejected data is skipped, with its padding: `max_early_data_size` records, or 16,384 if that is 0 (at
    /// most 270 MB), and 32 empty ones. That is enough for every client that keeps to the limit. A client
    /// that sends more has to connect anew.
    #[must_use]
    pub fn early_data(&self) -> &[u8] {
        &self.early.received
    }

    /// Sends data before the handshake is complete, such as the answer to early data. Call it when
    /// [`process`](Self::process) has returned [`Progress::NeedsInput`]. Returns the number of bytes taken
    /// from `data`, which is 0 if the server has not sent its own part yet, requests a client certificate, or
    /// has too much pending, if the configuration's `max_early_data_size` is 0, in TLS 1.2, and when the
    /// handshake is complete.
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
    /// The client has not yet proved that it takes part now: its messages may be a recording. Only the holder
    /// of the client's secrets can read what you send.
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

/// Adds records with `data` to `outgoing` and returns the number of data bytes in them. `encrypt` returns the
/// number of record bytes that it has written.
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
