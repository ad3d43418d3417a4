//! What is computed of a file: a digest, or a tag.

use keylane::Hash;
use keylane::hmac::Hmac;
use std::mem;

pub(crate) trait Checksum {
    fn update(&mut self, data: &[u8]);
    /// The checksum of everything absorbed; the next file begins.
    fn finish(&mut self) -> Vec<u8>;
    /// Whether the checksum of everything absorbed is `expected`; the next file begins.
    fn accepts(&mut self, expected: &[u8]) -> bool;
    /// Forgets what was absorbed.
    fn reset(&mut self);
}

/// A running hash.
pub(crate) struct Digest<H: Hash>(H);

impl<H: Hash> Digest<H> {
    pub(crate) fn new() -> Self {
        Self(H::new())
    }
}

impl<H: Hash> Checksum for Digest<H> {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn finish(&mut self) -> Vec<u8> {
        mem::replace(&mut self.0, H::new()).finalize().as_ref().to_vec()
    }

    fn accepts(&mut self, expected: &[u8]) -> bool {
        self.finish() == expected
    }

    fn reset(&mut self) {
        self.0 = H::new();
    }
}

impl<H: Hash> Checksum for Hmac<H> {
    fn update(&mut self, data: &[u8]) {
        Self::update(self, data);
    }

    fn finish(&mut self) -> Vec<u8> {
        self.finalize_reset().as_ref().to_vec()
    }

    /// In constant time: the expected tag may be a forger's.
    fn accepts(&mut self, expected: &[u8]) -> bool {
        let absorbed = self.clone();
        Self::reset(self);
        absorbed.verify(expected).is_ok()
    }

    fn reset(&mut self) {
        Self::reset(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use keylane::sha2::Sha256;

    /// One checksum serves file after file: each end is a new beginning.
    #[test]
    fn every_end_is_a_beginning() {
        let checksums: [Box<dyn Checksum>; 2] =
            [Box::new(Digest::<Sha256>::new()), Box::new(Hmac::<Sha256>::new(b"key"))];
        for mut sum in checksums {
            sum.update(b"a file");
            let expected = sum.finish();
            sum.update(b"a file");
            assert!(sum.accepts(&expected));
            sum.update(b"another file");
            assert!(!sum.accepts(&expected));
            sum.update(b"half of ");
            sum.reset();
            sum.update(b"a file");
            assert!(!sum.accepts(&expected[..31]));
            sum.update(b"a file");
            assert!(sum.accepts(&expected));
        }
    }
}
