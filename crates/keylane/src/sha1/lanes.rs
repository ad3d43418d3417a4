//! SHA-1 over lanes (FIPS 180-4 §6.1.2). The code is that of five rounds, and the schedule is kept as a window
//! of four times five words; ROTL n is written as ROTR 32 - n.

use crate::compression::lanes::{InLanes, load_blocks_of_32};
use keylane_cpu::lanes::U32Lanes;

/// SHA-1's compression function (FIPS 180-4 §6.1).
#[derive(Clone, Copy, Debug)]
pub struct Sha1Core;

/// The constant of each stage of twenty rounds (§4.2.1).
const K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

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
    fn absorb(isa: V::Isa, mut states: [V; 5], w: [V; 16]) -> [V; 5] {
        let mut window = [[w[15]; 5]; 4];
        window.as_flattened_mut()[..16].copy_from_slice(&w);
        let mut after = states;
        after = twenty_rounds::<V, N, 0>(isa, after, &mut window);
        after = twenty_rounds::<V, N, 1>(isa, after, &mut window);
        after = twenty_rounds::<V, N, 2>(isa, after, &mut window);
        after = twenty_rounds::<V, N, 3>(isa, after, &mut window);
        for i in 0..5 {
            states[i] = states[i] + after[i];
        }
        states
    }
}

/// Twenty rounds: one function, one constant. Of the first twenty words sixteen are there.
#[inline(always)]
fn twenty_rounds<V: U32Lanes<N>, const N: usize, const STAGE: usize>(
    isa: V::Isa,
    mut state: [V; 5],
    [w0, w1, w2, w3]: &mut [[V; 5]; 4],
) -> [V; 5] {
    macro_rules! five_rounds {
        ($COMPUTED:literal, $w0:ident, $w1:ident, $w2:ident, $w3:ident) => {
            state = five_rounds::<V, N, STAGE, $COMPUTED>(isa, state, $w0, $w1, $w2, $w3)
        };
    }
    if const { N > 1 } {
        // A quarter of the code, and as fast; scalar code would lose 8 % (Zen 4).
        let (mut w0, mut w1, mut w2, mut w3) = (w0, w1, w2, w3);
        for _ in 0..if STAGE == 0 { 3 } else { 4 } {
            if const { STAGE == 0 } {
                five_rounds!(5, w0, w1, w2, w3);
            } else {
                five_rounds!(0, w0, w1, w2, w3);
            }
            (w0, w1, w2, w3) = (w1, w2, w3, w0);
        }
        if const { STAGE == 0 } {
            five_rounds!(1, w0, w1, w2, w3);
        }
    } else if const { STAGE == 0 } {
        five_rounds!(5, w0, w1, w2, w3);
        five_rounds!(5, w1, w2, w3, w0);
        five_rounds!(5, w2, w3, w0, w1);
        five_rounds!(1, w3, w0, w1, w2);
    } else {
        five_rounds!(0, w0, w1, w2, w3);
        five_rounds!(0, w1, w2, w3, w0);
        five_rounds!(0, w2, w3, w0, w1);
        five_rounds!(0, w3, w0, w1, w2);
    }
    state
}

/// Five rounds. `w0` are the words of twenty rounds before; those from `COMPUTED` on are replaced by this
/// round's, those before are this round's. The words between are in `w1` to `w3`.
#[inline(always)]
fn five_rounds<V: U32Lanes<N>, const N: usize, const STAGE: usize, const COMPUTED: usize>(
    isa: V::Isa,
    [mut a, mut b, mut c, mut d, mut e]: [V; 5],
    w0: &mut [V; 5],
    w1: &[V; 5],
    w2: &[V; 5],
    w3: &[V; 5],
) -> [V; 5] {
    let k = V::splat(isa, K[STAGE]);
    // The word so many rounds before round $i of the five.
    macro_rules! word {
        ($i:literal - $rounds:literal) => {
            match 20 + $i - $rounds {
                at @ 5..10 => w1[at % 5],
                at @ 10..15 => w2[at % 5],
                at @ 15..20 => w3[at % 5],
                at => w0[at % 5],
            }
        };
    }
    macro_rules! round {
        ($i:literal: $a:ident $b:ident $c:ident $d:ident $e:ident) => {
            if const { $i >= COMPUTED } {
                let next = word!($i - 3).xor3(word!($i - 8), word!($i - 14)) ^ word!($i - 16);
                w0[$i] = next.rotate_right::<31>();
            }
            let f = match STAGE {
                0 => $b.choose($c, $d),
                2 => $b.majority($c, $d),
                _ => $b.xor3($c, $d),
            };
            // Only the rotation of a and one addition depend on the round before. Pinned, since LLVM would
            // reassociate the sum.
            $e = (($e + (k + w0[$i])).pin() + f).pin() + $a.rotate_right::<27>();
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
