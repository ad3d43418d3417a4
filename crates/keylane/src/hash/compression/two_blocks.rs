//! One message, without the CPU's instructions for its hash: the rounds in scalar registers, and the schedule
//! of one block or of two at once in vectors.

use super::chain::Chain;
use super::{Compression, Kernel, padded, padding_words};
use crate::backend::Shape;
use core::marker::PhantomData;
use keylane_cpu::InstructionSet;
use keylane_cpu::lanes::BlockWords;
use keylane_cpu::pin::pin;
use keylane_cpu::wipe::{Wipe, wipe};

/// A shape over vectors V, which hold consecutive words of a block, and of another in their upper halves.
pub(crate) struct TwoBlocks<V>(PhantomData<fn() -> V>);

impl<V: keylane_cpu::lanes::Lanes + 'static> Shape for TwoBlocks<V> {
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);
}

/// W + K of two blocks, for every round: 16 bytes of the first block, then of the second. Aligned, so that no
/// access crosses a cache line.
#[repr(align(64))]
pub(crate) struct Schedule<A>(pub(crate) A);

impl<A: Wipe> Wipe for Schedule<A> {
    fn set_zero(&mut self) {
        self.0.set_zero();
    }
}

/// A compression function with its schedule in vectors.
pub(crate) trait InTwoBlocks<V: BlockWords<Self::Word>>: Compression {
    /// The words of the schedule that are needed at a time.
    type Window;
    /// W + K of both blocks, for every round.
    type Schedule: Wipe;
    const EMPTY_SCHEDULE: Self::Schedule;

    /// Loads two blocks, and stores W + K of the first sixteen rounds.
    fn load_blocks(isa: V::Isa, blocks: [&Self::Block; 2], schedule: &mut Self::Schedule) -> Self::Window;
    /// As `load_blocks`, for one block of words.
    fn load_words(isa: V::Isa, words: &[Self::Word; 16], schedule: &mut Self::Schedule) -> Self::Window;
    /// Absorbs the first block, and computes the schedule of both; or, after that, absorbs the second.
    fn absorb<const SECOND: bool>(
        isa: V::Isa,
        state: &mut Self::State,
        window: &mut Self::Window,
        schedule: &mut Self::Schedule,
    );
}

impl<C: InTwoBlocks<V>, V: BlockWords<C::Word> + 'static> Kernel<C> for TwoBlocks<V> {
    fn compress(&self, state: &mut C::State, blocks: &[C::Block]) {
        absorb::<C, V>(core::slice::from_mut(state), Source::Message([blocks, &[]], None), false);
    }

    fn compress_many(&self, states: &mut [C::State], messages: &[&[C::Block]]) {
        assert!(states.len() == messages.len());
        for (states, messages) in states.chunks_mut(V::BLOCKS).zip(messages.chunks(V::BLOCKS)) {
            // They may be the blocks of a key.
            let source = match messages {
                [first, second] => Source::Messages([first, second]),
                _ => Source::Message([messages[0], &[]], None),
            };
            absorb::<C, V>(states, source, true);
        }
    }

    fn finish(&self, state: &mut C::State, end: &[u8], length: u64) {
        finish::<C, V>(state, end, length, None);
    }

    fn finish_hmac(
        &self,
        inner: &mut C::State,
        end: &[u8],
        length: u64,
        outer: &C::State,
        digest_len: usize,
    ) {
        if !digest_len.is_multiple_of(C::WORD_LEN) {
            return super::finish_hmac_via_memory::<C, _>(self, inner, end, length, outer, digest_len);
        }
        finish::<C, V>(inner, end, length, Some((Digest::<C>::new(digest_len), outer)));
    }

    fn iterate(&self, chains: &mut [Chain<C>], digest_len: usize, iterations: u32) {
        let digest = &Digest::<C>::new(digest_len);
        for Chain { inner, outer, u, sum } in chains {
            let source = Source::Digests { digest, iterations, middle: [inner, outer], sum };
            absorb::<C, V>(core::slice::from_mut(u), source, true);
        }
    }
}

