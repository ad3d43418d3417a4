//! Poly1305 in five limbs of 26 bits with products of 64 bits, for machines whose registers have 32.
//!
//! Bounds, which `checks/proofs` proves: limbs of the accumulator plus a block stay below
//! 2^27 + 2^7, those of r below 2^26, and five times those of r below 2^28.4; so a sum of five products stays
//! below 2^58.

use super::limbs64::{Accumulator, fold};
use super::word::{Unsigned, Word};
use crate::unroll::each;

/// Splits words of 32 bits, the lowest first, into limbs of 26 bits. The last limb has the rest.
#[inline(always)]
pub(crate) fn split<W: Word>([a, b, c, d, top]: [W; 5]) -> [W; 5] {
    [
        a.low_bits(26),
        (a >> 26 | b << 6).low_bits(26),
        (b >> 20 | c << 12).low_bits(26),
        (c >> 14 | d << 18).low_bits(26),
        d >> 8 | top << 24,
    ]
}

/// Returns a folded number in words of 32 bits.
#[inline(always)]
pub(crate) fn words<W: Word>([low, middle, high]: Accumulator<W::Wide>) -> [W; 5] {
    [W::low(low), W::high(low), W::low(middle), W::high(middle), W::low(high)]
}

/// Returns the words of a block, with `top` above them.
#[inline(always)]
pub(super) fn block_words(block: &[u8; 16], top: u32) -> [u32; 5] {
    let (&[a, b, c, d], []) = block.as_chunks() else { unreachable!("four words") };
    let word = u32::from_le_bytes;
    [word(a), word(b), word(c), word(d), top]
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

/// Absorbs blocks, each with `top` above it. Not inlined: it is written out, and is called in many places.
#[inline(never)]
pub(crate) fn absorb(&[r0, r1]: &[u64; 2], acc: &mut Accumulator, blocks: &[[u8; 16]], top: u32) {
    let r: [u32; 5] = split(words([r0, r1, 0]));
    let mut h = split(words(fold(*acc)));
    for block in blocks {
        h = add_multiply(h, split(block_words(block, top)), r);
    }
    *acc = join(h);
}

/// Returns (h + block) * r, reduced to limbs of 26 bits and a little more.
///
/// Written out: a compiler that optimises for size keeps loops, which take twice to five times as many
/// instructions.
#[inline(always)]
pub(crate) fn add_multiply<W: Word>(mut h: [W; 5], block: [W; 5], r: [W; 5]) -> [W; 5] {
    let mut five_r = r;
    each!(I in [0 1 2 3 4] {
        h[I] = h[I] + block[I];
        five_r[I] = W::from(5) * r[I];
    });
    let mut limbs = h;
    let mut carry = W::Wide::from(0);
    each!(I in [0 1 2 3 4] {
        let mut sum = h[0].product(r[I]);
        each!(J in [1 2 3 4] {
            // From limb 5 on, products are added five times to the limb five places below.
            let factor = if const { J > I } { five_r[(I + 5 - J) % 5] } else { r[(I + 5 - J) % 5] };
            sum = sum + h[J].product(factor);
        });
        sum = sum + carry;
        limbs[I] = W::low(sum).low_bits(26);
        carry = sum >> 26;
    });
    // The carry is below 2^30, since limb 4 has no factor five.
    let low = limbs[0].wide() + W::Wide::from(5) * carry;
    limbs[0] = W::low(low).low_bits(26);
    limbs[1] = limbs[1] + W::low(low >> 26);
    limbs
}
