//! Packets of QUIC, compared with the RFCs' examples and with ring's.

use crate::pair::configs;
use crate::{bytes, ours, suites_of_tls13};
use keylane_contracts::hex;
use keylane_tls_checks::certificates::{Configs, server_name};
use rustls::crypto::cipher::{AeadKey, Iv};
use rustls::crypto::ring;
use rustls::quic::{
    ClientConnection, Connection, DirectionalKeys, HeaderProtectionKey, KeyChange, Keys, PacketKey, Secrets,
    ServerConnection, Version,
};
use rustls::{CipherSuite, Error, Side, Tls13CipherSuite};

/// Protects a packet. The packet number is the last bytes of the header.
fn protect(
    keys: (&dyn PacketKey, &dyn HeaderProtectionKey),
    header: &[u8],
    number: u64,
    text: &[u8],
) -> Vec<u8> {
    let (packet_key, header_key) = keys;
    let number_len = usize::from(header[0] & 0x03) + 1;
    let mut payload = text.to_vec();
    let tag = packet_key.encrypt_in_place(number, header, &mut payload).unwrap();
    payload.extend_from_slice(tag.as_ref());
    let sample = &payload[4 - number_len..][..header_key.sample_len()];
    let mut header = header.to_vec();
    let (first, rest) = header.split_first_mut().unwrap();
    let begin = rest.len() - number_len;
    header_key.encrypt_in_place(sample, first, &mut rest[begin..]).unwrap();
    header.extend(payload);
    header
}

/// Returns the header and the text of a protected packet.
fn unprotect(
    keys: (&dyn PacketKey, &dyn HeaderProtectionKey),
    packet: &[u8],
    number_begins: usize,
    number: u64,
) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let (packet_key, header_key) = keys;
    let (header, rest) = packet.split_at(number_begins + 4);
    let sample = &rest[..header_key.sample_len()];
    let mut header = header.to_vec();
    let (first, others) = header.split_first_mut().unwrap();
    header_key.decrypt_in_place(sample, first, &mut others[number_begins - 1..])?;
    header.truncate(number_begins + usize::from(header[0] & 0x03) + 1);
    let mut payload = packet[header.len()..].to_vec();
    let text = packet_key.decrypt_in_place(number, &header, &mut payload)?.to_vec();
    Ok((header, text))
}

fn both(keys: &DirectionalKeys) -> (&dyn PacketKey, &dyn HeaderProtectionKey) {
    (&*keys.packet, &*keys.header)
}

fn initial(suite: &'static Tls13CipherSuite, side: Side, version: Version) -> Keys {
    suite.quic_suite().expect("for QUIC too").keys(&hex("8394c8f03e515708"), side, version)
}

/// The keys of the side that RFC 9001's examples have, with AES-128-GCM.
fn of_the_rfc(side: Side) -> DirectionalKeys {
    initial(keylane_tls::cipher_suite::TLS13_AES_128_GCM_SHA256.tls13().unwrap(), side, Version::V1).local
}

