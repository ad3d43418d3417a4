//! The beginning of a server's handshake, before its configuration is chosen.

use super::offer::Offer;
use super::refusal::{alert_for, misses_extension, refusal};
use super::wire::Wire;
use super::{EarlyData, Handshake, Negotiation, Server, too_long};
use crate::buffer::ReceiveBuffer;
use crate::debug::debug;
use crate::error::Error;
use rustls::ServerConfig;
use rustls::server::ClientHello;
use std::sync::Arc;

/// Reads a client's first message, before the server has chosen a configuration, as
/// [`rustls::server::Acceptor`] does. It has no I/O of its own: bytes from the transport go into
/// [`space`](Self::space). [`TlsStream::read_client_hello`](crate::TlsStream::read_client_hello) moves them
/// over a blocking transport, `tokio::LazyConfigAcceptor` over an asynchronous one.
///
/// ```
/// use keylane_tls::{Accepted, Acceptor, Error};
///
/// /// Processes what a transport has read.
/// fn begin(acceptor: &mut Acceptor, bytes: &[u8]) -> Result<Option<Accepted>, Error> {
///     acceptor.space()[..bytes.len()].copy_from_slice(bytes);
///     acceptor.filled(bytes.len());
///     acceptor.process()
/// }
///
/// let mut acceptor = Acceptor::default();
/// assert!(begin(&mut acceptor, b"\x16\x03\x01").unwrap().is_none()); // there is more to come
/// assert!(begin(&mut acceptor, b"\x00\x04\x02\x00\x00\x00").is_err()); // not what clients begin with
/// assert!(!acceptor.pending().is_empty()); // an alert
/// ```
pub struct Acceptor {
    inner: rustls::server::Acceptor,
    offer: Offer,
    wire: Wire,
    failed: Option<Error>,
}

impl Default for Acceptor {
    fn default() -> Self {
        rustls::server::Acceptor::default().into()
    }
}

/// Replaces rustls' own acceptor, which must not have read anything.
impl From<rustls::server::Acceptor> for Acceptor {
    fn from(inner: rustls::server::Acceptor) -> Self {
        Self { inner, offer: Offer::default(), wire: Wire::new(ReceiveBuffer::new()), failed: None }
    }
}

impl Acceptor {
    /// Processes the received bytes. Returns the connection once the message is complete, `None` before.
    ///
    /// # Errors
    /// [`Error::Handshake`], which every later call returns again. An alert may be pending; send it.
    /// [`Error::Unsupported`] after the message was returned.
    pub fn process(&mut self) -> Result<Option<Accepted>, Error> {
        let result = match &self.failed {
            Some(error) => Err(error.clone()),
            None => self.read().map_err(|error| {
                if self.wire.pending().is_empty() {
                    self.wire.alert(alert_for(&error));
                }
                error.into()
            }),
        };
        self.failed = match &result {
            Ok(None) => None,
            Ok(Some(_)) => Some(Error::Unsupported("the client's first message was already returned")),
            Err(error) => Some(error.clone()),
        };
        result
    }

    fn read(&mut self) -> Result<Option<Accepted>, rustls::Error> {
        loop {
            if let Some(error) = self.wire.next_header().and_then(|header| refusal(header, 0)) {
                return Err(error);
            }
            let Some(mut shown) = self.wire.show_next_record() else { break };
            self.offer.read_hello(&mut EarlyData::None, shown, None);
            while !shown.is_empty() {
                // This fails only if the message comes in too many records.
                self.inner.read_tls(&mut shown).map_err(|_| too_long())?;
                match self.inner.accept() {
                    Ok(None) => {}
                    Ok(Some(hello)) => {
                        let wire = core::mem::replace(&mut self.wire, Wire::new(ReceiveBuffer::new()));
                        return Ok(Some(Accepted { hello, received: wire.into_received() }));
                    }
                    Err((error, mut alert)) => {
                        // rustls' alert for unreadable bytes is decode_error here.
                        let is_invalid = matches!(error, rustls::Error::InvalidMessage(_));
                        if !is_invalid && !misses_extension(&error, self.offer.incomplete) {
                            let _ = alert.write_all(&mut self.wire.outgoing);
                        }
                        return Err(error);
                    }
                }
            }
        }
        if self.wire.space().is_empty() {
            return Err(too_long());
        }
        Ok(None)
    }

    /// Returns space for bytes from the transport, like [`Handshake::space`].
    pub fn space(&mut self) -> &mut [u8] {
        self.wire.space()
    }

    /// Reports received bytes, like [`Handshake::filled`].
    ///
    /// # Panics
    /// If `len` is more than the length of [`space`](Self::space).
    pub fn filled(&mut self, len: usize) {
        self.wire.filled(len);
    }

    /// Returns an alert to send, or nothing, like [`Handshake::pending`].
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        self.wire.pending()
    }

    /// Reports sent bytes, like [`Handshake::sent`].
    ///
    /// # Panics
    /// If `len` is more than the length of [`pending`](Self::pending).
    pub fn sent(&mut self, len: usize) {
        self.wire.sent(len);
    }
}

impl Negotiation for Acceptor {
    type Output = Accepted;

    fn negotiate(&mut self) -> Result<Option<Accepted>, Error> {
        self.process()
    }

    fn wire(&mut self) -> &mut Wire {
        &mut self.wire
    }
}

/// A connection whose client has sent its first message, returned by [`Acceptor`].
///
/// ```
/// use keylane_tls::{Accepted, ServerHandshake};
/// use rustls::ServerConfig;
/// use std::sync::Arc;
///
/// /// Serves one name with a configuration of its own.
/// fn choose(
///     accepted: Accepted,
///     usual: &Arc<ServerConfig>,
///     internal: &Arc<ServerConfig>,
/// ) -> Result<ServerHandshake, keylane_tls::Error> {
///     let is_internal = accepted.client_hello().server_name() == Some("internal.example.org");
///     let config = if is_internal { internal } else { usual };
///     accepted.into_handshake(config.clone())
/// }
/// # let _ = choose;
/// ```
pub struct Accepted {
    hello: rustls::server::Accepted,
    /// Everything received, including the message.
    received: ReceiveBuffer,
}

impl Accepted {
    /// Returns what the client offers: a server name, protocols, signature schemes, cipher suites and more.
    #[must_use]
    pub fn client_hello(&self) -> ClientHello<'_> {
        self.hello.client_hello()
    }

    /// Continues the handshake with `config`. If `config` has no version or cipher suite in common with the
    /// client, [`Handshake::process`] refuses the client.
    ///
    /// # Errors
    /// [`Error::Handshake`] if rustls refuses the configuration.
    pub fn into_handshake(self, config: Arc<ServerConfig>) -> Result<Handshake<Server>, Error> {
        Handshake::continue_from(self.received, &config)
    }
}

debug! { Acceptor: failed }

impl core::fmt::Debug for Accepted {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Accepted").field("client_hello", &self.client_hello()).finish_non_exhaustive()
    }
}
