//! rustls' configurations, made to report what its connections do not.
//!
//! A connection that hands over its secrets reports neither the server's name nor the secret that keying
//! material is exported from. But the certificate resolver is told the name, and the key log the secret.
//! rustls calls both while it processes a record, on the thread that processes it: so one resolver and
//! one log serve all connections, and leave what they hear where that thread finds it.

use super::memo::Memo;
use crate::record::Key;
use crate::session::Side;
use core::cell::RefCell;
use core::fmt;
use keylane_cpu::constant_time::{declassify, equal};
use rustls::crypto::tls13::OkmBlock;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, KeyLog, ServerConfig};
use std::sync::Arc;
use zeroize::Zeroizing;

/// The label of TLS 1.3's exporter secret in rustls' key log.
const EXPORTER_SECRET: &str = "EXPORTER_SECRET";
/// The label of TLS 1.2's master secret.
const MASTER_SECRET: &str = "CLIENT_RANDOM";
/// Its name of a client's secret of TLS 1.3's handshake.
const CLIENT_HANDSHAKE_SECRET: &str = "CLIENT_HANDSHAKE_TRAFFIC_SECRET";
/// The labels of TLS 1.3's first secrets for application data.
const CLIENT_TRAFFIC_SECRET: &str = "CLIENT_TRAFFIC_SECRET_0";
const SERVER_TRAFFIC_SECRET: &str = "SERVER_TRAFFIC_SECRET_0";

/// A rustls configuration, prepared for handshakes.
///
/// Whatever takes a configuration also takes an `Arc` of rustls' own, and then copies it for the one
/// connection. Prepare a configuration once if it serves many, as a server's does.
///
/// The copy extracts secrets, and does without early and half-RTT data unless it is made by
/// `with_early_data`.
///
/// ```
/// use keylane_tls::{Prepared, TlsStream};
/// use rustls::ServerConfig;
/// use std::net::TcpListener;
/// use std::sync::Arc;
///
/// fn serve(config: Arc<ServerConfig>, listener: &TcpListener) -> std::io::Result<()> {
///     let config = Prepared::from(config);
///     loop {
///         let _stream = TlsStream::accept(config.clone(), listener.accept()?.0)?;
///     }
/// }
/// # let _ = serve;
/// ```
pub struct Prepared<Config>(pub(crate) Arc<Config>);

impl<Config> Clone for Prepared<Config> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl From<Arc<ClientConfig>> for Prepared<ClientConfig> {
    fn from(config: Arc<ClientConfig>) -> Self {
        Self::client(config, false)
    }
}

impl From<Arc<ServerConfig>> for Prepared<ServerConfig> {
    fn from(config: Arc<ServerConfig>) -> Self {
        Self::server(config, 0)
    }
}

impl Prepared<ClientConfig> {
    /// Prepares a configuration for clients that send data before they hear from the server (RFC 8446 §2.3),
    /// which saves a round trip: see
    /// [`ClientHandshake::write_early_data`](super::Handshake::write_early_data).
    ///
    /// # Security
    /// **Whoever records early data can send it to the server again**, which may then process it more than
    /// once. And it is not forward secret: whoever learns the ticket's key can decrypt it later. Send
    /// only what may be processed twice, such as a request that changes nothing, and only where a profile of
    /// the application's protocol says so, as RFC 8470 does for HTTP.
    #[must_use]
    pub fn with_early_data(config: Arc<ClientConfig>) -> Self {
        Self::client(config, true)
    }

    fn client(mut config: Arc<ClientConfig>, early_data: bool) -> Self {
        let own = Arc::make_mut(&mut config);
        own.enable_secret_extraction = true;
        own.enable_early_data = early_data;
        own.key_log = Arc::new(Listener(own.key_log.clone()));
        Self(config)
    }
}

