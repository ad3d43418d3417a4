//! Facts that rustls passes to a connection's configuration but does not report afterwards.
//!
//! A connection that hands over its secrets reports neither the server's name nor the secret that keying
//! material is exported from. But the certificate resolver receives the name, and the key log the secret.
//! Each connection therefore has its own copy of the configuration, with its own resolver and key log.

use crate::debug::debug;
use crate::lock::lock;
use rustls::crypto::tls13::OkmBlock;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, KeyLog, ServerConfig};
use std::sync::{Arc, Mutex};
use zeroize::Zeroizing;

/// The label of TLS 1.3's exporter secret in rustls' key log.
const EXPORTER_SECRET: &str = "EXPORTER_SECRET";
/// The label of TLS 1.2's master secret.
const MASTER_SECRET: &str = "CLIENT_RANDOM";
/// The label of the secret under which TLS 1.3's client sends until its handshake is complete.
pub(super) const CLIENT_HANDSHAKE: &str = "CLIENT_HANDSHAKE_TRAFFIC_SECRET";
/// The label of the secret under which TLS 1.3's server sends until it has sent its Finished.
pub(super) const SERVER_HANDSHAKE: &str = "SERVER_HANDSHAKE_TRAFFIC_SECRET";
/// The label of the secret under which TLS 1.3's server sends afterwards.
const SERVER_SECRET: &str = "SERVER_TRAFFIC_SECRET_0";
const TRAFFIC_SECRETS: [&str; 3] = [CLIENT_HANDSHAKE, SERVER_HANDSHAKE, SERVER_SECRET];

/// Passes everything on to the configuration's own resolver and key log, and keeps what is missing elsewhere.
pub(super) struct Listener {
    /// A server's resolver.
    resolver: Option<Arc<dyn ResolvesServerCert>>,
    log: Arc<dyn KeyLog>,
    /// In a box, since rustls keeps a client's configuration as long as the connection.
    heard: Mutex<Option<Box<Heard>>>,
}

#[derive(Default)]
pub(super) struct Heard {
    /// The name that a client asked for.
    pub(super) server_name: Option<String>,
    pub(super) secret: Option<Secret>,
    /// The [`TRAFFIC_SECRETS`] that have come.
    traffic: [Option<OkmBlock>; 3],
}

/// The secret that keying material is exported from.
pub(super) struct Secret {
    pub(super) client_random: [u8; 32],
    /// TLS 1.3's exporter secret or TLS 1.2's master secret.
    pub(super) bytes: Zeroizing<Box<[u8]>>,
}

impl Listener {
    /// Returns a client's configuration that extracts secrets, and its listener.
    pub(super) fn client(config: &ClientConfig) -> (Arc<ClientConfig>, Arc<Self>) {
        let mut config = config.clone();
        let listener = Self::new(None, &config.key_log);
        config.enable_secret_extraction = true;
        config.key_log = listener.clone();
        (Arc::new(config), listener)
    }

    /// Returns a server's configuration that extracts secrets, and its listener.
    pub(super) fn server(config: &ServerConfig) -> (Arc<ServerConfig>, Arc<Self>) {
        let mut config = config.clone();
        let listener = Self::new(Some(config.cert_resolver.clone()), &config.key_log);
        config.enable_secret_extraction = true;
        // This only enables answers to early data.
        config.send_half_rtt_data = config.max_early_data_size > 0;
        config.cert_resolver = listener.clone();
        config.key_log = listener.clone();
        (Arc::new(config), listener)
    }

    fn new(resolver: Option<Arc<dyn ResolvesServerCert>>, log: &Arc<dyn KeyLog>) -> Arc<Self> {
        Arc::new(Self { resolver, log: log.clone(), heard: Mutex::default() })
    }

    /// Takes everything that was heard.
    pub(super) fn take(&self) -> Box<Heard> {
        lock(&self.heard).take().unwrap_or_default()
    }

    /// Returns the secret under which this end of TLS 1.3 sends until its handshake is complete.
    pub(super) fn sending_secret(&self) -> Option<OkmBlock> {
        self.secret(if self.resolver.is_none() { CLIENT_HANDSHAKE } else { SERVER_SECRET })
    }

    /// Returns one of the [`TRAFFIC_SECRETS`].
    pub(super) fn secret(&self, label: &str) -> Option<OkmBlock> {
        let at = TRAFFIC_SECRETS.iter().position(|&it| it == label)?;
        lock(&self.heard).as_ref()?.traffic[at].clone()
    }

    fn add(&self, add: impl FnOnce(&mut Heard)) {
        add(lock(&self.heard).get_or_insert_default());
    }
}

impl ResolvesServerCert for Listener {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        if let Some(name) = hello.server_name() {
            self.add(|heard| heard.server_name = Some(name.to_owned()));
        }
        self.resolver.as_ref()?.resolve(hello)
    }

    fn only_raw_public_keys(&self) -> bool {
        self.resolver.as_ref().is_some_and(|resolver| resolver.only_raw_public_keys())
    }
}

impl KeyLog for Listener {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        if let (EXPORTER_SECRET | MASTER_SECRET, Ok(client_random)) = (label, client_random.try_into()) {
            let secret = Secret { client_random, bytes: Zeroizing::new(secret.into()) };
            self.add(|heard| heard.secret = Some(secret));
        }
        if let Some(at) = TRAFFIC_SECRETS.iter().position(|&it| it == label) {
            self.add(|heard| heard.traffic[at] = Some(OkmBlock::new(secret)));
        }
        if self.log.will_log(label) {
            self.log.log(label, client_random, secret);
        }
    }

    fn will_log(&self, label: &str) -> bool {
        matches!(label, EXPORTER_SECRET | MASTER_SECRET)
            || TRAFFIC_SECRETS.contains(&label)
            || self.log.will_log(label)
    }
}

debug! { Listener: resolver, log }
