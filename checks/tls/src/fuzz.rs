//! Sessions with known keys, so that whole connections cost no handshake, and records by rustls: for fuzzers
//! and tests.

use crate::terms::{Key, Terms};
use keylane_tls::Error;
use keylane_tls::record::{Cipher, HEADER_LEN, TrafficKeys, Version};
use keylane_tls::session::{KeySchedule, Options, Session, Side};
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
pub fn known_key(sender: Side, generation: u8) -> ([u8; 32], [u8; 12]) {
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

/// Splits what was sent into records. Returns `None` if it does not end with a record's end.
pub fn records(mut bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let mut records = Vec::new();
    while !bytes.is_empty() {
        let &[_, _, _, high, low] = bytes.first_chunk()?;
        let len = HEADER_LEN + usize::from(u16::from_be_bytes([high, low]));
        let (record, rest) = bytes.split_at_checked(len)?;
        records.push(record);
        bytes = rest;
    }
    Some(records)
}
