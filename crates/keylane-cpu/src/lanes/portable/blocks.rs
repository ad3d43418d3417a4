//! Blocks as plain integers. The carry-less product takes constant time only if the CPU's multiplication
//! does, which is not the case on some cores (PowerPC 7450). Without [`LONG_PRODUCTS`](crate::LONG_PRODUCTS),
//! only products of one word are used.

use crate::Portable;
use crate::lanes::{Blocks, CarrylessBlocks, load_partial, store_partial};
use crate::pin::Scalar;
use core::ops::BitXor;

/// N blocks, each a little-endian number.
///
/// ```
/// use keylane_cpu::lanes::{CarrylessBlocks, portable::PlainBlocks};
///
/// let product = PlainBlocks([0b11]).multiply_low(PlainBlocks([0b11]));
/// assert_eq!(product, PlainBlocks([0b101])); // (x + 1)² = x² + 1 over GF(2)
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainBlocks<const N: usize>(pub [u128; N]);

impl<const N: usize> PlainBlocks<N> {
    #[inline(always)]
    fn each(mut self, f: impl Fn(u128) -> u128) -> Self {
        for x in &mut self.0 {
            *x = f(*x);
        }
        self
    }

    #[inline(always)]
    fn with(mut self, other: Self, f: impl Fn(u128, u128) -> u128) -> Self {
        for (x, y) in self.0.iter_mut().zip(other.0) {
            *x = f(*x, y);
        }
        self
    }
}

impl<const N: usize> BitXor for PlainBlocks<N> {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        self.with(other, |x, y| x ^ y)
    }
}

impl<const N: usize> Blocks<N> for PlainBlocks<N> {
    type Isa = Portable;
    type One = PlainBlocks<1>;

    #[inline(always)]
    fn zero(_: Portable) -> Self {
        Self([0; N])
    }

    #[inline(always)]
    fn load(_: Portable, blocks: &[[u8; 16]; N]) -> Self {
        let mut vector = Self([0; N]);
        for (x, block) in vector.0.iter_mut().zip(blocks) {
            *x = u128::from_le_bytes(*block);
        }
        vector
    }

    #[inline(always)]
    fn store(self, blocks: &mut [[u8; 16]; N]) {
        for (x, block) in self.0.iter().zip(blocks) {
            *block = x.to_le_bytes();
        }
    }

    #[inline(always)]
    fn splat(_: Portable, number: u128) -> Self {
        Self([number; N])
    }

    #[inline(always)]
    fn number(self) -> u128 {
        self.0[0]
    }

    #[inline(always)]
    fn broadcast(_: Portable, block: &[u8; 16]) -> Self {
        Self([u128::from_le_bytes(*block); N])
    }

    #[inline(always)]
    fn load_front(_: Portable, bytes: &[u8]) -> Self {
        let mut vector = Self([0; N]);
        let (blocks, rest) = bytes.as_chunks();
        for (x, block) in vector.0.iter_mut().zip(blocks) {
            *x = u128::from_le_bytes(*block);
        }
        if let Some(x) = vector.0.get_mut(blocks.len()) {
            *x = join(load_partial(rest));
        }
        vector
    }

    #[inline(always)]
    fn store_front(self, bytes: &mut [u8]) {
        let (blocks, rest) = bytes.as_chunks_mut();
        for (x, block) in self.0.iter().zip(&mut *blocks) {
            *block = x.to_le_bytes();
        }
        if let Some(x) = self.0.get(blocks.len()) {
            store_partial(halves(*x), rest);
        }
    }

    #[inline(always)]
    fn keep_front(mut self, len: usize) -> Self {
        for (i, x) in self.0.iter_mut().enumerate() {
            let kept = len.saturating_sub(16 * i).min(16) as u32;
            *x &= u128::MAX.checked_shr(128 - 8 * kept).unwrap_or(0);
        }
        self
    }

    #[inline(always)]
    fn push(mut self, last: PlainBlocks<1>) -> Self {
        self.0.rotate_left(1);
        self.0[N - 1] = last.0[0];
        self
    }

