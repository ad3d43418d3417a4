//! 512-bit vectors.

use super::avx2::load_256;
use super::{SWAP_32, SWAP_64, moves, products, rows, shifts, vector};
use crate::lanes::{Lanes, Product52Lanes, ProductLanes, RowLanes, U32Lanes, U64Lanes};
use crate::pin::opaque;
use crate::x86_64::{Avx512, Avx512Ifma};
use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, BitXor};

/// Logic on three operands, one instruction each in AVX-512. MemorySanitizer takes their intrinsics for
/// branches, so builds for it use the defaults, from which LLVM makes the same instructions afterwards.
macro_rules! ternary_logic {
    ($Vector:ident, $ternary:ident) => {
        ternary_logic!($Vector, $ternary: xor3 0x96, choose 0xca, majority 0xe8);
    };
    ($Vector:ident, $ternary:ident: $($method:ident $table:literal),+) => {
        impl Lanes for $Vector {
            type Isa = Avx512;

            #[inline(always)]
            fn pin(self) -> Self {
                // SAFETY: the vector was made from the token.
                Self(unsafe { pin_512(self.0) })
            }

            $(#[cfg(not(keylane_no_asm))]
            #[inline(always)]
            fn $method(self, b: Self, c: Self) -> Self {
                // SAFETY: the vectors were made from the token.
                Self(unsafe { $ternary::<$table>(self.0, b.0, c.0) })
            })+
        }
    };
}

vector! {
    /// Sixteen lanes of 32 bits.
    U32x16(__m512i) of Avx512:
    add _mm512_add_epi32, xor _mm512_xor_si512, and _mm512_and_si512, or _mm512_or_si512
}
ternary_logic!(U32x16, _mm512_ternarylogic_epi32);

vector! {
    /// Eight lanes of 64 bits.
    U64x8(__m512i) of Avx512:
    add _mm512_add_epi64, xor _mm512_xor_si512, and _mm512_and_si512, or _mm512_or_si512
}
ternary_logic!(U64x8, _mm512_ternarylogic_epi64);

/// Four blocks in one vector.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn join_blocks(a: &[u8; 16], b: &[u8; 16], c: &[u8; 16], d: &[u8; 16]) -> __m512i {
    // SAFETY: the caller promises the features; each reference reaches 16 bytes, and the loads have no
    // alignment rule.
    unsafe {
        let low = _mm256_loadu2_m128i(b.as_ptr().cast(), a.as_ptr().cast());
        let high = _mm256_loadu2_m128i(d.as_ptr().cast(), c.as_ptr().cast());
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
    }
}

/// Two rows of 32 bytes in one vector.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn load_two_rows<T>(low: &T, high: &T) -> __m512i {
    // SAFETY: the caller promises the features.
    unsafe { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(load_256(low)), load_256(high)) }
}

/// # Safety
/// The CPU has AVX-512 F and BW.
#[inline(always)]
unsafe fn shuffle_bytes_512(x: __m512i, (high, low): (i64, i64)) -> __m512i {
    // SAFETY: the caller promises the features.
    unsafe { _mm512_shuffle_epi8(x, _mm512_set_epi64(high, low, high, low, high, low, high, low)) }
}

/// Stores 128-bit part J of `x`.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn store_part<const J: i32, T>(words: &mut [T], x: __m512i) {
    assert!(size_of_val(words) == 16);
    // SAFETY: the slice reaches 16 bytes; the store has no alignment rule. The caller promises AVX-512.
    unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), _mm512_extracti32x4_epi32::<J>(x)) }
}

