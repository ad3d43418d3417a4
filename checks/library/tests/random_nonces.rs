//! Nonces and keys that the library generates.

use keylane::Error;
use keylane::aead::{self, ByteArray, RandomNonces};
use keylane::aes_gcm_siv::{Aes128GcmSiv, Aes256GcmSiv, AesGcmSiv};
use keylane::chacha20poly1305::XChaCha20Poly1305;
use keylane::hmac::HmacKey;
use keylane::pbkdf2;
use keylane::sha2::Sha512;
use keylane::xaes::Xaes256Gcm;
use keylane_contracts::{Aead, Hash, every_aead, every_hash, painted};
use std::collections::BTreeSet;
use zeroize::Zeroizing;

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
    let nonce_len = C::Nonce::LEN;
    let room = nonce_len + text.len() + 16;
    for _ in 0..50 {
        let (mut sealed, mut opened) = (vec![0; room], vec![0xaa; text.len()]);
        aead.seal_random(b"aad", text, &mut sealed).unwrap();
        aead.open_random(b"aad", &sealed, &mut opened).unwrap();
        assert_eq!(opened, text);
        assert_eq!(aead.open_random_vec(b"aad", &aead.seal_random_vec(b"aad", text).unwrap()).unwrap(), text);
        // What the other methods open.
        let (nonce, rest) = sealed.split_at(nonce_len);
        opened.fill(0xaa);
        aead.open_to(C::Nonce::from_slice(nonce).unwrap(), b"aad", rest, &mut opened).unwrap();
        assert_eq!(opened, text);
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

/// Every bit of what is drawn is random: each of them is 0 once and 1 once. The probability
/// that this fails by chance is below 2^-110.
fn are_random(what: &str, draw: impl Fn() -> Vec<u8>) {
    let draws: Vec<_> = (0..128).map(|_| draw()).collect();
    for bit in 0..8 * draws[0].len() {
        let ones = draws.iter().filter(|draw| draw[bit / 8] >> (bit % 8) & 1 == 1).count();
        assert!((1..128).contains(&ones), "{what}: bit {bit} is one {ones} times");
    }
    // Two equal nonces of 12 bytes are less unlikely, two such pairs are not.
    assert!(draws.iter().collect::<BTreeSet<_>>().len() >= 127, "{what}: repeats");
}

/// Each line compiles, and its type is inferred.
#[test]
fn keys_of_every_kind_are_prepared() -> Result<(), Error> {
    let (array, wiped) = ([7; 32], Xaes256Gcm::generate_key()?);
    for key in [&Xaes256Gcm::new(&[7; 32]), &Xaes256Gcm::new(&array), &Xaes256Gcm::new(&&array)] {
        key.open_random_vec(b"", &Xaes256Gcm::new(&Zeroizing::new(array)).seal_random_vec(b"", b"text")?)?;
    }
    for key in [Xaes256Gcm::new(&*wiped), Xaes256Gcm::from_slice(&*wiped)?] {
        key.open_random_vec(b"", &Xaes256Gcm::new(&wiped).seal_random_vec(b"", b"text")?)?;
    }
    assert_ne!(Xaes256Gcm::generate_key()?, wiped);
    let message = Xaes256Gcm::new(&Xaes256Gcm::generate_key()?).seal_random_vec(b"", b"text")?;
    assert_eq!(Xaes256Gcm::new(&wiped).open_random_vec(b"", &message), Err(Error::AuthenticationFailed));
    let key = HmacKey::<Sha512>::generate_key()?;
    HmacKey::<Sha512>::new(&key).verify(b"text", &HmacKey::<Sha512>::new(&key[..]).mac(b"text"))?;
    let tag = HmacKey::<Sha512>::new(&HmacKey::<Sha512>::generate_key()?).mac(b"text");
    assert!(HmacKey::<Sha512>::new(&key).verify(b"text", &tag).is_err());
    assert_eq!(format!("{key:?}"), "RandomKey { .. }");
    Ok(())
}

#[test]
fn keys() {
    fn of_aead<A: Aead>() {
        assert_eq!(aead::Aead::<A>::generate_key().unwrap().as_ref().len(), A::KEY_LEN, "{}", A::NAME);
        are_random(A::NAME, || aead::Aead::<A>::generate_key().unwrap().as_ref().to_vec());
        // An error's way out, `?`, is what Rust does not coerce from.
        let directly = || Ok::<_, Error>(aead::Aead::<A>::new(&aead::Aead::<A>::generate_key()?));
        directly().unwrap();
    }
    fn of_hash<H: Hash>() {
        are_random(H::NAME, || HmacKey::<H>::generate_key().unwrap().as_ref().to_vec());
    }
    every_aead!(of_aead);
    every_hash!(of_hash);
    are_random("a salt", || pbkdf2::generate_salt().unwrap().to_vec());
}

#[test]
fn nonces() {
    fn of<C: RandomNonces>(aead: &aead::Aead<C>) {
        let nonce_len = C::Nonce::LEN;
        are_random(C::NAME, || aead.seal_random_vec(b"", b"").unwrap()[..nonce_len].to_vec());
        are_random(C::NAME, || {
            let mut sealed = vec![0; nonce_len + 16];
            aead.seal_random(b"", b"", &mut sealed).unwrap();
            sealed[..nonce_len].to_vec()
        });
    }
    of(&Aes128GcmSiv::new(&[7; 16]));
    of(&Aes256GcmSiv::new(&[7; 32]));
    of(&XChaCha20Poly1305::new(&[7; 32]));
    of(&Xaes256Gcm::new(&[7; 32]));
}
