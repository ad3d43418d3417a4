//! Lanes as plain arrays: what every vector type must agree with, and what runs where there is no vector.

mod blocks;

use super::{Lanes, U32Lanes, U64Lanes};
use crate::Portable;
use crate::pin::pin;
use core::ops::{Add, BitAnd, BitOr, BitXor};

pub use blocks::PlainBlocks;

/// N lanes of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct U32s<const N: usize>(pub [u32; N]);

/// N lanes of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct U64s<const N: usize>(pub [u64; N]);

macro_rules! arrays {
    ($Lanes:ident: $Trait:ident, $Word:ident, $row:literal) => {
        arrays!(@operator $Lanes, Add, add, |a, b| a.wrapping_add(b));
        arrays!(@operator $Lanes, BitXor, bitxor, |a, b| a ^ b);
        arrays!(@operator $Lanes, BitAnd, bitand, |a, b| a & b);
        arrays!(@operator $Lanes, BitOr, bitor, |a, b| a | b);

        impl<const N: usize> Lanes for $Lanes<N> {
            type Isa = Portable;

            #[inline(always)]
            fn pin(mut self) -> Self {
                for x in &mut self.0 {
                    *x = pin(u64::from(*x)) as $Word;
                }
                self
            }
        }

        impl<const N: usize> $Trait<N> for $Lanes<N> {
            #[inline(always)]
            fn splat(_: Portable, x: $Word) -> Self {
                Self([x; N])
            }

            #[inline(always)]
            fn load(_: Portable, lanes: &[$Word; N]) -> Self {
                Self(*lanes)
            }

            #[inline(always)]
            fn store(self, lanes: &mut [$Word; N]) {
                *lanes = self.0;
            }

            #[inline(always)]
            fn rotate_right<const R: u32>(mut self) -> Self {
                for x in &mut self.0 {
                    *x = x.rotate_right(R);
                }
                self
            }

            #[inline(always)]
            fn shift_right<const R: u32>(mut self) -> Self {
                for x in &mut self.0 {
                    *x >>= R;
                }
                self
            }

            #[inline(always)]
            fn from_rows(_: Portable, rows: &[[$Word; $row]; N]) -> [Self; $row] {
                let mut words = [Self([0; N]); $row];
                for (lane, row) in rows.iter().enumerate() {
                    for (word, x) in words.iter_mut().zip(row) {
                        word.0[lane] = *x;
                    }
                }
                words
            }

            #[inline(always)]
            fn from_rows_be(isa: Portable, rows: [&[u8; 32]; N]) -> [Self; $row] {
                let mut words = [[0; $row]; N];
                for (row, bytes) in words.iter_mut().zip(rows) {
                    let (chunks, _) = bytes.as_chunks();
                    for (x, chunk) in row.iter_mut().zip(chunks) {
                        *x = $Word::from_be_bytes(*chunk);
                    }
                }
                Self::from_rows(isa, &words)
            }

            #[inline(always)]
            fn to_rows(words: [Self; $row], rows: &mut [[$Word; $row]; N]) {
                for (lane, row) in rows.iter_mut().enumerate() {
                    for (word, x) in words.iter().zip(row) {
                        *x = word.0[lane];
                    }
                }
            }
        }
    };
    (@operator $Lanes:ident, $Operator:ident, $operator:ident, |$a:ident, $b:ident| $result:expr) => {
        impl<const N: usize> $Operator for $Lanes<N> {
            type Output = Self;

            #[inline(always)]
            fn $operator(mut self, other: Self) -> Self {
                for i in 0..N {
                    let ($a, $b) = (self.0[i], other.0[i]);
                    self.0[i] = $result;
                }
                self
            }
        }
    };
}

arrays!(U32s: U32Lanes, u32, 8);
arrays!(U64s: U64Lanes, u64, 4);
