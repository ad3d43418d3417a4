//! A connection after its handshake, without I/O: bytes in, events and bytes out.
//!
//! A [`Session`] has a [`Receiver`] and a [`Sender`] that can live on two threads. They share only two
//! things: the [`KeySchedule`], which both lock for a key update, and the [`PendingReplies`] to what was
//! received, which the code that drives the session passes from the receiver to the sender.
//!
//! A peer that only keeps this end busy receives the alert `unexpected_message`: without data in between, it
//! may send at most 32 empty records or unrequested key updates, 4 warnings, and 1 MiB of session tickets. It
//! may ask for renegotiation once.
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
    /// From the peer.
    pub receiver: Receiver,
    /// To the peer.
    pub sender: Sender,
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
        let schedule = SharedSchedule::new(schedule);
        Self::start(version, side, [(send, 0), (receive, 0)], ReceiveBuffer::new(), schedule, options)
    }

    /// Begins with the result of a handshake: for each direction, keys and the number of the next record; and
    /// the bytes that were received after it.
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
