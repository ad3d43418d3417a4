//! Derived keys, and the lengths that are refused.

use crate::{Choices, Hash};
use keylane::Error;
use keylane::hkdf::Prk;
use keylane::pbkdf2::{self, Attempt, Job};
use std::num::NonZeroU32;

/// HKDF, in one step and in two.
///
/// # Panics
/// If a promise is broken.
pub fn hkdf<H: Hash>(choices: &mut Choices<'_>) {
    let (salt, ikm, info) = (choices.bytes(200), choices.bytes(200), choices.message());
    let max = 255 * H::OUTPUT_LEN;
    let len = if choices.one_in(16) { max + choices.up_to(4) } else { choices.up_to(300) };
    let mut out = choices.placed(&vec![0xaa; len.saturating_sub(2)]);
    let prk = Prk::<H>::extract(&choices.placed(&salt), &choices.placed(&ikm));
    choices.step();
    match prk.expand(&choices.pieces(&info), &mut out) {
        Ok(()) => {
            let mut expected = vec![0; out.len()];
            H::expected_hkdf(&salt, &ikm, &info, &mut expected);
            assert!(*out == expected, "{}: another key", H::NAME);
        }
        Err(error) => {
            assert_eq!(error, Error::InputTooLong { max: max as u64 });
            assert!(out.len() > max && out.iter().all(|&byte| byte == 0xaa), "{} bytes", out.len());
        }
    }
    // Extraction is a tag under the salt: the same key from its bytes.
    let bytes = H::expected_mac(&salt, &ikm);
    let (bytes, mut first) = (&bytes.as_ref()[choices.up_to(1)..], [0; 9]);
    // A longer one counts whole: the first block is a tag under it.
    let long = [bytes, &[1; 2], &choices.bytes(100)].concat();
    Prk::<H>::from_bytes(&long).and_then(|prk| prk.expand(&[&info], &mut first)).expect("a short key");
    let expected = H::expected_mac(&long, &[&info[..], &[1]].concat());
    assert_eq!(first, expected.as_ref()[..9], "{}: from {} bytes", H::NAME, long.len());
    match Prk::<H>::from_bytes(bytes) {
        Ok(taken) => {
            let (mut one, mut other) = ([0; 9], [0; 9]);
            prk.clone().expand(&[], &mut one).expect("a short key");
            taken.expand(&[b"", b""], &mut other).expect("a short key");
            assert_eq!(one, other);
        }
        Err(error) => {
            let what = "length of the pseudorandom key in bytes";
            let (min, actual) = (H::OUTPUT_LEN, bytes.len());
            assert_eq!(error, Error::WrongLength { what, min, max: usize::MAX, actual });
            assert!(actual < min);
        }
    }
    choices.shown(&prk, bytes);
}

/// PBKDF2, alone and side by side.
///
/// # Panics
/// If a promise is broken.
pub fn pbkdf2<H: Hash>(choices: &mut Choices<'_>) {
    let iterations = 1 + choices.up_to(11) as u32;
    let rounds = NonZeroU32::new(iterations).expect("one at least");
    let count = if choices.one_in(8) { choices.up_to(40) } else { choices.up_to(9) };
    let jobs: Vec<_> = (0..=count)
        .map(|_| {
            let long = if choices.one_in(32) { 40 * H::OUTPUT_LEN + 7 } else { 150 };
            (choices.bytes(150), choices.bytes(150), choices.up_to(long))
        })
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
    assert!(outs == expected, "{}: side by side another key", H::NAME);
    let at = choices.up_to(count);
    if let Some(byte) = outs[at].last_mut().filter(|_| choices.any()) {
        *byte ^= 1;
    }
    let attempts = jobs.iter().zip(&outs);
    let attempts = attempts.map(|((password, salt, _), expected)| Attempt { password, salt, expected });
    let before = choices.any();
    let mut verified = vec![before; outs.len()];
    match pbkdf2::verify_many::<H>(&attempts.collect::<Vec<_>>(), rounds, &mut verified) {
        Err(Error::WrongLength { .. }) => {
            assert!(outs.iter().any(|out| !(1..=1024).contains(&out.len())) && !verified.contains(&!before));
        }
        done => {
            assert_eq!(done.is_ok(), outs == expected, "{}: wrong keys of many", H::NAME);
            let equal = outs.iter().zip(&expected).map(|(out, expected)| out == expected);
            assert!(verified.iter().copied().eq(equal), "{}: named {verified:?}", H::NAME);
        }
    }
    assert_eq!(pbkdf2::verify_many::<H>(&[], rounds, &mut []), Ok(()), "{}: no keys", H::NAME);
    let (password, salt, len) = &jobs[0];
    let (password, salt) = (choices.placed(password), choices.placed(salt));
    let mut alone = choices.placed(&vec![0xaa; *len]);
    choices.step();
    pbkdf2::derive::<H>(&password, &salt, rounds, &mut alone).expect("a short key");
    assert!(*alone == expected[0], "{}: alone another key", H::NAME);
    if choices.any() {
        choices.flip(&mut alone);
    }
    match pbkdf2::verify::<H>(&password, &salt, rounds, &alone) {
        Ok(()) => assert!(*alone == expected[0] && !alone.is_empty(), "another key is accepted"),
        Err(Error::AuthenticationFailed) => assert!(*alone != expected[0], "the right key is refused"),
        Err(error) => {
            let allowed = 1..=1024;
            assert!(matches!(error, Error::WrongLength { .. }) && !allowed.contains(&alone.len()), "{error}");
        }
    }
}
