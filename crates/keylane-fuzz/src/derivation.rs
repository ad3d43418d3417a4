//! Tags and derived keys: the lengths that are refused, and what was changed.

use crate::choices::Choices;
use keylane::Error;
use keylane::hkdf::Prk;
use keylane::hmac::{HmacKey, HmacKeyState};
use keylane::pbkdf2::{self, Job};
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use keylane_testkit::Oracle;
use std::num::NonZeroU32;

pub(crate) fn any(input: &[u8]) {
    let mut choices = Choices::new(input);
    match choices.any::<u8>() % 6 {
        0 => derivation::<Sha1>(&mut choices),
        1 => derivation::<Sha224>(&mut choices),
        2 => derivation::<Sha256>(&mut choices),
        3 => derivation::<Sha384>(&mut choices),
        4 => derivation::<Sha512>(&mut choices),
        _ => derivation::<Sha512_256>(&mut choices),
    }
}

fn derivation<H: Oracle>(choices: &mut Choices<'_>) {
    match choices.any::<u8>() % 4 {
        0 => hmac::<H>(choices),
        1 => state::<H>(choices),
        2 => hkdf::<H>(choices),
        _ => pbkdf2::<H>(choices),
    }
}

fn hmac<H: Oracle>(choices: &mut Choices<'_>) {
    let (key, message) = (choices.bytes(200), choices.text());
    let (prepared, right) = (HmacKey::<H>::new(&key), H::expected_mac(&key, &message));
    let right = right.as_ref();
    let mut tag = right[..choices.up_to(right.len())].to_vec();
    if choices.any() {
        choices.flip(&mut tag);
    }
    tag.extend(choices.bytes(3));
    let is_part = right.starts_with(&tag);
    let expected = |allowed: bool| match (allowed, is_part) {
        (false, _) => -3,
        (true, false) => -1,
        (true, true) => 0,
    };
    let code = |done: Result<(), Error>| done.map_or_else(|error| error.code(), |()| 0);
    assert_eq!(code(prepared.verify(&message, &tag)), expected(tag.len() == right.len()));
    let allowed = (10..=right.len()).contains(&tag.len());
    assert_eq!(code(prepared.verify_truncated(&message, &tag)), expected(allowed));
    let mut mac = prepared.start();
    mac.update(&message);
    assert_eq!(code(mac.verify(&tag)), expected(tag.len() == right.len()));
}

/// A key's state that somebody else wrote.
fn state<H: Oracle>(choices: &mut Choices<'_>) {
    let key = HmacKey::<H>::new(&choices.bytes(200));
    let mut bytes = key.export().as_bytes().to_vec();
    match choices.any::<u8>() % 4 {
        0 => bytes = choices.bytes(200),
        1 => choices.flip(&mut bytes),
        2 => bytes.truncate(choices.up_to(bytes.len())),
        _ => bytes.extend(choices.bytes(9)),
    }
    let Ok(state) = HmacKeyState::<H>::from_bytes(&bytes) else {
        return assert_ne!(bytes.len(), HmacKeyState::<H>::LEN);
    };
    match HmacKey::import(&state) {
        // What it says is what the key is.
        Ok(imported) => {
            assert_eq!(imported.export().as_bytes(), bytes);
            let same = bytes == key.export().as_bytes();
            assert_eq!(imported.mac(b"message").as_ref() == key.mac(b"message").as_ref(), same);
        }
        Err(error) => {
            assert!(matches!(error, Error::InvalidParameter { .. }));
            assert_ne!(bytes, key.export().as_bytes());
        }
    }
}

fn hkdf<H: Oracle>(choices: &mut Choices<'_>) {
    let (salt, ikm, info) = (choices.bytes(200), choices.bytes(200), choices.text());
    let max = 255 * H::OUTPUT_LEN;
    let len = if choices.one_in(16) { max + choices.up_to(4) } else { choices.up_to(300) };
    let mut out = vec![0xaa; len.saturating_sub(2)];
    let prk = Prk::<H>::extract(&salt, &ikm);
    match prk.expand(&choices.pieces(&info), &mut out) {
        Ok(()) => {
            let mut expected = vec![0; out.len()];
            H::expected_hkdf(&salt, &ikm, &info, &mut expected);
            assert!(out == expected, "another key");
        }
        Err(error) => {
            assert_eq!(error, Error::InputTooLong { max: max as u64 });
            assert!(out.len() > max && out.iter().all(|&byte| byte == 0xaa), "{} bytes", out.len());
        }
    }
    // Extraction is a tag under the salt: the same key from its bytes.
    let bytes = H::expected_mac(&salt, &ikm);
    let bytes = &bytes.as_ref()[choices.up_to(1)..];
    let Ok(taken) = Prk::<H>::from_bytes(bytes) else { return assert!(bytes.len() < H::OUTPUT_LEN) };
    let (mut one, mut other) = ([0; 9], [0; 9]);
    prk.expand(&[], &mut one).expect("a short key");
    taken.expand(&[], &mut other).expect("a short key");
    assert_eq!(one, other);
}

fn pbkdf2<H: Oracle>(choices: &mut Choices<'_>) {
    let iterations = 1 + choices.up_to(11) as u32;
    let rounds = NonZeroU32::new(iterations).expect("one at least");
    let jobs: Vec<_> = (0..=choices.up_to(9))
        .map(|_| (choices.bytes(150), choices.bytes(150), choices.up_to(150)))
        .collect();
    let expected = jobs.iter().map(|(password, salt, len)| {
        let mut out = vec![0; *len];
        H::expected_pbkdf2(password, salt, iterations, &mut out);
        out
    });
    let expected: Vec<_> = expected.collect();
    let mut outs: Vec<_> = jobs.iter().map(|(_, _, len)| vec![0xaa; *len]).collect();
    let mut side_by_side: Vec<_> =
        jobs.iter().zip(&mut outs).map(|((password, salt, _), out)| Job { password, salt, out }).collect();
    pbkdf2::derive_many::<H>(&mut side_by_side, rounds).expect("short keys");
    assert!(outs == expected, "side by side it is another key");
    let (password, salt, len) = &jobs[0];
    let mut alone = vec![0xaa; *len];
    pbkdf2::derive::<H>(password, salt, rounds, &mut alone).expect("a short key");
    assert!(alone == expected[0], "alone it is another key");
    if choices.any() {
        choices.flip(&mut alone);
    }
    match pbkdf2::verify::<H>(password, salt, rounds, &alone) {
        Ok(()) => assert!(alone == expected[0] && !alone.is_empty(), "another key is accepted"),
        Err(Error::AuthenticationFailed) => assert!(alone != expected[0], "the right key is refused"),
        Err(error) => assert!(matches!(error, Error::WrongLength { .. }) && alone.is_empty(), "{error}"),
    }
}
