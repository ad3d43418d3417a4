//! Records that a handshake refuses before rustls sees them, and alerts that rustls does not send.

use crate::hazards::{Keys, Secrets};
use crate::outcomes::with_groups;
use crate::{CREDENTIALS, MANNERS, VERSIONS, configs, connected, feed, take};
use keylane_tls::record::{ContentType, Version};
use keylane_tls::{Acceptor, Alert, ClientHandshake, Error, Handshake, Progress, ServerHandshake};
use keylane_tls_checks::certificates::{Configs, server_name};
use keylane_tls_checks::fuzz::records;
use keylane_tls_checks::terms::{CIPHERS, Key, Terms};
use rustls::crypto::ring;
use std::sync::Arc;

const MAX: usize = 1 << 14;
const CHANGE_CIPHER_SPEC: [u8; 6] = [20, 3, 3, 0, 1, 1];

fn header(kind: u8, len: usize) -> [u8; 5] {
    [kind, 3, 3, (len >> 8) as u8, len as u8]
}

fn plain(alert: Alert) -> Vec<u8> {
    vec![21, 3, 3, 0, 2, 2, alert.0]
}

/// Headers that are enough to refuse a record of an end that protects nothing yet.
fn refused() -> impl Iterator<Item = ([u8; 5], Alert)> {
    let unknown = [0, 19, 24, 99, 255].map(|kind| (header(kind, 100), Alert::UNEXPECTED_MESSAGE));
    let too_long = [20, 21, 22, 23].into_iter().flat_map(|kind| {
        let longest = if kind == 23 { MAX + 256 } else { MAX };
        [longest + 1, MAX + 2049, 0xffff].map(|len| (header(kind, len), Alert::RECORD_OVERFLOW))
    });
    unknown.into_iter().chain(too_long)
}

/// Another record within a message, whose beginning has the type `message`.
fn interleaved(message: u8) -> impl Iterator<Item = Vec<u8>> {
    let others = [&[23, 3, 3, 0, 1, 0][..], &[21, 3, 3, 0, 2, 1, 90], &CHANGE_CIPHER_SPEC];
    others.map(|other| [&[22, 3, 3, 0, 4, message, 0, 1, 0], other].concat()).into_iter()
}

/// Returns both ends, of which the server has read the client's first message.
fn greeted(configs: &Configs) -> (ClientHandshake, ServerHandshake) {
    let mut client = ClientHandshake::new(configs.client.clone(), server_name()).unwrap();
    let mut server = ServerHandshake::new(configs.server.clone()).unwrap();
    client.process().unwrap();
    feed(&mut server, &take(&mut client)).unwrap();
    (client, server)
}

/// Returns what a handshake sends when it refuses `bytes`.
fn answer<Role>(handshake: &mut Handshake<Role>, bytes: &[u8]) -> Vec<u8> {
    assert_eq!(handshake.process(), Ok(Progress::NeedsInput));
    take(handshake);
    let error = feed(handshake, bytes).unwrap_err();
    assert!(matches!(error, Error::Handshake(_)), "{error}");
    assert_eq!(handshake.process(), Err(error));
    take(handshake)
}

#[test]
fn the_first_record_is_refused_by_its_header() {
    for version in VERSIONS {
        let Configs { client, server } = configs(version, false);
        let client = || ClientHandshake::new(client.clone(), server_name()).unwrap();
        let server = || ServerHandshake::new(server.clone()).unwrap();
        for (header, alert) in refused() {
            assert_eq!(answer(&mut client(), &header), plain(alert), "{header:?}");
            assert_eq!(answer(&mut server(), &header), plain(alert), "{header:?}");
        }
        for longest in [header(20, MAX), header(22, MAX), header(23, MAX + 256)] {
            assert_eq!(feed(&mut client(), &longest), Ok(Progress::NeedsInput));
            assert_eq!(feed(&mut server(), &longest), Ok(Progress::NeedsInput));
        }
        for bytes in interleaved(2) {
            assert_eq!(answer(&mut client(), &bytes), plain(Alert::UNEXPECTED_MESSAGE));
        }
        for bytes in interleaved(1) {
            assert_eq!(answer(&mut server(), &bytes), plain(Alert::UNEXPECTED_MESSAGE));
        }
    }
}

