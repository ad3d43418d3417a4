//! What hashes, HMAC, HKDF and PBKDF2 do besides `keylane::operations`, for every hash.

use crate::watch::{Watch, secret, still_secret};
use keylane::hkdf::Prk;
use keylane::hmac::{Hmac, HmacKey, HmacKeyState};
use keylane::{Hash, pbkdf2};
use std::num::NonZeroU32;

pub fn walk<H: Hash>(watch: &mut Watch, implementation: &str) {
    let name = |what: &str, len: usize| format!("{what}, {} by {implementation}, {len} bytes", H::NAME);
    for len in [1, 64, 129, 1000] {
        watch.case_of(len, name("pieces", len), || {
            let mut hash = H::new();
            for piece in secret(len, 1).chunks(37) {
                hash.update(piece);
            }
            still_secret(hash.finalize().as_mut())
        });
        watch.case_of(len, name("HMAC verification", len), || {
            let (message, key) = (secret(len, 2), HmacKey::<H>::new(&secret(len, 3)));
            let mut tag = key.mac(&message);
            let whole = tag.as_ref();
            assert!(key.verify(&message, whole).is_ok());
            assert!(key.verify_truncated(&message, &whole[..10]).is_ok());
            assert!(key.verify_many(&[&message, &message], &[whole, whole]).is_ok());
            let mut forged = tag;
            forged.as_mut()[H::OUTPUT_LEN - 1] ^= 1;
            assert!(key.verify(&message, forged.as_ref()).is_err());
            assert!(key.verify_truncated(&message, forged.as_ref()).is_err());
            assert!(key.verify_many(&[&message, &message], &[whole, forged.as_ref()]).is_err());
            still_secret(tag.as_mut()) & still_secret(forged.as_mut())
        });
        watch.case_of(len, name("running HMAC", len), || {
            let mut mac = Hmac::<H>::new(&secret(len, 4));
            mac.update(&secret(len, 5));
            mac.reset();
            mac.update(&secret(len, 6));
            let mut tag = mac.finalize_reset();
            mac.update(&secret(len, 6));
            assert!(mac.clone().verify(tag.as_ref()).is_ok());
            mac.update(&secret(1, 6));
            assert!(mac.verify(tag.as_ref()).is_err());
            still_secret(tag.as_mut())
        });
        watch.case(name("HKDF", len), || {
            let mut out = vec![0; len];
            let prk = Prk::<H>::extract(&secret(len, 7), &secret(len, 8));
            prk.expand(&[&secret(len, 9), b"label"], &mut out).expect("not too long");
            let mut from_bytes = vec![0; len];
            let prk = Prk::<H>::from_bytes(&secret(H::OUTPUT_LEN + len, 10)).expect("long enough");
            prk.expand(&[], &mut from_bytes).expect("not too long");
            still_secret(&mut out) & still_secret(&mut from_bytes)
        });
        watch.case_of(len, name("PBKDF2 verification", len), || {
            let iterations = NonZeroU32::new(3).expect("not zero");
            let (password, salt) = (secret(len, 11), secret(len, 12));
            let mut key = vec![0; 100];
            pbkdf2::derive::<H>(&password, &salt, iterations, &mut key).expect("not too long");
            assert!(pbkdf2::verify::<H>(&password, &salt, iterations, &key).is_ok());
            assert!(pbkdf2::verify::<H>(&password, &password, iterations, &key).is_err());
            still_secret(&mut key)
        });
    }
    watch.case(name("kept HMAC key", 32), || {
        let state = HmacKey::<H>::new(&secret(32, 13)).export();
        let mut bytes = state.as_bytes().to_vec();
        let state = HmacKeyState::from_bytes(&bytes).expect("the length is right");
        let mut tag = HmacKey::<H>::import(&state).expect("the header is right").mac(&secret(32, 14));
        // The header is public.
        still_secret(&mut bytes[8..]) & still_secret(tag.as_mut())
    });
}
