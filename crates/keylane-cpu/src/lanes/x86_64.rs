//! Lanes of x86-64: SSE2, AVX2 and AVX-512 vectors, words with the SHA instructions, blocks with the AES
//! instructions.
//!
//! Every function except pins is `#[inline(always)]` and names no target feature: it is inlined into a kernel
//! that runs inside `InstructionSet::run`, which enables them. The types make the intrinsics sound: a vector
//! can only be made from its token.

mod aes;
mod avx2;
mod avx512;
mod block_words;
mod sha;
mod sha512;
mod sse2;

pub use aes::{Blocks1, Blocks2, Blocks4};
pub use avx2::{U32x8, U64x4};
pub use avx512::{U32x16, U64x8};
pub use block_words::U64x4Vl;
pub use sha::{Sha1State, ShaWords};
pub use sha512::WordQuad;
pub use sse2::{Integers128Bits, U32x4, U64x2};

/// Reverses all sixteen bytes.
const REVERSE: (i64, i64) = (0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
/// Reverses the bytes of each 32-bit word.
const SWAP_32: (i64, i64) = (0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
/// Reverses the bytes of each 64-bit word.
const SWAP_64: (i64, i64) = (0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607);

/// Defines a vector type and its operators. Its token is one type, or any with the 128-bit instructions.
macro_rules! vector {
    ($(#[$doc:meta])* $Vector:ident($Raw:ident) of $Isa:ident: $($operators:tt)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $Vector(pub(super) $Raw);

        impl $Vector {
            #[inline(always)]
            pub(super) const fn of(x: $Raw) -> Self {
                Self(x)
            }
        }

        vector!(@operators [] $Vector: $($operators)+);
    };
    ($(#[$doc:meta])* $Vector:ident<$I:ident: $Bits:ident>($Raw:ident): $($operators:tt)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $Vector<$I>(pub(super) $Raw, PhantomData<$I>);

        impl<$I> $Vector<$I> {
            #[inline(always)]
            pub(super) const fn of(x: $Raw) -> Self {
                Self(x, PhantomData)
            }
        }

        vector!(@operators [<$I: $Bits>] $Vector<$I>: $($operators)+);
    };
    (@operators $generics:tt $Vector:ty: add $add:ident, xor $xor:ident, and $and:ident, or $or:ident) => {
        vector!(@operator $generics $Vector, Add, add, $add);
        vector!(@operator $generics $Vector, BitXor, bitxor, $xor);
        vector!(@operator $generics $Vector, BitAnd, bitand, $and);
        vector!(@operator $generics $Vector, BitOr, bitor, $or);
    };
    (@operator [$($generics:tt)*] $Vector:ty, $Operator:ident, $operator:ident, $intrinsic:ident) => {
        impl$($generics)* $Operator for $Vector {
            type Output = Self;
            $crate::lanes::x86_64::binary!($operator $intrinsic);
        }
    };
}

/// Returns a count of bits as the shift instructions take it from a register.
const fn shift_count(bits: u32) -> core::arch::x86_64::__m128i {
    // SAFETY: both are 16 bytes, and every bit pattern is a value.
    unsafe { core::mem::transmute([bits, 0, 0, 0]) }
}

/// Rotation and shift by a constant. The counts are constants to the optimiser, which selects the immediate
/// forms (and, with AVX-512, the rotate instruction).
///
/// A rotation by whole bytes becomes a shuffle if the CPU has one. It is pinned on request: otherwise LLVM
/// turns shuffle(a ^ shuffle(b)) into shuffle(a) ^ shuffle(shuffle(b)), which is one shuffle more if
/// shuffle(b) is also used elsewhere, as in ChaCha20.
macro_rules! shifts {
    ($bits:literal, $left:ident, $right:ident, $or:ident $(, pin multiples of $byte:literal)?) => {
        #[inline(always)]
        fn rotate_right<const R: u32>(self) -> Self {
            const { assert!(R > 0 && R < $bits) }
            // SAFETY: the vector was made from the token.
            unsafe {
                let right = $right(self.0, const { $crate::lanes::x86_64::shift_count(R) });
                let left = $left(self.0, const { $crate::lanes::x86_64::shift_count($bits - R) });
                let rotated = Self::of($or(right, left));
                $(
                    if const { R % $byte == 0 } {
                        return rotated.pin();
                    }
                )?
                rotated
            }
        }

        #[inline(always)]
        fn shift_right<const R: u32>(self) -> Self {
            const { assert!(R > 0 && R < $bits) }
            // SAFETY: the vector was made from the token.
            Self::of(unsafe { $right(self.0, const { $crate::lanes::x86_64::shift_count(R) }) })
        }
    };
}

/// The methods of `U32Lanes` and `U64Lanes` that move words to lanes and back, the same for all widths.
macro_rules! moves {
    ($W:ident, $n:literal, $Isa:ty: splat $splat:ident as $Int:ident, load $load:ident, store $store:ident) => {
        #[inline(always)]
        fn splat(_: $Isa, x: $W) -> Self {
            // SAFETY: the token is the proof.
            Self::of(unsafe { $splat(x as $Int) })
        }

        #[inline(always)]
        fn load(_: $Isa, lanes: &[$W; $n]) -> Self {
            const { assert!(size_of::<[$W; $n]>() == size_of::<Self>()) }
            // SAFETY: the token is the proof; the reference reaches as many bytes, and the load has no
            // alignment rule.
            Self::of(unsafe { $load(lanes.as_ptr().cast()) })
        }

        #[inline(always)]
        fn store(self, lanes: &mut [$W; $n]) {
            const { assert!(size_of::<[$W; $n]>() == size_of::<Self>()) }
            // SAFETY: the vector was made from the token; the reference reaches as many bytes, and the store
            // has no alignment rule.
            unsafe { $store(lanes.as_mut_ptr().cast(), self.0) }
        }
    };
}

/// Methods on two vectors that are a single instruction.
macro_rules! binary {
    ($($method:ident $intrinsic:ident),+) => { $(
        #[inline(always)]
        fn $method(self, other: Self) -> Self {
            // SAFETY: the vectors were made from the token.
            Self::of(unsafe { $intrinsic(self.0, other.0) })
        }
    )+ };
}

/// `Lanes` of a vector with a pin.
macro_rules! pinned {
    ([$($I:ident: $Bits:ident)?] $Vector:ty, $Isa:ty, $pin:ident) => {
        impl$(<$I: $Bits>)? Lanes for $Vector {
            type Isa = $Isa;

            #[inline(always)]
            fn pin(self) -> Self {
                // SAFETY: the vector was made from the token.
                Self::of(unsafe { $pin(self.0) })
            }
        }
    };
}

/// The methods of `RowLanes` that all widths share.
macro_rules! rows {
    ($b:literal, $Isa:ty: load $load:ident, store $store:ident, shuffle $shuffle:ident) => {
        #[inline(always)]
        fn load_bytes(_: $Isa, bytes: &[[u8; 16]; $b]) -> Self {
            // SAFETY: the token is the proof; the reference reaches as many bytes, and the load has no
            // alignment rule.
            Self::of(unsafe { $load(bytes.as_ptr().cast()) })
        }

        #[inline(always)]
        fn store_bytes(self, bytes: &mut [[u8; 16]; $b]) {
            // SAFETY: the vector was made from the token; the reference reaches as many bytes, and the store
            // has no alignment rule.
            unsafe { $store(bytes.as_mut_ptr().cast(), self.0) }
        }

        #[inline(always)]
        fn turn<const K: i32>(self) -> Self {
            const { assert!(K > 0 && K < 4) }
            // SAFETY: the vector was made from the token.
            Self::of(unsafe {
                match K {
                    1 => $shuffle::<0b00_11_10_01>(self.0),
                    2 => $shuffle::<0b01_00_11_10>(self.0),
                    _ => $shuffle::<0b10_01_00_11>(self.0),
                }
            })
        }
    };
}

/// The methods of `ProductLanes` that all widths share. The first half of the blocks and the second are
/// interleaved: with more than two lanes, the order of the blocks is not that of the lanes.
macro_rules! products {
    (
        $n:literal, $Isa:ty:
        load $load:ident, left $left:ident, multiply $multiply:ident, unpack $low:ident $high:ident,
        set $set:ident [$($last_first:literal)+]
    ) => {
        #[inline(always)]
        fn shift_left<const L: u32>(self) -> Self {
            const { assert!(L > 0 && L < 64) }
            // SAFETY: the vector was made from the token.
            Self::of(unsafe { $left(self.0, _mm_cvtsi32_si128(L as i32)) })
        }

        $crate::lanes::x86_64::binary!(multiply_32 $multiply);

        #[inline(always)]
        fn from_blocks(_: $Isa, blocks: &[[u8; 16]; $n]) -> (Self, Self) {
            let (first, second) = blocks.split_at($n / 2);
            // SAFETY: the token is the proof; each half has as many bytes as a vector, and the load has no
            // alignment rule.
            unsafe {
                let (first, second) = ($load(first.as_ptr().cast()), $load(second.as_ptr().cast()));
                (Self::of($low(first, second)), Self::of($high(first, second)))
            }
        }

        #[inline(always)]
        fn from_words(_: $Isa, words: [u64; $n]) -> Self {
            // The last lane first. In each part of 128 bits, `unpack` takes blocks of both halves in turn.
            // SAFETY: the token is the proof.
            Self::of(unsafe { $set($(words[$last_first] as i64),+) })
        }
    };
}
use {binary, moves, pinned, products, rows, shifts, vector};
