//! Short messages of any lengths, one after the other: the key stream of the next is computed beside the hash
//! of this one, instruction by instruction, so that neither waits for the other.

use super::step::step;
use crate::aead::{Batch, Direction, Message, checked};
use crate::aes::rounds::{add, round};
use crate::aes_gcm::kernel::{Key, MAX_HASHED, MAX_SHORT, blocks_in, first_block, lengths};
use crate::ghash::multiply::Sums;
use crate::ghash::powers::grow;
use crate::unroll::each;
use keylane_cpu::InstructionSet;
use keylane_cpu::lanes::{AesBlocks, Blocks};
use keylane_cpu::wipe::wipe;

/// The maximum number of a message's key stream blocks that are stored.
const KEPT: usize = MAX_SHORT.next_multiple_of(16);

/// The values that are computed before they are needed.
#[repr(C, align(64))]
struct Ahead {
    /// The key stream of two messages, in turns.
    streams: [[[u8; 16]; KEPT]; 2],
    /// The masks of the tags of several messages.
    masks: [[u8; 16]; 16],
}

impl Ahead {
    const EMPTY: Self = Self { streams: [[[0; 16]; KEPT]; 2], masks: [[0; 16]; 16] };

    fn wipe(&mut self) {
        wipe(self.streams.as_flattened_mut().as_flattened_mut());
        wipe(self.masks.as_flattened_mut());
    }
}

/// The vectors that are added to the first counter block of a message, whose number is 1, to make those of
/// its text.
pub(super) const COUNTERS: [[u8; 16]; KEPT] = {
    let mut counters = [[0; 16]; KEPT];
    let mut i = 0;
    while i < KEPT {
        counters[i][15] = 1 ^ (i as u8 + 2);
        i += 1;
    }
    counters
};

/// Four vectors of N blocks.
type Four<const N: usize> = [[[u8; 16]; N]; 4];

/// Returns the whole fours of some blocks.
#[inline(always)]
fn fours<const N: usize>(blocks: &[[u8; 16]]) -> &[Four<N>] {
    blocks.as_chunks().0.as_chunks().0
}

/// Returns the whole fours like [`fours`], to be written.
#[inline(always)]
fn fours_mut<const N: usize>(blocks: &mut [[u8; 16]]) -> &mut [Four<N>] {
    blocks.as_chunks_mut().0.as_chunks_mut().0
}

/// Returns the XOR of a vector and each of four.
#[inline(always)]
fn add_each<V: Blocks<N>, const N: usize>(isa: V::Isa, vector: V, four: &Four<N>) -> [V; 4] {
    let mut sums = [vector; 4];
    each!(J in [0 1 2 3] { sums[J] = vector ^ V::load(isa, &four[J]); });
    sums
}

/// Runs the last round and stores the vectors.
#[inline(always)]
fn finish<V: AesBlocks<N>, const N: usize>(states: &[V; 4], last_key: V, place: &mut Four<N>) {
    each!(J in [0 1 2 3] { states[J].encrypt_last_round(last_key).store(&mut place[J]); });
}

/// Processes short messages, one after the other. Returns how many they are.
#[inline(never)]
pub(super) fn in_turn<V: AesBlocks<N, One: AesBlocks<1>>, const N: usize>(
    key: &Key,
    batch: &mut Batch<'_, '_>,
) -> usize {
    let known = key.hash.powers.get().len();
    if known < MAX_HASHED {
        let hashed = |message: &Message<'_>| blocks_in(message.aad.len()) + blocks_in(message.text.len()) + 1;
        let powers = batch.messages.iter().map(hashed).fold(0, usize::max);
        if known < powers && !grow::<V, N>(&key.hash, powers) {
            return 0;
        }
    }
    let mut ahead = Ahead::EMPTY;
    V::Isa::enter(
        #[inline(always)]
        |isa| overlapped::<V, N>(isa, key, batch, &mut ahead),
    );
    ahead.wipe();
    batch.messages.len()
}

