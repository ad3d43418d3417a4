//! TLS 1.2 and 1.3 on Keylane's ciphers, behind rustls' handshakes. Two offers:
//!
//! 1. [`provider`], for rustls: whoever uses rustls gets Keylane's symmetric half by passing it.
//! 2. A record layer of its own. [`TlsStream`] does the handshake by rustls and then moves the data through two plain
//!    buffers: it decrypts in place and lends the data from there, and seals the caller's bytes straight into the send buffer.
//!
//! | module | what it is |
//! |---|---|
//! | [`record`] | records of one direction: keys, sequence numbers, limits; no I/O, no rustls |
//! | [`session`] | what follows the handshake: alerts, key updates, tickets, closing; still no I/O |
//! | [`ClientHandshake`], [`ServerHandshake`] | rustls' handshake without I/O, and the hand-over to a session |
//! | [`TlsStream`] | a blocking stream |
//! | `tokio` | an asynchronous one, with the feature `tokio` |
//!
//! A connection ends in one of three ways, which callers can tell apart: closed by the peer (`Ok(0)`), truncated
//! ([`Error::Truncated`]), ended by an alert ([`Error::AlertReceived`], [`Error::Protocol`]).
//!
//! # Debug builds
//! Without optimisation this is more than a hundred times slower. Put these lines into the `Cargo.toml` of your workspace:
//!
//! ```toml
//! [profile.dev.package]
//! keylane = { opt-level = 3 }
//! keylane-cpu = { opt-level = 3 }
//! keylane-tls = { opt-level = 3 }
//! ```
//!
//! # Limits
//! No renegotiation, no early data, no compression; keying material cannot be exported (RFC 5705) from a [`TlsStream`].

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod alert;
mod buffer;
mod error;
mod handshake;
mod provider;
pub mod record;
pub mod session;
mod stream;
#[cfg(feature = "tokio")]
pub mod tokio;
mod transfer;

/// The version whose configurations, names and errors this crate takes and gives.
pub use rustls;

pub use alert::Alert;
pub use error::Error;
pub use handshake::{Client, ClientHandshake, ConnectionInfo, Handshake, Progress, Server, ServerHandshake};
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
pub use provider::provider;
pub use provider::{ALL_CIPHER_SUITES, cipher_suite, provider_with};
pub use session::Options;
pub use stream::TlsStream;
