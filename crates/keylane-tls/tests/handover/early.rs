//! Early data: accepted, rejected, too much, replayed, forged, answered.

use crate::hazards::{Keys, Secrets};
use crate::outcomes::with_groups;
use crate::support::{End, Manner, duplex, persist, shake_hands};
use crate::{CREDENTIALS, MANNERS, Outcome, configs, feed, send, take};
use keylane_tls::record::ContentType;
use keylane_tls::{
    Acceptor, Alert, ClientHandshake, EarlyData, Error, Handshake, Progress, ServerHandshake, TlsStream,
};
use keylane_tls_checks::certificates::{Configs, server_name};
use keylane_tls_checks::fuzz::records;
use keylane_tls_checks::memory;
use keylane_tls_checks::terms::{Cipher, Key, Terms, Version};
use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::server::{NoServerSessionStorage, ServerSessionMemoryCache};
use rustls::{ClientConnection, ServerConnection};
use std::io::{Read, Write};
use std::sync::Arc;
use std::thread;

/// What tickets allow.
const LIMIT: u32 = 40_000;

/// Configurations that resume sessions which the server has stored.
fn stateful(version: Version) -> Configs {
    remembering(configs(version, false))
}

fn remembering(Configs { mut client, mut server }: Configs) -> Configs {
    Arc::make_mut(&mut client).resumption = Resumption::in_memory_sessions(8);
    let own = Arc::make_mut(&mut server);
    own.session_storage = ServerSessionMemoryCache::new(8);
    own.send_tls13_tickets = 4;
    Configs { client, server }
}

/// Both ends, with early data, and their configurations without.
struct Ends {
    client: Arc<rustls::ClientConfig>,
    server: Arc<rustls::ServerConfig>,
    configs: Configs,
}

type Streams = (TlsStream<End>, TlsStream<End>);

impl Ends {
    /// After a first connection, which had no early data to offer.
    fn acquainted(version: Version) -> Self {
        Self::acquainted_with(stateful(version))
    }

    fn acquainted_with(configs: Configs) -> Self {
        let Configs { client, server } = configs.clone().with_early_data(LIMIT);
        let ends = Self { client, server, configs };
        let (taken, (mut client, mut server)) = ends.connect(b"early", || Manner::Whole);
        assert_eq!(taken, 0);
        assert_eq!(client.info().early_data(), EarlyData::None);
        assert_eq!(server.info().early_data(), EarlyData::None);
        // Takes the tickets.
        send(&mut server, &mut client, b"data");
        ends
    }

    /// Lets the server forget the session, as after a restart.
    fn forget(&mut self, limit: u32) {
        let config = Arc::make_mut(&mut self.server);
        config.session_storage = ServerSessionMemoryCache::new(8);
        config.max_early_data_size = limit;
    }

    fn begin(&self, early: &[u8]) -> (ClientHandshake, usize) {
        let mut client = ClientHandshake::new(self.client.clone(), server_name()).unwrap();
        let taken = client.write_early_data(early).unwrap();
        (client, taken)
    }

    /// Returns how much early data the client could send, and both streams.
    fn connect(&self, early: &[u8], manner: fn() -> Manner) -> (usize, Streams) {
        let (client, taken) = self.begin(early);
        let server = ServerHandshake::new(self.server.clone()).unwrap();
        let (a, b) = duplex(manner(), manner());
        let (client, server) = shake_hands((client, a), (server, b));
        (taken, (client.unwrap(), server.unwrap()))
    }

    /// The client's first flight, with early data.
    fn flight(&self, early: &[u8]) -> Vec<u8> {
        let (mut client, taken) = self.begin(early);
        assert_eq!(taken, early.len());
        assert_eq!(client.process().unwrap(), Progress::NeedsInput);
        client.pending().to_vec()
    }
}

