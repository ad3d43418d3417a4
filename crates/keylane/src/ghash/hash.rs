//! GHASH and POLYVAL of bytes, over vectors of N blocks.

use super::Powers;
use super::masked;
use super::multiply::Sums;
use crate::aes::RoundKeys;
use crate::aes::rounds::encrypt;
use crate::unroll::each;
use keylane_cpu::InstructionSet;
use keylane_cpu::lanes::{AesBlocks, Blocks as _, CarrylessBlocks};

/// Continues a hash with the parts, each padded with zeros to whole blocks, `blocks` in all. GHASH's blocks
/// and state are `reversed`, POLYVAL's are not. With the nonce of a message of AES-GCM-SIV, the hash becomes
/// its tag. Compiled once for each vector.
#[inline(never)]
pub(crate) fn hash<V: AesBlocks<N, One: AesBlocks<1>>, const N: usize>(
    powers: Powers<'_>,
    reversed: bool,
    hash: &mut [u8; 16],
    parts: &[&[u8]],
    blocks: usize,
    keys: &RoundKeys,
    nonce: Option<&[u8; 12]>,
) {
    V::Isa::enter(
        #[inline(always)]
        |isa| {
            let mut sum = absorb::<V, N>(isa, powers, reversed, V::One::broadcast(isa, hash), parts, blocks);
            if let Some(nonce) = nonce {
                let mut state = [V::One::splat(isa, masked(sum.number(), nonce))];
                encrypt(isa, keys, &mut state);
                sum = state[0].encrypt_last_round(V::One::broadcast(isa, &keys.keys[14]));
            }
            sum.store(core::array::from_mut(hash));
        },
    );
}

/// Returns the hash of the parts after blocks with a given hash, four vectors at a time. There are as few
/// reductions as there are powers for.
#[inline(always)]
fn absorb<V, const N: usize>(
    isa: V::Isa,
    powers: Powers<'_>,
    reversed: bool,
    hash: V::One,
    parts: &[&[u8]],
    blocks: usize,
) -> V::One
where
    V: CarrylessBlocks<N, One: CarrylessBlocks<1>>,
{
    let mut left = blocks;
    let mut sums = Sums::zero(isa);
    let mut pending = V::first(hash);
    // The power for the next block: the number of blocks before the next reduction.
    let mut power = left.min(powers.len());
    for part in parts {
        let mut rest = *part;
        while !rest.is_empty() {
            let vectors = rest.as_chunks().0.as_chunks::<N>().0;
            let len = if let (true, Some(group)) = (power >= 4 * N, vectors.first_chunk()) {
                add_four(isa, &mut sums, group, reversed, pending, powers.last(power));
                16 * 4 * N
            } else {
                let front = &rest[..rest.len().min(16 * power.min(N))];
                let mut vector = V::load_front(isa, front);
                if reversed {
                    vector = vector.reverse_bytes();
                }
                sums.add(isa, vector ^ pending, powers, power);
                front.len()
            };
            pending = V::zero(isa);
            let blocks = len.div_ceil(16);
            (power, left) = (power - blocks, left - blocks);
            rest = &rest[len..];
            if power == 0 {
                pending = V::first(sums.reduce(isa).sum());
                sums = Sums::zero(isa);
                power = left.min(powers.len());
            }
        }
    }
    pending.front()
}

/// Adds the products of four vectors of blocks and as many powers. The first vector, to which `pending` is
/// added, comes last, so that the others need not wait for the reduction that `pending` is the result of.
#[inline(always)]
fn add_four<V: CarrylessBlocks<N>, const N: usize>(
    isa: V::Isa,
    sums: &mut Sums<V, N>,
    group: &[[[u8; 16]; N]; 4],
    reversed: bool,
    pending: V,
    [powers, folded]: [&[[[u8; 16]; N]; 4]; 2],
) {
    let mut sum = Sums::zero(isa);
    each!(J in [1 2 3 0] {
        let mut vector = V::load(isa, &group[J]);
        if reversed {
            vector = vector.reverse_bytes();
        }
        if const { J == 0 } {
            vector = vector ^ pending;
        }
        sum.add_products(vector, V::load(isa, &powers[J]), V::load(isa, &folded[J]));
    });
    *sums = Sums { lo: sums.lo ^ sum.lo, mid: sums.mid ^ sum.mid, hi: sums.hi ^ sum.hi };
}
