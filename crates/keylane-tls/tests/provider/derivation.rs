//! Hashes and key derivation, compared with ring's where no handshake would notice a difference.

use crate::{bytes, suites, suites_of_tls12, suites_of_tls13};
use rustls::SupportedCipherSuite;

#[test]
fn hashes_of_any_length_are_those_of_ring() {
    let data = bytes(1, 100_000);
    let hash = |suite| match suite {
        SupportedCipherSuite::Tls13(suite) => suite.common.hash_provider,
        SupportedCipherSuite::Tls12(suite) => suite.common.hash_provider,
    };
    for (ours, theirs) in suites() {
        for len in (0..300).chain([1000, data.len()]) {
            let [ours, theirs] = [ours, theirs].map(|suite| hash(suite).hash(&data[..len]));
            assert_eq!(ours.as_ref(), theirs.as_ref());
        }
    }
}

#[test]
fn hkdf_expands_to_255_digests_and_no_further() {
    for (ours, theirs) in suites_of_tls13() {
        let [ours, theirs] =
            [ours, theirs].map(|suite| suite.hkdf_provider.extract_from_secret(None, b"secret"));
        let max = 255 * ours.hash_len();
        let mut outputs = [vec![0; max], vec![0; max]];
        ours.expand_slice(&[b"label"], &mut outputs[0]).unwrap();
        theirs.expand_slice(&[b"label"], &mut outputs[1]).unwrap();
        assert!(outputs[0] == outputs[1]);
        assert!(ours.expand_slice(&[b"label"], &mut vec![0; max + 1]).is_err());
    }
}

#[test]
fn the_prf_of_tls12_is_that_of_ring() {
    let data = bytes(6, 1000);
    for (ours, theirs) in suites_of_tls12() {
        for secret in [0, 1, 48, 64, 65, 128, 129, 1000].map(|len| &data[..len]) {
            for seed in [0, 1, 64, 300].map(|len| &data[..len]) {
                for len in [0, 1, 12, 31, 32, 33, 47, 48, 49, 64, 96, 128, 1000] {
                    let mut outputs = [vec![0; len], vec![0; len]];
                    ours.prf_provider.for_secret(&mut outputs[0], secret, b"a label", seed);
                    theirs.prf_provider.for_secret(&mut outputs[1], secret, b"a label", seed);
                    assert!(outputs[0] == outputs[1]);
                }
            }
        }
    }
}

#[test]
fn the_prf_refuses_a_key_exchange_that_fails() {
    for (ours, _) in suites_of_tls12() {
        for group in rustls::crypto::ring::ALL_KX_GROUPS {
            let started = group.start().unwrap();
            let mut output = [0; 48];
            let done = ours.prf_provider.for_key_exchange(&mut output, started, b"no public key", b"", b"");
            assert!(done.is_err() && output == [0; 48]);
        }
    }
}