/// Feeds bytes to a server that has the same configuration.
fn serve(ends: &Ends, bytes: &[u8]) -> (ServerHandshake, Result<Progress, Error>) {
    let mut server = ServerHandshake::new(ends.server.clone()).unwrap();
    let result = feed(&mut server, bytes);
    (server, result)
}

/// Completes two handshakes over a transport that takes all bytes at once.
fn complete(client: ClientHandshake, server: ServerHandshake) -> Streams {
    let (a, b) = duplex(Manner::Whole, Manner::Whole);
    let (client, server) = shake_hands((client, a), (server, b));
    (client.unwrap(), server.unwrap())
}

/// Carries up to `len` of the pending bytes to the other end.
fn carry<A, B>(from: &mut Handshake<A>, to: &mut Handshake<B>, len: usize) {
    let space = to.space();
    let len = len.min(from.pending().len()).min(space.len());
    space[..len].copy_from_slice(&from.pending()[..len]);
    to.filled(len);
    from.sent(len);
}

#[test]
fn early_data_arrives_and_the_connection_goes_on() {
    for manner in MANNERS {
        let ends = Ends::acquainted(Version::Tls13);
        for len in [1, 5000, LIMIT as usize] {
            let early = vec![7; len];
            let (taken, (mut client, mut server)) = ends.connect(&early, manner);
            assert_eq!(taken, len);
            assert_eq!(client.info().early_data(), EarlyData::Accepted);
            assert_eq!(server.info().early_data(), EarlyData::Accepted);
            assert!(server.info().received_early_data() == early && server.info().resumed());
            assert!(client.info().received_early_data().is_empty());
            send(&mut client, &mut server, b"more");
            send(&mut server, &mut client, b"and back");
            let label = b"EXPORTER-test";
            assert_eq!(
                client.info().export_keying_material([0; 32], label, None),
                server.info().export_keying_material([0; 32], label, None)
            );
        }
    }
}

#[test]
fn an_offer_without_data_is_accepted() {
    let ends = Ends::acquainted(Version::Tls13);
    let (_, (client, server)) = ends.connect(&[], || Manner::Whole);
    assert_eq!(client.info().early_data(), EarlyData::Accepted);
    assert_eq!(server.info().early_data(), EarlyData::Accepted);
    assert!(server.info().resumed());
}

#[test]
fn a_ticket_limits_early_data() {
    let ends = Ends::acquainted(Version::Tls13);
    let mut client = ClientHandshake::new(ends.client.clone(), server_name()).unwrap();
    let data = vec![7; LIMIT as usize];
    assert_eq!(client.write_early_data(&[]).unwrap(), 0);
    assert_eq!(client.write_early_data(&data[..20_000]).unwrap(), 20_000);
    assert_eq!(client.write_early_data(&data).unwrap(), 20_000);
    assert_eq!(client.write_early_data(&data).unwrap(), 0);
    let (client, server) = complete(client, ServerHandshake::new(ends.server.clone()).unwrap());
    assert_eq!(client.info().early_data(), EarlyData::Accepted);
    assert!(server.info().received_early_data() == data);
}

#[test]
fn there_is_none_without_leave() {
    // TLS 1.2 has none. A client whose configuration has none sends none, and such a server takes none.
    let (taken, (client, _)) = Ends::acquainted(Version::Tls12).connect(b"early", || Manner::Whole);
    assert_eq!((taken, client.info().early_data()), (0, EarlyData::None));
    let mut ends = Ends::acquainted(Version::Tls13);
    let eager = std::mem::replace(&mut ends.client, ends.configs.client.clone());
    let (taken, (client, _)) = ends.connect(b"early", || Manner::Whole);
    assert_eq!((taken, client.info().early_data()), (0, EarlyData::None));
    assert!(client.info().resumed());
    ends.client = eager;
    ends.server = ends.configs.server.clone();
    let (taken, (client, server)) = ends.connect(b"early", || Manner::Whole);
    assert_eq!((taken, client.info().early_data()), (5, EarlyData::Rejected));
    assert_eq!(server.info().early_data(), EarlyData::Rejected);
}

