//! From `chacha20poly1305` to Keylane, in place.

use keylane_contracts::{LENGTHS, painted};

swap! {
    before {
        use chacha20poly1305::{XChaCha20Poly1305, XNonce, aead::AeadInOut, aead::Error, aead::KeyInit};
    }
    after {
        use keylane::rustcrypto::{XChaCha20Poly1305, XNonce, aead::AeadInOut, aead::Error, aead::KeyInit};
    }

    pub(super) fn seal(key: &[u8; 32], nonce: &[u8; 24], aad: &[u8], data: &mut Vec<u8>) -> Result<(), Error> {
        XChaCha20Poly1305::new(key.into()).encrypt_in_place(XNonce::cast_from_core(nonce), aad, data)
    }

    pub(super) fn open(key: &[u8; 32], nonce: &[u8; 24], aad: &[u8], data: &mut Vec<u8>) -> Result<(), Error> {
        XChaCha20Poly1305::new(key.into()).decrypt_in_place(nonce.into(), aad, data)
    }
}

#[test]
fn the_same() {
    let (key, nonce) = ([7; 32], [9; 24]);
    for &len in LENGTHS {
        let (aad, text) = (painted(len % 50), painted(len));
        let (mut theirs, mut ours) = (text.clone(), text.clone());
        before::seal(&key, &nonce, &aad, &mut theirs).unwrap();
        after::seal(&key, &nonce, &aad, &mut ours).unwrap();
        assert_eq!(ours, theirs, "{len} bytes");
        before::open(&key, &nonce, &aad, &mut theirs).unwrap();
        after::open(&key, &nonce, &aad, &mut ours).unwrap();
        assert_eq!((&ours, &theirs), (&text, &text), "{len} bytes");
    }
}
