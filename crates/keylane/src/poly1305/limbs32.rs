//! Poly1305 in five limbs of 26 bits with products of 64 bits, for machines whose registers have 32.
//!
//! Bounds: limbs of the accumulator stay below 2^27, those of r below 2^26, and five times those of r below
//! 2^28.4; so a sum of five products stays below 2^58.

use super::limbs64::{Accumulator, fold};

const MASK: u32 = (1 << 26) - 1;

/// Splits a folded number into limbs of 26 bits. The last limb has the rest.
#[inline(always)]
fn split([low, middle, high]: Accumulator) -> [u32; 5] {
    [
        low as u32 & MASK,
        (low >> 26) as u32 & MASK,
        (low >> 52 | middle << 12) as u32 & MASK,
        (middle >> 14) as u32 & MASK,
        (middle >> 40) as u32 | (high as u32) << 24,
    ]
}

/// The inverse of [`split`], for limbs that may be a little above 26 bits.
#[inline(always)]
fn join(limbs: [u32; 5]) -> Accumulator {
    let [a, b, c, d, e] = limbs.map(u64::from);
    let (low, carry) = (a + (b << 26)).overflowing_add(c << 52);
    let (middle, more) = ((c >> 12) + (d << 14)).overflowing_add(e << 40);
    let (middle, again) = middle.overflowing_add(u64::from(carry));
    [low, middle, (e >> 24) + u64::from(more) + u64::from(again)]
}

/// Absorbs whole blocks, each with a one above it.
#[inline(always)]
pub(super) fn absorb(r: [u64; 2], acc: Accumulator, blocks: &[[u8; 16]]) -> Accumulator {
    let r = split([r[0], r[1], 0]);
    let mut h = split(fold(acc));
    for block in blocks {
        let block = u128::from_le_bytes(*block);
        h = multiply(sum(h, split([block as u64, (block >> 64) as u64, 1])), r);
    }
    join(h)
}

/// Absorbs 16 bytes as two words, with `top` above them.
#[inline(always)]
#[cfg_attr(
    target_pointer_width = "64",
    allow(dead_code, reason = "there, limbs of 64 bits take the last block")
)]
pub(super) fn absorb_words(r: [u64; 2], acc: Accumulator, words: [u64; 2], top: u64) -> Accumulator {
    join(multiply(sum(split(fold(acc)), split([words[0], words[1], top])), split([r[0], r[1], 0])))
}

#[inline(always)]
fn sum(mut a: [u32; 5], b: [u32; 5]) -> [u32; 5] {
    for i in 0..5 {
        a[i] += b[i];
    }
    a
}

/// Returns h * r, reduced to limbs of 26 bits and a little more.
#[inline(always)]
fn multiply(h: [u32; 5], r: [u32; 5]) -> [u32; 5] {
    let mut d = [0_u64; 5];
    for i in 0..5 {
        for j in 0..5 {
            // Limb i + j. From limb 5 on, it is added five times to the limb five places below.
            let times = if i + j < 5 { 1 } else { 5 };
            d[(i + j) % 5] += u64::from(h[i]) * u64::from(times * r[j]);
        }
    }
    let mut limbs = [0; 5];
    let mut carry = 0;
    for i in 0..5 {
        let sum = d[i] + carry;
        limbs[i] = sum as u32 & MASK;
        carry = sum >> 26;
    }
    // The carry is below 2^30, since limb 4 has no factor five.
    let low = u64::from(limbs[0]) + 5 * carry;
    limbs[0] = low as u32 & MASK;
    limbs[1] += (low >> 26) as u32;
    limbs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poly1305::limbs64;

    /// Compares limbs of 26 bits with limbs of 64, for accumulators at the limits of their range.
    #[test]
    fn both_widths_agree() {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            // A quarter of the words are all ones or all zeros.
            match random >> 61 {
                0 => u64::MAX,
                1 => 0,
                _ => random,
            }
        };
        for _ in 0..20_000 {
            let r = [next() & 0x0fff_fffc_0fff_ffff, next() & 0x0fff_fffc_0fff_fffc];
            let accumulator = [next(), next(), next() % 5];
            let words = [next(), next()];
            let block = (u128::from(words[0]) | u128::from(words[1]) << 64).to_le_bytes();
            let value = |accumulator| limbs64::finish(accumulator, [0; 2]);
            for top in 0..2 {
                assert_eq!(
                    value(absorb_words(r, accumulator, words, top)),
                    value(limbs64::absorb_words(r, accumulator, words, top))
                );
            }
            assert_eq!(
                value(absorb(r, accumulator, &[block; 3])),
                value(limbs64::absorb(r, accumulator, &[block; 3]))
            );
        }
    }
}