/// RFC 9001, appendix A.2.
#[test]
fn a_client_initial() {
    let keys = of_the_rfc(Side::Client);
    let header = hex("c300000001088394c8f03e5157080000449e00000002");
    let mut text =
        hex("060040f1010000ed0303ebf8fa56f12939b9584a3896472ec40bb863cfd3e86804fe3a47f06a2b69484c00000413
         011302010000c000000010000e00000b6578616d706c652e636f6dff01000100000a00080006001d001700180010
         0007000504616c706e000500050100000000003300260024001d00209370b2c9caa47fbabaf4559fedba753de171
         fa71f50f1ce15d43e994ec74d748002b0003020304000d0010000e0403050306030203080408050806002d000201
         01001c00024001003900320408ffffffffffffffff05048000ffff07048000ffff08011001048000753009011
         00f088394c8f03e51570806048000ffff");
    text.resize(1162, 0);
    let packet = protect(both(&keys), &header, 2, &text);
    assert_eq!(packet, hex(include_str!("rfc9001_client_initial.hex")));
    assert_eq!(unprotect(both(&keys), &packet, 18, 2), Ok((header, text)));
}

/// RFC 9001, appendix A.3.
#[test]
fn a_server_initial() {
    let keys = of_the_rfc(Side::Server);
    let header = hex("c1000000010008f067a5502a4262b50040750001");
    let text =
        hex("02000000000600405a020000560303eefce7f7b37ba1d1632e96677825ddf73988cfc79825df566dc5430b9a045a
         1200130100002e00330024001d00209d3c940d89690b84d08a60993c144eca684d1081287c834d5311bcf32bb9da
         1a002b00020304");
    let packet = protect(both(&keys), &header, 1, &text);
    let expected =
        hex("cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a5816b6394100f37a1c697975
         54780bb38cc5a99f5ede4cf73c3ec2493a1839b3dbcba3f6ea46c5b7684df3548e7ddeb9c3bf9c73cc3f3bde
         d74b562bfb19fb84022f8ef4cdd93795d77d06edbb7aaf2f58891850abbdca3d20398c276456cbc42158407d
         d074ee");
    assert_eq!(packet, expected);
    assert_eq!(unprotect(both(&keys), &packet, 18, 1), Ok((header, text)));
}

/// Appendix A.5 of RFC 9001 and of RFC 9369.
#[test]
fn a_short_header_with_chacha20_poly1305() {
    for (key, iv, header_key, packet) in [
        (
            "c6d98ff3441c3fe1b2182094f69caa2ed4b716b65488960a7a984979fb23e1c8",
            "e0459b3474bdd0e44a41c144",
            "25a282b9e82f06f21f488917a4fc8f1b73573685608597d0efcb076b0ab7a7a4",
            "4cfe4189655e5cd55c41f69080575d7999c25a5bfb",
        ),
        (
            "3bfcddd72bcf02541d7fa0dd1f5f9eeea817e09a6963a0e6c7df0f9a1bab90f2",
            "a6b5bc6ab7dafce30ffff5dd",
            "d659760d2ba434a226fd37b35c69e2da8211d10c4f12538787d65645d5d1b8e2",
            "5558b1c60ae7b6b932bc27d786f4bc2bb20f2162ba",
        ),
    ] {
        let suite = keylane_tls::cipher_suite::TLS13_CHACHA20_POLY1305_SHA256.tls13().unwrap();
        let quic = suite.quic.unwrap();
        let bytes = |text| AeadKey::from(<[u8; 32]>::try_from(hex(text)).unwrap());
        let keys = DirectionalKeys {
            packet: quic.packet_key(bytes(key), Iv::new(hex(iv).try_into().unwrap())),
            header: quic.header_protection_key(bytes(header_key)),
        };
        let (header, number, packet) = (hex("4200bff4"), 654_360_564, hex(packet));
        assert_eq!(protect(both(&keys), &header, number, &[1]), packet);
        assert_eq!(unprotect(both(&keys), &packet, 1, number), Ok((header, vec![1])));
    }
}

#[test]
fn packets_of_every_suite_are_those_of_ring() {
    for (ours, theirs) in suites_of_tls13() {
        for version in [Version::V1, Version::V2] {
            let our_keys = initial(ours, Side::Client, version);
            let their_keys = initial(theirs, Side::Client, version);
            let their_server = initial(theirs, Side::Server, version);
            // Long and short headers, with packet numbers of one to four bytes.
            for (i, first) in [0xc0_u8, 0xc1, 0xc2, 0xc3, 0x40, 0x41, 0x42, 0x43].into_iter().enumerate() {
                for number in [0, 1, 0x0102_0304_0506_0708, (1 << 62) - 1] {
                    let header =
                        [&[first][..], &bytes(1, 20), &bytes(2, usize::from(first & 3) + 1)].concat();
                    let text = bytes(3, 20 + 150 * i);
                    let packet = protect(both(&our_keys.local), &header, number, &text);
                    assert_eq!(packet, protect(both(&their_keys.local), &header, number, &text));
                    let opened = unprotect(both(&their_server.remote), &packet, 21, number);
                    assert_eq!(opened, Ok((header, text)));
                }
            }
        }
    }
}

#[test]
fn packets_on_several_paths_are_those_of_ring() {
    for (ours, theirs) in suites_of_tls13() {
        let our_keys = initial(ours, Side::Client, Version::V1).local.packet;
        let our_peer = initial(ours, Side::Server, Version::V1).remote.packet;
        let their_keys = initial(theirs, Side::Client, Version::V1).local.packet;
        for path in [0, 1, 2, 0xaead, u32::MAX] {
            let mut packets = [bytes(1, 100), bytes(1, 100)];
            let ours = our_keys.encrypt_in_place_for_path(path, 12345, b"header", &mut packets[0]).unwrap();
            let theirs =
                their_keys.encrypt_in_place_for_path(path, 12345, b"header", &mut packets[1]).unwrap();
            assert_eq!((ours.as_ref(), &packets[0]), (theirs.as_ref(), &packets[1]));
            let mut packet = [&packets[0], ours.as_ref()].concat();
            let opened = our_peer.decrypt_in_place_for_path(path, 12345, b"header", &mut packet);
            assert_eq!(opened, Ok(&bytes(1, 100)[..]));
        }
    }
}

#[test]
fn changed_and_shortened_packets_are_refused_and_wiped() {
    for (ours, _) in suites_of_tls13() {
        let sender = initial(ours, Side::Client, Version::V1).local.packet;
        let receiver = initial(ours, Side::Server, Version::V1).remote.packet;
        let mut sealed = vec![0x55; 50];
        let tag = sender.encrypt_in_place(7, b"header", &mut sealed).unwrap();
        sealed.extend_from_slice(tag.as_ref());
        assert_eq!(sealed.len(), 50 + receiver.tag_len());
        for (number, header, changed) in
            [(8, b"header", None), (7, b"Header", None), (7, b"header", Some(0)), (7, b"header", Some(65))]
        {
            let mut payload = sealed.clone();
            if let Some(place) = changed {
                payload[place] ^= 1;
            }
            assert_eq!(receiver.decrypt_in_place(number, header, &mut payload), Err(Error::DecryptError));
            assert_eq!(payload[..50], [0; 50]);
        }
        for len in 0..16 {
            assert_eq!(receiver.decrypt_in_place(7, b"header", &mut vec![0; len]), Err(Error::DecryptError));
        }
    }
}

#[test]
fn header_protection_refuses_wrong_lengths_and_changes_nothing() {
    for (ours, theirs) in suites_of_tls13() {
        for keys in [initial(ours, Side::Client, Version::V1), initial(theirs, Side::Client, Version::V1)] {
            let header = keys.local.header;
            assert_eq!(header.sample_len(), 16);
            for (sample_len, number_len) in [(15, 4), (17, 4), (0, 4), (16, 5)] {
                let (mut first, mut number) = (0x43, vec![9; number_len]);
                assert!(header.encrypt_in_place(&vec![1; sample_len], &mut first, &mut number).is_err());
                assert!(header.decrypt_in_place(&vec![1; sample_len], &mut first, &mut number).is_err());
                assert_eq!((first, number), (0x43, vec![9; number_len]));
            }
        }
    }
}

#[test]
fn header_protection_does_not_change_bytes_after_the_packet_number() {
    for (ours, theirs) in suites_of_tls13() {
        let [ours, theirs] =
            [ours, theirs].map(|suite| initial(suite, Side::Client, Version::V1).local.header);
        for first in 0..=u8::MAX {
            for protect in [HeaderProtectionKey::encrypt_in_place, HeaderProtectionKey::decrypt_in_place] {
                let mut headers = [(first, [0x99; 4]); 2];
                for (key, header) in [&ours, &theirs].into_iter().zip(&mut headers) {
                    // ChaCha20's counter goes up to the last one.
                    let sample = [[0xff; 8], [first; 8]].concat();
                    protect(&**key, &sample, &mut header.0, &mut header.1).unwrap();
                }
                assert_eq!(headers[0], headers[1]);
            }
        }
    }
}

#[test]
fn the_limits_are_those_of_rfc9001() {
    for (ours, _) in suites_of_tls13() {
        let key = initial(ours, Side::Client, Version::V1).local.packet;
        // §6.6
        let expected = match ours.common.suite {
            CipherSuite::TLS13_CHACHA20_POLY1305_SHA256 => (u64::MAX, 1 << 36),
            _ => (1 << 23, 1 << 52),
        };
        assert_eq!((key.confidentiality_limit(), key.integrity_limit()), expected);
    }
}

/// Passes on the messages of `from`. Returns the keys for data, if they are known now.
fn speak(from: &mut Connection, to: &mut Connection) -> Option<(Keys, Secrets)> {
    let mut established = None;
    loop {
        // Data after a change of keys goes into separate packets.
        let mut message = Vec::new();
        let change = from.write_hs(&mut message);
        to.read_hs(&message).unwrap();
        match change {
            Some(KeyChange::OneRtt { keys, next }) => established = Some((keys, next)),
            Some(KeyChange::Handshake { .. }) => {}
            None if message.is_empty() => return established,
            None => {}
        }
    }
}

#[test]
fn a_connection_of_quic_protects_its_data_and_updates_its_keys() {
    for (suite, _) in suites_of_tls13() {
        for (client, server) in
            [(ours(), ours()), (ours(), ring::default_provider()), (ring::default_provider(), ours())]
        {
            let Configs { client, server } = configs(client, server, suite.common.suite);
            let mut client: Connection =
                ClientConnection::new(client, Version::V1, server_name(), b"parameters".to_vec())
                    .unwrap()
                    .into();
            let mut server: Connection =
                ServerConnection::new(server, Version::V1, b"parameters".to_vec()).unwrap().into();
            assert!(speak(&mut client, &mut server).is_none());
            let mut other = speak(&mut server, &mut client).expect("keys of the server");
            let mut one = speak(&mut client, &mut server).expect("keys of the client");
            let header = [&[0x43][..], &[7; 8], &[0, 0, 0, 5]].concat();
            for text in [bytes(1, 1200), bytes(2, 20)] {
                let packet = protect(both(&one.0.local), &header, 5, &text);
                assert_eq!(
                    unprotect(both(&other.0.remote), &packet, 9, 5),
                    Ok((header.clone(), text.clone()))
                );
                let packet = protect(both(&other.0.local), &header, 5, &text);
                assert_eq!(unprotect(both(&one.0.remote), &packet, 9, 5), Ok((header.clone(), text)));
                // The keys for headers do not change.
                let (next, next_of_other) = (one.1.next_packet_keys(), other.1.next_packet_keys());
                (one.0.local.packet, one.0.remote.packet) = (next.local, next.remote);
                (other.0.local.packet, other.0.remote.packet) = (next_of_other.local, next_of_other.remote);
            }
        }
    }
}
