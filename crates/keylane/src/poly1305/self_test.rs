//! Known answers of Poly1305, for every implementation, before its first use.

use super::hash::Hash;
use super::limbs64;
use super::portable::Kernel;
use crate::backend::MESSAGE;

/// Lengths in blocks, around the groups of every implementation, with every remainder.
const LENGTHS: [usize; 23] =
    [1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 18, 20, 23, 24, 31, 32, 33, 40, 48, 63, 65];
const MAX_LEN: usize = 65;

/// Hashes a message, whole and in two parts, where the second uses the powers of r that the first computed.
/// Then hashes the message with the greatest numbers: every bit of the blocks is set, and every bit that r
/// can have.
pub(super) fn passes(kernel: &(impl Kernel + ?Sized)) -> bool {
    let (message, key) = (MESSAGE.as_chunks().0, MESSAGE[500..].first_chunk().expect("longer"));
    tags(kernel, key, message) == [0x3799_47bd_9438_3712_67ed_fa7b_d281_b495; 2]
        && tags(kernel, &[0xff; 32], &[[0xff; 16]; MAX_LEN]) == [0x7ded_abc7_995e_ec5a_143d_b885_a04a_77f0; 2]
}

/// Returns the XOR of the tags of the message's first blocks, for all lengths: whole, and in two parts.
fn tags(kernel: &(impl Kernel + ?Sized), key: &[u8; 32], message: &[[u8; 16]]) -> [u128; 2] {
    let mut sums = [0; 2];
    for len in LENGTHS {
        let message = &message[..len];
        for (sum, cut) in sums.iter_mut().zip([len, len - len / 3]) {
            let Hash { key, accumulator } = &mut Hash::new(key);
            let (head, tail) = message.split_at(cut);
            kernel.absorb(key, accumulator, head);
            kernel.absorb(key, accumulator, tail);
            *sum ^= u128::from_le_bytes(limbs64::finish(*accumulator, key.s));
        }
    }
    sums
}
