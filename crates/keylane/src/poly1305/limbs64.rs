//! Poly1305 in limbs of 64 bits with products of 128 bits: three limbs hold a number below 2^131.
//!
//! The modulus is p = 2^130 - 5, so bits from 130 on are added five times at the bottom. r is clamped
//! (RFC 8439 §2.5): r < 2^124, and its upper half is a multiple of four. Hence
//! 2^128 * r1 = 2^130 * (r1 / 4) = 5 * (r1 / 4), and no product needs more than 128 bits.

use keylane_cpu::pin::pin;

/// A number modulo 2^130 - 5, partly reduced: limbs of 64 bits, the lowest first. The uppermost is below
/// 2^63; that of a number that was [folded](fold) is at most 4.
pub(crate) type Accumulator = [u64; 3];

#[inline(always)]
const fn wide(a: u64, b: u64) -> u128 {
    a as u128 * b as u128
}

/// Absorbs whole blocks, each with a one above it.
#[inline(always)]
pub(super) fn absorb(r: [u64; 2], mut acc: Accumulator, blocks: &[[u8; 16]]) -> Accumulator {
    for block in blocks {
        let block = u128::from_le_bytes(*block);
        acc = absorb_words(r, acc, [block as u64, (block >> 64) as u64], 1);
    }
    acc
}

/// Absorbs 16 bytes as two words, with `top` above them.
///
/// The accumulator is folded here and not after the product: the words are added to the lower limbs while the
/// upper one is still being computed. Pinned, since LLVM would add them afterwards, which lengthens the chain
/// from block to block by a sixth.
#[inline(always)]
pub(super) fn absorb_words(r: [u64; 2], acc: Accumulator, words: [u64; 2], top: u64) -> Accumulator {
    let (t0, carry) = acc[0].overflowing_add(words[0]);
    let t1 = acc[1] as u128 + words[1] as u128 + carry as u128;
    let t2 = pin(top + (t1 >> 64) as u64);
    let [h0, h1, h2] = fold([pin(t0), pin(t1 as u64), acc[2]]);
    product([h0, h1, h2 + t2], r)
}

/// Returns h * r, folded, for clamped r. h[2] is at most 8.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(super) fn multiply(h: Accumulator, r: [u64; 2]) -> Accumulator {
    fold(product(h, r))
}

/// Returns h * r for clamped r. h[2] is at most 8, so that no sum overflows.
#[inline(always)]
fn product(h: Accumulator, r: [u64; 2]) -> Accumulator {
    let s1 = r[1] + (r[1] >> 2);
    let d0 = wide(h[0], r[0]) + wide(h[1], s1);
    let d1 = wide(h[0], r[1]) + wide(h[1], r[0]) + (h[2] * s1) as u128 + (d0 >> 64);
    [d0 as u64, d1 as u64, h[2] * r[0] + (d1 >> 64) as u64]
}

/// Adds the bits from 130 on five times at the bottom.
#[inline(always)]
pub(super) fn fold([h0, h1, h2]: Accumulator) -> Accumulator {
    // (h2 / 4) * 5, as h2 / 4 plus h2 with its lowest two bits cleared.
    let five = (h2 >> 2) + (h2 & !3);
    let (h0, carry) = h0.overflowing_add(five);
    let (h1, carry) = h1.overflowing_add(carry as u64);
    [h0, h1, (h2 & 3) + carry as u64]
}

/// Returns g * h, folded. Both are folded.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(super) fn multiply_full(g: Accumulator, h: Accumulator) -> Accumulator {
    let p00 = wide(g[0], h[0]);
    let (p01, p10) = (wide(g[0], h[1]), wide(g[1], h[0]));
    let p11 = wide(g[1], h[1]);
    // Upper limbs are small, so these sums do not overflow.
    let p02 = wide(g[0], h[2]) + wide(g[2], h[0]);
    let p12 = wide(g[1], h[2]) + wide(g[2], h[1]);
    let low = |product: u128| u128::from(product as u64);
    let w1 = (p00 >> 64) + low(p01) + low(p10);
    let w2 = (w1 >> 64) + (p01 >> 64) + (p10 >> 64) + low(p11) + low(p02);
    let w3 = (w2 >> 64) + (p11 >> 64) + (p02 >> 64) + p12;
    let w4 = (w3 >> 64) as u64 + g[2] * h[2];
    let (w1, w2, w3) = (w1 as u64, w2 as u64, w3 as u64);
    // The bits from 130 on are added five times at the bottom, and the same for the carry of that sum.
    let d0 = low(p00) + wide(w2 >> 2 | w3 << 62, 5);
    let d1 = w1 as u128 + wide(w3 >> 2 | w4 << 62, 5) + (d0 >> 64);
    let d2 = (w2 & 3) + 5 * (w4 >> 2) + (d1 >> 64) as u64;
    let (h0, carry) = (d0 as u64).overflowing_add(5 * (d2 >> 2));
    let (h1, carry) = (d1 as u64).overflowing_add(carry as u64);
    [h0, h1, (d2 & 3) + carry as u64]
}

/// Returns lower + upper * 2^AT, folded, for lower below 2^AT and upper below 2^(190 - AT). Bits from 130 on
/// are added five times at the bottom.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(super) fn with_upper<const AT: u32>(lower: u128, upper: u128) -> Accumulator {
    const { assert!(AT > 64 && AT < 128) }
    let inside = upper & ((1 << (130 - AT)) - 1);
    let over = upper >> (130 - AT);
    let (sum, carry) = (lower | inside << AT).overflowing_add(5 * over);
    [sum as u64, (sum >> 64) as u64, (inside >> (128 - AT)) as u64 + carry as u64]
}

/// Returns the tag (RFC 8439 §2.5.1): the accumulator modulo p, plus s, modulo 2^128.
#[inline(always)]
pub(super) fn finish(h: Accumulator, s: [u64; 2]) -> [u8; 16] {
    let h = fold(h);
    // h - p = h + 5 - 2^130: h is p or more if h + 5 reaches bit 130.
    let (g0, carry) = h[0].overflowing_add(5);
    let (g1, carry) = h[1].overflowing_add(carry as u64);
    let reduced = 0_u64.wrapping_sub((h[2] + carry as u64) >> 2 & 1);
    let low = (h[0] & !reduced) | (g0 & reduced);
    let high = (h[1] & !reduced) | (g1 & reduced);
    let (low, carry) = low.overflowing_add(s[0]);
    let high = high.wrapping_add(s[1]).wrapping_add(carry as u64);
    (low as u128 | (high as u128) << 64).to_le_bytes()
}
