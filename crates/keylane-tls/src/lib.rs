//! TLS 1.2 and 1.3 with rustls' handshakes and Keylane's ciphers.
//!
//! | to | use |
//! |---|---|
//! | give rustls, and programs on it that take a provider, faster ciphers | [`provider`] |
//! | send and receive over a socket | [`TlsStream`]: decrypts in place and lends the text (`BufRead`) |
//! | do so in tokio | `tokio::TlsConnector`, `tokio::TlsAcceptor`, with the feature `tokio` |
//! | choose a configuration by the client's first message | [`Acceptor`] |
//! | do the I/O yourself | [`ClientHandshake`], [`ServerHandshake`], then a [`session`] |
//! | protect records under your own keys | [`record`], without I/O or rustls |
//!
//! The streams leave the handshake to rustls and take the keys from it. Guides are in Keylane's repository:
//! `crates/keylane-tls/README.md`, and `docs/migrating.md` for those who come from tokio-rustls.
//!
//! # Examples
//! A rustls configuration with Keylane's provider:
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
//! TlsStream::connect(client_config, name, socket)?.read_to_string(&mut text)?; // an error if truncated
//! assert_eq!(text, "good morning");
//! # server.join().unwrap()
//! # }
//! ```
//!
//! # Key exchange and signatures
//! Key exchange, signatures and randomness come from the rustls provider that the application has chosen, by
//! default aws-lc-rs. [`provider`] finds that provider, and [`provider_with`] takes any. By default this
//! crate enables none, because `ClientConfig::builder()` panics in a program with two.
//!
//! An application without rustls' default features enables a provider through rustls or with this crate's
//! feature `ring` or `aws-lc-rs`. Without a provider, [`provider`] panics. Libraries should enable neither.
//!
//! This crate enables rustls' default features `std` and `tls12`. An application that had turned `tls12` off
//! therefore offers TLS 1.2 in each configuration that names no versions.
//!
//! # How a connection ends
//! Callers can distinguish three ends: closed by the peer (`Ok(0)`), truncated ([`Error::Truncated`]), and
//! ended by an alert ([`Error::AlertReceived`], [`Error::Protocol`]).
//!
//! # Debug builds
//! Without optimisation, TLS is more than a hundred times slower. These lines in your workspace's
//! `Cargo.toml` optimise it in debug builds too:
//!
//! ```toml
//! [profile.dev.package]
//! keylane = { opt-level = 3, debug = false, debug-assertions = false, overflow-checks = false }
//! keylane-cpu = { opt-level = 3, debug = false, debug-assertions = false, overflow-checks = false }
//! keylane-tls = { opt-level = 3, debug = false, debug-assertions = false, overflow-checks = false }
//! ```
//!
//! # Limits
//! Renegotiation and compression are not supported. rustls does not report which signature scheme was used.

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
