//! The handshake, performed by rustls, and the hand-over to a [`Session`].
//!
//! rustls sees **one record at a time**, and nothing after the record that ends the handshake. Otherwise it
//! would process application data, key updates and alerts that follow in the same segment, and the hand-over
//! would lose their effects: queued answers, partly decrypted messages, buffered data, a close.
//!
//! No other module uses rustls' connections.

mod acceptor;
mod early;
mod exporter;
mod info;
mod listener;
mod messages;
mod offer;
mod refusal;
mod wire;

pub use acceptor::{Accepted, Acceptor};
pub use early::EarlyData;
pub use info::ConnectionInfo;

use crate::buffer::ReceiveBuffer;
use crate::debug::debug;
use crate::error::Error;
use crate::record::{Cipher, HEADER_LEN, TrafficKeys};
use crate::session::{KeySchedule, Options, Session, SharedSchedule, Side};
use core::marker::PhantomData;
use early::Early;
use exporter::Exporter;
use listener::{Heard, Listener};
use offer::Offer;
use rustls::client::{ClientConnectionData, UnbufferedClientConnection};
use rustls::kernel::KernelConnection;
use rustls::pki_types::ServerName;
use rustls::server::UnbufferedServerConnection;
use rustls::unbuffered::{ConnectionState, EncodeError, UnbufferedStatus};
use rustls::{ClientConfig, CommonState, ConnectionTrafficSecrets, ServerConfig};
use std::sync::Arc;
pub(crate) use wire::Wire;

/// The side of a [`ClientHandshake`]: a type without values.
#[derive(Debug)]
pub enum Client {}
/// The side of a [`ServerHandshake`]: a type without values.
#[derive(Debug)]
pub enum Server {}

/// A client's handshake, without I/O.
pub type ClientHandshake = Handshake<Client>;
/// A server's handshake, without I/O.
pub type ServerHandshake = Handshake<Server>;

/// A handshake, without I/O: bytes from the transport go into [`space`](Self::space), and
/// [`pending`](Self::pending) bytes go to the transport. In between, [`process`](Self::process) says what is
/// needed.
///
/// ```
/// use keylane_tls::{ClientHandshake, Handshake, Progress, ServerHandshake};
///
/// /// Carries what is pending to the other end, as a transport would.
/// fn carry<A, B>(from: &mut Handshake<A>, to: &mut Handshake<B>) {
///     let space = to.space();
///     let len = from.pending().len().min(space.len());
///     space[..len].copy_from_slice(&from.pending()[..len]);
///     to.filled(len);
///     from.sent(len);
/// }
///
/// # fn main() -> Result<(), keylane_tls::Error> {
/// # use keylane_tls_checks::certificates::{Credentials, server_name};
/// # use keylane_tls_checks::terms::{Cipher, Key, Terms, Version};
/// # let terms = Terms { version: Version::Tls13, cipher: Cipher::Aes128Gcm, key: Key::EcdsaP256 };
/// # let configs = Credentials::generate().unwrap().configs(keylane_tls::provider(), &terms, false).unwrap();
/// # let (client_config, server_config) = (configs.client, configs.server);
/// # let name = server_name();
/// let mut client = ClientHandshake::new(client_config, name)?;
/// let mut server = ServerHandshake::new(server_config)?;
/// while (client.process()?, server.process()?) != (Progress::Complete, Progress::Complete) {
///     carry(&mut client, &mut server);
///     carry(&mut server, &mut client);
/// }
/// # while !server.pending().is_empty() {
/// #     carry(&mut server, &mut client);
/// # }
/// let (session, info) = client.finish()?;
/// assert_eq!(info.version(), rustls::ProtocolVersion::TLSv1_3);
/// assert!(!session.receiver.peer_closed());
/// # Ok(())
/// # }
/// ```
pub struct Handshake<Role> {
    connection: Connection,
    listener: Arc<Listener>,
    offer: Offer,
    early: Early,
    wire: Wire,
    /// Whether rustls waits for another record.
    waiting: bool,
    /// Whether this end has sent a ChangeCipherSpec.
    changed_cipher: bool,
    outcome: Option<Result<(), Error>>,
    options: Options,
    role: PhantomData<Role>,
}

enum Connection {
    Client(Box<UnbufferedClientConnection>),
    Server(Box<UnbufferedServerConnection>),
}

impl Connection {
    fn common(&self) -> &CommonState {
        match self {
            Self::Client(connection) => connection,
            Self::Server(connection) => connection,
        }
    }
}

