//! Several messages in parallel: a vector holds the same word of N messages. One message in vectors of one
//! word is the portable implementation.
#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")),
    allow(dead_code, reason = "no vectors")
)]

use super::chain::Chain;
use super::{Compression, Kernel, Outer, finish_via_memory, padding_words};
use crate::backend::Shape;
use crate::unroll::each;
use core::marker::PhantomData;
use keylane_cpu::lanes::{Lanes as Vector, U32Lanes};
use keylane_cpu::pin::Scalar as _;
use keylane_cpu::wipe::wipe;
use keylane_cpu::{InstructionSet, Portable};

/// N messages in the lanes of vectors. Fewer than MIN, at the end of a batch or in all, are hashed by `Few`.
#[allow(unreachable_pub, reason = "where a list has one implementation, types name it")]
pub struct Lanes<V, const N: usize, const MIN: usize, Few = Portable>(PhantomData<fn() -> (V, Few)>);

impl<V: Vector + 'static, const N: usize, const MIN: usize, Few: Shape> Shape for Lanes<V, N, MIN, Few> {
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);

    fn is_usable() -> bool {
        V::Isa::is_usable() && Few::is_usable()
    }
}

/// N states of at most eight words. The last vectors of shorter states have no meaning.
pub(crate) type States<V> = [V; MAX_STATE];

/// The words of the schedule that are needed at a time: at first those of the blocks.
pub(crate) type Window<V> = [V; 16];

/// A compression function over lanes.
pub(crate) trait InLanes<V: Vector, const N: usize>: Compression {
    /// Loads a state of each message: vector j holds word j of each.
    fn load_states(isa: V::Isa, states: &[Self::State; N]) -> States<V>;
    /// Loads a word of each message.
    fn load_words(isa: V::Isa, words: &[Self::Word; N]) -> V;
    /// Inverts [`load_words`](Self::load_words).
    fn store_words(vector: V, words: &mut [Self::Word; N]);
    /// Inverts [`load_states`](Self::load_states).
    fn store_states(isa: V::Isa, vectors: States<V>, states: &mut [Self::State; N]);
    /// Loads a block of each message.
    fn load_blocks(isa: V::Isa, blocks: [&Self::Block; N], w: &mut Window<V>);
    /// Runs all rounds with the blocks in the window, and adds the states.
    fn rounds(isa: V::Isa, states: States<V>, window: &mut Window<V>) -> States<V>;
}

impl<C, V, const N: usize, const MIN: usize, Few> Kernel<C> for Lanes<V, N, MIN, Few>
where
    C: InLanes<V, N>,
    V: Vector + 'static,
    Few: Shape + Kernel<C>,
{
    fn compress(&self, state: &mut C::State, blocks: &[C::Block]) {
        if const { MIN > 1 } {
            Few::KERNEL.compress(state, blocks);
        } else {
            self.compress_many(core::slice::from_mut(state), &[blocks]);
        }
    }

    fn finish(&self, state: &mut C::State, end: &[u8], length: u64, outer: Option<&Outer<'_, C>>) {
        if const { MIN > 1 } {
            Few::KERNEL.finish(state, end, length, outer);
        } else {
            finish_via_memory(self, state, end, length, outer);
        }
    }

    fn compress_many(&self, states: &mut [C::State], blocks: &[&[C::Block]]) {
        assert!(states.len() == blocks.len());
        for (states, blocks) in states.chunks_mut(N).zip(blocks.chunks(N)) {
            if states.len() < MIN {
                Few::KERNEL.compress_many(states, blocks);
            } else if let (Ok(states), Ok(blocks)) = ((&mut *states).try_into(), blocks.try_into()) {
                run::<C, V, N>(Source::Messages(states, blocks));
            } else {
                // Lanes without a message repeat the first one, and their states are dropped.
                let (mut rows, mut slices) = ([C::ZERO_STATE; N], [blocks[0]; N]);
                rows[..states.len()].copy_from_slice(states);
                slices[..blocks.len()].copy_from_slice(blocks);
                run::<C, V, N>(Source::Messages(&mut rows, &slices));
                states.copy_from_slice(&rows[..states.len()]);
                wipe(&mut rows);
            }
        }
    }

    fn iterate(&self, chains: &mut [Chain<C>], digest_len: usize, iterations: u32) {
        for chains in chains.chunks_mut(N) {
            if chains.len() < MIN {
                Few::KERNEL.iterate(chains, digest_len, iterations);
            } else {
                iterate::<C, V, N>(chains, digest_len, iterations);
            }
        }
    }
}

/// A vector of one word of the hash.
type OneWord<C> = <C as Compression>::Vector;

impl<C: InLanes<OneWord<C>, 1>> Kernel<C> for Portable {
    fn compress(&self, state: &mut C::State, blocks: &[C::Block]) {
        let states = core::array::from_mut(state);
        let mut window = [C::load_words(*self, &[C::Word::from_low(0)]); 16];
        for block in blocks {
            C::load_blocks(*self, [block], &mut window);
            let after = C::rounds(*self, C::load_states(*self, states), &mut window);
            C::store_states(*self, after, states);
        }
    }
}