/// The input of a kernel.
enum Source<'a, C: Compression> {
    /// The blocks of a message, which lie in two places, and HMAC's outer hash of the digest.
    Message([&'a [C::Block]; 2], Option<(Digest<C>, &'a C::State)>),
    /// Two messages of the same number of blocks.
    Messages([&'a [C::Block]; 2]),
    /// In PBKDF2, the digest itself, for the inner and the outer midstate in turn.
    Digests { digest: &'a Digest<C>, iterations: u32, middle: [&'a C::State; 2], sum: &'a mut C::State },
}

/// A block of a digest and padding: the number of the digest's words, and the padding.
struct Digest<C: Compression> {
    words: usize,
    padding: [C::Word; 16],
}

impl<C: Compression> Digest<C> {
    fn new(len: usize) -> Self {
        Self { words: len / C::WORD_LEN, padding: padding_words::<C>(len) }
    }

    /// Returns the block.
    #[inline(always)]
    fn block(&self, state: &C::State) -> [C::Word; 16] {
        let mut block = self.padding;
        for (i, word) in state.as_ref().iter().enumerate() {
            if i < self.words {
                block[i] = *word;
            }
        }
        block
    }
}

/// Absorbs the end of a message and its padding, and lets HMAC's outer hash absorb the digest.
fn finish<C: InTwoBlocks<V>, V: BlockWords<C::Word>>(
    state: &mut C::State,
    end: &[u8],
    length: u64,
    outer: Option<(Digest<C>, &C::State)>,
) {
    let (blocks, rest) = <C::Block as super::Block>::split(end);
    let mut tail = [<C::Block as super::Block>::ZERO; 2];
    let count = padded::<C>(&mut tail, rest, length);
    let keyed = outer.is_some();
    absorb::<C, V>(core::slice::from_mut(state), Source::Message([blocks, &tail[..count]], outer), keyed);
    wipe(&mut tail);
}

/// Enters the kernel with one state or two. If the source is `secret`, nothing of it stays on the stack.
///
/// The kernel clears and wipes its schedule. With AVX-512 this function does both instead: there the compiler
/// would use 512-bit stores, after which some CPUs slow down.
fn absorb<C: InTwoBlocks<V>, V: BlockWords<C::Word>>(
    out: &mut [C::State],
    mut source: Source<'_, C>,
    secret: bool,
) {
    let mut states = [out[0], out[out.len() - 1]];
    if const { V::CLEARS_OUTSIDE } {
        let mut schedule = C::EMPTY_SCHEDULE;
        V::Isa::enter(
            #[inline(always)]
            |isa| absorb_source::<C, V>(isa, &mut states, &mut source, &mut schedule),
        );
        if secret {
            wipe(&mut schedule);
        }
    } else {
        V::Isa::enter(
            #[inline(always)]
            |isa| {
                let mut schedule = C::EMPTY_SCHEDULE;
                absorb_source::<C, V>(isa, &mut states, &mut source, &mut schedule);
                if secret {
                    wipe(&mut schedule);
                }
            },
        );
    }
    let len = out.len();
    out.copy_from_slice(&states[..len]);
    if secret {
        wipe(&mut states);
    }
}

/// The kernel: one loop for all sources, since the compression function is most of the code. A single block
/// is also used as the second. The words of a digest are passed to the rounds and to the vectors in
/// registers: through memory, each load of a vector would wait for two narrower stores.
#[inline(always)]
fn absorb_source<C: InTwoBlocks<V>, V: BlockWords<C::Word>>(
    isa: V::Isa,
    states: &mut [C::State; 2],
    source: &mut Source<'_, C>,
    schedule: &mut C::Schedule,
) {
    let count = match &*source {
        Source::Message([body, tail], outer) => {
            let blocks = body.len() + tail.len();
            (blocks.div_ceil(V::BLOCKS) + usize::from(outer.is_some())) as u64
        }
        Source::Messages([first, second]) => {
            assert!(first.len() == second.len());
            first.len() as u64
        }
        Source::Digests { iterations, .. } => 2 * u64::from(*iterations),
    };
    for at in 0..count {
        let mut window;
        // The number of the second block's state plus one, or 0 if there is no second block.
        let mut second = 0;
        match &mut *source {
            Source::Message([body, tail], outer) => {
                let block = |i: usize| body.get(i).or_else(|| tail.get(i - body.len()));
                let first = V::BLOCKS * at as usize;
                if let Some(first_block) = block(first) {
                    let mut both = [first_block; 2];
                    if let (2, Some(block)) = (V::BLOCKS, block(first + 1)) {
                        (both[1], second) = (block, 1);
                    }
                    window = C::load_blocks(isa, both, schedule);
                } else {
                    let Some((digest, outer)) = outer else { return };
                    window = C::load_words(isa, &digest.block(&states[0]), schedule);
                    states[0] = **outer;
                }
            }
            Source::Messages(messages) => {
                let at = at as usize;
                window = C::load_blocks(isa, [&messages[0][at], &messages[1][at]], schedule);
                second = 2;
            }
            Source::Digests { digest, middle, sum, .. } => {
                if at % 2 == 0 && at > 0 {
                    **sum = C::xor(sum, &states[0]);
                }
                window = C::load_words(isa, &digest.block(&states[0]), schedule);
                states[0] = *middle[(at % 2) as usize];
            }
        }
        // Pinned, or the compiler would copy the compression function for each source.
        let second = pin(second) as usize;
        C::absorb::<false>(isa, &mut states[0], &mut window, schedule);
        if V::BLOCKS == 2 && second > 0 {
            C::absorb::<true>(isa, &mut states[second - 1], &mut window, schedule);
        }
    }
    if let (Source::Digests { sum, .. }, 1..) = (&mut *source, count) {
        **sum = C::xor(sum, &states[0]);
    }
}
