//! TLS 1.2 and 1.3 with rustls' handshakes and Keylane's ciphers.
//!
//! | to | use |
//! |---|---|
//! | keep rustls, and what is built on it, with faster ciphers | [`provider`] |
//! | send and receive over a socket | [`TlsStream`]: decrypts in place and lends the text (`BufRead`) |
//! | do that in tokio | `tokio::TlsConnector`, `tokio::TlsAcceptor`, with the feature `tokio` |
//! | choose a configuration by the client's first message | [`Acceptor`] |
//! | do the I/O on your own | [`ClientHandshake`], [`ServerHandshake`], then a [`session`] |
//! | protect records under keys of your own | [`record`]; no I/O, no rustls |
//!
//! The streams leave the handshake to rustls and take the keys from it. Guides: [TLS], [moving from
//! tokio-rustls], [how fast].
//!
//! [TLS]: https://keylane.github.io/keylane/crates/keylane-tls/index.html
//! [moving from tokio-rustls]: https://keylane.github.io/keylane/docs/migrating.html#from-tokio-rustls
//! [how fast]: https://keylane.github.io/keylane/docs/benchmarks/index.html#tls
//!
//! # Examples
//! A configuration of rustls, with Keylane's provider:
//!
//! ```
//! use rustls::{ClientConfig, RootCertStore};
//!
//! let config = ClientConfig::builder_with_provider(keylane_tls::provider().into())
//!     .with_safe_default_protocol_versions()?
//!     .with_root_certificates(RootCertStore::empty()) // whom you trust
//!     .with_no_client_auth();
//! # let _ = config;
//! # Ok::<(), rustls::Error>(())
//! ```
//!
//! A stream takes the same configurations:
//!
//! ```
//! use keylane_tls::TlsStream;
//! use std::io::{Read, Write};
//! use std::net::{TcpListener, TcpStream};
//!
//! # fn main() -> std::io::Result<()> {
//! # use keylane_tls_checks::certificates::{Credentials, server_name};
//! # use keylane_tls_checks::terms::{Cipher, Key, Terms, Version};
//! # let terms = Terms { version: Version::Tls13, cipher: Cipher::Aes128Gcm, key: Key::EcdsaP256 };
//! # let configs = Credentials::generate().unwrap().configs(keylane_tls::provider(), &terms, false).unwrap();
//! # let (client_config, server_config, name) = (configs.client, configs.server, server_name());
//! let listener = TcpListener::bind("127.0.0.1:0")?;
//! let socket = TcpStream::connect(listener.local_addr()?)?;
//! let server = std::thread::spawn(move || -> std::io::Result<()> {
//!     let mut stream = TlsStream::accept(server_config, listener.accept()?.0)?;
//!     stream.write_all(b"good morning")?;
//!     stream.close()
//! });
//! let mut text = String::new();
//! TlsStream::connect(client_config, name, socket)?.read_to_string(&mut text)?; // or truncated: an error
//! assert_eq!(text, "good morning");
//! # server.join().unwrap()
//! # }
//! ```
//!
//! # Key exchange and signatures
//! They stay those that the application has chosen for rustls: by rustls' default features, aws-lc-rs'. This
//! crate turns on none of rustls' providers, since with two of them `ClientConfig::builder()` panics, anywhere in
//! the program. [`provider`] finds the one that is there, and [`provider_with`] takes any.
//!
//! An application that has turned off rustls' default features chooses by rustls' features, or by this crate's
//! `ring` or `aws-lc-rs`; without a choice, [`provider`] panics. Libraries leave both off.
//!
//! What this crate does turn on is rustls' `std` and `tls12`, which are among its defaults. In an application
//! without `tls12`, every configuration that names no versions then offers TLS 1.2.
//!
//! # How a connection ends
//! A connection ends in one of three ways, which callers can tell apart: closed by the peer (`Ok(0)`),
//! truncated ([`Error::Truncated`]), ended by an alert ([`Error::AlertReceived`], [`Error::Protocol`]).
//!
//! # Debug builds
//! Without optimisation this is more than a hundred times slower. Put these lines into the `Cargo.toml` of
//! your workspace:
//!
//! ```toml
//! [profile.dev.package]
//! keylane = { opt-level = 3, debug = false, debug-assertions = false, overflow-checks = false }
//! keylane-cpu = { opt-level = 3, debug = false, debug-assertions = false, overflow-checks = false }
//! keylane-tls = { opt-level = 3, debug = false, debug-assertions = false, overflow-checks = false }
//! ```
//!
//! # Limits
//! No renegotiation, no compression. rustls does not tell which signature scheme was used.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod alert;
mod buffer;
mod debug;
mod error;
mod handshake;
mod lock;
mod provider;
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
    Accepted, Acceptor, Client, ClientHandshake, ConnectionInfo, EarlyData, Handshake, Progress, Server,
    ServerHandshake,
};
pub use provider::{ALL_CIPHER_SUITES, cipher_suite, provider, provider_with};
pub use session::Options;
pub use stream::{ReadHalf, TlsStream, WriteHalf};
