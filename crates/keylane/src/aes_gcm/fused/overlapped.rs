//! Short messages of any lengths, one after the other: the key stream of the next is computed beside the hash
//! of this one, instruction by instruction, so that neither waits for the other.

use super::step::step;
use crate::aead::{Direction, Message, checked};
use crate::aes::rounds::{add, round};
use crate::aes_gcm::kernel::{Key, MAX_SHORT, blocks_in, first_block, lengths};
use crate::ghash::multiply::Sums;
use crate::unroll::each;
use keylane_cpu::lanes::{AesBlocks, Blocks, CarrylessBlocks};
use keylane_cpu::wipe::wipe;

/// The most blocks of key stream that are kept of a message.
const KEPT: usize = MAX_SHORT.next_multiple_of(16);

/// The values that are computed before they are needed.
#[repr(C, align(64))]
pub(super) struct Ahead {
    /// The key stream of two messages, in turns.
    streams: [[[u8; 16]; KEPT]; 2],
    /// The masks of the tags of several messages.
    masks: [[u8; 16]; 16],
}

impl Ahead {
    pub(super) const EMPTY: Self = Self { streams: [[[0; 16]; KEPT]; 2], masks: [[0; 16]; 16] };

    pub(super) fn wipe(&mut self) {
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

/// Loads vector `j` of some blocks.
#[inline(always)]
fn vector<V: Blocks<N>, const N: usize>(isa: V::Isa, blocks: &[[u8; 16]], j: usize) -> V {
    V::load(isa, blocks[N * j..].first_chunk().expect("N blocks"))
}

/// Stores vector `j` of some blocks.
#[inline(always)]
fn store<V: Blocks<N>, const N: usize>(vector: V, blocks: &mut [[u8; 16]], j: usize) {
    vector.store(blocks[N * j..].first_chunk_mut().expect("N blocks"));
}

/// Encrypts or decrypts messages of at most `MAX_SHORT` blocks, four vectors or Q = 4 × N blocks at
/// a time, and writes their tags. There are as many powers of H as any message has blocks, with its lengths.
#[inline(always)]
#[allow(unused_assignments, reason = "the products are dead after the last repetition of the code")]
pub(super) fn overlapped<V, const N: usize, const Q: usize>(
    isa: V::Isa,
    direction: Direction,
    key: &Key,
    messages: &mut [Message<'_>],
    tags: &mut [[u8; 16]],
    Ahead { streams, masks }: &mut Ahead,
) where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    let powers = key.hash.powers.get();
    let keys = &*key.rounds;
    let (round_keys, last_key) = (&keys.keys, V::broadcast(isa, &keys.keys[14]));
    let after_first = 15 - keys.rounds.clamp(10, 14);
    let key_before = V::broadcast(isa, &round_keys[after_first - 1]);
    macro_rules! finish {
        ($states:ident, $place:expr) => {
            each!(J in [0 1 2 3] { store($states[J].encrypt_last_round(last_key), $place, J) })
        };
    }
    // The first counter blocks of Q messages, which the masks are made of.
    let mut firsts = [[0; 16]; Q];
    // GHASH's last block times H: often it is the same for many messages.
    let (mut lens, mut of_lengths) = ([usize::MAX; 2], Sums::<V::One>::zero(isa));
    for i in 0..=messages.len() {
        if i % Q == 0 {
            for (first, message) in firsts.iter_mut().zip(&messages[i..]) {
                *first = first_block(checked(message.nonce)).to_le_bytes();
            }
        }
        let first = V::broadcast(isa, &firsts[i % Q]);
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
        let mut nexts = next.as_chunks_mut::<Q>().0[..blocks.div_ceil(Q)].iter_mut();
        let mut counters = COUNTERS.as_chunks::<Q>().0.iter();
        let fours = nexts.len().min(text.len() / (16 * Q));
        let (front, mut text) = text.split_at_mut(16 * Q * fours);
        let (front_stream, stream) = stream.split_at(Q * fours);
        let front = front.as_chunks_mut::<16>().0.as_chunks_mut::<Q>().0;
        macro_rules! counters {
            ($first:expr) => {{
                let mut states = [first; 4];
                let counters = counters.next().expect("as many as places");
                each!(J in [0 1 2 3] { states[J] = $first ^ vector(isa, counters, J); });
                states
            }};
        }
        let before = first ^ key_before;
        for ((text, stream), place) in front.iter_mut().zip(front_stream.as_chunks::<Q>().0).zip(&mut nexts) {
            let mut states = counters!(before);
            let mut sealed = states;
            each!(J in [0 1 2 3] {
                let input: V = vector(isa, text, J);
                let output = input ^ vector(isa, stream, J);
                store(output, text, J);
                sealed[J] = if direction == Direction::Seal { output.pin() } else { input };
            });
            let rows = powers.last::<Q>(power);
            step(isa, keys, &mut states, &sealed, V::zero(isa), rows, &mut sums);
            power -= Q;
            finish!(states, place);
        }
        // The rest of the next message's key stream, and masks where none are left.
        let mut masks_left = i % Q == 0;
        loop {
            let mut states = [first; 4];
            let place: &mut [[u8; 16]] = if masks_left {
                masks_left = false;
                each!(J in [0 1 2 3] { states[J] = vector(isa, &firsts, J); });
                &mut *masks
            } else {
                let Some(place) = nexts.next() else { break };
                states = counters!(first);
                place
            };
            add(key_before, &mut states);
            for round_key in &round_keys[after_first..14] {
                round(V::broadcast(isa, round_key), &mut states);
            }
            finish!(states, place);
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
            let mask = V::One::broadcast(isa, &masks[i % Q]);
            let hash = sums.reduce(isa).sum().reverse_bytes();
            (hash ^ mask).store(core::array::from_mut(tag));
        }
    }
}
