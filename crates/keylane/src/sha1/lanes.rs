//! SHA-1 over lanes (FIPS 180-4 §6.1.2). It is written as five rounds, always unrolled. The schedule is
//! kept as a window of sixteen words; ROTL n is written as ROTR 32 - n.

use crate::hash::compression::lanes::{InLanes, States, Window, load_blocks_of_32};
use crate::unroll::each;
use keylane_cpu::lanes::U32Lanes;

/// SHA-1's compression function (FIPS 180-4 §6.1).
#[derive(Clone, Copy, Debug)]
pub struct Sha1Core;

/// The constant of each stage of twenty rounds (§4.2.1).
pub(super) const K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

impl<V: U32Lanes<N>, const N: usize> InLanes<V, N> for Sha1Core {
    #[inline(always)]
    fn load_states(isa: V::Isa, states: &[[u32; 5]; N]) -> States<V> {
        let mut rows = [[0; 8]; N];
        for i in 0..N {
            rows[i][..5].copy_from_slice(&states[i]);
        }
        V::from_rows(isa, &rows)
    }

    #[inline(always)]
    fn store_states(_: V::Isa, vectors: States<V>, states: &mut [[u32; 5]; N]) {
        let mut rows = [[0; 8]; N];
        V::to_rows(vectors, &mut rows);
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
    fn load_blocks(isa: V::Isa, blocks: [&[u8; 64]; N], w: &mut Window<V>) {
        load_blocks_of_32(isa, blocks, w);
    }

    #[inline(always)]
    fn rounds(isa: V::Isa, mut states: States<V>, window: &mut Window<V>) -> States<V> {
        let [a, b, c, d, e, ..] = states;
        let mut after = [a, b, c, d, e];
        after = twenty_rounds::<V, N, 0>(isa, after, window);
        after = twenty_rounds::<V, N, 1>(isa, after, window);
        after = twenty_rounds::<V, N, 2>(isa, after, window);
        after = twenty_rounds::<V, N, 3>(isa, after, window);
        for i in 0..5 {
            states[i] = states[i] + after[i];
        }
        states
    }
}

/// Runs twenty rounds, which share a function and a constant.
#[inline(always)]
fn twenty_rounds<V: U32Lanes<N>, const N: usize, const STAGE: usize>(
    isa: V::Isa,
    mut state: [V; 5],
    window: &mut Window<V>,
) -> [V; 5] {
    each!(FIVE in [0 1 2 3] {
        state = five_rounds::<V, N, STAGE, FIVE>(isa, state, window);
    });
    state
}

/// Runs five rounds. Each, except the first sixteen of a block, replaces the oldest word of the window.
#[inline(always)]
fn five_rounds<V: U32Lanes<N>, const N: usize, const STAGE: usize, const FIVE: usize>(
    isa: V::Isa,
    [mut a, mut b, mut c, mut d, mut e]: [V; 5],
    window: &mut Window<V>,
) -> [V; 5] {
    let k = V::splat(isa, K[STAGE]);
    macro_rules! round {
        ($i:literal: $a:ident $b:ident $c:ident $d:ident $e:ident) => {
            let t = const { 20 * STAGE + 5 * FIVE + $i };
            if const { 20 * STAGE + 5 * FIVE + $i >= 16 } {
                let before = |rounds| window[(t - rounds) % 16];
                window[t % 16] = (before(3).xor3(before(8), before(14)) ^ before(16)).rotate_right::<31>();
            }
            let f = match STAGE {
                0 => $b.choose($c, $d),
                2 => $b.majority($c, $d),
                _ => $b.xor3($c, $d),
            };
            // Only the rotation of a and one addition depend on the round before. Pinned, since LLVM would
            // reassociate the sum.
            $e = (($e + (k + window[t % 16])).pin() + f).pin() + $a.rotate_right::<27>();
            $b = $b.rotate_right::<2>();
        };
    }
    round!(0: a b c d e);
    round!(1: e a b c d);
    round!(2: d e a b c);
    round!(3: c d e a b);
    round!(4: b c d e a);
    [a, b, c, d, e]
}
