//! A program that drives a session without a stream.

use keylane_tls::record::{Cipher, ContentType, RecordOpener, RecordSealer, TrafficKeys, Version};
use keylane_tls::session::{KeySchedule, Options, Session, Side, Status};
use keylane_tls::{Alert, Error};
use keylane_tls_checks::fuzz::{known_keys, sessions};
use std::io::IoSlice;

const CIPHER: Cipher = Cipher::Aes128Gcm;
const VERSIONS: [Version; 2] = [Version::Tls12, Version::Tls13];

fn write(session: &mut Session, data: &[u8]) -> Result<usize, Error> {
    session.sender.write(&[IoSlice::new(data)])
}

/// Passes the pending bytes of one end to the other.
fn carry(from: &mut Session, to: &mut Session) {
    let pending = from.sender.pending();
    let len = pending.len();
    to.receiver.space()[..len].copy_from_slice(pending);
    to.receiver.filled(len);
    from.sender.sent(len);
}

/// A schedule without a next sending key.
struct Barren;

impl KeySchedule for Barren {
    fn next_send_keys(&mut self) -> Result<TrafficKeys, Error> {
        Err(Error::Unsupported("no more keys"))
    }

    fn next_receive_keys(&mut self) -> Result<TrafficKeys, Error> {
        Ok(known_keys(CIPHER, Side::Server, 1))
    }

    fn keep_ticket(&mut self, _: &[u8]) -> Result<(), Error> {
        Ok(())
    }
}

fn barren() -> Session {
    let keys = |side| known_keys(CIPHER, side, 0);
    let options = Options::default();
    Session::new(Version::Tls13, Side::Client, keys(Side::Client), keys(Side::Server), Barren, &options)
}

/// Keys that the caller announces, and keys in reply to the peer.
#[test]
fn nothing_is_sent_under_announced_keys_that_are_not_available() {
    let mut asked = barren();
    asked.sender.update_keys(false).unwrap_err();

    let mut answering = barren();
    let (_, mut server) = sessions(Version::Tls13, CIPHER, &Options::default());
    server.sender.update_keys(true).unwrap();
    carry(&mut server, &mut answering);
    assert_eq!(answering.receiver.process().unwrap(), Status::NeedsInput);
    answering.sender.reply(answering.receiver.take_replies());

    for mut session in [asked, answering] {
        let announced = session.sender.pending().len();
        assert!(announced > 0);
        assert_eq!(write(&mut session, b"data").unwrap_err(), Error::Unsupported("no more keys"));
        assert_eq!(session.sender.pending().len(), announced);
    }
}

#[test]
fn what_came_before_the_transports_end_can_be_consumed() {
    for version in VERSIONS {
        let (mut client, mut server) = sessions(version, CIPHER, &Options::default());
        for data in [b"first".as_slice(), b"second, which is longer"] {
            write(&mut client, data).unwrap();
        }
        client.sender.close();
        carry(&mut client, &mut server);
        assert_eq!(server.receiver.process().unwrap(), Status::Data);
        assert!(server.receiver.space().is_empty(), "room where there is data");
        server.receiver.end_of_input();
        assert_eq!(server.receiver.data(), b"first");
        server.receiver.consume(5);
        assert_eq!(server.receiver.data(), b"second, which is longer");
        server.receiver.consume(23);
        assert_eq!(server.receiver.process().unwrap(), Status::Closed);
        assert!(server.receiver.space().is_empty(), "room where none can arrive");

        write(&mut server, b"an answer").unwrap();
        carry(&mut server, &mut client);
        client.receiver.process().unwrap();
        client.receiver.end_of_input();
        assert_eq!(client.receiver.data(), b"an answer");
        client.receiver.consume(9);
        assert_eq!(client.receiver.process().unwrap_err(), Error::Truncated);
    }
}

