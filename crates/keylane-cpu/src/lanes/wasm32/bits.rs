//! 128-bit vectors without lanes, for bitsliced AES and products in GF(2^128).

use super::load;
use crate::wipe::{Wipe, wipe};
use core::arch::wasm32::*;
use core::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

/// 128 bits.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Bits(v128);

macro_rules! operators {
    ($($Operator:ident $operator:ident $Other:ty, $result:expr);+) => { $(
        impl $Operator<$Other> for Bits {
            type Output = Self;

            #[inline(always)]
            fn $operator(self, other: $Other) -> Self {
                let result: fn(Self, $Other) -> v128 = $result;
                Self(result(self, other))
            }
        }
    )+ };
}
// Shifts apply to each half.
operators! {
    BitXor bitxor Self, |x, y| v128_xor(x.0, y.0);
    BitAnd bitand Self, |x, y| v128_and(x.0, y.0);
    BitOr bitor Self, |x, y| v128_or(x.0, y.0);
    Shl shl usize, |x, bits| u64x2_shl(x.0, bits as u32);
    Shr shr usize, |x, bits| u64x2_shr(x.0, bits as u32)
}

impl Not for Bits {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(v128_not(self.0))
    }
}

impl Wipe for Bits {
    #[inline(always)]
    fn set_zero(&mut self) {
        *self = Self::ZERO;
    }
}

impl Bits {
    /// All bits zero.
    pub const ZERO: Self = Self(u64x2(0, 0));

    /// Returns the bits of a number.
    #[inline(always)]
    #[must_use]
    pub const fn new(number: u128) -> Self {
        Self(u64x2(number as u64, (number >> 64) as u64))
    }

    /// Returns the bits as a number.
    #[inline(always)]
    #[must_use]
    pub fn number(self) -> u128 {
        u128::from(u64x2_extract_lane::<0>(self.0)) | u128::from(u64x2_extract_lane::<1>(self.0)) << 64
    }

    /// Shuffles the bytes: byte i of the result is the byte of `self` whose number is byte i of `order`.
    #[inline(always)]
    #[must_use]
    pub fn shuffle(self, order: &[u8; 16]) -> Self {
        Self(u8x16_swizzle(self.0, load(core::slice::from_ref(order))))
    }

    /// Returns ones in each byte that has a bit, and zeros in the others.
    #[inline(always)]
    #[must_use]
    pub fn spread(self, bit: usize) -> Self {
        let bit = u8x16_splat(1 << bit);
        Self(u8x16_eq(v128_and(self.0, bit), bit))
    }

    /// Replaces every byte, of four rows of four, by the byte `rows` rows below it, 1 or 2, and `columns`
    /// columns after it.
    #[inline(always)]
    #[must_use]
    pub fn turn(self, rows: u32, columns: u32) -> Self {
        let x = self.0;
        let x = if rows == 1 { u32x4_shuffle::<1, 2, 3, 0>(x, x) } else { u32x4_shuffle::<2, 3, 0, 1>(x, x) };
        Self(match columns {
            0 => x,
            2 => u16x8_shuffle::<1, 0, 3, 2, 5, 4, 7, 6>(x, x),
            // A byte shuffle would be slower, since engines build its order each time.
            _ => v128_or(u32x4_shr(x, 8 * columns), u32x4_shl(x, 32 - 8 * columns)),
        })
    }
}

/// The multiples of a polynomial over GF(2) by those of degree 0 to 3: byte i of the sixteen in vector i. A
/// product is looked up by shuffles, which take the same time whatever they move.
#[derive(Clone, Copy, Debug)]
pub struct Multiples([Bits; 16]);

impl Multiples {
    /// The multiples of zero.
    pub const ZERO: Self = Self([Bits::ZERO; 16]);

    /// Prepares products with a polynomial, given its products with 1, x, x^2 and x^3, perhaps reduced.
    #[inline(always)]
    pub fn set(&mut self, products: [u128; 4]) {
        self.0[0] = Bits::ZERO;
        for i in 1..16_usize {
            self.0[i] = self.0[i & (i - 1)] ^ Bits::new(products[i.trailing_zeros() as usize]);
        }
        // Four perfect shuffles of the bytes exchange the halves of their numbers.
        let mut before = [Bits::ZERO; 16];
        for _ in 0..4 {
            before = self.0;
            for i in 0..8 {
                let (x, y) = (before[i].0, before[i + 8].0);
                self.0[2 * i] =
                    Bits(u8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(x, y));
                self.0[2 * i + 1] =
                    Bits(u8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(x, y));
            }
        }
        wipe(&mut before);
    }

    /// Returns the lower and the upper 128 bits of a sum of products.
    #[inline(always)]
    #[must_use]
    pub fn sum_of_products<const N: usize>(factors: &[Self; N], others: [u128; N]) -> [u128; 2] {
        let (zero, four) = (u64x2_splat(0), Bits(u8x16_splat(15)));
        let halves = others.map(|other| [Bits::new(other) & four, Bits::new(other) >> 4 & four]);
        let mut sums = [[zero; 2]; 2];
        for i in (0..16).rev() {
            for (half, [low, high]) in sums.iter_mut().enumerate() {
                *high = shift_byte(*low, *high);
                *low = shift_byte(zero, *low);
                for (factor, halves) in factors.iter().zip(&halves) {
                    *low = v128_xor(*low, u8x16_swizzle(factor.0[i].0, halves[half].0));
                }
            }
        }
        let [[low, high], [low_4, high_4]] = sums.map(|sum| sum.map(|x| Bits(x).number()));
        [low ^ low_4 << 4, high ^ high_4 << 4 ^ low_4 >> 124]
    }
}

/// Returns the bytes of `high` moved up by one, after the last byte of `low`.
#[inline(always)]
fn shift_byte(low: v128, high: v128) -> v128 {
    u8x16_shuffle::<15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30>(low, high)
}

#[cfg(test)]
mod tests;
