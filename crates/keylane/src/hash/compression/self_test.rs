//! The self-test of a compression kernel: a known answer, and every number of lanes compared with it.

use super::chain::Chain;
use super::{Block, Compression, Kernel, MAX_LANES, digest_block, padded};

/// The number of blocks in the self-test's messages.
const BLOCKS: usize = 3;

/// Returns whether `kernel` computes the known answer, and the same for every number of lanes.
///
/// The answer is the state after a painted state has absorbed three painted blocks. The lanes and the PBKDF2
/// chains are then compared with `compress`, which has passed that test.
pub(crate) fn passes<C: Compression>(kernel: &dyn Kernel<C>, answer: &C::State) -> bool {
    let mut messages = [[C::Block::ZERO; BLOCKS]; MAX_LANES];
    let mut starts = [C::ZERO_STATE; MAX_LANES];
    for (lane, (message, start)) in messages.iter_mut().zip(&mut starts).enumerate() {
        for (at, block) in message.iter_mut().enumerate() {
            paint(block.as_mut(), lane * 31 + at * 97);
        }
        let mut bytes = C::Block::ZERO;
        paint(bytes.as_mut(), lane * 13);
        *start = C::load(&bytes.as_ref()[..C::STATE_LEN]);
    }

    let mut state = starts[0];
    kernel.compress(&mut state, &messages[0]);
    if state != *answer {
        return false;
    }

    let mut expected = starts;
    for (state, message) in expected.iter_mut().zip(&messages) {
        kernel.compress(state, message);
    }
    let mut slices: [&[C::Block]; MAX_LANES] = [&[]; MAX_LANES];
    for (slice, message) in slices.iter_mut().zip(&messages) {
        *slice = message;
    }
    for lanes in 0..=MAX_LANES {
        let mut states = starts;
        kernel.compress_many(&mut states[..lanes], &slices[..lanes]);
        if states[..lanes] != expected[..lanes] || states[lanes..] != starts[lanes..] {
            return false;
        }
    }

    if !ends_are_right(kernel, &starts, messages[1][0].as_ref()) {
        return false;
    }

    let mut chains = [Chain::<C>::EMPTY; MAX_LANES];
    for (lane, chain) in chains.iter_mut().enumerate() {
        let other = starts[(lane + 1) % MAX_LANES];
        *chain = Chain { inner: starts[lane], outer: other, u: expected[lane], sum: expected[lane] };
    }
    // All lanes of a short digest, and each number of lanes of a whole one.
    let mut short = chains;
    kernel.iterate(&mut short, C::STATE_LEN - C::WORD_LEN, 2);
    let short_len = C::STATE_LEN - C::WORD_LEN;
    if short
        .iter()
        .zip(&chains)
        .any(|(got, chain)| !same_digest::<C>(&got.sum, &iterated(kernel, chain, short_len), short_len))
    {
        return false;
    }
    let mut wanted = [C::ZERO_STATE; MAX_LANES];
    for (wanted, chain) in wanted.iter_mut().zip(&chains) {
        *wanted = iterated(kernel, chain, C::STATE_LEN);
    }
    (1..=MAX_LANES).all(|lanes| {
        let mut got = chains;
        kernel.iterate(&mut got[..lanes], C::STATE_LEN, 2);
        got[..lanes].iter().zip(&wanted).all(|(got, wanted)| got.sum == *wanted)
    })
}

/// Returns whether messages of every length up to a block, each after a whole block, are padded right.
fn ends_are_right<C: Compression>(
    kernel: &dyn Kernel<C>,
    starts: &[C::State; MAX_LANES],
    bytes: &[u8],
) -> bool {
    (0..=bytes.len()).all(|len| {
        let (end, length) = (&bytes[..len], (C::BLOCK_LEN + len) as u64);
        let (blocks, rest) = C::Block::split(end);
        let mut tail = [C::Block::ZERO; 2];
        let count = padded::<C>(&mut tail, rest, length);
        let mut expected = starts[0];
        kernel.compress(&mut expected, blocks);
        kernel.compress(&mut expected, &tail[..count]);
        let mut finished = starts[0];
        kernel.finish(&mut finished, end, length);

        let digest_len = C::STATE_LEN - if len % 8 == 0 { C::WORD_LEN } else { 0 };
        let mut expected_mac = starts[1];
        let block = digest_block::<C>(&expected, digest_len);
        kernel.compress(&mut expected_mac, core::slice::from_ref(&block));
        let mut mac = starts[0];
        kernel.finish_hmac(&mut mac, end, length, &starts[1], digest_len);
        finished == expected && mac == expected_mac
    })
}

/// Returns the sum of a chain after two iterations.
#[inline(never)]
fn iterated<C: Compression>(kernel: &dyn Kernel<C>, chain: &Chain<C>, digest_len: usize) -> C::State {
    let mut chain = *chain;
    chain.iterate_by(digest_len, 2, |state, block| {
        kernel.compress(state, core::slice::from_ref(block));
    });
    chain.sum
}

fn same_digest<C: Compression>(a: &C::State, b: &C::State, digest_len: usize) -> bool {
    let (mut x, mut y) = (C::Block::ZERO, C::Block::ZERO);
    C::store(a, &mut x.as_mut()[..digest_len]);
    C::store(b, &mut y.as_mut()[..digest_len]);
    x.as_ref() == y.as_ref()
}

/// Fills memory with bytes whose period no block length divides.
#[inline(never)]
fn paint(bytes: &mut [u8], from: usize) {
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = ((from + i) % 251) as u8;
    }
}
