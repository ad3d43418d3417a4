//! QUIC's packet protection: the examples of RFC 9001 and RFC 9369, and batches compared with ring's packets.

use keylane::Error;
use keylane_tls::quic::{
    HeaderKey, MASK_LEN, Packet, PacketKey, SAMPLE_LEN, Secret, Version, protect_header, unprotect_header,
};
use keylane_tls::record::Cipher;
use rustls::crypto::cipher::{AeadKey, Iv};
use rustls::crypto::ring::cipher_suite;
use rustls::quic::DirectionalKeys;
use rustls::{Side, SupportedCipherSuite};
use std::iter::repeat_with;

const CIPHERS: [(Cipher, SupportedCipherSuite); 3] = [
    (Cipher::Aes128Gcm, cipher_suite::TLS13_AES_128_GCM_SHA256),
    (Cipher::Aes256Gcm, cipher_suite::TLS13_AES_256_GCM_SHA384),
    (Cipher::ChaCha20Poly1305, cipher_suite::TLS13_CHACHA20_POLY1305_SHA256),
];

/// Below, at and above what is computed side by side.
const COUNTS: [usize; 16] = [0, 1, 2, 3, 4, 5, 7, 12, 13, 16, 17, 31, 32, 33, 64, 100];

/// The secret of both RFCs' packets with ChaCha20-Poly1305.
const CHACHA20_SECRET: &str = "9ac312a7f877468ebe69422748ad00a15443f18203a07d6060f688f30f21632b";

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn keys(cipher: Cipher, [key, iv, header_key]: [&str; 3]) -> (PacketKey, HeaderKey) {
    let iv = hex(iv).try_into().unwrap();
    (PacketKey::new(cipher, &hex(key), &iv).unwrap(), HeaderKey::new(cipher, &hex(header_key)).unwrap())
}

/// Returns our keys and ring's that are the same.
fn keys_and_rings(cipher: Cipher, suite: SupportedCipherSuite) -> ((PacketKey, HeaderKey), DirectionalKeys) {
    let suite = suite.tls13().unwrap();
    if cipher == Cipher::Aes128Gcm {
        // rustls makes no key of 16 bytes from bytes.
        let ring = suite.quic_suite().unwrap().keys(b"connection", Side::Client, rustls::quic::Version::V2);
        return (derived(&Secret::initial(Version::V2, b"connection")[0]), ring.local);
    }
    let quic = suite.quic.unwrap();
    let packet = quic.packet_key(AeadKey::from([7; 32]), Iv::from([9; 12]));
    let header = quic.header_protection_key(AeadKey::from([5; 32]));
    let packet_key = PacketKey::new(cipher, &[7; 32], &[9; 12]).unwrap();
    ((packet_key, HeaderKey::new(cipher, &[5; 32]).unwrap()), DirectionalKeys { packet, header })
}

fn derived(secret: &Secret) -> (PacketKey, HeaderKey) {
    (secret.packet_key(), secret.header_key())
}

/// Protects a packet. The packet number is the last bytes of the header.
fn protect((key, header_key): &(PacketKey, HeaderKey), header: &[u8], number: u64, text: &[u8]) -> Vec<u8> {
    let number_len = usize::from(header[0] & 3) + 1;
    let mut payload = text.to_vec();
    let tag = key.seal(number, header, &mut payload).unwrap();
    payload.extend(tag);
    let mask = header_key.mask(payload[4 - number_len..].first_chunk().unwrap());
    let mut packet = header.to_vec();
    let (first, rest) = packet.split_first_mut().unwrap();
    let begin = rest.len() - number_len;
    protect_header(&mask, first, &mut rest[begin..]);
    [packet, payload].concat()
}

/// Returns the header and the text of a protected packet.
fn unprotect(
    (key, header_key): &(PacketKey, HeaderKey),
    packet: &[u8],
    number_at: usize,
    number: u64,
) -> (Vec<u8>, Vec<u8>) {
    let mask = header_key.mask(packet[number_at + 4..].first_chunk().unwrap());
    let mut packet = packet.to_vec();
    let (first, rest) = packet.split_first_mut().unwrap();
    let number_len = unprotect_header(&mask, first, &mut rest[number_at - 1..]);
    let (header, payload) = packet.split_at_mut(number_at + number_len);
    let (text, tag) = payload.split_last_chunk_mut().unwrap();
    key.open(number, header, text, tag).unwrap();
    (header.to_vec(), text.to_vec())
}

