//! 128-bit vectors with the SHA instructions.

use super::vector;
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
        // SAFETY: the vector was made from the token; the reference reaches 16 bytes.
        unsafe { vst1q_u32(words.as_mut_ptr(), self.0) };
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

/// a to d and e to h.
#[derive(Clone, Copy, Debug)]
pub struct Sha256State {
    abcd: Sha2Words,
    efgh: Sha2Words,
}

impl Sha256Words for Sha2Words {
    type State = Sha256State;

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
    fn state(isa: NeonSha2, &[a, b, c, d, e, f, g, h]: &[u32; 8]) -> Sha256State {
        Sha256State { abcd: Self::from_array(isa, &[a, b, c, d]), efgh: Self::from_array(isa, &[e, f, g, h]) }
    }

    #[inline(always)]
    fn store_state(state: Sha256State, words: &mut [u32; 8]) {
        let halves = words.as_chunks_mut().0;
        halves[0] = state.abcd.to_array();
        halves[1] = state.efgh.to_array();
    }

    #[inline(always)]
    fn rounds_begin(state: Sha256State, wk: Self) -> Sha256State {
        // SAFETY: the vectors were made from the token.
        let abcd = unsafe { vsha256hq_u32(state.abcd.0, state.efgh.0, wk.0) };
        Sha256State { abcd: Self(abcd), ..state }
    }

    #[inline(always)]
    fn rounds_end(state: Sha256State, before: Sha256State, wk: Self) -> Sha256State {
        // SAFETY: the vectors were made from the token.
        let efgh = unsafe { vsha256h2q_u32(state.efgh.0, before.abcd.0, wk.0) };
        Sha256State { efgh: Self(efgh), ..state }
    }

    #[inline(always)]
    fn add_state(a: Sha256State, b: Sha256State) -> Sha256State {
        Sha256State { abcd: a.abcd + b.abcd, efgh: a.efgh + b.efgh }
    }

    #[inline(always)]
    fn xor_state(a: Sha256State, b: Sha256State) -> Sha256State {
        Sha256State { abcd: a.abcd ^ b.abcd, efgh: a.efgh ^ b.efgh }
    }

    #[inline(always)]
    fn state_as_message(state: Sha256State) -> [Self; 2] {
        [state.abcd, state.efgh]
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

vector! {
    /// Two words of one message, with SHA-512's instructions.
    WordPair(uint64x2_t):
    Add add vaddq_u64, BitXor bitxor veorq_u64, BitAnd bitand vandq_u64, BitOr bitor vorrq_u64
}

impl Lanes for WordPair {
    type Isa = NeonSha512;
}

impl WordPair {
    /// Returns the upper word of `self`, then the lower word of `next`.
    #[inline(always)]
    fn straddle(self, next: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self(unsafe { vextq_u64::<1>(self.0, next.0) })
    }
}

impl Sha512Words for WordPair {
    #[inline(always)]
    fn load_be(_: NeonSha512, bytes: &[u8; 16]) -> Self {
        // SAFETY: the token is the proof; the reference reaches 16 bytes.
        Self(unsafe { vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(bytes.as_ptr()))) })
    }

    #[inline(always)]
    fn load_padded(_: NeonSha512, message: &[u8], at: usize) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { vreinterpretq_u64_u8(vrev64q_u8(load_to_end(message, at))) })
    }

    #[inline(always)]
    fn words(_: NeonSha512, words: [u64; 2]) -> Self {
        // SAFETY: the token is the proof; the array reaches 16 bytes.
        Self(unsafe { vld1q_u64(words.as_ptr()) })
    }

    #[inline(always)]
    fn store(self) -> [u64; 2] {
        let mut words = [0; 2];
        // SAFETY: the vector was made from the token; the array reaches 16 bytes.
        unsafe { vst1q_u64(words.as_mut_ptr(), self.0) };
        words
    }

    #[inline(always)]
    fn two_rounds(ab: Self, cd: Self, ef: Self, gh: Self, wk: Self) -> (Self, Self) {
        // The instructions take W + K + gh with its words swapped, and the pairs that straddle cd|ef and
        // ef|gh.
        let sum = wk.straddle(wk) + gh;
        // SAFETY: the vectors were made from the token.
        unsafe {
            let t = vsha512hq_u64(sum.0, ef.straddle(gh).0, cd.straddle(ef).0);
            (Self(vsha512h2q_u64(t, cd.0, ab.0)), cd + Self(t))
        }
    }

    #[inline(always)]
    fn schedule(self, w1: Self, w4: Self, w5: Self, w7: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self(unsafe { vsha512su1q_u64(vsha512su0q_u64(self.0, w1.0), w7.0, w4.straddle(w5).0) })
    }
}
