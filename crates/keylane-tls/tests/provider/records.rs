//! Records, sealed by one provider and opened by the other.

use crate::pair::{Pair, configs};
use crate::{bytes, ours, suites, suites_of_tls12, suites_of_tls13};
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, Iv, MessageDecrypter, MessageEncrypter, OutboundChunks,
    OutboundPlainMessage,
};
use rustls::{CipherSuite, ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion};

const MAX_FRAGMENT_LEN: usize = 1 << 14;

/// Returns a key twice. rustls has no way to make keys of 16 bytes, except for connections.
fn key_twice(suite: CipherSuite) -> [(AeadKey, Iv); 2] {
    let pair = Pair::connect(&configs(ours(), ours(), suite));
    let sent = pair.client.dangerous_extract_secrets().unwrap().tx;
    let received = pair.server.dangerous_extract_secrets().unwrap().rx;
    [sent.1, received.1].map(parts)
}

fn parts(secrets: ConnectionTrafficSecrets) -> (AeadKey, Iv) {
    match secrets {
        ConnectionTrafficSecrets::Aes128Gcm { key, iv }
        | ConnectionTrafficSecrets::Aes256Gcm { key, iv }
        | ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv } => (key, iv),
        _ => panic!("a cipher without a suite"),
    }
}

/// The provider that seals, and the provider that opens.
struct Direction {
    suite: CipherSuite,
    version: ProtocolVersion,
    encrypter: Box<dyn MessageEncrypter>,
    decrypter: Box<dyn MessageDecrypter>,
}

impl Direction {
    /// Returns the payload of a record, without its header.
    fn seal(&mut self, typ: ContentType, payload: OutboundChunks<'_>, sequence_number: u64) -> Vec<u8> {
        let expected_len = self.encrypter.encrypted_payload_len(payload.len());
        let message = OutboundPlainMessage { typ, version: self.version, payload };
        let sealed = self.encrypter.encrypt(message, sequence_number).unwrap();
        let outer = if self.tls13() { ContentType::ApplicationData } else { typ };
        assert_eq!((sealed.typ, sealed.version), (outer, ProtocolVersion::TLSv1_2));
        assert_eq!(sealed.payload.as_ref().len(), expected_len);
        sealed.payload.as_ref().to_vec()
    }

    fn open<'a>(
        &mut self,
        typ: ContentType,
        payload: &'a mut [u8],
        sequence_number: u64,
    ) -> Result<(ContentType, &'a [u8]), Error> {
        let outer = if self.tls13() { ContentType::ApplicationData } else { typ };
        let message = InboundOpaqueMessage::new(outer, ProtocolVersion::TLSv1_2, payload);
        let opened = self.decrypter.decrypt(message, sequence_number)?;
        assert_eq!(opened.version, self.version);
        Ok((opened.typ, opened.payload))
    }

    fn tls13(&self) -> bool {
        self.version == ProtocolVersion::TLSv1_3
    }
}

/// Returns, for every suite: ours to ring, ring to ours, ours to ours.
fn directions() -> Vec<Direction> {
    let mut directions = Vec::new();
    for (ours, theirs) in suites_of_tls13() {
        for (sender, receiver) in [(ours, theirs), (theirs, ours), (ours, ours)] {
            let [(key, iv), (same_key, same_iv)] = key_twice(ours.common.suite);
            directions.push(Direction {
                suite: ours.common.suite,
                version: ProtocolVersion::TLSv1_3,
                encrypter: sender.aead_alg.encrypter(key, iv),
                decrypter: receiver.aead_alg.decrypter(same_key, same_iv),
            });
        }
    }
    for (ours, theirs) in suites_of_tls12() {
        for (sender, receiver) in [(ours, theirs), (theirs, ours), (ours, ours)] {
            let fixed_iv_len = ours.aead_alg.key_block_shape().fixed_iv_len;
            let [(key, iv), (same_key, _)] = key_twice(ours.common.suite);
            let (fixed, explicit) = iv.as_ref().split_at(fixed_iv_len);
            directions.push(Direction {
                suite: ours.common.suite,
                version: ProtocolVersion::TLSv1_2,
                encrypter: sender.aead_alg.encrypter(key, fixed, explicit),
                decrypter: receiver.aead_alg.decrypter(same_key, fixed),
            });
        }
    }
    assert_eq!(directions.len(), 3 * suites().count());
    directions
}

const SEQUENCE_NUMBERS: [u64; 5] = [0, 1, 0x0102_0304_0506_0708, 1 << 32, u64::MAX - 2];

#[test]
fn what_one_seals_the_other_opens_at_every_length() {
    let text = bytes(1, MAX_FRAGMENT_LEN);
    for mut direction in directions() {
        for len in (0..300).chain([1000, 4096, 8191, 8192, 8193, MAX_FRAGMENT_LEN - 1, MAX_FRAGMENT_LEN]) {
            let sequence_number = SEQUENCE_NUMBERS[len % SEQUENCE_NUMBERS.len()];
            let typ = [ContentType::ApplicationData, ContentType::Handshake, ContentType::Alert][len % 3];
            let mut payload = direction.seal(typ, text[..len].into(), sequence_number);
            let opened = direction.open(typ, &mut payload, sequence_number).unwrap();
            assert!(opened == (typ, &text[..len]), "{:?}, {len} bytes", direction.suite);
        }
    }
}