/// Encrypts or decrypts messages of at most `MAX_SHORT` blocks, four vectors at a time, and writes their
/// tags. There are as many powers of H as any message has blocks, with its lengths.
#[inline(always)]
fn overlapped<V: AesBlocks<N, One: AesBlocks<1>>, const N: usize>(
    isa: V::Isa,
    key: &Key,
    Batch { direction, messages, tags }: &mut Batch<'_, '_>,
    Ahead { streams, masks }: &mut Ahead,
) {
    let direction = *direction;
    let powers = key.hash.powers.get();
    let keys = &*key.rounds;
    let (round_keys, last_key) = (&keys.keys, V::broadcast(isa, &keys.keys[14]));
    let after_first = 15 - keys.rounds.clamp(10, 14);
    let key_before = V::broadcast(isa, &round_keys[after_first - 1]);
    // The first counter blocks of as many messages as four vectors have blocks, which the masks are made of.
    let mut firsts = [[[0; 16]; N]; 4];
    // GHASH's last block times H: often it is the same for many messages.
    let (mut lens, mut of_lengths) = ([usize::MAX; 2], Sums::<V::One, 1>::zero(isa));
    for i in 0..=messages.len() {
        if i % (4 * N) == 0 {
            for (first, message) in firsts.as_flattened_mut().iter_mut().zip(&messages[i..]) {
                *first = first_block(checked(message.nonce)).to_le_bytes();
            }
        }
        let first = V::broadcast(isa, &firsts.as_flattened()[i % (4 * N)]);
        let blocks = messages.get(i).map_or(0, |message| blocks_in(message.text.len()));
        let [mut next, mut stream] = streams.each_mut();
        if i % 2 == 1 {
            (next, stream) = (stream, next);
        }
        // From here on, the message before is processed beside the key stream of this one.
        let i = i.wrapping_sub(1);
        let (aad, text) = match messages.get_mut(i) {
            Some(message) => (message.aad, &mut *message.text),
            None => (&[][..], &mut [][..]),
        };
        if lens != [aad.len(), text.len()] {
            lens = [aad.len(), text.len()];
            of_lengths = Sums::zero(isa);
            of_lengths.add(isa, V::One::splat(isa, lengths(aad.len(), text.len())), powers, 1);
        }
        let (aad_blocks, mut power) = (blocks_in(aad.len()), blocks_in(text.len()) + 1);
        let mut ends = of_lengths;
        if !aad.is_empty() {
            let block = V::load_front(isa, aad).front().reverse_bytes();
            ends.add(isa, block, powers, power + aad_blocks);
        }
        let mut sums = Sums { lo: V::first(ends.lo), mid: V::first(ends.mid), hi: V::first(ends.hi) };
        if aad_blocks > 1 {
            let aad = V::load_front(isa, &aad[16..]).reverse_bytes();
            sums.add(isa, aad, powers, power + aad_blocks - 1);
        }
        let mut nexts = fours_mut::<N>(next)[..blocks.div_ceil(4 * N)].iter_mut().zip(fours(&COUNTERS));
        let count = nexts.len().min(text.len() / (16 * 4 * N));
        let (front, mut text) = text.split_at_mut(16 * 4 * N * count);
        let (front_stream, stream) = stream.split_at(4 * N * count);
        let front = fours_mut::<N>(front.as_chunks_mut().0);
        let before = first ^ key_before;
        for ((text, stream), (place, counters)) in front.iter_mut().zip(fours(front_stream)).zip(&mut nexts) {
            let mut states = add_each(isa, before, counters);
            let mut sealed = states;
            each!(J in [0 1 2 3] {
                let input = V::load(isa, &text[J]);
                let output = input ^ V::load(isa, &stream[J]);
                output.store(&mut text[J]);
                sealed[J] = if direction == Direction::Seal { output.pin() } else { input };
            });
            let rows = powers.last(power);
            step(isa, keys, &mut states, &sealed, V::zero(isa), rows, &mut sums);
            power -= 4 * N;
            finish(&states, last_key, place);
        }
        // The rest of the next message's key stream, and masks where none are left.
        let mut masks_left = i % (4 * N) == 0;
        loop {
            let (mut states, place) = if masks_left {
                masks_left = false;
                (add_each(isa, V::zero(isa), &firsts), &mut fours_mut(masks)[0])
            } else {
                let Some((place, counters)) = nexts.next() else { break };
                (add_each(isa, first, counters), place)
            };
            add(key_before, &mut states);
            for round_key in &round_keys[after_first..14] {
                round(V::broadcast(isa, round_key), &mut states);
            }
            finish(&states, last_key, place);
        }
        for stream in stream.as_chunks::<N>().0 {
            if text.is_empty() {
                break;
            }
            let len = text.len().min(16 * N);
            let (front, after) = text.split_at_mut(len);
            let input = V::load_front(isa, front);
            let output = input ^ V::load(isa, stream);
            output.store_front(front);
            let sealed = if direction == Direction::Seal { output.keep_front(len).pin() } else { input };
            sums.add(isa, sealed.reverse_bytes(), powers, power);
            power -= blocks_in(len);
            text = after;
        }
        if let Some(tag) = tags.get_mut(i) {
            let mask = V::One::broadcast(isa, &masks[i % (4 * N)]);
            let hash = sums.reduce(isa).sum().reverse_bytes();
            (hash ^ mask).store(core::array::from_mut(tag));
        }
    }
}
