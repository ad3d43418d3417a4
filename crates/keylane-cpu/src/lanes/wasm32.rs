//! Lanes of WebAssembly: vectors of 128 bits.
//!
//! A program with these types has the instructions, so the intrinsics are safe, except those that access
//! memory.

pub mod bits;

use super::{BlockWords, Lanes, RowLanes, Sha256Schedule, U32Lanes};
use crate::wasm32::Simd128;
use core::arch::wasm32::*;
use core::ops::{Add, BitAnd, BitOr, BitXor};

/// Elements of memory for loading and storing vectors.
///
/// # Safety
/// The type has no padding, and every pattern of bits is a value.
unsafe trait Plain: Copy {}

// SAFETY: they are integers.
unsafe impl Plain for u32 {}
// SAFETY: they are integers.
unsafe impl Plain for [u8; 16] {}

#[inline(always)]
fn load<T: Plain>(from: &[T]) -> v128 {
    assert!(size_of_val(from) == 16);
    // SAFETY: the slice reaches 16 bytes, and the load has no alignment rule.
    unsafe { v128_load(from.as_ptr().cast()) }
}

#[inline(always)]
fn store<T: Plain>(vector: v128, to: &mut [T]) {
    assert!(size_of_val(to) == 16);
    // SAFETY: the slice reaches 16 bytes, and the store has no alignment rule.
    unsafe { v128_store(to.as_mut_ptr().cast(), vector) }
}

/// Reverses the bytes of each word.
#[inline(always)]
fn swap_32(x: v128) -> v128 {
    u8x16_shuffle::<3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12>(x, x)
}

/// Four lanes of 32 bits.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct U32x4(v128);

macro_rules! operators {
    ($($Operator:ident $operator:ident $intrinsic:ident),+) => { $(
        impl $Operator for U32x4 {
            type Output = Self;

            #[inline(always)]
            fn $operator(self, other: Self) -> Self {
                Self($intrinsic(self.0, other.0))
            }
        }
    )+ };
}
operators!(Add add u32x4_add, BitXor bitxor v128_xor, BitAnd bitand v128_and, BitOr bitor v128_or);

impl Lanes for U32x4 {
    type Isa = Simd128;

    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        Self(v128_bitselect(yes.0, no.0, self.0))
    }

    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        // Where a and b differ, c has the majority.
        (self ^ b).choose(c, b)
    }
}

impl U32Lanes<4> for U32x4 {
    #[inline(always)]
    fn splat(_: Simd128, x: u32) -> Self {
        Self(u32x4_splat(x))
    }

    #[inline(always)]
    fn load(_: Simd128, lanes: &[u32; 4]) -> Self {
        Self(load(lanes))
    }

    #[inline(always)]
    fn store(self, lanes: &mut [u32; 4]) {
        store(self.0, lanes);
    }

    #[inline(always)]
    fn rotate_right<const R: u32>(self) -> Self {
        const { assert!(R > 0 && R < 32) }
        let x = self.0;
        // One instruction in place of three.
        Self(match R {
            8 => u8x16_shuffle::<1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12>(x, x),
            16 => u8x16_shuffle::<2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13>(x, x),
            24 => u8x16_shuffle::<3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14>(x, x),
            _ => v128_or(u32x4_shr(x, R), u32x4_shl(x, 32 - R)),
        })
    }

    #[inline(always)]
    fn shift_right<const R: u32>(self) -> Self {
        const { assert!(R > 0 && R < 32) }
        Self(u32x4_shr(self.0, R))
    }

    #[inline(always)]
    fn from_rows(_: Simd128, rows: &[[u32; 8]; 4]) -> [Self; 8] {
        let [a, b, c, d] = Self::transpose(rows.each_ref().map(|row| Self(load(&row[..4]))));
        let [e, f, g, h] = Self::transpose(rows.each_ref().map(|row| Self(load(&row[4..]))));
        [a, b, c, d, e, f, g, h]
    }

    #[inline(always)]
    fn from_rows_be(_: Simd128, rows: [&[u8; 32]; 4]) -> [Self; 8] {
        let [a, b, c, d] = Self::transpose(rows.map(|row| Self(swap_32(load(&row.as_chunks().0[..1])))));
        let [e, f, g, h] = Self::transpose(rows.map(|row| Self(swap_32(load(&row.as_chunks().0[1..])))));
        [a, b, c, d, e, f, g, h]
    }