/// A client sends early data until the server has finished or rejected it, whatever it has received by then.
#[test]
fn early_data_is_sent_while_the_server_answers() {
    for forgotten in [false, true] {
        let mut configs = stateful(Version::Tls13);
        // Messages of the server's are spread over several records.
        Arc::make_mut(&mut configs.server).max_fragment_size = Some(64);
        let mut ends = Ends::acquainted_with(configs);
        if forgotten {
            ends.forget(LIMIT);
        }
        let (mut client, mut sent) = ends.begin(b"first");
        assert_eq!(client.process().unwrap(), Progress::NeedsInput);
        sent += client.write_early_data(b", then more").unwrap();
        assert_eq!(sent, 16);
        let mut server = ServerHandshake::new(ends.server.clone()).unwrap();
        carry(&mut client, &mut server, usize::MAX);
        server.process().unwrap();
        let mut late = 0;
        while client.process().unwrap() == Progress::NeedsInput {
            late += client.write_early_data(b"!").unwrap();
            carry(&mut server, &mut client, 8);
        }
        assert_eq!(client.write_early_data(b"too late").unwrap(), 0);
        assert!(late > 10, "{late}");
        let (mut client, mut server) = complete(client, server);
        let expected = if forgotten { EarlyData::Rejected } else { EarlyData::Accepted };
        assert_eq!((client.info().early_data(), server.info().early_data()), (expected, expected));
        let received = server.info().received_early_data();
        assert!(if forgotten { received.is_empty() } else { received.len() == sent + late });
        assert!(forgotten || received.starts_with(b"first, then more!!!"));
        send(&mut client, &mut server, b"more");
        send(&mut server, &mut client, b"and back");
    }
}

#[test]
fn what_is_rejected_is_skipped() {
    for manner in MANNERS {
        for early in [&[7; 3000][..], &[7; 8000]] {
            let mut ends = Ends::acquainted(Version::Tls13);
            ends.forget(LIMIT);
            let (taken, (mut client, mut server)) = ends.connect(early, manner);
            assert_eq!(taken, early.len());
            assert_eq!(client.info().early_data(), EarlyData::Rejected);
            assert_eq!(server.info().early_data(), EarlyData::Rejected);
            assert!(server.info().received_early_data().is_empty() && !server.info().resumed());
            send(&mut client, &mut server, b"once more");
        }
    }
}

/// Completes a handshake whose early data, in `count` records of `len` bytes each and of `padding`, is
/// rejected.
fn reject(
    ends: &Ends,
    (count, len, padding): (usize, usize, usize),
    by_acceptor: bool,
    manner: fn() -> Manner,
) -> [Outcome; 2] {
    let mut client = ClientHandshake::new(ends.client.clone(), server_name()).unwrap();
    for _ in 0..count {
        assert_eq!(client.write_early_data(&vec![7; len]).unwrap(), len);
    }
    assert_eq!(client.process().unwrap(), Progress::NeedsInput);
    let flight = take(&mut client);
    let flight = records(&flight).unwrap();
    let (a, mut b) = duplex(manner(), manner());
    for (place, record) in flight.iter().enumerate() {
        let mut record = record.to_vec();
        if record[0] == 23 {
            // What cannot be opened may as well be longer.
            record.resize(record.len() + padding, 0);
            let len = (record.len() - 5) as u16;
            record[3..5].copy_from_slice(&len.to_be_bytes());
        }
        a.output.borrow_mut().bytes.extend(record);
        if place == flight.len() / 2 {
            // The second of two that are allowed.
            a.output.borrow_mut().bytes.extend([20, 3, 3, 0, 1, 1]);
        }
    }
    let server = if by_acceptor {
        let mut acceptor = Acceptor::default();
        let accepted = persist(|| TlsStream::read_client_hello(&mut acceptor, &mut b)).unwrap();
        accepted.into_handshake(ends.server.clone()).unwrap()
    } else {
        ServerHandshake::new(ends.server.clone()).unwrap()
    };
    let (client, server) = shake_hands((client, a), (server, b));
    [client, server]
}