/// The event that a handshake waits for.
///
/// ```
/// use keylane_tls::{ClientHandshake, Error, Progress};
///
/// fn is_done(handshake: &mut ClientHandshake) -> Result<bool, Error> {
///     Ok(handshake.process()? == Progress::Complete && handshake.pending().is_empty())
/// }
/// # let _ = is_done;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It waits for bytes from the peer. Send what is pending first.
    NeedsInput,
    /// The handshake is done. Send what is pending and call [`Handshake::finish`].
    Complete,
}

/// The step that rustls asked for.
enum Step {
    Again,
    NeedsInput,
    MayBeComplete,
}

impl Handshake<Client> {
    /// Begins a handshake with the server `name`.
    ///
    /// # Errors
    /// [`Error::Handshake`] if rustls refuses the configuration.
    pub fn new(config: Arc<ClientConfig>, name: ServerName<'static>) -> Result<Self, Error> {
        let (config, listener) = Listener::client(&config);
        let options = default_options(config.max_fragment_size);
        let connection = UnbufferedClientConnection::new(config, name)?;
        Ok(Self::begin(Connection::Client(Box::new(connection)), listener, ReceiveBuffer::new(), options))
    }
}

impl Handshake<Server> {
    /// Begins a handshake with a client, whose first message is expected next.
    ///
    /// # Errors
    /// [`Error::Handshake`] if rustls refuses the configuration.
    pub fn new(config: Arc<ServerConfig>) -> Result<Self, Error> {
        Self::continue_from(ReceiveBuffer::new(), &config)
    }

    /// Begins a handshake with bytes that were already received.
    fn continue_from(received: ReceiveBuffer, config: &ServerConfig) -> Result<Self, Error> {
        let (config, listener) = Listener::server(config);
        let options = default_options(config.max_fragment_size);
        let offer = Offer::with_limit(config.max_early_data_size);
        let connection = UnbufferedServerConnection::new(config)?;
        let handshake = Self::begin(Connection::Server(Box::new(connection)), listener, received, options);
        Ok(Self { offer, ..handshake })
    }
}

/// Returns the default options. rustls' fragment size includes the header, Keylane's does not.
fn default_options(max_fragment_size: Option<usize>) -> Options {
    let mut options = Options::default();
    if let Some(size) = max_fragment_size {
        options.max_fragment_len = size.saturating_sub(HEADER_LEN);
    }
    options
}

impl<Role> Handshake<Role> {
    fn begin(
        connection: Connection,
        listener: Arc<Listener>,
        received: ReceiveBuffer,
        options: Options,
    ) -> Self {
        Self {
            connection,
            listener,
            offer: Offer::default(),
            early: Early::default(),
            wire: Wire::new(received),
            waiting: false,
            changed_cipher: false,
            outcome: None,
            options,
            role: PhantomData,
        }
    }

    /// Sets the options of the session that [`finish`](Self::finish) returns. Without this, they are
    /// [`Options::default`] with the configuration's `max_fragment_size`.
    #[must_use]
    pub fn with_options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Processes the received bytes and returns what the handshake waits for.
    ///
    /// # Errors
    /// [`Error::Handshake`] or [`Error::AlertReceived`], which every later call returns again. An alert may
    /// be pending; send it.
    pub fn process(&mut self) -> Result<Progress, Error> {
        while self.outcome.is_none() {
            if self.waiting {
                match self.show_next() {
                    Ok(true) => self.waiting = false,
                    Ok(false) => return Ok(Progress::NeedsInput),
                    Err(error) => {
                        self.fail(error.into());
                        break;
                    }
                }
            }
            match self.step() {
                Ok(Step::Again) => {}
                Ok(Step::MayBeComplete) if !self.connection.common().is_handshaking() => {
                    self.outcome = Some(Ok(()))
                }
                Ok(Step::NeedsInput | Step::MayBeComplete) => self.waiting = true,
                Err(error) => self.fail(error),
            }
        }
        match &self.outcome {
            Some(Err(error)) => Err(error.clone()),
            _ => Ok(Progress::Complete),
        }
    }

    /// Lets rustls see one more record. Returns whether there is one: without it, rustls has nothing to do.
    fn show_next(&mut self) -> Result<bool, rustls::Error> {
        loop {
            if self.refuse_next()? {
                return Ok(true);
            }
            let suite = self.connection.common().negotiated_cipher_suite();
            let begun = !self.wire.visible().0.is_empty();
            let Some(record) = self.wire.show_next_record() else {
                return if self.wire.space().is_empty() { Err(too_long()) } else { Ok(false) };
            };
            if let Connection::Client(_) = self.connection {
                self.offer.read_answer(&mut self.early.status, record, suite, &self.listener);
                return Ok(true);
            }
            self.offer.read_hello(&mut self.early.status, record, suite);
            // Within a message, rustls refuses it.
            if begun || !self.offer.skips(record, suite, &self.listener)? {
                return Ok(true);
            }
            let len = record.len();
            self.wire.discard(len);
        }
    }

