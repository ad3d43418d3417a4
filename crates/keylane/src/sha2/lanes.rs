//! SHA-2 over lanes: FIPS 180-4 §6.2.2 and §6.4.2; the names are the standard's. The schedule is kept as a
//! window of sixteen words, each replaced by the word sixteen rounds later in the round that used it. It is
//! written as eight rounds: a loop over them with AVX2, unrolled otherwise.

use super::{K32, K64, eight_times};
use crate::hash::compression::Compression;
use crate::hash::compression::lanes::{InLanes, States, Window, load_blocks_of_32};
use crate::unroll::each;
use keylane_cpu::lanes::{Lanes, U32Lanes, U64Lanes};

/// SHA-256's compression function (FIPS 180-4 §6.2): SHA-224 and SHA-256.
#[derive(Clone, Copy, Debug)]
pub struct Sha256Core;

/// SHA-512's compression function (FIPS 180-4 §6.4): SHA-384, SHA-512 and SHA-512/256.
#[derive(Clone, Copy, Debug)]
pub struct Sha512Core;

/// The differences between SHA-256 and SHA-512: the functions of §4.1.2 and §4.1.3, and the constants.
trait Sha2Lanes<V: Lanes, const N: usize>: Compression {
    const ROUNDS: usize;

    /// Returns the constant of round t.
    fn k(isa: V::Isa, t: usize) -> V;
    /// Σ0.
    fn big_sigma0(x: V) -> V;
    /// Σ1.
    fn big_sigma1(x: V) -> V;
    /// σ0.
    fn small_sigma0(x: V) -> V;
    /// σ1.
    fn small_sigma1(x: V) -> V;
}

impl<V: U32Lanes<N>, const N: usize> Sha2Lanes<V, N> for Sha256Core {
    const ROUNDS: usize = 64;

    #[inline(always)]
    fn k(isa: V::Isa, t: usize) -> V {
        V::splat(isa, K32[t])
    }

    #[inline(always)]
    fn big_sigma0(x: V) -> V {
        x.rotate_right::<2>().xor3(x.rotate_right::<13>(), x.rotate_right::<22>())
    }

    #[inline(always)]
    fn big_sigma1(x: V) -> V {
        x.rotate_right::<6>().xor3(x.rotate_right::<11>(), x.rotate_right::<25>())
    }

    #[inline(always)]
    fn small_sigma0(x: V) -> V {
        x.rotate_right::<7>().xor3(x.rotate_right::<18>(), x.shift_right::<3>())
    }

    #[inline(always)]
    fn small_sigma1(x: V) -> V {
        x.rotate_right::<17>().xor3(x.rotate_right::<19>(), x.shift_right::<10>())
    }
}

impl<V: U64Lanes<N>, const N: usize> Sha2Lanes<V, N> for Sha512Core {
    const ROUNDS: usize = 80;

    #[inline(always)]
    fn k(isa: V::Isa, t: usize) -> V {
        V::splat(isa, K64[t])
    }

    #[inline(always)]
    fn big_sigma0(x: V) -> V {
        x.rotate_right::<28>().xor3(x.rotate_right::<34>(), x.rotate_right::<39>())
    }

    #[inline(always)]
    fn big_sigma1(x: V) -> V {
        x.rotate_right::<14>().xor3(x.rotate_right::<18>(), x.rotate_right::<41>())
    }

    #[inline(always)]
    fn small_sigma0(x: V) -> V {
        x.rotate_right::<1>().xor3(x.rotate_right::<8>(), x.shift_right::<7>())
    }

    #[inline(always)]
    fn small_sigma1(x: V) -> V {
        x.rotate_right::<19>().xor3(x.rotate_right::<61>(), x.shift_right::<6>())
    }
}

/// Returns the word `rounds` rounds after the first of the given half of the window.
#[inline(always)]
fn word<V: Copy>(window: &[[V; 8]], half: usize, rounds: usize) -> V {
    window[(half + (rounds >> 3)) % 2][rounds % 8]
}

