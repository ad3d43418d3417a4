//! A connection after its handshake, without I/O: bytes in, events and bytes out.
//!
//! A [`Session`] has a [`Receiver`] and a [`Sender`] that can live on two threads. They meet in two places only: the
//! [`KeySchedule`], which both lock for a key update, and the [`Replies`] that what was received calls for, which whoever
//! drives the session carries from one to the other.

mod flood;
mod messages;
mod options;
mod receiver;
mod schedule;
mod sender;
mod sizing;

pub use options::{Options, RecordSizing};
pub use receiver::{Receiver, Replies, Status};
pub use schedule::{KeySchedule, Side};
pub use sender::Sender;

pub(crate) use schedule::{SharedSchedule, Start};

/// Both directions of a connection.
#[derive(Debug)]
pub struct Session {
    /// From the peer.
    pub receiver: Receiver,
    /// To the peer.
    pub sender: Sender,
}
