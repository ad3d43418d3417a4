//! AES-CTR over vectors of N blocks, eight vectors at a time, then the rest together.
//!
//! A big-endian counter is a number of 128 bits that wraps. Each group of vectors checks once how far its
//! counters carry. Usually only the last byte changes, and is added to in the big-endian block. Otherwise
//! both halves are added to in little-endian lanes, and a table has the carries into the upper halves. A
//! little-endian counter is added to in the block's first 32 bits.

use super::{Kernel, Part};
use crate::aes::rounds::{encrypt, encrypt_rolled, encrypt_ten};
use crate::aes::{Order, RoundKeys};
use crate::backend::Shape;
use crate::unroll::each;
use core::marker::PhantomData;
use keylane_cpu::InstructionSet;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::AesBlocks;
use keylane_cpu::pin::Scalar;
use keylane_cpu::wipe::wipe;

/// Counter mode over vectors of N blocks.
pub(crate) struct Lanes<V, const N: usize>(PhantomData<fn() -> V>);

impl<V: AesBlocks<N> + 'static, const N: usize> Shape for Lanes<V, N> {
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);
}

impl<V: AesBlocks<N> + 'static, const N: usize> Kernel for Lanes<V, N> {
    fn xor_keystream(&self, part: &mut Part<'_>) {
        if part.text.len() >= 16 * 8 * N {
            V::Isa::enter(
                #[inline(always)]
                |isa| all_groups::<V, N>(isa, part),
            );
        }
        // A function of its own, which takes less of the stack and of the cache for a short text.
        if !part.text.is_empty() {
            V::Isa::enter(
                #[inline(always)]
                |isa| rest::<V, N>(isa, part),
            );
        }
    }
}

/// Encrypts all whole groups.
#[inline(always)]
fn all_groups<V: AesBlocks<N>, const N: usize>(isa: V::Isa, part: &mut Part<'_>) {
    const { assert!(8 * N <= MAX_BLOCKS) }
    // With 32 registers, which vectors of four blocks come with, the rounds are a loop, which is less code to
    // fetch and takes no longer. With 16, it takes up to 4 % longer, and AES-128 has its own code: checks for
    // more rounds after the tenth would also cost it 4 %.
    if const { N < 4 } && part.keys.rounds == 10 {
        groups::<V, true, N>(isa, part);
    } else {
        groups::<V, false, N>(isa, part);
    }
}

/// Encrypts all whole groups, perhaps with TEN rounds.
#[inline(always)]
fn groups<V: AesBlocks<N>, const TEN: bool, const N: usize>(isa: V::Isa, part: &mut Part<'_>) {
    let Part { keys, order, ref mut counter, ref mut text, .. } = *part;
    let last_key = V::broadcast(isa, &keys.keys[14]);
    let (mut first, step) = begin::<V, N>(isa, order, *counter);
    while let Some(mut group) = text.take::<N, 8>() {
        let mut states = counters::<V, N, 8>(isa, order, *counter, (first, step));
        // The next group's first vector comes before the rounds, which hide its latency.
        let low = *counter as u8;
        *counter = counter.wrapping_add(8 * N as u128);
        if order == Order::Little || *counter as u8 > low {
            first = states[7].add32(step);
        } else if text.len() >= 16 * 8 * N {
            (first, _) = begin(isa, order, *counter);
        }
        if const { N == 4 } {
            encrypt_rolled(isa, keys, &mut states);
        } else if TEN {
            encrypt_ten(isa, keys, &mut states);
        } else {
            encrypt(isa, keys, &mut states);
        }
        for j in 0..8 {
            // The text is added to the last key, which is off the critical path.
            let input = group.load::<V>(isa, j) ^ last_key;
            group.store(j, states[j].encrypt_last_round(input));
        }
    }
}

