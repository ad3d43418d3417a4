//! Nonces and keys that the library makes.

use keylane::Error;
use keylane::aead::{self, DynAead, RandomNonces};
use keylane::aes_gcm_siv::{Aes128GcmSiv, Aes256GcmSiv, AesGcmSiv};
use keylane::chacha20poly1305::XChaCha20Poly1305;
use keylane::hmac::HmacKey;
use keylane::sha2::{Sha384, Sha512};
use keylane::xaes::Xaes256Gcm;
use keylane_contracts::{Aead, every_aead, painted};
use std::collections::BTreeSet;

#[test]
fn seal_and_open() {
    for len in [0, 1, 100, 5000] {
        let text = painted(len);
        messages(&Aes128GcmSiv::new(&[7; 16]), &text);
        messages(&Aes256GcmSiv::new(&[7; 32]), &text);
        messages(&AesGcmSiv::from_slice(&[7; 16]).unwrap(), &text);
        messages(&XChaCha20Poly1305::new(&[7; 32]), &text);
        messages(&Xaes256Gcm::new(&[7; 32]), &text);
    }
}

fn messages<C: RandomNonces>(aead: &aead::Aead<C>, text: &[u8]) {
    let nonce_len = aead.nonce_len();
    let (room, mut nonces) = (nonce_len + text.len() + 16, Vec::new());
    for _ in 0..50 {
        let (mut sealed, mut opened) = (vec![0; room], vec![0xaa; text.len()]);
        aead.seal_random(b"aad", text, &mut sealed).unwrap();
        aead.open_random(b"aad", &sealed, &mut opened).unwrap();
        assert_eq!(opened, text);
        assert_eq!(aead.open_random_vec(b"aad", &aead.seal_random_vec(b"aad", text).unwrap()).unwrap(), text);
        // What the other methods open.
        let (nonce, rest) = sealed.split_at(nonce_len);
        opened.fill(0xaa);
        DynAead::open_to(aead, nonce, b"aad", rest, &mut opened).unwrap();
        assert_eq!(opened, text);
        nonces.push(nonce.to_vec());
        for at in [0, nonce_len - 1, nonce_len, room - 1] {
            let mut forged = sealed.clone();
            forged[at] ^= 1;
            opened.fill(0xaa);
            let refused = aead.open_random(b"aad", &forged, &mut opened);
            assert_eq!(refused, Err(Error::AuthenticationFailed), "{aead:?}: byte {at}");
            assert!(opened.iter().all(|&byte| byte == 0));
        }
        assert_eq!(aead.open_random(b"", &sealed, &mut opened), Err(Error::AuthenticationFailed));
        assert_eq!(aead.open_random_vec(b"", &sealed), Err(Error::AuthenticationFailed));
    }
    nonces.sort_unstable();
    nonces.dedup();
    assert_eq!(nonces.len(), 50);
    for len in [0, nonce_len, room - 1, room + 1] {
        let mut output = vec![0xaa; len];
        let refused = aead.seal_random(b"", text, &mut output).unwrap_err();
        let right = matches!(refused, Error::WrongLength { min, max, actual, .. }
            if (min, max, actual) == (room, room, len));
        assert!(right && output.iter().all(|&byte| byte == 0xaa), "{aead:?}: {refused:?}");
    }
    for len in 0..nonce_len + 16 {
        let refused = aead.open_random(b"", &vec![7; len], &mut []).unwrap_err();
        assert!(matches!(refused, Error::WrongLength { min, actual, .. }
            if (min, actual) == (nonce_len + 16, len)));
        assert_eq!(aead.open_random_vec(b"", &vec![7; len]), Err(refused));
    }
}

#[test]
fn keys() {
    fn of_aead<A: Aead>() {
        let keys: BTreeSet<_> =
            (0..20).map(|_| aead::Aead::<A>::generate_key().unwrap().as_ref().to_vec()).collect();
        assert!(keys.len() == 20 && keys.iter().all(|key| key.len() == A::KEY_LEN), "{}", A::NAME);
        // Every byte of a key is random.
        let constant = |i: usize| keys.iter().all(|key| Some(key[i]) == keys.first().map(|first| first[i]));
        assert!(!(0..A::KEY_LEN).any(constant), "{}", A::NAME);
    }
    every_aead!(of_aead);
    let keys = [(); 2].map(|()| HmacKey::<Sha384>::generate_key().unwrap());
    assert_ne!(keys[0], keys[1]);
    assert_ne!(*keys[0], Sha384::digest(b""));
}

#[test]
fn every_byte_of_an_hmac_key_is_random() {
    let keys = [(); 20].map(|()| HmacKey::<Sha512>::generate_key().unwrap());
    assert!((0..64).all(|i| keys.iter().any(|key| key[i] != keys[0][i])));
}
