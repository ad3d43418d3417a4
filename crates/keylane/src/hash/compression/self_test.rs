//! The self-test of a compression kernel: a known answer, and every number of lanes compared with it.

use super::chain::Chain;
use super::{Compression, Kernel, MAX_LANES, Outer, digest_block, padded};
use crate::byte_array::ByteArray;

/// The number of blocks in the self-test's messages.
const BLOCKS: usize = 3;
/// Memory of which all messages and states are parts.
type Memory<C> = [<C as Compression>::Block; BLOCKS + 1];
/// The number of chains with 64-bit words, more than any kernel iterates at a time. More would need too much
/// stack.
pub(super) const CHAINS_OF_64: usize = if MAX_LANES < 9 { MAX_LANES } else { 9 };

/// Returns whether `kernel` computes the known answer, and the same in every way for one message.
///
/// The answer is the state after a painted state has absorbed three painted blocks. All else is then compared
/// with `compress`, which has passed that test.
pub(crate) fn passes<C: Compression>(kernel: &(impl Kernel<C> + ?Sized)) -> bool {
    let memory = memory::<C>();
    let mut state = start::<C>(&memory, 0);
    kernel.compress(&mut state, message::<C>(&memory, 0));
    state == C::ANSWER
        && compresses_many::<C, _, 1>(kernel, &memory)
        && ends_are_right::<C>(kernel, &memory)
        && expands::<C>(kernel, &memory)
        && iterates::<C, _, 1>(kernel, &memory)
}

/// Returns whether every number of messages and of PBKDF2's chains is processed as each of them alone.
pub(crate) fn passes_side_by_side<C: Compression>(kernel: &(impl Kernel<C> + ?Sized)) -> bool {
    let memory = memory::<C>();
    let iterates =
        if const { C::WORD_LEN == 8 } { iterates::<C, _, CHAINS_OF_64> } else { iterates::<C, _, MAX_LANES> };
    compresses_many::<C, _, MAX_LANES>(kernel, &memory) && iterates(kernel, &memory)
}

fn memory<C: Compression>() -> Memory<C> {
    let mut memory = [C::Block::ZERO; BLOCKS + 1];
    for (at, block) in memory.iter_mut().enumerate() {
        paint(block.as_mut(), at * 97);
    }
    memory
}

/// Returns the message of a lane.
fn message<C: Compression>(memory: &Memory<C>, lane: usize) -> &[C::Block] {
    &C::Block::split(&C::Block::bytes(memory)[lane..]).0[..BLOCKS]
}

/// Returns the state of a lane before its message.
fn start<C: Compression>(memory: &Memory<C>, lane: usize) -> C::State {
    C::load(&C::Block::bytes(memory)[13 * lane..][..C::STATE_LEN])
}

/// Returns whether every number of lanes, up to N, absorbs what each lane absorbs alone.
#[inline(never)]
fn compresses_many<C: Compression, K: Kernel<C> + ?Sized, const N: usize>(
    kernel: &K,
    memory: &Memory<C>,
) -> bool {
    let mut messages: [&[C::Block]; N] = [&[]; N];
    let mut expected = [C::ZERO_STATE; N];
    for (lane, (slice, state)) in messages.iter_mut().zip(&mut expected).enumerate() {
        (*slice, *state) = (message::<C>(memory, lane), start::<C>(memory, lane));
        kernel.compress(state, slice);
    }
    (0..=N).all(|lanes| {
        let mut states = [C::ZERO_STATE; N];
        for (lane, state) in states.iter_mut().enumerate() {
            *state = start::<C>(memory, lane);
        }
        kernel.compress_many(&mut states[..lanes], &messages[..lanes]);
        let after = |lane| if lane < lanes { expected[lane] } else { start::<C>(memory, lane) };
        states.iter().enumerate().all(|(lane, state)| *state == after(lane))
    })
}

