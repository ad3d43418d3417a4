//! What fuzzers run, and tests too. They take any bytes and return how it ended; a broken promise panics.
//!
//! The bytes are choices: which version and cipher, what is sent, what happens to it on its way. [`sessions`]
//! have known keys, so that whole connections cost no handshake.

mod session;

pub use session::{records, tls_session};

use crate::terms::{CIPHERS, Key, Terms};
use keylane_tls::record::{Cipher, HEADER_LEN, MAX_PLAINTEXT_LEN, MAX_RECORD_LEN};
use keylane_tls::record::{RecordOpener, TrafficKeys, Version};
use keylane_tls::session::{KeySchedule, Options, Session, Side, Status};
use keylane_tls::{Alert, Error};
use rustls::crypto::cipher::{AeadKey, Iv, MessageEncrypter, OutboundPlainMessage};
use rustls::crypto::ring::ALL_CIPHER_SUITES;
use rustls::{ProtocolVersion, SupportedCipherSuite};

/// Keys for tests, made of nothing but each one's generation and direction.
struct KnownKeys {
    cipher: Cipher,
    side: Side,
    sent: u8,
    received: u8,
}

/// Returns the key and the IV of one direction, after so many updates.
fn known_key(sender: Side, generation: u8) -> ([u8; 32], [u8; 12]) {
    let direction = if sender == Side::Client { 0x11_u8 } else { 0x22 };
    ([direction ^ generation; 32], [direction.wrapping_add(generation); 12])
}

/// Returns the same for a cipher.
///
/// # Panics
/// Never: the key has the cipher's length.
pub fn known_keys(cipher: Cipher, sender: Side, generation: u8) -> TrafficKeys {
    let (key, iv) = known_key(sender, generation);
    TrafficKeys::new(cipher, &key[..cipher.key_len()], &iv).expect("the cipher's length")
}

fn other(side: Side) -> Side {
    if side == Side::Client { Side::Server } else { Side::Client }
}

impl KeySchedule for KnownKeys {
    fn next_send_keys(&mut self) -> Result<TrafficKeys, Error> {
        self.sent = self.sent.wrapping_add(1);
        Ok(known_keys(self.cipher, self.side, self.sent))
    }

    fn next_receive_keys(&mut self) -> Result<TrafficKeys, Error> {
        self.received = self.received.wrapping_add(1);
        Ok(known_keys(self.cipher, other(self.side), self.received))
    }

    fn keep_ticket(&mut self, body: &[u8]) -> Result<(), Error> {
        if body.first() == Some(&0xff) { Err(Error::Unsupported("a ticket that is refused")) } else { Ok(()) }
    }
}

/// Returns a client's session and a server's, with each other's keys.
pub fn sessions(version: Version, cipher: Cipher, options: &Options) -> (Session, Session) {
    let session = |side| {
        let keys = |sender| known_keys(cipher, sender, 0);
        let schedule = KnownKeys { cipher, side, sent: 0, received: 0 };
        Session::new(version, side, keys(side), keys(other(side)), schedule, options)
    };
    (session(Side::Client), session(Side::Server))
}

/// Returns rustls' own encrypter: it seals records of any type, with anything in them.
///
/// # Panics
/// With AES-128: rustls has no public constructor for such keys.
pub fn rustls_encrypter(
    version: Version,
    cipher: Cipher,
    key: [u8; 32],
    iv: [u8; 12],
) -> Box<dyn MessageEncrypter> {
    let terms = Terms { version, cipher, key: Key::EcdsaP256 };
    let suite = ALL_CIPHER_SUITES.iter().find(|suite| terms.has_suite(suite.suite())).expect("a suite");
    let key = AeadKey::from(key);
    match suite {
        SupportedCipherSuite::Tls13(suite) => suite.aead_alg.encrypter(key, Iv::from(iv)),
        SupportedCipherSuite::Tls12(suite) => {
            let fixed = suite.aead_alg.key_block_shape().fixed_iv_len;
            suite.aead_alg.encrypter(key, &iv[..fixed], &iv[fixed..])
        }
    }
}

/// Returns a record by rustls.
///
/// # Panics
/// If rustls refuses, which it does not.
pub fn rustls_record(rustls: &mut dyn MessageEncrypter, kind: u8, payload: &[u8], sequence: u64) -> Vec<u8> {
    let (typ, version) = (kind.into(), ProtocolVersion::TLSv1_2);
    let message = OutboundPlainMessage { typ, version, payload: payload.into() };
    rustls.encrypt(message, sequence).expect("rustls seals anything").encode()
}