    /// Returns space for bytes from the transport; call [`filled`](Self::filled) afterwards.
    pub fn space(&mut self) -> &mut [u8] {
        self.wire.space()
    }

    /// Reports that the transport has written `len` bytes to the front of [`space`](Self::space).
    ///
    /// # Panics
    /// If `len` is more than the length of [`space`](Self::space).
    pub fn filled(&mut self, len: usize) {
        self.wire.filled(len);
    }

    /// Returns the bytes to send; call [`sent`](Self::sent) afterwards.
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        self.wire.pending()
    }

    /// Reports that the transport has taken `len` bytes from the front of [`pending`](Self::pending).
    ///
    /// # Panics
    /// If `len` is more than the length of [`pending`](Self::pending).
    pub fn sent(&mut self, len: usize) {
        self.wire.sent(len);
    }

    /// Hands the connection over to a [`Session`].
    ///
    /// # Errors
    /// [`Error::Unsupported`] before [`process`](Self::process) has returned [`Progress::Complete`] or while
    /// bytes are [`pending`](Self::pending); [`Error::Handshake`] if rustls does not provide its secrets.
    pub fn finish(mut self) -> Result<(Session, ConnectionInfo), Error> {
        if self.outcome != Some(Ok(())) || !self.pending().is_empty() {
            return Err(Error::Unsupported("the handshake is not complete"));
        }
        if !self.wire.visible().0.is_empty() {
            // rustls has kept part of the input, which would be lost.
            return Err(Error::Handshake(rustls::Error::General(
                "unprocessed bytes at the end of the handshake".into(),
            )));
        }
        let info = self.info().ok_or_else(|| general("the handshake is incomplete"))?;
        let connection = self.connection;
        let (secrets, schedule) = match connection {
            Connection::Client(connection) => {
                let (secrets, schedule) = connection.dangerous_into_kernel_connection()?;
                (secrets, SharedSchedule::new(Secrets(schedule, keep_ticket)))
            }
            Connection::Server(connection) => {
                let (secrets, schedule) = connection.dangerous_into_kernel_connection()?;
                let no_client = |_: &mut _, _: &[u8]| Err(Error::Unsupported("only clients keep tickets"));
                (secrets, SharedSchedule::new(Secrets(schedule, no_client)))
            }
        };
        let (side, version) = (info.side(), info.record_version()?);
        let keys = |(sequence, secrets)| Ok::<_, Error>((traffic_keys(secrets)?, sequence));
        let keys = [keys(secrets.tx)?, keys(secrets.rx)?];
        let received = self.wire.into_received();
        Ok((Session::start(version, side, keys, received, schedule, &self.options), info))
    }

    fn info(&mut self) -> Option<ConnectionInfo> {
        let side = match &self.connection {
            Connection::Client(_) => Side::Client,
            Connection::Server(_) => Side::Server,
        };
        let suite = self.connection.common().negotiated_cipher_suite()?;
        let Heard { server_name, secret, .. } = *self.listener.take();
        let exporter = Exporter::new(secret?, suite, self.offer.server_random)?;
        let early = std::mem::take(&mut self.early);
        ConnectionInfo::of(self.connection.common(), side, server_name, exporter, early)
    }

    fn step(&mut self) -> Result<Step, Error> {
        let (visible, outgoing) = self.wire.visible();
        let before = outgoing.len();
        let early = &mut self.early;
        let (discard, step) = match &mut self.connection {
            Connection::Client(connection) => {
                let mut status = connection.process_tls_records(visible);
                if let Ok(ConnectionState::TransmitTlsData(data)) = &mut status.state
                    && data.may_encrypt_early_data().is_some()
                {
                    // rustls is not told that the message was sent: it takes early data in this state only.
                    if early.status == EarlyData::None {
                        early.status = EarlyData::Rejected;
                    }
                    (status.discard, Ok(Step::NeedsInput))
                } else {
                    handle(status, outgoing)
                }
            }
            Connection::Server(connection) => match connection.process_tls_records(visible) {
                UnbufferedStatus { discard, state: Ok(ConnectionState::ReadEarlyData(data)) } => {
                    (discard, early.receive(data))
                }
                status => handle(status, outgoing),
            },
        };
        self.changed_cipher |= outgoing.get(before) == Some(&20);
        if matches!(self.connection, Connection::Server(_)) {
            let (sent, suite) = (&outgoing[before..], self.connection.common().negotiated_cipher_suite());
            self.offer.read_answer(&mut self.early.status, sent, suite, &self.listener);
        }
        self.wire.discard(discard);
        step
    }
}

