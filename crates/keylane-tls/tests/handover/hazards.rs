//! Records that a peer sends in one segment with its Finished, or right after it. The peer is rustls up to
//! there; after that, the test seals any records under its secrets, which it logs.

use crate::support::{End, Manner, duplex, is_temporary, persist};
use crate::{MANNERS, VERSIONS, configs, connected};
use keylane::aes_gcm::Aes128Gcm;
use keylane::hkdf::Prk;
use keylane::sha2::Sha256;
use keylane_tls::record::{Cipher, ContentType, RecordOpener, RecordSealer, TrafficKeys, Version};
use keylane_tls::session::Side;
use keylane_tls::{ClientHandshake, Handshake, ServerHandshake, TlsStream};
use keylane_tls_checks::certificates::{Configs, server_name};
use keylane_tls_checks::fuzz::records;
use rustls::{ClientConnection, Connection, ConnectionTrafficSecrets, KeyLog, ServerConnection};
use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};
use std::sync::{Arc, Mutex};

#[derive(Debug, Default)]
pub(crate) struct Secrets(Mutex<HashMap<String, Vec<u8>>>);

impl KeyLog for Secrets {
    fn log(&self, label: &str, _: &[u8], secret: &[u8]) {
        self.0.lock().unwrap().insert(label.to_owned(), secret.to_vec());
    }
}

impl Secrets {
    /// Returns the first secret of one end's application data.
    fn of(&self, sender: Side) -> Option<Vec<u8>> {
        self.named(match sender {
            Side::Client => "CLIENT_TRAFFIC_SECRET_0",
            Side::Server => "SERVER_TRAFFIC_SECRET_0",
        })
    }

    pub(crate) fn named(&self, label: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get(label).cloned()
    }
}

/// RFC 8446 §7.1.
fn expand_label(secret: &[u8], label: &str, len: usize) -> Vec<u8> {
    let mut info = vec![0, len as u8, 6 + label.len() as u8];
    info.extend_from_slice(b"tls13 ");
    info.extend_from_slice(label.as_bytes());
    info.push(0);
    let mut output = vec![0; len];
    Prk::<Sha256>::from_bytes(secret).unwrap().expand(&[&info], &mut output).unwrap();
    output
}

/// One direction's keys, and in TLS 1.3 the secret of the next.
pub(crate) struct Keys {
    version: Version,
    secret: Vec<u8>,
    now: TrafficKeys,
    sequence: u64,
}

impl Keys {
    pub(crate) fn tls13(secret: Vec<u8>) -> Self {
        let iv = expand_label(&secret, "iv", 12).try_into().unwrap();
        let now = TrafficKeys::new(Cipher::Aes128Gcm, &expand_label(&secret, "key", 16), &iv).unwrap();
        Self { version: Version::Tls13, secret, now, sequence: 0 }
    }

    fn tls12((sequence, secrets): (u64, ConnectionTrafficSecrets)) -> Self {
        let ConnectionTrafficSecrets::Aes128Gcm { key, iv } = secrets else { panic!("another cipher") };
        let now = TrafficKeys::new(Cipher::Aes128Gcm, key.as_ref(), iv.as_ref().try_into().unwrap()).unwrap();
        Self { version: Version::Tls12, secret: Vec::new(), now, sequence }
    }

    fn renew(&mut self) {
        *self = Self::tls13(expand_label(&self.secret, "traffic upd", 32));
    }

    pub(crate) fn seal(&mut self, content: ContentType, text: &[u8]) -> Vec<u8> {
        let mut record = vec![0; text.len() + 100];
        let mut sealer = RecordSealer::new(self.version, &self.now, self.sequence);
        let len = sealer.seal(content, &[text], &mut record).unwrap();
        record.truncate(len);
        self.sequence += 1;
        record
    }

    /// Seals a record with an inner plaintext (RFC 8446 §5.2): its text, its type, its padding.
    pub(crate) fn seal_inner(&self, inner: &[u8]) -> Vec<u8> {
        let (key, iv) = (expand_label(&self.secret, "key", 16), expand_label(&self.secret, "iv", 12));
        let mut nonce: [u8; 12] = iv.try_into().unwrap();
        nonce[11] ^= self.sequence as u8;
        let (header, mut text) = ([23, 3, 3, 0, inner.len() as u8 + 16], inner.to_vec());
        let tag = Aes128Gcm::from_slice(&key).unwrap().seal(&nonce, &header, &mut text).unwrap();
        [&header[..], &text, &tag].concat()
    }

    pub(crate) fn open(&mut self, record: &[u8]) -> (ContentType, Vec<u8>) {
        let mut record = record.to_vec();
        let (content, text) =
            RecordOpener::new(self.version, &self.now, self.sequence).open(&mut record).unwrap();
        self.sequence += 1;
        (content, record[text].to_vec())
    }
}