impl Prepared<ServerConfig> {
    /// Prepares a configuration for servers that accept up to `max_len` bytes of early data a connection:
    /// see [`ServerHandshake::early_data`](super::Handshake::early_data). rustls accepts them only from
    /// clients that resume a session of TLS 1.3 which the server has stored
    /// ([`session_storage`](ServerConfig::session_storage), without a
    /// [`ticketer`](ServerConfig::ticketer)).
    ///
    /// # Security
    /// **Whoever records early data can send it again.** A storage that gives each session out once, as
    /// rustls' own does, refuses the second time, but only as far as it is shared: servers with a storage
    /// each process the data once each, and a client that was refused sends it again as ordinary data.
    /// Process only what may be processed twice, such as a request that changes nothing; RFC 8446 §8 and,
    /// for HTTP, RFC 8470 say more.
    ///
    /// # Limits
    /// Data that is rejected is skipped, up to `max_len` bytes, or 16 KiB if the configuration was prepared
    /// without early data. A record counts 17 bytes more than its data. A client that sends more has to
    /// connect anew.
    #[must_use]
    pub fn with_early_data(config: Arc<ServerConfig>, max_len: u32) -> Self {
        Self::server(config, max_len)
    }

    fn server(mut config: Arc<ServerConfig>, max_early_data_len: u32) -> Self {
        let own = Arc::make_mut(&mut config);
        own.enable_secret_extraction = true;
        own.max_early_data_size = max_early_data_len;
        // The answer to early data is sent so early, and nothing else.
        own.send_half_rtt_data = max_early_data_len > 0;
        own.cert_resolver = Arc::new(Listener(own.cert_resolver.clone()));
        own.key_log = Arc::new(Listener(own.key_log.clone()));
        Self(config)
    }
}

impl<Config: fmt::Debug> fmt::Debug for Prepared<Config> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The secrets that rustls told a configuration, or Keylane's provider, about one connection.
#[derive(Default)]
pub(crate) struct Heard {
    /// The name that a client asked for.
    pub(super) server_name: Option<String>,
    pub(super) secret: Option<Secret>,
    /// The last keys that the provider has prepared.
    pub(super) keys: [Option<Key>; 2],
    /// A client's secret of TLS 1.3's handshake.
    client_handshake: Option<OkmBlock>,
    /// TLS 1.3's secrets for application data.
    traffic: [Option<OkmBlock>; 2],
    memo: Memo,
}

/// The secret that keying material is exported from.
pub(super) struct Secret {
    pub(super) client_random: [u8; 32],
    /// TLS 1.3's exporter secret or TLS 1.2's master secret.
    pub(super) bytes: Zeroizing<Box<[u8]>>,
}

thread_local! {
    /// About the connection that this thread processes. `None` while it processes none of ours: rustls' own
    /// connections may have a prepared configuration as well, and what they say is not kept.
    static HEARD: RefCell<Option<Box<Heard>>> = const { RefCell::new(None) };
}