/// A request for renegotiation must not use up the last record, which is for the close_notify.
#[test]
fn exhausted_keys_close_the_connection_after_any_request() {
    let mut options = Options::default();
    options.records_per_key = 2;
    let (mut client, _) = sessions(Version::Tls12, CIPHER, &options);
    write(&mut client, b"data").unwrap();
    client.sender.sent(client.sender.pending().len());
    // A HelloRequest.
    let mut sealer = RecordSealer::new(Version::Tls12, &known_keys(CIPHER, Side::Server, 0), 0);
    let len = sealer.seal(ContentType::Handshake, &[&[0; 4]], client.receiver.space()).unwrap();
    client.receiver.filled(len);
    assert_eq!(client.receiver.process().unwrap(), Status::NeedsInput);
    client.sender.reply(client.receiver.take_replies());
    assert_eq!(write(&mut client, b"more").unwrap_err(), Error::KeysExhausted);
    // Its first record was the data.
    let mut opener = RecordOpener::new(Version::Tls12, &known_keys(CIPHER, Side::Client, 0), 1);
    let mut record = client.sender.pending().to_vec();
    let (_, text) = opener.open(&mut record).unwrap();
    assert_eq!(record[text], [1, Alert::CLOSE_NOTIFY.0]);
}

/// With and without room after the pending bytes, nothing is sealed twice or lost.
#[test]
fn writes_continue_after_pending_bytes() {
    for version in VERSIONS {
        let (mut client, mut server) = sessions(version, CIPHER, &Options::default());
        let data: Vec<u8> = (0..400_000_u32).map(|i| (i ^ (i >> 7)) as u8).collect();
        let (mut written, mut received) = (0, Vec::new());
        let mut step = 1;
        while received.len() < data.len() {
            let end = data.len().min(written + step);
            let was_empty = client.sender.pending().is_empty();
            let len = write(&mut client, &data[written..end]).unwrap();
            assert!(len > 0 || written == end || !was_empty);
            written += len;
            step = step * 7 % 30_011;
            let space = server.receiver.space();
            let part = client.sender.pending().len().min(step % 20_000).min(space.len());
            space[..part].copy_from_slice(&client.sender.pending()[..part]);
            client.sender.sent(part);
            server.receiver.filled(part);
            while server.receiver.process().unwrap() == Status::Data {
                received.extend_from_slice(server.receiver.data());
                server.receiver.consume(server.receiver.data().len());
            }
        }
        assert!(received == data);
    }
}

/// Key updates use only the room that data leaves, in the short buffer and in the long one.
#[test]
fn keys_are_renewed_while_there_is_room_for_the_update() {
    for len in [0, 1 << 20] {
        let (mut client, _) = sessions(Version::Tls13, CIPHER, &Options::default());
        write(&mut client, &vec![0x5a; len]).unwrap();
        let full = loop {
            if let Err(error) = client.sender.update_keys(false) {
                break error;
            }
        };
        assert!(matches!(full, Error::Unsupported(_)), "{full}");
        if len > 0 {
            assert_eq!(write(&mut client, b"data").unwrap(), 0);
        }
        client.sender.sent(client.sender.pending().len());
        client.sender.update_keys(false).unwrap();
        assert_eq!(write(&mut client, b"data").unwrap(), 4);
    }
}

/// Only values that a log may contain.
#[test]
fn debug_output_has_no_keys() {
    let keys = known_keys(CIPHER, Side::Client, 0);
    let sealer = RecordSealer::new(Version::Tls13, &keys, 7);
    let opener = RecordOpener::new(Version::Tls13, &keys, 7);
    assert_eq!(format!("{keys:?}"), "TrafficKeys { cipher: Aes128Gcm, .. }");
    let ends = "{ version: Tls13, cipher: Aes128Gcm, next: 7, .. }";
    assert_eq!(format!("{sealer:?}"), format!("RecordSealer {ends}"));
    assert_eq!(format!("{opener:?}"), format!("RecordOpener {ends}"));
    let (Session { sender, receiver, .. }, _) = sessions(Version::Tls13, CIPHER, &Options::default());
    let ends = ends.replace("7", "0");
    assert_eq!(format!("{sender:?}"), format!("Sender {{ sealer: RecordSealer {ends}, end: None, .. }}"));
    assert_eq!(format!("{receiver:?}"), format!("Receiver {{ opener: RecordOpener {ends}, end: None, .. }}"));
}
