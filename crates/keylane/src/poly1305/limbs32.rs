//! Poly1305 in five limbs of 26 bits with products of 64 bits, for machines whose registers have 32.
//!
//! Bounds, which `tests/proofs/poly1305.rs` proves: limbs of the accumulator plus a block stay below
//! 2^27 + 2^7, those of r below 2^26, and five times those of r below 2^28.4; so a sum of five products stays
//! below 2^58.

use super::limbs64::{Accumulator, fold};
use super::word::{Unsigned, Word};

/// Splits a folded number into limbs of 26 bits. The last limb has the rest.
#[inline(always)]
pub(crate) fn split<W: Word>([low, middle, high]: Accumulator<W::Wide>) -> [W; 5] {
    [
        W::low(low).low_bits(26),
        W::low(low >> 26).low_bits(26),
        W::low(low >> 52 | middle << 12).low_bits(26),
        W::low(middle >> 14).low_bits(26),
        W::low(middle >> 40) | W::low(high) << 24,
    ]
}

/// The inverse of [`split`], for limbs that may be a little above 26 bits.
#[inline(always)]
pub(crate) fn join<W: Word>(limbs: [W; 5]) -> Accumulator<W::Wide> {
    let [a, b, c, d, e] = limbs.map(W::wide);
    let (low, carry) = (a + (b << 26)).carrying_add(c << 52);
    let (middle, more) = ((c >> 12) + (d << 14)).carrying_add(e << 40);
    let (middle, again) = middle.carrying_add(carry);
    [low, middle, (e >> 24) + more + again]
}

/// Absorbs whole blocks, each with a one above it.
#[inline(always)]
pub(super) fn absorb(r: [u64; 2], acc: Accumulator, blocks: &[[u8; 16]]) -> Accumulator {
    let r: [u32; 5] = split([r[0], r[1], 0]);
    let mut h = split(fold(acc));
    for block in blocks {
        let block = u128::from_le_bytes(*block);
        h = add_multiply(h, split([block as u64, (block >> 64) as u64, 1]), r);
    }
    join(h)
}

/// Absorbs 16 bytes as two words, with `top` above them.
#[inline(always)]
#[cfg_attr(
    target_pointer_width = "64",
    allow(dead_code, reason = "there, limbs of 64 bits take the last block")
)]
pub(crate) fn absorb_words(r: [u64; 2], acc: Accumulator, words: [u64; 2], top: u64) -> Accumulator {
    let h: [u32; 5] = split(fold(acc));
    join(add_multiply(h, split([words[0], words[1], top]), split([r[0], r[1], 0])))
}

/// Returns (h + block) * r, reduced to limbs of 26 bits and a little more.
#[inline(always)]
pub(crate) fn add_multiply<W: Word>(mut h: [W; 5], block: [W; 5], r: [W; 5]) -> [W; 5] {
    let mut d = [W::Wide::from(0); 5];
    for i in 0..5 {
        h[i] = h[i] + block[i];
        for j in 0..5 {
            // Limb i + j. From limb 5 on, it is added five times to the limb five places below.
            let times = if i + j < 5 { 1 } else { 5 };
            d[(i + j) % 5] = d[(i + j) % 5] + h[i].product(W::from(times) * r[j]);
        }
    }
    let mut limbs = [W::from(0); 5];
    let mut carry = W::Wide::from(0);
    for i in 0..5 {
        let sum = d[i] + carry;
        limbs[i] = W::low(sum).low_bits(26);
        carry = sum >> 26;
    }
    // The carry is below 2^30, since limb 4 has no factor five.
    let low = limbs[0].wide() + W::Wide::from(5) * carry;
    limbs[0] = W::low(low).low_bits(26);
    limbs[1] = limbs[1] + W::low(low >> 26);
    limbs
}
