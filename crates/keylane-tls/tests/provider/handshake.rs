//! Connections of every suite: data, key updates, resumed sessions.

use crate::pair::{Ends, deliver, outgoing, pass};
use crate::{bytes, ours, suites, suites_of_tls13};
use rustls::crypto::{CryptoProvider, ring};
use rustls::{ConnectionTrafficSecrets, HandshakeKind, ProtocolVersion};
use std::io::{Read, Write};

/// Our provider at both ends, only at the client, only at the server.
fn providers() -> [(CryptoProvider, CryptoProvider); 3] {
    let theirs = ring::default_provider;
    [(ours(), ours()), (ours(), theirs()), (theirs(), ours())]
}

#[test]
fn every_suite_carries_data_both_ways_with_itself_and_with_ring() {
    for (suite, _) in suites() {
        for (client, server) in providers() {
            let ends = Ends::for_suite(client, server, suite.suite());
            let mut pair = ends.connect();
            assert_eq!(pair.client.negotiated_cipher_suite().unwrap().suite(), suite.suite());
            pair.exchange(&bytes(1, 300_001), &bytes(2, 300_002));
        }
    }
}

#[test]
fn records_may_have_any_length() {
    for (suite, _) in suites() {
        for (client, server) in providers() {
            for fragment in [32, 47, 333, 1400] {
                let mut ends = Ends::for_suite(client.clone(), server.clone(), suite.suite());
                ends.client.max_fragment_size = Some(fragment);
                ends.server.max_fragment_size = Some(fragment + 1);
                ends.connect().exchange(&bytes(1, 5000), &bytes(2, 5000));
            }
        }
    }
}

#[test]
fn keys_are_updated_again_and_again_by_either_end() {
    for (suite, _) in suites_of_tls13() {
        for (client, server) in providers() {
            let mut pair = Ends::for_suite(client, server, suite.common.suite).connect();
            for _ in 0..3 {
                pair.client.refresh_traffic_keys().unwrap();
                pair.exchange_some();
                pair.server.refresh_traffic_keys().unwrap();
                pair.exchange_some();
            }
        }
    }
}

#[test]
fn sessions_are_resumed_with_tickets_and_with_the_servers_memory() {
    for (suite, _) in suites() {
        for (client, server) in providers() {
            for tickets in [false, true] {
                let mut ends = Ends::for_suite(client.clone(), server.clone(), suite.suite());
                if tickets {
                    ends.server.ticketer = ring::Ticketer::new().unwrap();
                    ends.server.session_storage =
                        std::sync::Arc::new(rustls::server::NoServerSessionStorage {});
                }
                let mut first = ends.connect();
                assert_eq!(first.client.handshake_kind(), Some(HandshakeKind::Full));
                first.exchange_some();
                let mut second = ends.connect();
                assert_eq!(
                    second.client.handshake_kind(),
                    Some(HandshakeKind::Resumed),
                    "{suite:?} {tickets}"
                );
                second.exchange_some();
            }
        }
    }
}

#[test]
fn early_data_arrives_or_is_skipped() {
    for (suite, _) in suites_of_tls13() {
        for (client, server) in providers() {
            let mut ends = Ends::for_suite(client, server, suite.common.suite);
            ends.client.enable_early_data = true;
            ends.server.max_early_data_size = 10_000;
            for accepted in [true, false] {
                ends.connect();
                if !accepted {
                    // A server that has forgotten the session has no key for the early data.
                    ends.server.session_storage = rustls::server::ServerSessionMemoryCache::new(8);
                }
                let early = bytes(5, 1000);
                let mut pair = ends.pair();
                pair.client.early_data().expect("a session allows it").write_all(&early).unwrap();
                pass(&mut pair.client, &mut pair.server).unwrap();
                if accepted {
                    let mut received = Vec::new();
                    pair.server.early_data().expect("accepted").read_to_end(&mut received).unwrap();
                    assert!(received == early);
                }
                pair.shake_hands();
                assert_eq!(pair.client.is_early_data_accepted(), accepted);
                pair.exchange_some();
            }
        }
    }
}

