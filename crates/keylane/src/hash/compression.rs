//! Compression functions and the code that all hashes share. For this module, SHA-1 and SHA-2 differ only in
//! their words and rounds.
//!
//! The Merkle–Damgård construction (FIPS 180-4 §5 and §6) has a state, which absorbs whole blocks, and
//! padding that ends with the message's length.

pub(crate) mod chain;
pub(crate) mod context;
pub(crate) mod lanes;
pub(crate) mod many;
pub(crate) mod self_test;
#[cfg(test)]
mod tests;
#[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
pub(crate) mod two_blocks;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod words;

pub(crate) use context::Context;
pub(crate) use many::Batch;

use crate::backend::Backends;
use crate::byte_array::ByteArray;
use crate::unroll::each;
use keylane_cpu::lanes::Lanes;
use keylane_cpu::pin::Scalar;
use keylane_cpu::wipe::{Wipe, wipe};
use keylane_cpu::{IS_SMALL, Portable};

/// A compression function: its types and lengths, and the list of its implementations.
pub trait Compression: Copy + Sized + Send + Sync + 'static {
    /// `u32` or `u64`.
    type Word: Scalar<Bytes: ByteArray> + Wipe + Send + Sync + PartialEq + 'static;
    /// A vector of one word.
    type Vector: Lanes<Isa = Portable>;
    /// The chaining value: an array of words.
    type State: Copy + AsRef<[Self::Word]> + AsMut<[Self::Word]> + Wipe + Send + Sync + PartialEq + 'static;
    /// Sixteen words.
    type Block: ByteArray + Wipe;

    /// The length of a word, in bytes.
    const WORD_LEN: usize = size_of::<Self::Word>();
    const BLOCK_LEN: usize = size_of::<Self::Block>();
    /// The length of the field at the end of the padding, in bytes.
    const LENGTH_LEN: usize = 2 * Self::WORD_LEN;
    /// The length of the state, in bytes.
    const STATE_LEN: usize = size_of::<Self::State>();
    const ZERO_STATE: Self::State;
    /// The state after the self-test's message.
    const ANSWER: Self::State;
    /// The kernels on the list.
    type Chosen: Kernel<Self> + ?Sized + 'static;

    fn backends() -> &'static Backends<Self::Chosen>;

    /// Returns the kernel for one message.
    #[inline]
    fn chosen() -> &'static Self::Chosen {
        Self::backends().chosen()
    }

    // These are long, so that each implementation has them compiled, by `compiled_here!`.

    /// Absorbs `data`.
    fn update(context: &mut Context<Self>, data: &[u8]);
    /// Calls [`Context::absorb_many`].
    fn update_many(pairs: &mut dyn Iterator<Item = (&mut Context<Self>, &[u8])>);
    /// Fills `out` with digests or tags of as many messages as it has room for, in order.
    fn hash(batch: &Batch<'_, '_, Self>, out: &mut [u8]);

    /// Fills `out` with the state's first bytes. Words are big-endian.
    ///
    /// Without iterators: a caller that is not optimised would spend most of its time in them.
    #[inline]
    fn store(state: &Self::State, out: &mut [u8]) {
        let (whole, rest) = <Self::Word as Scalar>::Bytes::split_mut(out);
        let words = state.as_ref();
        if const { IS_SMALL } {
            whole.iter_mut().zip(words).for_each(|(out, word)| *out = word.to_bytes());
        }
        each!(I in [0 1 2 3 4 5 6 7] {
            if !IS_SMALL && I < whole.len() {
                whole[I] = words[I].to_bytes();
            }
        });
        if !rest.is_empty() {
            rest.copy_from_slice(&words[whole.len()].to_bytes().as_ref()[..rest.len()]);
        }
    }

    /// Reads a state from [`STATE_LEN`](Self::STATE_LEN) bytes.
    #[inline]
    fn load(bytes: &[u8]) -> Self::State {
        let mut state = Self::ZERO_STATE;
        for (word, bytes) in state.as_mut().iter_mut().zip(bytes.chunks_exact(Self::WORD_LEN)) {
            *word = Self::Word::from_bytes(bytes);
        }
        state
    }

    /// Returns the XOR of two states, for PBKDF2.
    #[inline]
    fn xor(a: &Self::State, b: &Self::State) -> Self::State {
        let mut difference = *a;
        for (a, b) in difference.as_mut().iter_mut().zip(b.as_ref()) {
            *a = *a ^ *b;
        }
        difference
    }
}