#[test]
fn an_acceptor_refuses_the_same() {
    let refused = refused().map(|(header, alert)| (header.to_vec(), alert));
    for (bytes, alert) in refused.chain(interleaved(1).map(|bytes| (bytes, Alert::UNEXPECTED_MESSAGE))) {
        let mut acceptor = Acceptor::default();
        acceptor.space()[..bytes.len()].copy_from_slice(&bytes);
        acceptor.filled(bytes.len());
        let error = acceptor.process().unwrap_err();
        assert!(matches!(error, Error::Handshake(_)), "{error}");
        assert_eq!(acceptor.pending(), plain(alert), "{bytes:?}");
        acceptor.sent(3);
        assert_eq!(acceptor.pending(), &plain(alert)[3..]);
    }
}

/// Headers that TLS 1.3 refuses when it has keys, and the alerts.
const SEALED: [([u8; 5], Alert); 4] = [
    ([99, 3, 3, 0, 100], Alert::UNEXPECTED_MESSAGE),
    ([23, 3, 3, 0x41, 1], Alert::RECORD_OVERFLOW),
    ([23, 3, 3, 0xff, 0xff], Alert::RECORD_OVERFLOW),
    ([22, 3, 3, 0x40, 1], Alert::RECORD_OVERFLOW),
];

#[test]
fn tls13_protects_the_alert() {
    for cipher in CIPHERS {
        for provider in [ring::default_provider(), keylane_tls::provider()] {
            let terms = Terms { version: Version::Tls13, cipher, key: Key::EcdsaP256 };
            let configs = CREDENTIALS.configs(provider, &terms, false).unwrap();
            for (header, alert) in SEALED {
                let (mut client, mut server) = greeted(&configs);
                let flight = take(&mut server);
                assert_eq!(feed(&mut client, &flight), Ok(Progress::Complete));
                take(&mut client);
                let answer = answer(&mut server, &header);
                let mut session = client.finish().unwrap().0;
                session.receiver.space()[..answer.len()].copy_from_slice(&answer);
                session.receiver.filled(answer.len());
                assert_eq!(session.receiver.process(), Err(Error::AlertReceived(alert)));

                // After the ServerHello, and a ChangeCipherSpec that changes nothing.
                let (mut client, mut server) = greeted(&configs);
                let flight = take(&mut server);
                let hello = records(&flight).unwrap()[0];
                let answer = self::answer(&mut client, &[hello, &CHANGE_CIPHER_SPEC, &header].concat());
                let records = records(&answer).unwrap();
                let error = feed(&mut server, records.last().unwrap()).unwrap_err();
                assert_eq!(error, Error::AlertReceived(alert));
            }
        }
    }
}

/// Another record within a message, under the keys of the handshake.
#[test]
fn tls13_protects_the_alert_for_what_is_interleaved() {
    let mut configs = configs(Version::Tls13, false);
    let secrets = Arc::new(Secrets::default());
    Arc::make_mut(&mut configs.client).key_log = secrets.clone();
    Arc::make_mut(&mut configs.server).key_log = secrets.clone();
    let keys = |label| Keys::tls13(secrets.named(label).unwrap());
    for content in [ContentType::ApplicationData, ContentType::Alert] {
        let (mut client, mut server) = greeted(&configs);
        let flight = take(&mut server);
        let hello = records(&flight).unwrap()[0];
        let unexpected = (ContentType::Alert, vec![2, Alert::UNEXPECTED_MESSAGE.0]);
        let bad = |mut keys: Keys| {
            let half = keys.seal(ContentType::Handshake, &[20, 0, 0]);
            [half, keys.seal(content, &[1, 90])].concat()
        };
        let sent = answer(&mut server, &bad(keys("CLIENT_HANDSHAKE_TRAFFIC_SECRET")));
        assert_eq!(keys("SERVER_TRAFFIC_SECRET_0").open(&sent), unexpected);

        let bad = [hello, &bad(keys("SERVER_HANDSHAKE_TRAFFIC_SECRET"))].concat();
        let sent = answer(&mut client, &bad);
        let sent = records(&sent).unwrap();
        assert_eq!(keys("CLIENT_HANDSHAKE_TRAFFIC_SECRET").open(sent.last().unwrap()), unexpected);
    }
}