impl Heard {
    /// Adds to `heard` what is told while `process` runs. A callback may itself process another connection.
    pub(super) fn while_in<R>(heard: &mut Option<Box<Self>>, process: impl FnOnce() -> R) -> R {
        struct Turn<'a> {
            heard: &'a mut Option<Box<Heard>>,
            outer: Option<Box<Heard>>,
        }
        impl Drop for Turn<'_> {
            fn drop(&mut self) {
                *self.heard = HEARD.replace(self.outer.take());
            }
        }
        let outer = HEARD.replace(Some(heard.take().unwrap_or_default()));
        let _turn = Turn { heard, outer };
        process()
    }

    /// Lets a listener add something, if there is a turn.
    pub(crate) fn add(add: impl FnOnce(&mut Self)) {
        Self::in_turn(add);
    }

    /// Returns `None` if there is no turn, or if the thread has dropped its variables: what it drops after
    /// them may be a connection that sends an alert.
    fn in_turn<R>(f: impl FnOnce(&mut Self) -> R) -> Option<R> {
        HEARD.try_with(|heard| heard.borrow_mut().as_deref_mut().map(f)).ok().flatten()
    }

    /// Returns the secret under which an end of TLS 1.3 sends until its handshake is complete.
    pub(super) fn sending_secret(side: Side) -> Option<OkmBlock> {
        let secret = Self::in_turn(|heard| match side {
            Side::Client => heard.client_handshake.clone(),
            Side::Server => heard.traffic[1].clone(),
        });
        secret.flatten()
    }

    /// Whether keys will be derived from `secret`, and then once more for the hand-over.
    pub(crate) fn expects(secret: &[u8]) -> bool {
        let found = Self::in_turn(|heard| {
            let secrets = heard.traffic.iter().flatten();
            secrets.fold(false, |found, known| found | declassify(equal(known.as_ref(), secret)))
        });
        found.unwrap_or(false)
    }

    /// Fills `output` with what was [kept](Self::keep) for the same inputs. Returns whether something was.
    pub(crate) fn recall(secret: &[u8], inputs: &[&[u8]], output: &mut [u8]) -> bool {
        Self::in_turn(|heard| heard.memo.recall(secret, inputs, output)).unwrap_or(false)
    }

    /// Keeps what was derived, if there is a turn.
    pub(crate) fn keep(secret: &[u8], inputs: &[&[u8]], output: &[u8]) {
        Self::add(|heard| heard.memo.keep(secret, inputs, output));
    }

    /// Keeps a key that was prepared, in place of the one before the last.
    pub(crate) fn add_key(&mut self, key: &Key) {
        self.keys.swap(0, 1);
        self.keys[1] = Some(key.clone());
    }
}

/// Passes everything on to the configuration's own resolver or key log, and keeps what is missing elsewhere.
#[derive(Debug)]
struct Listener<Inner: ?Sized>(Arc<Inner>);

impl ResolvesServerCert for Listener<dyn ResolvesServerCert> {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        if let Some(name) = hello.server_name() {
            Heard::add(|heard| heard.server_name = Some(name.to_owned()));
        }
        self.0.resolve(hello)
    }

    fn only_raw_public_keys(&self) -> bool {
        self.0.only_raw_public_keys()
    }
}

impl KeyLog for Listener<dyn KeyLog> {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        Heard::add(|heard| match (label, client_random.try_into()) {
            (EXPORTER_SECRET | MASTER_SECRET, Ok(client_random)) => {
                heard.secret = Some(Secret { client_random, bytes: Zeroizing::new(secret.into()) });
            }
            (CLIENT_HANDSHAKE_SECRET, _) => heard.client_handshake = Some(OkmBlock::new(secret)),
            (CLIENT_TRAFFIC_SECRET, _) => heard.traffic[0] = Some(OkmBlock::new(secret)),
            (SERVER_TRAFFIC_SECRET, _) => heard.traffic[1] = Some(OkmBlock::new(secret)),
            _ => {}
        });
        if self.0.will_log(label) {
            self.0.log(label, client_random, secret);
        }
    }

    fn will_log(&self, label: &str) -> bool {
        matches!(
            label,
            EXPORTER_SECRET
                | MASTER_SECRET
                | CLIENT_HANDSHAKE_SECRET
                | CLIENT_TRAFFIC_SECRET
                | SERVER_TRAFFIC_SECRET
        ) || self.0.will_log(label)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listeners_keep_nothing_outside_of_a_turn() {
        let listener = Listener::<dyn KeyLog>(Arc::new(rustls::NoKeyLog));
        let log = |byte| listener.log(EXPORTER_SECRET, &[byte; 32], &[byte; 48]);
        let is_empty = || HEARD.with_borrow(Option::is_none);
        let (mut first, mut second) = (None, None);
        log(1);
        assert!(is_empty());
        Heard::while_in(&mut first, || {
            log(2);
            Heard::while_in(&mut second, || log(3));
        });
        log(4);
        assert!(is_empty());
        for (heard, byte) in [(first, 2), (second, 3)] {
            assert_eq!(heard.unwrap().secret.unwrap().bytes[..], [byte; 48]);
        }
    }
}
