//! One message, without the CPU's instructions for its hash: the rounds in scalar registers, and the schedule
//! of one block or of two at once in vectors.

use super::chain::Chain;
use super::{Compression, Kernel, Outer, put_padding, put_padding_words};
use crate::backend::Shape;
use crate::byte_array::ByteArray as _;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use keylane_cpu::InstructionSet;
use keylane_cpu::lanes::BlockWords;
use keylane_cpu::pin::{Scalar, pin};
use keylane_cpu::wipe::wipe;

/// A shape over vectors V, which hold consecutive words of a block, and of another in their upper halves.
#[allow(unreachable_pub, reason = "where a list has one implementation, types name it")]
pub struct TwoBlocks<V>(PhantomData<fn() -> V>);

impl<V: keylane_cpu::lanes::Lanes + 'static> Shape for TwoBlocks<V> {
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);
}

/// W + K of two blocks, for every round: 16 bytes of the first block, then of the second. SHA-1 has the most.
pub(crate) type Schedule<W> = [W; 168];

/// Memory of which no access crosses a cache line.
#[repr(align(64))]
struct Aligned<A>(A);

/// A compression function with its schedule in vectors.
pub(crate) trait InTwoBlocks<V: BlockWords<Self::Word>>: Compression {
    /// Does the rounds of block 0, and computes the schedule of both; or, after that, those of block 1. `w`
    /// begins with the blocks' words, and later has the words of the schedule that are needed at a time.
    fn rounds(
        isa: V::Isa,
        state: &mut Self::State,
        w: &mut [V; 8],
        schedule: &mut Schedule<Self::Word>,
        block: usize,
    );
}

impl<C: InTwoBlocks<V>, V: BlockWords<C::Word> + 'static> Kernel<C> for TwoBlocks<V> {
    fn compress(&self, state: &mut C::State, blocks: &[C::Block]) {
        // A single block may be that of a key.
        let secret = blocks.len() == 1;
        run::<C, V>(core::slice::from_mut(state), Source::Message([blocks, &[]], None), secret);
    }

    fn compress_many(&self, states: &mut [C::State], messages: &[&[C::Block]]) {
        assert!(states.len() == messages.len());
        for (states, messages) in states.chunks_mut(V::BLOCKS).zip(messages.chunks(V::BLOCKS)) {
            // They may be the blocks of a key.
            let source = match messages {
                [first, second] => {
                    assert!(first.len() == second.len());
                    Source::Messages([first, second])
                }
                _ => Source::Message([messages[0], &[]], None),
            };
            run::<C, V>(states, source, true);
        }
    }

    fn finish(&self, state: &mut C::State, end: &[u8], length: u64, outer: Option<&Outer<'_, C>>) {
        let (mut digest, mut memory) = (None, Aligned([C::Block::ZERO; 2]));
        let (tail, (blocks, rest)) = (&mut memory.0, C::Block::split(end));
        let count = put_padding::<C>(tail, rest, length);
        let keyed = outer.map(|outer| {
            let digest = digest.insert(Digest::<C>::empty());
            (digest.with_len(outer.digest_len), outer.state)
        });
        let source = Source::Message([blocks, &tail[..count]], keyed);
        run::<C, V>(core::slice::from_mut(state), source, outer.is_some());
        // One by one, which takes no call.
        for block in &mut tail[..count] {
            wipe(block);
        }
    }

    fn iterate(&self, chains: &mut [Chain<C>], digest_len: usize, iterations: u32) {
        let mut digest = Digest::<C>::empty();
        let digest = digest.with_len(digest_len);
        for Chain { inner, outer, u, sum } in chains {
            let source = Source::Digests { digest, iterations, middle: [inner, outer], sum };
            run::<C, V>(core::slice::from_mut(u), source, true);
        }
    }
}

