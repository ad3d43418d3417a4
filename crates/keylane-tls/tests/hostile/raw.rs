//! A peer that follows no rules: after a real handshake it has the keys and seals any record, valid or not.

use crate::wire::Wire;
use keylane::aes_gcm::Aes128Gcm;
use keylane::chacha20poly1305::ChaCha20Poly1305;
use keylane_tls::record::{Cipher, ContentType, HEADER_LEN, RecordOpener, TrafficKeys, Version};
use keylane_tls_checks::certificates::{Configs, server_name};
use rustls::client::{ClientConnectionData, UnbufferedClientConnection};
use rustls::kernel::KernelConnection;
use rustls::server::{ServerConnectionData, UnbufferedServerConnection};
use rustls::unbuffered::{ConnectionState, UnbufferedStatus};
use rustls::{CommonState, ConnectionTrafficSecrets, ProtocolVersion};

/// Record types, by their numbers: a hostile peer uses more of them than [`ContentType`] has.
pub(crate) const CHANGE_CIPHER_SPEC: u8 = 20;
pub(crate) const ALERT: u8 = 21;
pub(crate) const HANDSHAKE: u8 = 22;
pub(crate) const DATA: u8 = 23;

const TAG_LEN: usize = 16;

/// A peer during its handshake.
pub(crate) struct Newcomer {
    connection: Connection,
    wire: Wire,
    unread: Vec<u8>,
}

enum Connection {
    Client(Box<UnbufferedClientConnection>),
    Server(Box<UnbufferedServerConnection>),
}

enum Step {
    Again,
    NeedsInput,
    MayBeComplete,
}

impl Newcomer {
    pub(crate) fn client(configs: &Configs, wire: Wire) -> Self {
        let connection = UnbufferedClientConnection::new(configs.client.clone(), server_name()).unwrap();
        Self { connection: Connection::Client(Box::new(connection)), wire, unread: Vec::new() }
    }

    pub(crate) fn server(configs: &Configs, wire: Wire) -> Self {
        let connection = UnbufferedServerConnection::new(configs.server.clone()).unwrap();
        Self { connection: Connection::Server(Box::new(connection)), wire, unread: Vec::new() }
    }

    /// Continues the handshake as far as there is input.
    pub(crate) fn shake_hands(&mut self) {
        self.unread.append(&mut self.wire.state().outbound);
        loop {
            let mut output = Vec::new();
            let (discard, step) = match &mut self.connection {
                Connection::Client(client) => {
                    drive(client.process_tls_records(&mut self.unread), &mut output)
                }
                Connection::Server(server) => {
                    drive(server.process_tls_records(&mut self.unread), &mut output)
                }
            };
            self.unread.drain(..discard);
            self.wire.state().inbound.append(&mut output);
            match step {
                Step::Again => {}
                Step::NeedsInput | Step::MayBeComplete => return,
            }
        }
    }

    pub(crate) fn is_complete(&self) -> bool {
        !self.common().is_handshaking()
    }

    fn common(&self) -> &CommonState {
        match &self.connection {
            Connection::Client(client) => client,
            Connection::Server(server) => server,
        }
    }

    /// Takes over the keys. The live end has sent nothing after its handshake.
    pub(crate) fn take_over(self) -> Peer {
        assert!(self.is_complete() && self.unread.is_empty());
        let version = match self.common().protocol_version().unwrap() {
            ProtocolVersion::TLSv1_2 => Version::Tls12,
            _ => Version::Tls13,
        };
        let (secrets, kernel) = match self.connection {
            Connection::Client(client) => {
                let (secrets, kernel) = client.dangerous_into_kernel_connection().unwrap();
                (secrets, Kernel::Client(kernel))
            }
            Connection::Server(server) => {
                let (secrets, kernel) = server.dangerous_into_kernel_connection().unwrap();
                (secrets, Kernel::Server(kernel))
            }
        };
        Peer {
            version,
            sending: Sending::new(&secrets.tx.1, secrets.tx.0),
            opener: opener(version, &secrets.rx.1, secrets.rx.0),
            kernel,
            wire: self.wire,
            unread: Vec::new(),
        }
    }
}

