//! The application and its part that uses keylane-tls leave everything to rustls' defaults.

use keylane_application::is_keylane;
use keylane_tls::ALL_CIPHER_SUITES;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::{ClientConfig, ClientConnection, NamedGroup, RootCertStore};

fn groups(provider: &CryptoProvider) -> Vec<NamedGroup> {
    provider.kx_groups.iter().map(|group| group.name()).collect()
}

#[test]
fn keylane_takes_what_rustls_takes_and_disturbs_nothing() {
    let keylane = keylane_tls::provider();
    assert!(CryptoProvider::get_default().is_none(), "the default is still the application's to install");

    // Another part, which panics if rustls has two providers or none.
    let builder = ClientConfig::builder();
    assert!(!builder.crypto_provider().cipher_suites.iter().any(is_keylane));

    assert_eq!(keylane.cipher_suites, ALL_CIPHER_SUITES);
    assert!(keylane.cipher_suites.iter().all(is_keylane));
    assert_eq!(groups(&keylane), groups(&aws_lc_rs::default_provider()));

    // The key share of the first message is made.
    let config = ClientConfig::builder_with_provider(keylane.into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    let mut client = ClientConnection::new(config.into(), "localhost".try_into().unwrap()).unwrap();
    assert!(client.write_tls(&mut Vec::new()).unwrap() > 1000, "no key of ML-KEM-768");
}
