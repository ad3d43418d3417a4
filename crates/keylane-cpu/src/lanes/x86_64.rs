//! Lanes of x86-64: AVX2 and AVX-512 vectors, words with the SHA instructions, blocks with the AES
//! instructions.
//!
//! Every function is `#[inline(always)]` and names no target feature: it is inlined into a kernel that runs inside
//! `InstructionSet::run`, which enables them. What makes the intrinsics sound is the type: a vector can only be made
//! from its token.

mod aes;
mod avx2;
mod avx512;
mod sha;

pub use aes::{Blocks1, Blocks2, Blocks4};
pub use avx2::{U32x8, U64x4};
pub use avx512::{U32x16, U64x8};
pub use sha::{Sha1State, Sha256State, ShaWords};

/// All sixteen bytes turned round.
const REVERSE: (i64, i64) = (0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
/// The bytes of each 32-bit word turned round.
const SWAP_32: (i64, i64) = (0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
/// The bytes of each 64-bit word turned round.
const SWAP_64: (i64, i64) = (0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607);

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
use {shifts, vector};