/// Returns the word sixteen rounds after that one.
#[inline(always)]
fn next_word<C: Sha2Lanes<V, N>, V: Lanes, const N: usize>(
    window: &[[V; 8]],
    half: usize,
    rounds: usize,
) -> V {
    (word(window, half, rounds) + C::small_sigma0(word(window, half, rounds + 1)))
        + (word(window, half, rounds + 9) + C::small_sigma1(word(window, half, rounds + 14)))
}

/// Runs eight rounds with the words in the given half of the window. With `MORE`, each is replaced by the
/// word sixteen rounds later.
///
/// The half is a number: LLVM 22 miscompiles a loop in which references to the halves change places (the
/// self-test failed).
#[inline(always)]
fn eight_rounds<C: Sha2Lanes<V, N>, V: Lanes, const N: usize, const MORE: bool>(
    isa: V::Isa,
    first: usize,
    state: [V; 8],
    window: &mut [[V; 8]],
    half: usize,
) -> [V; 8] {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
    macro_rules! round {
        ($t:expr => $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
            let u = ($h + (word(window, half, $t) + C::k(isa, first + $t))).pin();
            let (choice, sigma1) = ($e.choose($f, $g), C::big_sigma1($e));
            let (majority, sigma0) = ($a.majority($b, $c), C::big_sigma0($a));
            if MORE {
                let new = next_word::<C, V, N>(window, half, $t);
                window[half % 2][$t] = if const { N == 1 } { new.pin() } else { new };
            }
            if const { N == 1 } {
                // In scalar registers the number of additions is the limit.
                let t1 = (u + choice + sigma1).pin();
                $d = ($d + t1).pin();
                $h = (t1 + (sigma0 + majority)).pin();
            } else {
                // Vector operations take two cycles on Zen 5, and the chain from e to the next e limits a
                // round. With these pins, it is Σ1 and one addition. Without them, the optimiser shares
                // Σ1 + Ch between the two sums, which saves an addition but adds another to the chain.
                let to_d = ((u + $d).pin() + choice).pin();
                let to_h = (u + choice).pin();
                $d = to_d + sigma1;
                $h = ((to_h + sigma1).pin() + majority).pin() + sigma0;
            }
        };
    }
    eight_times!(round from 0; a b c d e f g h);
    [a, b, c, d, e, f, g, h]
}

/// Replaces the words in the given half of the window by those sixteen rounds later.
#[inline(always)]
fn eight_words<C: Sha2Lanes<V, N>, V: Lanes, const N: usize>(window: &mut [[V; 8]], half: usize) {
    each!(T in [0 1 2 3 4 5 6 7] {
        window[half % 2][T] = next_word::<C, V, N>(window, half, T);
    });
}

/// Runs sixteen rounds. With `MORE`, the window then holds the next sixteen words. The [`small`] form has
/// little code, and keeps few values in registers at a time.
#[inline(always)]
fn sixteen_rounds<C: Sha2Lanes<V, N>, V: Lanes, const N: usize, const MORE: bool>(
    isa: V::Isa,
    first: usize,
    mut state: [V; 8],
    window: &mut [[V; 8]],
) -> [V; 8] {
    // The constant comes first: without optimisation, compiled code takes stack even if it never runs.
    if const { N == 1 } && small() {
        for half in 0..2 {
            state = eight_rounds::<C, V, N, false>(isa, first + 8 * half, state, window, half);
        }
        if MORE {
            for half in 0..2 {
                eight_words::<C, V, N>(window, half);
            }
        }
        state
    } else if const { N * C::WORD_LEN == 32 } {
        // The window does not fit into AVX2's registers, and half of the code is as fast.
        for half in 0..2 {
            state = eight_rounds::<C, V, N, MORE>(isa, first + 8 * half, state, window, half);
        }
        state
    } else {
        state = eight_rounds::<C, V, N, MORE>(isa, first, state, window, 0);
        eight_rounds::<C, V, N, MORE>(isa, first + 8, state, window, 1)
    }
}

