//! Lanes of x86-64: AVX2 and AVX-512 vectors, and words with the SHA instructions.
//!
//! Every function is `#[inline(always)]` and names no target feature: it is inlined into a kernel that runs inside
//! `InstructionSet::run`, which enables them. What makes the intrinsics sound is the type: a vector can only be made
//! from its token.

use super::{Lanes, ONE_BIT, Sha1Words, Sha256Words, TO_FRONT, U32Lanes, U64Lanes, U64Pairs, gather, window};
use crate::x86_64::{Avx2, Avx512, ShaNi};
use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, BitXor};

/// A vector type, its operators, and what its token is.
macro_rules! vector {
    (
        $(#[$doc:meta])* $Vector:ident($Raw:ident) of $Isa:ident:
        add $add:ident, xor $xor:ident, and $and:ident, or $or:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $Vector($Raw);

        vector!(@operator $Vector, Add, add, $add);
        vector!(@operator $Vector, BitXor, bitxor, $xor);
        vector!(@operator $Vector, BitAnd, bitand, $and);
        vector!(@operator $Vector, BitOr, bitor, $or);
    };
    (@operator $Vector:ident, $Operator:ident, $operator:ident, $intrinsic:ident) => {
        impl $Operator for $Vector {
            type Output = Self;

            #[inline(always)]
            fn $operator(self, other: Self) -> Self {
                // SAFETY: the vectors were made from the token.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}

/// Rotation and shift by a constant. The counts are constants to the optimiser, which takes the immediate forms (and,
/// with AVX-512, the rotate instruction) for these.
macro_rules! shifts {
    ($bits:literal, $left:ident, $right:ident, $or:ident) => {
        #[inline(always)]
        fn rotate_right<const R: u32>(self) -> Self {
            const { assert!(R > 0 && R < $bits) }
            // SAFETY: the vector was made from the token.
            unsafe {
                let right = $right(self.0, _mm_cvtsi32_si128(R as i32));
                let left = $left(self.0, _mm_cvtsi32_si128(($bits - R) as i32));
                Self($or(right, left))
            }
        }

        #[inline(always)]
        fn shift_right<const R: u32>(self) -> Self {
            const { assert!(R > 0 && R < $bits) }
            // SAFETY: the vector was made from the token.
            Self(unsafe { $right(self.0, _mm_cvtsi32_si128(R as i32)) })
        }
    };
}

/// A pin of each width. Inline assembly wants the feature that the register needs on the function it stands in, so
/// these cannot be `#[inline(always)]`; `cargo xtask asm` sees to it that they vanish all the same.
#[inline]
#[target_feature(enable = "avx2")]
fn pin_256(mut x: __m256i) -> __m256i {
    // SAFETY: no instruction is emitted, and no memory, stack or flag is touched.
    unsafe {
        core::arch::asm!("/* {0} */", inout(ymm_reg) x, options(pure, nomem, nostack, preserves_flags))
    };
    x
}

#[inline]
#[target_feature(enable = "avx512f")]
fn pin_512(mut x: __m512i) -> __m512i {
    // SAFETY: as above.
    unsafe {
        core::arch::asm!("/* {0} */", inout(zmm_reg) x, options(pure, nomem, nostack, preserves_flags))
    };
    x
}

/// The three-operand logic that AVX-512 has as one instruction each.
macro_rules! ternary_logic {
    ($Vector:ident, $ternary:ident) => {
        impl Lanes for $Vector {
            type Isa = Avx512;

            #[inline(always)]
            fn pin(self) -> Self {
                // SAFETY: the vector was made from the token.
                Self(unsafe { pin_512(self.0) })
            }

            #[inline(always)]
            fn xor3(self, b: Self, c: Self) -> Self {
                // SAFETY: the vectors were made from the token.
                Self(unsafe { $ternary::<0x96>(self.0, b.0, c.0) })
            }

            #[inline(always)]
            fn choose(self, yes: Self, no: Self) -> Self {
                // SAFETY: the vectors were made from the token.
                Self(unsafe { $ternary::<0xca>(self.0, yes.0, no.0) })
            }

            #[inline(always)]
            fn majority(self, b: Self, c: Self) -> Self {
                // SAFETY: the vectors were made from the token.
                Self(unsafe { $ternary::<0xe8>(self.0, b.0, c.0) })
            }
        }
    };
}

// ---- AVX2 ----------------------------------------------------------------------------------------------------------

vector! {
    /// Eight lanes of 32 bits.
    U32x8(__m256i) of Avx2:
    add _mm256_add_epi32, xor _mm256_xor_si256, and _mm256_and_si256, or _mm256_or_si256
}

impl Lanes for U32x8 {
    type Isa = Avx2;

    #[inline(always)]
    fn pin(self) -> Self {
        // SAFETY: the vector was made from the token.
        Self(unsafe { pin_256(self.0) })
    }
}

/// The bytes of each 32-bit word turned round.
const SWAP_32: (i64, i64) = (0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
/// All sixteen bytes turned round.
const REVERSE: (i64, i64) = (0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
/// The bytes of each 64-bit word turned round.
const SWAP_64: (i64, i64) = (0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607);

/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn shuffle_bytes_256(x: __m256i, order: (i64, i64)) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe { _mm256_shuffle_epi8(x, _mm256_set_epi64x(order.0, order.1, order.0, order.1)) }
}

/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn load_256<T>(words: &T) -> __m256i {
    const { assert!(size_of::<T>() == 32) }
    // SAFETY: the reference reaches 32 bytes; the load has no alignment rule. AVX2 is the caller's promise.
    unsafe { _mm256_loadu_si256(core::ptr::from_ref(words).cast()) }
}

/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn store_256<T>(words: &mut T, x: __m256i) {
    const { assert!(size_of::<T>() == 32) }
    // SAFETY: the reference reaches 32 bytes; the store has no alignment rule. AVX2 is the caller's promise.
    unsafe { _mm256_storeu_si256(core::ptr::from_mut(words).cast(), x) }
}

impl U32x8 {
    /// Transposes eight rows of eight words.
    #[inline(always)]
    fn transpose(r: [Self; 8]) -> [Self; 8] {
        // SAFETY: the vectors were made from the token.
        unsafe {
            let (a0, a1) = (_mm256_unpacklo_epi32(r[0].0, r[1].0), _mm256_unpackhi_epi32(r[0].0, r[1].0));
            let (a2, a3) = (_mm256_unpacklo_epi32(r[2].0, r[3].0), _mm256_unpackhi_epi32(r[2].0, r[3].0));
            let (a4, a5) = (_mm256_unpacklo_epi32(r[4].0, r[5].0), _mm256_unpackhi_epi32(r[4].0, r[5].0));
            let (a6, a7) = (_mm256_unpacklo_epi32(r[6].0, r[7].0), _mm256_unpackhi_epi32(r[6].0, r[7].0));
            let (b0, b1) = (_mm256_unpacklo_epi64(a0, a2), _mm256_unpackhi_epi64(a0, a2));
            let (b2, b3) = (_mm256_unpacklo_epi64(a1, a3), _mm256_unpackhi_epi64(a1, a3));
            let (b4, b5) = (_mm256_unpacklo_epi64(a4, a6), _mm256_unpackhi_epi64(a4, a6));
            let (b6, b7) = (_mm256_unpacklo_epi64(a5, a7), _mm256_unpackhi_epi64(a5, a7));
            [
                Self(_mm256_permute2x128_si256::<0x20>(b0, b4)),
                Self(_mm256_permute2x128_si256::<0x20>(b1, b5)),
                Self(_mm256_permute2x128_si256::<0x20>(b2, b6)),
                Self(_mm256_permute2x128_si256::<0x20>(b3, b7)),
                Self(_mm256_permute2x128_si256::<0x31>(b0, b4)),
                Self(_mm256_permute2x128_si256::<0x31>(b1, b5)),
                Self(_mm256_permute2x128_si256::<0x31>(b2, b6)),
                Self(_mm256_permute2x128_si256::<0x31>(b3, b7)),
            ]
        }
    }
}

impl U32Lanes<8> for U32x8 {
    shifts!(32, _mm256_sll_epi32, _mm256_srl_epi32, _mm256_or_si256);

    #[inline(always)]
    fn splat(_: Avx2, x: u32) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { _mm256_set1_epi32(x as i32) })
    }

    #[inline(always)]
    fn load(_: Avx2, lanes: &[u32; 8]) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { load_256(lanes) })
    }

    #[inline(always)]
    fn store(self, lanes: &mut [u32; 8]) {
        // SAFETY: the vector was made from the token.
        unsafe { store_256(lanes, self.0) }
    }

    #[inline(always)]
    fn from_rows(isa: Avx2, rows: &[[u32; 8]; 8]) -> [Self; 8] {
        let mut vectors = [Self::splat(isa, 0); 8];
        for (vector, row) in vectors.iter_mut().zip(rows) {
            *vector = Self::load(isa, row);
        }
        Self::transpose(vectors)
    }

    #[inline(always)]
    fn from_rows_be(isa: Avx2, rows: [&[u8; 32]; 8]) -> [Self; 8] {
        let mut vectors = [Self::splat(isa, 0); 8];
        for (vector, row) in vectors.iter_mut().zip(rows) {
            // SAFETY: the token is the proof.
            vector.0 = unsafe { shuffle_bytes_256(load_256(row), SWAP_32) };
        }
        Self::transpose(vectors)
    }

    #[inline(always)]
    fn to_rows(words: [Self; 8], rows: &mut [[u32; 8]; 8]) {
        for (vector, row) in Self::transpose(words).into_iter().zip(rows) {
            vector.store(row);
        }
    }
}

vector! {
    /// Four lanes of 64 bits; also two pairs of words of two blocks.
    U64x4(__m256i) of Avx2:
    add _mm256_add_epi64, xor _mm256_xor_si256, and _mm256_and_si256, or _mm256_or_si256
}

impl Lanes for U64x4 {
    type Isa = Avx2;

    #[inline(always)]
    fn pin(self) -> Self {
        // SAFETY: the vector was made from the token.
        Self(unsafe { pin_256(self.0) })
    }
}

impl U64x4 {
    /// Transposes four rows of four words.
    #[inline(always)]
    fn transpose(r: [Self; 4]) -> [Self; 4] {
        // SAFETY: the vectors were made from the token.
        unsafe {
            let (a0, a1) = (_mm256_unpacklo_epi64(r[0].0, r[1].0), _mm256_unpackhi_epi64(r[0].0, r[1].0));
            let (a2, a3) = (_mm256_unpacklo_epi64(r[2].0, r[3].0), _mm256_unpackhi_epi64(r[2].0, r[3].0));
            [
                Self(_mm256_permute2x128_si256::<0x20>(a0, a2)),
                Self(_mm256_permute2x128_si256::<0x20>(a1, a3)),
                Self(_mm256_permute2x128_si256::<0x31>(a0, a2)),
                Self(_mm256_permute2x128_si256::<0x31>(a1, a3)),
            ]
        }
    }
}

impl U64Lanes<4> for U64x4 {
    shifts!(64, _mm256_sll_epi64, _mm256_srl_epi64, _mm256_or_si256);

    #[inline(always)]
    fn splat(_: Avx2, x: u64) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { _mm256_set1_epi64x(x as i64) })
    }

    #[inline(always)]
    fn load(_: Avx2, lanes: &[u64; 4]) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { load_256(lanes) })
    }

    #[inline(always)]
    fn store(self, lanes: &mut [u64; 4]) {
        // SAFETY: the vector was made from the token.
        unsafe { store_256(lanes, self.0) }
    }

    #[inline(always)]
    fn from_rows(isa: Avx2, rows: &[[u64; 4]; 4]) -> [Self; 4] {
        let [a, b, c, d] = rows;
        let load = <Self as U64Lanes<4>>::load;
        Self::transpose([load(isa, a), load(isa, b), load(isa, c), load(isa, d)])
    }

    #[inline(always)]
    fn from_rows_be(isa: Avx2, rows: [&[u8; 32]; 4]) -> [Self; 4] {
        let mut vectors = [<Self as U64Lanes<4>>::splat(isa, 0); 4];
        for (vector, row) in vectors.iter_mut().zip(rows) {
            // SAFETY: the token is the proof.
            vector.0 = unsafe { shuffle_bytes_256(load_256(row), SWAP_64) };
        }
        Self::transpose(vectors)
    }

    #[inline(always)]
    fn to_rows(words: [Self; 4], rows: &mut [[u64; 4]; 4]) {
        for (vector, row) in Self::transpose(words).into_iter().zip(rows) {
            U64Lanes::store(vector, row);
        }
    }
}

