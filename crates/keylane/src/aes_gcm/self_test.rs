//! Known answers of AES-GCM, for every implementation, before its first use.

use super::kernel::{Kernel, Progress, first_block, lengths};
use crate::aes::KeyBytes;
use keylane_cpu::in_out::InOut;

/// From nothing to several groups of every implementation, whole blocks and bytes after them.
const LENGTHS: [usize; 7] = [0, 5, 16, 79, 250, 511, 1337];
const LONGEST: usize = 1337;

/// For each key size, the exclusive or of the tags of texts of all these lengths. A tag depends on every bit of the
/// ciphertext and of the additional data.
const ANSWERS: [(usize, u128); 3] = [
    (16, 0x7313_bae1_c88a_d3d2_1790_467c_76f9_8d6b),
    (24, 0x61fb_f3a7_150e_b2bf_619b_3ca5_7026_f219),
    (32, 0x1c48_0ffe_edbc_9054_6d6b_a42b_92c2_09cf),
];

/// Seals, seals in two parts, and opens; then seals with a hash key that was prepared by itself.
pub(super) fn passes(kernel: &dyn Kernel) -> bool {
    let numbers: [u8; LONGEST] = core::array::from_fn(|i| ((i * i) >> 3) as u8);
    let mut good = true;
    for (key_len, answer) in ANSWERS {
        let Some(key) = KeyBytes::from_slice(&numbers[100..100 + key_len]) else { return false };
        let mut key = kernel.prepare(key);
        let mut tags = 0;
        for len in LENGTHS {
            let (aad, plaintext) = (&numbers[..len % 101], &numbers[..len]);
            let start = || Progress::new(first_block(&[len as u8; 12]));
            let Ok(lengths) = lengths(aad.len(), len) else { return false };

            let mut text = numbers;
            let text = &mut text[..len];
            let tag = kernel.seal(&key, &mut start(), aad, &mut InOut::in_place(text), Some(&lengths));
            tags ^= u128::from_be_bytes(tag);

            let mut parts = [0; LONGEST];
            let (head, tail) = parts[..len].split_at_mut(len / 48 * 16);
            let (head_in, tail_in) = plaintext.split_at(head.len());
            let mut progress = start();
            kernel.seal(&key, &mut progress, aad, &mut InOut::apart(head_in, head), None);
            good &= kernel.seal(&key, &mut progress, &[], &mut InOut::apart(tail_in, tail), Some(&lengths))
                == tag;
            good &= parts[..len] == *text;

            good &= kernel.open(&key, &start(), aad, &mut InOut::in_place(text), lengths) == tag;
            good &= text == plaintext;

            // The encryption of zero, the tag of nothing, is H.
            let h = kernel.seal(&key, &mut Progress::new(0), &[], &mut InOut::in_place(&mut []), Some(&0));
            key.hash = kernel.powers(&h);
            good &= kernel.seal(&key, &mut start(), aad, &mut InOut::in_place(text), Some(&lengths)) == tag;
        }
        good &= tags == answer;
    }
    good
}
