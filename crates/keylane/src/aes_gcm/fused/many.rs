//! Many short messages of as many blocks each, N at a time: each lane of a vector is a block of another
//! message.

use super::overlapped::COUNTERS;
use crate::aead::{Batch, Direction, Message, checked};
use crate::aes::RoundKeys;
use crate::aes::rounds::encrypt;
use crate::aes_gcm::kernel::{Key, MAX_ALIKE, first_block, lengths, shape};
use crate::ghash::Powers;
use crate::ghash::multiply::Sums;
use crate::ghash::powers::grow;
use crate::unroll::each;
use keylane_cpu::InstructionSet;
use keylane_cpu::lanes::{AesBlocks, Blocks};
use keylane_cpu::pin::pin;
use keylane_cpu::wipe::wipe;

/// The key stream of N messages.
#[repr(C, align(64))]
struct Stream<const N: usize>([[[u8; 16]; N]; MAX_ALIKE]);

/// Processes messages that are alike, N at a time. Returns how many they are.
#[inline(never)]
pub(super) fn together<V: AesBlocks<N, One: AesBlocks<1>>, const N: usize>(
    key: &Key,
    batch: &mut Batch<'_, '_>,
) -> usize {
    let Some(first) = batch.messages.as_chunks::<N>().0.first() else { return 0 };
    let shape = shape(&first[0]);
    let (aad_blocks, blocks) = shape;
    let powers = aad_blocks + blocks + 1;
    if key.hash.powers.get().len() < powers && !grow::<V, N>(&key.hash, powers) {
        return 0;
    }
    let mut streams = [const { Stream([[[0; 16]; N]; MAX_ALIKE]) }; 2];
    V::Isa::enter(
        #[inline(always)]
        |isa| many::<V, N>(isa, key, shape, batch, &mut streams),
    );
    streams.iter_mut().for_each(|stream| wipe(stream.0[..blocks].as_flattened_mut()));
    batch.messages.len() / N * N
}

/// Encrypts or decrypts sets of N messages and writes their tags. All have as many blocks of
/// additional data and of text.
#[inline(always)]
fn many<V: AesBlocks<N, One: AesBlocks<1>>, const N: usize>(
    isa: V::Isa,
    key: &Key,
    (aad_blocks, blocks): (usize, usize),
    batch: &mut Batch<'_, '_>,
    streams: &mut [Stream<N>; 2],
) {
    let direction = batch.direction;
    let (sets, tags) = (batch.messages.as_chunks_mut::<N>().0, batch.tags.as_chunks_mut::<N>().0);
    // Other loops over lanes are not unrolled, which would be four times the code.
    let lanes = (pin(N as u64) as usize).min(N);
    let mut masks = V::zero(isa);
    for i in 0..=sets.len() {
        // The next set's key stream comes first: neither waits for the other.
        let mut next_masks = masks;
        if let Some(set) = sets.get(i) {
            let mut first = V::zero(isa);
            for message in &set[..lanes] {
                first = first.push(V::One::splat(isa, first_block(checked(message.nonce))));
            }
            next_masks = fill(isa, &key.rounds, first, &mut streams[i % 2].0[..blocks]);
        }
        if let (Some(set), Some(tags)) = (sets.get_mut(i.wrapping_sub(1)), tags.get_mut(i.wrapping_sub(1))) {
            let stream = &streams[(i + 1) % 2].0[..blocks];
            let hash: V = crypt(isa, direction, key, lanes, aad_blocks, set, stream);
            (hash ^ masks).store(tags);
        }
        masks = next_masks;
    }
}

