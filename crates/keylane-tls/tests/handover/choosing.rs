//! Servers that read the client's first message before they choose a configuration.

use crate::support::{End, Manner, duplex, persist, shake_hands};
use crate::{CREDENTIALS, MANNERS, VERSIONS, configs, connected, send, take};
use keylane_tls::{Accepted, Acceptor, Alert, ClientHandshake, Error, Progress, ServerHandshake, TlsStream};
use keylane_tls_checks::certificates::{Configs, HOST, server_name};
use keylane_tls_checks::terms::{Key, Version};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{
    ClientConfig, ClientConnection, ConnectionCommon, ServerConfig, ServerConnection, SignatureScheme,
};
use std::io;
use std::sync::Arc;

/// Returns the first bytes that a client sends.
fn first_flight(client: &mut ClientHandshake) -> Vec<u8> {
    assert_eq!(client.process().unwrap(), Progress::NeedsInput);
    take(client)
}

/// Puts each byte of a flight's message into a record of its own.
fn byte_by_byte(flight: &[u8]) -> Vec<u8> {
    flight[5..].iter().flat_map(|&byte| [&flight[..3], &[0, 1, byte]].concat()).collect()
}

fn read_hello(bytes: &[u8], manner: Manner) -> (Acceptor, End, io::Result<Accepted>) {
    let (mut end, far) = duplex(manner, Manner::Whole);
    far.output.borrow_mut().bytes.extend(bytes);
    let mut acceptor = Acceptor::default();
    let result = persist(|| TlsStream::read_client_hello(&mut acceptor, &mut end));
    while !acceptor.pending().is_empty() {
        // Returns the same error and sends more of the alert.
        TlsStream::read_client_hello(&mut acceptor, &mut end).unwrap_err();
    }
    (acceptor, end, result)
}

#[test]
fn a_server_chooses_by_what_the_client_offers() {
    for version in VERSIONS {
        for manner in MANNERS {
            let Configs { mut client, mut server } = configs(version, false);
            Arc::make_mut(&mut client).alpn_protocols = vec![b"h2".to_vec(), b"other".to_vec()];
            Arc::make_mut(&mut server).alpn_protocols = vec![b"other".to_vec()];
            let (mut end, mut far) = duplex(manner(), manner());
            let mut client = ClientHandshake::new(client, server_name()).unwrap();
            let mut acceptor = Acceptor::default();
            let accepted = loop {
                match TlsStream::handshake(&mut client, &mut far) {
                    Err(error) if crate::support::is_temporary(&error) => {}
                    result => panic!("{result:?}"),
                }
                match TlsStream::read_client_hello(&mut acceptor, &mut end) {
                    Err(error) if crate::support::is_temporary(&error) => {}
                    result => break result.unwrap(),
                }
            };
            let hello = accepted.client_hello();
            assert_eq!(hello.server_name(), Some(HOST));
            assert_eq!(hello.alpn().unwrap().collect::<Vec<_>>(), [&b"h2"[..], b"other"]);
            assert!(hello.signature_schemes().contains(&SignatureScheme::ECDSA_NISTP256_SHA256));
            assert!(!hello.cipher_suites().is_empty());
            assert!(format!("{accepted:?}").contains(HOST));
            let again = acceptor.process().unwrap_err();
            assert!(matches!(again, Error::Unsupported(_)), "{again}");

            let server = accepted.into_handshake(server).unwrap();
            let (client, server) = shake_hands((client, far), (server, end));
            let (mut client, mut server) = (client.unwrap(), server.unwrap());
            assert_eq!(server.info().server_name(), Some(HOST));
            assert_eq!(server.info().alpn(), Some(&b"other"[..]));
            send(&mut client, &mut server, b"there");
            send(&mut server, &mut client, b"and back");
        }
    }
}

#[test]
fn a_message_may_come_in_records_of_one_byte() {
    for version in VERSIONS {
        for manner in MANNERS {
            let Configs { client, server } = configs(version, false);
            let mut client = ClientHandshake::new(client, server_name()).unwrap();
            let flight = byte_by_byte(&first_flight(&mut client));
            let (_, end, accepted) = read_hello(&flight, manner());
            let server = accepted.unwrap().into_handshake(server).unwrap();
            let far =
                End { input: end.output.clone(), output: end.input.clone(), manner: manner(), reads: 0 };
            let (client, server) = shake_hands((client, far), (server, end));
            send(&mut client.unwrap(), &mut server.unwrap(), b"there");
        }
    }
}

/// The handshake refuses what the configuration does not allow, not the choice of it.
#[test]
fn a_client_without_anything_in_common_gets_an_alert() {
    let client = configs(Version::Tls12, false).client;
    let mut client = ClientHandshake::new(client, server_name()).unwrap();
    let (_, mut end, accepted) = read_hello(&first_flight(&mut client), Manner::Whole);
    let server = configs(Version::Tls13, false).server;
    let mut server = accepted.unwrap().into_handshake(server).unwrap();
    let error = TlsStream::handshake(&mut server, &mut end).unwrap_err();
    assert!(matches!(Error::of(&error), Some(Error::Handshake(_))), "{error}");
    let sent: Vec<u8> = end.output.borrow().bytes.iter().copied().collect();
    assert_eq!(sent, [21, 3, 3, 0, 2, 2, Alert::PROTOCOL_VERSION.0]);
}

