//! From `sha2` to Keylane.

use keylane_contracts::{LENGTHS, painted};

swap! {
    before {
        use sha2::{Digest, Sha256, Sha384};
    }
    after {
        use keylane::{rustcrypto::digest::Digest, sha2::Sha256, sha2::Sha384};
    }

    pub(super) fn digests(data: &[u8]) -> Vec<u8> {
        let mut hasher = Sha256::new();
        data.chunks(100).for_each(|chunk| hasher.update(chunk));
        [&hasher.finalize()[..], &Sha384::digest(data)].concat()
    }
}

#[test]
fn the_same() {
    for &len in LENGTHS {
        assert_eq!(after::digests(&painted(len)), before::digests(&painted(len)), "{len} bytes");
    }
}
