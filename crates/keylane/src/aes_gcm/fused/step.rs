//! GHASH of additional data, and the rounds of some vectors beside the products of four others, instruction
//! by instruction. By itself, a CPU does not look far enough ahead to overlap the two.

use crate::aes::RoundKeys;
use crate::aes::rounds::round;
use crate::ghash::Powers;
use crate::ghash::multiply::Sums;
use crate::unroll::each;
use keylane_cpu::lanes::{AesBlocks, Blocks};

/// Runs all rounds except the last on W vectors, to which the first key was added, and adds the products of
/// four vectors of ciphertext and their powers to the sums. `pending` is added to the first.
#[inline(always)]
#[allow(unused_assignments, reason = "the products are dead after the last repetition of the code")]
pub(super) fn step<V: AesBlocks<N>, const W: usize, const N: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    states: &mut [V; W],
    sealed: &[V; 4],
    pending: V,
    [powers, folded]: [&[[[u8; 16]; N]; 4]; 2],
    sums: &mut Sums<V, N>,
) {
    let round_keys = &keys.keys;
    let after_first = 15 - keys.rounds.clamp(10, 14);
    for round_key in &round_keys[after_first..5] {
        round(V::broadcast(isa, round_key), states);
    }
    let (mut low, mut high, mut cross) = (pending, pending, pending);
    let mut key = V::broadcast(isa, &round_keys[5]);
    each!(J in [0 1 2 3] { encrypt_round(states, J, key); });
    each!(J in [0 1 2 3] {
        key = V::broadcast(isa, &round_keys[6 + 2 * J]);
        encrypt_round(states, 0, key);
        let mut blocks = sealed[J].reverse_bytes();
        if const { J == 0 } {
            blocks = blocks ^ pending;
        }
        encrypt_round(states, 1, key);
        let halves = blocks ^ blocks.swap_halves();
        encrypt_round(states, 2, key);
        let h = V::load(isa, &powers[J]);
        let products = [
            blocks.multiply_low(h).pin(),
            halves.multiply_low(V::load(isa, &folded[J])).pin(),
            blocks.multiply_high(h).pin(),
        ];
        encrypt_round(states, 3, key);
        key = V::broadcast(isa, &round_keys[7 + 2 * J]);
        encrypt_round(states, 0, key);
        encrypt_round(states, 1, key);
        // The products of two vectors are added at once.
        if const { J & 1 == 0 } {
            [low, cross, high] = products;
        } else {
            sums.lo = sums.lo.xor3(low, products[0]);
            sums.mid = sums.mid.xor3(cross, products[1]);
            sums.hi = sums.hi.xor3(high, products[2]);
        }
        encrypt_round(states, 2, key);
        encrypt_round(states, 3, key);
    });
}

/// Runs a round on vector `j`, if it exists.
#[inline(always)]
fn encrypt_round<V: AesBlocks<N>, const W: usize, const N: usize>(states: &mut [V; W], j: usize, key: V) {
    if j < W {
        states[j] = states[j].encrypt_round(key).pin();
    }
}

/// Begins to hash additional data, padded with zeros to whole blocks. Returns the sums for the next
/// reduction, and the vector to add to the next block. The last block is `ahead` blocks before the end of the
/// blocks that are reduced together, which are at most as many as there are powers.
#[inline(always)]
pub(super) fn absorb<V: AesBlocks<N, One: AesBlocks<1>>, const N: usize>(
    isa: V::Isa,
    powers: Powers<'_>,
    hash: V::One,
    data: &[u8],
    ahead: usize,
) -> (Sums<V, N>, V) {
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
