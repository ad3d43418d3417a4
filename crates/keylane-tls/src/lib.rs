//! TLS 1.2 and 1.3 with rustls' handshakes and Keylane's ciphers. There are two ways to use it:
//!
//! 1. [`provider`], for rustls: pass it to a rustls configuration, and rustls uses Keylane's ciphers, hashes
//!    and key schedule.
//! 2. A record layer of its own. [`TlsStream`] leaves the handshake to rustls and then moves the data through
//!    two plain buffers: it decrypts in place and lends the data from there, and seals the caller's bytes
//!    straight into the send buffer.
//!
//! | module | what it is |
//! |---|---|
//! | [`record`] | records of one direction: keys, sequence numbers, limits; no I/O, no rustls |
//! | [`quic`] | packets of QUIC, one or many at once: keys, masks for headers; no I/O, no rustls |
//! | [`session`] | what follows the handshake: alerts, key updates, tickets, closing; still no I/O |
//! | [`ClientHandshake`], [`ServerHandshake`] | rustls' handshake without I/O, and the hand-over to a session |
//! | [`Acceptor`] | a client's first message, by which a server may choose its configuration |
//! | [`Prepared`] | a rustls configuration, for many connections |
//! | [`TlsStream`] | a blocking stream |
//! | `tokio` | an asynchronous one, with the feature `tokio` |
//!
//! A connection ends in one of three ways, which callers can tell apart: closed by the peer (`Ok(0)`),
//! truncated ([`Error::Truncated`]), ended by an alert ([`Error::AlertReceived`], [`Error::Protocol`]).
//!
//! # Debug builds
//! Without optimisation this is more than a hundred times slower. Put these lines into the `Cargo.toml` of
//! your workspace:
//!
//! ```toml
//! [profile.dev.package]
//! keylane = { opt-level = 3 }
//! keylane-cpu = { opt-level = 3 }
//! keylane-tls = { opt-level = 3 }
//! ```
//!
//! # Limits
//! No renegotiation, no compression. rustls tells neither which signature scheme was used nor, on servers,
//! that early data was offered and rejected.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod alert;
mod buffer;
mod error;
mod handshake;
mod provider;
pub mod quic;
pub mod record;
pub mod session;
mod stream;
#[cfg(feature = "tokio")]
pub mod tokio;
mod transfer;

/// The version of rustls whose configurations, names and errors this crate uses in its interface.
pub use rustls;

pub use alert::Alert;
pub use error::Error;
pub use handshake::{
    Accepted, Acceptor, Client, ClientHandshake, ConnectionInfo, EarlyData, Handshake, Prepared, Progress,
    Server, ServerHandshake,
};
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
pub use provider::provider;
pub use provider::{ALL_CIPHER_SUITES, cipher_suite, provider_with};
pub use session::Options;
pub use stream::{ReadHalf, TlsStream, WriteHalf};