impl U64Pairs for U64x4 {
    #[inline(always)]
    fn load_be(_: Avx2, first: &[u8; 16], second: &[u8; 16]) -> Self {
        // SAFETY: the token is the proof; each reference reaches 16 bytes, and the loads have no alignment rule.
        unsafe {
            let first = _mm256_castsi128_si256(_mm_loadu_si128(first.as_ptr().cast()));
            let both = _mm256_inserti128_si256::<1>(first, _mm_loadu_si128(second.as_ptr().cast()));
            Self(shuffle_bytes_256(both, SWAP_64))
        }
    }

    #[inline(always)]
    fn splat(_: Avx2, [low, high]: [u64; 2]) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { _mm256_set_epi64x(high as i64, low as i64, high as i64, low as i64) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u64; 4]) {
        // SAFETY: the vector was made from the token.
        unsafe { store_256(words, self.0) }
    }

    #[inline(always)]
    fn straddle(self, next: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self(unsafe { _mm256_alignr_epi8::<8>(next.0, self.0) })
    }

    #[inline(always)]
    fn rotate_right<const R: u32>(self) -> Self {
        U64Lanes::rotate_right::<R>(self)
    }

    #[inline(always)]
    fn shift_right<const R: u32>(self) -> Self {
        U64Lanes::shift_right::<R>(self)
    }
}

