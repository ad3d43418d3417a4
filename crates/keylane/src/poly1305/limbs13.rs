//! Poly1305 in ten limbs of 13 bits: products fit into 32 bits, for CPUs without longer products in constant
//! time.
//!
//! Bounds, which `checks/proofs` proves: limbs of the accumulator plus a block stay below 2^14, and
//! those of r below 2^13; so a sum of ten products, with what is carried into it, stays below 2^31.

use super::limbs32::{self, block_words, words};
use super::limbs64::{Accumulator, fold};
use super::word::{Unsigned, Word};
use crate::unroll::each;

/// Splits words of 32 bits, the lowest first, into limbs of 13 bits. The last limb has the rest.
#[inline(always)]
pub(crate) fn split<W: Unsigned>([a, b, c, d, top]: [W; 5]) -> [W; 10] {
    [
        a.low_bits(13),
        (a >> 13).low_bits(13),
        (a >> 26 | b << 6).low_bits(13),
        (b >> 7).low_bits(13),
        (b >> 20 | c << 12).low_bits(13),
        (c >> 1).low_bits(13),
        (c >> 14).low_bits(13),
        (c >> 27 | d << 5).low_bits(13),
        (d >> 8).low_bits(13),
        d >> 21 | top << 11,
    ]
}

/// The inverse of [`split`], for limbs that may be a little above 13 bits.
#[inline(always)]
pub(crate) fn join<W: Word>([a, b, c, d, e, f, g, h, i, j]: [W; 10]) -> Accumulator<W::Wide> {
    limbs32::join([a + (b << 13), c + (d << 13), e + (f << 13), g + (h << 13), i + (j << 13)])
}

/// Absorbs blocks, each with `top` above it. Not inlined, as that of [`limbs32`].
#[inline(never)]
pub(crate) fn absorb(&[r0, r1]: &[u64; 2], acc: &mut Accumulator, blocks: &[[u8; 16]], top: u32) {
    let r: [u32; 10] = split(words([r0, r1, 0]));
    let mut h = split(words(fold(*acc)));
    for block in blocks {
        h = add_multiply(h, split(block_words(block, top)), r);
    }
    *acc = join(h);
}

/// Returns (h + block) * r, reduced to limbs of 13 bits and a little more. Written out, as that of
/// [`limbs32`].
#[inline(always)]
pub(crate) fn add_multiply<W: Unsigned>(mut h: [W; 10], block: [W; 10], r: [W; 10]) -> [W; 10] {
    each!(I in [0 1 2 3 4 5 6 7 8 9] { h[I] = h[I] + block[I]; });
    let mut limbs = h;
    let mut carry = W::from(0);
    each!(I in [0 1 2 3 4 5 6 7 8 9] {
        // Limb I of the product, and limb I + 10, which is added five times, in two parts.
        let (mut sum, mut upper) = (h[0] * r[I] + carry, W::from(0));
        each!(J in [1 2 3 4 5 6 7 8 9] {
            let product = h[J] * r[(I + 10 - J) % 10];
            if const { J > I } { upper = upper + product } else { sum = sum + product };
        });
        sum = sum + W::from(5) * upper.low_bits(13);
        limbs[I] = sum.low_bits(13);
        carry = (sum >> 13) + W::from(5) * (upper >> 13);
    });
    let low = limbs[0] + W::from(5) * carry;
    let next = limbs[1] + (low >> 13);
    limbs[0] = low.low_bits(13);
    limbs[1] = next.low_bits(13);
    limbs[2] = limbs[2] + (next >> 13);
    limbs
}
