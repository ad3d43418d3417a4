//! The source of a session's next keys, and the store of its tickets.

use super::messages::KeyUpdate;
use crate::error::Error;
use crate::lock::lock;
use crate::record::TrafficKeys;
use core::mem;
use std::sync::{Arc, Mutex, MutexGuard};

/// Derives TLS 1.3's next traffic keys and stores tickets, from secrets that outlive the handshake. The
/// [module](super) has an example without secrets.
pub trait KeySchedule: Send {
    /// Advances to the next keys for sending (RFC 8446 §7.2). Called once for each KeyUpdate, after it was
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

    /// Stores the body of a NewSessionTicket message (RFC 8446 §4.6.1).
    ///
    /// # Errors
    /// [`Error::Protocol`] with the alert for the peer; for any other error, the alert is `decode_error`.
    fn keep_ticket(&mut self, body: &[u8]) -> Result<(), Error>;
}

/// A schedule that both directions use, for control messages only.
#[derive(Clone)]
pub(crate) struct SharedSchedule(Arc<Mutex<Shared<dyn KeySchedule>>>);

struct Shared<S: ?Sized> {
    /// Whether the peer was asked for a KeyUpdate and has sent none since.
    asked: bool,
    schedule: S,
}

impl SharedSchedule {
    pub(crate) fn new(schedule: impl KeySchedule + 'static) -> Self {
        Self(Arc::new(Mutex::new(Shared { asked: false, schedule })))
    }

    /// Whether the peer was asked for a KeyUpdate and has sent none since.
    pub(super) fn asked(&self) -> bool {
        self.lock().asked
    }

    /// Returns the next keys for sending, which a KeyUpdate of this `kind` announced.
    pub(super) fn next_send_keys(&self, kind: KeyUpdate) -> Result<TrafficKeys, Error> {
        let mut shared = self.lock();
        shared.asked |= kind == KeyUpdate::Requested;
        shared.schedule.next_send_keys()
    }

    /// Returns the next keys for receiving, and whether the peer was asked for them.
    pub(super) fn next_receive_keys(&self) -> Result<(TrafficKeys, bool), Error> {
        let mut shared = self.lock();
        let asked = mem::take(&mut shared.asked);
        Ok((shared.schedule.next_receive_keys()?, asked))
    }

    pub(super) fn keep_ticket(&self, body: &[u8]) -> Result<(), Error> {
        self.lock().schedule.keep_ticket(body)
    }

    fn lock(&self) -> MutexGuard<'_, Shared<dyn KeySchedule + 'static>> {
        // After a panic within the schedule, the two ends may disagree on keys, and records do not
        // authenticate.
        lock(&self.0)
    }
}
