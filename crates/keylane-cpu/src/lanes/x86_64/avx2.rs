//! 256-bit vectors.

use super::{SWAP_32, SWAP_64, moves, pinned, products, rows, shifts, vector};
use crate::lanes::{Lanes, ProductLanes, RowLanes, U32Lanes, U64Lanes};
use crate::pin::opaque;
use crate::x86_64::Avx2;
use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, BitXor};

vector! {
    /// Eight lanes of 32 bits.
    U32x8(__m256i) of Avx2:
    add _mm256_add_epi32, xor _mm256_xor_si256, and _mm256_and_si256, or _mm256_or_si256
}

pinned!([] U32x8, Avx2, pin_256);

/// # Safety
/// The CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn shuffle_bytes_256(x: __m256i, order: (i64, i64)) -> __m256i {
    // SAFETY: the caller promises AVX2.
    unsafe { _mm256_shuffle_epi8(x, _mm256_set_epi64x(order.0, order.1, order.0, order.1)) }
}

/// # Safety
/// The CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn load_256<T>(words: &T) -> __m256i {
    const { assert!(size_of::<T>() == 32) }
    // SAFETY: the reference reaches 32 bytes; the load has no alignment rule. The caller promises AVX2.
    unsafe { _mm256_loadu_si256(core::ptr::from_ref(words).cast()) }
}

/// # Safety
/// The CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn store_256<T>(words: &mut T, x: __m256i) {
    const { assert!(size_of::<T>() == 32) }
    // SAFETY: the reference reaches 32 bytes; the store has no alignment rule. The caller promises AVX2.
    unsafe { _mm256_storeu_si256(core::ptr::from_mut(words).cast(), x) }
}

impl U32Lanes<8> for U32x8 {
    shifts!(32, _mm256_sll_epi32, _mm256_srl_epi32, _mm256_or_si256, pin multiples of 8);

    moves!(u32, 8, Avx2: splat _mm256_set1_epi32 as i32, load _mm256_loadu_si256, store _mm256_storeu_si256);

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

impl RowLanes<8, 2> for U32x8 {
    rows!(2, Avx2: load _mm256_loadu_si256, store _mm256_storeu_si256, shuffle _mm256_shuffle_epi32);

    #[inline(always)]
    fn every(_: Avx2, row: [u32; 4]) -> Self {
        // SAFETY: the token is the proof; the reference reaches 16 bytes, and the load has no alignment rule.
        Self(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(row.as_ptr().cast())) })
    }

    #[cfg(not(any(miri, keylane_no_asm)))]
    #[inline(always)]
    fn rotate_bytes<const R: u32>(self) -> Self {
        const { assert!(R.is_multiple_of(8)) }
        // SAFETY: the vector was made from the token.
        Self(unsafe { rotate_bytes_256::<R>(self.0) })
    }

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

    #[inline(always)]
    fn states_from_rows([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: the vectors were made from the token.
        unsafe {
            [
                Self(_mm256_permute2x128_si256::<0x20>(a.0, b.0)),
                Self(_mm256_permute2x128_si256::<0x20>(c.0, d.0)),
                Self(_mm256_permute2x128_si256::<0x31>(a.0, b.0)),
                Self(_mm256_permute2x128_si256::<0x31>(c.0, d.0)),
            ]
        }
    }
}

vector! {
    /// Four lanes of 64 bits.
    U64x4(__m256i) of Avx2:
    add _mm256_add_epi64, xor _mm256_xor_si256, and _mm256_and_si256, or _mm256_or_si256
}

pinned!([] U64x4, Avx2, pin_256);

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

    moves!(u64, 4, Avx2: splat _mm256_set1_epi64x as i64, load _mm256_loadu_si256, store _mm256_storeu_si256);

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

impl ProductLanes<4> for U64x4 {
    products! {
        4, Avx2: load _mm256_loadu_si256, left _mm256_sll_epi64, multiply _mm256_mul_epu32,
        unpack _mm256_unpacklo_epi64 _mm256_unpackhi_epi64, set _mm256_set_epi64x [3 1 2 0]
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        // SAFETY: the vector was made from the token.
        unsafe {
            let pair = _mm_add_epi64(_mm256_castsi256_si128(self.0), _mm256_extracti128_si256::<1>(self.0));
            _mm_cvtsi128_si64(_mm_add_epi64(pair, _mm_unpackhi_epi64(pair, pair))) as u64
        }
    }
}

/// Inline assembly needs the register's feature on the enclosing function, which therefore cannot be
/// `#[inline(always)]`. `cargo xtask asm` checks that it is inlined nevertheless.
#[inline]
#[target_feature(enable = "avx2")]
fn pin_256(x: __m256i) -> __m256i {
    opaque!(ymm_reg, x, pure)
}

/// Rotates lanes of 32 bits by a shuffle of their bytes, whose order stays in memory: LLVM would take a
/// register for it.
#[cfg(not(any(miri, keylane_no_asm)))]
#[inline]
#[target_feature(enable = "avx2")]
fn rotate_bytes_256<const R: u32>(x: __m256i) -> __m256i {
    #[repr(align(32))]
    struct Order([[u32; 4]; 2]);
    let order = const {
        let (a, b) = (0x0302_0100_u32.rotate_right(R), 0x0706_0504_u32.rotate_right(R));
        let (c, d) = (0x0b0a_0908_u32.rotate_right(R), 0x0f0e_0d0c_u32.rotate_right(R));
        &Order([[a, b, c, d]; 2])
    };
    // SAFETY: one instruction, which reads 32 bytes.
    unsafe {
        let rotated;
        core::arch::asm!(
            "vpshufb {1}, {0}, [{2}]", in(ymm_reg) x, lateout(ymm_reg) rotated, in(reg) order.0.as_ptr(),
            options(pure, readonly, nostack, preserves_flags)
        );
        rotated
    }
}
