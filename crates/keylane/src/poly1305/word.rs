//! Arithmetic of scalar code: words of an integer register, and products of two words.

use core::ops::{Add, BitAnd, BitOr, Mul, Not, Shl, Shr};

/// An unsigned integer. Bits that are shifted out are lost; other results must fit.
pub(crate) trait Unsigned:
    Copy
    + From<u32>
    + Add<Output = Self>
    + Mul<Output = Self>
    + BitOr<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// Returns the sum, and its carry: 0 or 1.
    fn carrying_add(self, other: Self) -> (Self, Self);
    /// Returns the product of two bytes.
    fn byte_product(self, other: Self) -> Self;
    /// Returns the lowest bits, not all.
    fn low_bits(self, count: u32) -> Self;
}

/// A word.
pub(crate) trait Word: Unsigned + BitAnd<Output = Self> + Not<Output = Self> {
    /// Twice as long.
    type Wide: Unsigned;

    fn wide(self) -> Self::Wide;
    /// Returns the lower half.
    fn low(x: Self::Wide) -> Self;
    /// Returns the upper half.
    fn high(x: Self::Wide) -> Self;
    /// Returns ones everywhere for 1, and zeros for 0.
    fn mask(bit: Self) -> Self;
    /// Returns `self`, as [`keylane_cpu::pin::pin`] does.
    fn pin(self) -> Self;

    #[inline(always)]
    fn product(self, other: Self) -> Self::Wide {
        self.wide() * other.wide()
    }
}

macro_rules! unsigned {
    ($($Word:ident),+) => { $(
        impl Unsigned for $Word {
            #[inline(always)]
            fn byte_product(self, other: Self) -> Self {
                (u16::from(self as u8) * u16::from(other as u8)).into()
            }

            #[inline(always)]
            fn carrying_add(self, other: Self) -> (Self, Self) {
                if cfg!(target_pointer_width = "64") {
                    let (sum, carry) = self.overflowing_add(other);
                    return (sum, carry.into());
                }
                // Of two registers, a comparison would be a branch on RISC-V: the carry out of the highest
                // bit.
                let sum = self.wrapping_add(other);
                (sum, (self & other | (self | other) & !sum) >> (Self::BITS - 1))
            }

            #[inline(always)]
            fn low_bits(self, count: u32) -> Self {
                self & ((1 << count) - 1)
            }
        }
    )+ };
}
unsigned!(u32, u64, u128);

macro_rules! words {
    ($($Word:ident $Wide:ident),+) => { $(
        impl Word for $Word {
            type Wide = $Wide;

            #[inline(always)]
            fn wide(self) -> $Wide {
                self.into()
            }

            #[inline(always)]
            fn low(x: $Wide) -> Self {
                x as Self
            }

            #[inline(always)]
            fn high(x: $Wide) -> Self {
                (x >> Self::BITS) as Self
            }

            #[inline(always)]
            fn mask(bit: Self) -> Self {
                bit.wrapping_neg()
            }

            #[inline(always)]
            fn pin(self) -> Self {
                keylane_cpu::pin::pin(self.into()) as Self
            }
        }
    )+ };
}
words!(u32 u64, u64 u128);