#[test]
fn what_is_not_a_client_hello_is_refused() {
    // A handshake record that claims a message of 2^24 - 1 bytes, of 64 KiB, and the message's end never
    // comes.
    let endless = [22, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff];
    let mut trickle = vec![22, 3, 1, 0, 4, 1, 0, 0xff, 0xff];
    trickle.extend([22, 3, 1, 0, 1, 0].repeat(0xffff));
    let mut many = endless.to_vec();
    many.extend([0xff; 100_000]);
    for bytes in [
        &b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"[..],
        &endless,
        &trickle,
        &many,
        &[0xff; 100_000],
        &[22, 3, 1, 0xff, 0xff],
        // An alert, a ServerHello, data, an empty message.
        &[21, 3, 1, 0, 2, 2, 40],
        &[22, 3, 3, 0, 4, 2, 0, 0, 0],
        &[23, 3, 3, 0, 1, 0],
        &[22, 3, 1, 0, 4, 1, 0, 0, 0],
    ] {
        for manner in MANNERS {
            let (mut acceptor, end, result) = read_hello(bytes, manner());
            let error = result.unwrap_err();
            let shown = &bytes[..bytes.len().min(20)];
            let Some(Error::Handshake(reason)) = Error::of(&error) else { panic!("{shown:?}: {error}") };
            assert_eq!(acceptor.process().unwrap_err(), Error::Handshake(reason.clone()));
            let sent: Vec<u8> = end.output.borrow().bytes.iter().copied().collect();
            assert!(
                sent.first_chunk() == Some(&[21, 3, 3, 0, 2, 2]) && sent.len() == 7,
                "{shown:?}: {sent:?}"
            );
        }
    }
}

#[test]
fn a_transport_that_ends_is_truncated() {
    let mut client = ClientHandshake::new(configs(Version::Tls13, false).client, server_name()).unwrap();
    let flight = first_flight(&mut client);
    for len in [0, 1, 5, flight.len() - 1] {
        let (mut end, far) = duplex(Manner::halting(), Manner::Whole);
        far.output.borrow_mut().bytes.extend(&flight[..len]);
        far.output.borrow_mut().ended = true;
        let mut acceptor = Acceptor::default();
        let error = persist(|| TlsStream::read_client_hello(&mut acceptor, &mut end)).unwrap_err();
        assert_eq!(Error::of(&error), Some(&Error::Truncated));
    }
}

/// A resolver that itself accepts connections, as one might that fetches certificates.
#[derive(Debug)]
struct Nested(Arc<dyn ResolvesServerCert>, Version);

impl ResolvesServerCert for Nested {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let Configs { client, server } = configs(self.1, false);
        shake_their_hands(client.clone(), server.clone());
        let name = "127.0.0.1".try_into().unwrap();
        let (a, b) = duplex(Manner::Whole, Manner::Whole);
        let client = ClientHandshake::new(client, name).unwrap();
        // The certificate is for another name, and no name is asked for.
        let (client, _) = shake_hands((client, a), (ServerHandshake::new(server).unwrap(), b));
        assert!(client.is_err());
        self.0.resolve(hello)
    }
}

/// A handshake of rustls' own connections, whose provider is the same.
fn shake_their_hands(client: Arc<ClientConfig>, server: Arc<ServerConfig>) {
    fn carry<A, B>(from: &mut ConnectionCommon<A>, to: &mut ConnectionCommon<B>) {
        let mut bytes = Vec::new();
        while from.wants_write() {
            from.write_tls(&mut bytes).unwrap();
        }
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            to.read_tls(&mut rest).unwrap();
            to.process_new_packets().unwrap();
        }
    }
    let mut client = ClientConnection::new(client, server_name()).unwrap();
    let mut server = ServerConnection::new(server).unwrap();
    while client.is_handshaking() || server.is_handshaking() {
        carry(&mut client, &mut server);
        carry(&mut server, &mut client);
    }
}

/// One configuration serves many connections, and what one of them hears is not told to another.
#[test]
fn names_stay_with_their_connections() {
    for version in VERSIONS {
        let Configs { client, mut server } = configs(version, false);
        let own: &mut ServerConfig = Arc::make_mut(&mut server);
        own.cert_resolver = Arc::new(Nested(own.cert_resolver.clone(), version));
        let mut nameless = client.clone();
        Arc::make_mut(&mut nameless).enable_sni = false;
        for (client, name) in [(&client, Some(HOST)), (&nameless, None), (&client, Some(HOST))] {
            let configs = Configs { client: client.clone(), server: server.clone() };
            let (client, server) = connected(&configs, || Manner::Whole);
            assert_eq!(server.info().server_name(), name);
            assert_eq!(client.info().peer_certificates(), [CREDENTIALS.certified(Key::EcdsaP256).0]);
        }
    }
}