/// Does what rustls requests. Returns the number of bytes that it has processed.
fn drive<Data>(status: UnbufferedStatus<'_, '_, Data>, output: &mut Vec<u8>) -> (usize, Step) {
    let step = match status.state.unwrap() {
        ConnectionState::EncodeTlsData(mut data) => {
            output.resize(1 << 16, 0);
            let len = data.encode(output).unwrap();
            output.truncate(len);
            Step::Again
        }
        ConnectionState::TransmitTlsData(data) => {
            data.done();
            Step::Again
        }
        ConnectionState::BlockedHandshake => Step::NeedsInput,
        ConnectionState::WriteTraffic(_) => Step::MayBeComplete,
        state => panic!("unexpected in a handshake: {state:?}"),
    };
    (status.discard, step)
}

enum Kernel {
    Client(KernelConnection<ClientConnectionData>),
    Server(KernelConnection<ServerConnectionData>),
}

impl Kernel {
    fn next_send_secrets(&mut self) -> ConnectionTrafficSecrets {
        match self {
            Self::Client(client) => client.update_tx_secret().unwrap().1,
            Self::Server(server) => server.update_tx_secret().unwrap().1,
        }
    }

    fn next_receive_secrets(&mut self) -> ConnectionTrafficSecrets {
        match self {
            Self::Client(client) => client.update_rx_secret().unwrap().1,
            Self::Server(server) => server.update_rx_secret().unwrap().1,
        }
    }
}

fn parts(secrets: &ConnectionTrafficSecrets) -> (Cipher, &[u8], [u8; 12]) {
    let (cipher, key, iv) = match secrets {
        ConnectionTrafficSecrets::Aes128Gcm { key, iv } => (Cipher::Aes128Gcm, key, iv),
        ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv } => (Cipher::ChaCha20Poly1305, key, iv),
        _ => panic!("a suite that no scene uses"),
    };
    (cipher, key.as_ref(), iv.as_ref().try_into().unwrap())
}

fn opener(version: Version, secrets: &ConnectionTrafficSecrets, sequence: u64) -> RecordOpener {
    let (cipher, key, iv) = parts(secrets);
    RecordOpener::new(version, &TrafficKeys::new(cipher, key, &iv).unwrap(), sequence)
}

enum Aead {
    Gcm(Box<Aes128Gcm>),
    ChaCha(ChaCha20Poly1305),
}

/// One direction's key and sequence number, without any limit.
struct Sending {
    aead: Aead,
    iv: [u8; 12],
    sequence: u64,
}

impl Sending {
    fn new(secrets: &ConnectionTrafficSecrets, sequence: u64) -> Self {
        let (cipher, key, iv) = parts(secrets);
        let aead = match cipher {
            Cipher::Aes128Gcm => Aead::Gcm(Box::new(Aes128Gcm::from_slice(key).unwrap())),
            _ => Aead::ChaCha(ChaCha20Poly1305::from_slice(key).unwrap()),
        };
        Self { aead, iv, sequence }
    }

    fn nonce(&self) -> [u8; 12] {
        let mut nonce = self.iv;
        for (byte, number) in nonce[4..].iter_mut().zip(self.sequence.to_be_bytes()) {
            *byte ^= number;
        }
        nonce
    }

    fn seal(&self, nonce: &[u8; 12], aad: &[u8], text: &[u8]) -> Vec<u8> {
        let mut sealed = vec![0; text.len() + TAG_LEN];
        match &self.aead {
            Aead::Gcm(aead) => aead.seal_to(nonce, aad, &[text], &mut sealed),
            Aead::ChaCha(aead) => aead.seal_to(nonce, aad, &[text], &mut sealed),
        }
        .unwrap();
        sealed
    }
}

/// A record that the live end has sent: its type and its text.
pub(crate) type Heard = (ContentType, Vec<u8>);

pub(crate) struct Peer {
    version: Version,
    sending: Sending,
    opener: RecordOpener,
    kernel: Kernel,
    wire: Wire,
    /// Received bytes that are not a whole record yet.
    unread: Vec<u8>,
}

impl Peer {
    pub(crate) fn send(&self, bytes: &[u8]) {
        self.wire.state().inbound.extend_from_slice(bytes);
    }