/// The fuzzer's bytes, as choices; zero after the last one.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    fn number(&mut self) -> usize {
        usize::from(u16::from_be_bytes([self.byte(), self.byte()]))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.number() % limit
    }

    fn version(&mut self) -> Version {
        if self.byte() & 1 == 0 { Version::Tls13 } else { Version::Tls12 }
    }

    fn cipher(&mut self) -> Cipher {
        CIPHERS[usize::from(self.byte()) % 3]
    }

    /// Bytes as they come, and then enough of one kind to reach the lengths that matter.
    fn payload(&mut self) -> Vec<u8> {
        let (literal, fill) = (self.below(64), self.byte());
        let len = match self.byte() % 8 {
            0 => MAX_PLAINTEXT_LEN - 2 + self.below(4),
            1 => self.below(MAX_PLAINTEXT_LEN + 300),
            _ => literal,
        };
        let mut payload: Vec<u8> = (0..literal).map(|_| self.byte()).collect();
        payload.resize(len, fill);
        payload
    }
}

/// One record: forged, or authentic with anything in it.
///
/// # Errors
/// The opener's.
///
/// # Panics
/// If the opener accepts what it must refuse, or the reverse, or leaves something readable behind.
pub fn tls_record(input: &[u8]) -> Result<Status, Error> {
    let mut choices = Choices(input);
    let version = choices.version();
    if choices.byte() & 1 == 0 {
        let (cipher, framed, kind) = (choices.cipher(), choices.byte() & 1 == 0, 20 + choices.byte() % 5);
        let mut record = if framed { vec![kind, 3, 3, 0, 0] } else { Vec::new() };
        record.extend_from_slice(choices.0);
        if framed {
            let length = (record.len() - HEADER_LEN).min(MAX_RECORD_LEN);
            record[3..HEADER_LEN].copy_from_slice(&(length as u16).to_be_bytes());
        }
        let opener = RecordOpener::new(version, &known_keys(cipher, Side::Client, 0), 0);
        if let Some(Ok(len)) = record.first_chunk().map(|&header| opener.record_len(header)) {
            assert!((HEADER_LEN..=MAX_RECORD_LEN).contains(&len));
        }
        return open(opener, record, None);
    }
    let cipher = [Cipher::Aes256Gcm, Cipher::ChaCha20Poly1305][usize::from(choices.byte()) % 2];
    let sequence = u64::from_be_bytes(std::array::from_fn(|_| choices.byte())) >> 1;
    let kind = [0, 21, 22, 23, choices.byte()][usize::from(choices.byte()) % 5];
    let payload = choices.payload();
    let (key, iv) = known_key(Side::Client, 0);
    let record = rustls_record(&mut *rustls_encrypter(version, cipher, key, iv), kind, &payload, sequence);
    let opener = RecordOpener::new(version, &known_keys(cipher, Side::Client, 0), sequence);
    open(opener, record, Some(read_plainly(version, kind, &payload)))
}

/// Opens a record. `expected` is what it holds or how it is refused, or `None` if it is forged.
fn open(
    mut opener: RecordOpener,
    mut record: Vec<u8>,
    expected: Option<Result<(u8, &[u8]), Alert>>,
) -> Result<Status, Error> {
    match opener.open(&mut record) {
        Ok((content, text)) => {
            assert_eq!(expected, Some(Ok((content as u8, &record[text]))));
            Ok(Status::Data)
        }
        Err(error) => {
            let alert = error.alert_sent().expect("the peer is told");
            assert!(expected.is_none_or(|expected| expected == Err(alert)), "another alert");
            let wiped = record.iter().skip(HEADER_LEN).all(|&byte| byte == 0);
            assert!(wiped, "what failed to open is still there");
            Err(error)
        }
    }
}

/// Reads the type and the content of a record that was sealed as `kind`, as the standards say.
fn read_plainly(version: Version, kind: u8, payload: &[u8]) -> Result<(u8, &[u8]), Alert> {
    let (content, inner) = match version {
        // Type 0 is padding: the type is before it.
        Version::Tls13 if kind == 0 => {
            let end = payload.iter().rposition(|&byte| byte != 0);
            (&payload[..end.unwrap_or(0)], end.map_or(0, |end| payload[end]))
        }
        _ => (payload, kind),
    };
    let known = (21..=23).contains(&inner);
    if payload.len() > MAX_PLAINTEXT_LEN && (known || version == Version::Tls13) {
        Err(Alert::RECORD_OVERFLOW)
    } else if known {
        Ok((inner, content))
    } else {
        Err(Alert::UNEXPECTED_MESSAGE)
    }
}
