//! Packets of QUIC, compared with ring's. The examples of the RFCs are in `tests/quic.rs`.

use crate::pair::{Ends, NAME};
use crate::{bytes, hex, ours, suites_of_tls13};
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
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
                    protect(&**key, &[first; 16], &mut header.0, &mut header.1).unwrap();
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
            let Ends { client, server } = Ends::for_suite(client, server, suite.common.suite);
            let name = ServerName::try_from(NAME).unwrap();
            let mut client: Connection =
                ClientConnection::new(client.into(), Version::V1, name, b"parameters".to_vec())
                    .unwrap()
                    .into();
            let mut server: Connection =
                ServerConnection::new(server.into(), Version::V1, b"parameters".to_vec()).unwrap().into();
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