/// Returns ends of which the server has forgotten the client, with another library's ciphers or Keylane's.
fn forgotten(other: bool, limit: u32) -> Ends {
    let terms = Terms { version: Version::Tls13, cipher: Cipher::Aes256Gcm, key: Key::EcdsaP256 };
    let provider = if other { ring::default_provider() } else { keylane_tls::provider() };
    let mut ends = Ends::acquainted_with(remembering(CREDENTIALS.configs(provider, &terms, false).unwrap()));
    ends.forget(limit);
    ends
}

/// Returns ends of which the server asks for another key share.
fn retrying(limit: u32) -> Ends {
    let mut ends = Ends::acquainted_with(remembering(with_groups(true)));
    ends.server = with_groups(false).server;
    ends.forget(limit);
    ends
}

/// All that the limit allows, in any records. The server rejects it for any reason, whatever it knows of
/// limits.
#[test]
fn a_client_may_send_all_that_it_is_allowed_to_a_server_that_rejects_it() {
    let resumed = || {
        let mut ends = Ends::acquainted(Version::Tls13);
        Arc::make_mut(&mut ends.server).max_early_data_size = 0;
        ends
    };
    let without_sessions = || {
        let mut ends = forgotten(false, 1000);
        Arc::make_mut(&mut ends.server).session_storage = Arc::new(NoServerSessionStorage {});
        ends
    };
    let ways: [(bool, &dyn Fn() -> Ends); 6] = [
        (false, &|| forgotten(false, 1000)),
        (false, &|| forgotten(true, 1000)),
        (false, &|| forgotten(false, 0)),
        (false, &without_sessions),
        (false, &|| retrying(1000)),
        (true, &resumed),
    ];
    for (resumes, way) in ways {
        for records in [(1, 1000, 0), (1, 984, 0), (10, 100, 0), (1000, 1, 0), (1000, 1, 255), (1, 1, 16_384)]
        {
            for (by_acceptor, manner) in [(false, MANNERS[0]), (true, MANNERS[0]), (false, MANNERS[1])] {
                let [client, server] = reject(&way(), records, by_acceptor, manner);
                let (mut client, mut server) = (client.unwrap(), server.unwrap());
                assert_eq!(client.info().early_data(), EarlyData::Rejected);
                assert_eq!(server.info().early_data(), EarlyData::Rejected);
                assert!(server.info().received_early_data().is_empty());
                assert_eq!(server.info().resumed(), resumes);
                send(&mut client, &mut server, b"once more");
                send(&mut server, &mut client, b"and back");
            }
        }
    }
    for ends in [forgotten(false, LIMIT), forgotten(false, 0), retrying(LIMIT)] {
        let [client, server] = reject(&ends, (1, LIMIT as usize, 0), false, MANNERS[0]);
        send(&mut client.unwrap(), &mut server.unwrap(), b"once more");
    }
}

/// Each record may hold a byte, and a few none.
#[test]
fn too_much_rejected_data_ends_the_handshake() {
    for ends in [forgotten(false, 1000), forgotten(true, 1000), retrying(1000), forgotten(false, 0)] {
        let limit = if ends.server.max_early_data_size == 0 { 16 << 10 } else { 1000 };
        let [client, server] = reject(&ends, (limit + 32, 1, 0), false, MANNERS[0]);
        send(&mut client.unwrap(), &mut server.unwrap(), b"once more");
        for manner in &MANNERS[..if limit == 1000 { 2 } else { 1 }] {
            let [client, server] = reject(&ends, (limit + 33, 1, 0), false, *manner);
            let error = Error::of(&server.unwrap_err()).unwrap().clone();
            let expected = rustls::PeerMisbehaved::TooMuchEarlyDataReceived;
            assert_eq!(error, Error::Handshake(expected.into()));
            // If the server has keys, the client's own part was done before.
            let error = client.and_then(|mut client| persist(|| client.read(&mut [0]))).unwrap_err();
            assert_eq!(Error::of(&error), Some(&Error::AlertReceived(Alert::UNEXPECTED_MESSAGE)));
        }
    }
}