/// Returns ends of which the client has sent all of its part, and what the server has not received.
fn waiting_for_tls12() -> (ClientHandshake, ServerHandshake, Vec<u8>) {
    let (mut client, mut server) = greeted(&configs(Version::Tls12, false));
    feed(&mut client, &take(&mut server)).unwrap();
    let flight = take(&mut client);
    (client, server, flight)
}

#[test]
fn tls12_allows_more_after_the_change_of_ciphers() {
    for (len, refused) in [(MAX + 2048, false), (MAX + 2049, true), (0xffff, true)] {
        let (_, mut server, flight) = waiting_for_tls12();
        let mut flight = records(&flight).unwrap();
        assert_eq!(flight.pop().unwrap()[0], 22);
        assert_eq!(flight.last(), Some(&&CHANGE_CIPHER_SPEC[..]));
        let header = header(22, len);
        let bytes = [&flight.concat()[..], &header].concat();
        if refused {
            assert_eq!(answer(&mut server, &bytes), plain(Alert::RECORD_OVERFLOW));
        } else {
            assert_eq!(feed(&mut server, &bytes), Ok(Progress::NeedsInput));
        }
    }
    // The client has changed its own, and its alert is rustls': with a nonce and a tag.
    for bytes in [header(99, 100), header(22, MAX + 1), header(22, MAX + 2049), header(22, 0xffff)] {
        let answer = answer(&mut waiting_for_tls12().0, &bytes);
        assert_eq!(answer.first_chunk(), Some(&header(21, 8 + 2 + 16)), "{bytes:?}");
    }
}

const SERVER_NAME: u16 = 0;
const GROUPS: u16 = 10;
const SIGNATURES: u16 = 13;
const PRE_SHARED_KEY: u16 = 41;
const MODES: u16 = 45;
const KEY_SHARE: u16 = 51;

/// An extension of a ClientHello: its type and contents.
type Extension = (u16, Vec<u8>);
type Edit = Box<dyn Fn(&mut Vec<Extension>)>;

/// Changes the extensions of a ClientHello that is in one record.
fn edited(hello: &[u8], edit: &dyn Fn(&mut Vec<Extension>)) -> Vec<u8> {
    let number = |bytes: &[u8]| bytes.iter().fold(0, |number, &byte| number << 8 | usize::from(byte));
    let mut at = 5 + 4 + 2 + 32;
    for len_bytes in [1, 2, 1] {
        at += len_bytes + number(&hello[at..][..len_bytes]);
    }
    let (before, mut rest) = (&hello[9..at], &hello[at + 2..]);
    let mut extensions = Vec::new();
    while !rest.is_empty() {
        let (head, after) = rest.split_at(4);
        let (contents, after) = after.split_at(number(&head[2..]));
        extensions.push((number(&head[..2]) as u16, contents.to_vec()));
        rest = after;
    }
    edit(&mut extensions);
    let vector = |bytes: &[u8]| [&(bytes.len() as u16).to_be_bytes(), bytes].concat();
    let parts =
        extensions.iter().map(|(kind, contents)| [&kind.to_be_bytes(), &vector(contents)[..]].concat());
    let body = [before, &vector(&parts.collect::<Vec<_>>().concat())].concat();
    let message = [&[1, 0], &vector(&body)[..]].concat();
    [&[22, 3, 1], &vector(&message)[..]].concat()
}

fn without(kinds: &'static [u16]) -> Edit {
    Box::new(|extensions| extensions.retain(|(kind, _)| !kinds.contains(kind)))
}

