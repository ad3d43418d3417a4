//! The outcomes of handshakes: resumption, names, protocols, client certificates, groups.

use crate::support::{Manner, is_temporary};
use crate::{CREDENTIALS, MANNERS, VERSIONS, configs, connect, connected};
use keylane_tls::session::Side;
use keylane_tls::{Alert, Error};
use keylane_tls_checks::certificates::{Configs, HOST};
use keylane_tls_checks::fuzz::records;
use keylane_tls_checks::terms::{Key, Version};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls13_signature_with_raw_key};
use rustls::pki_types::{CertificateDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::server::{AlwaysResolvesServerRawPublicKeys, WebPkiClientVerifier};
use rustls::sign::CertifiedKey;
use rustls::{
    ClientConfig, DigitallySignedStruct, HandshakeKind, NamedGroup, ProtocolVersion, ServerConfig,
    SignatureScheme,
};
use std::io::{Read, Write};
use std::sync::Arc;

/// Tickets come after the hand-over in TLS 1.3, before it in TLS 1.2.
#[test]
fn tickets_resume() {
    for version in VERSIONS {
        for manner in MANNERS {
            let configs = configs(version, true);
            let (client, server) = connected(&configs, manner);
            assert!(!client.info().resumed() && !server.info().resumed());
            for _ in 0..2 {
                let (client, server) = connected(&configs, manner);
                assert!(client.info().resumed() && server.info().resumed(), "{version:?}");
                assert_eq!(server.info().server_name(), Some(HOST));
                assert_eq!(client.info().peer_certificates(), [CREDENTIALS.certified(Key::EcdsaP256).0]);
            }
        }
    }
}

#[test]
fn info_says_what_was_agreed() {
    for version in VERSIONS {
        for manner in MANNERS {
            let Configs { mut client, mut server } = configs(version, false);
            Arc::make_mut(&mut client).alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
            Arc::make_mut(&mut server).alpn_protocols = vec![b"http/1.1".to_vec()];
            let (client, server) = connected(&Configs { client, server }, manner);
            let expected = match version {
                Version::Tls12 => ProtocolVersion::TLSv1_2,
                Version::Tls13 => ProtocolVersion::TLSv1_3,
            };
            for info in [client.info(), server.info()] {
                assert_eq!(info.version(), expected);
                assert_eq!(info.alpn(), Some(&b"http/1.1"[..]));
                assert_eq!(info.key_exchange_group(), Some(NamedGroup::X25519));
            }
            let shown = format!("{client:?}");
            assert!(
                shown.starts_with("TlsStream { transport: End {") && shown.ends_with(", .. }"),
                "{shown}"
            );
            assert_eq!((client.info().side(), server.info().side()), (Side::Client, Side::Server));
            assert_eq!((client.info().server_name(), server.info().server_name()), (None, Some(HOST)));
            assert_eq!(client.info().cipher_suite(), server.info().cipher_suite());
            assert!(server.info().peer_certificates().is_empty());
        }
    }
}

#[test]
fn no_common_protocol_is_a_failure() {
    for version in VERSIONS {
        let Configs { mut client, mut server } = configs(version, false);
        Arc::make_mut(&mut client).alpn_protocols = vec![b"h2".to_vec()];
        Arc::make_mut(&mut server).alpn_protocols = vec![b"http/1.1".to_vec()];
        let (client, server) = connect(&Configs { client, server }, Manner::halting);
        assert!(matches!(Error::of(&server.unwrap_err()), Some(Error::Handshake(_))));
        let client = client.unwrap_err();
        assert_eq!(Error::of(&client), Some(&Error::AlertReceived(Alert::NO_APPLICATION_PROTOCOL)));
    }
}

/// Returns a server that requires certificates, a client that has one, and the same client without.
fn mutual(version: Version) -> (Configs, Arc<ClientConfig>) {
    let Configs { client, server } = configs(version, false);
    let versions = match version {
        Version::Tls12 => [&rustls::version::TLS12],
        Version::Tls13 => [&rustls::version::TLS13],
    };
    let (certificate, key) = CREDENTIALS.certified(Key::Ed25519);
    let provider = client.crypto_provider().clone();
    let with_certificate = ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&versions)
        .unwrap()
        .with_root_certificates(CREDENTIALS.roots())
        .with_client_auth_cert(vec![certificate], key)
        .unwrap();
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(CREDENTIALS.roots()), provider.clone())
            .build()
            .unwrap();
    let asking = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&versions)
        .unwrap()
        .with_client_cert_verifier(verifier)
        .with_cert_resolver(server.cert_resolver.clone());
    (Configs { client: Arc::new(with_certificate), server: Arc::new(asking) }, client)
}

