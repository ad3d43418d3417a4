//! GHASH of bytes, over vectors of N blocks.

use crate::ghash::Powers;
use crate::ghash::multiply::Sums;
use keylane_cpu::lanes::{Blocks, CarrylessBlocks};

/// Begins to hash additional data, padded with zeros to whole blocks. Returns the sums for the next
/// reduction, and the vector to add to the next block. The last block is `ahead` blocks before the end of the
/// blocks that are reduced together, which are at most as many as there are powers.
#[inline(always)]
pub(super) fn absorb<V, const N: usize>(
    isa: V::Isa,
    powers: Powers<'_>,
    hash: V::One,
    data: &[u8],
    ahead: usize,
) -> (Sums<V>, V)
where
    V: CarrylessBlocks<N, One: CarrylessBlocks<1>>,
{
    let mut sums = Sums::zero(isa);
    let mut pending = V::first(hash);
    if data.is_empty() {
        return (sums, pending);
    }
    if data.len() <= 16 {
        let block = V::One::load_front(isa, data).reverse_bytes() ^ hash;
        sums.add(isa, V::first(block), powers, 1 + ahead);
        return (sums, V::zero(isa));
    }
    let (mut rest, mut power) = (data, data.len().div_ceil(16) + ahead);
    while !rest.is_empty() {
        let block = V::load_front(isa, rest).reverse_bytes() ^ pending;
        sums.add(isa, block, powers, power);
        pending = V::zero(isa);
        power = power.saturating_sub(N);
        rest = &rest[rest.len().min(16 * N)..];
    }
    (sums, pending)
}

/// Returns the bytes, stored by one instruction.
#[inline(always)]
pub(super) fn block<V: Blocks<1>>(vector: V) -> [u8; 16] {
    let mut blocks = [[0; 16]];
    vector.store(&mut blocks);
    blocks[0]
}
