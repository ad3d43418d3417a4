//! Words of one block or of two, for the schedules of hashes without instructions of their own.

use super::avx2::{shuffle_bytes_256, store_256};
use super::{SWAP_32, SWAP_64, U32x4, U32x8, U64x4, shifts, vector};
use crate::lanes::{BlockWords, Lanes, Sha256Schedule, U32Lanes, U64Lanes};
use crate::x86_64::{Avx2, Avx512, Ssse3};
use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, BitXor};

vector! {
    /// Four words of 64 bits, whose rotations are one instruction.
    U64x4Vl(__m256i) of Avx512:
    add _mm256_add_epi64, xor _mm256_xor_si256, and _mm256_and_si256, or _mm256_or_si256
}
impl Lanes for U64x4Vl {
    type Isa = Avx512;
}

/// The methods of `BlockWords` that vectors of two blocks share. The others follow.
macro_rules! two_blocks {
    ($Vector:ident of $Isa:ident: $W:ty, $SWAP:ident $($rest:tt)*) => {
        impl BlockWords<$W> for $Vector {
            const BLOCKS: usize = 2;

            #[inline(always)]
            fn load_be(_: $Isa, first: &[u8; 16], second: &[u8; 16]) -> Self {
                // SAFETY: the token is the proof; each reference reaches 16 bytes, and the loads have no
                // alignment rule.
                unsafe {
                    let first = _mm256_castsi128_si256(_mm_loadu_si128(first.as_ptr().cast()));
                    let both = _mm256_inserti128_si256::<1>(first, _mm_loadu_si128(second.as_ptr().cast()));
                    Self::of(shuffle_bytes_256(both, $SWAP))
                }
            }

            #[inline(always)]
            fn repeat(_: $Isa, words: &[$W]) -> Self {
                assert!(size_of_val(words) == 16);
                // SAFETY: the token is the proof; the slice reaches 16 bytes, and the load has no alignment
                // rule.
                Self::of(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(words.as_ptr().cast())) })
            }

            #[inline(always)]
            fn load(_: $Isa, words: &[$W]) -> Self {
                assert!(size_of_val(words) == 32);
                // SAFETY: the token is the proof; the slice reaches 32 bytes, and the load has no alignment
                // rule.
                Self::of(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
            }

            #[inline(always)]
            fn store(self, words: &mut [$W]) {
                let words: &mut [$W; 32 / size_of::<$W>()] = words.try_into().expect("32 bytes");
                // SAFETY: the vector was made from the token.
                unsafe { store_256(words, self.0) }
            }

            #[inline(always)]
            fn straddle<const N: i32>(self, next: Self) -> Self {
                // SAFETY: the vectors were made from the token.
                Self::of(unsafe { _mm256_alignr_epi8::<N>(next.0, self.0) })
            }

            $($rest)*
        }
    };
}

/// The rotation and the shift that a vector has as lanes.
macro_rules! as_lanes {
    ($Lanes:ident) => {
        #[inline(always)]
        fn rotate_right<const R: u32>(self) -> Self {
            $Lanes::rotate_right::<R>(self)
        }

        #[inline(always)]
        fn shift_right<const R: u32>(self) -> Self {
            $Lanes::shift_right::<R>(self)
        }
    };
}

two_blocks! { U32x8 of Avx2: u32, SWAP_32 as_lanes!(U32Lanes); }
two_blocks! { U64x4 of Avx2: u64, SWAP_64 as_lanes!(U64Lanes); }
two_blocks! { U64x4Vl of Avx512: u64, SWAP_64
    shifts!(64, _mm256_sll_epi64, _mm256_srl_epi64, _mm256_or_si256);
}

/// One block, on CPUs without AVX2.
impl BlockWords<u32> for U32x4<Ssse3> {
    const BLOCKS: usize = 1;

    #[inline(always)]
    fn load_be(_: Ssse3, first: &[u8; 16], _: &[u8; 16]) -> Self {
        // SAFETY: the token is the proof; the reference reaches 16 bytes, and the load has no alignment rule.
        unsafe { Self::of(shuffle_bytes_128(_mm_loadu_si128(first.as_ptr().cast()), SWAP_32)) }
    }

    #[inline(always)]
    fn repeat(isa: Ssse3, words: &[u32]) -> Self {
        <Self as U32Lanes<4>>::load(isa, words.try_into().expect("16 bytes"))
    }

    #[inline(always)]
    fn load(isa: Ssse3, words: &[u32]) -> Self {
        Self::repeat(isa, &words[..4])
    }

    #[inline(always)]
    fn store(self, words: &mut [u32]) {
        U32Lanes::store(self, words.first_chunk_mut().expect("16 bytes"));
    }

    #[inline(always)]
    fn straddle<const N: i32>(self, next: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self::of(unsafe { _mm_alignr_epi8::<N>(next.0, self.0) })
    }

    as_lanes!(U32Lanes);
}

/// # Safety
/// The CPU has SSSE3.
#[inline(always)]
unsafe fn shuffle_bytes_128(x: __m128i, (high, low): (i64, i64)) -> __m128i {
    // SAFETY: the caller promises SSSE3.
    unsafe { _mm_shuffle_epi8(x, _mm_set_epi64x(high, low)) }
}

/// Moves words 0 and 2 to 0 and 1, and zeros to the others.
const EVEN_TO_FRONT: (i64, i64) = (-1, 0x0b0a_0908_0302_0100);
/// Moves words 0 and 2 to 2 and 3, and zeros to the others.
const EVEN_TO_BACK: (i64, i64) = (0x0b0a_0908_0302_0100, -1);

/// σ1 without a rotation: each of two words stands in both halves of 64 bits, so that a shift of these is the
/// word's rotation. The upper halves of the result have no meaning.
macro_rules! sigma1_of_doubled {
    ($shuffle:ident $shift_32:ident $shift_64:ident $xor:ident $shuffle_bytes:ident) => {
        #[inline(always)]
        fn sigma1_of_upper(self) -> Self {
            // SAFETY: the vector was made from the token.
            unsafe {
                let x = $shuffle::<0b11_11_10_10>(self.0);
                let sigma = $xor($xor($shift_32::<10>(x), $shift_64::<17>(x)), $shift_64::<19>(x));
                Self::of($shuffle_bytes(sigma, EVEN_TO_FRONT))
            }
        }

        #[inline(always)]
        fn sigma1_of_lower(self) -> Self {
            // SAFETY: the vector was made from the token.
            unsafe {
                let x = $shuffle::<0b01_01_00_00>(self.0);
                let sigma = $xor($xor($shift_32::<10>(x), $shift_64::<17>(x)), $shift_64::<19>(x));
                Self::of($shuffle_bytes(sigma, EVEN_TO_BACK))
            }
        }
    };
}

impl Sha256Schedule for U32x8 {
    sigma1_of_doubled!(
        _mm256_shuffle_epi32 _mm256_srli_epi32 _mm256_srli_epi64 _mm256_xor_si256 shuffle_bytes_256
    );
}

impl Sha256Schedule for U32x4<Ssse3> {
    sigma1_of_doubled!(_mm_shuffle_epi32 _mm_srli_epi32 _mm_srli_epi64 _mm_xor_si128 shuffle_bytes_128);
}