/// Makes what a client must not send.
type Bad = fn(&Keys) -> Vec<u8>;

/// RFC 8446 §5.2: what cannot be opened once the data has ended is not data, whatever was skipped before. Nor
/// is what has no type.
#[test]
fn what_comes_after_rejected_data_must_be_a_record() {
    let bad_record_mac = |_: &Keys| [&[23, 3, 3, 0, 100][..], &[0; 100]].concat();
    let padding = |keys: &Keys| keys.seal_inner(&[0; 10]);
    let cases: [(bool, Option<usize>, Bad, Alert); 5] = [
        // Within the Finished, between messages, within the first.
        (false, Some(20), bad_record_mac, Alert::BAD_RECORD_MAC),
        (true, None, bad_record_mac, Alert::BAD_RECORD_MAC),
        (true, Some(20), bad_record_mac, Alert::BAD_RECORD_MAC),
        (false, Some(0), padding, Alert::UNEXPECTED_MESSAGE),
        (false, Some(20), padding, Alert::UNEXPECTED_MESSAGE),
    ];
    let terms = Terms { version: Version::Tls13, cipher: Cipher::Aes128Gcm, key: Key::EcdsaP256 };
    for (mutual, split, bad, alert) in cases {
        for len in [0, 100, 7000, 9000, 16_000] {
            let configs = CREDENTIALS.configs_for(keylane_tls::provider(), &terms, false, mutual).unwrap();
            let mut configs = remembering(configs);
            let secrets = Arc::new(Secrets::default());
            Arc::make_mut(&mut configs.server).key_log = secrets.clone();
            let mut ends = Ends::acquainted_with(configs);
            ends.forget(LIMIT);
            let (mut client, _) = ends.begin(&vec![7; len]);
            client.process().unwrap();
            let (mut server, result) = serve(&ends, &take(&mut client));
            assert_eq!(result, Ok(Progress::NeedsInput));
            while client.process().unwrap() == Progress::NeedsInput {
                carry(&mut server, &mut client, usize::MAX);
            }
            let keys = |label| Keys::tls13(secrets.named(label).unwrap());
            let flight = records(client.pending()).unwrap();
            let (_, text) = keys("CLIENT_HANDSHAKE_TRAFFIC_SECRET").open(flight.last().unwrap());
            let first = 4 + usize::from(u16::from_be_bytes([text[2], text[3]]));
            let split = split.unwrap_or(first);
            let mut keys_of_client = keys("CLIENT_HANDSHAKE_TRAFFIC_SECRET");
            let mut sent = Vec::new();
            if split > 0 {
                sent = keys_of_client.seal(ContentType::Handshake, &text[..split]);
            }
            sent.extend(bad(&keys_of_client));
            assert!(matches!(feed(&mut server, &sent), Err(Error::Handshake(_))));
            let heard = keys("SERVER_TRAFFIC_SECRET_0").open(server.pending());
            assert_eq!(heard, (ContentType::Alert, vec![2, alert.0]), "{mutual} {split} {len}");
        }
    }
}

