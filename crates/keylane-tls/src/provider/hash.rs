//! Cipher suites' hashes.

use crate::record::Cipher;
use keylane::any::{AnyHash, HashKind};
use rustls::crypto::hash::{self, HashAlgorithm, Output};

/// SHA-256 or SHA-384, for the transcript and the values derived from it.
pub(super) struct Hash(pub(super) HashKind);

impl Hash {
    /// Returns a cipher's hash, the same in both TLS versions: SHA-384 with AES-256, SHA-256 with the others.
    pub(super) const fn of(cipher: &Cipher) -> &'static Self {
        match cipher {
            Cipher::Aes256Gcm => &Self(HashKind::Sha384),
            Cipher::Aes128Gcm | Cipher::ChaCha20Poly1305 => &Self(HashKind::Sha256),
        }
    }
}

impl hash::Hash for Hash {
    fn start(&self) -> Box<dyn hash::Context> {
        Box::new(Running(AnyHash::new(self.0)))
    }

    fn hash(&self, data: &[u8]) -> Output {
        Output::new(self.0.digest(data).as_bytes())
    }

    fn output_len(&self) -> usize {
        self.0.output_len()
    }

    fn algorithm(&self) -> HashAlgorithm {
        if self.0 == HashKind::Sha384 { HashAlgorithm::SHA384 } else { HashAlgorithm::SHA256 }
    }
}

struct Running(AnyHash);

impl hash::Context for Running {
    fn fork_finish(&self) -> Output {
        Output::new(self.0.clone().finalize().as_bytes())
    }

    fn fork(&self) -> Box<dyn hash::Context> {
        Box::new(Self(self.0.clone()))
    }

    /// Finishes a copy: moving the hash out of its box would leave an unwiped copy there.
    fn finish(self: Box<Self>) -> Output {
        self.fork_finish()
    }

    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}