/// Compiles the long methods of a [`Compression`] in this crate: generic functions are compiled in each crate
/// that calls them.
macro_rules! compiled_here {
    () => {
        fn update(context: &mut $crate::hash::compression::Context<Self>, data: &[u8]) {
            context.absorb(data);
        }

        fn update_many(
            pairs: &mut dyn Iterator<Item = (&mut $crate::hash::compression::Context<Self>, &[u8])>,
        ) {
            $crate::hash::compression::Context::absorb_many(pairs);
        }

        fn hash(batch: &$crate::hash::compression::Batch<'_, '_, Self>, out: &mut [u8]) {
            batch.hash(out);
        }
    };
}
pub(crate) use compiled_here;

/// An implementation of a compression function.
pub trait Kernel<C: Compression>: Send + Sync {
    /// Absorbs whole blocks of one message.
    fn compress(&self, state: &mut C::State, blocks: &[C::Block]);

    /// Absorbs whole blocks of at most [`MAX_LANES`] messages, the same number of each.
    fn compress_many(&self, states: &mut [C::State], blocks: &[&[C::Block]]) {
        for (state, blocks) in states.iter_mut().zip(blocks) {
            self.compress(state, blocks);
        }
    }

    /// Absorbs the end of a message of `length` bytes, and its padding. Only whole blocks were absorbed
    /// before. In HMAC, `outer` then absorbs the digest, and the result replaces the state.
    #[inline]
    fn finish(&self, state: &mut C::State, end: &[u8], length: u64, outer: Option<&Outer<'_, C>>) {
        finish_via_memory(self, state, end, length, outer);
    }

    /// Fills `out` with what HKDF derives for `info`, from HMAC's midstates, if digests are whole states.
    /// Returns whether it did: most kernels would gain nothing.
    fn expand(&self, _key: [&C::State; 2], _info: &[u8], _out: &mut [u8]) -> bool {
        false
    }

    /// Runs `iterations` iterations of PBKDF2 on each of at most [`MAX_LANES`] chains, with digests as in
    /// [`Outer`].
    fn iterate(&self, chains: &mut [chain::Chain<C>], digest_len: usize, iterations: u32) {
        iterate_via_memory(self, chains, digest_len, iterations);
    }
}

/// The differences between hashes with the same compression function.
pub struct Variant<C: Compression> {
    pub(crate) initial: C::State,
    /// The digest's length in bytes: whole words.
    pub(crate) digest_len: usize,
}

/// HMAC's outer hash.
#[derive(Clone, Copy)]
pub struct Outer<'a, C: Compression> {
    /// The state after the block of the key.
    pub(crate) state: &'a C::State,
    /// The length in bytes of the inner digest: whole words.
    pub(crate) digest_len: usize,
}

/// The maximum number of messages that any kernel hashes in parallel.
pub(crate) const MAX_LANES: usize = crate::backend::MAX_BATCH;

/// Returns the number of blocks that `rest` bytes and their padding fill: a one bit, zeros and the length
/// (FIPS 180-4 §5.1).
#[inline(always)]
pub(crate) fn padded_blocks<C: Compression>(rest: usize) -> usize {
    (rest + 1 + C::LENGTH_LEN).div_ceil(C::BLOCK_LEN)
}

/// Writes the last one or two blocks, padding included, of a message of `length` bytes. `rest` is its end,
/// shorter than a block. Returns the number of blocks. The second block is zero before, or an earlier call's,
/// which wrote its length field alone.
#[inline]
pub(crate) fn padded<C: Compression>(tail: &mut [C::Block; 2], rest: &[u8], length: u64) -> usize {
    tail[0] = C::Block::ZERO;
    put_padding::<C>(tail, rest, length)
}

/// Writes the blocks of [`padded`] over zeros.
#[inline(always)]
pub(crate) fn put_padding<C: Compression>(tail: &mut [C::Block; 2], rest: &[u8], length: u64) -> usize {
    let first = tail[0].as_mut();
    // A copy of nothing is a call as well.
    if !rest.is_empty() {
        first[..rest.len()].copy_from_slice(rest);
    }
    first[rest.len()] = 0x80;
    let count = padded_blocks::<C>(rest.len());
    put_length::<C>(&mut tail[count - 1], length);
    count
}

/// Writes the length field at the block's end: the message's length in bits, big-endian.
#[inline(always)]
pub(crate) fn put_length<C: Compression>(block: &mut C::Block, length: u64) {
    let bits = (u128::from(length) << 3).to_be_bytes();
    block.as_mut()[C::BLOCK_LEN - C::LENGTH_LEN..].copy_from_slice(&bits[16 - C::LENGTH_LEN..]);
}

