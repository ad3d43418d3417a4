//! Known answers of AES-GCM, for every implementation, before its first use.

use super::kernel::{Kernel, Progress, first_block, lengths};
use crate::aes::KeyBytes;
use keylane_cpu::in_out::InOut;

/// From an empty text to several groups of every implementation, with every number of vectors after them,
/// whole and partial.
const LENGTHS: [usize; 9] = [0, 5, 16, 27, 79, 250, 511, 512, 1337];
const MAX_LEN: usize = 1337;

/// For each key size, the XOR of the tags of texts of all these lengths. A tag depends on every bit of the
/// ciphertext and of the additional data.
const ANSWERS: [(usize, u128); 3] = [
    (16, 0x34c2_c7c0_9749_5c25_ec7a_9cda_07d2_8877),
    (24, 0x541e_9bca_6934_1c03_a201_8353_56aa_5274),
    (32, 0x12d2_70ff_09f8_8956_b35a_fc64_ffa3_34e5),
];

/// Seals, seals in two parts, and opens; then seals with a new key, as the next length does.
pub(super) fn passes(kernel: &dyn Kernel) -> bool {
    let numbers: [u8; MAX_LEN] = core::array::from_fn(|i| ((i * i) >> 3) as u8);
    let mut good = true;
    for (key_len, answer) in ANSWERS {
        let Ok(key) = KeyBytes::from_slice(&numbers[100..100 + key_len]) else { return false };
        let new = kernel.prepare(key);
        let mut key = new.clone();
        let mut tags = 0;
        for len in LENGTHS {
            let (aad, plaintext) = (&numbers[..len % 101], &numbers[..len]);
            let start = || Progress::new(first_block(&[len as u8; 12]));
            let lengths = lengths(aad.len(), len);

            let mut text = numbers;
            let text = &mut text[..len];
            let tag = kernel.seal(&key, &mut start(), aad, &mut InOut::in_place(text), Some(&lengths));
            tags ^= u128::from_be_bytes(tag);

            let mut parts = [0; MAX_LEN];
            let (head, tail) = parts[..len].split_at_mut(len / 48 * 16);
            let (head_in, tail_in) = plaintext.split_at(head.len());
            let mut progress = start();
            kernel.seal(&key, &mut progress, aad, &mut InOut::apart(head_in, head), None);
            good &= kernel.seal(&key, &mut progress, &[], &mut InOut::apart(tail_in, tail), Some(&lengths))
                == tag;
            good &= parts[..len] == *text;

            good &= kernel.open(&key, &mut start(), aad, &mut InOut::in_place(text), lengths) == tag;
            good &= text == plaintext;

            // A key's first message computes the powers of H that it needs.
            key = new.clone();
            good &= kernel.seal(&key, &mut start(), aad, &mut InOut::in_place(text), Some(&lengths)) == tag;
        }
        good &= tags == answer;
    }
    good
}