// ---- AVX-512 -------------------------------------------------------------------------------------------------------

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

/// Two rows of 32 bytes in one vector.
///
/// # Safety
/// The CPU has AVX-512 F and DQ.
#[inline(always)]
unsafe fn load_two_rows<T>(low: &T, high: &T) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(load_256(low)), load_256(high)) }
}

/// # Safety
/// The CPU has AVX-512 F and BW.
#[inline(always)]
unsafe fn shuffle_bytes_512(x: __m512i, (high, low): (i64, i64)) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe { _mm512_shuffle_epi8(x, _mm512_set_epi64(high, low, high, low, high, low, high, low)) }
}

/// Stores 128-bit part J of `x`.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn store_part<const J: i32, T>(words: &mut [T], x: __m512i) {
    assert!(size_of_val(words) == 16);
    // SAFETY: the slice reaches 16 bytes; the store has no alignment rule. AVX-512 is the caller's promise.
    unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), _mm512_extracti32x4_epi32::<J>(x)) }
}

impl U32x16 {
    /// Words 0 to 7 of sixteen rows from vectors that hold two rows each: the rows are given in the order that makes
    /// the 128-bit parts come out right, rows r and r + 4 for r < 4, then rows r + 8 and r + 12.
    #[inline(always)]
    fn transpose(r: [__m512i; 8]) -> [Self; 8] {
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

    /// Which row each half of the vectors that `transpose` takes comes from.
    const LOW_ROW: [usize; 8] = [0, 1, 2, 3, 8, 9, 10, 11];
}

impl U32Lanes<16> for U32x16 {
    shifts!(32, _mm512_sll_epi32, _mm512_srl_epi32, _mm512_or_si512);