/// The data ends with the client's second message.
#[test]
fn nothing_is_skipped_after_a_retry() {
    for within in [false, true] {
        let ends = retrying(1000);
        let (mut client, _) = ends.begin(b"early");
        client.process().unwrap();
        let (mut server, _) = serve(&ends, &take(&mut client));
        carry(&mut server, &mut client, usize::MAX);
        assert_eq!(client.process().unwrap(), Progress::NeedsInput);
        let mut hello = records(client.pending()).unwrap()[0].to_vec();
        if within {
            hello.truncate(50);
            hello[3..5].copy_from_slice(&[0, 45]);
        }
        let sent = [&hello[..], &[23, 3, 3, 0, 20], &[0; 20]].concat();
        let Err(Error::Handshake(error)) = feed(&mut server, &sent) else { panic!("it was skipped") };
        let expected = rustls::PeerMisbehaved::MessageInterleavedWithHandshakeMessage.into();
        assert_eq!(error, if within { expected } else { rustls::Error::DecryptError });
    }
}

/// The last piece of the client's Finished is then as long as the message that ends early data.
#[test]
fn short_records_do_not_make_rejected_data_accepted() {
    for (cipher, fragment) in [(Cipher::Aes128Gcm, 37), (Cipher::Aes256Gcm, 53)] {
        let terms = Terms { version: Version::Tls13, cipher, key: Key::EcdsaP256 };
        let mut configs = CREDENTIALS.configs(ring::default_provider(), &terms, false).unwrap();
        Arc::make_mut(&mut configs.client).max_fragment_size = Some(fragment);
        let mut ends = Ends::acquainted_with(remembering(configs));
        for (forgotten, status) in [(false, EarlyData::Accepted), (true, EarlyData::Rejected)] {
            if forgotten {
                ends.forget(LIMIT);
            }
            let (taken, (client, server)) = ends.connect(b"early", || Manner::Whole);
            assert_eq!((taken, client.info().early_data()), (5, status), "{cipher:?}");
            assert_eq!(server.info().early_data(), status);
        }
    }
}

/// A part of the message that ends early data is opened and kept, and must not be skipped.
#[test]
fn early_data_may_end_in_pieces() {
    for early in [&b""[..], b"early"] {
        let mut configs = stateful(Version::Tls13);
        let secrets = Arc::new(Secrets::default());
        Arc::make_mut(&mut configs.client).key_log = secrets.clone();
        let ends = Ends::acquainted_with(configs);
        let (mut client, _) = ends.begin(early);
        client.process().unwrap();
        let flight = take(&mut client);
        let (mut server, result) = serve(&ends, &flight);
        assert_eq!(result, Ok(Progress::NeedsInput));
        let (mut a, b) = duplex(Manner::Whole, Manner::Whole);
        b.output.borrow_mut().bytes.extend(server.pending());
        server.sent(server.pending().len());
        TlsStream::handshake(&mut client, &mut a).unwrap();

        let sent: Vec<u8> = a.output.borrow_mut().bytes.drain(..).collect();
        let [end, finished] = records(&sent).unwrap()[..] else { panic!("more than two records") };
        let mut keys = Keys::tls13(secrets.named("CLIENT_EARLY_TRAFFIC_SECRET").unwrap());
        if !early.is_empty() {
            keys.seal(ContentType::ApplicationData, early);
        }
        let pieces = [&[5, 0, 0][..], &[0]].map(|piece| keys.seal(ContentType::Handshake, piece));
        assert_eq!(end.len(), pieces[0].len() + 1);
        for piece in pieces.iter().map(Vec::as_slice).chain([finished]) {
            feed(&mut server, piece).unwrap();
        }
        assert_eq!(server.process(), Ok(Progress::Complete));
        assert_eq!(server.early_data(), early);
    }
}

#[test]
fn a_replayed_flight_is_not_read_twice() {
    let ends = Ends::acquainted(Version::Tls13);
    let flight = ends.flight(b"early");
    let (server, result) = serve(&ends, &flight);
    assert_eq!((server.early_data(), result), (&b"early"[..], Ok(Progress::NeedsInput)));
    for _ in 0..2 {
        let (server, result) = serve(&ends, &flight);
        assert_eq!((server.early_data(), result), (&[][..], Ok(Progress::NeedsInput)));
    }
}

