//! Lanes of aarch64: 128-bit NEON vectors, words with the SHA instructions, blocks with the AES instructions.
//!
//! Every function except pins is `#[inline(always)]` and names no target feature: it is inlined into a kernel
//! that runs inside `InstructionSet::run`, which enables them. The types make the intrinsics sound: a vector
//! can only be made from its token.
//!
//! Newer compilers warn that intrinsics cannot be inlined into functions without the feature. These functions
//! are inlined into kernels, which have the feature, and there the intrinsics are inlined too.
#![allow(unknown_lints, inline_always_mismatching_target_features)]

mod aes;
mod sha;

pub use aes::Blocks1;
pub use sha::{Sha1State, Sha2Words, WordQuad};

use super::{Lanes, ProductLanes, RowLanes, U32Lanes, U64Lanes};
use crate::aarch64::Neon;
use crate::pin::opaque;
use core::arch::aarch64::*;
use core::ops::{Add, BitAnd, BitOr, BitXor};

/// Defines a vector type and its operators.
macro_rules! vector {
    ($(#[$doc:meta])* $Vector:ident($Raw:ident): $($Operator:ident $operator:ident $intrinsic:ident),+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $Vector($Raw);

        $(
            impl $Operator for $Vector {
                type Output = Self;

                #[inline(always)]
                fn $operator(self, other: Self) -> Self {
                    // SAFETY: the vectors were made from the token.
                    Self(unsafe { $intrinsic(self.0, other.0) })
                }
            }
        )+
    };
}

use vector;

/// Rotation and shift by a constant. A left shift by a negative count is a right shift. The counts are
/// constants to the optimiser, which selects the immediate forms, and swaps halves for a rotation by half of
/// the bits. It does not recognise a rotation by a byte, so `byte` implements it.
macro_rules! shifts {
    ($bits:literal, $shift:ident, $count:ident, $Count:ident, $or:ident $(, byte $rotate_byte:ident)?) => {
        #[inline(always)]
        fn rotate_right<const R: u32>(self) -> Self {
            const { assert!(R > 0 && R < $bits) }
            $(
                if const { R == 8 || R == $bits - 8 } {
                    return self.$rotate_byte::<R>();
                }
            )?
            // SAFETY: the vector was made from the token.
            unsafe {
                let right = $shift(self.0, $count(-(R as $Count)));
                let left = $shift(self.0, $count(($bits - R) as $Count));
                Self($or(right, left))
            }
        }

        #[inline(always)]
        fn shift_right<const R: u32>(self) -> Self {
            const { assert!(R > 0 && R < $bits) }
            // SAFETY: the vector was made from the token.
            Self(unsafe { $shift(self.0, $count(-(R as $Count))) })
        }
    };
}

vector! {
    /// Four lanes of 32 bits.
    U32x4(uint32x4_t):
    Add add vaddq_u32, BitXor bitxor veorq_u32, BitAnd bitand vandq_u32, BitOr bitor vorrq_u32
}

impl Lanes for U32x4 {
    type Isa = Neon;

    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self(unsafe { vbslq_u32(self.0, yes.0, no.0) })
    }

    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        // Where a and b differ, c has the majority.
        (self ^ b).choose(c, b)
    }
}

impl U32x4 {
    /// Rotates every lane to the right by R bits, a multiple of 8, in one instruction.
    #[inline(always)]
    fn rotate_byte<const R: u32>(self) -> Self {
        let order = const {
            let mut order = [0; 16];
            let mut i = 0;
            while i < 16 {
                order[i] = (i / 4 * 4 + (i + R as usize / 8) % 4) as u8;
                i += 1;
            }
            order
        };
        // SAFETY: the vector was made from the token; the reference reaches 16 bytes.
        unsafe {
            let bytes = vqtbl1q_u8(vreinterpretq_u8_u32(self.0), vld1q_u8(order.as_ptr()));
            Self(vreinterpretq_u32_u8(bytes))
        }
    }

    /// Loads half of each row.
    #[inline(always)]
    fn half_rows(isa: Neon, rows: &[[u32; 8]; 4], half: usize) -> [Self; 4] {
        let mut vectors = [Self::splat(isa, 0); 4];
        for i in 0..4 {
            vectors[i] = Self::load(isa, &rows[i].as_chunks().0[half]);
        }
        Self::transpose(vectors)
    }

