//! Bad input and hostile peers: what a live stream does when the other end breaks the protocol, floods, stalls or cuts.
//!
//! The tests' names begin with the number of the requirement that they show (`r02` for R2); the standard's sections stand
//! beside what they demand. The other end is a [`raw::Peer`]: it has done a true handshake, by rustls, and then sends what
//! it likes. Everything runs in one thread, over a transport in memory that says `WouldBlock`.

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
