//! 128-bit vectors with the SHA instructions.

use super::{pin_128, vector};
use crate::aarch64::{NeonSha2, NeonSha512};
use crate::lanes::{Lanes, ONE_BIT, Sha1Words, Sha256Words, Sha512Words, TO_FRONT, load_partial, window};
use core::arch::aarch64::*;
use core::ops::{Add, BitAnd, BitOr, BitXor};

vector! {
    /// Four words of one message, with SHA-1's and SHA-256's instructions.
    Sha2Words(uint32x4_t):
    Add add vaddq_u32, BitXor bitxor veorq_u32, BitAnd bitand vandq_u32, BitOr bitor vorrq_u32
}

impl Lanes for Sha2Words {
    type Isa = NeonSha2;

    /// LLVM chooses other registers for a value that it cannot follow.
    #[inline(always)]
    fn pin(self) -> Self {
        // SAFETY: the vector was made from the token.
        Self(unsafe { vreinterpretq_u32_u64(pin_128(vreinterpretq_u64_u32(self.0))) })
    }
}

impl Sha2Words {
    #[inline(always)]
    fn from_array(_: NeonSha2, words: &[u32; 4]) -> Self {
        // SAFETY: the token is the proof; the reference reaches 16 bytes.
        Self(unsafe { vld1q_u32(words.as_ptr()) })
    }

    #[inline(always)]
    fn to_array(self) -> [u32; 4] {
        let mut words = [0; 4];
        self.store(&mut words);
        words
    }

    #[inline(always)]
    fn from_be_bytes(_: NeonSha2, bytes: &[u8; 16]) -> Self {
        // SAFETY: the token is the proof; the reference reaches 16 bytes.
        Self(unsafe { vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes.as_ptr()))) })
    }
}

/// Loads sixteen bytes of a message from byte `at` on. A one bit and zeros follow its end.
///
/// # Safety
/// The CPU has NEON.
#[inline(always)]
unsafe fn load_to_end(message: &[u8], at: usize) -> uint8x16_t {
    // SAFETY: the caller promises NEON; every reference reaches 16 bytes.
    unsafe {
        let Some(left) = message.len().checked_sub(at) else { return vdupq_n_u8(0) };
        if let Some(bytes) = message[at..].first_chunk::<16>() {
            return vld1q_u8(bytes.as_ptr());
        }
        let bytes = if let Some(end) = message.last_chunk::<16>() {
            vqtbl1q_u8(vld1q_u8(end.as_ptr()), vld1q_u8(window(&TO_FRONT, 16 - left).as_ptr()))
        } else {
            vreinterpretq_u8_u64(vld1q_u64(load_partial(&message[at..]).as_ptr()))
        };
        vorrq_u8(bytes, vld1q_u8(window(&ONE_BIT, 16 - left).as_ptr()))
    }
}

impl Sha256Words for Sha2Words {
    #[inline(always)]
    fn load_be(isa: NeonSha2, bytes: &[u8; 16]) -> Self {
        Self::from_be_bytes(isa, bytes)
    }

    #[inline(always)]
    fn load_padded(_: NeonSha2, message: &[u8], at: usize) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { vreinterpretq_u32_u8(vrev32q_u8(load_to_end(message, at))) })
    }

    #[inline(always)]
    fn words(isa: NeonSha2, words: &[u32; 4]) -> Self {
        Self::from_array(isa, words)
    }

    #[inline(always)]
    fn store(self, words: &mut [u32; 4]) {
        // SAFETY: the vector was made from the token; the reference reaches 16 bytes.
        unsafe { vst1q_u32(words.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn reorder(halves: [Self; 2]) -> [Self; 2] {
        halves
    }

    #[inline(always)]
    fn rounds_begin([abcd, efgh]: [Self; 2], wk: Self) -> [Self; 2] {
        // SAFETY: the vectors were made from the token.
        [Self(unsafe { vsha256hq_u32(abcd.0, efgh.0, wk.0) }), efgh]
    }

    #[inline(always)]
    fn rounds_end([abcd, efgh]: [Self; 2], [before, _]: [Self; 2], wk: Self) -> [Self; 2] {
        // SAFETY: the vectors were made from the token.
        [abcd, Self(unsafe { vsha256h2q_u32(efgh.0, before.0, wk.0) })]
    }

    #[inline(always)]
    fn schedule(self, w1: Self, w2: Self, w3: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self(unsafe { vsha256su1q_u32(vsha256su0q_u32(self.0, w1.0), w2.0, w3.0) })
    }
}

/// a to d, and e.
#[derive(Clone, Copy, Debug)]
pub struct Sha1State {
    abcd: Sha2Words,
    e: u32,
}

/// SHA-1's constants, one for each twenty rounds (FIPS 180-4 §4.2.1).
const K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

impl Sha1Words for Sha2Words {
    type State = Sha1State;

    #[inline(always)]
    fn load_be(isa: NeonSha2, bytes: &[u8; 16]) -> Self {
        Self::from_be_bytes(isa, bytes)
    }

    #[inline(always)]
    fn load_padded(_: NeonSha2, message: &[u8], at: usize) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { vreinterpretq_u32_u8(vrev32q_u8(load_to_end(message, at))) })
    }

    #[inline(always)]
    fn words(isa: NeonSha2, words: [u32; 4]) -> Self {
        Self::from_array(isa, &words)
    }

    #[inline(always)]
    fn state(isa: NeonSha2, &[a, b, c, d, e]: &[u32; 5]) -> Sha1State {
        Sha1State { abcd: Self::from_array(isa, &[a, b, c, d]), e }
    }

    #[inline(always)]
    fn state_words(state: Sha1State) -> [u32; 5] {
        let [a, b, c, d] = state.abcd.to_array();
        [a, b, c, d, state.e]
    }

    #[inline(always)]
    fn four_rounds<const STAGE: i32>(state: Sha1State, w: Self) -> Sha1State {
        // SAFETY: the vectors were made from the token.
        unsafe {
            let wk = vaddq_u32(w.0, vdupq_n_u32(K[STAGE as usize]));
            let abcd = match STAGE {
                0 => vsha1cq_u32(state.abcd.0, state.e, wk),
                2 => vsha1mq_u32(state.abcd.0, state.e, wk),
                _ => vsha1pq_u32(state.abcd.0, state.e, wk),
            };
            Sha1State { abcd: Self(abcd), e: vsha1h_u32(vgetq_lane_u32::<0>(state.abcd.0)) }
        }
    }

    #[inline(always)]
    fn add_state(after: Sha1State, before: Sha1State) -> Sha1State {
        Sha1State { abcd: after.abcd + before.abcd, e: after.e.wrapping_add(before.e) }
    }

    #[inline(always)]
    fn xor_state(a: Sha1State, b: Sha1State) -> Sha1State {
        Sha1State { abcd: a.abcd ^ b.abcd, e: a.e ^ b.e }
    }

    #[inline(always)]
    fn state_as_message(state: Sha1State) -> [Self; 2] {
        // SAFETY: the vectors were made from the token.
        let e = unsafe { vsetq_lane_u32::<0>(state.e, vdupq_n_u32(0)) };
        [state.abcd, Self(e)]
    }

    #[inline(always)]
    fn schedule(self, w1: Self, w2: Self, w3: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self(unsafe { vsha1su1q_u32(vsha1su0q_u32(self.0, w1.0, w2.0), w3.0) })
    }
}

