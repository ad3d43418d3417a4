//! Connections of every suite: data, resumed sessions, early data.

use crate::pair::{Pair, configs, pass};
use crate::{bytes, ours, suites, suites_of_tls13};
use rustls::HandshakeKind;
use rustls::crypto::{CryptoProvider, ring};
use std::io::{Read, Write};
use std::sync::Arc;

/// Our provider at both ends, only at the client, only at the server.
fn providers() -> [(CryptoProvider, CryptoProvider); 3] {
    let theirs = ring::default_provider;
    [(ours(), ours()), (ours(), theirs()), (theirs(), ours())]
}

#[test]
fn every_suite_carries_data_both_ways_and_resumes_with_itself_and_with_ring() {
    for (suite, _) in suites() {
        for (client, server) in providers() {
            let configs = configs(client, server, suite.suite());
            for kind in [HandshakeKind::Full, HandshakeKind::Resumed] {
                let mut pair = Pair::connect(&configs);
                assert_eq!(pair.client.negotiated_cipher_suite().unwrap().suite(), suite.suite());
                assert_eq!(pair.client.handshake_kind(), Some(kind), "{suite:?}");
                pair.exchange(&bytes(1, 300_001), &bytes(2, 300_002));
            }
        }
    }
}

#[test]
fn early_data_arrives_or_is_skipped() {
    for (suite, _) in suites_of_tls13() {
        for (client, server) in providers() {
            let mut configs = configs(client, server, suite.common.suite).with_early_data(10_000);
            for accepted in [true, false] {
                Pair::connect(&configs);
                if !accepted {
                    // A server that has forgotten the session has no key for the early data.
                    let server = Arc::make_mut(&mut configs.server);
                    server.session_storage = rustls::server::ServerSessionMemoryCache::new(8);
                }
                let early = bytes(5, 1000);
                let mut pair = Pair::before_the_handshake(&configs);
                pair.client.early_data().expect("a session allows it").write_all(&early).unwrap();
                pass(&mut pair.client, &mut pair.server).unwrap();
                if accepted {
                    let mut received = Vec::new();
                    pair.server.early_data().expect("accepted").read_to_end(&mut received).unwrap();
                    assert!(received == early);
                }
                pair.shake_hands();
                assert_eq!(pair.client.is_early_data_accepted(), accepted);
                pair.exchange(&bytes(3, 20_000), &bytes(4, 20_000));
            }
        }
    }
}
