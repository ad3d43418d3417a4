//! One lane in a general register. LLVM would copy an array of one lane through memory in every operation.

use crate::Portable;
use crate::lanes::{Lanes, U32Lanes, U64Lanes};
use crate::pin::pin;
use core::ops::{Add, BitAnd, BitOr, BitXor};

/// One lane of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct U32x1(pub u32);

/// One lane of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct U64x1(pub u64);

macro_rules! scalar {
    ($Scalar:ident: $Trait:ident, $Word:ident, $row:literal: $($i:literal)+) => {
        scalar!(@operator $Scalar, Add, add, |a, b| a.wrapping_add(b));
        scalar!(@operator $Scalar, BitXor, bitxor, |a, b| a ^ b);
        scalar!(@operator $Scalar, BitAnd, bitand, |a, b| a & b);
        scalar!(@operator $Scalar, BitOr, bitor, |a, b| a | b);

        impl Lanes for $Scalar {
            type Isa = Portable;

            #[inline(always)]
            fn pin(self) -> Self {
                Self(pin(u64::from(self.0)) as $Word)
            }
        }

        impl $Trait<1> for $Scalar {
            #[inline(always)]
            fn splat(_: Portable, x: $Word) -> Self {
                Self(x)
            }

            #[inline(always)]
            fn load(_: Portable, lanes: &[$Word; 1]) -> Self {
                Self(lanes[0])
            }

            #[inline(always)]
            fn store(self, lanes: &mut [$Word; 1]) {
                lanes[0] = self.0;
            }

            #[inline(always)]
            fn rotate_right<const R: u32>(self) -> Self {
                Self(self.0.rotate_right(R))
            }

            #[inline(always)]
            fn shift_right<const R: u32>(self) -> Self {
                Self(self.0 >> R)
            }

            #[inline(always)]
            fn from_rows(_: Portable, [row]: &[[$Word; $row]; 1]) -> [Self; $row] {
                [$(Self(row[$i])),+]
            }

            #[inline(always)]
            fn from_rows_be(_: Portable, [row]: [&[u8; 32]; 1]) -> [Self; $row] {
                // Written out: a compiler that optimises for size keeps a loop.
                [$(Self($Word::from_be_bytes(row.as_chunks().0[$i]))),+]
            }

            #[inline(always)]
            fn to_rows(words: [Self; $row], [row]: &mut [[$Word; $row]; 1]) {
                *row = [$(words[$i].0),+];
            }
        }
    };
    (@operator $Scalar:ident, $Operator:ident, $operator:ident, |$a:ident, $b:ident| $result:expr) => {
        impl $Operator for $Scalar {
            type Output = Self;

            #[inline(always)]
            fn $operator(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                Self($result)
            }
        }
    };
}

scalar!(U32x1: U32Lanes, u32, 8: 0 1 2 3 4 5 6 7);
scalar!(U64x1: U64Lanes, u64, 4: 0 1 2 3);
