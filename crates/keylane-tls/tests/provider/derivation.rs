//! Hashes and key derivation, compared with ring's.

use crate::{bytes, suites, suites_of_tls12, suites_of_tls13};
use rustls::SupportedCipherSuite;
use rustls::crypto::hash::Hash;
use rustls::crypto::tls13::{HkdfExpander, OkmBlock};

fn hashes() -> impl Iterator<Item = (&'static dyn Hash, &'static dyn Hash)> {
    let hash = |suite| match suite {
        SupportedCipherSuite::Tls13(suite) => suite.common.hash_provider,
        SupportedCipherSuite::Tls12(suite) => suite.common.hash_provider,
    };
    suites().map(move |(ours, theirs)| (hash(ours), hash(theirs)))
}

#[test]
fn hashes_of_any_length_are_those_of_ring() {
    let data = bytes(1, 100_000);
    for (ours, theirs) in hashes() {
        assert_eq!(ours.algorithm(), theirs.algorithm());
        assert_eq!(ours.output_len(), theirs.output_len());
        for len in (0..300).chain([1000, data.len()]) {
            assert_eq!(ours.hash(&data[..len]).as_ref(), theirs.hash(&data[..len]).as_ref());
        }
    }
}

#[test]
fn a_running_hash_goes_on_after_it_was_forked() {
    let data = bytes(2, 10_000);
    for (hash, theirs) in hashes() {
        let mut running = hash.start();
        let mut end = 0;
        for piece in [0, 1, 63, 64, 65, 127, 128, 300, 5000] {
            running.update(&data[end..end + piece]);
            end += piece;
            let digest = theirs.hash(&data[..end]);
            assert_eq!(running.fork_finish().as_ref(), digest.as_ref());
            let mut fork = running.fork();
            assert_eq!(running.fork().finish().as_ref(), digest.as_ref());
            fork.update(b"another way on");
            let elsewhere = theirs.hash(&[&data[..end], b"another way on"].concat());
            assert_eq!(fork.finish().as_ref(), elsewhere.as_ref());
        }
        assert_eq!(running.finish().as_ref(), theirs.hash(&data[..end]).as_ref());
    }
}

/// Checks that both expand to the same bytes for any label and length.
fn expand_alike(ours: &dyn HkdfExpander, theirs: &dyn HkdfExpander) {
    let long = bytes(3, 1000);
    let labels: [&[&[u8]]; 5] =
        [&[], &[b""], &[b"label"], &[b"", b"la", b"", b"bel"], &[&long[..150], &long[150..]]];
    assert_eq!(ours.hash_len(), theirs.hash_len());
    for info in labels {
        assert_eq!(ours.expand_block(info).as_ref(), theirs.expand_block(info).as_ref());
        for len in [0, 1, 12, 16, 31, 32, 33, 48, 49, 64, 96, 97, 200] {
            let mut outputs = [vec![0; len], vec![0; len]];
            ours.expand_slice(info, &mut outputs[0]).unwrap();
            theirs.expand_slice(info, &mut outputs[1]).unwrap();
            assert!(outputs[0] == outputs[1], "{len} bytes");
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
fn hkdf_is_that_of_ring() {
    let data = bytes(4, 500);
    for (ours, theirs) in suites_of_tls13() {
        let (ours, theirs) = (ours.hkdf_provider, theirs.hkdf_provider);
        for salt in [None, Some(&data[..0]), Some(&data[..32]), Some(&data[..200])] {
            let (a, b) = (ours.extract_from_zero_ikm(salt), theirs.extract_from_zero_ikm(salt));
            expand_alike(&*a, &*b);
            for secret in [0, 1, 32, 48, 500].map(|len| &data[..len]) {
                let (a, b) =
                    (ours.extract_from_secret(salt, secret), theirs.extract_from_secret(salt, secret));
                expand_alike(&*a, &*b);
            }
        }
        let okm = ours.extract_from_secret(None, b"secret").expand_block(&[b"label"]);
        expand_alike(&*ours.expander_for_okm(&okm), &*theirs.expander_for_okm(&okm));
    }
}

#[test]
fn hmac_is_that_of_ring() {
    let data = bytes(5, 10_000);
    for (ours, theirs) in suites_of_tls13() {
        for key_len in [0, 1, 32, 48, 64] {
            let key = OkmBlock::new(&data[..key_len]);
            for len in (0..300).chain([data.len()]) {
                let (a, b) = (
                    ours.hkdf_provider.hmac_sign(&key, &data[..len]),
                    theirs.hkdf_provider.hmac_sign(&key, &data[..len]),
                );
                assert_eq!(a.as_ref(), b.as_ref());
            }
        }
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
fn the_prf_derives_from_a_key_exchange_what_ring_does() {
    for (ours, theirs) in suites_of_tls12() {
        for group in rustls::crypto::ring::ALL_KX_GROUPS {
            // Both ends of an exchange have the same secret.
            let (one, other) = (group.start().unwrap(), group.start().unwrap());
            let (one_public, other_public) = (one.pub_key().to_vec(), other.pub_key().to_vec());
            let mut outputs = [[0; 48]; 2];
            ours.prf_provider
                .for_key_exchange(&mut outputs[0], one, &other_public, b"master secret", b"seed")
                .unwrap();
            theirs
                .prf_provider
                .for_key_exchange(&mut outputs[1], other, &one_public, b"master secret", b"seed")
                .unwrap();
            assert_eq!(outputs[0], outputs[1]);

            let refused = ours.prf_provider.for_key_exchange(
                &mut outputs[0],
                group.start().unwrap(),
                b"no public key",
                b"master secret",
                b"seed",
            );
            assert!(refused.is_err());
        }
    }
}
