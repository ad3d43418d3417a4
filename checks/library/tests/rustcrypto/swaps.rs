//! Checks that replacing RustCrypto's crates by Keylane changes only a line or two.
//!
//! Each program has its imports before and after the change, and the rest, which does not change.

/// Compiles a program with each of two lists of imports, and compares what it computes of messages.
macro_rules! swap {
    ($name:ident: before { $($before:item)* } after { $($after:item)* } $($program:item)*) => {
        mod $name {
            mod before {
                use keylane_contracts::painted;
                $($before)*
                $($program)*
            }
            mod after {
                use keylane_contracts::painted;
                $($after)*
                $($program)*
            }

            #[test]
            fn the_same() {
                for &len in keylane_contracts::LENGTHS {
                    assert_eq!(after::output(len), before::output(len), "{len} bytes");
                }
            }
        }
    };
}

swap! { aes_gcm:
    before {
        use aes_gcm::{Aes256Gcm, Nonce, aead::Aead, aead::Error, aead::Key, aead::KeyInit, aead::Payload};
    }
    after {
        use keylane::rustcrypto::{Aes256Gcm, Nonce, aead::Aead, aead::Error, aead::Key, aead::KeyInit, aead::Payload};
    }

    fn seal(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], msg: &[u8]) -> Result<Vec<u8>, Error> {
        let key: &Key<Aes256Gcm> = key.into();
        let cipher = Aes256Gcm::new(key);
        let nonce = Nonce::from(*nonce);
        cipher.encrypt(&nonce, Payload { msg, aad })
    }

    fn open(key: &[u8], nonce: &[u8; 12], aad: &[u8], msg: &[u8]) -> Result<Vec<u8>, Error> {
        let cipher = Aes256Gcm::new_from_slice(key).map_err(|_| Error)?;
        cipher.decrypt(nonce.into(), Payload { msg, aad })
    }

    pub(super) fn output(len: usize) -> Vec<u8> {
        let (key, nonce, aad, text) = ([7; 32], [9; 12], painted(len % 50), painted(len));
        let sealed = seal(&key, &nonce, &aad, &text).unwrap();
        assert_eq!(open(&key, &nonce, &aad, &sealed), Ok(text));
        let mut changed = sealed.clone();
        changed[len / 2] ^= 1;
        assert!(open(&key, &nonce, &aad, &changed).is_err());
        assert!(open(&key[1..], &nonce, &aad, &sealed).is_err());
        sealed
    }
}

swap! { chacha20poly1305:
    before {
        use chacha20poly1305::{XChaCha20Poly1305, XNonce, aead::AeadInOut, aead::KeyInit};
    }
    after {
        use keylane::rustcrypto::{XChaCha20Poly1305, XNonce, aead::AeadInOut, aead::KeyInit};
    }

    pub(super) fn output(len: usize) -> Vec<u8> {
        let (key, nonce, aad, mut data) = ([7_u8; 32], [9_u8; 24], painted(len % 50), painted(len));
        let cipher = XChaCha20Poly1305::new((&key).into());
        cipher.encrypt_in_place(XNonce::cast_from_core(&nonce), &aad, &mut data).unwrap();
        let mut opened = data.clone();
        cipher.decrypt_in_place((&nonce).into(), &aad, &mut opened).unwrap();
        assert_eq!(opened, painted(len));
        data
    }
}

swap! { ctr:
    before {
        use ctr::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
        type Aes256Ctr = ctr::Ctr128BE<aes::Aes256>;
    }
    after {
        use keylane::rustcrypto::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
        type Aes256Ctr = keylane::rustcrypto::Ctr128BE<keylane::rustcrypto::Aes256>;
    }

    pub(super) fn output(len: usize) -> Vec<u8> {
        let mut cipher = Aes256Ctr::new(&[7; 32].into(), &[0xff; 16].into());
        let mut data = painted(len);
        let (head, rest) = data.split_at_mut(len / 3);
        cipher.apply_keystream(head);
        assert_eq!(cipher.current_pos::<usize>(), head.len());
        cipher.apply_keystream(rest);
        let mut second_half = data[len / 2..].to_vec();
        cipher.seek(len / 2);
        cipher.apply_keystream(&mut second_half);
        assert_eq!(second_half, painted(len)[len / 2..]);
        data
    }
}

