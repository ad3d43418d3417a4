//! POLYVAL by four powers of its key, which each message computes.

use super::multiply::Factor;
#[cfg(target_feature = "simd128")]
use super::multiply::{reduce, times_x};
use keylane_cpu::lanes::CarrylessBlocks;
#[cfg(target_feature = "simd128")]
use keylane_cpu::{Portable, lanes::portable::PlainBlocks};

/// A factor of products that are reduced together.
pub(crate) trait Summed<V: CarrylessBlocks<1>>: Copy {
    fn empty(isa: V::Isa) -> Self;
    fn set(&mut self, factor: V);
    /// Returns the sum of the products of N factors and N blocks.
    fn sum<const N: usize>(isa: V::Isa, factors: &[Self; N], blocks: [V; N]) -> V;
}

/// Four powers of the key, the highest first: one reduction for four blocks. For few, only the last is set.
pub(crate) struct FourPowers<F> {
    factors: [F; 4],
    few: bool,
}

impl<V: CarrylessBlocks<1>, F: Summed<V>> Factor<V> for FourPowers<F> {
    #[inline(always)]
    fn empty(isa: V::Isa) -> Self {
        Self { factors: [F::empty(isa); 4], few: true }
    }

    #[inline(always)]
    fn set(&mut self, isa: V::Isa, key: V, blocks: usize) {
        self.factors[3].set(key);
        self.few = blocks < 12;
        if !self.few {
            let mut power = key;
            for i in [2, 1, 0] {
                power = F::sum(isa, core::array::from_ref(&self.factors[3]), [power]);
                self.factors[i].set(power);
            }
        }
    }

    // Compiled once.
    #[inline(never)]
    fn absorb(&self, isa: V::Isa, mut hash: V, blocks: &[V]) -> V {
        let (fours, ones) = if self.few { (&[][..], blocks) } else { blocks.as_chunks() };
        for four in fours {
            let mut four = *four;
            four[0] = four[0] ^ hash;
            hash = F::sum(isa, &self.factors, four);
        }
        for one in ones {
            hash = F::sum(isa, core::array::from_ref(&self.factors[3]), [hash ^ *one]);
        }
        hash
    }

    #[inline(always)]
    fn absorb_bytes(&self, isa: V::Isa, mut hash: V, bytes: &[u8]) -> V {
        for four in bytes.chunks(64) {
            let mut blocks = [V::zero(isa); 4];
            for (block, bytes) in blocks.iter_mut().zip(four.chunks(16)) {
                *block = V::load_front(isa, bytes);
            }
            hash = self.absorb(isa, hash, &blocks[..four.len().div_ceil(16)]);
        }
        hash
    }
}

#[cfg(target_feature = "simd128")]
impl Summed<PlainBlocks<1>> for keylane_cpu::lanes::wasm32::bits::Multiples {
    #[inline(always)]
    fn empty(_: Portable) -> Self {
        Self::ZERO
    }

    #[inline(always)]
    fn set(&mut self, PlainBlocks([one]): PlainBlocks<1>) {
        let (two, four) = (times_x(one), times_x(times_x(one)));
        self.set([one, two, four, times_x(four)]);
    }

    #[inline(always)]
    fn sum<const N: usize>(
        isa: Portable,
        factors: &[Self; N],
        blocks: [PlainBlocks<1>; N],
    ) -> PlainBlocks<1> {
        let [low, high] = Self::sum_of_products(factors, blocks.map(|block| block.0[0]));
        reduce(isa, PlainBlocks([low]), PlainBlocks([0]), PlainBlocks([high]))
    }
}
