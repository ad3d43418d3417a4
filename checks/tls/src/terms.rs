//! What both ends of a connection agree on, fixed so that every library does the same work.

use rustls::{CipherSuite, SupportedProtocolVersion, version};
use std::fmt;

/// A version of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// RFC 5246, with ephemeral keys and AEADs only.
    Tls12,
    /// RFC 8446.
    Tls13,
}

/// What protects the records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aead {
    /// With SHA-256.
    Aes128Gcm,
    /// With SHA-384.
    Aes256Gcm,
    /// With SHA-256.
    ChaCha20Poly1305,
}

/// The key of the server's certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    /// A fresh one each run.
    EcdsaP256,
    /// A fixed one: making one takes long.
    Rsa2048,
    /// A fresh one each run.
    Ed25519,
}

/// How a stream cuts what is written into records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packets {
    /// As long as they may be: 16 KiB of text.
    Max,
    /// Short ones first, so that a slow network delivers something early. A library that cannot sends long
    /// ones.
    Dynamic,
}

/// Version, suite and key. The key exchange is always X25519.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terms {
    /// The only version offered and accepted.
    pub version: Version,
    /// The only one offered and accepted.
    pub aead: Aead,
    /// Of the server's certificate.
    pub key: Key,
}

impl Version {
    pub(crate) fn supported(self) -> &'static SupportedProtocolVersion {
        match self {
            Self::Tls12 => &version::TLS12,
            Self::Tls13 => &version::TLS13,
        }
    }
}

impl Key {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::EcdsaP256, Self::Rsa2048, Self::Ed25519];
}

impl Terms {
    pub(crate) fn suite(&self) -> CipherSuite {
        match (self.version, self.aead, self.key) {
            (Version::Tls13, Aead::Aes128Gcm, _) => CipherSuite::TLS13_AES_128_GCM_SHA256,
            (Version::Tls13, Aead::Aes256Gcm, _) => CipherSuite::TLS13_AES_256_GCM_SHA384,
            (Version::Tls13, Aead::ChaCha20Poly1305, _) => CipherSuite::TLS13_CHACHA20_POLY1305_SHA256,
            (_, Aead::Aes128Gcm, Key::Rsa2048) => CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            (_, Aead::Aes256Gcm, Key::Rsa2048) => CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            (_, Aead::ChaCha20Poly1305, Key::Rsa2048) => {
                CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
            }
            (_, Aead::Aes128Gcm, _) => CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
            (_, Aead::Aes256Gcm, _) => CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
            (_, Aead::ChaCha20Poly1305, _) => CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
        }
    }

    /// By how many bytes a record's body is longer than its text, without padding: the tag, and in TLS 1.3
    /// the inner type, in TLS 1.2 the explicit nonce.
    pub fn expansion(&self) -> usize {
        match (self.version, self.aead) {
            (Version::Tls13, _) => 16 + 1,
            (Version::Tls12, Aead::ChaCha20Poly1305) => 16,
            (Version::Tls12, _) => 16 + 8,
        }
    }
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = match self.version {
            Version::Tls12 => "tls12",
            Version::Tls13 => "tls13",
        };
        let aead = match self.aead {
            Aead::Aes128Gcm => "aes128gcm",
            Aead::Aes256Gcm => "aes256gcm",
            Aead::ChaCha20Poly1305 => "chachapoly",
        };
        write!(f, "{version}-{aead}")
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EcdsaP256 => "ecdsa-p256",
            Self::Rsa2048 => "rsa-2048",
            Self::Ed25519 => "ed25519",
        })
    }
}

impl fmt::Display for Packets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Max => "max",
            Self::Dynamic => "dynamic",
        })
    }
}