impl U32x16 {
    /// Returns words 0 to 7 of sixteen rows. Each vector of `r` holds two rows, in the order that the 128-bit
    /// parts need: rows i and i + 4 for i < 4, then rows i + 8 and i + 12.
    #[inline(always)]
    fn from_pairs(r: [__m512i; 8]) -> [Self; 8] {
        // SAFETY: only called with vectors made from the token.
        unsafe {
            let (a0, a1) = (_mm512_unpacklo_epi32(r[0], r[1]), _mm512_unpackhi_epi32(r[0], r[1]));
            let (a2, a3) = (_mm512_unpacklo_epi32(r[2], r[3]), _mm512_unpackhi_epi32(r[2], r[3]));
            let (a4, a5) = (_mm512_unpacklo_epi32(r[4], r[5]), _mm512_unpackhi_epi32(r[4], r[5]));
            let (a6, a7) = (_mm512_unpacklo_epi32(r[6], r[7]), _mm512_unpackhi_epi32(r[6], r[7]));
            let (b0, b1) = (_mm512_unpacklo_epi64(a0, a2), _mm512_unpackhi_epi64(a0, a2));
            let (b2, b3) = (_mm512_unpacklo_epi64(a1, a3), _mm512_unpackhi_epi64(a1, a3));
            let (b4, b5) = (_mm512_unpacklo_epi64(a4, a6), _mm512_unpackhi_epi64(a4, a6));
            let (b6, b7) = (_mm512_unpacklo_epi64(a5, a7), _mm512_unpackhi_epi64(a5, a7));
            [
                Self(_mm512_shuffle_i64x2::<0x88>(b0, b4)),
                Self(_mm512_shuffle_i64x2::<0x88>(b1, b5)),
                Self(_mm512_shuffle_i64x2::<0x88>(b2, b6)),
                Self(_mm512_shuffle_i64x2::<0x88>(b3, b7)),
                Self(_mm512_shuffle_i64x2::<0xdd>(b0, b4)),
                Self(_mm512_shuffle_i64x2::<0xdd>(b1, b5)),
                Self(_mm512_shuffle_i64x2::<0xdd>(b2, b6)),
                Self(_mm512_shuffle_i64x2::<0xdd>(b3, b7)),
            ]
        }
    }

    /// The row in the low half of each vector that `from_pairs` takes.
    const LOW_ROW: [usize; 8] = [0, 1, 2, 3, 8, 9, 10, 11];
}

impl U32Lanes<16> for U32x16 {
    shifts!(32, _mm512_sll_epi32, _mm512_srl_epi32, _mm512_or_si512);

    moves!(u32, 16, Avx512: splat _mm512_set1_epi32 as i32, load _mm512_loadu_si512, store _mm512_storeu_si512);

    #[inline(always)]
    fn from_rows(isa: Avx512, rows: &[[u32; 8]; 16]) -> [Self; 8] {
        let mut vectors = [Self::splat(isa, 0).0; 8];
        for (vector, row) in vectors.iter_mut().zip(Self::LOW_ROW) {
            // SAFETY: the token is the proof.
            *vector = unsafe { load_two_rows(&rows[row], &rows[row + 4]) };
        }
        Self::from_pairs(vectors)
    }

    #[inline(always)]
    fn from_rows_be(isa: Avx512, rows: [&[u8; 32]; 16]) -> [Self; 8] {
        let mut vectors = [Self::splat(isa, 0).0; 8];
        for (vector, row) in vectors.iter_mut().zip(Self::LOW_ROW) {
            // SAFETY: the token is the proof.
            *vector = unsafe { shuffle_bytes_512(load_two_rows(rows[row], rows[row + 4]), SWAP_32) };
        }
        Self::from_pairs(vectors)
    }

    #[inline(always)]
    fn to_rows(v: [Self; 8], rows: &mut [[u32; 8]; 16]) {
        // Words 0 to 3, then words 4 to 7: within a 128-bit part, four words of four rows are transposed.
        for (half, at) in [([v[0], v[1], v[2], v[3]], 0), ([v[4], v[5], v[6], v[7]], 4)] {
            // SAFETY: the vectors were made from the token.
            unsafe {
                let [a, b, c, d] = [half[0].0, half[1].0, half[2].0, half[3].0];
                let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
                let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
                let columns = [
                    _mm512_unpacklo_epi64(ab_low, cd_low),
                    _mm512_unpackhi_epi64(ab_low, cd_low),
                    _mm512_unpacklo_epi64(ab_high, cd_high),
                    _mm512_unpackhi_epi64(ab_high, cd_high),
                ];
                for (row, column) in columns.into_iter().enumerate() {
                    store_part::<0, _>(&mut rows[row][at..at + 4], column);
                    store_part::<1, _>(&mut rows[row + 4][at..at + 4], column);
                    store_part::<2, _>(&mut rows[row + 8][at..at + 4], column);
                    store_part::<3, _>(&mut rows[row + 12][at..at + 4], column);
                }
            }
        }
    }
}

