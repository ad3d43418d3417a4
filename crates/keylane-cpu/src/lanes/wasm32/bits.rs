//! 128 bits that are no lanes of words, for bitsliced AES.

use super::load;
use crate::wipe::Wipe;
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
// Shifts are of each half.
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

    /// Replaces every byte, of four rows of four, by the byte `rows` rows below it, 1 or 2, and `columns` columns
    /// after it.
    #[inline(always)]
    #[must_use]
    pub fn turn(self, rows: u32, columns: u32) -> Self {
        let x = self.0;
        let x = if rows == 1 { u32x4_shuffle::<1, 2, 3, 0>(x, x) } else { u32x4_shuffle::<2, 3, 0, 1>(x, x) };
        Self(match columns {
            0 => x,
            2 => u16x8_shuffle::<1, 0, 3, 2, 5, 4, 7, 6>(x, x),
            // A shuffle of bytes, whose order engines put together each time, takes longer.
            _ => v128_or(u32x4_shr(x, 8 * columns), u32x4_shl(x, 32 - 8 * columns)),
        })
    }
}

#[cfg(test)]
mod tests;