    /// Loads half of each row from big-endian bytes.
    #[inline(always)]
    fn half_rows_be(isa: Neon, rows: [&[u8; 32]; 4], half: usize) -> [Self; 4] {
        let mut vectors = [Self::splat(isa, 0); 4];
        for i in 0..4 {
            // SAFETY: the token is the proof; each half reaches 16 bytes.
            unsafe {
                let bytes = vld1q_u8(rows[i].as_chunks::<16>().0[half].as_ptr());
                vectors[i] = Self(vreinterpretq_u32_u8(vrev32q_u8(bytes)));
            }
        }
        Self::transpose(vectors)
    }
}

impl U32Lanes<4> for U32x4 {
    shifts!(32, vshlq_u32, vdupq_n_s32, i32, vorrq_u32, byte rotate_byte);

    #[inline(always)]
    fn splat(_: Neon, x: u32) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { vdupq_n_u32(x) })
    }

    #[inline(always)]
    fn load(_: Neon, lanes: &[u32; 4]) -> Self {
        // SAFETY: the token is the proof; the reference reaches 16 bytes.
        Self(unsafe { vld1q_u32(lanes.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, lanes: &mut [u32; 4]) {
        // SAFETY: the vector was made from the token; the reference reaches 16 bytes.
        unsafe { vst1q_u32(lanes.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn from_rows(isa: Neon, rows: &[[u32; 8]; 4]) -> [Self; 8] {
        let [a, b, c, d] = Self::half_rows(isa, rows, 0);
        let [e, f, g, h] = Self::half_rows(isa, rows, 1);
        [a, b, c, d, e, f, g, h]
    }

    #[inline(always)]
    fn from_rows_be(isa: Neon, rows: [&[u8; 32]; 4]) -> [Self; 8] {
        let [a, b, c, d] = Self::half_rows_be(isa, rows, 0);
        let [e, f, g, h] = Self::half_rows_be(isa, rows, 1);
        [a, b, c, d, e, f, g, h]
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

impl RowLanes<4, 1> for U32x4 {
    #[inline(always)]
    fn every(isa: Neon, row: [u32; 4]) -> Self {
        Self::load(isa, &row)
    }

    #[inline(always)]
    fn load_bytes(_: Neon, [bytes]: &[[u8; 16]; 1]) -> Self {
        // SAFETY: the token is the proof; the reference reaches 16 bytes.
        Self(unsafe { vreinterpretq_u32_u8(vld1q_u8(bytes.as_ptr())) })
    }

    #[inline(always)]
    fn store_bytes(self, [bytes]: &mut [[u8; 16]; 1]) {
        // SAFETY: the vector was made from the token; the reference reaches 16 bytes.
        unsafe { vst1q_u8(bytes.as_mut_ptr(), vreinterpretq_u8_u32(self.0)) }
    }

    #[inline(always)]
    fn turn<const K: i32>(self) -> Self {
        const { assert!(K > 0 && K < 4) }
        // SAFETY: the vector was made from the token.
        Self(unsafe { vextq_u32::<K>(self.0, self.0) })
    }

    #[inline(always)]
    fn transpose(r: [Self; 4]) -> [Self; 4] {
        // SAFETY: the vectors were made from the token.
        unsafe {
            let (a0, a1) = (vtrn1q_u32(r[0].0, r[1].0), vtrn2q_u32(r[0].0, r[1].0));
            let (a2, a3) = (vtrn1q_u32(r[2].0, r[3].0), vtrn2q_u32(r[2].0, r[3].0));
            let (a0, a1) = (vreinterpretq_u64_u32(a0), vreinterpretq_u64_u32(a1));
            let (a2, a3) = (vreinterpretq_u64_u32(a2), vreinterpretq_u64_u32(a3));
            [
                Self(vreinterpretq_u32_u64(vtrn1q_u64(a0, a2))),
                Self(vreinterpretq_u32_u64(vtrn1q_u64(a1, a3))),
                Self(vreinterpretq_u32_u64(vtrn2q_u64(a0, a2))),
                Self(vreinterpretq_u32_u64(vtrn2q_u64(a1, a3))),
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
    U64x2(uint64x2_t):
    Add add vaddq_u64, BitXor bitxor veorq_u64, BitAnd bitand vandq_u64, BitOr bitor vorrq_u64
}

impl Lanes for U64x2 {
    type Isa = Neon;

    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self(unsafe { vbslq_u64(self.0, yes.0, no.0) })
    }

    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        (self ^ b).choose(c, b)
    }
}

impl U64x2 {
    /// Transposes two rows of two words.
    #[inline(always)]
    fn transpose([a, b]: [Self; 2]) -> [Self; 2] {
        // SAFETY: the vectors were made from the token.
        unsafe { [Self(vtrn1q_u64(a.0, b.0)), Self(vtrn2q_u64(a.0, b.0))] }
    }

    #[inline(always)]
    fn load_be(_: Neon, bytes: &[u8; 16]) -> Self {
        // SAFETY: the token is the proof; the reference reaches 16 bytes.
        Self(unsafe { vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(bytes.as_ptr()))) })
    }
}

impl U64Lanes<2> for U64x2 {
    shifts!(64, vshlq_u64, vdupq_n_s64, i64, vorrq_u64);

    #[inline(always)]
    fn splat(_: Neon, x: u64) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { vdupq_n_u64(x) })
    }

    #[inline(always)]
    fn load(_: Neon, lanes: &[u64; 2]) -> Self {
        // SAFETY: the token is the proof; the reference reaches 16 bytes.
        Self(unsafe { vld1q_u64(lanes.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, lanes: &mut [u64; 2]) {
        // SAFETY: the vector was made from the token; the reference reaches 16 bytes.
        unsafe { vst1q_u64(lanes.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn from_rows(isa: Neon, rows: &[[u64; 4]; 2]) -> [Self; 4] {
        let (first, second) = (rows[0].as_chunks().0, rows[1].as_chunks().0);
        let [a, b] = Self::transpose([Self::load(isa, &first[0]), Self::load(isa, &second[0])]);
        let [c, d] = Self::transpose([Self::load(isa, &first[1]), Self::load(isa, &second[1])]);
        [a, b, c, d]
    }

    #[inline(always)]
    fn from_rows_be(isa: Neon, rows: [&[u8; 32]; 2]) -> [Self; 4] {
        let (first, second) = (rows[0].as_chunks().0, rows[1].as_chunks().0);
        let [a, b] = Self::transpose([Self::load_be(isa, &first[0]), Self::load_be(isa, &second[0])]);
        let [c, d] = Self::transpose([Self::load_be(isa, &first[1]), Self::load_be(isa, &second[1])]);
        [a, b, c, d]
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

impl ProductLanes<2> for U64x2 {
    #[inline(always)]
    fn shift_left<const L: u32>(self) -> Self {
        const { assert!(L > 0 && L < 64) }
        // SAFETY: the vector was made from the token.
        Self(unsafe { vshlq_u64(self.0, vdupq_n_s64(L as i64)) })
    }

    #[inline(always)]
    fn multiply_32(self, other: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self(unsafe { vmull_u32(vmovn_u64(self.0), vmovn_u64(other.0)) })
    }

    #[inline(always)]
    fn pin_factor(self) -> Self {
        // SAFETY: the vector was made from the token.
        Self(unsafe { pin_128(self.0) })
    }

    #[inline(always)]
    fn from_blocks(_: Neon, [first, second]: &[[u8; 16]; 2]) -> (Self, Self) {
        // SAFETY: the token is the proof; each reference reaches 16 bytes.
        let [first, second] = unsafe {
            [
                Self(vreinterpretq_u64_u8(vld1q_u8(first.as_ptr()))),
                Self(vreinterpretq_u64_u8(vld1q_u8(second.as_ptr()))),
            ]
        };
        Self::transpose([first, second]).into()
    }

    #[inline(always)]
    fn from_words(_: Neon, [first, second]: [u64; 2]) -> Self {
        // SAFETY: the token is the proof.
        Self(unsafe { vcombine_u64(vcreate_u64(first), vcreate_u64(second)) })
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        // SAFETY: the vector was made from the token.
        unsafe { vaddvq_u64(self.0) }
    }
}

/// Pins a factor, or words of SHA-256. Sums are not pinned on aarch64: that costs SHA-512 in lanes four
/// additions per round.
#[inline]
#[target_feature(enable = "neon")]
fn pin_128(x: uint64x2_t) -> uint64x2_t {
    opaque!(vreg, x, pure)
}
