//! SHA-1 over lanes (FIPS 180-4 §6.1.2). The code is that of five rounds, and the schedule is kept as a window
//! of four times five words; ROTL n is written as ROTR 32 - n.

use crate::compression::lanes::{InLanes, load_blocks_of_32};
use crate::unroll::each;
use keylane_cpu::lanes::U32Lanes;

/// SHA-1's compression function (FIPS 180-4 §6.1).
#[derive(Clone, Copy, Debug)]
pub struct Sha1Core;

/// The constant of each stage of twenty rounds (§4.2.1).
const K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// The last twenty words of the schedule, the oldest five first.
type Window<'a, V> = [&'a mut [V; 5]; 4];

/// Five rounds. The oldest five words of the window become the newest; those from `COMPUTED` on are computed,
/// those before are there.
#[inline(always)]
fn five_rounds<V: U32Lanes<N>, const N: usize, const STAGE: usize, const COMPUTED: usize>(
    isa: V::Isa,
    [mut a, mut b, mut c, mut d, mut e]: [V; 5],
    [w0, w1, w2, w3]: &mut Window<'_, V>,
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
    macro_rules! rounds {
        ($($i:literal)*) => { $(
            if $i >= COMPUTED {
                let next = word!($i - 3).xor3(word!($i - 8), word!($i - 14)) ^ word!($i - 16);
                w0[$i] = next.rotate_right::<31>();
            }
            let f = match STAGE {
                0 => b.choose(c, d),
                2 => b.majority(c, d),
                _ => b.xor3(c, d),
            };
            // Only the rotation of a and one addition wait for the round before; pinned, or the sum is
            // rebuilt.
            let next = ((e + (k + w0[$i])).pin() + f).pin() + a.rotate_right::<27>();
            (a, b, c, d, e) = (next, a, b.rotate_right::<2>(), c, d);
        )* };
    }
    rounds!(0 1 2 3 4);
    [a, b, c, d, e]
}

/// So many times five rounds of a stage: one function, one constant.
#[inline(always)]
fn rounds<'a, V: U32Lanes<N>, const N: usize, const STAGE: usize, const COMPUTED: usize>(
    isa: V::Isa,
    fives: usize,
    mut state: [V; 5],
    mut window: Window<'a, V>,
) -> ([V; 5], Window<'a, V>) {
    macro_rules! five {
        () => {
            state = five_rounds::<V, N, STAGE, COMPUTED>(isa, state, &mut window);
            let [w0, w1, w2, w3] = window;
            window = [w1, w2, w3, w0];
        };
    }
    if size_of::<V>() == 32 {
        // The window does not fit into AVX2's registers.
        for _ in 0..fives {
            five!();
        }
    } else {
        each!(I in [0 1 2 3] {
            if I < fives {
                five!();
            }
        });
    }
    (state, window)
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
    fn absorb(isa: V::Isa, mut states: [V; 5], w: [V; 16]) -> [V; 5] {
        let mut words = [[w[15]; 5]; 4];
        words.as_flattened_mut()[..16].copy_from_slice(&w);
        let (mut after, mut window) = (states, words.each_mut());
        (after, window) = rounds::<V, N, 0, 5>(isa, 3, after, window);
        (after, window) = rounds::<V, N, 0, 1>(isa, 1, after, window);
        (after, window) = rounds::<V, N, 1, 0>(isa, 4, after, window);
        (after, window) = rounds::<V, N, 2, 0>(isa, 4, after, window);
        (after, _) = rounds::<V, N, 3, 0>(isa, 4, after, window);
        for i in 0..5 {
            states[i] = states[i] + after[i];
        }
        states
    }
}
