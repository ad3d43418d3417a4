//! Known answers of AES-GCM-SIV, for every implementation, before its first use.

use super::{Chosen, NONCE_LEN, expand, run};
use crate::aead::{Direction, Tag};
use crate::aes::{KeyBytes, RoundKeys};
use crate::backend::MESSAGE;
use keylane_cpu::in_out::InOut;

/// The lengths of texts: from empty to several groups of every implementation.
const LENGTHS: [usize; 7] = [0, 5, 16, 79, 250, 512, MAX_LEN];
const MAX_LEN: usize = 1337;

/// For each key size, the XOR of the tags of texts of all these lengths. A tag depends on every bit of the
/// text and of the additional data.
const ANSWERS: [(usize, u128); 2] =
    [(16, 0xe5ef_fc3c_1b65_b3a2_024e_7559_6269_cc4f), (32, 0xb572_8533_1930_80cc_5899_2b1f_4f45_7aca)];

/// Tests sealing and opening.
pub(super) fn passes(kernel: &Chosen) -> bool {
    let (mut text, mut good) = ([0; MAX_LEN], true);
    for (key_len, answer) in ANSWERS {
        let Ok(key) = KeyBytes::from_slice(&MESSAGE[100..100 + key_len]) else { return false };
        let keys = expand(kernel, key);
        let mut tags = 0;
        for len in LENGTHS {
            let (nonce, aad, plaintext) = ([len as u8; 12], &MESSAGE[..len % 101], &MESSAGE[..len]);
            let text = &mut text[..len];
            text.copy_from_slice(plaintext);
            let tag = one(kernel, &keys, &nonce, aad, text, Direction::Seal);
            tags ^= u128::from_be_bytes(tag);
            good &= len < 5 || text != plaintext;
            good &= one(kernel, &keys, &nonce, aad, text, Direction::Open(&tag)) == tag;
            good &= text == plaintext;
        }
        good &= tags == answer;
    }
    good
}

#[inline(never)]
fn one(
    kernel: &Chosen,
    keys: &RoundKeys,
    nonce: &[u8; NONCE_LEN],
    aad: &[u8],
    text: &mut [u8],
    direction: Direction<&Tag>,
) -> Tag {
    run(kernel, keys, nonce, aad, InOut::in_place(text), direction)
}
