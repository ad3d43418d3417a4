//! Compression functions, and what is the same for every hash built from one: SHA-1 and SHA-2 differ in their words,
//! their rounds and nothing else that this module sees.
//!
//! The Merkle–Damgård construction (FIPS 180-4 §5 and §6): a state, whole blocks absorbed into it, and padding that
//! ends with the message's length.

pub(crate) mod chain;
pub(crate) mod keyed;
pub(crate) mod many;
pub(crate) mod running;
pub(crate) mod self_test;
#[cfg(test)]
mod tests;

use crate::backend::Backends;
use keylane_cpu::wipe::{Wipe, wipe};

/// A compression function: its shapes, and the list of its implementations.
pub trait Compression: Copy + Sized + 'static {
    /// The chaining value.
    type State: Copy + Wipe + Send + Sync + PartialEq + 'static;
    /// What is absorbed at once.
    type Block: Copy + Wipe + AsRef<[u8]> + AsMut<[u8]> + Send + Sync + 'static;

    const BLOCK_LEN: usize;
    /// The length of the field at the end of the padding, in bytes.
    const LENGTH_LEN: usize;
    /// The length of a word, in bytes.
    const WORD_LEN: usize;
    /// The length of the state, in bytes.
    const STATE_LEN: usize;
    const ZERO_BLOCK: Self::Block;
    const ZERO_STATE: Self::State;

    fn backends() -> &'static Backends<dyn Kernel<Self>>;
    /// Whole blocks and the rest.
    fn split(data: &[u8]) -> (&[Self::Block], &[u8]);
    /// Writes the state's first bytes, words in big-endian order, until `out` is full.
    fn store(state: &Self::State, out: &mut [u8]);
    /// Reads a state from [`STATE_LEN`](Self::STATE_LEN) bytes.
    fn load(bytes: &[u8]) -> Self::State;
    /// The bitwise difference, for PBKDF2.
    fn xor(a: &Self::State, b: &Self::State) -> Self::State;
}

/// What an implementation of a compression function can do.
pub trait Kernel<C: Compression>: Send + Sync {
    /// Absorbs whole blocks of one message.
    fn compress(&self, state: &mut C::State, blocks: &[C::Block]);

    /// Absorbs whole blocks of several messages, equally many of each. At most [`MAX_LANES`] messages.
    fn compress_many(&self, states: &mut [C::State], blocks: &[&[C::Block]]) {
        for (state, blocks) in states.iter_mut().zip(blocks) {
            self.compress(state, blocks);
        }
    }

    /// Absorbs the end of a message, which had `length` bytes in all, and its padding. What was absorbed before are
    /// whole blocks.
    fn finish(&self, state: &mut C::State, end: &[u8], length: u64) {
        let (blocks, rest) = C::split(end);
        let mut tail = [C::ZERO_BLOCK; 2];
        let count = padded::<C>(&mut tail, rest, length);
        if !blocks.is_empty() {
            self.compress(state, blocks);
        }
        self.compress(state, &tail[..count]);
        wipe(&mut tail);
    }

    /// As [`finish`](Self::finish) for HMAC's inner hash; then leaves in `inner` what the outer hash, which has absorbed
    /// its key in `outer`, makes of the digest.
    fn finish_hmac(
        &self,
        inner: &mut C::State,
        end: &[u8],
        length: u64,
        outer: &C::State,
        digest_len: usize,
    ) {
        finish_hmac_apart(self, inner, end, length, outer, digest_len);
    }

    /// Runs `iterations` iterations of PBKDF2 on each chain; digests have `digest_len` bytes, a whole number of words.
    /// At most [`MAX_LANES`] chains.
    fn iterate(&self, chains: &mut [chain::Chain<C>], digest_len: usize, iterations: u32) {
        iterate_apart(self, chains, digest_len, iterations);
    }
}

/// The most messages that any kernel takes side by side.
pub(crate) const MAX_LANES: usize = 16;

/// How many blocks `rest` bytes and their padding fill: a one bit, zeros and the length (FIPS 180-4 §5.1).
#[inline(always)]
pub(crate) fn padded_blocks<C: Compression>(rest: usize) -> usize {
    (rest + 1 + C::LENGTH_LEN).div_ceil(C::BLOCK_LEN)
}

/// The last block or two of a message of `length` bytes that ends with `rest`, shorter than a block: padding included.
#[inline(always)]
pub(crate) fn padded<C: Compression>(tail: &mut [C::Block; 2], rest: &[u8], length: u64) -> usize {
    *tail = [C::ZERO_BLOCK; 2];
    let first = tail[0].as_mut();
    first[..rest.len()].copy_from_slice(rest);
    first[rest.len()] = 0x80;
    let count = padded_blocks::<C>(rest.len());
    put_length::<C>(&mut tail[count - 1], length);
    count
}