/// Appendix A.1 of both RFCs.
#[test]
fn the_keys_of_initial_packets() {
    for (version, client, server) in [
        (
            Version::V1,
            [
                "1f369613dd76d5467730efcbe3b1a22d",
                "fa044b2f42a3fd3b46fb255c",
                "9f50449e04a0e810283a1e9933adedd2",
            ],
            [
                "cf3a5331653c364c88f0f379b6067e37",
                "0ac1493ca1905853b0bba03e",
                "c206b8d9b9f0f37644430b490eeaa314",
            ],
        ),
        (
            Version::V2,
            [
                "8b1a0bc121284290a29e0971b5cd045d",
                "91f73e2351d8fa91660e909f",
                "45b95e15235d6f45a6b19cbcb0294ba9",
            ],
            [
                "82db637861d55e1d011f19ea71d5d2a7",
                "dd13c276499c0249d3310652",
                "edf6d05c83121201b436e16877593c3a",
            ],
        ),
    ] {
        let secrets = Secret::initial(version, &hex("8394c8f03e515708"));
        for (secret, expected) in secrets.iter().zip([client, server]) {
            let packet = |keys| protect(keys, b"\xc3 header", 7, b"the same text under the same keys");
            assert_eq!(packet(&derived(secret)), packet(&keys(Cipher::Aes128Gcm, expected)), "{secret:?}");
        }
    }
}

