//! SHA-1 over lanes (FIPS 180-4 §6.1.2). It is written as five rounds, always unrolled. The schedule is
//! kept as a window of four times five words; ROTL n is written as ROTR 32 - n.

use crate::hash::compression::lanes::{InLanes, load_blocks_of_32};
use crate::unroll::each;
use keylane_cpu::lanes::U32Lanes;

/// SHA-1's compression function (FIPS 180-4 §6.1).
#[derive(Clone, Copy, Debug)]
pub struct Sha1Core;

/// The constant of each stage of twenty rounds (§4.2.1).
pub(super) const K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

impl<V: U32Lanes<N>, const N: usize> InLanes<V, N> for Sha1Core {
    type States = [V; 5];
    /// Four fives.
    type Window = [V; 20];

    #[inline(always)]
    fn splat(isa: V::Isa, word: u32) -> V {
        V::splat(isa, word)
    }

    #[inline(always)]
    fn zero_states(isa: V::Isa) -> [V; 5] {
        [V::splat(isa, 0); 5]
    }

    #[inline(always)]
    fn zero_window(isa: V::Isa) -> [V; 20] {
        [V::splat(isa, 0); 20]
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
    fn load_blocks(isa: V::Isa, blocks: [&[u8; 64]; N], w: &mut [V; 16]) {
        load_blocks_of_32(isa, blocks, w);
    }

    #[inline(always)]
    fn absorb(isa: V::Isa, mut states: [V; 5], window: &mut [V; 20]) -> [V; 5] {
        let window = window.as_chunks_mut().0;
        let mut after = states;
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

/// Does twenty rounds, with one function and one constant. The window begins with sixteen words, not twenty.
#[inline(always)]
fn twenty_rounds<V: U32Lanes<N>, const N: usize, const STAGE: usize>(
    isa: V::Isa,
    mut state: [V; 5],
    window: &mut [[V; 5]],
) -> [V; 5] {
    each!(OLDEST in [0 1 2 3] {
        state = five_rounds::<V, N, STAGE, OLDEST>(isa, state, window);
    });
    state
}

/// Does five rounds. The oldest five words of the window are replaced, but for the first sixteen of a block,
/// which are there.
#[inline(always)]
fn five_rounds<V: U32Lanes<N>, const N: usize, const STAGE: usize, const OLDEST: usize>(
    isa: V::Isa,
    [mut a, mut b, mut c, mut d, mut e]: [V; 5],
    window: &mut [[V; 5]],
) -> [V; 5] {
    let k = V::splat(isa, K[STAGE]);
    // The word of round $i of the five, and that of so many rounds before.
    macro_rules! word {
        ($i:literal) => {
            window[OLDEST][$i]
        };
        ($i:literal - $rounds:literal) => {
            window[(OLDEST + (20 + $i - $rounds) / 5) % 4][(20 + $i - $rounds) % 5]
        };
    }
    macro_rules! round {
        ($i:literal: $a:ident $b:ident $c:ident $d:ident $e:ident) => {
            if const { 20 * STAGE + 5 * OLDEST + $i >= 16 } {
                let next = word!($i - 3).xor3(word!($i - 8), word!($i - 14)) ^ word!($i - 16);
                word!($i) = next.rotate_right::<31>();
            }
            let f = match STAGE {
                0 => $b.choose($c, $d),
                2 => $b.majority($c, $d),
                _ => $b.xor3($c, $d),
            };
            // Only the rotation of a and one addition depend on the round before. Pinned, since LLVM would
            // reassociate the sum.
            $e = (($e + (k + word!($i))).pin() + f).pin() + $a.rotate_right::<27>();
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