/// An action of the peer after its Finished.
#[derive(Clone, Copy)]
enum Act {
    Send(ContentType, &'static [u8]),
    /// Continue under its next keys.
    Renew,
    /// Send the following in another segment, after this end has waited for more.
    Later,
}

use Act::{Later, Renew, Send};

const DATA: Act = Send(ContentType::ApplicationData, b"early ");
const MORE: Act = Send(ContentType::ApplicationData, b"and late");
const CLOSE: Act = Send(ContentType::Alert, &[1, 0]);
const UPDATE: Act = Send(ContentType::Handshake, &[24, 0, 0, 1, 0]);
const UPDATE_REQUESTED: Act = Send(ContentType::Handshake, &[24, 0, 0, 1, 1]);
const HALF_UPDATE: Act = Send(ContentType::Handshake, &[24, 0]);
const OTHER_HALF: Act = Send(ContentType::Handshake, &[0, 1, 0]);
const HALF_HELLO_REQUEST: Act = Send(ContentType::Handshake, &[0, 0]);

/// Returns the segments, divided by [`Later`].
fn segments(acts: &[Act], keys: &mut Keys) -> Vec<Vec<u8>> {
    let mut segments = vec![Vec::new()];
    for act in acts {
        match act {
            Send(content, text) => segments.last_mut().unwrap().extend(keys.seal(*content, text)),
            Renew => keys.renew(),
            Later => segments.push(Vec::new()),
        }
    }
    segments
}

/// Returns the stream under test, the peer's later segments, and the keys of the stream's direction.
fn hand_over<Role>(
    mut handshake: Handshake<Role>,
    mut peer: Connection,
    (peer_side, secrets): (Side, &Secrets),
    acts: &[Act],
    manner: Manner,
) -> (TlsStream<End>, Vec<Vec<u8>>, Keys) {
    let (mut end, far_end) = duplex(manner, Manner::Whole);
    loop {
        match TlsStream::handshake(&mut handshake, &mut end) {
            Err(error) if is_temporary(&error) => {}
            result => panic!("the handshake ended before the peer's Finished: {result:?}"),
        }
        let said: Vec<u8> = far_end.input.borrow_mut().bytes.drain(..).collect();
        let mut said = said.as_slice();
        while !said.is_empty() {
            peer.read_tls(&mut said).unwrap();
            peer.process_new_packets().unwrap();
        }
        let mut flight = Vec::new();
        while peer.wants_write() {
            peer.write_tls(&mut flight).unwrap();
        }
        let tls13 = peer.protocol_version() == Some(rustls::ProtocolVersion::TLSv1_3);
        let (mut theirs, ours) = if tls13 && let Some(secret) = secrets.of(peer_side) {
            let side = if peer_side == Side::Client { Side::Server } else { Side::Client };
            (Keys::tls13(secret), Keys::tls13(secrets.of(side).unwrap()))
        } else if !tls13 && !peer.is_handshaking() {
            #[allow(deprecated, reason = "what replaces it needs the other kind of connection")]
            let extracted = peer.dangerous_extract_secrets().unwrap();
            (Keys::tls12(extracted.tx), Keys::tls12(extracted.rx))
        } else {
            far_end.output.borrow_mut().bytes.extend(flight);
            continue;
        };
        let mut segments = segments(acts, &mut theirs);
        flight.extend(segments.remove(0));
        far_end.output.borrow_mut().bytes.extend(flight);
        persist(|| TlsStream::handshake(&mut handshake, &mut end)).unwrap();
        far_end.input.borrow_mut().bytes.clear();
        return (TlsStream::from_handshake(handshake, end).unwrap(), segments, ours);
    }
}

/// The same, as either end.
fn start(
    version: Version,
    peer_side: Side,
    acts: &[Act],
    manner: fn() -> Manner,
) -> (TlsStream<End>, Vec<Vec<u8>>, Keys) {
    let secrets = Arc::new(Secrets::default());
    // A TLS 1.2 client sends data with its Finished only if it resumes a session.
    let resumes = (version, peer_side) == (Version::Tls12, Side::Client);
    let Configs { mut client, mut server } = configs(version, resumes);
    if resumes {
        connected(&Configs { client: client.clone(), server: server.clone() }, manner);
    }
    match peer_side {
        Side::Client => {
            Arc::make_mut(&mut client).key_log = secrets.clone();
            let peer = ClientConnection::new(client, server_name()).unwrap().into();
            hand_over(ServerHandshake::new(server).unwrap(), peer, (peer_side, &secrets), acts, manner())
        }
        Side::Server => {
            Arc::make_mut(&mut server).key_log = secrets.clone();
            let peer = ServerConnection::new(server).unwrap().into();
            let handshake = ClientHandshake::new(client, server_name()).unwrap();
            hand_over(handshake, peer, (peer_side, &secrets), acts, manner())
        }
    }
}

/// Reads the data that came with the Finished, then the later segments. Returns the data up to the close, or
/// all.
fn read_all(stream: &mut TlsStream<End>, segments: Vec<Vec<u8>>) -> Vec<u8> {
    let mut later = segments.into_iter();
    let mut received = Vec::new();
    let mut buffer = [0; 100];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(len) => received.extend_from_slice(&buffer[..len]),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}");
                let mut wire = stream.get_ref().input.borrow_mut();
                if !wire.bytes.is_empty() {
                    continue;
                }
                let Some(segment) = later.next() else { break };
                wire.bytes.extend(segment);
            }
        }
    }
    received
}