    /// Seals `text` under the next sequence number, with any header. In TLS 1.3 the text ends with its inner
    /// type.
    pub(crate) fn seal(&mut self, outer: u8, version: [u8; 2], text: &[u8]) -> Vec<u8> {
        let nonce = self.sending.nonce();
        let [major, minor] = version;
        let header = |length: usize| [outer, major, minor, (length >> 8) as u8, length as u8];
        let record = match self.version {
            Version::Tls13 => {
                let header = header(text.len() + TAG_LEN);
                [&header[..], &self.sending.seal(&nonce, &header, text)].concat()
            }
            Version::Tls12 => {
                let explicit = match self.sending.aead {
                    Aead::Gcm(_) => &nonce[4..],
                    Aead::ChaCha(_) => &[],
                };
                let number = self.sending.sequence.to_be_bytes();
                let aad = [&number[..], &header(text.len())].concat();
                let sealed = self.sending.seal(&nonce, &aad, text);
                [&header(explicit.len() + sealed.len())[..], explicit, &sealed].concat()
            }
        };
        self.sending.sequence += 1;
        record
    }

    /// Returns a record of any type and any length, with a valid header.
    pub(crate) fn record(&mut self, kind: u8, text: &[u8]) -> Vec<u8> {
        self.padded(kind, text, 0)
    }

    /// As [`record`](Self::record), in TLS 1.3 with padding.
    pub(crate) fn padded(&mut self, kind: u8, text: &[u8], padding: usize) -> Vec<u8> {
        match self.version {
            Version::Tls13 => self.seal(DATA, [3, 3], &[text, &[kind], &vec![0; padding]].concat()),
            Version::Tls12 => self.seal(kind, [3, 3], text),
        }
    }

    /// Returns several records, one after the other.
    pub(crate) fn records(&mut self, records: &[(u8, &[u8])]) -> Vec<u8> {
        records.iter().flat_map(|(kind, text)| self.record(*kind, text)).collect()
    }

    pub(crate) fn close_notify(&mut self) -> Vec<u8> {
        self.record(ALERT, &[1, 0])
    }

    /// Returns a KeyUpdate with `request`, and switches to the keys after it.
    pub(crate) fn key_update(&mut self, request: u8) -> Vec<u8> {
        let record = self.record(HANDSHAKE, &[24, 0, 0, 1, request]);
        self.renew_keys();
        record
    }

    /// Switches to the next keys for sending, whether or not the other end knows.
    pub(crate) fn renew_keys(&mut self) {
        self.sending = Sending::new(&self.kernel.next_send_secrets(), 0);
    }

    /// Continues with other explicit nonces: in TLS 1.2's AES-GCM the sender chooses them (RFC 5288 §3).
    pub(crate) fn choose_nonces(&mut self, start: [u8; 8]) {
        self.sending.iv[4..].copy_from_slice(&start);
    }

    /// Returns a record with a wrong tag.
    pub(crate) fn forged(&mut self, text: &[u8]) -> Vec<u8> {
        let mut record = self.record(DATA, text);
        *record.last_mut().unwrap() ^= 1;
        record
    }

    /// Opens and returns all whole records that the live end has sent. Follows its KeyUpdates.
    pub(crate) fn hear(&mut self) -> Vec<Heard> {
        self.unread.append(&mut self.wire.state().outbound);
        let mut heard = Vec::new();
        while let Some(header) = self.unread.first_chunk::<HEADER_LEN>() {
            let len = self.opener.record_len(*header).unwrap();
            if self.unread.len() < len {
                break;
            }
            let (content, text) = self.opener.open(&mut self.unread[..len]).unwrap();
            let text = self.unread[text].to_vec();
            if content == ContentType::Handshake && self.version == Version::Tls13 {
                assert_eq!(text[..4], [24, 0, 0, 1], "the stream sends no other message");
                self.opener = opener(self.version, &self.kernel.next_receive_secrets(), 0);
            }
            self.unread.drain(..len);
            heard.push((content, text));
        }
        heard
    }

    /// Returns whether the live end has sent a part of a record.
    pub(crate) fn has_partial_record(&self) -> bool {
        !self.unread.is_empty()
    }
}