    #[inline(always)]
    fn to_rows([a, b, c, d, e, f, g, h]: [Self; 8], rows: &mut [[u32; 8]; 4]) {
        let (low, high) = (Self::transpose([a, b, c, d]), Self::transpose([e, f, g, h]));
        for i in 0..4 {
            store(low[i].0, &mut rows[i][..4]);
            store(high[i].0, &mut rows[i][4..]);
        }
    }
}

impl RowLanes<4, 1> for U32x4 {
    #[inline(always)]
    fn every(_: Simd128, row: [u32; 4]) -> Self {
        Self(load(&row))
    }

    #[inline(always)]
    fn load_bytes(_: Simd128, bytes: &[[u8; 16]; 1]) -> Self {
        Self(load(bytes))
    }

    #[inline(always)]
    fn store_bytes(self, bytes: &mut [[u8; 16]; 1]) {
        store(self.0, bytes);
    }

    #[inline(always)]
    fn turn<const K: i32>(self) -> Self {
        const { assert!(K > 0 && K < 4) }
        let x = self.0;
        Self(match K {
            1 => u32x4_shuffle::<1, 2, 3, 0>(x, x),
            2 => u32x4_shuffle::<2, 3, 0, 1>(x, x),
            _ => u32x4_shuffle::<3, 0, 1, 2>(x, x),
        })
    }

    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let (a0, a1) = (u32x4_shuffle::<0, 4, 1, 5>(a.0, b.0), u32x4_shuffle::<2, 6, 3, 7>(a.0, b.0));
        let (c0, c1) = (u32x4_shuffle::<0, 4, 1, 5>(c.0, d.0), u32x4_shuffle::<2, 6, 3, 7>(c.0, d.0));
        [
            Self(u64x2_shuffle::<0, 2>(a0, c0)),
            Self(u64x2_shuffle::<1, 3>(a0, c0)),
            Self(u64x2_shuffle::<0, 2>(a1, c1)),
            Self(u64x2_shuffle::<1, 3>(a1, c1)),
        ]
    }

    #[inline(always)]
    fn states_from_rows(rows: [Self; 4]) -> [Self; 4] {
        rows
    }
}

impl BlockWords<u32> for U32x4 {
    const BLOCKS: usize = 1;

    #[inline(always)]
    fn load_be(_: Simd128, first: &[u8; 16], _: &[u8; 16]) -> Self {
        Self(swap_32(load(core::slice::from_ref(first))))
    }

    #[inline(always)]
    fn repeat(_: Simd128, words: &[u32]) -> Self {
        Self(load(words))
    }

    #[inline(always)]
    fn load(_: Simd128, words: &[u32]) -> Self {
        Self(load(&words[..4]))
    }

    #[inline(always)]
    fn store(self, words: &mut [u32]) {
        store(self.0, &mut words[..4]);
    }

    #[inline(always)]
    fn straddle<const N: i32>(self, next: Self) -> Self {
        const { assert!(N > 0 && N < 16 && N % 4 == 0) }
        Self(match N {
            4 => u32x4_shuffle::<1, 2, 3, 4>(self.0, next.0),
            8 => u32x4_shuffle::<2, 3, 4, 5>(self.0, next.0),
            _ => u32x4_shuffle::<3, 4, 5, 6>(self.0, next.0),
        })
    }

    #[inline(always)]
    fn rotate_right<const R: u32>(self) -> Self {
        U32Lanes::rotate_right::<R>(self)
    }

    #[inline(always)]
    fn shift_right<const R: u32>(self) -> Self {
        U32Lanes::shift_right::<R>(self)
    }
}

/// σ1 of words, each of which stands in both halves of 64 bits, so that a shift of these is the word's
/// rotation. The upper halves of the result have no meaning.
#[inline(always)]
fn sigma1_of_doubled(x: v128) -> v128 {
    v128_xor(v128_xor(u32x4_shr(x, 10), u64x2_shr(x, 17)), u64x2_shr(x, 19))
}

impl Sha256Schedule for U32x4 {
    #[inline(always)]
    fn sigma1_of_upper(self) -> Self {
        let sigma = sigma1_of_doubled(u32x4_shuffle::<2, 2, 3, 3>(self.0, self.0));
        Self(u32x4_shuffle::<0, 2, 4, 4>(sigma, u32x4_splat(0)))
    }

    #[inline(always)]
    fn sigma1_of_lower(self) -> Self {
        let sigma = sigma1_of_doubled(u32x4_shuffle::<0, 0, 1, 1>(self.0, self.0));
        Self(u32x4_shuffle::<4, 4, 0, 2>(sigma, u32x4_splat(0)))
    }
}
