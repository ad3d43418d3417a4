//! Lanes as plain arrays: the model with which every vector type must agree, and the implementation for CPUs
//! without vectors.

mod blocks;
mod scalar;

use super::{Lanes, Product52Lanes, ProductLanes, RowLanes, U32Lanes, U64Lanes};
use crate::Portable;
use core::ops::{Add, BitAnd, BitOr, BitXor};

pub use blocks::PlainBlocks;
pub use scalar::{U32x1, U64x1};

/// N lanes of 32 bits.
///
/// ```
/// use keylane_cpu::Portable;
/// use keylane_cpu::lanes::{Lanes, U32Lanes, portable::U32s};
///
/// let (a, b) = (U32s([1, 2]), U32s::splat(Portable, u32::MAX));
/// assert_eq!(a + b, U32s([0, 1]));
/// assert_eq!(a.majority(b, a), a);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct U32s<const N: usize>(pub [u32; N]);

/// N lanes of 64 bits.
///
/// ```
/// use keylane_cpu::lanes::{ProductLanes, portable::U64s};
///
/// let product = U64s([3, 1 << 32 | 5]).multiply_32(U64s([7, 11]));
/// assert_eq!(product, U64s([21, 55])); // of the lower halves
/// ```
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

impl<const N: usize, const B: usize> RowLanes<N, B> for U32s<N> {
    #[inline(always)]
    fn every(_: Portable, row: [u32; 4]) -> Self {
        const { assert!(N == 4 * B) }
        let mut lanes = [0; N];
        for i in 0..N {
            lanes[i] = row[i % 4];
        }
        Self(lanes)
    }

    #[inline(always)]
    fn load_bytes(_: Portable, bytes: &[[u8; 16]; B]) -> Self {
        const { assert!(N == 4 * B) }
        let mut lanes = [0; N];
        for (lane, word) in lanes.iter_mut().zip(bytes.as_flattened().as_chunks().0) {
            *lane = u32::from_le_bytes(*word);
        }
        Self(lanes)
    }

    #[inline(always)]
    fn store_bytes(self, bytes: &mut [[u8; 16]; B]) {
        const { assert!(N == 4 * B) }
        for (lane, word) in self.0.iter().zip(bytes.as_flattened_mut().as_chunks_mut().0) {
            *word = lane.to_le_bytes();
        }
    }

    #[inline(always)]
    fn turn<const K: i32>(self) -> Self {
        const { assert!(N == 4 * B && K > 0 && K < 4) }
        let mut lanes = [0; N];
        for i in 0..N {
            lanes[i] = self.0[i / 4 * 4 + (i + K as usize) % 4];
        }
        Self(lanes)
    }

    #[inline(always)]
    fn transpose(square: [Self; N]) -> [Self; N] {
        let mut columns = square;
        for i in 0..N {
            for j in 0..N {
                columns[j].0[i] = square[i].0[j];
            }
        }
        columns
    }

    #[inline(always)]
    fn states_from_rows(rows: [Self; 4]) -> [Self; 4] {
        const { assert!(N == 4 * B) }
        let mut states = [Self([0; N]); 4];
        for at in 0..4 * N {
            // Word `at % 16` of state `at / 16`.
            states[at / N].0[at % N] = rows[at % 16 / 4].0[at / 16 * 4 + at % 4];
        }
        states
    }
}

impl<const N: usize> ProductLanes<N> for U64s<N> {
    #[inline(always)]
    fn shift_left<const L: u32>(mut self) -> Self {
        for x in &mut self.0 {
            *x <<= L;
        }
        self
    }

    #[inline(always)]
    fn multiply_32(mut self, other: Self) -> Self {
        for i in 0..N {
            self.0[i] = u64::from(self.0[i] as u32) * u64::from(other.0[i] as u32);
        }
        self
    }

    #[inline(always)]
    fn from_blocks(_: Portable, blocks: &[[u8; 16]; N]) -> (Self, Self) {
        let mut pairs = [[0; 2]; N];
        for (pair, block) in pairs.as_flattened_mut().iter_mut().zip(blocks.as_flattened().as_chunks().0) {
            *pair = u64::from_le_bytes(*block);
        }
        let (mut low, mut high) = ([0; N], [0; N]);
        for i in 0..N {
            [low[i], high[i]] = pairs[i];
        }
        (Self(low), Self(high))
    }

    #[inline(always)]
    fn from_words(_: Portable, words: [u64; N]) -> Self {
        Self(words)
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        let mut sum = 0u64;
        for x in self.0 {
            sum = sum.wrapping_add(x);
        }
        sum
    }
}

impl<const N: usize> U64s<N> {
    /// Returns in each lane the product of the lower 52 bits of both.
    #[inline(always)]
    fn multiply_52(self, other: Self) -> [u128; N] {
        const LIMB: u64 = (1 << 52) - 1;
        let mut products = [0; N];
        for i in 0..N {
            products[i] = u128::from(self.0[i] & LIMB) * u128::from(other.0[i] & LIMB);
        }
        products
    }
}

impl<const N: usize> Product52Lanes<N> for U64s<N> {
    type Ifma = Portable;

    #[inline(always)]
    fn lanes(isa: Portable) -> Portable {
        isa
    }

    #[inline(always)]
    fn gather(isa: Portable, blocks: [&[u8; 16]; N]) -> (Self, Self) {
        Self::from_blocks(isa, &blocks.map(|block| *block))
    }

    #[inline(always)]
    fn add_low_product(mut self, _: Portable, a: Self, b: Self) -> Self {
        let products = a.multiply_52(b);
        for i in 0..N {
            self.0[i] = self.0[i].wrapping_add(products[i] as u64 & ((1 << 52) - 1));
        }
        self
    }

    #[inline(always)]
    fn add_high_product(mut self, _: Portable, a: Self, b: Self) -> Self {
        let products = a.multiply_52(b);
        for i in 0..N {
            self.0[i] = self.0[i].wrapping_add((products[i] >> 52) as u64);
        }
        self
    }
}