/// Loads sixteen words of 32 bits of each message.
#[inline(always)]
pub(crate) fn load_blocks_of_32<V: U32Lanes<N>, const N: usize>(
    isa: V::Isa,
    blocks: [&[u8; 64]; N],
    w: &mut Window<V>,
) {
    each!(PART in [0 1] {
        let mut rows: [&[u8; 32]; N] = [&[0; 32]; N];
        for i in 0..N {
            rows[i] = &blocks[i].as_chunks().0[PART];
        }
        w.as_chunks_mut().0[PART] = V::from_rows_be(isa, rows);
    });
}

/// Runs PBKDF2 iterations of up to N chains.
fn iterate<C: InLanes<V, N>, V: Vector, const N: usize>(
    chains: &mut [Chain<C>],
    digest_len: usize,
    iterations: u32,
) {
    assert!(chains.len() <= N);
    let mut lanes = Chains { words: [[[C::Word::from_low(0); N]; MAX_STATE]; 4] };
    for (i, chain) in chains.iter().enumerate() {
        for (lanes, state) in lanes.words.iter_mut().zip([&chain.u, &chain.sum, &chain.inner, &chain.outer]) {
            put_state(lanes, i, state.as_ref());
        }
    }
    let (words, padding) = (digest_len / C::WORD_LEN, &padding_words::<C>(digest_len));
    run::<C, V, N>(Source::Digests { words, padding, iterations, lanes: &mut lanes });
    for (i, chain) in chains.iter_mut().enumerate() {
        for (lanes, state) in lanes.words.iter().zip([&mut chain.u, &mut chain.sum]) {
            get_state(lanes, i, state.as_mut());
        }
    }
    wipe(&mut lanes.words);
}

// Not inlined: both would be unrolled.

#[inline(never)]
fn put_state<W: Copy, const N: usize>(lanes: &mut [[W; N]], i: usize, state: &[W]) {
    lanes.iter_mut().zip(state).for_each(|(lane, word)| lane[i] = *word);
}

#[inline(never)]
fn get_state<W: Copy, const N: usize>(lanes: &[[W; N]], i: usize, state: &mut [W]) {
    lanes.iter().zip(state).for_each(|(lane, word)| *word = lane[i]);
}

/// The number of words of the longest state.
const MAX_STATE: usize = 8;

/// N chains, with each word of all chains together: U, the sum, the inner and the outer midstate.
#[repr(align(64))]
struct Chains<W, const N: usize> {
    words: [[[W; N]; MAX_STATE]; 4],
}

/// The input of a kernel.
enum Source<'a, C: Compression, const N: usize> {
    /// The same number of blocks of N messages.
    Messages(&'a mut [C::State; N], &'a [&'a [C::Block]; N]),
    /// In PBKDF2, the digests themselves: `words` words each, then padding.
    Digests { words: usize, padding: &'a [C::Word; 16], iterations: u32, lanes: &'a mut Chains<C::Word, N> },
}

/// The kernel. One function enters the instruction set for both sources, since the compression function is
/// most of its code.
#[inline(always)]
fn run<C: InLanes<V, N>, V: Vector, const N: usize>(mut source: Source<'_, C, N>) {
    V::Isa::enter(
        #[inline(always)]
        |isa| {
            let mut slices: [&[C::Block]; N] = [&[]; N];
            let (mut states, count);
            match &source {
                Source::Messages(given, messages) => {
                    slices = **messages;
                    let len = slices[0].len();
                    for slice in &mut slices {
                        *slice = &slice[..len];
                    }
                    states = C::load_states(isa, given);
                    count = len as u64;
                }
                Source::Digests { lanes, iterations, .. } => {
                    states = load_lanes::<C, V, N>(isa, &lanes.words[0]);
                    count = 2 * u64::from(*iterations);
                }
            }
            let mut w = [C::load_words(isa, &[C::Word::from_low(0); N]); 16];
            for at in 0..count {
                match &source {
                    Source::Messages(..) => {
                        let mut blocks = [&slices[0][at as usize]; N];
                        for i in 1..N {
                            blocks[i] = &slices[i][at as usize];
                        }
                        C::load_blocks(isa, blocks, &mut w);
                    }
                    Source::Digests { words, padding, lanes, .. } => {
                        for i in 0..16 {
                            w[i] = match states.get(i) {
                                Some(word) if i < *words => *word,
                                _ => C::load_words(isa, &[padding[i]; N]),
                            };
                        }
                        states = load_lanes::<C, V, N>(isa, &lanes.words[2 + (at % 2) as usize]);
                    }
                }
                states = C::rounds(isa, states, &mut w);
                if let (Source::Digests { lanes, .. }, 1) = (&mut source, at % 2) {
                    for (sum, u) in lanes.words[1].iter_mut().zip(&states[..C::STATE_LEN / C::WORD_LEN]) {
                        C::store_words(C::load_words(isa, sum) ^ *u, sum);
                    }
                }
            }
            match source {
                Source::Messages(given, _) => C::store_states(isa, states, given),
                Source::Digests { lanes, .. } => {
                    for (stored, u) in lanes.words[0].iter_mut().zip(&states[..C::STATE_LEN / C::WORD_LEN]) {
                        C::store_words(*u, stored);
                    }
                }
            }
        },
    );
}

#[inline(always)]
fn load_lanes<C: InLanes<V, N>, V: Vector, const N: usize>(
    isa: V::Isa,
    lanes: &[[C::Word; N]; MAX_STATE],
) -> States<V> {
    let mut states = [C::load_words(isa, &lanes[0]); MAX_STATE];
    for (vector, words) in states.iter_mut().zip(lanes) {
        *vector = C::load_words(isa, words);
    }
    states
}
