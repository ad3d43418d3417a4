//! A client and a server in memory.

use crate::bytes;
use keylane_tls_checks::certificates::RSA_KEY;
use rcgen::{CertificateParams, KeyPair};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::{
    CipherSuite, ClientConfig, ClientConnection, ConnectionCommon, Error, ProtocolVersion, RootCertStore,
    ServerConfig, ServerConnection, SideData, SupportedProtocolVersion, version,
};
use std::io::{IoSlice, Read, Write};
use std::sync::Arc;

pub(crate) const NAME: &str = "localhost";

/// A server's certificate and key.
pub(crate) struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl Identity {
    pub(crate) fn ecdsa() -> Self {
        Self::of(&KeyPair::generate().unwrap())
    }

    /// ring cannot generate RSA keys: this one is public, and only for tests.
    pub(crate) fn rsa() -> Self {
        let key = PrivatePkcs8KeyDer::from_pem_slice(RSA_KEY.as_bytes()).unwrap();
        Self::of(&KeyPair::try_from(&key).unwrap())
    }

    fn of(key: &KeyPair) -> Self {
        let certificate = CertificateParams::new([NAME.to_owned()]).unwrap().self_signed(key).unwrap();
        Self { certificate: certificate.into(), key: PrivatePkcs8KeyDer::from(key.serialize_der()).into() }
    }

    /// Returns the identity that a suite of this name requires.
    pub(crate) fn for_suite(suite: CipherSuite) -> Self {
        if format!("{suite:?}").contains("_RSA_") { Self::rsa() } else { Self::ecdsa() }
    }
}

/// Returns a provider with only this suite.
pub(crate) fn only(mut provider: CryptoProvider, suite: CipherSuite) -> CryptoProvider {
    provider.cipher_suites.retain(|other| other.suite() == suite);
    assert_eq!(provider.cipher_suites.len(), 1);
    provider
}

/// The configurations of a client and a server.
pub(crate) struct Ends {
    pub(crate) client: ClientConfig,
    pub(crate) server: ServerConfig,
}

impl Ends {
    pub(crate) fn new(
        client: CryptoProvider,
        server: CryptoProvider,
        version: ProtocolVersion,
        identity: &Identity,
    ) -> Self {
        let versions: &[&SupportedProtocolVersion] = match version {
            ProtocolVersion::TLSv1_3 => &[&version::TLS13],
            _ => &[&version::TLS12],
        };
        let mut roots = RootCertStore::empty();
        roots.add(identity.certificate.clone()).unwrap();
        let client = ClientConfig::builder_with_provider(client.into())
            .with_protocol_versions(versions)
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let server = ServerConfig::builder_with_provider(server.into())
            .with_protocol_versions(versions)
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![identity.certificate.clone()], identity.key.clone_key())
            .unwrap();
        Self { client, server }
    }

    /// For one suite on both ends.
    pub(crate) fn for_suite(client: CryptoProvider, server: CryptoProvider, suite: CipherSuite) -> Self {
        let client = only(client, suite);
        let version = client.cipher_suites[0].version().version;
        Self::new(client, only(server, suite), version, &Identity::for_suite(suite))
    }

    /// Returns connections before the handshake.
    pub(crate) fn pair(&self) -> Pair {
        let name = ServerName::try_from(NAME).unwrap();
        Pair {
            client: ClientConnection::new(Arc::new(self.client.clone()), name).unwrap(),
            server: ServerConnection::new(Arc::new(self.server.clone())).unwrap(),
        }
    }

    /// Returns connections after the handshake.
    pub(crate) fn connect(&self) -> Pair {
        let mut pair = self.pair();
        pair.shake_hands();
        pair
    }
}

pub(crate) struct Pair {
    pub(crate) client: ClientConnection,
    pub(crate) server: ServerConnection,
}

impl Pair {
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

    pub(crate) fn exchange_some(&mut self) {
        self.exchange(&bytes(3, 20_000), &bytes(4, 20_000));
    }
}

/// Returns the bytes that `from` sends.
pub(crate) fn outgoing<S: SideData>(from: &mut ConnectionCommon<S>) -> Vec<u8> {
    let mut wire = Vec::new();
    while from.wants_write() {
        from.write_tls(&mut wire).unwrap();
    }
    wire
}

/// Passes `wire` to `to`.
pub(crate) fn deliver<S: SideData>(mut wire: &[u8], to: &mut ConnectionCommon<S>) -> Result<(), Error> {
    while !wire.is_empty() {
        to.read_tls(&mut wire).unwrap();
        to.process_new_packets()?;
    }
    Ok(())
}

pub(crate) fn pass<A: SideData, B: SideData>(
    from: &mut ConnectionCommon<A>,
    to: &mut ConnectionCommon<B>,
) -> Result<(), Error> {
    let wire = outgoing(from);
    deliver(&wire, to)
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