/// The input of a kernel.
enum Source<'a, C: Compression> {
    /// The blocks of a message, which lie in two places, and HMAC's outer hash of the digest.
    Message([&'a [C::Block]; 2], Option<(&'a Digest<C>, &'a C::State)>),
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
    fn empty() -> Self {
        Self { words: 0, padding: [C::Word::from_low(0); 16] }
    }

    /// Sets the length of an empty block. In place: a copy costs as much as the rest.
    #[inline(always)]
    fn with_len(&mut self, len: usize) -> &Self {
        self.words = len / C::WORD_LEN;
        put_padding_words::<C>(&mut self.padding, len);
        self
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

/// Enters the kernel with one state or two. If the source is `secret`, nothing of it stays on the stack. The
/// schedule is wiped here: with AVX-512, the compiler would use 512-bit stores, after which some CPUs slow
/// down.
#[inline(always)]
fn run<C: InTwoBlocks<V>, V: BlockWords<C::Word>>(
    states: &mut [C::State],
    mut source: Source<'_, C>,
    secret: bool,
) {
    // Not filled, which would take a twentieth of a block's time.
    let mut memory = Aligned(MaybeUninit::uninit());
    let schedule = C::Word::any_words(&mut memory.0);
    V::Isa::enter(
        #[inline(always)]
        |isa| run_source::<C, V>(isa, states, &mut source, schedule),
    );
    if secret {
        wipe(schedule);
    }
}

/// The kernel: one loop for all sources, since the compression function is most of the code. A single block
/// is also used as the second. The words of a digest are passed to the vectors in registers: through memory,
/// each load of a vector would wait for two narrower stores.
#[inline(always)]
fn run_source<C: InTwoBlocks<V>, V: BlockWords<C::Word>>(
    isa: V::Isa,
    states: &mut [C::State],
    source: &mut Source<'_, C>,
    schedule: &mut Schedule<C::Word>,
) {
    let [state, others @ ..] = states else { return };
    let mut at = 0;
    loop {
        let mut blocks = 1;
        let next = match &mut *source {
            Source::Message([body, tail], outer) => {
                let block = |i: usize| body.get(i).or_else(|| tail.get(i - body.len()));
                if let Some(first) = block(V::BLOCKS * at) {
                    let mut both = [first; 2];
                    if let (2, Some(block)) = (V::BLOCKS, block(2 * at + 1)) {
                        (both[1], blocks) = (block, 2);
                    }
                    Next::Blocks(both)
                } else {
                    let Some((digest, outer)) = outer.take() else { return };
                    Next::Digest(digest, outer)
                }
            }
            Source::Messages([first, second]) => {
                let (Some(first), Some(second)) = (first.get(at), second.get(at)) else { return };
                blocks = 2;
                Next::Blocks([first, second])
            }
            Source::Digests { digest, iterations, middle, sum } => {
                if at % 2 == 0 && at > 0 {
                    **sum = C::xor(sum, state);
                }
                if at as u64 == 2 * u64::from(*iterations) {
                    return;
                }
                Next::Digest(digest, middle[at % 2])
            }
        };
        at += 1;
        let mut window = match next {
            Next::Blocks(both) => load_blocks::<C, V>(isa, both),
            Next::Digest(digest, middle) => {
                let window = load_words(isa, &digest.block(state));
                *state = *middle;
                window
            }
        };
        if const { V::BLOCKS == 1 } {
            C::rounds(isa, state, &mut window, schedule, 0);
            continue;
        }
        // Pinned, or the compiler would copy the compression function for each source and block.
        let (blocks, mut block) = (pin(blocks), pin(0));
        while block < blocks {
            let state = match &mut *others {
                [other, ..] if block > 0 => other,
                _ => &mut *state,
            };
            C::rounds(isa, state, &mut window, schedule, block as usize);
            block = pin(block + 1);
        }
    }
}

/// The input that the kernel absorbs next.
enum Next<'a, C: Compression> {
    Blocks([&'a C::Block; 2]),
    /// The digest in the first state, after a midstate.
    Digest(&'a Digest<C>, &'a C::State),
}

/// The words of a block in a vector.
pub(crate) const fn len<W: Scalar>() -> usize {
    16 / size_of::<W::Bytes>()
}

/// Loads two blocks.
#[inline(always)]
fn load_blocks<C: Compression, V: BlockWords<C::Word>>(isa: V::Isa, blocks: [&C::Block; 2]) -> [V; 8] {
    let [first, second] = blocks.map(|block| block.as_ref().as_chunks().0);
    let mut w = [V::load_be(isa, &first[0], &second[0]); 8];
    for i in 1..16 / len::<C::Word>() {
        w[i] = V::load_be(isa, &first[i], &second[i]);
    }
    w
}

/// Returns one block of words.
#[inline(always)]
fn load_words<V: BlockWords<W>, W: Scalar>(isa: V::Isa, words: &[W; 16]) -> [V; 8] {
    let len = len::<W>();
    let mut w = [V::repeat(isa, &words[..len]); 8];
    for i in 1..16 / len {
        w[i] = V::repeat(isa, &words[len * i..][..len]);
    }
    w
}
