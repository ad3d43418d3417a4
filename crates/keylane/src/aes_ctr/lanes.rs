//! AES-CTR over vectors of N blocks, eight at a time, then four, two and one.
//!
//! The counter is a number of 128 bits that wraps. A group looks once at where its blocks carry: as a rule only the last
//! byte counts, and the big-endian block is added to as it is; else the lower 64 bits count in little-endian lanes; else,
//! once in 2^64 blocks, every counter is made by itself.

use crate::aes::RoundKeys;
use crate::aes::rounds::{encrypt, for_rounds};
use crate::unroll::each;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::AesBlocks;
use keylane_cpu::pin::pin_here;
use keylane_cpu::wipe::wipe;

/// Adds the key stream from the block `counter` on; G is 8 × N. `last` becomes the key stream of a last block that is
/// not whole.
#[inline(always)]
pub(super) fn xor_keystream<V: AesBlocks<N>, const N: usize, const G: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    counter: u128,
    text: &mut InOut<'_>,
    last: &mut [u8; 16],
) {
    for_rounds!(keys.rounds, R => run::<V, R, N, G>(isa, keys, counter, text, last));
}

#[inline(always)]
fn run<V: AesBlocks<N>, const R: usize, const N: usize, const G: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    mut counter: u128,
    text: &mut InOut<'_>,
    last: &mut [u8; 16],
) {
    const { assert!(G == 8 * N) }
    let counter = &mut counter;
    let mut text = text.take_front(text.len());
    let last_key = V::broadcast(isa, &keys.keys[R]);
    while let Some(mut group) = text.take::<G>() {
        let mut states = next::<V, N, 8>(isa, counter);
        encrypt::<V, R, N, 8>(isa, keys, &mut states);
        each!(J in [0 1 2 3 4 5 6 7] {
            // One exclusive or with both, off the path through the rounds.
            let input = group.load::<V, N>(isa, N * J) ^ last_key;
            group.store(N * J, states[J].encrypt_last_round(input));
        });
    }
    if text.len() >= 8 * G {
        vectors::<V, R, N, 4>(isa, keys, counter, &mut text);
    }
    if text.len() >= 4 * G {
        vectors::<V, R, N, 2>(isa, keys, counter, &mut text);
    }
    if text.len() >= 2 * G {
        vectors::<V, R, N, 1>(isa, keys, counter, &mut text);
    }
    if !text.is_empty() {
        let len = text.len();
        let mut states = next::<V, N, 1>(isa, counter);
        encrypt::<V, R, N, 1>(isa, keys, &mut states);
        let stream = states[0].encrypt_last_round(last_key);
        text.store_front(text.load_front::<V, N>(isa) ^ stream);
        if len % 16 != 0 {
            let mut blocks = [[0; 16]; N];
            stream.store(&mut blocks);
            *last = blocks[len / 16];
            wipe(&mut blocks);
        }
    }
}

/// Some whole vectors.
#[inline(always)]
fn vectors<V: AesBlocks<N>, const R: usize, const N: usize, const W: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    counter: &mut u128,
    text: &mut InOut<'_>,
) {
    let mut states = next::<V, N, W>(isa, counter);
    encrypt::<V, R, N, W>(isa, keys, &mut states);
    let last_key = V::broadcast(isa, &keys.keys[R]);
    each!(J in [0 1 2 3 4 5 6 7] { if J < W {
        // One exclusive or with both, off the path through the rounds.
        let input = text.load_front::<V, N>(isa) ^ last_key;
        text.store_front(states[J].encrypt_last_round(input));
    } });
}

/// The next counter blocks.
#[inline(always)]
fn next<V: AesBlocks<N>, const N: usize, const W: usize>(isa: V::Isa, counter: &mut u128) -> [V; W] {
    let mut blocks = [V::zero(isa); W];
    let first = *counter;
    *counter = first.wrapping_add((N * W) as u128);
    if first as u64 & 0xff <= 256 - (N * W) as u64 {
        let first = V::splat(isa, first.swap_bytes());
        each!(J in [0 1 2 3 4 5 6 7] { if J < W {
            blocks[J] = first.add32(V::load(isa, &const { ahead::<N>(J * N, 15) }));
        } });
        return blocks;
    }
    // Pinned here: else LLVM computes this for every group, needed or not.
    let (low, high) = (pin_here(first as u64), pin_here((first >> 64) as u64));
    let first = u128::from(low) | u128::from(high) << 64;
    if low.checked_add((N * W) as u64).is_some() {
        let first = V::splat(isa, first);
        each!(J in [0 1 2 3 4 5 6 7] { if J < W {
            blocks[J] = first.add64(V::load(isa, &const { ahead::<N>(J * N, 0) })).reverse_bytes();
        } });
        return blocks;
    }
    for j in 0..W {
        let mut each = [[0; 16]; N];
        for i in 0..N {
            each[i] = first.wrapping_add((j * N + i) as u128).to_be_bytes();
        }
        blocks[j] = V::load(isa, &each);
    }
    blocks
}

/// `first`, `first` + 1, … in byte `byte` of each block.
const fn ahead<const N: usize>(first: usize, byte: usize) -> [[u8; 16]; N] {
    let mut blocks = [[0; 16]; N];
    let mut i = 0;
    while i < N {
        blocks[i][byte] = (first + i) as u8;
        i += 1;
    }
    blocks
}
