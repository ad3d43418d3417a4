//! The provider for rustls.

mod aead;
mod compiled;
mod hash;
mod key_derivation;
mod quic;
mod suites;
mod tls12;
mod tls13;

use compiled::{aws_lc_rs, ring};
use rustls::SupportedCipherSuite;
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

/// Returns a provider for rustls and for programs that let you choose it. Records, QUIC packets, the
/// transcript's hash and the key schedules of TLS 1.2 and 1.3 are Keylane's. Key exchange, signatures,
/// certificates and randomness come from another provider, the first of:
///
/// 1. ring's with this crate's feature `ring`, otherwise aws-lc-rs' with `aws-lc-rs`;
/// 2. without either, the process's [default provider](CryptoProvider::get_default), if one is installed; the
///    cipher suites are then those that it has, in its order;
/// 3. the one that rustls is compiled with: by default, and if rustls has both, aws-lc-rs'.
///
/// Nothing is installed. Keylane is not FIPS-validated: [`fips`](CryptoProvider::fips) returns `false`.
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
/// To use it in each of the process's configurations that name no provider:
/// `keylane_tls::provider().install_default()`.
///
/// # Panics
/// If there is no other provider: rustls is compiled without ring and aws-lc-rs, and no default provider is
/// installed. Enable one of the two features in the application, or use [`provider_with`].
#[must_use]
#[track_caller]
pub fn provider() -> CryptoProvider {
    if cfg!(not(any(feature = "ring", feature = "aws-lc-rs")))
        && let Some(installed) = CryptoProvider::get_default()
    {
        let ours = |theirs: &SupportedCipherSuite| {
            ALL_CIPHER_SUITES.iter().find(|ours| ours.suite() == theirs.suite()).copied()
        };
        let cipher_suites = installed.cipher_suites.iter().filter_map(ours).collect();
        return CryptoProvider { cipher_suites, ..(**installed).clone() };
    }
    let asymmetric = if cfg!(feature = "ring") { ring() } else { aws_lc_rs().or_else(ring) };
    provider_with(asymmetric.expect(
        "keylane-tls needs a provider of key exchange and signatures: turn on its feature `ring` or \
         `aws-lc-rs`, or install a default provider",
    ))
}

/// Returns [`provider`] with the key exchange, signatures, certificates and randomness of `asymmetric`. Its
/// cipher suites are replaced by [`ALL_CIPHER_SUITES`]; to remove or reorder suites, change the result.
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
