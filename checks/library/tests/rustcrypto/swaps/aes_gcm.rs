//! From `aes-gcm` to Keylane.

use keylane_contracts::{LENGTHS, painted};

swap! {
    before {
        use aes_gcm::{Aes256Gcm, Nonce, aead::Aead, aead::Error, aead::Key, aead::KeyInit, aead::Payload};
    }
    after {
        use keylane::rustcrypto::{Aes256Gcm, Nonce, aead::Aead, aead::Error, aead::Key, aead::KeyInit, aead::Payload};
    }

    pub(super) fn seal(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], msg: &[u8]) -> Result<Vec<u8>, Error> {
        let key: &Key<Aes256Gcm> = key.into();
        let cipher = Aes256Gcm::new(key);
        let nonce = Nonce::from(*nonce);
        cipher.encrypt(&nonce, Payload { msg, aad })
    }

    pub(super) fn open(key: &[u8], nonce: &[u8; 12], aad: &[u8], msg: &[u8]) -> Result<Vec<u8>, Error> {
        let cipher = Aes256Gcm::new_from_slice(key).map_err(|_| Error)?;
        cipher.decrypt(nonce.into(), Payload { msg, aad })
    }
}

#[test]
fn the_same() {
    let (key, nonce) = ([7; 32], [9; 12]);
    for &len in LENGTHS {
        let (aad, text) = (painted(len % 50), painted(len));
        let mut sealed = before::seal(&key, &nonce, &aad, &text).unwrap();
        assert_eq!(after::seal(&key, &nonce, &aad, &text), Ok(sealed.clone()), "{len} bytes");
        assert_eq!(before::open(&key, &nonce, &aad, &sealed), Ok(text.clone()), "{len} bytes");
        assert_eq!(after::open(&key, &nonce, &aad, &sealed), Ok(text), "{len} bytes");
        sealed[len / 2] ^= 1;
        assert!(before::open(&key, &nonce, &aad, &sealed).is_err(), "{len} bytes");
        assert!(after::open(&key, &nonce, &aad, &sealed).is_err(), "{len} bytes");
    }
    assert!(before::open(&key[1..], &nonce, &[], &[0; 16]).is_err());
    assert!(after::open(&key[1..], &nonce, &[], &[0; 16]).is_err());
}
