//! Hashes by the CPU's instructions for them, with 1, 2 or 4 messages interleaved, each of them a stream: the
//! speed of one message is limited by the latency of its rounds. Four streams need more registers than there
//! are, yet gain where an instruction can begin in each cycle, as on Zen; on Intel's CPUs they gain nothing.

use super::chain::Chain;
use super::{Compression, Kernel, Outer, finish_outer_via_memory, iterate_via_memory, padded_blocks};
use crate::backend::Shape;
use crate::byte_array::ByteArray;
use core::marker::PhantomData;
use keylane_cpu::InstructionSet;
use keylane_cpu::lanes::Lanes as Vector;
use keylane_cpu::pin::pin;

/// Runs a step of every stream. Without optimisation, a `for` loop's range would cost more than the SHA
/// instructions in it.
macro_rules! each_stream {
    ($s:ident < $count:ident $body:block) => {
        let mut $s = 0;
        while $s < $count {
            $body
            $s += 1;
        }
    };
}
pub(crate) use each_stream;

/// A shape over vectors W of consecutive words of one message, which have the CPU's instructions for the
/// hash, with up to N streams: 2 or 4.
pub(crate) struct Words<W, const N: usize = 2>(PhantomData<fn() -> W>);

impl<W: Vector + 'static, const N: usize> Shape for Words<W, N> {
    type Isa = W::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);
}

impl<W, const N: usize> Words<W, N> {
    /// Returns how many of the messages are interleaved four at a time.
    fn in_fours(messages: usize) -> usize {
        if N == 4 { messages / 4 * 4 } else { 0 }
    }
}

/// A compression function by the CPU's instructions.
pub(crate) trait InWords<W: Vector>: Compression {
    /// A state in the form that the instructions need.
    type Variables: Copy;
    fn load_state(isa: W::Isa, state: &Self::State) -> Self::Variables;
    fn store_state(variables: Self::Variables, state: &mut Self::State);
    fn load_block(isa: W::Isa, block: &Self::Block) -> [W; 4];
    /// Loads the block at byte `at` of a message that is followed by a one bit and zeros. The block is not
    /// built in memory: a load that waits for narrower stores would delay the next message as well.
    fn load_end(isa: W::Isa, message: &[u8], at: usize) -> [W; 4];
    /// Adds the length field to the last block of a message of `length` bytes.
    fn with_length(isa: W::Isa, window: [W; 4], length: u64) -> [W; 4];
    /// Returns the block with a whole digest and the padding of a message that has one block before it.
    fn digest_block(isa: W::Isa, digest: Self::Variables) -> [W; 4];
    /// Returns the XOR of two states.
    fn xor_variables(a: Self::Variables, b: Self::Variables) -> Self::Variables;
    /// Implements [`Kernel::expand`].
    fn expand(_key: [&Self::State; 2], _info: &[u8], _out: &mut [u8]) -> bool {
        false
    }
    /// Runs all rounds of one block of each of N messages, and adds the states.
    fn rounds<const N: usize>(
        isa: W::Isa,
        variables: [Self::Variables; N],
        windows: [[W; 4]; N],
    ) -> [Self::Variables; N];
}

impl<C: InWords<W>, W: Vector + 'static, const N: usize> Kernel<C> for Words<W, N> {
    fn compress(&self, state: &mut C::State, blocks: &[C::Block]) {
        run_message::<C, W>(state, C::Block::bytes(blocks), None, None);
    }

    fn compress_many(&self, states: &mut [C::State], messages: &[&[C::Block]]) {
        assert!(states.len() == messages.len());
        let (by_four, rest) = states.split_at_mut(Self::in_fours(states.len()));
        let (four_each, messages) = messages.split_at(by_four.len());
        for (states, messages) in by_four.chunks_mut(N).zip(four_each.chunks(N)) {
            run_many::<C, W, N>(states, messages);
        }
        for (states, messages) in rest.chunks_mut(2).zip(messages.chunks(2)) {
            match states {
                [state] => Kernel::<C>::compress(self, state, messages[0]),
                _ => run_many::<C, W, 2>(states, messages),
            }
        }
    }

    fn finish(&self, state: &mut C::State, end: &[u8], length: u64, outer: Option<&Outer<'_, C>>) {
        let whole = outer.filter(|outer| outer.digest_len == C::STATE_LEN);
        run_message::<C, W>(state, end, Some(length), whole.map(|outer| outer.state));
        if let (Some(truncated), None) = (outer, whole) {
            finish_outer_via_memory(self, state, truncated);
        }
    }

    fn expand(&self, key: [&C::State; 2], info: &[u8], out: &mut [u8]) -> bool {
        C::expand(key, info, out)
    }

    fn iterate(&self, chains: &mut [Chain<C>], digest_len: usize, iterations: u32) {
        if digest_len != C::STATE_LEN {
            return iterate_via_memory::<C, _>(self, chains, digest_len, iterations);
        }
        let (by_four, rest) = chains.split_at_mut(Self::in_fours(chains.len()));
        by_four.chunks_mut(N).for_each(|chains| iterate::<C, W, N>(chains, iterations));
        for chains in rest.chunks_mut(2) {
            match chains {
                [_] => iterate::<C, W, 1>(chains, iterations),
                _ => iterate::<C, W, 2>(chains, iterations),
            }
        }
    }
}

