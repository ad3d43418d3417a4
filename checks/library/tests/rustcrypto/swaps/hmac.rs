//! From `hmac` to Keylane.

use keylane_contracts::{LENGTHS, painted};

swap! {
    before {
        use hmac::{Hmac, KeyInit, Mac};
        use sha2::Sha256;
    }
    after {
        use keylane::rustcrypto::{Hmac, Sha256, digest::KeyInit, digest::Mac};
    }

    type HmacSha256 = Hmac<Sha256>;

    pub(super) fn tag(key: &[u8], message: &[u8]) -> Vec<u8> {
        let mut mac = HmacSha256::new_from_slice(key).expect("HMAC takes keys of any length");
        mac.update(message);
        mac.finalize().into_bytes().to_vec()
    }

    pub(super) fn accepts(key: &[u8], message: &[u8], tag: &[u8]) -> bool {
        let mut mac = HmacSha256::new_from_slice(key).expect("HMAC takes keys of any length");
        mac.update(message);
        mac.verify_slice(tag).is_ok()
    }
}

#[test]
fn the_same() {
    for &len in LENGTHS {
        let (key, message) = (painted(len % 200), painted(len));
        let mut tag = before::tag(&key, &message);
        assert_eq!(after::tag(&key, &message), tag, "{len} bytes");
        assert!(before::accepts(&key, &message, &tag) && after::accepts(&key, &message, &tag));
        tag[31] ^= 1;
        assert!(!before::accepts(&key, &message, &tag) && !after::accepts(&key, &message, &tag));
    }
}