impl RowLanes<16, 4> for U32x16 {
    rows!(4, Avx512: load _mm512_loadu_si512, store _mm512_storeu_si512, shuffle _mm512_shuffle_epi32);

    #[inline(always)]
    fn every(_: Avx512, row: [u32; 4]) -> Self {
        // SAFETY: the token is the proof; the reference reaches 16 bytes, and the load has no alignment rule.
        Self(unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(row.as_ptr().cast())) })
    }

    #[inline(always)]
    fn transpose(square: [Self; 16]) -> [Self; 16] {
        let mut parts = square;
        for part in 0..4 {
            let at = 4 * part;
            // SAFETY: the vectors were made from the token.
            unsafe {
                let [a, b, c, d] = [square[at].0, square[at + 1].0, square[at + 2].0, square[at + 3].0];
                let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
                let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
                // Four lanes of columns 0, 4, 8 and 12, then of columns 1, 5, 9 and 13, and so on.
                parts[part] = Self(_mm512_unpacklo_epi64(ab_low, cd_low));
                parts[4 + part] = Self(_mm512_unpackhi_epi64(ab_low, cd_low));
                parts[8 + part] = Self(_mm512_unpacklo_epi64(ab_high, cd_high));
                parts[12 + part] = Self(_mm512_unpackhi_epi64(ab_high, cd_high));
            }
        }
        let mut columns = square;
        for j in 0..4 {
            let at = 4 * j;
            let of_four = Self::states_from_rows([parts[at], parts[at + 1], parts[at + 2], parts[at + 3]]);
            for i in 0..4 {
                columns[4 * i + j] = of_four[i];
            }
        }
        columns
    }

    #[inline(always)]
    fn states_from_rows([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: the vectors were made from the token.
        unsafe {
            let (ab_even, ab_odd) =
                (_mm512_shuffle_i32x4::<0x88>(a.0, b.0), _mm512_shuffle_i32x4::<0xdd>(a.0, b.0));
            let (cd_even, cd_odd) =
                (_mm512_shuffle_i32x4::<0x88>(c.0, d.0), _mm512_shuffle_i32x4::<0xdd>(c.0, d.0));
            [
                Self(_mm512_shuffle_i32x4::<0x88>(ab_even, cd_even)),
                Self(_mm512_shuffle_i32x4::<0x88>(ab_odd, cd_odd)),
                Self(_mm512_shuffle_i32x4::<0xdd>(ab_even, cd_even)),
                Self(_mm512_shuffle_i32x4::<0xdd>(ab_odd, cd_odd)),
            ]
        }
    }
}

impl U64x8 {
    /// Returns words 0 to 3 of eight rows. Each vector of `r` holds two rows: 0 and 2, 1 and 3, 4 and 6, 5
    /// and 7.
    #[inline(always)]
    fn from_pairs(r: [__m512i; 4]) -> [Self; 4] {
        // SAFETY: only called with vectors made from the token.
        unsafe {
            let (a0, a1) = (_mm512_unpacklo_epi64(r[0], r[1]), _mm512_unpackhi_epi64(r[0], r[1]));
            let (a2, a3) = (_mm512_unpacklo_epi64(r[2], r[3]), _mm512_unpackhi_epi64(r[2], r[3]));
            [
                Self(_mm512_shuffle_i64x2::<0x88>(a0, a2)),
                Self(_mm512_shuffle_i64x2::<0x88>(a1, a3)),
                Self(_mm512_shuffle_i64x2::<0xdd>(a0, a2)),
                Self(_mm512_shuffle_i64x2::<0xdd>(a1, a3)),
            ]
        }
    }

    /// The row in the low half of each vector that `from_pairs` takes.
    const LOW_ROW: [usize; 4] = [0, 1, 4, 5];
}

