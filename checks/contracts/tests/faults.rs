//! Are planted faults found?

use keylane::Hash;
use keylane::hash::{Foreign, ForeignHash};
use keylane::sha2::Sha256;
use keylane_contracts::{Choices, Expected, ExpectedForeign, Random, hash, mac, tells_nothing};
use std::panic::catch_unwind;

/// SHA-256 that forgets what it has absorbed where a piece of `FAULT` bytes comes after a block's end.
#[derive(Clone)]
struct Forgetful<const FAULT: usize>(Sha256, usize);

impl<const FAULT: usize> ForeignHash for Forgetful<FAULT> {
    type Output = [u8; 32];
    const OUTPUT_LEN: usize = 32;
    const BLOCK_LEN: usize = 64;
    const NAME: &'static str = "forgetful";

    fn new() -> Self {
        Self(Sha256::new(), 0)
    }

    fn update(&mut self, data: &[u8]) {
        if self.1 > 0 && self.1.is_multiple_of(64) && data.len() == FAULT {
            self.0 = Sha256::new();
        }
        self.1 += data.len();
        self.0.update(data);
    }

    fn finalize(self) -> [u8; 32] {
        self.0.finalize()
    }
}

impl<const FAULT: usize> ExpectedForeign for Forgetful<FAULT> {
    fn expected_digest(data: &[u8]) -> [u8; 32] {
        Sha256::expected_digest(data)
    }
}

fn passes(check: fn(&mut Choices<'_>)) -> bool {
    let all = || {
        for seed in 0..200 {
            let len = Random::new(seed).below(600);
            Choices::random(seed as usize, Some(len), None, check);
        }
        (0..=200).for_each(|cut| Choices::random(cut, Some(200), Some(cut), check));
    };
    catch_unwind(all).is_ok()
}

#[test]
fn a_fault_is_found() {
    assert!(
        passes(hash::<Foreign<Forgetful<{ usize::MAX }>>>)
            && passes(mac::<Foreign<Forgetful<{ usize::MAX }>>>)
    );
    assert!(!passes(hash::<Foreign<Forgetful<72>>>), "the cut of 200 bytes at 128");
    assert!(!passes(mac::<Foreign<Forgetful<72>>>), "the cut of 200 bytes at 128");
}

#[test]
fn a_secret_that_is_shown_is_seen() {
    let secret = [0xa7, 0x5c, 3, 0x10];
    tells_nothing(&"Aes { .. }", &secret);
    assert!(catch_unwind(|| tells_nothing(&[1, 0xa7, 0x5c, 3, 0x10], &secret)).is_err());
    assert!(catch_unwind(|| tells_nothing(&"key: [a7, 5c, 03, 10]", &secret)).is_err());
}
