//! Whole sessions: sent data, changes on the way, and the required outcome.

use crate::record::{VERSIONS, payload, read_plainly};
use keylane_contracts::Choices;
use keylane_tls::Error;
use keylane_tls::record::{Cipher, MAX_PLAINTEXT_LEN, MAX_RECORD_LEN, Version};
use keylane_tls::session::{Options, Sender, Session, Side, Status};
use keylane_tls_checks::fuzz::{known_key, records, rustls_encrypter, rustls_record, sessions};
use keylane_tls_checks::terms::CIPHERS;
use std::io::IoSlice;

/// A session that receives what another one sent, or what a peer with the right keys made up, perhaps after
/// an attacker changed it on the way.
///
/// # Errors
/// How the session refused it.
///
/// # Panics
/// If more is handed out than was sent, or in another order; if the session goes on after an error, says two
/// things about it, or sends anything after its alert; if what was not touched does not arrive.
pub fn tls_session(choices: &mut Choices<'_>) -> Result<Status, Error> {
    let (version, from_client, honest) = (*choices.one_of(&VERSIONS), choices.any(), choices.any());
    let cipher = if honest { *choices.one_of(&CIPHERS) } else { Cipher::Aes256Gcm };
    let mut options = Options::default();
    options.max_fragment_len = *choices.one_of(&[MAX_PLAINTEXT_LEN, 5000, 999, 77]);
    options.records_per_key = choices.any::<u8>().into();
    let (client, server) = sessions(version, cipher, &options);
    let (side, mut peer, mut session) =
        if from_client { (Side::Client, client, server) } else { (Side::Server, server, client) };

    let mut sent = Sent::default();
    if honest {
        sent.by_session(choices, &mut peer.sender);
    } else {
        sent.by_anyone(choices, version, side);
    }
    let touched = sent.tamper(choices);
    let mut stream = sent.records.concat();
    let len = stream.len();
    if choices.one_in(8) {
        stream.truncate(choices.up_to(len));
    }
    let whole = honest && !touched && stream.len() == len;

    let mut received = Received::default();
    let ended = choices.one_in(4);
    let outcome = received.take_all(choices, &mut session, &stream, ended);
    assert!(sent.data.starts_with(&received.data), "what was handed out is not what was sent");
    if whole {
        assert!(received.data == sent.data, "what was not touched did not arrive");
        let expected = if sent.closed { Ok(Status::Closed) } else { Ok(Status::NeedsInput) };
        let expected = if ended && !sent.closed { Err(Error::Truncated) } else { expected };
        assert_eq!(outcome, expected);
    }
    check_what_the_peer_hears(&mut peer, &mut session, &received.replies, &outcome);
    if let Err(error) = &outcome {
        let told =
            matches!(error, Error::AlertReceived(_) | Error::Truncated) || error.alert_sent().is_some();
        assert!(told, "{error}: the peer is not told");
    }
    outcome
}

#[derive(Default)]
struct Sent {
    records: Vec<Vec<u8>>,
    data: Vec<u8>,
    closed: bool,
}

impl Sent {
    /// What a session makes of writes, key updates and a close.
    fn by_session(&mut self, choices: &mut Choices<'_>, sender: &mut Sender) {
        for _ in 0..choices.up_to(15) {
            match choices.up_to(7) {
                0 => drop(sender.update_keys(choices.any())),
                1 => {
                    sender.close();
                    self.closed = true;
                }
                2 => assert_eq!(sender.write(&[]), Ok(0)),
                _ => {
                    let payload = payload(choices);
                    let (front, back) = payload.split_at(choices.up_to(payload.len()));
                    self.write_all(sender, front, back);
                }
            }
            self.collect(sender);
        }
    }

    fn write_all(&mut self, sender: &mut Sender, front: &[u8], back: &[u8]) {
        let mut slices = &mut [IoSlice::new(front), IoSlice::new(back)][..];
        while !slices.is_empty() {
            match sender.write(slices) {
                Ok(len) => {
                    self.data.extend(slices.iter().flat_map(|slice| &**slice).take(len));
                    IoSlice::advance_slices(&mut slices, len);
                }
                // TLS 1.2 closes when its keys are used up.
                Err(error) => {
                    assert!(matches!(error, Error::KeysExhausted | Error::Closed), "{error}");
                    self.closed = true;
                    return;
                }
            }
            self.collect(sender);
        }
    }

    fn collect(&mut self, sender: &mut Sender) {
        let records = records(sender.pending()).expect("whole records");
        self.records.extend(records.into_iter().map(<[u8]>::to_vec));
        sender.sent(sender.pending().len());
    }