/// RFC 9001, appendix A.2.
#[test]
fn a_client_initial() {
    let keys = derived(&Secret::initial(Version::V1, &hex("8394c8f03e515708"))[0]);
    let header = hex("c300000001088394c8f03e5157080000449e00000002");
    let mut text =
        hex("060040f1010000ed0303ebf8fa56f12939b9584a3896472ec40bb863cfd3e86804fe3a47f06a2b69484c00000413
         011302010000c000000010000e00000b6578616d706c652e636f6dff01000100000a00080006001d001700180010
         0007000504616c706e000500050100000000003300260024001d00209370b2c9caa47fbabaf4559fedba753de171
         fa71f50f1ce15d43e994ec74d748002b0003020304000d0010000e0403050306030203080408050806002d000201
         01001c00024001003900320408ffffffffffffffff05048000ffff07048000ffff08011001048000753009011
         00f088394c8f03e51570806048000ffff");
    text.resize(1162, 0);
    let packet = protect(&keys, &header, 2, &text);
    assert_eq!(packet, hex(include_str!("rfc9001_client_initial.hex")));
    assert_eq!(unprotect(&keys, &packet, 18, 2), (header, text));
}

/// RFC 9001, appendix A.3.
#[test]
fn a_server_initial() {
    let keys = derived(&Secret::initial(Version::V1, &hex("8394c8f03e515708"))[1]);
    let header = hex("c1000000010008f067a5502a4262b50040750001");
    let text =
        hex("02000000000600405a020000560303eefce7f7b37ba1d1632e96677825ddf73988cfc79825df566dc5430b9a045a
         1200130100002e00330024001d00209d3c940d89690b84d08a60993c144eca684d1081287c834d5311bcf32bb9da
         1a002b00020304");
    let packet = protect(&keys, &header, 1, &text);
    let expected =
        hex("cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a5816b6394100f37a1c697975
         54780bb38cc5a99f5ede4cf73c3ec2493a1839b3dbcba3f6ea46c5b7684df3548e7ddeb9c3bf9c73cc3f3bde
         d74b562bfb19fb84022f8ef4cdd93795d77d06edbb7aaf2f58891850abbdca3d20398c276456cbc42158407d
         d074ee");
    assert_eq!(packet, expected);
    assert_eq!(unprotect(&keys, &packet, 18, 1), (header, text));
}

/// RFC 9001, appendix A.4: the tag of a Retry, with the key and the nonce of §5.8.
#[test]
fn a_retry() {
    let iv = hex("461599d35d632bf2239825bb").try_into().unwrap();
    let key = PacketKey::new(Cipher::Aes128Gcm, &hex("be0c690b9f66575a1d766b54e368c84e"), &iv).unwrap();
    let pseudo_packet = hex("08 8394c8f03e515708 ff000000010008f067a5502a4262b5746f6b656e");
    let tag = key.seal(0, &pseudo_packet, &mut []).unwrap();
    assert_eq!(tag[..], hex("04a265ba2eff4d829058fb3f0f2496ba"));
}

/// Appendix A.5 of both RFCs: the keys, the next secret, a packet.
#[test]
fn a_short_header_with_chacha20_poly1305() {
    for (version, expected, next, packet) in [
        (
            Version::V1,
            [
                "c6d98ff3441c3fe1b2182094f69caa2ed4b716b65488960a7a984979fb23e1c8",
                "e0459b3474bdd0e44a41c144",
                "25a282b9e82f06f21f488917a4fc8f1b73573685608597d0efcb076b0ab7a7a4",
            ],
            "1223504755036d556342ee9361d253421a826c9ecdf3c7148684b36b714881f9",
            "4cfe4189655e5cd55c41f69080575d7999c25a5bfb",
        ),
        (
            Version::V2,
            [
                "3bfcddd72bcf02541d7fa0dd1f5f9eeea817e09a6963a0e6c7df0f9a1bab90f2",
                "a6b5bc6ab7dafce30ffff5dd",
                "d659760d2ba434a226fd37b35c69e2da8211d10c4f12538787d65645d5d1b8e2",
            ],
            "c69374c49e3d2a9466fa689e49d476db5d0dfbc87d32ceeaa6343fd0ae4c7d88",
            "5558b1c60ae7b6b932bc27d786f4bc2bb20f2162ba",
        ),
    ] {
        let secret = |hexadecimal| Secret::new(Cipher::ChaCha20Poly1305, version, &hex(hexadecimal)).unwrap();
        let (header, number, packet) = (hex("4200bff4"), 654_360_564, hex(packet));
        for keys in [derived(&secret(CHACHA20_SECRET)), keys(Cipher::ChaCha20Poly1305, expected)] {
            assert_eq!(protect(&keys, &header, number, &[1]), packet);
            assert_eq!(unprotect(&keys, &packet, 1, number), (header.clone(), vec![1]));
        }
        let after = [secret(CHACHA20_SECRET).next(), secret(next)];
        let [updated, expected] = after.map(|secret| protect(&derived(&secret), &header, number, &[1]));
        assert_eq!(updated, expected);
    }
}

/// The parts of a packet.
#[derive(Clone, PartialEq, Debug)]
struct Parts {
    number: u64,
    header: Vec<u8>,
    payload: Vec<u8>,
    tag: [u8; 16],
}

/// Returns packets of mixed lengths, empty ones among them.
fn parts(count: usize) -> Vec<Parts> {
    let mut state = count as u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut one = || {
        let (number, header_len) = (next() as u64 * 0x1_0000_0001, 1 + next() % 24);
        let payload_len = [0, 1, 17, 256, 1350, 1350, next() % 1500][next() % 7];
        let mut bytes = |len| repeat_with(|| next() as u8).take(len).collect();
        Parts { number, header: bytes(header_len), payload: bytes(payload_len), tag: [0; 16] }
    };
    repeat_with(&mut one).take(count).collect()
}

fn packets(parts: &mut [Parts]) -> Vec<Packet<'_>> {
    let each = parts.iter_mut();
    each.map(|Parts { number, header, payload, tag }| Packet { number: *number, header, payload, tag })
        .collect()
}

#[test]
fn batches_are_the_packets_of_ring() {
    for (cipher, suite) in CIPHERS {
        let ((key, _), ring) = keys_and_rings(cipher, suite);
        for count in COUNTS {
            let texts = parts(count);
            let mut expected = texts.clone();
            for Parts { number, header, payload, tag } in &mut expected {
                tag.copy_from_slice(ring.packet.encrypt_in_place(*number, header, payload).unwrap().as_ref());
            }
            let mut sealed = texts.clone();
            key.seal_many(&mut packets(&mut sealed)).unwrap();
            assert!(sealed == expected, "{cipher:?}, {count} packets");

            let mut opened = vec![false; count];
            key.open_many(&mut packets(&mut sealed), &mut opened).unwrap();
            assert_eq!(opened, vec![true; count]);
            assert!(sealed.iter().map(|parts| &parts.payload).eq(texts.iter().map(|parts| &parts.payload)));
        }
    }
}

#[test]
fn a_wrong_tag_anywhere_is_found_and_its_payload_wiped() {
    for (cipher, _) in CIPHERS {
        let key = PacketKey::new(cipher, &vec![7; cipher.key_len()], &[9; 12]).unwrap();
        for count in [1, 2, 5, 33, 64, 70] {
            let mut sealed = parts(count);
            let texts = sealed.clone();
            key.seal_many(&mut packets(&mut sealed)).unwrap();
            // Each place alone, and every third.
            let places = (0..count).map(|wrong| vec![wrong]).chain([(0..count).step_by(3).collect()]);
            for wrong in places {
                let mut received = sealed.clone();
                for &place in &wrong {
                    received[place].tag[place % 16] ^= 1 << (place % 8);
                }
                let mut opened = vec![true; count];
                let result = key.open_many(&mut packets(&mut received), &mut opened);
                assert_eq!(result, Err(Error::AuthenticationFailed));
                for (i, (received, text)) in received.iter().zip(&texts).enumerate() {
                    assert_eq!(opened[i], !wrong.contains(&i), "{cipher:?}, {wrong:?} of {count}");
                    let wiped = vec![0; text.payload.len()];
                    assert_eq!(received.payload, if opened[i] { text.payload.clone() } else { wiped });
                }
            }
        }
    }
}

#[test]
fn the_number_and_the_header_are_authenticated() {
    let [key, _] = Secret::initial(Version::V1, b"connection").map(|secret| secret.packet_key());
    let mut sealed = parts(6);
    key.seal_many(&mut packets(&mut sealed)).unwrap();
    sealed[1].number += 1;
    sealed[4].header[0] ^= 1;
    let mut opened = [false; 6];
    let result = key.open_many(&mut packets(&mut sealed), &mut opened);
    assert_eq!((result, opened), (Err(Error::AuthenticationFailed), [true, false, true, true, false, true]));
}

#[test]
fn masks_of_many_headers_are_those_of_ring() {
    for (cipher, suite) in CIPHERS {
        let ((_, key), ring) = keys_and_rings(cipher, suite);
        for count in COUNTS {
            // ChaCha20's counters go up to the last one.
            let samples: Vec<[u8; SAMPLE_LEN]> = (0..count)
                .map(|i| [[0xff; 4], [i as u8; 4], [1; 4], [2; 4]].concat().try_into().unwrap())
                .collect();
            let mut masks = vec![[0x55; MASK_LEN]; count];
            key.masks(&samples, &mut masks).unwrap();
            for (sample, mask) in samples.iter().zip(&masks) {
                assert_eq!(*mask, key.mask(sample));
                // Short headers with numbers of four bytes, and long ones with one byte.
                for first in [0x43, 0xc0] {
                    let (mut ours, mut theirs) = ((first, [9; 4]), (first, [9; 4]));
                    protect_header(mask, &mut ours.0, &mut ours.1);
                    ring.header.encrypt_in_place(sample, &mut theirs.0, &mut theirs.1).unwrap();
                    assert_eq!(ours, theirs);
                    assert_eq!(unprotect_header(mask, &mut ours.0, &mut ours.1), usize::from(first & 3) + 1);
                    assert_eq!(ours, (first, [9; 4]));
                }
            }
        }
    }
}

#[test]
fn a_packet_does_not_show_its_payload() {
    let packet = Packet { number: 5, header: &[1, 2], payload: &mut [3; 9], tag: &mut [4; 16] };
    assert_eq!(format!("{packet:?}"), "Packet { number: 5, header: [1, 2], .. }");
}

#[test]
fn wrong_lengths_are_refused() {
    for (cipher, _) in CIPHERS {
        for len in (0..50).filter(|len| *len != cipher.key_len()) {
            let error = PacketKey::new(cipher, &vec![7; len], &[9; 12]).unwrap_err();
            assert!(matches!(error, Error::WrongLength { actual, .. } if actual == len));
            let error = HeaderKey::new(cipher, &vec![7; len]).unwrap_err();
            assert!(matches!(error, Error::WrongLength { actual, .. } if actual == len));
        }
        let secret_len = if cipher == Cipher::Aes256Gcm { 48 } else { 32 };
        for len in 0..50 {
            assert_eq!(Secret::new(cipher, Version::V1, &vec![7; len]).is_ok(), len == secret_len);
        }
    }
    let [(key, header_key), _] = Secret::initial(Version::V1, b"connection").map(|secret| derived(&secret));
    let mut two = parts(2);
    let before = two.clone();
    for len in [0, 1, 3] {
        let error = key.open_many(&mut packets(&mut two), &mut vec![false; len]).unwrap_err();
        assert!(matches!(error, Error::WrongLength { min: 2, actual, .. } if actual == len));
        let error = header_key.masks(&[[1; SAMPLE_LEN]; 2], &mut vec![[0; MASK_LEN]; len]).unwrap_err();
        assert!(matches!(error, Error::WrongLength { min: 2, actual, .. } if actual == len));
    }
    assert_eq!(two, before);
}
