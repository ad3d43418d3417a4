//! 128-bit vectors with the SHA instructions.

use super::{REVERSE, SWAP_32, vector};
use crate::lanes::{Lanes, ONE_BIT, Sha1Words, Sha256Words, TO_FRONT, load_partial, window};
use crate::pin::opaque;
use crate::x86_64::ShaNi;
#[cfg(not(keylane_no_asm))]
use core::arch::x86_64::_mm_sha1rnds4_epu32 as sha1rnds4;
use core::arch::x86_64::*;
use core::mem::transmute;
use core::ops::{Add, BitAnd, BitOr, BitXor};

vector! {
    /// Four words of one message, with SHA-1's and SHA-256's instructions.
    ShaWords(__m128i) of ShaNi:
    add _mm_add_epi32, xor _mm_xor_si128, and _mm_and_si128, or _mm_or_si128
}

impl Lanes for ShaWords {
    type Isa = ShaNi;

    /// In a build for a CPU with AVX (`-C target-cpu`), the optimiser merges two halves into one 256-bit
    /// vector, and 256-bit instructions among SHA instructions halve their speed.
    #[inline(always)]
    fn pin(self) -> Self {
        Self(opaque!(xmm_reg, self.0, pure))
    }
}

impl ShaWords {
    #[inline(always)]
    fn from_array(_: ShaNi, words: &[u32; 4]) -> Self {
        // SAFETY: both are 16 bytes, and every bit pattern is a value.
        Self(unsafe { transmute::<[u32; 4], __m128i>(*words) })
    }

    #[inline(always)]
    fn to_array(self) -> [u32; 4] {
        let mut words = [0; 4];
        self.store(&mut words);
        words
    }

    #[inline(always)]
    fn load(_: ShaNi, bytes: &[u8; 16]) -> Self {
        // SAFETY: both are 16 bytes, and every bit pattern is a value.
        Self(unsafe { transmute::<[u8; 16], __m128i>(*bytes) })
    }

    #[inline(always)]
    fn shuffle_bytes(self, order: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self(unsafe { _mm_shuffle_epi8(self.0, order.0) })
    }

    /// Returns the shuffle given by two words.
    #[inline(always)]
    fn order(_: ShaNi, (high, low): (i64, i64)) -> Self {
        // SAFETY: both are 16 bytes, and every bit pattern is a value.
        Self(unsafe { transmute::<[i64; 2], __m128i>([low, high]) })
    }

    #[inline(always)]
    fn shuffle<const ORDER: i32>(self) -> Self {
        // SAFETY: every x86-64 CPU has SSE2.
        Self(unsafe { _mm_shuffle_epi32::<ORDER>(self.0) })
    }
}

/// Loads sixteen bytes of a message from byte `at` on. A one bit and zeros follow its end.
///
/// # Safety
/// The CPU has SSSE3.
#[inline(always)]
pub(super) unsafe fn load_to_end(message: &[u8], at: usize) -> __m128i {
    // SAFETY: the caller promises SSSE3; every reference reaches 16 bytes, and the loads have no alignment
    // rule.
    unsafe {
        let Some(left) = message.len().checked_sub(at) else { return _mm_setzero_si128() };
        if let Some(bytes) = message[at..].first_chunk::<16>() {
            return _mm_loadu_si128(bytes.as_ptr().cast());
        }
        let bytes = if let Some(end) = message.last_chunk::<16>() {
            let order = _mm_loadu_si128(window(&TO_FRONT, 16 - left).as_ptr().cast());
            _mm_shuffle_epi8(_mm_loadu_si128(end.as_ptr().cast()), order)
        } else {
            let [low, high] = load_partial(&message[at..]);
            _mm_set_epi64x(high as i64, low as i64)
        };
        _mm_or_si128(bytes, _mm_loadu_si128(window(&ONE_BIT, 16 - left).as_ptr().cast()))
    }
}

impl Sha256Words for ShaWords {
    #[inline(always)]
    fn load_be(isa: ShaNi, bytes: &[u8; 16]) -> Self {
        Self::load(isa, bytes).pin().shuffle_bytes(Self::order(isa, SWAP_32))
    }

