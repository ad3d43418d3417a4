//! From `poly1305` to Keylane.

use keylane_contracts::{LENGTHS, painted};

swap! {
    before {
        use poly1305::{Poly1305, universal_hash::KeyInit, universal_hash::UniversalHash};
    }
    after {
        use keylane::rustcrypto::{Poly1305, universal_hash::KeyInit, universal_hash::UniversalHash};
    }

    pub(super) fn tag(key: &[u8; 32], aad: &[u8], text: &[u8]) -> Vec<u8> {
        let mut poly1305 = Poly1305::new(key.into());
        poly1305.update_padded(aad);
        poly1305.update_padded(text);
        poly1305.finalize().to_vec()
    }
}

#[test]
fn the_same() {
    let key = painted(250)[100..132].try_into().unwrap();
    for &len in LENGTHS {
        let (aad, text) = (painted(len % 70), painted(len));
        assert_eq!(after::tag(&key, &aad, &text), before::tag(&key, &aad, &text), "{len} bytes");
    }
}
