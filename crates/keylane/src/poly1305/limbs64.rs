//! Poly1305 in limbs of 64 bits with products of 128 bits: three limbs hold a number below 2^131.
//!
//! The modulus is p = 2^130 - 5, so bits from 130 on are added five times at the bottom. r is clamped
//! (RFC 8439 §2.5): r < 2^124, and its upper half is a multiple of four. Hence
//! 2^128 * r1 = 2^130 * (r1 / 4) = 5 * (r1 / 4), and no product needs more than 128 bits.
//!
//! `checks/proofs` proves that no sum overflows, and the bounds that are stated here.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::word::Unsigned;
use super::word::Word;

/// A number modulo 2^130 - 5, partly reduced: limbs of 64 bits, the lowest first. The uppermost is below
/// 2^63; that of a number that was [folded](fold) is at most 4.
pub(crate) type Accumulator<W = u64> = [W; 3];

/// Absorbs whole blocks, each with a one above it.
#[inline(always)]
pub(super) fn absorb(r: [u64; 2], mut acc: Accumulator, blocks: &[[u8; 16]]) -> Accumulator {
    for block in blocks {
        let block = u128::from_le_bytes(*block);
        acc = absorb_words(r, acc, [block as u64, (block >> 64) as u64], 1);
    }
    acc
}

/// Absorbs 16 bytes as two words, with `top` above them, which is 0 or 1.
///
/// The accumulator is folded here and not after the product: the words are added to the lower limbs while the
/// upper one is still being computed. Pinned, since LLVM would add them afterwards, which lengthens the chain
/// from block to block by a sixth.
#[inline(always)]
pub(crate) fn absorb_words<W: Word>(r: [W; 2], acc: Accumulator<W>, words: [W; 2], top: W) -> Accumulator<W> {
    let (t0, carry) = acc[0].carrying_add(words[0]);
    let t1 = acc[1].wide() + words[1].wide() + carry.wide();
    let t2 = (top + W::high(t1)).pin();
    let [h0, h1, h2] = fold([t0.pin(), W::low(t1).pin(), acc[2]]);
    product([h0, h1, h2 + t2], r)
}

/// Returns h * r, folded, for clamped r. h[2] is at most 8.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(crate) fn multiply<W: Word>(h: Accumulator<W>, r: [W; 2]) -> Accumulator<W> {
    fold(product(h, r))
}

/// Returns h * r for clamped r. h[2] is at most 8, so that no sum overflows.
#[inline(always)]
fn product<W: Word>(h: Accumulator<W>, r: [W; 2]) -> Accumulator<W> {
    let s1 = r[1] + (r[1] >> 2);
    let d0 = h[0].product(r[0]) + h[1].product(s1);
    let d1 = h[0].product(r[1]) + h[1].product(r[0]) + (h[2] * s1).wide() + W::high(d0).wide();
    [W::low(d0), W::low(d1), h[2] * r[0] + W::high(d1)]
}

/// Adds the bits from 130 on five times at the bottom.
#[inline(always)]
pub(crate) fn fold<W: Word>([h0, h1, h2]: Accumulator<W>) -> Accumulator<W> {
    // (h2 / 4) * 5, as h2 / 4 plus h2 with its lowest two bits cleared.
    let five = (h2 >> 2) + (h2 >> 2 << 2);
    let (h0, carry) = h0.carrying_add(five);
    let (h1, carry) = h1.carrying_add(carry);
    [h0, h1, h2.low_bits(2) + carry]
}

/// Returns g * h, folded. Both are folded.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(crate) fn multiply_full<W: Word>(g: Accumulator<W>, h: Accumulator<W>) -> Accumulator<W> {
    let p00 = g[0].product(h[0]);
    let (p01, p10) = (g[0].product(h[1]), g[1].product(h[0]));
    let p11 = g[1].product(h[1]);
    // Upper limbs are small, so these sums do not overflow.
    let p02 = g[0].product(h[2]) + g[2].product(h[0]);
    let p12 = g[1].product(h[2]) + g[2].product(h[1]);
    let low = |product| W::low(product).wide();
    let high = |product| W::high(product).wide();
    let w1 = high(p00) + low(p01) + low(p10);
    let w2 = high(w1) + high(p01) + high(p10) + low(p11) + low(p02);
    let w3 = high(w2) + high(p11) + high(p02) + p12;
    let w4 = W::high(w3) + g[2] * h[2];
    let (w1, w2, w3) = (W::low(w1), W::low(w2), W::low(w3));
    let five = W::from(5);
    // The bits from 130 on are added five times at the bottom, and the same for the carry of that sum.
    let d0 = low(p00) + (w2 >> 2 | w3 << 62).product(five);
    let d1 = w1.wide() + (w3 >> 2 | w4 << 62).product(five) + high(d0);
    let d2 = w2.low_bits(2) + five * (w4 >> 2) + W::high(d1);
    let (h0, carry) = W::low(d0).carrying_add(five * (d2 >> 2));
    let (h1, carry) = W::low(d1).carrying_add(carry);
    [h0, h1, d2.low_bits(2) + carry]
}

/// Returns lower + upper * 2^AT, folded, for lower below 2^AT and upper below 2^(190 - AT). Bits from 130 on
/// are added five times at the bottom.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(crate) fn with_upper<W: Word, const AT: u32>(lower: W::Wide, upper: W::Wide) -> Accumulator<W> {
    const { assert!(AT > 64 && AT < 128) }
    let inside = upper.low_bits(130 - AT);
    let over = upper >> (130 - AT);
    let (sum, carry) = (lower | inside << AT).carrying_add(W::Wide::from(5) * over);
    [W::low(sum), W::high(sum), W::low((inside >> (128 - AT)) + carry)]
}

/// Returns the tag (RFC 8439 §2.5.1): the accumulator modulo p, plus s, modulo 2^128.
#[inline(always)]
pub(super) fn finish(h: Accumulator, s: [u64; 2]) -> [u8; 16] {
    let [low, high] = add_reduced(h, s);
    (low as u128 | (high as u128) << 64).to_le_bytes()
}

/// Returns the accumulator modulo p, plus s, modulo 2^128.
#[inline(always)]
pub(crate) fn add_reduced<W: Word>(h: Accumulator<W>, s: [W; 2]) -> [W; 2] {
    let h = fold(h);
    // h - p = h + 5 - 2^130: h is p or more if h + 5 reaches bit 130.
    let (g0, carry) = h[0].carrying_add(W::from(5));
    let (g1, carry) = h[1].carrying_add(carry);
    let reduced = W::mask(((h[2] + carry) >> 2).low_bits(1));
    let low = (h[0] & !reduced) | (g0 & reduced);
    let high = (h[1] & !reduced) | (g1 & reduced);
    let (low, carry) = low.carrying_add(s[0]);
    [low, W::low(high.wide() + s[1].wide() + carry.wide())]
}
