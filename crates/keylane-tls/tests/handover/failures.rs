//! Handshakes that must fail, with an alert.

use crate::support::{End, Manner, duplex, is_temporary, persist};
use crate::{MANNERS, VERSIONS, configs, connect, connected, take};
use keylane_contracts::Random;
use keylane_tls::{Alert, ClientHandshake, Error, Handshake, Progress, ServerHandshake, TlsStream};
use keylane_tls_checks::certificates::{Configs, HOST, server_name};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use std::io::{self, ErrorKind};
use std::sync::Arc;

/// Returns configurations with a chain of this number of certificates, each of some 31 KiB.
fn long_chain(certificates: usize, like: &Configs) -> Configs {
    let authority_key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new([]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let mut roots = RootCertStore::empty();
    roots.add(params.self_signed(&authority_key).unwrap().der().clone()).unwrap();
    let issuer = Issuer::new(params, authority_key);
    let key = KeyPair::generate().unwrap();
    let mut names = vec![HOST.to_owned()];
    names.extend((0..500).map(|i| format!("{i:055}.test")));
    let leaf = CertificateParams::new(names).unwrap().signed_by(&key, &issuer).unwrap();
    assert!((30_000..32_700).contains(&leaf.der().len()), "{}", leaf.der().len());
    let chain: Vec<CertificateDer<'static>> = vec![leaf.der().clone(); certificates];
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();

    // It has suites of one version only.
    let provider = like.client.crypto_provider().clone();
    let versions = [provider.cipher_suites[0].version()];
    let client =
        ClientConfig::builder_with_provider(provider.clone()).with_protocol_versions(&versions).unwrap();
    let server = ServerConfig::builder_with_provider(provider).with_protocol_versions(&versions).unwrap();
    Configs {
        client: Arc::new(client.with_root_certificates(roots).with_no_client_auth()),
        server: Arc::new(server.with_no_client_auth().with_single_cert(chain, key).unwrap()),
    }
}

#[test]
fn messages_over_many_records_fit_up_to_64_kib() {
    for version in VERSIONS {
        for manner in MANNERS {
            for certificates in [1, 2] {
                let configs = long_chain(certificates, &configs(version, false));
                let (client, _) = connected(&configs, manner);
                assert_eq!(client.info().peer_certificates().len(), certificates);
            }
            let mut small = long_chain(1, &configs(version, false));
            Arc::make_mut(&mut small.server).max_fragment_size = Some(300);
            connected(&small, manner);

            let (client, server) = connect(&long_chain(3, &configs(version, false)), manner);
            let (client, server) = (client.unwrap_err(), server.unwrap_err());
            assert_eq!(client.kind(), ErrorKind::InvalidData, "{client}");
            assert!(matches!(Error::of(&client), Some(Error::Handshake(_))), "{client}");
            assert_eq!(Error::of(&server), Some(&Error::AlertReceived(Alert::DECODE_ERROR)));
        }
    }
}

/// Feeds `bytes` to a handshake, then the end. Returns the error, and the bytes that were sent to the other
/// end.
fn feed(bytes: &[u8], ends: bool, as_server: bool, manner: Manner) -> (io::Error, Vec<u8>) {
    let Configs { client, server } = configs(VERSIONS[1], false);
    let (mut end, far_end) = duplex(manner, Manner::Whole);
    {
        let mut wire = end.input.borrow_mut();
        wire.bytes.extend(bytes);
        wire.ended = ends;
    }
    let error = if as_server {
        fail(ServerHandshake::new(server).unwrap(), &mut end, &far_end)
    } else {
        fail(ClientHandshake::new(client, server_name()).unwrap(), &mut end, &far_end)
    };
    let sent = far_end.input.borrow().bytes.iter().copied().collect();
    (error, sent)
}

fn fail<Role>(mut handshake: Handshake<Role>, end: &mut End, far_end: &End) -> io::Error {
    let error = persist(|| until_stuck(TlsStream::handshake(&mut handshake, end), far_end)).unwrap_err();
    // Every call returns the same error and sends more of the alert.
    while !handshake.pending().is_empty() {
        TlsStream::handshake(&mut handshake, end).unwrap_err();
    }
    error
}

/// Turns `WouldBlock` into success if everything was read: the handshake would wait for ever.
fn until_stuck(result: io::Result<()>, far_end: &End) -> io::Result<()> {
    match result {
        Err(error)
            if is_temporary(&error)
                && far_end.output.borrow().bytes.is_empty()
                && !far_end.output.borrow().ended =>
        {
            Err(io::Error::other("waits for more"))
        }
        result => result,
    }
}

#[test]
fn what_is_not_tls_is_refused_at_once() {
    for garbage in [
        &b"GET / HTTP/1.0\r\n\r\n"[..],
        b"SSH-2.0-OpenSSH_9\r\n",
        b"\x80\x2e\x01\x00\x02",
        &[0xff; 40],
        &[0; 5],
    ] {
        for as_server in [true, false] {
            for manner in MANNERS {
                let (error, sent) = feed(garbage, false, as_server, manner());
                assert_eq!(error.kind(), ErrorKind::InvalidData, "{garbage:?} {as_server}: {error}");
                // The client has sent its hello before.
                let alert = sent.last_chunk::<7>().map(|alert| &alert[..6]);
                assert_eq!(
                    alert,
                    Some(&[21, 3, 3, 0, 2, 2][..]),
                    "{garbage:?} {as_server}: no alert in {sent:?}, {error}"
                );
            }
        }
    }
}

#[test]
fn random_bytes_are_refused() {
    let mut random = Random::new(1);
    for _ in 0..300 {
        let len = random.below(2000);
        let mut bytes = random.bytes(len);
        if random.below(2) == 0 && bytes.len() > 5 {
            // With the header of a handshake record.
            let length = ((bytes.len() - 5) as u16).to_be_bytes();
            bytes[..5].copy_from_slice(&[22, 3, 1, length[0], length[1]]);
        }
        let as_server = random.below(2) == 0;
        let (error, _) = feed(&bytes, true, as_server, Manner::Whole);
        assert!(
            matches!(
                error.kind(),
                ErrorKind::InvalidData | ErrorKind::UnexpectedEof | ErrorKind::ConnectionAborted
            ),
            "{error}"
        );
    }
}

#[test]
fn a_handshake_cut_anywhere_is_truncated() {
    let (mut end, far_end) = duplex(Manner::Whole, Manner::Whole);
    let mut handshake = ClientHandshake::new(configs(VERSIONS[1], false).client, server_name()).unwrap();
    assert!(is_temporary(&TlsStream::handshake(&mut handshake, &mut end).unwrap_err()));
    let hello: Vec<u8> = far_end.input.borrow_mut().bytes.drain(..).collect();
    for len in 0..=hello.len() {
        let (error, _) = feed(&hello[..len], true, true, Manner::Whole);
        assert_eq!(
            (error.kind(), Error::of(&error)),
            (ErrorKind::UnexpectedEof, Some(&Error::Truncated)),
            "{len}"
        );
    }
    let (error, _) = feed(&[], true, false, Manner::Whole);
    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
}

#[test]
fn an_unknown_authority_is_refused_with_an_alert() {
    for version in VERSIONS {
        let configs =
            Configs { client: long_chain(1, &configs(version, false)).client, ..configs(version, false) };
        let (client, server) = connect(&configs, Manner::halting);
        assert_eq!(client.unwrap_err().kind(), ErrorKind::InvalidData);
        let server = server.unwrap_err();
        assert_eq!(Error::of(&server), Some(&Error::AlertReceived(Alert::UNKNOWN_CA)));
        assert_eq!(server.kind(), ErrorKind::ConnectionAborted);
    }
}

#[test]
fn only_a_handshake_that_is_done_is_handed_over() {
    let handshake = ClientHandshake::new(configs(VERSIONS[1], false).client, server_name()).unwrap();
    assert_eq!(format!("{handshake:?}"), "Handshake { outcome: None, .. }");
    assert_eq!(handshake.finish().unwrap_err(), Error::Unsupported("the handshake is not complete"));

    // Its last flight waits to be sent.
    let Configs { client, server } = configs(VERSIONS[1], false);
    let mut client = ClientHandshake::new(client, server_name()).unwrap();
    let mut server = ServerHandshake::new(server).unwrap();
    client.process().unwrap();
    crate::feed(&mut server, &take(&mut client)).unwrap();
    assert_eq!(crate::feed(&mut client, server.pending()), Ok(Progress::Complete));
    assert_eq!(client.finish().unwrap_err(), Error::Unsupported("the handshake is not complete"));
}

/// A message that could be valid, in records whose headers take more than the room for it.
#[test]
fn a_message_of_tiny_records_is_refused_when_its_room_is_full() {
    let message = [1, 0, 0xff, 0xff].into_iter().chain([0; 0xffff]);
    let records: Vec<u8> = message.flat_map(|byte| [22, 3, 3, 0, 1, byte]).collect();
    let (error, sent) = feed(&records, false, true, Manner::Whole);
    let too_large = rustls::InvalidMessage::HandshakePayloadTooLarge.into();
    assert_eq!(Error::of(&error), Some(&Error::Handshake(too_large)));
    assert_eq!(sent, [21, 3, 3, 0, 2, 2, Alert::DECODE_ERROR.0]);
}

/// A transport that takes no bytes and returns no error.
#[test]
fn a_transport_that_writes_nothing() {
    #[derive(Debug)]
    struct Full;
    impl io::Read for Full {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(ErrorKind::WouldBlock.into())
        }
    }
    impl io::Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Ok(0)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let error = TlsStream::connect(configs(VERSIONS[1], false).client, server_name(), Full).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WriteZero);
}