#[test]
fn forged_and_excessive_early_data_end_the_handshake() {
    let mut ends = Ends::acquainted(Version::Tls13);
    let mut flight = ends.flight(b"early");
    *flight.last_mut().unwrap() ^= 1;
    let (server, result) = serve(&ends, &flight);
    assert!(matches!(result, Err(Error::Handshake(rustls::Error::DecryptError))), "{result:?}");
    assert!(server.early_data().is_empty() && !server.pending().is_empty());

    // The ticket allows more than the server does now.
    Arc::make_mut(&mut ends.server).max_early_data_size = 10;
    let flight = ends.flight(&[7; 11]);
    let (server, result) = serve(&ends, &flight);
    assert!(matches!(result, Err(Error::Handshake(rustls::Error::PeerMisbehaved(_)))), "{result:?}");
    assert!(server.early_data().is_empty());
}

/// The answer is sent before the client has completed the handshake, and read after that.
#[test]
fn early_data_is_answered_early() {
    let ends = Ends::acquainted(Version::Tls13);
    let (mut client, _) = ends.begin(b"question");
    assert_eq!(client.process().unwrap(), Progress::NeedsInput);
    let mut server = ServerHandshake::new(ends.server.clone()).unwrap();
    assert_eq!(server.write(b"too early").unwrap(), 0);
    assert_eq!(feed(&mut server, &take(&mut client)), Ok(Progress::NeedsInput));
    assert_eq!(server.early_data(), b"question");
    let answer = vec![9; 30_000];
    assert_eq!(server.write(&answer).unwrap(), answer.len());
    let (a, b) = duplex(Manner::halting(), Manner::halting());
    let (client, server) = shake_hands((client, a), (server, b));
    let (mut client, mut server) = (client.unwrap(), server.unwrap());
    let mut received = vec![0; answer.len()];
    let mut len = 0;
    while len < received.len() {
        len += persist(|| client.read(&mut received[len..])).unwrap();
    }
    assert!(received == answer);
    send(&mut client, &mut server, b"more");
    send(&mut server, &mut client, b"and back");
}

/// Answers are taken as long as little is pending, whatever the length of records.
#[test]
fn early_answers_end_where_much_is_pending() {
    let mut configs = stateful(Version::Tls13);
    Arc::make_mut(&mut configs.server).max_fragment_size = Some(32);
    let ends = Ends::acquainted_with(configs);
    let (mut client, _) = ends.begin(b"question");
    assert_eq!(client.process().unwrap(), Progress::NeedsInput);
    let (mut server, result) = serve(&ends, &take(&mut client));
    assert_eq!(result, Ok(Progress::NeedsInput));
    let answer = vec![9; 20_000];
    let mut taken = 0;
    while taken < 10 * answer.len() {
        match server.write(&answer).unwrap() {
            0 => break,
            len => assert_eq!(len, answer.len()),
        }
        taken += answer.len();
    }
    assert!((2 * answer.len()..10 * answer.len()).contains(&taken), "{taken} bytes");
    let (mut client, _server) = complete(client, server);
    let mut received = vec![0; taken];
    client.read_exact(&mut received).unwrap();
    assert!(received == vec![9; taken]);
}

/// A server may greet before it has heard all, whatever the client has sent.
#[test]
fn a_greeting_does_not_wait_for_the_end_of_rejected_data() {
    let mut ends = Ends::acquainted(Version::Tls13);
    ends.forget(16 << 10);
    let (mut client, _) = ends.begin(&[7; 12 << 10]);
    assert_eq!(client.process().unwrap(), Progress::NeedsInput);
    let flight = take(&mut client);
    let (mut server, result) = serve(&ends, &flight);
    assert_eq!(result, Ok(Progress::NeedsInput));
    for _ in 0..3 {
        assert_eq!(server.write(b"greeting").unwrap(), 8);
    }
    let (mut client, mut server) = complete(client, server);
    assert_eq!(client.info().early_data(), EarlyData::Rejected);
    let mut greetings = [0; 24];
    client.read_exact(&mut greetings).unwrap();
    assert_eq!(greetings[..], b"greeting".repeat(3));
    send(&mut client, &mut server, b"once more");
}

