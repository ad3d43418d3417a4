//! What is computed from a file: a digest or a tag.

use keylane::Hash;
use keylane::hmac::Hmac;

/// A running checksum. Each file's begins as a clone of one that has absorbed nothing.
pub(crate) trait Checksum: Clone + Send + Sync {
    /// Each absorbs its own data, side by side in lanes.
    ///
    /// # Panics
    /// If there are more or fewer checksums than slices.
    fn update_many(checksums: Vec<&mut Self>, data: &[&[u8]]);
    fn finish(self) -> Vec<u8>;
    /// Whether the checksum is `expected`.
    fn accepts(self, expected: &[u8]) -> bool;
}

/// A running hash.
#[derive(Clone)]
pub(crate) struct Digest<H: Hash>(H);

impl<H: Hash> Digest<H> {
    pub(crate) fn new() -> Self {
        Self(H::new())
    }
}

impl<H: Hash + Send + Sync> Checksum for Digest<H> {
    fn update_many(checksums: Vec<&mut Self>, data: &[&[u8]]) {
        let hashes = checksums.into_iter().map(|Self(hash)| hash);
        H::update_many(hashes, data).expect("a slice for each hash");
    }

    fn finish(self) -> Vec<u8> {
        self.0.finalize().as_ref().to_vec()
    }

    fn accepts(self, expected: &[u8]) -> bool {
        self.finish() == expected
    }
}

impl<H: Hash + Send + Sync> Checksum for Hmac<H>
where
    Self: Send + Sync,
{
    fn update_many(checksums: Vec<&mut Self>, data: &[&[u8]]) {
        Self::update_many(checksums, data).expect("a slice for each MAC");
    }

    fn finish(self) -> Vec<u8> {
        self.finalize().as_ref().to_vec()
    }

    /// In constant time: the expected tag may come from an attacker.
    fn accepts(self, expected: &[u8]) -> bool {
        self.verify(expected).is_ok()
    }
}
