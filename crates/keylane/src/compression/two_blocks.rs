//! One message, without the CPU's instructions for its hash: the rounds in scalar registers, and the schedule
//! of two blocks at once in vectors.

use super::chain::Chain;
use super::{Compression, Kernel, padding_words};
use crate::backend::Shape;
use core::marker::PhantomData;
use keylane_cpu::InstructionSet;
use keylane_cpu::lanes::Lanes as Vector;
use keylane_cpu::wipe::{Wipe, wipe};

/// A shape over vectors V, which hold consecutive words of a block in one half and of the next block in the
/// other.
pub(crate) struct TwoBlocks<V>(PhantomData<fn() -> V>);

impl<V: Vector + 'static> Shape for TwoBlocks<V> {
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);
}

/// A compression function with the schedule of two blocks in vectors.
pub(crate) trait InTwoBlocks<V: Vector>: Compression {
    /// The sixteen words of both blocks.
    type Window;
    /// W + K of both blocks, for every round.
    type Schedule: Wipe;
    const EMPTY_SCHEDULE: Self::Schedule;

    /// Loads two blocks, and stores W + K of the first sixteen rounds.
    fn load_blocks(isa: V::Isa, blocks: [&Self::Block; 2], schedule: &mut Self::Schedule) -> Self::Window;
    /// As `load_blocks`, for one block of words.
    fn load_words(isa: V::Isa, words: &[Self::Word; 16], schedule: &mut Self::Schedule) -> Self::Window;
    /// Absorbs the first block or both.
    fn absorb(
        isa: V::Isa,
        state: &mut Self::State,
        window: &mut Self::Window,
        schedule: &mut Self::Schedule,
        both: bool,
    );
}

impl<C: InTwoBlocks<V>, V: Vector + 'static> Kernel<C> for TwoBlocks<V> {
    fn compress(&self, state: &mut C::State, blocks: &[C::Block]) {
        absorb::<C, V>(state, Source::Blocks(blocks));
    }

    fn iterate(&self, chains: &mut [Chain<C>], digest_len: usize, iterations: u32) {
        let words = digest_len / C::WORD_LEN;
        let padding = &padding_words::<C>(digest_len);
        for Chain { inner, outer, u, sum } in chains {
            absorb::<C, V>(u, Source::Digests { words, padding, iterations, middle: [inner, outer], sum });
        }
    }
}

/// The input of a kernel.
enum Source<'a, C: Compression> {
    /// Whole blocks of a message.
    Blocks(&'a [C::Block]),
    /// In PBKDF2, the digest itself, for the inner and the outer midstate in turn. The rest of the block,
    /// after the digest's words, is padding.
    Digests {
        words: usize,
        padding: &'a [C::Word; 16],
        iterations: u32,
        middle: [&'a C::State; 2],
        sum: &'a mut C::State,
    },
}

/// The kernel: one loop for both sources, since the compression function is most of the code. A single block
/// is also used as the second. The words of a digest are passed to the rounds and to the vectors in
/// registers: through memory, each load of a vector would wait for two narrower stores.
fn absorb<C: InTwoBlocks<V>, V: Vector>(out: &mut C::State, mut source: Source<'_, C>) {
    V::Isa::enter(
        #[inline(always)]
        |isa| {
            let mut schedule = C::EMPTY_SCHEDULE;
            let mut state = *out;
            let count = match source {
                Source::Blocks(blocks) => blocks.len().div_ceil(2) as u64,
                Source::Digests { iterations, .. } => 2 * u64::from(iterations),
            };
            for at in 0..count {
                let (mut window, both);
                match source {
                    Source::Blocks(blocks) => {
                        let first = 2 * at as usize;
                        both = first + 1 < blocks.len();
                        let two = [&blocks[first], &blocks[first + usize::from(both)]];
                        window = C::load_blocks(isa, two, &mut schedule);
                    }
                    Source::Digests { words, padding, middle, .. } => {
                        let mut block = *padding;
                        for (i, word) in state.as_ref().iter().enumerate() {
                            if i < words {
                                block[i] = *word;
                            }
                        }
                        both = false;
                        window = C::load_words(isa, &block, &mut schedule);
                        state = *middle[(at % 2) as usize];
                    }
                }
                C::absorb(isa, &mut state, &mut window, &mut schedule, both);
                if let (Source::Digests { sum, .. }, 1) = (&mut source, at % 2) {
                    **sum = C::xor(sum, &state);
                }
            }
            *out = state;
            if matches!(source, Source::Digests { .. }) {
                wipe(&mut schedule);
            }
        },
    );
}
