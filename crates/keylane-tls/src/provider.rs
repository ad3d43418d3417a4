//! The provider for rustls.

mod aead;
mod hash;
mod key_derivation;
mod quic;
mod suites;
mod tls12;
mod tls13;

use rustls::crypto::CryptoProvider;
pub use suites::ALL_CIPHER_SUITES;

/// All cipher suites, each under the name that rustls gives it.
pub mod cipher_suite {
    pub use super::suites::{
        TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
        TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        TLS13_AES_128_GCM_SHA256, TLS13_AES_256_GCM_SHA384, TLS13_CHACHA20_POLY1305_SHA256,
    };
}

/// Keylane for rustls and everything built on rustls: records, QUIC packets, the transcript's hash and the
/// key schedule of TLS 1.2 and 1.3 are Keylane's; key exchange, signatures, certificates and randomness are
/// ring's, or those of aws-lc-rs with the feature `aws-lc-rs` and without `ring`.
///
/// ```
/// # fn main() -> Result<(), rustls::Error> {
/// let config = rustls::ClientConfig::builder_with_provider(keylane_tls::provider().into())
///     .with_safe_default_protocol_versions()?
///     .with_root_certificates(rustls::RootCertStore::empty())
///     .with_no_client_auth();
/// # Ok(())
/// # }
/// ```
///
/// Or for every configuration of the process that names no other:
/// `keylane_tls::provider().install_default()`.
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
#[must_use]
pub fn provider() -> CryptoProvider {
    #[cfg(not(feature = "ring"))]
    use rustls::crypto::aws_lc_rs as asymmetric;
    #[cfg(feature = "ring")]
    use rustls::crypto::ring as asymmetric;
    provider_with(asymmetric::default_provider())
}

/// As [`provider`], with the key exchange, signatures, certificates and randomness of `asymmetric`. None of
/// its cipher suites is kept; to remove or reorder suites, change the provider that this returns.
///
/// ```
/// use keylane_tls::cipher_suite::TLS13_CHACHA20_POLY1305_SHA256;
///
/// let mut provider = keylane_tls::provider_with(rustls::crypto::ring::default_provider());
/// assert_eq!(provider.cipher_suites, keylane_tls::ALL_CIPHER_SUITES);
/// provider.cipher_suites.retain(|suite| *suite == TLS13_CHACHA20_POLY1305_SHA256);
/// ```
#[must_use]
pub fn provider_with(asymmetric: CryptoProvider) -> CryptoProvider {
    CryptoProvider { cipher_suites: ALL_CIPHER_SUITES.to_vec(), ..asymmetric }
}