/// A handshake, or the beginning of one.
pub(crate) trait Negotiation {
    /// The outcome.
    type Output;
    /// Processes the received bytes. Returns `None` if more are needed.
    fn negotiate(&mut self) -> Result<Option<Self::Output>, Error>;
    /// Its bytes.
    fn wire(&mut self) -> &mut Wire;
}

impl<Role> Negotiation for Handshake<Role> {
    type Output = ();

    fn negotiate(&mut self) -> Result<Option<()>, Error> {
        Ok(match self.process()? {
            Progress::NeedsInput => None,
            Progress::Complete => Some(()),
        })
    }

    fn wire(&mut self) -> &mut Wire {
        &mut self.wire
    }
}

/// Carries out what rustls requests and returns the number of bytes that rustls has processed.
fn handle<Data>(
    status: UnbufferedStatus<'_, '_, Data>,
    outgoing: &mut Vec<u8>,
) -> (usize, Result<Step, Error>) {
    let step = match status.state {
        Ok(ConnectionState::EncodeTlsData(mut data)) => {
            let start = outgoing.len();
            let mut encoded = data.encode(&mut []);
            if let Err(EncodeError::InsufficientSize(size)) = encoded {
                outgoing.resize(start + size.required_size, 0);
                encoded = data.encode(&mut outgoing[start..]);
            }
            outgoing.truncate(start + encoded.as_ref().copied().unwrap_or(0));
            encoded.map(|_| Step::Again).map_err(|error| general(&error.to_string()))
        }
        Ok(ConnectionState::TransmitTlsData(data)) => {
            data.done();
            Ok(Step::Again)
        }
        Ok(ConnectionState::BlockedHandshake) => Ok(Step::NeedsInput),
        Ok(ConnectionState::WriteTraffic(_)) => Ok(Step::MayBeComplete),
        Ok(ConnectionState::PeerClosed | ConnectionState::Closed) => {
            Err(Error::AlertReceived(crate::Alert::CLOSE_NOTIFY))
        }
        Ok(state) => Err(general(&format!("unexpected in a handshake: {state:?}"))),
        Err(rustls::Error::AlertReceived(alert)) => Err(Error::AlertReceived(crate::Alert(alert.into()))),
        Err(error) => Err(error.into()),
    };
    (status.discard, step)
}

fn general(what: &str) -> Error {
    Error::Handshake(rustls::Error::General(what.into()))
}

fn too_long() -> rustls::Error {
    rustls::InvalidMessage::HandshakePayloadTooLarge.into()
}

fn traffic_keys(secrets: ConnectionTrafficSecrets) -> Result<TrafficKeys, Error> {
    let (cipher, key, iv) = match secrets {
        ConnectionTrafficSecrets::Aes128Gcm { key, iv } => (Cipher::Aes128Gcm, key, iv),
        ConnectionTrafficSecrets::Aes256Gcm { key, iv } => (Cipher::Aes256Gcm, key, iv),
        ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv } => (Cipher::ChaCha20Poly1305, key, iv),
        _ => return Err(Error::Unsupported("Keylane does not support this cipher suite")),
    };
    let iv = iv.as_ref().try_into().map_err(|_| general("a nonce of another length"))?;
    TrafficKeys::new(cipher, key.as_ref(), iv)
}

/// rustls' state of a connection, and the function that stores a ticket.
struct Secrets<Data, Keep>(KernelConnection<Data>, Keep);

impl<Data: Send, Keep> KeySchedule for Secrets<Data, Keep>
where
    Keep: Fn(&mut KernelConnection<Data>, &[u8]) -> Result<(), Error> + Send,
{
    fn next_send_keys(&mut self) -> Result<TrafficKeys, Error> {
        traffic_keys(self.0.update_tx_secret()?.1)
    }

    fn next_receive_keys(&mut self) -> Result<TrafficKeys, Error> {
        traffic_keys(self.0.update_rx_secret()?.1)
    }

    fn keep_ticket(&mut self, body: &[u8]) -> Result<(), Error> {
        (self.1)(&mut self.0, body)
    }
}

fn keep_ticket(connection: &mut KernelConnection<ClientConnectionData>, body: &[u8]) -> Result<(), Error> {
    connection.handle_new_session_ticket(body).map_err(|error| match error {
        rustls::Error::InvalidMessage(why) => {
            let alert = crate::Alert(rustls::AlertDescription::from(why).into());
            Error::protocol(alert, "a session ticket that is malformed")
        }
        error => error.into(),
    })
}

debug! { [Role] Handshake<Role>: outcome }
