//! A client and a server in memory.

use keylane_tls_checks::certificates::{Configs, Credentials, server_name};
use keylane_tls_checks::terms::{CIPHERS, Key, Terms, Version};
use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::server::ServerSessionMemoryCache;
use rustls::{CipherSuite, ClientConnection, ConnectionCommon, Error, ServerConnection, SideData};
use std::io::{IoSlice, Read, Write};
use std::sync::{Arc, LazyLock};

static CREDENTIALS: LazyLock<Credentials> = LazyLock::new(|| Credentials::generate().unwrap());

/// Returns configurations of one suite, in which the server remembers sessions.
pub(crate) fn configs(client: CryptoProvider, server: CryptoProvider, suite: CipherSuite) -> Configs {
    let terms = [Version::Tls12, Version::Tls13].into_iter().flat_map(|version| {
        CIPHERS
            .into_iter()
            .flat_map(move |cipher| [Key::EcdsaP256, Key::Rsa2048].map(|key| Terms { version, cipher, key }))
    });
    let terms = terms.into_iter().find(|terms| terms.has_suite(suite)).expect("a suite");
    let of = |provider| CREDENTIALS.configs(provider, &terms, false).unwrap();
    let mut configs = Configs { client: of(client).client, server: of(server).server };
    Arc::make_mut(&mut configs.client).resumption = Resumption::in_memory_sessions(8);
    let server = Arc::make_mut(&mut configs.server);
    (server.session_storage, server.send_tls13_tickets) = (ServerSessionMemoryCache::new(256), 1);
    configs
}

pub(crate) struct Pair {
    pub(crate) client: ClientConnection,
    pub(crate) server: ServerConnection,
}

impl Pair {
    pub(crate) fn before_the_handshake(configs: &Configs) -> Self {
        Self {
            client: ClientConnection::new(configs.client.clone(), server_name()).unwrap(),
            server: ServerConnection::new(configs.server.clone()).unwrap(),
        }
    }

    pub(crate) fn connect(configs: &Configs) -> Self {
        let mut pair = Self::before_the_handshake(configs);
        pair.shake_hands();
        pair
    }

    pub(crate) fn shake_hands(&mut self) {
        while self.client.is_handshaking() || self.server.is_handshaking() {
            pass(&mut self.client, &mut self.server).unwrap();
            pass(&mut self.server, &mut self.client).unwrap();
        }
        // Tickets.
        pass(&mut self.server, &mut self.client).unwrap();
    }

    /// Sends data both ways, and checks that it arrives.
    pub(crate) fn exchange(&mut self, to_server: &[u8], to_client: &[u8]) {
        assert!(send(&mut self.client, &mut self.server, to_server) == to_server);
        assert!(send(&mut self.server, &mut self.client, to_client) == to_client);
    }
}

/// Returns the bytes that `from` sends.
fn outgoing<S: SideData>(from: &mut ConnectionCommon<S>) -> Vec<u8> {
    let mut wire = Vec::new();
    while from.wants_write() {
        from.write_tls(&mut wire).unwrap();
    }
    wire
}

/// Passes on what `from` sends.
pub(crate) fn pass<A: SideData, B: SideData>(
    from: &mut ConnectionCommon<A>,
    to: &mut ConnectionCommon<B>,
) -> Result<(), Error> {
    let mut wire = &outgoing(from)[..];
    while !wire.is_empty() {
        to.read_tls(&mut wire).unwrap();
        to.process_new_packets()?;
    }
    Ok(())
}

/// Sends data in uneven pieces, several per write. Returns the data that arrives.
fn send<A: SideData, B: SideData>(
    from: &mut ConnectionCommon<A>,
    to: &mut ConnectionCommon<B>,
    data: &[u8],
) -> Vec<u8> {
    let (mut received, mut sent) = (Vec::new(), 0);
    while sent < data.len() {
        // Every other time, only one piece: rustls treats one slice and several differently.
        let rest = &data[sent..data.len().min(sent + 50_000)];
        let (a, b) = rest.split_at(if sent % 2 == 0 { rest.len() } else { rest.len() / 3 });
        let (b, c) = b.split_at(b.len().min(17));
        sent += from.writer().write_vectored(&[a, b, c].map(IoSlice::new)).unwrap();
        let mut wire = &outgoing(from)[..];
        while !wire.is_empty() {
            to.read_tls(&mut wire).unwrap();
            let state = to.process_new_packets().unwrap();
            let begin = received.len();
            received.resize(begin + state.plaintext_bytes_to_read(), 0);
            to.reader().read_exact(&mut received[begin..]).unwrap();
        }
    }
    received
}
