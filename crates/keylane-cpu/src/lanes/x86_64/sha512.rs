//! 256-bit vectors with the SHA-512 instructions.

use super::avx2::{load_256, shuffle_bytes_256, store_256};
use super::sha::load_to_end;
use super::{SWAP_64, vector};
use crate::lanes::{Lanes, Sha512Words};
use crate::x86_64::Sha512;
use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, BitXor};

vector! {
    /// Four words of one message, with SHA-512's instructions. A state is c, d, g, h and a, b, e, f, the
    /// first in the uppermost word.
    WordQuad(__m256i) of Sha512:
    add _mm256_add_epi64, xor _mm256_xor_si256, and _mm256_and_si256, or _mm256_or_si256
}

impl Lanes for WordQuad {
    type Isa = Sha512;
}

impl Sha512Words for WordQuad {
    #[inline(always)]
    fn load_padded(_: Sha512, message: &[u8], at: usize) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe {
            let both = _mm256_set_m128i(load_to_end(message, at + 16), load_to_end(message, at));
            shuffle_bytes_256(both, SWAP_64)
        })
    }

    #[inline(always)]
    fn words(_: Sha512, words: &[u64; 4]) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { load_256(words) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u64; 4]) {
        // SAFETY: the vector was made from the token.
        unsafe { store_256(words, self.0) }
    }

    #[inline(always)]
    fn reorder([abcd, efgh]: [Self; 2]) -> [Self; 2] {
        // SAFETY: the vectors were made from the token.
        unsafe {
            let ghcd = _mm256_permute2x128_si256::<0x31>(efgh.0, abcd.0);
            let efab = _mm256_permute2x128_si256::<0x20>(efgh.0, abcd.0);
            [Self(_mm256_shuffle_epi32::<0x4e>(ghcd)), Self(_mm256_shuffle_epi32::<0x4e>(efab))]
        }
    }

    #[inline(always)]
    fn four_rounds([cdgh, abef]: [Self; 2], wk: Self) -> [Self; 2] {
        // SAFETY: the vectors were made from the token.
        unsafe {
            // What two rounds begin with as a, b, e, f they end with as c, d, g, h.
            let middle = _mm256_sha512rnds2_epi64(cdgh.0, abef.0, _mm256_castsi256_si128(wk.0));
            let end = _mm256_sha512rnds2_epi64(abef.0, middle, _mm256_extracti128_si256::<1>(wk.0));
            [Self(middle), Self(end)]
        }
    }

    #[inline(always)]
    fn schedule(self, w1: Self, w2: Self, w3: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        unsafe {
            let straddle = _mm256_permute4x64_epi64::<0x39>(_mm256_blend_epi32::<0x03>(w2.0, w3.0));
            let sum =
                _mm256_add_epi64(_mm256_sha512msg1_epi64(self.0, _mm256_castsi256_si128(w1.0)), straddle);
            Self(_mm256_sha512msg2_epi64(sum, w3.0))
        }
    }
}