/// Returns a block with a digest of `digest_len` bytes and the padding of a message that has one block before
/// it. HMAC's outer hash and both hashes of a PBKDF2 iteration absorb such a block.
#[inline(never)]
pub(crate) fn digest_block<C: Compression>(state: &C::State, digest_len: usize) -> C::Block {
    let mut block = C::Block::ZERO;
    put_digest::<C>(&mut block, state, digest_len);
    block
}

/// Writes the block of [`digest_block`].
#[inline]
pub(crate) fn put_digest<C: Compression>(block: &mut C::Block, state: &C::State, digest_len: usize) {
    *block = C::Block::ZERO;
    let bytes = block.as_mut();
    store_digest::<C>(state, &mut bytes[..digest_len]);
    bytes[digest_len] = 0x80;
    put_length::<C>(block, (C::BLOCK_LEN + digest_len) as u64);
}

/// Writes a digest. In each arm the compiler knows its length: a loop over words costs a tenth of a short
/// message.
#[inline(always)]
pub(crate) fn store_digest<C: Compression>(state: &C::State, out: &mut [u8]) {
    match out.len() {
        _ if IS_SMALL => C::store(state, out),
        20 if C::STATE_LEN == 20 => C::store(state, &mut out[..20]),
        28 if C::STATE_LEN == 32 => C::store(state, &mut out[..28]),
        32 if C::STATE_LEN >= 32 => C::store(state, &mut out[..32]),
        48 if C::STATE_LEN == 64 => C::store(state, &mut out[..48]),
        64 if C::STATE_LEN == 64 => C::store(state, &mut out[..64]),
        _ => C::store(state, out),
    }
}

/// Returns the block of [`digest_block`] without the digest, in words.
pub(crate) fn padding_words<C: Compression>(digest_len: usize) -> [C::Word; 16] {
    let mut words = [C::Word::from_low(0); 16];
    put_padding_words::<C>(&mut words, digest_len);
    words
}

/// Writes [`padding_words`] over zeros.
#[inline(always)]
pub(crate) fn put_padding_words<C: Compression>(words: &mut [C::Word; 16], digest_len: usize) {
    words[digest_len / C::WORD_LEN] = C::Word::from_low(0x80 << (8 * (C::WORD_LEN - 1)));
    words[15] = C::Word::from_low(8 * (C::BLOCK_LEN + digest_len) as u64);
}

/// Implements [`Kernel::finish`] with blocks that are built in memory. Inlined, so that a device that only
/// hashes has no code for HMAC.
#[inline]
pub(crate) fn finish_via_memory<C: Compression, K: Kernel<C> + ?Sized>(
    kernel: &K,
    state: &mut C::State,
    end: &[u8],
    length: u64,
    outer: Option<&Outer<'_, C>>,
) {
    finish_message_via_memory(kernel, state, end, length);
    if let Some(outer) = outer {
        finish_outer_via_memory(kernel, state, outer);
    }
}

#[inline(never)]
fn finish_message_via_memory<C: Compression, K: Kernel<C> + ?Sized>(
    kernel: &K,
    state: &mut C::State,
    end: &[u8],
    length: u64,
) {
    let (blocks, rest) = C::Block::split(end);
    if !blocks.is_empty() {
        kernel.compress(state, blocks);
    }
    // One block at a time: a device may have little stack.
    let mut tail = C::Block::ZERO;
    tail.as_mut()[..rest.len()].copy_from_slice(rest);
    tail.as_mut()[rest.len()] = 0x80;
    if padded_blocks::<C>(rest.len()) > 1 {
        kernel.compress(state, core::slice::from_ref(&tail));
        tail = C::Block::ZERO;
    }
    put_length::<C>(&mut tail, length);
    kernel.compress(state, core::slice::from_ref(&tail));
    wipe(&mut tail);
}

/// Lets HMAC's outer hash absorb the digest, which goes through memory.
#[inline(never)]
pub(crate) fn finish_outer_via_memory<C: Compression, K: Kernel<C> + ?Sized>(
    kernel: &K,
    state: &mut C::State,
    outer: &Outer<'_, C>,
) {
    let mut block = digest_block::<C>(state, outer.digest_len);
    *state = *outer.state;
    kernel.compress(state, core::slice::from_ref(&block));
    wipe(&mut block);
}

/// Computes PBKDF2's chains one after the other. The digests go through memory.
pub(crate) fn iterate_via_memory<C: Compression, K: Kernel<C> + ?Sized>(
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