#[test]
fn a_text_in_pieces_is_sealed_as_one() {
    let text = bytes(2, 10_000);
    let pieces: Vec<&[u8]> = vec![&text[..3], &[], &text[3..300], &text[300..317], &text[317..]];
    let typ = ContentType::ApplicationData;
    for mut direction in directions() {
        for (begin, end) in
            [(0, 700), (1, 699), (2, 3), (3, 300), (5, 316), (299, 301), (400, 400), (0, 10_000)]
        {
            let range = OutboundChunks::new(&pieces).split_at(end).0.split_at(begin).1;
            let mut payload = direction.seal(typ, range, 9);
            let whole = direction.seal(typ, text[begin..end].into(), 9);
            assert!(payload == whole, "{:?}, {begin}..{end}", direction.suite);
            assert!(direction.open(typ, &mut payload, 9).unwrap().1 == &text[begin..end]);
        }
    }
}

#[test]
fn keys_of_tls12_are_extracted_with_the_whole_iv() {
    let iv = bytes(5, 12);
    for (suite, _) in suites_of_tls12() {
        let (fixed, explicit) = iv.split_at(suite.aead_alg.key_block_shape().fixed_iv_len);
        let secrets = suite.aead_alg.extract_keys(AeadKey::from([9; 32]), fixed, explicit).unwrap();
        assert_eq!(parts(secrets).1.as_ref(), iv);
    }
}

#[test]
fn a_nonce_depends_on_the_sequence_number_and_never_repeats() {
    let typ = ContentType::ApplicationData;
    for mut direction in directions() {
        let sealed = SEQUENCE_NUMBERS.map(|number| direction.seal(typ, (&[0; 64][..]).into(), number));
        for (i, one) in sealed.iter().enumerate() {
            for other in &sealed[..i] {
                // With the same nonce, equal texts would have equal ciphertexts, explicit nonces and tags.
                assert!(one[..8] != other[..8] && one[20..60] != other[20..60]);
            }
        }
    }
}

#[test]
fn padding_of_tls13_is_removed_and_a_record_of_padding_only_is_refused() {
    for mut direction in directions().into_iter().filter(Direction::tls13) {
        // The appended type is the last byte of the padding.
        let padding = ContentType::Unknown(0);
        let mut payload = direction.seal(padding, (&b"text\x17\0\0\0\0"[..]).into(), 0);
        assert_eq!(
            direction.open(ContentType::ApplicationData, &mut payload, 0).unwrap(),
            (ContentType::ApplicationData, &b"text"[..])
        );
        let mut payload = direction.seal(padding, (&[0; 9][..]).into(), 1);
        assert!(matches!(
            direction.open(ContentType::ApplicationData, &mut payload, 1),
            Err(Error::PeerMisbehaved(_))
        ));
    }
}

#[test]
fn a_record_that_is_too_long_is_refused() {
    let text = bytes(3, MAX_FRAGMENT_LEN + 1);
    let typ = ContentType::ApplicationData;
    for mut direction in directions() {
        let mut payload = direction.seal(typ, text[..].into(), 0);
        assert_eq!(direction.open(typ, &mut payload, 0), Err(Error::PeerSentOversizedRecord));
    }
}

#[test]
fn a_payload_shorter_than_a_tag_is_refused() {
    for mut direction in directions() {
        for len in 0..16 {
            let payload = &mut [0; 16][..len];
            let opened = direction.open(ContentType::ApplicationData, payload, 0);
            assert_eq!(opened, Err(Error::DecryptError), "{:?}, {len} bytes", direction.suite);
        }
    }
}

#[test]
fn a_forged_record_leaves_no_plaintext() {
    let text = vec![0x55; 500];
    let typ = ContentType::ApplicationData;
    // The directions in which ours opens.
    for mut direction in directions().into_iter().skip(2).step_by(3) {
        let mut payload = direction.seal(typ, text[..].into(), 0);
        let len = payload.len();
        payload[len - 1] ^= 1;
        assert_eq!(direction.open(typ, &mut payload, 0), Err(Error::DecryptError));
        let begin = payload.len() - 16 - text.len() - usize::from(direction.tls13());
        assert!(payload[begin..len - 16].iter().all(|byte| *byte == 0), "{:?}", direction.suite);
    }
}

#[test]
fn the_type_the_version_and_the_number_of_a_record_of_tls12_are_authenticated() {
    for mut direction in directions().into_iter().filter(|direction| !direction.tls13()) {
        let sealed = direction.seal(ContentType::ApplicationData, (&b"text"[..]).into(), 5);
        for (typ, version, number) in [
            (ContentType::Handshake, ProtocolVersion::TLSv1_2, 5),
            (ContentType::ApplicationData, ProtocolVersion::TLSv1_1, 5),
            (ContentType::ApplicationData, ProtocolVersion::TLSv1_2, 6),
        ] {
            let payload = &mut sealed.clone()[..];
            let opened =
                direction.decrypter.decrypt(InboundOpaqueMessage::new(typ, version, payload), number);
            assert_eq!(opened.err(), Some(Error::DecryptError));
        }
    }
}
