//! The end of a message: at most a group, with the additional data of a short message, and the tag.

use super::absorb::{absorb, block};
use super::counter::Counter;
use crate::aes::RoundKeys;
use crate::aes::rounds::{encrypt, encrypt_both};
use crate::aes_gcm::kernel::{Message, blocks_in};
use crate::ghash::Powers;
use crate::ghash::multiply::Sums;
use crate::unroll::each;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::{AesBlocks, Blocks, CarrylessBlocks};

/// Processes at most eight vectors. Returns the tag, or without the lengths the hash so far.
#[inline(always)]
pub(super) fn end<V, const N: usize>(isa: V::Isa, message: &mut Message<'_>) -> [u8; 16]
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    let Message { seal, key, ref progress, aad, ref mut text, lengths } = *message;
    let mut text = text.reborrow();
    let powers = key.hash.powers.get();
    let hash = V::One::splat(isa, u128::from_le_bytes(progress.hash));
    let mut counter = Counter::<V>::new(isa, progress.first, progress.blocks.wrapping_add(1));
    let (mut sums, mut pending) = absorb::<V, N>(isa, powers, hash, aad, blocks_in(text.len()) + 1);
    let blocks = blocks_in(text.len());
    // The lengths are one more block, unless there is no power left for it.
    let with_lengths = lengths.is_some() && blocks < powers.len();
    let mut power = blocks + usize::from(with_lengths);
    macro_rules! at_most {
        ($vectors:expr) => {
            vectors::<V, N, { $vectors }>(
                isa, seal, &key.rounds, powers, progress.first, &mut counter, &mut power, &mut sums,
                &mut pending, &mut text,
            )
        };
    }
    // Comparisons, not a `match`, since a jump table is slower.
    let (mask, state) = if blocks == 0 {
        let mut mask = [V::One::splat(isa, progress.first)];
        encrypt(isa, &key.rounds, &mut mask);
        (mask[0].encrypt_last_round(V::One::broadcast(isa, &key.rounds.keys[14])), V::zero(isa))
    } else if blocks <= N {
        at_most!(1)
    } else if blocks <= 2 * N {
        at_most!(2)
    } else if blocks <= 4 * N {
        at_most!(4)
    } else {
        at_most!(8)
    };
    let len = text.len();
    if len > 0 {
        let input = text.load_front::<V, N>(isa);
        let output = state.encrypt_last_round(input ^ V::broadcast(isa, &key.rounds.keys[14]));
        text.store_front(output);
        // Pinned, since opening would wait for the output if there were no branch.
        let sealed = if seal { output.keep_front(len).pin() } else { input };
        sums.add(isa, sealed.reverse_bytes() ^ pending, powers, power);
        pending = V::zero(isa);
    }
    if blocks > 0 && !with_lengths {
        (sums, pending) = (Sums::zero(isa), V::first(sums.reduce(isa).sum()));
    }
    let Some(&lengths) = lengths else { return block(pending.sum()) };
    sums.add(isa, V::first(V::One::splat(isa, lengths)) ^ pending, powers, 1);
    block(sums.reduce(isa).sum().reverse_bytes() ^ mask)
}

/// Encrypts (`seal`) or decrypts at most VECTORS whole vectors and adds the ciphertext to the sums, the first
/// block times H to the `power`. Returns the encryption of the message's first counter block, which is
/// computed alongside, and the state of the next vector before its last round.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "inlined: all of it is registers")]
#[allow(unused_assignments, reason = "the power is dead after the last repetition of the code")]
fn vectors<V, const N: usize, const VECTORS: usize>(
    isa: V::Isa,
    seal: bool,
    keys: &RoundKeys,
    powers: Powers<'_>,
    first: u128,
    counter: &mut Counter<V>,
    power: &mut usize,
    sums: &mut Sums<V>,
    pending: &mut V,
    text: &mut InOut<'_>,
) -> (V::One, V)
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    let mut mask = [V::first(V::One::splat(isa, first))];
    let mut states = counter.next::<N, VECTORS>(isa);
    encrypt_both(isa, keys, &mut states, &mut mask);
    let round_key = V::broadcast(isa, &keys.keys[14]);
    let mask = mask[0].encrypt_last_round(round_key).front();
    each!(J in [0 1 2 3 4 5 6 7] { if const { J < VECTORS } {
        let Some(mut vector) = text.take::<N>() else { return (mask, states[J]) };
        let input = vector.load::<V, N>(isa, 0);
        let output = states[J].encrypt_last_round(input ^ round_key);
        vector.store(0, output);
        let sealed = if seal { output.pin() } else { input };
        sums.add(isa, sealed.reverse_bytes() ^ *pending, powers, *power);
        *pending = V::zero(isa);
        *power = power.saturating_sub(N);
    } });
    (mask, states[VECTORS - 1])
}