impl U64Lanes<8> for U64x8 {
    shifts!(64, _mm512_sll_epi64, _mm512_srl_epi64, _mm512_or_si512);

    moves!(u64, 8, Avx512: splat _mm512_set1_epi64 as i64, load _mm512_loadu_si512, store _mm512_storeu_si512);

    #[inline(always)]
    fn from_rows(isa: Avx512, rows: &[[u64; 4]; 8]) -> [Self; 4] {
        let mut vectors = [Self::splat(isa, 0).0; 4];
        for (vector, row) in vectors.iter_mut().zip(Self::LOW_ROW) {
            // SAFETY: the token is the proof.
            *vector = unsafe { load_two_rows(&rows[row], &rows[row + 2]) };
        }
        Self::from_pairs(vectors)
    }

    #[inline(always)]
    fn from_rows_be(isa: Avx512, rows: [&[u8; 32]; 8]) -> [Self; 4] {
        let mut vectors = [Self::splat(isa, 0).0; 4];
        for (vector, row) in vectors.iter_mut().zip(Self::LOW_ROW) {
            // SAFETY: the token is the proof.
            *vector = unsafe { shuffle_bytes_512(load_two_rows(rows[row], rows[row + 2]), SWAP_64) };
        }
        Self::from_pairs(vectors)
    }

    #[inline(always)]
    fn to_rows(v: [Self; 4], rows: &mut [[u64; 4]; 8]) {
        for (half, at) in [([v[0], v[1]], 0), ([v[2], v[3]], 2)] {
            // SAFETY: the vectors were made from the token.
            unsafe {
                let even = _mm512_unpacklo_epi64(half[0].0, half[1].0);
                let odd = _mm512_unpackhi_epi64(half[0].0, half[1].0);
                for (row, column) in [even, odd].into_iter().enumerate() {
                    store_part::<0, _>(&mut rows[row][at..at + 2], column);
                    store_part::<1, _>(&mut rows[row + 2][at..at + 2], column);
                    store_part::<2, _>(&mut rows[row + 4][at..at + 2], column);
                    store_part::<3, _>(&mut rows[row + 6][at..at + 2], column);
                }
            }
        }
    }
}

impl ProductLanes<8> for U64x8 {
    products! {
        8, Avx512: load _mm512_loadu_si512, left _mm512_sll_epi64, multiply _mm512_mul_epu32,
        unpack _mm512_unpacklo_epi64 _mm512_unpackhi_epi64, set _mm512_set_epi64 [7 3 6 2 5 1 4 0]
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        // SAFETY: the vector was made from the token.
        unsafe { _mm512_reduce_add_epi64(self.0) as u64 }
    }
}

impl Product52Lanes<8> for U64x8 {
    type Ifma = Avx512Ifma;

    #[inline(always)]
    fn lanes(isa: Avx512Ifma) -> Avx512 {
        isa.avx512()
    }

    #[inline(always)]
    fn gather(_: Avx512, blocks: [&[u8; 16]; 8]) -> (Self, Self) {
        // SAFETY: the token is the proof.
        unsafe {
            let even = join_blocks(blocks[0], blocks[2], blocks[4], blocks[6]);
            let odd = join_blocks(blocks[1], blocks[3], blocks[5], blocks[7]);
            (Self(_mm512_unpacklo_epi64(even, odd)), Self(_mm512_unpackhi_epi64(even, odd)))
        }
    }

    #[inline(always)]
    fn add_low_product(self, _: Avx512Ifma, a: Self, b: Self) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { _mm512_madd52lo_epu64(self.0, a.0, b.0) })
    }

    #[inline(always)]
    fn add_high_product(self, _: Avx512Ifma, a: Self, b: Self) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { _mm512_madd52hi_epu64(self.0, a.0, b.0) })
    }
}

/// Pins a vector, as `pin_256` of the AVX2 vectors.
#[inline]
#[target_feature(enable = "avx512f")]
fn pin_512(x: __m512i) -> __m512i {
    opaque!(zmm_reg, x, pure)
}
