//! The parameters that both ends agree on, fixed so that every library does the same work.

pub use keylane_tls::record::{Cipher, Version};
use rustls::CipherSuite;
use std::fmt;

/// The key of the server's certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    /// A new one each run.
    EcdsaP256,
    /// A fixed one: generating one takes long.
    Rsa2048,
    /// A new one each run.
    Ed25519,
}

/// Version, cipher and key. The key exchange is always X25519.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terms {
    /// The only version offered and accepted.
    pub version: Version,
    /// The only one offered and accepted.
    pub cipher: Cipher,
    /// The key of the server's certificate.
    pub key: Key,
}

/// Every cipher.
pub const CIPHERS: [Cipher; 3] = [Cipher::Aes128Gcm, Cipher::Aes256Gcm, Cipher::ChaCha20Poly1305];

impl Key {
    /// Every kind of key.
    pub const ALL: [Self; 3] = [Self::EcdsaP256, Self::Rsa2048, Self::Ed25519];
}

impl Terms {
    /// Returns whether a suite has this version, cipher and kind of key.
    pub fn has_suite(&self, suite: CipherSuite) -> bool {
        let exchange = match (self.version, self.key) {
            (Version::Tls13, _) => "TLS13",
            (Version::Tls12, Key::Rsa2048) => "TLS_ECDHE_RSA_WITH",
            (Version::Tls12, _) => "TLS_ECDHE_ECDSA_WITH",
        };
        let cipher = match self.cipher {
            Cipher::Aes128Gcm => "AES_128_GCM_SHA256",
            Cipher::Aes256Gcm => "AES_256_GCM_SHA384",
            _ => "CHACHA20_POLY1305_SHA256",
        };
        suite.as_str().is_some_and(|name| name == format!("{exchange}_{cipher}"))
    }

    /// By how many bytes a record's body is longer than its text, without padding: the tag, in TLS 1.3 the
    /// inner type, in TLS 1.2 the explicit nonce of AES-GCM.
    pub fn expansion(&self) -> usize {
        match (self.version, self.cipher) {
            (Version::Tls13, _) => 16 + 1,
            (Version::Tls12, Cipher::ChaCha20Poly1305) => 16,
            (Version::Tls12, _) => 16 + 8,
        }
    }
}

/// The variants' names in lower case, ChaCha20-Poly1305's shortened: `tls13-aes128gcm`, `tls12-chachapoly`.
impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = format!("{:?}-{:?}", self.version, self.cipher).to_lowercase();
        f.write_str(&name.replace("chacha20poly1305", "chachapoly"))
    }
}
