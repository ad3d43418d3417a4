//! What a session begins with, and where its next keys come from.

use super::{Options, Receiver, Sender, Session};
use crate::buffer::ReceiveBuffer;
use crate::error::Error;
use crate::record::{RecordOpener, RecordSealer, TrafficKeys, Version};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Which end of a connection this is.
///
/// ```
/// use keylane_tls::{ConnectionInfo, session::Side};
///
/// fn is_server(info: &ConnectionInfo) -> bool {
///     info.side() == Side::Server
/// }
/// # let _ = is_server;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The end that began the connection.
    Client,
    /// The end that accepted it.
    Server,
}

/// The secrets that outlive the handshake: where TLS 1.3's next traffic keys come from, and where tickets go.
/// The [module](super) has an example without secrets.
pub trait KeySchedule: Send {
    /// Advances to the next keys for sending (RFC 8446 §7.2). Called once for each KeyUpdate, after that was
    /// sealed.
    ///
    /// # Errors
    /// Any; the connection fails with it.
    fn next_send_keys(&mut self) -> Result<TrafficKeys, Error>;

    /// Advances to the next keys for receiving.
    ///
    /// # Errors
    /// Any; the connection fails with it.
    fn next_receive_keys(&mut self) -> Result<TrafficKeys, Error>;

    /// Keeps the body of a NewSessionTicket message.
    ///
    /// # Errors
    /// [`Error::Protocol`] with the alert for the peer; for any other error, the alert is `decode_error`.
    fn keep_ticket(&mut self, body: &[u8]) -> Result<(), Error>;
}

/// A schedule that both directions use, for control messages only.
#[derive(Clone)]
pub(crate) struct SharedSchedule(Arc<Mutex<Shared<dyn KeySchedule>>>);

struct Shared<S: ?Sized> {
    /// How many KeyUpdates the peer was asked for and has not sent.
    unanswered: u64,
    schedule: S,
}

impl SharedSchedule {
    pub(crate) fn new(schedule: impl KeySchedule + 'static) -> Self {
        Self(Arc::new(Mutex::new(Shared { unanswered: 0, schedule })))
    }

    /// `requested` is whether the peer was asked for new keys of its own.
    pub(super) fn next_send_keys(&self, requested: bool) -> Result<TrafficKeys, Error> {
        let mut shared = self.lock();
        shared.unanswered += u64::from(requested);
        shared.schedule.next_send_keys()
    }

    /// The next keys, and whether the peer was asked for them.
    pub(super) fn next_receive_keys(&self) -> Result<(TrafficKeys, bool), Error> {
        let mut shared = self.lock();
        let asked = shared.unanswered > 0;
        shared.unanswered -= u64::from(asked);
        Ok((shared.schedule.next_receive_keys()?, asked))
    }

    pub(super) fn keep_ticket(&self, body: &[u8]) -> Result<(), Error> {
        self.lock().schedule.keep_ticket(body)
    }

    fn lock(&self) -> MutexGuard<'_, Shared<dyn KeySchedule + 'static>> {
        // After a panic within the schedule the two ends may disagree on keys: then records do not
        // authenticate.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a handshake hands over.
pub(crate) struct Start {
    pub(crate) version: Version,
    pub(crate) side: Side,
    /// Keys and the number of the next record.
    pub(crate) send: (TrafficKeys, u64),
    pub(crate) receive: (TrafficKeys, u64),
    /// What was received after the handshake.
    pub(crate) received: ReceiveBuffer,
    pub(crate) schedule: SharedSchedule,
}

impl Session {
    /// Begins a session with known keys for both directions, at record number 0: for handshakes performed by
    /// other means, and for tests. [`ClientHandshake`](crate::ClientHandshake) and
    /// [`ServerHandshake`](crate::ServerHandshake) make sessions with rustls.
    #[must_use]
    pub fn new(
        version: Version,
        side: Side,
        send: TrafficKeys,
        receive: TrafficKeys,
        schedule: impl KeySchedule + 'static,
        options: &Options,
    ) -> Self {
        let (send, receive) = ((send, 0), (receive, 0));
        let (received, schedule) = (ReceiveBuffer::new(), SharedSchedule::new(schedule));
        Self::start(Start { version, side, send, receive, received, schedule }, options)
    }

    pub(crate) fn start(start: Start, options: &Options) -> Self {
        let Start { version, side, send, receive, received, schedule } = start;
        let sealer = RecordSealer::new(version, &send.0, send.1);
        let opener = RecordOpener::new(version, &receive.0, receive.1);
        Self {
            receiver: Receiver::new(version, side, opener, received, schedule.clone(), options),
            sender: Sender::new(version, sealer, schedule, options),
        }
    }
}