    /// What a peer makes up who has the keys, and says what no session would.
    fn by_anyone(&mut self, choices: &mut Choices<'_>, version: Version, side: Side) {
        let encrypter = |generation| {
            let (key, iv) = known_key(side, generation);
            rustls_encrypter(version, Cipher::Aes256Gcm, key, iv)
        };
        let (mut sender, mut generation, mut sequence) = (encrypter(0), 0, 0);
        for _ in 0..choices.up_to(63) {
            let (kind, payload): (u8, Vec<u8>) = match choices.up_to(7) {
                0 => (if choices.any() { choices.any() } else { 0 }, payload(choices)),
                1 => (21, vec![choices.up_to(3) as u8, choices.up_to(100) as u8]),
                2 => (22, vec![choices.up_to(4) as u8, 0, 0, 0]),
                3 => (22, vec![24, 0, 0, 1, choices.up_to(2) as u8]),
                4 => (22, vec![4, 0, choices.any(), choices.any()]),
                5 => (22, payload(choices)),
                6 => (23, Vec::new()),
                _ => (23, payload(choices)),
            };
            // New keys follow a key update, unless the peer forgets.
            let updates =
                version == Version::Tls13 && matches!(payload[..], [24, 0, 0, 1, 0 | 1]) && kind == 22;
            let updates = updates && !choices.one_in(8);
            if let Ok((23, text)) = read_plainly(version, kind, &payload) {
                self.data.extend_from_slice(text);
            }
            self.records.push(rustls_record(&mut *sender, kind, &payload, sequence));
            sequence += 1;
            if updates {
                generation += 1;
                (sender, sequence) = (encrypter(generation), 0);
            }
        }
    }

    /// Whether anything was changed.
    fn tamper(&mut self, choices: &mut Choices<'_>) -> bool {
        let before = self.records.clone();
        for _ in 0..if choices.one_in(4) { choices.up_to(3) } else { 0 } {
            let Some(last) = self.records.len().checked_sub(1) else { break };
            let at = choices.up_to(last);
            match choices.up_to(5) {
                0 => self.records.swap(at, choices.up_to(last)),
                1 => self.records.insert(choices.up_to(last + 1), self.records[at].clone()),
                2 => drop(self.records.remove(at)),
                3 => {
                    let len = choices.up_to(self.records[at].len());
                    self.records[at].truncate(len);
                }
                4 => choices.flip(&mut self.records[at]),
                _ => self.records.insert(at, payload(choices)),
            }
        }
        self.records != before
    }
}

#[derive(Default)]
struct Received {
    data: Vec<u8>,
    /// What the session sent meanwhile.
    replies: Vec<u8>,
}

impl Received {
    /// Feeds a session, in pieces, and takes its data, in pieces.
    fn take_all(
        &mut self,
        choices: &mut Choices<'_>,
        session: &mut Session,
        mut stream: &[u8],
        ended: bool,
    ) -> Result<Status, Error> {
        let coarse = !choices.any::<bool>();
        loop {
            let status = self.process(choices, session);
            if status != Ok(Status::NeedsInput) {
                return status;
            }
            if choices.one_in(8) {
                session.receiver.release();
            }
            let space = session.receiver.space();
            assert!((MAX_RECORD_LEN..=8 * MAX_RECORD_LEN).contains(&space.len()), "no room, or too much");
            let most = stream.len().min(space.len());
            if most == 0 {
                break;
            }
            let len = if coarse { most } else { 1 + choices.up_to(most.min(MAX_RECORD_LEN) - 1) };
            let (now, later) = stream.split_at(len);
            space[..len].copy_from_slice(now);
            session.receiver.filled(len);
            stream = later;
        }
        if ended {
            session.receiver.end_of_input();
        }
        self.process(choices, session)
    }

    fn process(&mut self, choices: &mut Choices<'_>, session: &mut Session) -> Result<Status, Error> {
        loop {
            let status = session.receiver.process();
            session.sender.reply(session.receiver.take_replies());
            if choices.any() {
                self.replies.extend_from_slice(session.sender.pending());
                session.sender.sent(session.sender.pending().len());
            }
            let data = session.receiver.data();
            assert_eq!(status == Ok(Status::Data), !data.is_empty());
            if data.is_empty() {
                return status;
            }
            let len = 1 + choices.up_to(data.len() - 1);
            self.data.extend_from_slice(&data[..len]);
            session.receiver.consume(len);
        }
    }
}

/// Errors last, and the peer hears of them once.
fn check_what_the_peer_hears(
    peer: &mut Session,
    session: &mut Session,
    replies: &[u8],
    outcome: &Result<Status, Error>,
) {
    assert_eq!(&session.receiver.process(), outcome, "another answer to the same question");
    session.receiver.end_of_input();
    if !matches!(outcome, Ok(Status::NeedsInput)) {
        assert_eq!(&session.receiver.process(), outcome, "an end that does not last");
        assert!(session.receiver.space().is_empty(), "wants more after the end");
    }
    assert!(session.receiver.take_replies().is_empty(), "says it twice");

    let mut heard = replies.to_vec();
    heard.extend_from_slice(session.sender.pending());
    if matches!(outcome, Err(error) if *error != Error::Truncated) {
        let pending = session.sender.pending().len();
        session.sender.close();
        let refused = session.sender.write(&[IoSlice::new(b"data")]);
        assert!(matches!(refused, Err(Error::Closed | Error::KeysExhausted)), "sends after its failure");
        assert_eq!(session.sender.pending().len(), pending, "sends after its failure");
    }
    let mut last = Ok(Status::NeedsInput);
    for record in records(&heard).expect("whole records") {
        assert_eq!(last, Ok(Status::NeedsInput), "a record after the alert");
        peer.receiver.space()[..record.len()].copy_from_slice(record);
        peer.receiver.filled(record.len());
        last = peer.receiver.process();
    }
    match outcome.as_ref().err().and_then(Error::alert_sent) {
        Some(alert) => assert_eq!(last, Err(Error::AlertReceived(alert)), "another alert"),
        None => assert_eq!(last, Ok(Status::NeedsInput), "an alert for nothing"),
    }
}