/// Encrypts less than a group.
#[inline(always)]
fn rest<V: AesBlocks<N>, const N: usize>(isa: V::Isa, part: &mut Part<'_>) {
    let Part { keys, order, counter, ref mut text, ref mut last } = *part;
    let text = &mut text.reborrow();
    let state = if text.len() <= 16 * N {
        vectors::<V, N, 1>(isa, keys, order, counter, text)
    } else if text.len() <= 16 * 2 * N {
        vectors::<V, N, 2>(isa, keys, order, counter, text)
    } else if text.len() <= 16 * 4 * N {
        vectors::<V, N, 4>(isa, keys, order, counter, text)
    } else {
        vectors::<V, N, 8>(isa, keys, order, counter, text)
    };
    let len = text.len();
    if len > 0 {
        let stream = state.encrypt_last_round(V::broadcast(isa, &keys.keys[14]));
        text.store_front(text.load_front::<V, N>(isa) ^ stream);
        if len % 16 != 0 {
            let mut blocks = [[0; 16]; N];
            stream.store(&mut blocks);
            **last = blocks[len / 16];
            wipe(&mut blocks);
        }
    }
}

/// Encrypts at most W whole vectors. Returns the state, before its last round, of the vector after them.
#[inline(always)]
fn vectors<V: AesBlocks<N>, const N: usize, const W: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    order: Order,
    counter: u128,
    text: &mut InOut<'_>,
) -> V {
    let mut states = counters::<V, N, W>(isa, order, counter, begin(isa, order, counter));
    encrypt(isa, keys, &mut states);
    let last_key = V::broadcast(isa, &keys.keys[14]);
    each!(J in [0 1 2 3 4 5 6 7] { if const { J < W } {
        let Some(mut vector) = text.take::<N, 1>() else { return states[J] };
        vector.store(0, states[J].encrypt_last_round(vector.load::<V>(isa, 0) ^ last_key));
    } });
    states[W - 1]
}

/// Returns the vector of blocks that begins at a counter, and what is added to make the next vector.
#[inline(always)]
pub(crate) fn begin<V: AesBlocks<N>, const N: usize>(isa: V::Isa, order: Order, counter: u128) -> (V, V) {
    let (block, [ahead, step]) = match order {
        Order::Little => (counter, const { &numbers::<N>(0) }),
        Order::Big => (counter.swap_bytes(), const { &numbers::<N>(15) }),
    };
    (V::splat(isa, block).add32(V::load(isa, ahead)), V::broadcast(isa, &step[0]))
}

/// Returns the counter blocks of W vectors, given what [`begin`] returns.
#[inline(always)]
fn counters<V: AesBlocks<N>, const N: usize, const W: usize>(
    isa: V::Isa,
    order: Order,
    first: u128,
    (block, step): (V, V),
) -> [V; W] {
    let mut blocks = [block; W];
    if order == Order::Little || first as u64 & 0xff <= 256 - (N * W) as u64 {
        for j in 1..W {
            // Pinned, since LLVM would otherwise multiply the step by `j`.
            blocks[j] = blocks[j - 1].add32(step).pin();
        }
        return blocks;
    }
    // Pinned here, since LLVM would otherwise compute this for every group, needed or not.
    let (low, high) = ((first as u64).pin_here(), ((first >> 64) as u64).pin_here());
    let [ahead, step] = const { &numbers::<N>(0) };
    let mut next = V::splat(isa, u128::from(low) | u128::from(high) << 64).add64(V::load(isa, ahead));
    // If any block carries, the last `low % MAX_BLOCKS` of MAX_BLOCKS do.
    let carry = low.checked_add(MAX_BLOCKS as u64).is_none();
    let carries = &CARRIES[if carry { low as usize % MAX_BLOCKS } else { 0 }..];
    for j in 0..W {
        let carries = V::load(isa, carries[N * j..].first_chunk().expect("as many as there are blocks"));
        blocks[j] = next.add64(carries).reverse_bytes();
        next = next.add64(V::broadcast(isa, &step[0]));
    }
    blocks
}

/// The maximum number of blocks in a group.
const MAX_BLOCKS: usize = 32;

/// No carries, then carries into the upper halves.
static CARRIES: [[u8; 16]; 2 * MAX_BLOCKS] = {
    let mut blocks = [[0; 16]; 2 * MAX_BLOCKS];
    let mut i = MAX_BLOCKS;
    while i < 2 * MAX_BLOCKS {
        blocks[i][8] = 1;
        i += 1;
    }
    blocks
};

/// Returns the numbers of a vector's blocks and those of the next, each in that byte of a block.
const fn numbers<const N: usize>(byte: usize) -> [[[u8; 16]; N]; 2] {
    let mut vectors = [[[0; 16]; N]; 2];
    let mut i = 0;
    while i < 2 * N {
        vectors[i / N][i % N][byte] = i as u8;
        i += 1;
    }
    vectors
}
