//! From `pbkdf2` to Keylane.

swap! {
    before {
        use pbkdf2::pbkdf2_hmac;
        use sha2::Sha512;
    }
    after {
        use keylane::rustcrypto::{Sha512, pbkdf2_hmac};
    }

    pub(super) fn key_of(password: &[u8], salt: &[u8], rounds: u32, len: usize) -> Vec<u8> {
        let mut key = vec![0; len];
        pbkdf2_hmac::<Sha512>(password, salt, rounds, &mut key);
        key
    }
}

#[test]
fn the_same() {
    for (rounds, len) in [(0, 64), (1, 1), (2, 63), (10, 64), (100, 65), (3, 300), (7, 0)] {
        let expected = before::key_of(b"password", b"salt", rounds, len);
        assert_eq!(
            after::key_of(b"password", b"salt", rounds, len),
            expected,
            "{rounds} rounds, {len} bytes"
        );
    }
}
