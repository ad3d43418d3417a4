//! The digest or tag of a file.

use keylane::any::{AnyHash, AnyHmac};

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

impl Checksum for AnyHash {
    fn update_many(checksums: Vec<&mut Self>, data: &[&[u8]]) {
        Self::update_many(checksums, data).expect("a slice for each hash");
    }

    fn finish(self) -> Vec<u8> {
        self.finalize().as_bytes().to_vec()
    }

    fn accepts(self, expected: &[u8]) -> bool {
        self.finalize().as_bytes() == expected
    }
}

impl Checksum for AnyHmac {
    fn update_many(checksums: Vec<&mut Self>, data: &[&[u8]]) {
        Self::update_many(checksums, data).expect("a slice for each MAC");
    }

    fn finish(self) -> Vec<u8> {
        self.finalize().as_bytes().to_vec()
    }

    /// In constant time: the expected tag may come from an attacker.
    fn accepts(self, expected: &[u8]) -> bool {
        self.verify(expected).is_ok()
    }
}
