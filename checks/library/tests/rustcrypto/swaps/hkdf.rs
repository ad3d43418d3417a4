//! RustCrypto's `hkdf` over Keylane's hash.

use keylane_contracts::painted;

swap! {
    before {
        use sha2::Sha256;
    }
    after {
        use keylane::rustcrypto::Sha256;
    }
    use hkdf::Hkdf;

    pub(super) fn key_of(salt: &[u8], secret: &[u8], info: &[u8], len: usize) -> Vec<u8> {
        let mut key = vec![0; len];
        Hkdf::<Sha256>::new(Some(salt), secret).expand(info, &mut key).expect("not too long");
        key
    }
}

#[test]
fn the_same() {
    for len in [0, 1, 31, 32, 33, 64, 500] {
        let (salt, secret, info) = (painted(len), painted(len + 1), painted(len / 3));
        let expected = before::key_of(&salt, &secret, &info, len);
        assert_eq!(after::key_of(&salt, &secret, &info, len), expected, "{len} bytes");
    }
}