/// Returns whether messages of every length up to a block, each after a whole block, are padded right.
#[inline(never)]
fn ends_are_right<C: Compression>(kernel: &(impl Kernel<C> + ?Sized), memory: &Memory<C>) -> bool {
    let (inner, outer) = (start::<C>(memory, 0), start::<C>(memory, 1));
    let bytes = &C::Block::bytes(memory)[1..=C::BLOCK_LEN];
    (0..=bytes.len()).all(|len| {
        let (end, length) = (&bytes[..len], (C::BLOCK_LEN + len) as u64);
        let (blocks, rest) = C::Block::split(end);
        let mut tail = [C::Block::ZERO; 2];
        let count = padded::<C>(&mut tail, rest, length);
        let mut expected = inner;
        kernel.compress(&mut expected, blocks);
        kernel.compress(&mut expected, &tail[..count]);
        let mut finished = inner;
        kernel.finish(&mut finished, end, length, None);

        let digest_len = C::STATE_LEN - if len % 8 == 0 { C::WORD_LEN } else { 0 };
        let mut expected_mac = outer;
        let block = digest_block::<C>(&expected, digest_len);
        kernel.compress(&mut expected_mac, core::slice::from_ref(&block));
        let mut mac = inner;
        kernel.finish(&mut mac, end, length, Some(&Outer { state: &outer, digest_len }));
        finished == expected && mac == expected_mac
    })
}

/// Returns whether HKDF's first two blocks are right, if the kernel makes them.
#[inline(never)]
fn expands<C: Compression>(kernel: &(impl Kernel<C> + ?Sized), memory: &Memory<C>) -> bool {
    let (inner, outer, mut out) = (start::<C>(memory, 0), start::<C>(memory, 1), [0; 42]);
    let (mut message, mut block) = ([7; 43], [0; 32]);
    !kernel.expand([&inner, &outer], &message[32..42], &mut out)
        || out.chunks(32).zip([(1, 32), (2, 0)]).all(|(out, (number, from))| {
            message[..32].copy_from_slice(&block);
            message[42] = number;
            let (end, mut state) = (&message[from..], inner);
            let outer = Outer { state: &outer, digest_len: C::STATE_LEN };
            kernel.finish(&mut state, end, (C::BLOCK_LEN + end.len()) as u64, Some(&outer));
            C::store(&state, &mut block);
            *out == block[..out.len()]
        })
}

/// Returns whether every number of chains, up to N, is iterated as each of them alone: all of them with a
/// short digest as well.
#[inline(never)]
fn iterates<C: Compression, K: Kernel<C> + ?Sized, const N: usize>(kernel: &K, memory: &Memory<C>) -> bool {
    let chain = |lane| {
        let [inner, outer, u] = [lane, lane + 1, lane + 2].map(|lane| start::<C>(memory, lane % MAX_LANES));
        Chain { inner, outer, u, sum: u }
    };
    let mut wanted = [C::ZERO_STATE; N];
    let mut chains = [Chain::<C>::EMPTY; N];
    [C::STATE_LEN - C::WORD_LEN, C::STATE_LEN].into_iter().all(|digest_len| {
        for (lane, wanted) in wanted.iter_mut().enumerate() {
            *wanted = iterated(kernel, chain(lane), digest_len);
        }
        let fewest = if digest_len < C::STATE_LEN { N } else { 1 };
        (fewest..=N).all(|lanes| {
            for (lane, place) in chains[..lanes].iter_mut().enumerate() {
                *place = chain(lane);
            }
            kernel.iterate(&mut chains[..lanes], digest_len, 2);
            let words = digest_len / C::WORD_LEN;
            let same = |a: &C::State, b: &C::State| a.as_ref()[..words] == b.as_ref()[..words];
            chains[..lanes].iter().zip(&wanted).all(|(got, wanted)| same(&got.sum, wanted))
        })
    })
}

/// Returns the sum of a chain after two iterations.
#[inline(never)]
fn iterated<C: Compression>(
    kernel: &(impl Kernel<C> + ?Sized),
    mut chain: Chain<C>,
    digest_len: usize,
) -> C::State {
    chain.iterate_by(digest_len, 2, |state, block| {
        kernel.compress(state, core::slice::from_ref(block));
    });
    chain.sum
}

/// Fills memory with bytes whose period no block length divides.
#[inline(never)]
fn paint(bytes: &mut [u8], from: usize) {
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = ((from + i) % 251) as u8;
    }
}
