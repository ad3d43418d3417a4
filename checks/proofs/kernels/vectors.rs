//! A recording vector for each vector, with the same name. Vectors of two architectures with the same name
//! share it.

use super::blocks;
use super::instructions::{Arm, Four, X86};
use super::lanes::Recorded;

/// Stand for instruction sets in the names of vectors.
pub(crate) struct Ssse3;
pub(crate) struct Sse2;
pub(crate) struct AesNi;
pub(crate) struct NeonAes;
pub(crate) struct NeonAesSha3;

pub(crate) type Blocks1<Isa = NeonAes> = <Isa as Aes128Bits>::Blocks;
pub(crate) type Blocks2 = blocks::Recorded<2>;
pub(crate) type Blocks4 = blocks::Recorded<4, true>;

pub(crate) type U32x4<Isa = ()> = <Isa as Any<u32, 4>>::Vector;
pub(crate) type U32x8 = Recorded<u32, 8>;
pub(crate) type U32x16 = Recorded<u32, 16>;
pub(crate) type U64x2 = Recorded<u64, 2>;
pub(crate) type U64x4 = Recorded<u64, 4>;
pub(crate) type U64x4Vl = Recorded<u64, 4>;
pub(crate) type U64x8 = Recorded<u64, 8>;
pub(crate) type ShaWords = Four<u32, X86>;
pub(crate) type Sha2Words = Four<u32, Arm>;
pub(crate) type WordQuad = Four<u64, X86>;

/// A vector that does not depend on the instruction set.
pub(crate) trait Any<W, const N: usize> {
    type Vector;
}

impl<Isa, W, const N: usize> Any<W, N> for Isa {
    type Vector = Recorded<W, N>;
}

/// A vector of one block.
pub(crate) trait Aes128Bits {
    type Blocks;
}

impl Aes128Bits for AesNi {
    type Blocks = blocks::Recorded<1>;
}

impl Aes128Bits for NeonAes {
    type Blocks = blocks::Recorded<1>;
}

impl Aes128Bits for NeonAesSha3 {
    type Blocks = blocks::Recorded<1, true>;
}
