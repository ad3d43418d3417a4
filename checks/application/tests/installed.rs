//! The application has installed a default provider with fewer suites and groups than rustls has.

use keylane_application::is_keylane;
use keylane_tls::cipher_suite::{TLS13_AES_128_GCM_SHA256, TLS13_CHACHA20_POLY1305_SHA256};
use rustls::ClientConfig;
use rustls::crypto::{CryptoProvider, aws_lc_rs};

#[test]
fn keylane_keeps_to_what_is_installed() {
    let installed = CryptoProvider {
        cipher_suites: vec![
            aws_lc_rs::cipher_suite::TLS13_CHACHA20_POLY1305_SHA256,
            aws_lc_rs::cipher_suite::TLS13_AES_128_GCM_SHA256,
        ],
        kx_groups: vec![aws_lc_rs::kx_group::SECP384R1],
        ..aws_lc_rs::default_provider()
    };
    installed.install_default().unwrap();
    let keylane = keylane_tls::provider();
    assert_eq!(keylane.cipher_suites, [TLS13_CHACHA20_POLY1305_SHA256, TLS13_AES_128_GCM_SHA256]);
    assert!(keylane.cipher_suites.iter().all(is_keylane));
    assert_eq!(keylane.kx_groups.len(), 1);
    assert_eq!(keylane.kx_groups[0].name(), rustls::NamedGroup::secp384r1);
    ClientConfig::builder_with_provider(keylane.into()).with_safe_default_protocol_versions().unwrap();
}