#[test]
fn clients_show_their_certificates() {
    for version in VERSIONS {
        for manner in MANNERS {
            let (configs, without) = mutual(version);
            for resumed in [false, true] {
                let (_, server) = connected(&configs, manner);
                assert_eq!(server.info().resumed(), resumed);
                assert_eq!(server.info().peer_certificates(), [CREDENTIALS.certified(Key::Ed25519).0]);
            }

            let (client, server) = connect(&Configs { client: without, ..configs }, manner);
            assert!(matches!(Error::of(&server.unwrap_err()), Some(Error::Handshake(_))));
            // A TLS 1.3 client finishes before the server notices the missing certificate: the stream fails.
            let error = match client {
                Err(error) => error,
                Ok(mut client) => loop {
                    match client.read(&mut [0; 9]) {
                        Err(error) if is_temporary(&error) => {}
                        result => break result.unwrap_err(),
                    }
                },
            };
            assert_eq!(Error::of(&error), Some(&Error::AlertReceived(Alert::CERTIFICATE_REQUIRED)));
        }
    }
}

/// Configurations whose client has two groups, the second of which the server has; or both.
pub(crate) fn with_groups(both: bool) -> Configs {
    let groups = [ring::kx_group::X25519, ring::kx_group::SECP384R1];
    let with =
        |groups: &[_]| Arc::new(CryptoProvider { kx_groups: groups.to_vec(), ..keylane_tls::provider() });
    let versions = [&rustls::version::TLS13];
    let client = ClientConfig::builder_with_provider(with(&groups))
        .with_protocol_versions(&versions)
        .unwrap()
        .with_root_certificates(CREDENTIALS.roots())
        .with_no_client_auth();
    let server = ServerConfig::builder_with_provider(with(&groups[usize::from(!both)..]))
        .with_protocol_versions(&versions)
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(configs(Version::Tls13, false).server.cert_resolver.clone());
    Configs { client: client.into(), server: server.into() }
}

/// HelloRetryRequest: the client's first key share is of another group.
#[test]
fn a_client_sends_a_second_key_share_on_request() {
    for manner in MANNERS {
        let (client, server) = connected(&with_groups(false), manner);
        for info in [client.info(), server.info()] {
            assert_eq!(info.key_exchange_group(), Some(NamedGroup::secp384r1));
            assert_eq!(info.handshake_kind(), HandshakeKind::FullWithHelloRetryRequest);
            assert!(!info.resumed());
        }
    }
}

/// rustls counts a record with its header, but not with what protects it.
#[test]
fn records_are_as_long_as_the_configuration_allows() {
    for (version, overhead) in [(Version::Tls12, 5 + 8 + 16), (Version::Tls13, 5 + 1 + 16)] {
        let Configs { mut client, mut server } = configs(version, false);
        Arc::make_mut(&mut client).max_fragment_size = Some(105);
        Arc::make_mut(&mut server).max_fragment_size = Some(205);
        let (client, server) = connected(&Configs { client, server }, || Manner::Whole);
        for (mut stream, texts) in [(client, [100, 100, 50].as_slice()), (server, &[200, 50])] {
            stream.write_all(&[7; 250]).unwrap();
            let sent: Vec<u8> = stream.get_ref().output.borrow().bytes.iter().copied().collect();
            let lens = records(&sent).unwrap().into_iter().map(|record| record.len() - overhead);
            assert_eq!(lens.collect::<Vec<_>>(), texts, "{version:?}");
        }
    }
}

/// A client's verifier that takes one public key, without a certificate (RFC 7250).
#[derive(Debug)]
struct OneKey(SubjectPublicKeyInfoDer<'static>, Arc<CryptoProvider>);

impl ServerCertVerifier for OneKey {
    fn verify_server_cert(
        &self,
        key: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        assert_eq!(key.as_ref(), self.0.as_ref());
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        panic!("TLS 1.2 was not offered")
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        _: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.1.signature_verification_algorithms;
        verify_tls13_signature_with_raw_key(message, &self.0, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.1.signature_verification_algorithms.supported_schemes()
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

#[test]
fn a_server_may_have_a_key_without_a_certificate() {
    let Configs { mut client, mut server } = configs(Version::Tls13, false);
    let provider = client.crypto_provider().clone();
    let key = provider.key_provider.load_private_key(CREDENTIALS.certified(Key::EcdsaP256).1).unwrap();
    let public = key.public_key().unwrap().into_owned();
    let shown = [CertificateDer::from(public.to_vec())];
    let resolver = AlwaysResolvesServerRawPublicKeys::new(Arc::new(CertifiedKey::new(shown.to_vec(), key)));
    Arc::make_mut(&mut server).cert_resolver = Arc::new(resolver);
    let verifier = Arc::new(OneKey(public, provider));
    Arc::make_mut(&mut client).dangerous().set_certificate_verifier(verifier);
    for manner in MANNERS {
        let (client, _) = connected(&Configs { client: client.clone(), server: server.clone() }, manner);
        assert_eq!(client.info().peer_certificates(), shown);
    }
}
