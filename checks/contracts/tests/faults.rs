//! Checks that planted faults are found.

use keylane::sha2::Sha256;
use keylane_contracts::{Absorb, Choices, Hash, Random, in_pieces, tells_nothing};
use std::panic::catch_unwind;

/// SHA-256 that forgets what it has absorbed where a piece of `FAULT` bytes comes after a block's end.
#[derive(Clone)]
struct Forgetful<const FAULT: usize>(Sha256, usize);

impl<const FAULT: usize> Absorb for Forgetful<FAULT> {
    fn absorb(&mut self, piece: &[u8]) {
        if self.1 > 0 && self.1.is_multiple_of(64) && piece.len() == FAULT {
            self.0 = Sha256::new();
        }
        self.1 += piece.len();
        self.0.update(piece);
    }

    fn result(self) -> Vec<u8> {
        self.0.finalize().to_vec()
    }
}

/// The part of the checks of hashes and of HMAC that passes the message in pieces.
fn pieces<const FAULT: usize>(choices: &mut Choices<'_>) {
    let text = choices.message();
    let pieces = choices.pieces(&text);
    in_pieces(choices, Forgetful::<FAULT>(Sha256::new(), 0), &pieces, &Sha256::expected_digest(&text));
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
    assert!(passes(pieces::<{ usize::MAX }>));
    assert!(!passes(pieces::<72>), "the cut of 200 bytes at 128");
}

#[test]
fn a_secret_that_is_shown_is_seen() {
    let secret = [0xa7, 0x5c, 3, 0x10];
    tells_nothing(&"Aes { .. }", &secret);
    assert!(catch_unwind(|| tells_nothing(&[1, 0xa7, 0x5c, 3, 0x10], &secret)).is_err());
    assert!(catch_unwind(|| tells_nothing(&"key: [a7, 5c, 03, 10]", &secret)).is_err());
}
