//! The rounds of some vectors beside the products of four others, instruction by instruction. Left to itself, a
//! CPU looks ahead no further than the vectors that wait for each other.

use super::groups::vector;
use crate::aes::RoundKeys;
use crate::aes::rounds::round;
use crate::ghash::multiply::Sums;
use crate::unroll::each;
use keylane_cpu::lanes::{AesBlocks, CarrylessBlocks};

/// Does all rounds but the last on W vectors, to which the first key was added, and adds the products of four
/// vectors of ciphertext and their powers to the sums. `pending` is added to the first.
#[inline(always)]
#[allow(unused_assignments, reason = "the products are dead after the last repetition of the code")]
pub(super) fn step<V, const W: usize, const N: usize, const Q: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    states: &mut [V; W],
    sealed: &[V; 4],
    pending: V,
    [powers, folded]: [&[[u8; 16]; Q]; 2],
    sums: &mut Sums<V>,
) where
    V: AesBlocks<N> + CarrylessBlocks<N>,
{
    let round_keys = &keys.keys;
    let after_first = 15 - keys.rounds.clamp(10, 14);
    for round_key in &round_keys[after_first..5] {
        round(V::broadcast(isa, round_key), states);
    }
    let (mut low, mut high, mut cross) = (pending, pending, pending);
    let mut key = V::broadcast(isa, &round_keys[5]);
    macro_rules! encrypt_round {
        ($J:expr) => {
            if const { $J < W } {
                states[$J] = states[$J].encrypt_round(key).pin();
            }
        };
    }
    each!(J in [0 1 2 3] { encrypt_round!(J); });
    each!(J in [0 1 2 3] {
        key = V::broadcast(isa, &round_keys[6 + 2 * J]);
        encrypt_round!(0);
        let mut blocks = sealed[J].reverse_bytes();
        if const { J == 0 } {
            blocks = blocks ^ pending;
        }
        encrypt_round!(1);
        let halves = blocks ^ blocks.swap_halves();
        encrypt_round!(2);
        let h = vector::<V, N, Q>(isa, powers, N * J);
        let products = [
            blocks.multiply_low(h).pin(),
            halves.multiply_low(vector::<V, N, Q>(isa, folded, N * J)).pin(),
            blocks.multiply_high(h).pin(),
        ];
        encrypt_round!(3);
        key = V::broadcast(isa, &round_keys[7 + 2 * J]);
        encrypt_round!(0);
        encrypt_round!(1);
        // The products of two vectors are added at once.
        if const { J & 1 == 0 } {
            [low, cross, high] = products;
        } else {
            sums.lo = sums.lo.xor3(low, products[0]);
            sums.mid = sums.mid.xor3(cross, products[1]);
            sums.hi = sums.hi.xor3(high, products[2]);
        }
        encrypt_round!(2);
        encrypt_round!(3);
    });
}