/// Defines an operation on two vectors each.
macro_rules! on_both {
    ($($name:ident $intrinsic:ident),+) => {
        $(
            /// # Safety
            /// The CPU has NEON.
            #[inline(always)]
            unsafe fn $name(a: uint64x2x2_t, b: uint64x2x2_t) -> uint64x2x2_t {
                // SAFETY: the caller promises NEON.
                unsafe { uint64x2x2_t($intrinsic(a.0, b.0), $intrinsic(a.1, b.1)) }
            }
        )+
    };
}
on_both!(add_both vaddq_u64, xor_both veorq_u64, and_both vandq_u64, or_both vorrq_u64);

vector! {
    /// Four words of one message, with SHA-512's instructions.
    WordQuad(uint64x2x2_t):
    Add add add_both, BitXor bitxor xor_both, BitAnd bitand and_both, BitOr bitor or_both
}

impl Lanes for WordQuad {
    type Isa = NeonSha512;
}

impl Sha512Words for WordQuad {
    #[inline(always)]
    fn load_padded(_: NeonSha512, message: &[u8], at: usize) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe {
            let (first, second) = (load_to_end(message, at), load_to_end(message, at + 16));
            uint64x2x2_t(vreinterpretq_u64_u8(vrev64q_u8(first)), vreinterpretq_u64_u8(vrev64q_u8(second)))
        })
    }

    #[inline(always)]
    fn words(_: NeonSha512, words: &[u64; 4]) -> Self {
        // SAFETY: the token is the proof; the reference reaches 32 bytes.
        Self(unsafe { vld1q_u64_x2(words.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u64; 4]) {
        // SAFETY: the vector was made from the token; the reference reaches 32 bytes.
        unsafe { vst1q_u64_x2(words.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn reorder(halves: [Self; 2]) -> [Self; 2] {
        halves
    }

    #[inline(always)]
    fn four_rounds([abcd, efgh]: [Self; 2], wk: Self) -> [Self; 2] {
        let [mut ab, mut cd, mut ef, mut gh] = [abcd.0.0, abcd.0.1, efgh.0.0, efgh.0.1];
        for wk in [wk.0.0, wk.0.1] {
            // The instructions take W + K + gh with its words swapped, and the pairs that straddle cd|ef and
            // ef|gh.
            // SAFETY: the vectors were made from the token.
            unsafe {
                let sum = vaddq_u64(vextq_u64::<1>(wk, wk), gh);
                let t = vsha512hq_u64(sum, vextq_u64::<1>(ef, gh), vextq_u64::<1>(cd, ef));
                (ab, cd, ef, gh) = (vsha512h2q_u64(t, cd, ab), ab, vaddq_u64(cd, t), ef);
            }
        }
        [Self(uint64x2x2_t(ab, cd)), Self(uint64x2x2_t(ef, gh))]
    }

    #[inline(always)]
    fn schedule(self, w1: Self, w2: Self, w3: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        unsafe {
            let next = vsha512su0q_u64(self.0.0, self.0.1);
            let first = vsha512su1q_u64(next, w3.0.1, vextq_u64::<1>(w2.0.0, w2.0.1));
            let next = vsha512su0q_u64(self.0.1, w1.0.0);
            let second = vsha512su1q_u64(next, first, vextq_u64::<1>(w2.0.1, w3.0.0));
            Self(uint64x2x2_t(first, second))
        }
    }
}