    #[inline(always)]
    fn load_padded(isa: ShaNi, message: &[u8], at: usize) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { load_to_end(message, at) }).shuffle_bytes(Self::order(isa, SWAP_32))
    }

    #[inline(always)]
    fn words(isa: ShaNi, words: &[u32; 4]) -> Self {
        Self::from_array(isa, words)
    }

    #[inline(always)]
    fn store(self, words: &mut [u32; 4]) {
        // SAFETY: both are 16 bytes, and every bit pattern is a value.
        *words = unsafe { transmute::<__m128i, [u32; 4]>(self.0) };
    }

    /// A state is c, d, g, h and a, b, e, f, the first in the uppermost word.
    #[inline(always)]
    fn reorder([abcd, efgh]: [Self; 2]) -> [Self; 2] {
        // SAFETY: the vectors were made from the token.
        let (efab, ghcd) =
            unsafe { (Self(_mm_unpacklo_epi64(efgh.0, abcd.0)), Self(_mm_unpackhi_epi64(efgh.0, abcd.0))) };
        [ghcd.shuffle::<0xb1>(), efab.shuffle::<0xb1>()]
    }

    #[inline(always)]
    fn rounds_begin([cdgh, abef]: [Self; 2], wk: Self) -> [Self; 2] {
        // SAFETY: the vectors were made from the token.
        [Self(unsafe { _mm_sha256rnds2_epu32(cdgh.0, abef.0, wk.0) }), abef]
    }

    #[inline(always)]
    fn rounds_end([cdgh, abef]: [Self; 2], _: [Self; 2], wk: Self) -> [Self; 2] {
        let wk = wk.shuffle::<0x0e>();
        // SAFETY: the vectors were made from the token.
        [cdgh, Self(unsafe { _mm_sha256rnds2_epu32(abef.0, cdgh.0, wk.0) })]
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

/// a to d, with a in the uppermost word, and e as the instructions need it: not yet rotated, in the uppermost
/// word.
#[derive(Clone, Copy, Debug)]
pub struct Sha1State {
    abcd: ShaWords,
    /// The value of a four rounds ago, which rotated left by 30 is e.
    e: ShaWords,
}

impl Sha1Words for ShaWords {
    type State = Sha1State;

    #[inline(always)]
    fn load_be(isa: ShaNi, bytes: &[u8; 16]) -> Self {
        Self::load(isa, bytes).pin().shuffle_bytes(Self::order(isa, REVERSE))
    }

    #[inline(always)]
    fn load_padded(isa: ShaNi, message: &[u8], at: usize) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { load_to_end(message, at) }).shuffle_bytes(Self::order(isa, REVERSE))
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
            sha1rnds4::<STAGE>(state.abcd.0, e)
        };
        Sha1State { abcd: Self(abcd), e: state.abcd }
    }

    #[inline(always)]
    fn add_state(after: Sha1State, before: Sha1State) -> Sha1State {
        // SAFETY: the vectors were made from the token.
        // e is stored rotated right by 30, but the sum is of its real values: nexte rotates one operand, the
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
    fn schedule(self, w1: Self, w2: Self, w3: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        unsafe {
            let x = _mm_xor_si128(_mm_sha1msg1_epu32(self.0, w1.0), w2.0);
            Self(_mm_sha1msg2_epu32(x, w3.0))
        }
    }
}

/// SHA1RNDS4 in plain Rust for MemorySanitizer, which does not know the instruction and takes it for a
/// branch.
#[cfg(keylane_no_asm)]
unsafe fn sha1rnds4<const STAGE: i32>(abcd: __m128i, words: __m128i) -> __m128i {
    let ([mut d, mut c, mut b, mut a], mut e) = (ShaWords(abcd).to_array(), 0_u32);
    for word in ShaWords(words).to_array().into_iter().rev() {
        let (mixed, constant) = match STAGE {
            0 => ((b & c) | (!b & d), 0x5a82_7999),
            1 => (b ^ c ^ d, 0x6ed9_eba1),
            2 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6_u32),
        };
        let sum =
            a.rotate_left(5).wrapping_add(mixed).wrapping_add(e).wrapping_add(constant).wrapping_add(word);
        (a, b, c, d, e) = (sum, a, b.rotate_left(30), c, d);
    }
    // SAFETY: the reference reaches 16 bytes.
    unsafe { _mm_loadu_si128([d, c, b, a].as_ptr().cast()) }
}
