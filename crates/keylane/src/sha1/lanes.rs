//! SHA-1 over lanes (FIPS 180-4 §6.1.2). The schedule is kept as a window of sixteen words; ROTL n is written
//! as ROTR 32 - n.

use crate::compression::lanes::{InLanes, load_blocks_of_32};
use keylane_cpu::lanes::U32Lanes;

/// SHA-1's compression function (FIPS 180-4 §6.1).
#[derive(Clone, Copy, Debug)]
pub struct Sha1Core;

/// The constant of each stage of twenty rounds (§4.2.1).
const K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// Does twenty rounds, with one function and one constant.
#[inline(always)]
fn twenty_rounds<V: U32Lanes<N>, const N: usize, const STAGE: usize>(
    isa: V::Isa,
    [mut a, mut b, mut c, mut d, mut e]: [V; 5],
    w: &mut [V; 16],
) -> [V; 5] {
    let k = V::splat(isa, K[STAGE]);
    macro_rules! rounds {
        ($($i:literal)*) => { $(
            let t = 20 * STAGE + $i;
            if t >= 16 {
                let next = w[(t + 13) % 16].xor3(w[(t + 8) % 16], w[(t + 2) % 16]) ^ w[t % 16];
                w[t % 16] = next.rotate_right::<31>();
            }
            let f = match STAGE {
                0 => b.choose(c, d),
                2 => b.majority(c, d),
                _ => b.xor3(c, d),
            };
            // Only the rotation of a and one addition depend on the round before. Pinned, since LLVM would
            // reassociate the sum.
            let next = ((e + (k + w[t % 16])).pin() + f).pin() + a.rotate_right::<27>();
            (a, b, c, d, e) = (next, a, b.rotate_right::<2>(), c, d);
        )* };
    }
    rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
    [a, b, c, d, e]
}

impl<V: U32Lanes<N>, const N: usize> InLanes<V, N> for Sha1Core {
    type States = [V; 5];

    #[inline(always)]
    fn splat(isa: V::Isa, word: u32) -> V {
        V::splat(isa, word)
    }

    #[inline(always)]
    fn zero_states(isa: V::Isa) -> [V; 5] {
        [V::splat(isa, 0); 5]
    }

    #[inline(always)]
    fn load_states(isa: V::Isa, states: &[[u32; 5]; N]) -> [V; 5] {
        let mut rows = [[0; 8]; N];
        for i in 0..N {
            rows[i][..5].copy_from_slice(&states[i]);
        }
        let [a, b, c, d, e, ..] = V::from_rows(isa, &rows);
        [a, b, c, d, e]
    }

    #[inline(always)]
    fn store_states(isa: V::Isa, [a, b, c, d, e]: [V; 5], states: &mut [[u32; 5]; N]) {
        let mut rows = [[0; 8]; N];
        let zero = V::splat(isa, 0);
        V::to_rows([a, b, c, d, e, zero, zero, zero], &mut rows);
        for i in 0..N {
            states[i].copy_from_slice(&rows[i][..5]);
        }
    }

    #[inline(always)]
    fn load_words(isa: V::Isa, words: &[u32; N]) -> V {
        V::load(isa, words)
    }

    #[inline(always)]
    fn store_words(vector: V, words: &mut [u32; N]) {
        vector.store(words);
    }

    #[inline(always)]
    fn load_blocks(isa: V::Isa, blocks: [&[u8; 64]; N]) -> [V; 16] {
        load_blocks_of_32(isa, blocks)
    }

    #[inline(always)]
    fn absorb(isa: V::Isa, mut states: [V; 5], mut w: [V; 16]) -> [V; 5] {
        let mut after = states;
        after = twenty_rounds::<V, N, 0>(isa, after, &mut w);
        after = twenty_rounds::<V, N, 1>(isa, after, &mut w);
        after = twenty_rounds::<V, N, 2>(isa, after, &mut w);
        after = twenty_rounds::<V, N, 3>(isa, after, &mut w);
        for i in 0..5 {
            states[i] = states[i] + after[i];
        }
        states
    }
}
