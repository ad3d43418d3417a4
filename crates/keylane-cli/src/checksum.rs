//! A file's digest or tag.

use keylane::any::{AnyHash, AnyHmac};

/// A running checksum. Each file's begins as a clone of an empty one.
pub(crate) trait Checksum: Clone + Send + Sync {
    /// Updates each checksum with its own data, side by side in lanes.
    ///
    /// # Panics
    /// If there are more or fewer checksums than slices.
    fn update_many(checksums: Vec<&mut Self>, data: &[&[u8]]);
    fn finish(self) -> Vec<u8>;
    /// Returns whether the checksum equals `expected`.
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

    /// Compares in constant time: the expected tag may come from an attacker.
    fn accepts(self, expected: &[u8]) -> bool {
        self.verify(expected).is_ok()
    }
}