// RustCrypto's own over Keylane's hash.
swap! { hkdf:
    before {
        use sha2::Sha256;
    }
    after {
        use keylane::rustcrypto::Sha256;
    }
    use hkdf::Hkdf;

    pub(super) fn output(len: usize) -> Vec<u8> {
        let (salt, secret, mut key) = (painted(len), painted(len + 1), vec![0; len]);
        Hkdf::<Sha256>::new(Some(&salt), &secret).expand(&salt[..len / 3], &mut key).expect("not too long");
        key
    }
}

swap! { hmac:
    before {
        use hmac::{Hmac, KeyInit, Mac};
        use sha2::Sha256;
    }
    after {
        use keylane::rustcrypto::{Hmac, Sha256, digest::KeyInit, digest::Mac};
    }

    type HmacSha256 = Hmac<Sha256>;

    pub(super) fn output(len: usize) -> Vec<u8> {
        let new = || HmacSha256::new_from_slice(&painted(len % 200)).expect("HMAC takes keys of any length");
        let mut mac = new();
        mac.update(&painted(len));
        let mut tag = mac.finalize().into_bytes().to_vec();
        assert!(new().chain_update(painted(len)).verify_slice(&tag).is_ok());
        tag[31] ^= 1;
        assert!(new().chain_update(painted(len)).verify_slice(&tag).is_err());
        tag
    }
}

swap! { pbkdf2:
    before {
        use pbkdf2::pbkdf2_hmac;
        use sha2::Sha512;
    }
    after {
        use keylane::rustcrypto::{Sha512, pbkdf2_hmac};
    }

    pub(super) fn output(len: usize) -> Vec<u8> {
        let (password, mut key) = (painted(9), vec![0; len]);
        // None as well.
        let rounds = len as u32 % 11;
        pbkdf2_hmac::<Sha512>(&password, b"salt", rounds, &mut key);
        key
    }
}

swap! { poly1305:
    before {
        use poly1305::{Poly1305, universal_hash::KeyInit, universal_hash::UniversalHash};
    }
    after {
        use keylane::rustcrypto::{Poly1305, universal_hash::KeyInit, universal_hash::UniversalHash};
    }

    pub(super) fn output(len: usize) -> Vec<u8> {
        let mut poly1305 = Poly1305::new(painted(132)[100..].try_into().unwrap());
        poly1305.update_padded(&painted(len % 70));
        poly1305.update_padded(&painted(len));
        poly1305.finalize().to_vec()
    }
}

swap! { sha2:
    before {
        use sha2::{Digest, Sha256, Sha384};
    }
    after {
        use keylane::rustcrypto::{Sha256, Sha384, digest::Digest};
    }

    pub(super) fn output(len: usize) -> Vec<u8> {
        let mut hasher = Sha256::new();
        hasher.update("any text");
        painted(len).chunks(100).for_each(|chunk| hasher.update(chunk));
        let mut digests = hasher.finalize().to_vec();
        digests.extend(Sha384::new_with_prefix(painted(len)).chain_update("more").finalize().as_slice());
        digests.extend(Sha384::digest(painted(len)));
        digests
    }
}

/// Signatures have it, and RSA's PKCS #1 v1.5 asks for it.
#[test]
fn the_same_object_identifiers() {
    use digest::const_oid::AssociatedOid as Oid;
    use keylane::rustcrypto as keylane;

    assert_eq!(keylane::Sha1::OID, <sha1::Sha1 as Oid>::OID);
    assert_eq!(keylane::Sha224::OID, <::sha2::Sha224 as Oid>::OID);
    assert_eq!(keylane::Sha256::OID, <::sha2::Sha256 as Oid>::OID);
    assert_eq!(keylane::Sha384::OID, <::sha2::Sha384 as Oid>::OID);
    assert_eq!(keylane::Sha512::OID, <::sha2::Sha512 as Oid>::OID);
    assert_eq!(keylane::Sha512_256::OID, <::sha2::Sha512_256 as Oid>::OID);
}