/// Returns whether code size matters more than time, as without an operating system.
#[cfg(not(test))]
#[inline(always)]
const fn small() -> bool {
    cfg!(target_os = "none")
}

#[cfg(test)]
use tests::small;

/// The method of [`InLanes`].
#[inline(always)]
fn rounds<C: Sha2Lanes<V, N>, V: Lanes, const N: usize>(
    isa: V::Isa,
    mut states: States<V>,
    window: &mut Window<V>,
) -> States<V> {
    let window = window.as_chunks_mut().0;
    let (mut after, mut first) = (states, 0);
    while first < C::ROUNDS - 16 {
        after = sixteen_rounds::<C, V, N, true>(isa, first, after, window);
        first += 16;
    }
    after = sixteen_rounds::<C, V, N, false>(isa, first, after, window);
    for i in 0..8 {
        states[i] = states[i] + after[i];
    }
    states
}

impl<V: U32Lanes<N>, const N: usize> InLanes<V, N> for Sha256Core {
    #[inline(always)]
    fn load_states(isa: V::Isa, states: &[[u32; 8]; N]) -> States<V> {
        V::from_rows(isa, states)
    }

    #[inline(always)]
    fn store_states(_: V::Isa, words: States<V>, states: &mut [[u32; 8]; N]) {
        V::to_rows(words, states);
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
    fn rounds(isa: V::Isa, states: States<V>, window: &mut Window<V>) -> States<V> {
        rounds::<Self, V, N>(isa, states, window)
    }
}

impl<V: U64Lanes<N>, const N: usize> InLanes<V, N> for Sha512Core {
    #[inline(always)]
    fn load_states(isa: V::Isa, states: &[[u64; 8]; N]) -> States<V> {
        let (mut low, mut high) = ([[0; 4]; N], [[0; 4]; N]);
        for i in 0..N {
            let [a, b, c, d, e, f, g, h] = states[i];
            (low[i], high[i]) = ([a, b, c, d], [e, f, g, h]);
        }
        let ([a, b, c, d], [e, f, g, h]) = (V::from_rows(isa, &low), V::from_rows(isa, &high));
        [a, b, c, d, e, f, g, h]
    }

    #[inline(always)]
    fn store_states(_: V::Isa, [a, b, c, d, e, f, g, h]: States<V>, states: &mut [[u64; 8]; N]) {
        let (mut low, mut high) = ([[0; 4]; N], [[0; 4]; N]);
        V::to_rows([a, b, c, d], &mut low);
        V::to_rows([e, f, g, h], &mut high);
        for i in 0..N {
            states[i][..4].copy_from_slice(&low[i]);
            states[i][4..].copy_from_slice(&high[i]);
        }
    }

    #[inline(always)]
    fn load_words(isa: V::Isa, words: &[u64; N]) -> V {
        V::load(isa, words)
    }

    #[inline(always)]
    fn store_words(vector: V, words: &mut [u64; N]) {
        vector.store(words);
    }

    #[inline(always)]
    fn load_blocks(isa: V::Isa, blocks: [&[u8; 128]; N], w: &mut Window<V>) {
        each!(PART in [0 1 2 3] {
            let mut rows: [&[u8; 32]; N] = [&[0; 32]; N];
            for i in 0..N {
                rows[i] = &blocks[i].as_chunks().0[PART];
            }
            w.as_chunks_mut().0[PART] = V::from_rows_be(isa, rows);
        });
    }

    #[inline(always)]
    fn rounds(isa: V::Isa, states: States<V>, window: &mut Window<V>) -> States<V> {
        rounds::<Self, V, N>(isa, states, window)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    std::thread_local! {
        /// Set by the proof of the small form.
        pub(crate) static SMALL: core::cell::Cell<bool> = const { core::cell::Cell::new(false) };
    }

    pub(crate) fn small() -> bool {
        SMALL.get()
    }
}