    #[inline(always)]
    fn splat(_: Avx512, x: u32) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { _mm512_set1_epi32(x as i32) })
    }

    #[inline(always)]
    fn load(_: Avx512, lanes: &[u32; 16]) -> Self {
        // SAFETY: the token is the proof; the reference reaches 64 bytes, and the load has no alignment rule.
        Self(unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, lanes: &mut [u32; 16]) {
        // SAFETY: the vector was made from the token; the reference reaches 64 bytes.
        unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn from_rows(isa: Avx512, rows: &[[u32; 8]; 16]) -> [Self; 8] {
        let mut vectors = [Self::splat(isa, 0).0; 8];
        for (vector, row) in vectors.iter_mut().zip(Self::LOW_ROW) {
            // SAFETY: the token is the proof.
            *vector = unsafe { load_two_rows(&rows[row], &rows[row + 4]) };
        }
        Self::transpose(vectors)
    }

    #[inline(always)]
    fn from_rows_be(isa: Avx512, rows: [&[u8; 32]; 16]) -> [Self; 8] {
        let mut vectors = [Self::splat(isa, 0).0; 8];
        for (vector, row) in vectors.iter_mut().zip(Self::LOW_ROW) {
            // SAFETY: the token is the proof.
            *vector = unsafe { shuffle_bytes_512(load_two_rows(rows[row], rows[row + 4]), SWAP_32) };
        }
        Self::transpose(vectors)
    }

    #[inline(always)]
    fn to_rows(v: [Self; 8], rows: &mut [[u32; 8]; 16]) {
        // Words 0 to 3 and words 4 to 7 apart: within a 128-bit part, four words of four rows are transposed.
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

impl U64x8 {
    /// Words 0 to 3 of eight rows from vectors that hold two rows each: rows 0 and 2, 1 and 3, 4 and 6, 5 and 7.
    #[inline(always)]
    fn transpose(r: [__m512i; 4]) -> [Self; 4] {
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

    /// Which row each half of the vectors that `transpose` takes comes from.
    const LOW_ROW: [usize; 4] = [0, 1, 4, 5];
}

impl U64Lanes<8> for U64x8 {
    shifts!(64, _mm512_sll_epi64, _mm512_srl_epi64, _mm512_or_si512);

    #[inline(always)]
    fn splat(_: Avx512, x: u64) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { _mm512_set1_epi64(x as i64) })
    }

    #[inline(always)]
    fn load(_: Avx512, lanes: &[u64; 8]) -> Self {
        // SAFETY: the token is the proof; the reference reaches 64 bytes, and the load has no alignment rule.
        Self(unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, lanes: &mut [u64; 8]) {
        // SAFETY: the vector was made from the token; the reference reaches 64 bytes.
        unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn from_rows(isa: Avx512, rows: &[[u64; 4]; 8]) -> [Self; 4] {
        let mut vectors = [Self::splat(isa, 0).0; 4];
        for (vector, row) in vectors.iter_mut().zip(Self::LOW_ROW) {
            // SAFETY: the token is the proof.
            *vector = unsafe { load_two_rows(&rows[row], &rows[row + 2]) };
        }
        Self::transpose(vectors)
    }

    #[inline(always)]
    fn from_rows_be(isa: Avx512, rows: [&[u8; 32]; 8]) -> [Self; 4] {
        let mut vectors = [Self::splat(isa, 0).0; 4];
        for (vector, row) in vectors.iter_mut().zip(Self::LOW_ROW) {
            // SAFETY: the token is the proof.
            *vector = unsafe { shuffle_bytes_512(load_two_rows(rows[row], rows[row + 2]), SWAP_64) };
        }
        Self::transpose(vectors)
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

// ---- SHA instructions ----------------------------------------------------------------------------------------------

vector! {
    /// Four words of one message, with SHA-1's and SHA-256's instructions.
    ShaWords(__m128i) of ShaNi:
    add _mm_add_epi32, xor _mm_xor_si128, and _mm_and_si128, or _mm_or_si128
}

impl ShaWords {
    #[inline(always)]
    fn from_array(_: ShaNi, words: &[u32; 4]) -> Self {
        // SAFETY: the token is the proof (and every x86-64 CPU has SSE2); the reference reaches 16 bytes.
        Self(unsafe { _mm_loadu_si128(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn to_array(self) -> [u32; 4] {
        let mut words = [0; 4];
        // SAFETY: every x86-64 CPU has SSE2; the reference reaches 16 bytes.
        unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), self.0) }
        words
    }

    #[inline(always)]
    fn load(_: ShaNi, bytes: &[u8; 16]) -> Self {
        // SAFETY: every x86-64 CPU has SSE2; the reference reaches 16 bytes, and the load has no alignment rule.
        Self(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn shuffle_bytes(self, order: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self(unsafe { _mm_shuffle_epi8(self.0, order.0) })
    }

    /// The order of bytes given by two words.
    #[inline(always)]
    fn order(_: ShaNi, (high, low): (i64, i64)) -> Self {
        // SAFETY: every x86-64 CPU has SSE2.
        Self(unsafe { _mm_set_epi64x(high, low) })
    }

    /// Sixteen bytes of a message from byte `at` on, with a one bit and zeros after its end.
    #[inline(always)]
    fn load_to_end(isa: ShaNi, message: &[u8], at: usize) -> Self {
        let Some(left) = message.len().checked_sub(at) else { return Self::order(isa, (0, 0)) };
        if let Some(bytes) = message[at..].first_chunk() {
            return Self::load(isa, bytes);
        }
        let bytes = if let Some(end) = message.last_chunk() {
            Self::load(isa, end).shuffle_bytes(Self::load(isa, window(&TO_FRONT, 16 - left)))
        } else {
            let [low, high] = gather(&message[at..]);
            Self::order(isa, (high as i64, low as i64))
        };
        bytes | Self::load(isa, window(&ONE_BIT, 16 - left))
    }

    #[inline(always)]
    fn shuffle<const ORDER: i32>(self) -> Self {
        // SAFETY: every x86-64 CPU has SSE2.
        Self(unsafe { _mm_shuffle_epi32::<ORDER>(self.0) })
    }
}

/// a to h as the instructions hold them: a, b, e, f and c, d, g, h, the first in the uppermost word.
#[derive(Clone, Copy, Debug)]
pub struct Sha256State {
    abef: ShaWords,
    cdgh: ShaWords,
}

impl Sha256Words for ShaWords {
    type Isa = ShaNi;
    type State = Sha256State;

    #[inline(always)]
    fn load_be(isa: ShaNi, bytes: &[u8; 16]) -> Self {
        Self::load(isa, bytes).shuffle_bytes(Self::order(isa, SWAP_32))
    }

    #[inline(always)]
    fn load_padded(isa: ShaNi, message: &[u8], at: usize) -> Self {
        Self::load_to_end(isa, message, at).shuffle_bytes(Self::order(isa, SWAP_32))
    }

    #[inline(always)]
    fn words(isa: ShaNi, words: &[u32; 4]) -> Self {
        Self::from_array(isa, words)
    }

    #[inline(always)]
    fn state(isa: ShaNi, &[a, b, c, d, e, f, g, h]: &[u32; 8]) -> Sha256State {
        let badc = Self::from_array(isa, &[a, b, c, d]).shuffle::<0xb1>();
        let hgfe = Self::from_array(isa, &[e, f, g, h]).shuffle::<0x1b>();
        // SAFETY: the token is the proof.
        unsafe {
            Sha256State {
                abef: Self(_mm_alignr_epi8::<8>(badc.0, hgfe.0)),
                cdgh: Self(_mm_blend_epi16::<0xf0>(hgfe.0, badc.0)),
            }
        }
    }

    #[inline(always)]
    fn state_words(state: Sha256State) -> [u32; 8] {
        let feba = state.abef.shuffle::<0x1b>();
        let dchg = state.cdgh.shuffle::<0xb1>();
        // SAFETY: the vectors were made from the token.
        let (abcd, efgh) = unsafe {
            (Self(_mm_blend_epi16::<0xf0>(feba.0, dchg.0)), Self(_mm_alignr_epi8::<8>(dchg.0, feba.0)))
        };
        let ([a, b, c, d], [e, f, g, h]) = (abcd.to_array(), efgh.to_array());
        [a, b, c, d, e, f, g, h]
    }

    #[inline(always)]
    fn rounds_begin(state: Sha256State, wk: Self) -> Sha256State {
        // SAFETY: the vectors were made from the token.
        let cdgh = unsafe { _mm_sha256rnds2_epu32(state.cdgh.0, state.abef.0, wk.0) };
        Sha256State { cdgh: Self(cdgh), ..state }
    }

    #[inline(always)]
    fn rounds_end(state: Sha256State, _: Sha256State, wk: Self) -> Sha256State {
        let wk = wk.shuffle::<0x0e>();
        // SAFETY: the vectors were made from the token.
        let abef = unsafe { _mm_sha256rnds2_epu32(state.abef.0, state.cdgh.0, wk.0) };
        Sha256State { abef: Self(abef), ..state }
    }

    #[inline(always)]
    fn add_state(a: Sha256State, b: Sha256State) -> Sha256State {
        Sha256State { abef: a.abef + b.abef, cdgh: a.cdgh + b.cdgh }
    }

    #[inline(always)]
    fn xor_state(a: Sha256State, b: Sha256State) -> Sha256State {
        Sha256State { abef: a.abef ^ b.abef, cdgh: a.cdgh ^ b.cdgh }
    }

    #[inline(always)]
    fn state_as_message(state: Sha256State) -> [Self; 2] {
        let feba = state.abef.shuffle::<0x1b>();
        let hgdc = state.cdgh.shuffle::<0x1b>();
        // SAFETY: the vectors were made from the token.
        unsafe { [Self(_mm_unpacklo_epi64(feba.0, hgdc.0)), Self(_mm_unpackhi_epi64(feba.0, hgdc.0))] }
    }

    #[inline(always)]
    fn schedule(self, w1: Self, w2: Self, w3: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        unsafe {
            let sum = _mm_add_epi32(_mm_sha256msg1_epu32(self.0, w1.0), _mm_alignr_epi8::<4>(w3.0, w2.0));
            Self(_mm_sha256msg2_epu32(sum, w3.0))
        }
    }
}

/// a to d with a in the uppermost word, and e as the instructions want it: not yet rotated, in the uppermost word.
#[derive(Clone, Copy, Debug)]
pub struct Sha1State {
    abcd: ShaWords,
    /// The a of four rounds ago: rotated left by 30 it is e.
    e: ShaWords,
}

impl Sha1Words for ShaWords {
    type Isa = ShaNi;
    type State = Sha1State;

    #[inline(always)]
    fn load_be(isa: ShaNi, bytes: &[u8; 16]) -> Self {
        Self::load(isa, bytes).shuffle_bytes(Self::order(isa, REVERSE))
    }

    #[inline(always)]
    fn load_padded(isa: ShaNi, message: &[u8], at: usize) -> Self {
        Self::load_to_end(isa, message, at).shuffle_bytes(Self::order(isa, REVERSE))
    }

    #[inline(always)]
    fn words(isa: ShaNi, [a, b, c, d]: [u32; 4]) -> Self {
        Self::from_array(isa, &[d, c, b, a])
    }

    #[inline(always)]
    fn state(isa: ShaNi, &[a, b, c, d, e]: &[u32; 5]) -> Sha1State {
        Sha1State {
            abcd: Self::from_array(isa, &[d, c, b, a]),
            e: Self::from_array(isa, &[0, 0, 0, e.rotate_right(30)]),
        }
    }

    #[inline(always)]
    fn state_words(state: Sha1State) -> [u32; 5] {
        let ([d, c, b, a], [_, _, _, e]) = (state.abcd.to_array(), state.e.to_array());
        [a, b, c, d, e.rotate_left(30)]
    }

    #[inline(always)]
    fn four_rounds<const STAGE: i32>(state: Sha1State, w: Self) -> Sha1State {
        // SAFETY: the vectors were made from the token.
        let abcd = unsafe {
            let e = _mm_sha1nexte_epu32(state.e.0, w.0);
            _mm_sha1rnds4_epu32::<STAGE>(state.abcd.0, e)
        };
        Sha1State { abcd: Self(abcd), e: state.abcd }
    }

    #[inline(always)]
    fn add_state(after: Sha1State, before: Sha1State) -> Sha1State {
        // SAFETY: the vectors were made from the token.
        // e is kept rotated right by 30, but sums only hold for what it stands for: nexte rotates one operand, the
        // other is rotated here, and the sum is rotated back.
        unsafe {
            let before_e = _mm_or_si128(_mm_slli_epi32::<30>(before.e.0), _mm_srli_epi32::<2>(before.e.0));
            let e = _mm_sha1nexte_epu32(after.e.0, before_e);
            let e = _mm_or_si128(_mm_slli_epi32::<2>(e), _mm_srli_epi32::<30>(e));
            Sha1State { abcd: after.abcd + before.abcd, e: Self(e) }
        }
    }

    #[inline(always)]
    fn xor_state(a: Sha1State, b: Sha1State) -> Sha1State {
        Sha1State { abcd: a.abcd ^ b.abcd, e: a.e ^ b.e }
    }

    #[inline(always)]
    fn state_as_message(state: Sha1State) -> [Self; 2] {
        // SAFETY: the vectors were made from the token. A zero state has e = 0, so nexte gives e alone.
        let e = unsafe {
            let top = _mm_and_si128(state.e.0, _mm_set_epi32(-1, 0, 0, 0));
            _mm_sha1nexte_epu32(top, _mm_setzero_si128())
        };
        [state.abcd, Self(e)]
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }

    #[inline(always)]
    fn schedule(self, w1: Self, w2: Self, w3: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        unsafe {
            let x = _mm_xor_si128(_mm_sha1msg1_epu32(self.0, w1.0), w2.0);
            Self(_mm_sha1msg2_epu32(x, w3.0))
        }
    }
}