/// Returns the records that the stream has sent since the handshake.
fn said(stream: &TlsStream<End>) -> Vec<Vec<u8>> {
    let bytes: Vec<u8> = stream.get_ref().output.borrow_mut().bytes.drain(..).collect();
    records(&bytes).expect("whole records").into_iter().map(<[u8]>::to_vec).collect()
}

fn write(stream: &mut TlsStream<End>, data: &[u8]) {
    assert_eq!(persist(|| stream.write(data)).unwrap(), data.len());
    persist(|| stream.flush()).unwrap();
}

#[test]
fn data_and_a_close_after_the_finished_arrive() {
    for version in VERSIONS {
        for peer in [Side::Client, Side::Server] {
            for manner in MANNERS {
                let (mut stream, later, _) = start(version, peer, &[DATA], manner);
                assert_eq!(read_all(&mut stream, later), b"early ");
                assert!(!stream.peer_closed());

                let (mut stream, later, mut keys) = start(version, peer, &[DATA, MORE, CLOSE], manner);
                assert_eq!(read_all(&mut stream, later), b"early and late");
                assert!(stream.peer_closed());
                assert_eq!(stream.read(&mut [0; 9]).unwrap(), 0);
                write(&mut stream, b"goodbye");
                assert_eq!(keys.open(&said(&stream)[0]), (ContentType::ApplicationData, b"goodbye".to_vec()));

                let (mut stream, later, _) = start(version, peer, &[CLOSE], manner);
                assert_eq!(read_all(&mut stream, later), b"");
                assert!(stream.peer_closed());
            }
        }
    }
}

#[test]
fn a_key_update_after_the_finished_is_obeyed_and_answered() {
    for peer in [Side::Client, Side::Server] {
        for manner in MANNERS {
            let acts = [UPDATE_REQUESTED, Renew, DATA];
            let (mut stream, later, mut keys) = start(Version::Tls13, peer, &acts, manner);
            assert_eq!(read_all(&mut stream, later), b"early ");
            write(&mut stream, b"answer");
            let said = said(&stream);
            assert_eq!(said.len(), 2);
            assert_eq!(keys.open(&said[0]), (ContentType::Handshake, vec![24, 0, 0, 1, 0]));
            keys.renew();
            assert_eq!(keys.open(&said[1]), (ContentType::ApplicationData, b"answer".to_vec()));
        }
    }
}

#[test]
fn half_a_message_after_the_finished_waits_for_its_other_half() {
    for peer in [Side::Client, Side::Server] {
        for manner in MANNERS {
            let acts = [HALF_UPDATE, Later, OTHER_HALF, Renew, DATA, CLOSE];
            let (mut stream, later, _) = start(Version::Tls13, peer, &acts, manner);
            assert_eq!(read_all(&mut stream, later), b"early ");
            assert!(stream.peer_closed());
        }
    }
    for manner in MANNERS {
        let acts = [HALF_HELLO_REQUEST, Later, HALF_HELLO_REQUEST, DATA];
        let (mut stream, later, mut keys) = start(Version::Tls12, Side::Server, &acts, manner);
        assert_eq!(read_all(&mut stream, later), b"early ");
        persist(|| stream.flush()).unwrap();
        // A warning, no_renegotiation.
        assert_eq!(keys.open(&said(&stream)[0]), (ContentType::Alert, vec![1, 100]));
    }
}

#[test]
fn all_hazards_together() {
    let acts = [
        UPDATE_REQUESTED, Renew, DATA, UPDATE, Renew, HALF_UPDATE, Later, OTHER_HALF, Renew,
        UPDATE_REQUESTED, Renew, MORE, CLOSE,
    ];
    for peer in [Side::Client, Side::Server] {
        for manner in MANNERS {
            let (mut stream, later, mut keys) = start(Version::Tls13, peer, &acts, manner);
            assert_eq!(read_all(&mut stream, later), b"early and late");
            assert!(stream.peer_closed());
            write(&mut stream, b"answer");
            let mut data = Vec::new();
            for record in said(&stream) {
                match keys.open(&record) {
                    (ContentType::Handshake, message) => {
                        assert_eq!(message, [24, 0, 0, 1, 0]);
                        keys.renew();
                    }
                    (content, text) => {
                        assert_eq!(content, ContentType::ApplicationData);
                        data.extend(text);
                    }
                }
            }
            assert_eq!(data, b"answer");
        }
    }
}