    #[inline(always)]
    fn split(self) -> [PlainBlocks<1>; N] {
        self.0.map(|block| PlainBlocks([block]))
    }

    #[inline(always)]
    fn every(one: PlainBlocks<1>) -> Self {
        Self([one.0[0]; N])
    }

    #[inline(always)]
    fn first(one: PlainBlocks<1>) -> Self {
        let mut vector = Self([0; N]);
        vector.0[0] = one.0[0];
        vector
    }

    #[inline(always)]
    fn front(self) -> PlainBlocks<1> {
        PlainBlocks([self.0[0]])
    }

    #[inline(always)]
    fn sum(self) -> PlainBlocks<1> {
        let mut sum = 0;
        for x in self.0 {
            sum ^= x;
        }
        PlainBlocks([sum])
    }

    #[inline(always)]
    fn pin(self) -> Self {
        self.each(|x| {
            let [low, high] = halves(x);
            join([low.pin_here(), high.pin_here()])
        })
    }

    #[inline(always)]
    fn add32(self, other: Self) -> Self {
        self.with(other, |x, y| {
            let mut sums = 0;
            for at in [0, 32, 64, 96] {
                sums |= u128::from(((x >> at) as u32).wrapping_add((y >> at) as u32)) << at;
            }
            sums
        })
    }

    #[inline(always)]
    fn add64(self, other: Self) -> Self {
        self.with(other, |x, y| {
            let ([x0, x1], [y0, y1]) = (halves(x), halves(y));
            join([x0.wrapping_add(y0), x1.wrapping_add(y1)])
        })
    }

    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        self.each(reverse)
    }

    #[inline(always)]
    fn swap_halves(self) -> Self {
        self.each(|x| x.rotate_left(64))
    }
}

impl<const N: usize> CarrylessBlocks<N> for PlainBlocks<N> {
    #[inline(always)]
    fn multiply_low(self, other: Self) -> Self {
        self.with(other, |x, y| product(halves(x)[0], halves(y)[0]))
    }

    #[inline(always)]
    fn multiply_high(self, other: Self) -> Self {
        self.with(other, |x, y| product(halves(x)[1], halves(y)[1]))
    }

    /// Uses shifts, which are faster than products.
    #[inline(always)]
    fn reduce_low(self, _: Self) -> Self {
        self.each(|x| {
            let low = x & u128::from(u64::MAX);
            low << 63 ^ low << 62 ^ low << 57
        })
    }
}

/// Reverses the bytes. WebAssembly has a shuffle, but no instruction for this.
#[inline(always)]
fn reverse(x: u128) -> u128 {
    #[cfg(target_feature = "simd128")]
    let reversed = {
        use crate::lanes::wasm32::bits::Bits;
        Bits::new(x).shuffle(&[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]).number()
    };
    #[cfg(not(target_feature = "simd128"))]
    let reversed = x.swap_bytes();
    reversed
}

/// Returns the low half and the high half.
#[inline(always)]
const fn halves(x: u128) -> [u64; 2] {
    [x as u64, (x >> 64) as u64]
}

#[inline(always)]
const fn join([low, high]: [u64; 2]) -> u128 {
    (low as u128) | (high as u128) << 64
}

/// Returns a mask of every fourth bit, from bit `first` on. In a product of integers that have only such
/// bits, carries stay in the holes between these bits, as long as at most fifteen ones are added in one
/// place.
#[inline(always)]
const fn fourths(first: usize) -> u128 {
    (u128::MAX / 15) << first
}

#[cfg(not(target_pointer_width = "64"))]
use product_by_32 as product;
#[cfg(target_pointer_width = "64")]
use product_by_64 as product;

/// Multiplies two polynomials over GF(2), with multiplications 64 × 64 → 128.
#[cfg(any(target_pointer_width = "64", test))]
#[inline(never)]
fn product_by_64(a: u64, b: u64) -> u128 {
    let mut sum = 0;
    // Sixteen ones would be one too many: the highest bit of each fourth of `a` is multiplied separately.
    for bit in [60, 61, 62, 63] {
        sum ^= u128::from(a & 1 << bit) * u128::from(b);
    }
    let a = a & u64::MAX >> 4;
    for k in 0..4 {
        let mut fourth = 0;
        for i in 0..4 {
            let (x, y) = (a & fourths(i) as u64, b & fourths((4 + k - i) % 4) as u64);
            fourth ^= u128::from(x) * u128::from(y);
        }
        sum ^= fourth & fourths(k);
    }
    sum
}

