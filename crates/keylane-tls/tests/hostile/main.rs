//! Bad input and hostile peers: the behaviour of a stream when the other end violates the protocol, floods,
//! stalls or truncates.
//!
//! The other end is a [`raw::Peer`]: it completes a real handshake, by rustls, and then sends any bytes.
//! Everything runs in one thread, over a transport in memory that returns `WouldBlock`.

mod closing;
mod flood;
mod framing;
mod hand_over;
mod key_updates;
mod messages;
mod mixture;
mod raw;
mod scene;
mod wire;
