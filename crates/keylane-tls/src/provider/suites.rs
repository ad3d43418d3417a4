//! Cipher suites and their parts.

use super::hash::Hash;
use crate::record::Cipher;
use rustls::crypto::{CipherSuiteCommon, KeyExchangeAlgorithm};
use rustls::{CipherSuite, SignatureScheme, SupportedCipherSuite, Tls12CipherSuite, Tls13CipherSuite};

/// All cipher suites, in the order in which they are offered, which is that of rustls' own providers.
pub static ALL_CIPHER_SUITES: &[SupportedCipherSuite] = &[
    TLS13_AES_256_GCM_SHA384,
    TLS13_AES_128_GCM_SHA256,
    TLS13_CHACHA20_POLY1305_SHA256,
    TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
];

/// TLS 1.3 with AES-256-GCM and SHA-384 (RFC 8446 appendix B.4).
pub static TLS13_AES_256_GCM_SHA384: SupportedCipherSuite =
    SupportedCipherSuite::Tls13(&tls13(CipherSuite::TLS13_AES_256_GCM_SHA384, &Cipher::Aes256Gcm));
/// TLS 1.3 with AES-128-GCM and SHA-256 (RFC 8446 appendix B.4).
pub static TLS13_AES_128_GCM_SHA256: SupportedCipherSuite =
    SupportedCipherSuite::Tls13(&tls13(CipherSuite::TLS13_AES_128_GCM_SHA256, &Cipher::Aes128Gcm));
/// TLS 1.3 with ChaCha20-Poly1305 and SHA-256 (RFC 8446 appendix B.4).
pub static TLS13_CHACHA20_POLY1305_SHA256: SupportedCipherSuite = SupportedCipherSuite::Tls13(&tls13(
    CipherSuite::TLS13_CHACHA20_POLY1305_SHA256,
    &Cipher::ChaCha20Poly1305,
));

/// TLS 1.2 with ECDSA, AES-256-GCM and SHA-384 (RFC 5289).
pub static TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: SupportedCipherSuite = SupportedCipherSuite::Tls12(
    &tls12(CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, ECDSA, &Cipher::Aes256Gcm),
);
/// TLS 1.2 with ECDSA, AES-128-GCM and SHA-256 (RFC 5289).
pub static TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: SupportedCipherSuite = SupportedCipherSuite::Tls12(
    &tls12(CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, ECDSA, &Cipher::Aes128Gcm),
);
/// TLS 1.2 with ECDSA, ChaCha20-Poly1305 and SHA-256 (RFC 7905).
pub static TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: SupportedCipherSuite = SupportedCipherSuite::Tls12(
    &tls12(CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, ECDSA, &Cipher::ChaCha20Poly1305),
);
/// TLS 1.2 with RSA, AES-256-GCM and SHA-384 (RFC 5289).
pub static TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: SupportedCipherSuite = SupportedCipherSuite::Tls12(&tls12(
    CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    RSA,
    &Cipher::Aes256Gcm,
));
/// TLS 1.2 with RSA, AES-128-GCM and SHA-256 (RFC 5289).
pub static TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: SupportedCipherSuite = SupportedCipherSuite::Tls12(&tls12(
    CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    RSA,
    &Cipher::Aes128Gcm,
));
/// TLS 1.2 with RSA, ChaCha20-Poly1305 and SHA-256 (RFC 7905).
pub static TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: SupportedCipherSuite = SupportedCipherSuite::Tls12(
    &tls12(CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, RSA, &Cipher::ChaCha20Poly1305),
);

/// The signature schemes of elliptic-curve keys.
const ECDSA: &[SignatureScheme] = &[
    SignatureScheme::ED25519,
    SignatureScheme::ECDSA_NISTP521_SHA512,
    SignatureScheme::ECDSA_NISTP384_SHA384,
    SignatureScheme::ECDSA_NISTP256_SHA256,
];

/// The signature schemes of RSA keys.
const RSA: &[SignatureScheme] = &[
    SignatureScheme::RSA_PSS_SHA512,
    SignatureScheme::RSA_PSS_SHA384,
    SignatureScheme::RSA_PSS_SHA256,
    SignatureScheme::RSA_PKCS1_SHA512,
    SignatureScheme::RSA_PKCS1_SHA384,
    SignatureScheme::RSA_PKCS1_SHA256,
];

const fn tls13(suite: CipherSuite, aead: &'static Cipher) -> Tls13CipherSuite {
    Tls13CipherSuite {
        common: common(suite, aead),
        hkdf_provider: Hash::of(aead),
        aead_alg: aead,
        quic: Some(aead),
    }
}

const fn tls12(
    suite: CipherSuite,
    sign: &'static [SignatureScheme],
    aead: &'static Cipher,
) -> Tls12CipherSuite {
    Tls12CipherSuite {
        common: common(suite, aead),
        prf_provider: Hash::of(aead),
        kx: KeyExchangeAlgorithm::ECDHE,
        sign,
        aead_alg: aead,
    }
}

const fn common(suite: CipherSuite, aead: &Cipher) -> CipherSuiteCommon {
    CipherSuiteCommon { suite, hash_provider: Hash::of(aead), confidentiality_limit: aead.records_per_key() }
}
