//! 128-bit vectors.

use super::{moves, pinned, products, rows, shifts, vector};
use crate::InstructionSet;
use crate::lanes::{Lanes, ProductLanes, RowLanes, U32Lanes, U64Lanes};
use crate::pin::opaque;
use crate::x86_64::{Features, Sse2, Ssse3};
use core::arch::x86_64::*;
use core::marker::PhantomData;
use core::ops::{Add, BitAnd, BitOr, BitXor};

/// Instruction sets with integer vectors of 128 bits.
///
/// # Safety
/// The token's features include SSE2.
pub unsafe trait Integers128Bits: InstructionSet {}

const _: () = {
    const SSE2: Features = Features::of_list(Sse2::FEATURES);
    assert!(Features::of_list(Ssse3::FEATURES).contains(SSE2));
};

// SAFETY: the features are its own.
unsafe impl Integers128Bits for Sse2 {}
// SAFETY: asserted above.
unsafe impl Integers128Bits for Ssse3 {}

vector! {
    /// Four lanes of 32 bits.
    U32x4<I: Integers128Bits>(__m128i):
    add _mm_add_epi32, xor _mm_xor_si128, and _mm_and_si128, or _mm_or_si128
}

pinned!([I: Integers128Bits] U32x4<I>, I, pin_128);

impl<I: Integers128Bits> U32Lanes<4> for U32x4<I> {
    shifts!(32, _mm_sll_epi32, _mm_srl_epi32, _mm_or_si128, pin multiples of 8);

    moves!(u32, 4, I: splat _mm_set1_epi32 as i32, load _mm_loadu_si128, store _mm_storeu_si128);

    #[inline(always)]
    fn from_rows(isa: I, rows: &[[u32; 8]; 4]) -> [Self; 8] {
        let (mut low, mut high) = ([Self::splat(isa, 0); 4], [Self::splat(isa, 0); 4]);
        for i in 0..4 {
            let halves = rows[i].as_chunks().0;
            (low[i], high[i]) = (Self::load(isa, &halves[0]), Self::load(isa, &halves[1]));
        }
        let ([a, b, c, d], [e, f, g, h]) = (Self::transpose(low), Self::transpose(high));
        [a, b, c, d, e, f, g, h]
    }

    #[inline(always)]
    fn from_rows_be(isa: I, rows: [&[u8; 32]; 4]) -> [Self; 8] {
        // SSE2 has no shuffle of bytes.
        let mut words = [[0; 8]; 4];
        for i in 0..4 {
            for (word, bytes) in words[i].iter_mut().zip(rows[i].as_chunks().0) {
                *word = u32::from_be_bytes(*bytes);
            }
        }
        Self::from_rows(isa, &words)
    }

    #[inline(always)]
    fn to_rows([a, b, c, d, e, f, g, h]: [Self; 8], rows: &mut [[u32; 8]; 4]) {
        let (low, high) = (Self::transpose([a, b, c, d]), Self::transpose([e, f, g, h]));
        for i in 0..4 {
            let halves = rows[i].as_chunks_mut().0;
            low[i].store(&mut halves[0]);
            high[i].store(&mut halves[1]);
        }
    }
}

impl<I: Integers128Bits> RowLanes<4, 1> for U32x4<I> {
    rows!(1, I: load _mm_loadu_si128, store _mm_storeu_si128, shuffle _mm_shuffle_epi32);

    #[inline(always)]
    fn every(isa: I, row: [u32; 4]) -> Self {
        Self::load(isa, &row)
    }

    #[inline(always)]
    fn transpose(r: [Self; 4]) -> [Self; 4] {
        // SAFETY: the vectors were made from the token.
        unsafe {
            let (a0, a1) = (_mm_unpacklo_epi32(r[0].0, r[1].0), _mm_unpackhi_epi32(r[0].0, r[1].0));
            let (a2, a3) = (_mm_unpacklo_epi32(r[2].0, r[3].0), _mm_unpackhi_epi32(r[2].0, r[3].0));
            [
                Self::of(_mm_unpacklo_epi64(a0, a2)),
                Self::of(_mm_unpackhi_epi64(a0, a2)),
                Self::of(_mm_unpacklo_epi64(a1, a3)),
                Self::of(_mm_unpackhi_epi64(a1, a3)),
            ]
        }
    }

    #[inline(always)]
    fn states_from_rows(rows: [Self; 4]) -> [Self; 4] {
        rows
    }
}

vector! {
    /// Two lanes of 64 bits.
    U64x2<I: Integers128Bits>(__m128i):
    add _mm_add_epi64, xor _mm_xor_si128, and _mm_and_si128, or _mm_or_si128
}

pinned!([I: Integers128Bits] U64x2<I>, I, pin_128);

impl<I: Integers128Bits> U64x2<I> {
    /// Transposes two rows of two words.
    #[inline(always)]
    fn transpose([a, b]: [Self; 2]) -> [Self; 2] {
        // SAFETY: the vectors were made from the token.
        unsafe { [Self::of(_mm_unpacklo_epi64(a.0, b.0)), Self::of(_mm_unpackhi_epi64(a.0, b.0))] }
    }
}

impl<I: Integers128Bits> U64Lanes<2> for U64x2<I> {
    shifts!(64, _mm_sll_epi64, _mm_srl_epi64, _mm_or_si128);

    moves!(u64, 2, I: splat _mm_set1_epi64x as i64, load _mm_loadu_si128, store _mm_storeu_si128);

    #[inline(always)]
    fn from_rows(isa: I, rows: &[[u64; 4]; 2]) -> [Self; 4] {
        let (first, second) = (rows[0].as_chunks().0, rows[1].as_chunks().0);
        let [a, b] = Self::transpose([Self::load(isa, &first[0]), Self::load(isa, &second[0])]);
        let [c, d] = Self::transpose([Self::load(isa, &first[1]), Self::load(isa, &second[1])]);
        [a, b, c, d]
    }

    #[inline(always)]
    fn from_rows_be(isa: I, rows: [&[u8; 32]; 2]) -> [Self; 4] {
        // SSE2 has no shuffle of bytes.
        let mut words = [[0; 4]; 2];
        for i in 0..2 {
            for (word, bytes) in words[i].iter_mut().zip(rows[i].as_chunks().0) {
                *word = u64::from_be_bytes(*bytes);
            }
        }
        Self::from_rows(isa, &words)
    }

    #[inline(always)]
    fn to_rows([a, b, c, d]: [Self; 4], rows: &mut [[u64; 4]; 2]) {
        let (low, high) = (Self::transpose([a, b]), Self::transpose([c, d]));
        for i in 0..2 {
            let halves = rows[i].as_chunks_mut().0;
            low[i].store(&mut halves[0]);
            high[i].store(&mut halves[1]);
        }
    }
}

impl<I: Integers128Bits> ProductLanes<2> for U64x2<I> {
    products! {
        2, I: load _mm_loadu_si128, left _mm_sll_epi64, multiply _mm_mul_epu32,
        unpack _mm_unpacklo_epi64 _mm_unpackhi_epi64, set _mm_set_epi64x [1 0]
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        // SAFETY: the vector was made from the token.
        unsafe { _mm_cvtsi128_si64(_mm_add_epi64(self.0, _mm_unpackhi_epi64(self.0, self.0))) as u64 }
    }
}

/// Pins a vector, as `pin_256` of the AVX2 vectors.
#[inline]
#[target_feature(enable = "sse2")]
fn pin_128(x: __m128i) -> __m128i {
    opaque!(xmm_reg, x, pure)
}