/// Returns the same product, by 32-bit multiplications.
#[cfg(not(target_pointer_width = "64"))]
#[inline(never)]
fn product_by_32(a: u64, b: u64) -> u128 {
    by_halves(a, b, if crate::LONG_PRODUCTS { long_product } else { short_product })
}

/// Multiplies by Karatsuba, given products of halves.
#[cfg(any(not(target_pointer_width = "64"), test))]
#[inline(always)]
fn by_halves(a: u64, b: u64, product: impl Fn(u32, u32) -> u64) -> u128 {
    let ([a0, a1], [b0, b1]) = ([a as u32, (a >> 32) as u32], [b as u32, (b >> 32) as u32]);
    let (low, high) = (product(a0, b0), product(a1, b1));
    let middle = product(a0 ^ a1, b0 ^ b1) ^ low ^ high;
    join([low, high]) ^ u128::from(middle) << 32
}

/// Multiplies with multiplications 32 × 32 → 64. At most eight ones are added in one place.
///
/// Written out: a compiler that optimises for size keeps loops, which take four times as many instructions.
#[cfg(any(not(target_pointer_width = "64"), test))]
#[inline(never)]
fn long_product(a: u32, b: u32) -> u64 {
    const M: [u64; 4] = [fourths(0) as u64, fourths(1) as u64, fourths(2) as u64, fourths(3) as u64];
    let m = |x: u32, y: u32| u64::from(x) * u64::from(y);
    let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (each_fourth(a), each_fourth(b));
    (m(a0, b0) ^ m(a1, b3) ^ m(a2, b2) ^ m(a3, b1)) & M[0]
        | (m(a0, b1) ^ m(a1, b0) ^ m(a2, b3) ^ m(a3, b2)) & M[1]
        | (m(a0, b2) ^ m(a1, b1) ^ m(a2, b0) ^ m(a3, b3)) & M[2]
        | (m(a0, b3) ^ m(a1, b2) ^ m(a2, b1) ^ m(a3, b0)) & M[3]
}

/// Returns the same product, by multiplications 32 × 32 → 32. The upper half is the reversed lower half of
/// the reversed factors' product.
#[cfg(any(not(target_pointer_width = "64"), test))]
#[inline(always)]
fn short_product(a: u32, b: u32) -> u64 {
    let upper = low_product(a.reverse_bits(), b.reverse_bits()).reverse_bits() >> 1;
    u64::from(low_product(a, b)) | u64::from(upper) << 32
}

/// Returns the lower half of a product.
#[cfg(any(not(target_pointer_width = "64"), test))]
#[inline(never)]
fn low_product(a: u32, b: u32) -> u32 {
    const M: [u32; 4] = [fourths(0) as u32, fourths(1) as u32, fourths(2) as u32, fourths(3) as u32];
    let m = u32::wrapping_mul;
    let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (each_fourth(a), each_fourth(b));
    (m(a0, b0) ^ m(a1, b3) ^ m(a2, b2) ^ m(a3, b1)) & M[0]
        | (m(a0, b1) ^ m(a1, b0) ^ m(a2, b3) ^ m(a3, b2)) & M[1]
        | (m(a0, b2) ^ m(a1, b1) ^ m(a2, b0) ^ m(a3, b3)) & M[2]
        | (m(a0, b3) ^ m(a1, b2) ^ m(a2, b1) ^ m(a3, b0)) & M[3]
}

/// Returns every fourth bit of a factor, from each of the first four on.
#[cfg(any(not(target_pointer_width = "64"), test))]
#[inline(always)]
fn each_fourth(x: u32) -> [u32; 4] {
    [x & fourths(0) as u32, x & fourths(1) as u32, x & fourths(2) as u32, x & fourths(3) as u32]
}

#[cfg(test)]
mod tests;
