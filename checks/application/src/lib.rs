//! An application on rustls' defaults, one part of which uses keylane-tls. Its tests are programs that `cargo
//! xtask check` builds with nothing else beside them.

use rustls::SupportedCipherSuite;
use std::ptr;

/// Returns whether a suite is Keylane's. `==` compares only names.
pub fn is_keylane(suite: &SupportedCipherSuite) -> bool {
    keylane_tls::ALL_CIPHER_SUITES.iter().any(|ours| match (suite, ours) {
        (SupportedCipherSuite::Tls12(suite), SupportedCipherSuite::Tls12(ours)) => ptr::eq(*suite, *ours),
        (SupportedCipherSuite::Tls13(suite), SupportedCipherSuite::Tls13(ours)) => ptr::eq(*suite, *ours),
        _ => false,
    })
}
