//! GHASH and POLYVAL of bytes, over vectors of N blocks.

use super::Powers;
use super::multiply::Sums;
use keylane_cpu::lanes::{Blocks, CarrylessBlocks};

/// Returns the number of blocks that `len` bytes fill or begin.
const fn blocks_in(len: usize) -> usize {
    len.div_ceil(16)
}

/// Hashes the parts, each padded with zeros to whole blocks, with as few reductions as there are powers for.
/// GHASH's blocks and state are `reversed`, POLYVAL's are not.
#[inline(always)]
pub(crate) fn hash<V, const N: usize>(
    isa: V::Isa,
    powers: Powers<'_>,
    reversed: bool,
    hash: &mut [u8; 16],
    parts: &[&[u8]],
) where
    V: CarrylessBlocks<N, One: CarrylessBlocks<1>>,
{
    let mut left: usize = parts.iter().map(|part| blocks_in(part.len())).sum();
    let mut sums = Sums::zero(isa);
    let mut pending = V::first(V::One::splat(isa, u128::from_le_bytes(*hash)));
    // The power for the next block: the number of blocks before the next reduction.
    let mut power = left.min(powers.len());
    for part in parts {
        let mut rest = *part;
        while !rest.is_empty() {
            let (front, after) = rest.split_at(rest.len().min(16 * power.min(N)));
            let mut blocks = V::load_front(isa, front);
            if reversed {
                blocks = blocks.reverse_bytes();
            }
            sums.add(isa, blocks ^ pending, powers, power);
            pending = V::zero(isa);
            power -= blocks_in(front.len());
            left -= blocks_in(front.len());
            rest = after;
            if power == 0 {
                pending = V::first(sums.reduce(isa).sum());
                sums = Sums::zero(isa);
                power = left.min(powers.len());
            }
        }
    }
    pending.front().store(core::array::from_mut(hash));
}