#[test]
fn both_ends_export_the_same_keying_material() {
    for (suite, _) in suites() {
        for (client, server) in providers() {
            let pair = Ends::for_suite(client, server, suite.suite()).connect();
            for context in [None, Some(&b"context"[..])] {
                let client = pair.client.export_keying_material([0; 77], b"label", context).unwrap();
                let server = pair.server.export_keying_material([0; 77], b"label", context).unwrap();
                assert_eq!(client, server);
                assert_ne!(client, [0; 77]);
            }
        }
    }
}

/// Returns the cipher's name, the key, and the IV.
fn parts(secrets: &ConnectionTrafficSecrets) -> (&str, &[u8], &[u8]) {
    match secrets {
        ConnectionTrafficSecrets::Aes128Gcm { key, iv } => ("AES_128_GCM", key.as_ref(), iv.as_ref()),
        ConnectionTrafficSecrets::Aes256Gcm { key, iv } => ("AES_256_GCM", key.as_ref(), iv.as_ref()),
        ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv } => {
            ("CHACHA20_POLY1305", key.as_ref(), iv.as_ref())
        }
        _ => panic!("a cipher without a suite"),
    }
}

#[test]
fn what_is_extracted_opens_the_next_record() {
    use keylane::aes_gcm::{Aes128Gcm, Aes256Gcm};
    use keylane::chacha20poly1305::ChaCha20Poly1305;

    for (suite, _) in suites() {
        let mut ends = Ends::for_suite(ours(), ours(), suite.suite());
        ends.client.enable_secret_extraction = true;
        ends.server.enable_secret_extraction = true;
        let mut pair = ends.connect();
        pair.client.writer().write_all(b"text").unwrap();
        let record = outgoing(&mut pair.client);
        let extracted = pair.server.dangerous_extract_secrets().unwrap();
        let (sequence_number, secrets) = extracted.rx;

        let (header, payload) = record.split_at(5);
        let (cipher, key, iv) = parts(&secrets);
        let tls13 = suite.version().version == ProtocolVersion::TLSv1_3;
        let explicit = if tls13 || cipher == "CHACHA20_POLY1305" { 0 } else { 8 };
        let mut nonce: [u8; 12] = iv.try_into().unwrap();
        for (byte, number) in nonce[4..].iter_mut().zip(sequence_number.to_be_bytes()) {
            *byte ^= number;
        }
        nonce[12 - explicit..].copy_from_slice(&payload[..explicit]);
        let aad = if tls13 {
            header.to_vec()
        } else {
            let length = (payload.len() - explicit - 16) as u16;
            [&sequence_number.to_be_bytes()[..], &header[..3], &length.to_be_bytes()[..]].concat()
        };
        let sealed = &payload[explicit..];
        let mut text = vec![0; sealed.len() - 16];
        match secrets {
            ConnectionTrafficSecrets::Aes128Gcm { .. } => {
                Aes128Gcm::from_slice(key).unwrap().open_to(&nonce, &aad, sealed, &mut text)
            }
            ConnectionTrafficSecrets::Aes256Gcm { .. } => {
                Aes256Gcm::from_slice(key).unwrap().open_to(&nonce, &aad, sealed, &mut text)
            }
            _ => ChaCha20Poly1305::from_slice(key).unwrap().open_to(&nonce, &aad, sealed, &mut text),
        }
        .unwrap();
        assert_eq!(text, if tls13 { &b"text\x17"[..] } else { b"text" });
    }
}

#[test]
fn the_end_of_the_data_is_told() {
    for (suite, _) in suites() {
        let mut pair = Ends::for_suite(ours(), ring::default_provider(), suite.suite()).connect();
        pair.client.send_close_notify();
        pair.server.send_close_notify();
        let (to_server, to_client) = (outgoing(&mut pair.client), outgoing(&mut pair.server));
        deliver(&to_server, &mut pair.server).unwrap();
        deliver(&to_client, &mut pair.client).unwrap();
        assert_eq!(pair.client.reader().read(&mut [0; 10]).unwrap(), 0);
        assert_eq!(pair.server.reader().read(&mut [0; 10]).unwrap(), 0);
    }
}