/// Writes the key stream that follows the first counter blocks. Returns their encryption.
#[inline(always)]
fn fill<V: AesBlocks<N>, const N: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    first: V,
    stream: &mut [[[u8; 16]; N]],
) -> V {
    let last_key = V::broadcast(isa, &keys.keys[14]);
    let (counters, single_counters) = COUNTERS.split_at(stream.len() / 4 * 4);
    let (fours, rest) = stream.as_chunks_mut::<4>();
    for (four, counters) in fours.iter_mut().zip(counters.as_chunks::<4>().0) {
        let mut states = [first; 4];
        each!(J in [0 1 2 3] {
            states[J] = first ^ V::broadcast(isa, &counters[J]);
        });
        encrypt(isa, keys, &mut states);
        each!(J in [0 1 2 3] {
            states[J].encrypt_last_round(last_key).store(&mut four[J]);
        });
    }
    let mut masks = first;
    for i in 0..=rest.len() {
        let mut state = [first];
        if i > 0 {
            state[0] = first ^ V::broadcast(isa, &single_counters[i - 1]);
        }
        encrypt(isa, keys, &mut state);
        let encrypted = state[0].encrypt_last_round(last_key);
        match rest.get_mut(i.wrapping_sub(1)) {
            Some(place) => encrypted.store(place),
            None => masks = encrypted,
        }
    }
    masks
}

/// Encrypts or decrypts N messages. Returns their hashes.
#[inline(always)]
fn crypt<V: AesBlocks<N, One: AesBlocks<1>>, const N: usize>(
    isa: V::Isa,
    direction: Direction,
    key: &Key,
    lanes: usize,
    aad_blocks: usize,
    set: &mut [Message<'_>; N],
    stream: &[[[u8; 16]; N]],
) -> V {
    let powers = key.hash.powers.get();
    let mut power = aad_blocks + stream.len() + 1;
    let mut sums = Sums::zero(isa);
    for at in 0..aad_blocks {
        let mut vector = V::zero(isa);
        for message in &set[..lanes] {
            let aad = &message.aad[16 * at..];
            vector = vector.push(V::load_front(isa, &aad[..aad.len().min(16)]).front());
        }
        add_next(isa, &mut sums, powers, &mut power, vector.reverse_bytes());
    }
    let whole = set.iter().fold(stream.len(), |least, message| least.min(message.text.len() / 16));
    let (stream, rest) = stream.split_at(whole);
    let mut messages = set.iter_mut();
    let texts: [&mut [[u8; 16]]; N] = core::array::from_fn(
        #[inline(always)]
        |_| &mut messages.next().expect("N messages").text.as_chunks_mut().0[..whole],
    );
    for (at, stream) in stream.iter().enumerate() {
        let mut input = V::zero(isa);
        each!(I in [0 1 2 3] { if const { I < N } {
            input = input.push(V::One::broadcast(isa, &texts[I][at]));
        } });
        let output = input ^ V::load(isa, stream);
        let parts = output.split();
        each!(I in [0 1 2 3] { if const { I < N } {
            parts[I].store(core::array::from_mut(&mut texts[I][at]));
        } });
        let sealed = if direction == Direction::Seal { output.pin() } else { input };
        add_next(isa, &mut sums, powers, &mut power, sealed.reverse_bytes());
    }
    if let Some(stream) = rest.first() {
        let mut vector = V::zero(isa);
        for (message, stream) in set[..lanes].iter_mut().zip(stream) {
            let text = &mut message.text[16 * whole..];
            let len = text.len().min(16);
            let text = &mut text[..len];
            let input = V::load_front(isa, text).front();
            let output = input ^ V::One::broadcast(isa, stream);
            V::first(output).store_front(text);
            vector =
                vector.push(if direction == Direction::Seal { output.keep_front(len).pin() } else { input });
        }
        add_next(isa, &mut sums, powers, &mut power, vector.reverse_bytes());
    }
    let mut vector = V::zero(isa);
    for message in &set[..lanes] {
        let number = lengths(message.aad.len(), message.text.len());
        vector = vector.push(V::One::splat(isa, number));
    }
    add_next(isa, &mut sums, powers, &mut power, vector);
    sums.reduce(isa).reverse_bytes()
}

/// Adds the products of blocks, reversed, and the next power.
#[inline(always)]
fn add_next<V: AesBlocks<N>, const N: usize>(
    isa: V::Isa,
    sums: &mut Sums<V, N>,
    powers: Powers<'_>,
    power: &mut usize,
    reversed: V,
) {
    let [[[h]], [[folded]]] = powers.last(*power);
    *power -= 1;
    sums.add_products(reversed, V::broadcast(isa, h), V::broadcast(isa, folded));
}