/// Writes the length field: the message's length in bits, big-endian, at the block's end.
#[inline(always)]
pub(crate) fn put_length<C: Compression>(block: &mut C::Block, length: u64) {
    let bits = (u128::from(length) << 3).to_be_bytes();
    block.as_mut()[C::BLOCK_LEN - C::LENGTH_LEN..].copy_from_slice(&bits[16 - C::LENGTH_LEN..]);
}

/// A block that holds a digest of `digest_len` bytes, and the padding of a message that had one block before it: what
/// HMAC's outer hash and both hashes of a PBKDF2 iteration absorb.
#[inline(always)]
pub(crate) fn digest_block<C: Compression>(state: &C::State, digest_len: usize) -> C::Block {
    let mut block = C::ZERO_BLOCK;
    let bytes = block.as_mut();
    C::store(state, &mut bytes[..digest_len]);
    bytes[digest_len] = 0x80;
    put_length::<C>(&mut block, (C::BLOCK_LEN + digest_len) as u64);
    block
}

/// Hands the messages to `wide` in groups of N, and a rest of fewer than `FROM` to `narrow`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline]
pub(crate) fn in_groups<const N: usize, const FROM: usize, C: Compression, K: Kernel<C>>(
    states: &mut [C::State],
    blocks: &[&[C::Block]],
    narrow: &K,
    wide: impl Fn(&mut [C::State], &[&[C::Block]]),
) {
    for (states, blocks) in states.chunks_mut(N).zip(blocks.chunks(N)) {
        if states.len() < FROM {
            for (state, blocks) in states.iter_mut().zip(blocks) {
                narrow.compress(state, blocks);
            }
        } else {
            wide(states, blocks);
        }
    }
}

/// As [`in_groups`], for PBKDF2's chains.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline]
pub(crate) fn iterate_in_groups<const N: usize, const FROM: usize, C: Compression, K: Kernel<C>>(
    chains: &mut [chain::Chain<C>],
    digest_len: usize,
    iterations: u32,
    narrow: &K,
    wide: impl Fn(&mut [chain::Chain<C>]),
) {
    for chains in chains.chunks_mut(N) {
        if chains.len() < FROM {
            narrow.iterate(chains, digest_len, iterations);
        } else {
            wide(chains);
        }
    }
}

/// A step of every stream. Not a `for`: without optimisation its range costs more than the SHA instructions in it.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! each_stream {
    ($s:ident < $count:ident $body:block) => {
        let mut $s = 0;
        while $s < $count {
            $body
            $s += 1;
        }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use each_stream;

/// How many messages a kernel that interleaves takes next: four, two or one, three being run as four.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) enum Streams {
    One,
    Two,
    /// The place of the fourth message: 3, or 2 again.
    Four(usize),
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl Streams {
    #[inline(always)]
    pub(crate) fn of(left: usize) -> Self {
        match left {
            1 => Self::One,
            2 => Self::Two,
            3 => Self::Four(2),
            _ => Self::Four(3),
        }
    }

    /// How many messages that is.
    #[inline(always)]
    pub(crate) fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Four(last) => last + 1,
        }
    }
}

/// HMAC's two hashes one after the other, the digest going through memory.
pub(crate) fn finish_hmac_apart<C: Compression, K: Kernel<C> + ?Sized>(
    kernel: &K,
    inner: &mut C::State,
    end: &[u8],
    length: u64,
    outer: &C::State,
    digest_len: usize,
) {
    kernel.finish(inner, end, length);
    let mut block = digest_block::<C>(inner, digest_len);
    *inner = *outer;
    kernel.compress(inner, core::slice::from_ref(&block));
    wipe(&mut block);
}

/// PBKDF2's chains one after the other, each digest going through memory.
fn iterate_apart<C: Compression, K: Kernel<C> + ?Sized>(
    kernel: &K,
    chains: &mut [chain::Chain<C>],
    digest_len: usize,
    iterations: u32,
) {
    for chain in chains {
        chain.iterate_by(digest_len, iterations, |state, block| {
            kernel.compress(state, core::slice::from_ref(block));
        });
    }
}

/// Runs `whole` on chains of whole digests, and truncated ones one after the other.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) fn iterate_whole_digests<C: Compression, K: Kernel<C>>(
    kernel: &K,
    chains: &mut [chain::Chain<C>],
    digest_len: usize,
    iterations: u32,
    whole: impl FnOnce(&mut [chain::Chain<C>]),
) {
    if digest_len == C::STATE_LEN {
        whole(chains);
    } else {
        iterate_apart(kernel, chains, digest_len, iterations);
    }
}
