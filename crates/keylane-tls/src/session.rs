//! A connection after its handshake, without I/O: bytes in, events and bytes out.
//!
//! A [`Session`] has a [`Receiver`] and a [`Sender`], which can be on two threads. They share the
//! [`KeySchedule`], which both lock for a key update. The code that drives the session passes the
//! [`PendingReplies`] from the receiver to the sender.
//!
//! A peer may send at most 32 empty records or unrequested key updates, 4 warnings and 1 MiB of session
//! tickets without data in between, and ask for renegotiation once. Beyond that, it receives the alert
//! `unexpected_message`, and the connection fails.
//!
//! ```
//! use keylane_tls::record::{Cipher, TrafficKeys, Version};
//! use keylane_tls::session::{KeySchedule, Session, Side, Status};
//! use keylane_tls::{Error, Options};
//! use std::io::IoSlice;
//!
//! /// Of TLS 1.2, which has no other keys.
//! struct NoMoreKeys;
//! impl KeySchedule for NoMoreKeys {
//!     fn next_send_keys(&mut self) -> Result<TrafficKeys, Error> {
//!         Err(Error::Unsupported("no other keys"))
//!     }
//!     fn next_receive_keys(&mut self) -> Result<TrafficKeys, Error> {
//!         Err(Error::Unsupported("no other keys"))
//!     }
//!     fn keep_ticket(&mut self, _body: &[u8]) -> Result<(), Error> {
//!         Ok(())
//!     }
//! }
//!
//! # fn main() -> Result<(), Error> {
//! let keys = |byte| TrafficKeys::new(Cipher::Aes128Gcm, &[byte; 16], &[byte; 12]).unwrap();
//! let options = Options::default();
//! let mut client = Session::new(Version::Tls12, Side::Client, keys(1), keys(2), NoMoreKeys, &options);
//! let mut server = Session::new(Version::Tls12, Side::Server, keys(2), keys(1), NoMoreKeys, &options);
//!
//! client.sender.write(&[IoSlice::new(b"attack "), IoSlice::new(b"at dawn")])?;
//! client.sender.close();
//!
//! // What a transport would do.
//! let len = client.sender.pending().len();
//! server.receiver.space()[..len].copy_from_slice(client.sender.pending());
//! server.receiver.filled(len);
//! client.sender.sent(len);
//!
//! assert_eq!(server.receiver.process()?, Status::Data);
//! assert_eq!(server.receiver.data(), b"attack at dawn");
//! server.receiver.consume(14);
//! server.sender.reply(server.receiver.take_replies());
//! assert_eq!(server.receiver.process()?, Status::Closed);
//! # Ok(())
//! # }
//! ```

mod flood;
mod messages;
mod options;
mod receiver;
mod schedule;
mod sender;
mod sizing;

pub use options::{Options, RecordSizing};
pub use receiver::{PendingReplies, Receiver, Status};
pub use schedule::KeySchedule;
pub use sender::Sender;

pub(crate) use schedule::SharedSchedule;

use crate::buffer::ReceiveBuffer;
use crate::record::{RecordOpener, RecordSealer, TrafficKeys, Version};

/// Both directions of a connection: see the [module](self) for an example.
#[derive(Debug)]
pub struct Session {
    /// Receives from the peer.
    pub receiver: Receiver,
    /// Sends to the peer.
    pub sender: Sender,
}

impl Session {
    /// Begins a session with the given keys, at record number 0 in both directions: for tests, and for
    /// handshakes that are not rustls'. [`ClientHandshake`](crate::ClientHandshake) and
    /// [`ServerHandshake`](crate::ServerHandshake) make sessions with rustls' handshakes.
    #[must_use]
    pub fn new(
        version: Version,
        side: Side,
        send: TrafficKeys,
        receive: TrafficKeys,
        schedule: impl KeySchedule + 'static,
        options: &Options,
    ) -> Self {
        let schedule = SharedSchedule::new(schedule);
        Self::start(version, side, [(send, 0), (receive, 0)], ReceiveBuffer::new(), schedule, options)
    }

    /// Begins a session with a handshake's result: for each direction keys and the next record's number, and
    /// the bytes received after the handshake.
    pub(crate) fn start(
        version: Version,
        side: Side,
        [send, receive]: [(TrafficKeys, u64); 2],
        received: ReceiveBuffer,
        schedule: SharedSchedule,
        options: &Options,
    ) -> Self {
        let sealer = RecordSealer::new(version, &send.0, send.1);
        let opener = RecordOpener::new(version, &receive.0, receive.1);
        Self {
            receiver: Receiver::new(version, side, opener, received, schedule.clone(), options),
            sender: Sender::new(version, sealer, schedule, options),
        }
    }
}

/// An end of a connection.
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
