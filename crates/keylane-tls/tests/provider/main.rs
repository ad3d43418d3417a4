//! The provider, at either end and at both, compared with ring's.

mod derivation;
mod handshake;
mod pair;
mod quic;
mod records;

use keylane_contracts::Random;
use rustls::crypto::{CryptoProvider, ring};
use rustls::{CipherSuite, SupportedCipherSuite, Tls12CipherSuite, Tls13CipherSuite};

/// Returns each of our suites with ring's of the same name.
fn suites() -> impl Iterator<Item = (SupportedCipherSuite, SupportedCipherSuite)> {
    keylane_tls::ALL_CIPHER_SUITES.iter().map(|ours| {
        let theirs = ring::ALL_CIPHER_SUITES.iter().find(|theirs| theirs.suite() == ours.suite());
        (*ours, *theirs.expect("ring has it"))
    })
}

fn suites_of_tls13() -> impl Iterator<Item = (&'static Tls13CipherSuite, &'static Tls13CipherSuite)> {
    suites().filter_map(|(ours, theirs)| Some((ours.tls13()?, theirs.tls13()?)))
}

fn suites_of_tls12() -> impl Iterator<Item = (&'static Tls12CipherSuite, &'static Tls12CipherSuite)> {
    suites().filter_map(|pair| match pair {
        (SupportedCipherSuite::Tls12(ours), SupportedCipherSuite::Tls12(theirs)) => Some((ours, theirs)),
        _ => None,
    })
}

fn ours() -> CryptoProvider {
    keylane_tls::provider_with(ring::default_provider())
}

/// Returns `len` bytes, which depend on `seed`.
fn bytes(seed: u64, len: usize) -> Vec<u8> {
    Random::new(seed).bytes(len)
}

#[test]
fn the_provider_offers_the_suites_of_ring_and_in_its_order() {
    let names = |suites: &[SupportedCipherSuite]| -> Vec<CipherSuite> {
        suites.iter().map(SupportedCipherSuite::suite).collect()
    };
    assert_eq!(names(keylane_tls::ALL_CIPHER_SUITES), names(ring::ALL_CIPHER_SUITES));
    assert_eq!(names(&ours().cipher_suites), names(ring::ALL_CIPHER_SUITES));
}

#[test]
fn every_suite_has_the_limits_of_ring() {
    let limits = |suite: &SupportedCipherSuite| match suite {
        SupportedCipherSuite::Tls13(suite) => suite.common.confidentiality_limit,
        SupportedCipherSuite::Tls12(suite) => suite.common.confidentiality_limit,
    };
    for (ours, theirs) in suites() {
        assert_eq!(limits(&ours), limits(&theirs), "{ours:?}");
    }
    for (ours, theirs) in suites_of_tls12() {
        assert_eq!((ours.kx, ours.sign), (theirs.kx, theirs.sign), "{ours:?}");
    }
}