/// Compresses the whole blocks of a message; if its `length` is given, the rest and the padding; and for
/// `outer`, if it is given, the digest.
fn run_message<C: InWords<W>, W: Vector>(
    state: &mut C::State,
    message: &[u8],
    length: Option<u64>,
    outer: Option<&C::State>,
) {
    W::Isa::enter(
        #[inline(always)]
        |isa| {
            let blocks = C::Block::split(message).0;
            let count = if length.is_some() { padded_blocks::<C>(message.len()) } else { blocks.len() };
            let mut variables = C::load_state(isa, state);
            for at in 0..count + usize::from(outer.is_some()) {
                let window = match (blocks.get(at), outer) {
                    (Some(block), _) => C::load_block(isa, block),
                    (None, Some(outer)) if at == count => {
                        let window = C::digest_block(isa, variables);
                        variables = C::load_state(isa, outer);
                        window
                    }
                    _ => {
                        // Pinned, or LLVM would count the bytes before the end in each iteration, in five
                        // ways.
                        let window = C::load_end(isa, message, C::BLOCK_LEN * pin(at as u64) as usize);
                        match length {
                            Some(length) if at + 1 == count => C::with_length(isa, window, length),
                            _ => window,
                        }
                    }
                };
                [variables] = C::rounds(isa, [variables], [window]);
            }
            C::store_state(variables, state);
        },
    );
}

/// Compresses the same number of blocks of N messages.
fn run_many<C: InWords<W>, W: Vector, const N: usize>(states: &mut [C::State], messages: &[&[C::Block]]) {
    W::Isa::enter(
        #[inline(always)]
        |isa| {
            let mut variables = [C::load_state(isa, &states[0]); N];
            let mut taken = [messages[0]; N];
            for s in 1..N {
                variables[s] = C::load_state(isa, &states[s]);
                taken[s] = messages[s];
                assert!(taken[s].len() == taken[0].len());
            }
            for at in 0..taken[0].len() {
                let mut windows = [C::load_block(isa, &taken[0][at]); N];
                for s in 1..N {
                    windows[s] = C::load_block(isa, &taken[s][at]);
                }
                variables = C::rounds(isa, variables, windows);
            }
            for s in 0..N {
                C::store_state(variables[s], &mut states[s]);
            }
        },
    );
}

/// Runs PBKDF2 iterations of N chains.
fn iterate<C: InWords<W>, W: Vector, const N: usize>(chains: &mut [Chain<C>], iterations: u32) {
    W::Isa::enter(
        #[inline(always)]
        |isa| {
            let first = C::load_state(isa, &chains[0].inner);
            let (mut middle, mut u, mut sums) = ([[first; N]; 2], [first; N], [first; N]);
            for s in 0..N {
                let chain = &chains[s];
                middle[0][s] = C::load_state(isa, &chain.inner);
                middle[1][s] = C::load_state(isa, &chain.outer);
                u[s] = C::load_state(isa, &chain.u);
                sums[s] = C::load_state(isa, &chain.sum);
            }
            for at in 0..2 * u64::from(iterations) {
                u = run_digests::<C, W, N>(isa, middle[(at % 2) as usize], u);
                if at % 2 == 1 {
                    sums = xor::<C, W, N>(sums, u);
                }
            }
            for s in 0..N {
                C::store_state(u[s], &mut chains[s].u);
                C::store_state(sums[s], &mut chains[s].sum);
            }
        },
    );
}

/// Takes digests as the last blocks of HMAC's two hashes.
#[inline(always)]
fn run_digests<C: InWords<W>, W: Vector, const N: usize>(
    isa: W::Isa,
    middle: [C::Variables; N],
    digests: [C::Variables; N],
) -> [C::Variables; N] {
    let mut windows = [C::digest_block(isa, digests[0]); N];
    for s in 1..N {
        windows[s] = C::digest_block(isa, digests[s]);
    }
    C::rounds(isa, middle, windows)
}

#[inline(always)]
fn xor<C: InWords<W>, W: Vector, const N: usize>(
    mut a: [C::Variables; N],
    b: [C::Variables; N],
) -> [C::Variables; N] {
    for s in 0..N {
        a[s] = C::xor_variables(a[s], b[s]);
    }
    a
}