/// The alert is the record after the answers.
#[test]
fn what_is_refused_after_an_answer_is_refused_with_an_alert() {
    for forgotten in [false, true] {
        let mut ends = Ends::acquainted(Version::Tls13);
        if forgotten {
            ends.forget(LIMIT);
        }
        let (mut client, _) = ends.begin(b"question");
        client.process().unwrap();
        let (mut server, _) = serve(&ends, &take(&mut client));
        assert_eq!(server.write(&[9; 40_000]).unwrap(), 40_000);
        server.space()[..5].copy_from_slice(&[99, 3, 3, 0, 100]);
        server.filled(5);
        let (a, b) = duplex(Manner::Whole, Manner::Whole);
        let (client, server) = shake_hands((client, a), (server, b));
        let mut client = client.unwrap();
        server.unwrap_err();
        client.read_exact(&mut [0; 40_000]).unwrap();
        let error = client.read(&mut [0]).unwrap_err();
        assert_eq!(Error::of(&error), Some(&Error::AlertReceived(Alert::UNEXPECTED_MESSAGE)));
    }
}

#[test]
fn a_server_without_early_data_sends_nothing_early() {
    let Configs { client, server } = stateful(Version::Tls13);
    let mut client = ClientHandshake::new(client, server_name()).unwrap();
    client.process().unwrap();
    let mut server = ServerHandshake::new(server).unwrap();
    assert_eq!(feed(&mut server, client.pending()), Ok(Progress::NeedsInput));
    assert_eq!(server.write(b"early").unwrap(), 0);
}

#[test]
fn rustls_accepts_and_sends_early_data() {
    let Configs { client, server } = stateful(Version::Tls13).with_early_data(LIMIT);
    for round in 0..2 {
        let (a, mut b) = memory::duplex();
        let config = server.clone();
        let theirs = thread::spawn(move || {
            let mut server = ServerConnection::new(config).unwrap();
            let mut early = Vec::new();
            while server.is_handshaking() || server.wants_write() {
                server.complete_io(&mut b).unwrap();
                if let Some(mut data) = server.early_data() {
                    data.read_to_end(&mut early).unwrap();
                }
            }
            server.writer().write_all(b"x").unwrap();
            server.complete_io(&mut b).unwrap();
            early
        });
        let mut handshake = ClientHandshake::new(client.clone(), server_name()).unwrap();
        let sent = handshake.write_early_data(b"early").unwrap();
        let mut stream = TlsStream::complete(handshake, a).unwrap();
        stream.read_exact(&mut [0]).unwrap();
        let (len, status) = if round == 0 { (0, EarlyData::None) } else { (5, EarlyData::Accepted) };
        assert_eq!((sent, stream.info().early_data()), (len, status));
        assert_eq!(theirs.join().unwrap(), b"early"[..len]);
    }

    let Configs { client, server } = stateful(Version::Tls13).with_early_data(LIMIT);
    for round in 0..2 {
        let (a, mut b) = memory::duplex();
        let config = client.clone();
        let theirs = thread::spawn(move || {
            let mut client = ClientConnection::new(config, server_name()).unwrap();
            if let Some(mut early) = client.early_data() {
                early.write_all(b"early").unwrap();
            }
            while client.is_handshaking() || client.wants_write() {
                client.complete_io(&mut b).unwrap();
            }
            while client.reader().read(&mut [0]).is_err() {
                client.complete_io(&mut b).unwrap();
            }
            client.is_early_data_accepted()
        });
        let mut stream = TlsStream::accept(server.clone(), a).unwrap();
        stream.write_all(b"x").unwrap();
        assert_eq!(stream.info().received_early_data(), &b"early"[..5 * round]);
        assert_eq!(theirs.join().unwrap(), round == 1);
    }
}
