//! The counter blocks of AES-GCM (NIST SP 800-38D §6.2, inc32).

use crate::unroll::each;
use keylane_cpu::lanes::AesBlocks;

/// The counter of the next block, little-endian in the lowest 32 bits, one higher in each lane.
#[derive(Clone, Copy)]
pub(super) struct Counter<V>(V);

impl<V> Counter<V> {
    /// Begins `blocks` after the message's first counter block.
    #[inline(always)]
    pub(super) fn new<const N: usize>(isa: V::Isa, first: u128, blocks: u32) -> Self
    where
        V: AesBlocks<N>,
    {
        let mut ahead = [[0; 16]; N];
        for (j, block) in ahead.iter_mut().enumerate() {
            block[0] = j as u8;
        }
        let here = first.swap_bytes();
        let here = here & !u128::from(u32::MAX) | u128::from((here as u32).wrapping_add(blocks));
        let here = V::splat(isa, here);
        Self(here.add32(V::load(isa, &ahead)))
    }

    /// Returns the next counter blocks.
    #[inline(always)]
    pub(super) fn next<const N: usize, const VECTORS: usize>(&mut self, isa: V::Isa) -> [V; VECTORS]
    where
        V: AesBlocks<N>,
    {
        let mut blocks = [self.0; VECTORS];
        each!(J in [0 1 2 3 4 5 6 7] { if const { J < VECTORS } {
            blocks[J] = self.0.add32(V::broadcast(isa, &const { little_endian(J * N) })).reverse_bytes();
        } });
        self.0 = self.0.add32(V::broadcast(isa, &const { little_endian(VECTORS * N) }));
        blocks
    }
}

const fn little_endian(x: usize) -> [u8; 16] {
    (x as u128).to_le_bytes()
}
