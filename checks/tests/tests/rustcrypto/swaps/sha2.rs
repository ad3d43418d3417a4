//! From `sha2` to Keylane.

use keylane_contracts::{LENGTHS, painted};

swap! {
    before {
        use sha2::{Digest, Sha256, Sha384};
    }
    after {
        use keylane::rustcrypto::{Sha256, Sha384, digest::Digest};
    }

    pub(super) fn digests(data: &[u8]) -> Vec<u8> {
        let mut hasher = Sha256::new();
        hasher.update("any text");
        data.chunks(100).for_each(|chunk| hasher.update(chunk));
        let mut array = hasher.finalize().to_vec();
        array.extend(Sha384::new_with_prefix(data).chain_update("more").finalize().as_slice());
        let owned = data.to_vec();
        array.extend(Sha384::digest(owned));
        array
    }
}

#[test]
fn the_same() {
    for &len in LENGTHS {
        assert_eq!(after::digests(&painted(len)), before::digests(&painted(len)), "{len} bytes");
    }
}
