//! Poly1305 in seventeen limbs of 8 bits, for CPUs that multiply bytes. Loops, since such CPUs have little
//! memory for code.
//!
//! Bounds, which `checks/proofs` proves: limbs of the accumulator plus a block are carried before
//! the product, so that they are bytes; a sum of seventeen products, each 320 times, stays below 2^29.

use super::limbs32::{block_words, words};
use super::limbs64::{Accumulator, fold};
use super::word::{Unsigned, Word};

/// Splits words of 32 bits, the lowest first, into bytes. The last limb has the rest.
#[inline(always)]
pub(crate) fn split<W: Unsigned>([a, b, c, d, top]: [W; 5]) -> [W; 17] {
    let mut limbs = [top; 17];
    for (i, word) in [a, b, c, d].into_iter().enumerate() {
        limbs[4 * i] = word.low_bits(8);
        for j in 1..4 {
            limbs[4 * i + j] = (word >> (8 * j as u32)).low_bits(8);
        }
    }
    limbs
}

/// The inverse of [`split`].
#[inline(always)]
pub(crate) fn join<W: Word>(limbs: [W; 17]) -> Accumulator<W::Wide> {
    let mut words = [limbs[16].wide(); 3];
    for (i, word) in words[..2].iter_mut().enumerate() {
        *word = limbs[8 * i].wide();
        for j in 1..8 {
            *word = *word + (limbs[8 * i + j].wide() << (8 * j as u32));
        }
    }
    words
}

/// Absorbs blocks, each with `top` above it. Not inlined, as that of [`limbs32`](super::limbs32).
#[inline(never)]
pub(crate) fn absorb(&[r0, r1]: &[u64; 2], acc: &mut Accumulator, blocks: &[[u8; 16]], top: u32) {
    let r: [u32; 17] = split(words([r0, r1, 0]));
    let mut h = split(words(fold(*acc)));
    for block in blocks {
        h = add_multiply(h, split(block_words(block, top)), r);
    }
    *acc = join(h);
}

/// Returns (h + block) * r, reduced to bytes and a little more at the top.
#[inline(always)]
pub(crate) fn add_multiply<W: Unsigned>(mut h: [W; 17], block: [W; 17], r: [W; 17]) -> [W; 17] {
    let mut carry = W::from(0);
    for i in 0..16 {
        carry = carry + h[i] + block[i];
        h[i] = carry.low_bits(8);
        carry = carry >> 8;
    }
    h[16] = h[16] + block[16] + carry;
    let mut limbs = h;
    carry = W::from(0);
    for i in 0..17 {
        // Limb I of the product, and limb I + 17: 2^136 is 2^6 times 2^130, which counts five.
        let (mut sum, mut upper) = (carry, W::from(0));
        for j in 0..17 {
            if j <= i {
                sum = sum + h[j].byte_product(r[i - j]);
            } else {
                upper = upper + h[j].byte_product(r[i + 17 - j]);
            }
        }
        sum = sum + W::from(320) * upper;
        let bits = if i < 16 { 8 } else { 2 };
        limbs[i] = sum.low_bits(bits);
        carry = sum >> bits;
    }
    carry = W::from(5) * carry;
    for limb in &mut limbs[..16] {
        carry = carry + *limb;
        *limb = carry.low_bits(8);
        carry = carry >> 8;
    }
    limbs[16] = limbs[16] + carry;
    limbs
}