/// RFC 8446 §4.2, §4.2.11 and §9.2, however the server begins. TLS 1.2 knows no such alert.
#[test]
fn a_first_message_without_its_extensions_gets_the_standard_s_alert() {
    let twice =
        |at: usize| -> Edit { Box::new(move |extensions| extensions.insert(0, extensions[at].clone())) };
    let mut cases: Vec<(bool, Version, Edit, Alert)> = Vec::new();
    for resumes in [false, true] {
        for kinds in [&[KEY_SHARE][..], &[GROUPS], &[GROUPS, KEY_SHARE], &[SIGNATURES], &[SIGNATURES, GROUPS]]
        {
            cases.push((resumes, Version::Tls13, without(kinds), Alert::MISSING_EXTENSION));
        }
        for version in VERSIONS {
            cases.extend((0..6).map(|at| (resumes, version, twice(at), Alert::ILLEGAL_PARAMETER)));
        }
    }
    cases.push((true, Version::Tls13, without(&[MODES]), Alert::MISSING_EXTENSION));
    let not_last: Edit = Box::new(|extensions| extensions.rotate_right(1));
    cases.push((true, Version::Tls13, not_last, Alert::ILLEGAL_PARAMETER));
    let unknown_last: Edit = Box::new(|extensions| extensions.push((0xabcd, vec![])));
    cases.push((true, Version::Tls13, unknown_last, Alert::ILLEGAL_PARAMETER));
    for kinds in [&[GROUPS][..], &[SIGNATURES]] {
        cases.push((false, Version::Tls12, without(kinds), Alert::HANDSHAKE_FAILURE));
    }
    let hello = |client: &Arc<rustls::ClientConfig>| {
        let mut client = ClientHandshake::new(client.clone(), server_name()).unwrap();
        client.process().unwrap();
        take(&mut client)
    };
    let all = VERSIONS.map(|version| {
        let configs = configs(version, true);
        let first = hello(&configs.client);
        connected(&configs, MANNERS[0]);
        let second = hello(&configs.client);
        edited(&second, &|extensions| {
            let last = extensions.last().unwrap().0;
            assert_eq!(last == PRE_SHARED_KEY, version == Version::Tls13);
        });
        (configs.server, [first, second])
    });
    for (number, (resumes, version, edit, alert)) in cases.iter().enumerate() {
        let (server, hellos) = &all[usize::from(*version == Version::Tls13)];
        let hello = &hellos[usize::from(*resumes)];
        let hello = edited(hello, &**edit);
        let mut handshake = ServerHandshake::new(server.clone()).unwrap();
        assert_eq!(answer(&mut handshake, &hello), plain(*alert), "{number}");
        let mut acceptor = Acceptor::default();
        acceptor.space()[..hello.len()].copy_from_slice(&hello);
        acceptor.filled(hello.len());
        match acceptor.process() {
            Ok(accepted) => {
                let mut handshake = accepted.unwrap().into_handshake(server.clone()).unwrap();
                handshake.process().unwrap_err();
                assert_eq!(handshake.pending(), plain(*alert), "{number}");
            }
            Err(_) => assert_eq!(acceptor.pending(), plain(*alert), "{number}"),
        }
    }
}

#[test]
fn a_message_after_a_retry_needs_its_extensions_as_well() {
    let cases: [(Edit, Alert); 4] = [
        (without(&[GROUPS]), Alert::MISSING_EXTENSION),
        (without(&[SIGNATURES]), Alert::MISSING_EXTENSION),
        (without(&[KEY_SHARE]), Alert::MISSING_EXTENSION),
        (without(&[SERVER_NAME]), Alert::ILLEGAL_PARAMETER),
    ];
    for (edit, alert) in cases {
        let (mut client, mut server) = greeted(&with_groups(false));
        feed(&mut client, &take(&mut server)).unwrap();
        let flight = take(&mut client);
        let [_, hello] = records(&flight).unwrap()[..] else { panic!("not CCS and ClientHello") };
        assert_eq!(answer(&mut server, &edited(hello, &*edit)), plain(alert));
    }
}
