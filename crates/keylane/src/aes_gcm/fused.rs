//! AES-GCM in one pass (NIST SP 800-38D §7): the counter blocks of one group are encrypted while another group is
//! hashed, operation by operation, in one loop over vectors of N blocks.
//!
//! - A group is eight vectors, G = 8·N blocks, hashed with as many powers of H and reduced once.
//! - Sealing hashes the group before the one that it encrypts, read back from the output; opening hashes the group that
//!   it decrypts. Either way neither half waits for the other's result.
//! - AES rounds and hash operations are pinned in the order written here: LLVM's own order costs 8 % and more.
//! - The end, less than a group, is hashed with the lengths in one reduction; the first block's encryption, which the tag
//!   needs, runs beside its key stream.

use super::{Key, Progress};
use crate::aes::RoundKeys;
use crate::aes::key_schedule::expand;
use crate::aes::rounds::{each, encrypt, for_rounds};
use crate::ghash::HashKey;
use crate::ghash::multiply::{POLYNOMIAL, Sums, powers};
use keylane_cpu::in_out::{Group, InOut};
use keylane_cpu::lanes::{AesBlocks, AesWords, Blocks, CarrylessBlocks};

/// Vectors in a group.
const W: usize = 8;

/// What one message is computed from: its key, and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Message<'a> {
    pub(super) key: &'a Key,
    pub(super) progress: &'a Progress,
    pub(super) aad: &'a [u8],
}

/// Encrypts, and gives the tag; `lengths` is GHASH's last block.
#[inline(always)]
pub(super) fn seal<V, const N: usize, const G: usize>(
    isa: V::Isa,
    message: Message<'_>,
    text: InOut<'_>,
    lengths: u128,
) -> [u8; 16]
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    for_rounds!(message.key.rounds.rounds, R => {
        let (tag, _) = run::<V, R, true, true, N, G>(isa, message, text, lengths);
        tag
    })
}

/// Decrypts, and gives the tag that the message should have.
#[inline(always)]
pub(super) fn open<V, const N: usize, const G: usize>(
    isa: V::Isa,
    message: Message<'_>,
    text: InOut<'_>,
    lengths: u128,
) -> [u8; 16]
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    for_rounds!(message.key.rounds.rounds, R => {
        let (tag, _) = run::<V, R, false, true, N, G>(isa, message, text, lengths);
        tag
    })
}

/// Encrypts whole blocks of a message that goes on.
#[inline(always)]
pub(super) fn seal_blocks<V, const N: usize, const G: usize>(
    isa: V::Isa,
    key: &Key,
    progress: &mut Progress,
    aad: &[u8],
    text: InOut<'_>,
) where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    let blocks = (text.len() / 16) as u32;
    let message = Message { key, progress, aad };
    for_rounds!(key.rounds.rounds, R => {
        (_, progress.hash) = run::<V, R, true, false, N, G>(isa, message, text, 0);
    });
    progress.blocks = progress.blocks.wrapping_add(blocks);
}

/// Prepares a key of 16, 24 or 32 bytes, with POWERS powers of H.
#[inline(always)]
pub(super) fn prepare<V, const N: usize, const POWERS: usize>(isa: V::Isa, key: &[u8], prepared: &mut Key)
where
    V: CarrylessBlocks<N, One: AesWords + CarrylessBlocks<1>>,
{
    let h: V::One = expand(isa, key, &mut prepared.rounds);
    powers::<V, N, POWERS>(isa, h, &mut prepared.hash);
}

/// The counter of the next block, little-endian in its lowest 32 bits, one further in each lane.
#[derive(Clone, Copy)]
struct Counter<V>(V);

impl<V> Counter<V> {
    /// `blocks` after the message's first counter block.
    #[inline(always)]
    fn new<const N: usize>(isa: V::Isa, first: &[u8; 16], blocks: u32) -> Self
    where
        V: AesBlocks<N>,
    {
        let mut ahead = [[0; 16]; N];
        for (j, block) in ahead.iter_mut().enumerate() {
            block[0] = j as u8;
        }
        let blocks = u128::from(blocks).to_le_bytes();
        let here = V::broadcast(isa, first).reverse_bytes().add32(V::broadcast(isa, &blocks));
        Self(here.add32(V::load(isa, &ahead)))
    }

    /// The next counter blocks.
    #[inline(always)]
    fn next<const N: usize, const VECTORS: usize>(&mut self, isa: V::Isa) -> [V; VECTORS]
    where
        V: AesBlocks<N>,
    {
        let mut blocks = [self.0; VECTORS];
        each!(J in [0 1 2 3 4 5 6 7] { if J < VECTORS {
            blocks[J] = self.0.add32(V::broadcast(isa, &const { little_endian(J * N) })).reverse_bytes();
        } });
        self.0 = self.0.add32(V::broadcast(isa, &const { little_endian(VECTORS * N) }));
        blocks
    }
}

const fn little_endian(x: usize) -> [u8; 16] {
    (x as u128).to_le_bytes()
}

/// The whole message, or part of it: the tag if it ENDs here, and the hash.
#[inline(always)]
fn run<V, const R: usize, const SEAL: bool, const END: bool, const N: usize, const G: usize>(
    isa: V::Isa,
    message: Message<'_>,
    mut text: InOut<'_>,
    lengths: u128,
) -> ([u8; 16], [u8; 16])
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    const { assert!(G == W * N) }
    let Message { key, progress, aad } = message;
    let mut counter = Counter::<V>::new(isa, &progress.first, progress.blocks.wrapping_add(1));
    let mut hash = V::One::broadcast(isa, &progress.hash);
    hash = absorb::<V, N>(isa, &key.hash, hash, aad);
    if key.hash.count >= G {
        hash = groups::<V, R, SEAL, N, G>(isa, key, &mut counter, hash, &mut text);
    }
    let mask = loop {
        // As many blocks as there are powers, or all.
        let blocks = text.len().div_ceil(16).min(G).min(key.hash.count);
        let mut chunk = text.take_front(text.len().min(16 * blocks));
        let last = text.is_empty();
        let mut stream = [V::zero(isa); W];
        let mask =
            key_stream::<V, R, N>(isa, &key.rounds, &mut counter, &progress.first, blocks, &mut stream);
        // With the lengths, the end has one block more.
        let apart = END && last && blocks == key.hash.count;
        let mut power = if END && last && !apart { blocks + 1 } else { blocks };
        let mut sums = Sums::<V>::zero(isa);
        let mut pending = V::first(hash);
        let mut j = 0;
        while !chunk.is_empty() {
            let len = chunk.len();
            let input = chunk.load_front::<V, N>(isa);
            let output = input ^ stream[j % W];
            chunk.store_front(output);
            let hashed = if SEAL { output.keep_front(len.min(16 * N)) } else { input };
            sums.add(isa, hashed.reverse_bytes() ^ pending, &key.hash, power);
            pending = V::zero(isa);
            power = power.saturating_sub(N);
            j += 1;
        }
        let mut sums = sums.across();
        let mut pending = pending.sum();
        if !last {
            hash = sums.reduce(isa);
            continue;
        }
        if END {
            if apart {
                pending = sums.reduce(isa);
                sums = Sums::zero(isa);
            }
            let lengths = V::One::broadcast(isa, &lengths.to_le_bytes());
            sums.add(isa, lengths ^ pending, &key.hash, 1);
            hash = sums.reduce(isa);
        } else if blocks > 0 {
            hash = sums.reduce(isa);
        }
        break mask;
    };
    let (mut tag, mut state) = ([[0; 16]], [[0; 16]]);
    hash.store(&mut state);
    (hash.reverse_bytes() ^ mask).store(&mut tag);
    (tag[0], state[0])
}

/// Hashes additional data, padded with zeros to whole blocks.
#[inline(always)]
fn absorb<V, const N: usize>(isa: V::Isa, key: &HashKey, mut hash: V::One, data: &[u8]) -> V::One
where
    V: CarrylessBlocks<N, One: CarrylessBlocks<1>>,
{
    if data.len() <= 16 {
        if !data.is_empty() {
            let mut sums = Sums::zero(isa);
            sums.add(isa, V::One::load_front(isa, data).reverse_bytes() ^ hash, key, 1);
            hash = sums.reduce(isa);
        }
        return hash;
    }
    let mut rest = data;
    while !rest.is_empty() {
        let mut power = rest.len().div_ceil(16).min(key.count);
        let mut chunk;
        (chunk, rest) = rest.split_at(rest.len().min(16 * power));
        let mut sums = Sums::<V>::zero(isa);
        let mut pending = V::first(hash);
        while !chunk.is_empty() {
            sums.add(isa, V::load_front(isa, chunk).reverse_bytes() ^ pending, key, power);
            pending = V::zero(isa);
            power = power.saturating_sub(N);
            chunk = &chunk[chunk.len().min(16 * N)..];
        }
        hash = sums.across().reduce(isa);
    }
    hash
}

/// Key stream for `blocks` blocks, and the encryption of the message's first counter block beside it.
#[inline(always)]
fn key_stream<V, const R: usize, const N: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    counter: &mut Counter<V>,
    first: &[u8; 16],
    blocks: usize,
    stream: &mut [V; W],
) -> V::One
where
    V: AesBlocks<N, One: AesBlocks<1>>,
{
    match blocks.div_ceil(N) {
        0 => key_stream_of::<V, R, N, 0>(isa, keys, counter, first, stream),
        1 => key_stream_of::<V, R, N, 1>(isa, keys, counter, first, stream),
        2 => key_stream_of::<V, R, N, 2>(isa, keys, counter, first, stream),
        3 | 4 => key_stream_of::<V, R, N, 4>(isa, keys, counter, first, stream),
        _ => key_stream_of::<V, R, N, W>(isa, keys, counter, first, stream),
    }
}

/// The same, for so many vectors.
#[inline(always)]
fn key_stream_of<V, const R: usize, const N: usize, const VECTORS: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    counter: &mut Counter<V>,
    first: &[u8; 16],
    stream: &mut [V; W],
) -> V::One
where
    V: AesBlocks<N, One: AesBlocks<1>>,
{
    let mut states = counter.next::<N, VECTORS>(isa);
    let key = V::broadcast(isa, &keys.keys[0]);
    let mut one = V::One::broadcast(isa, first) ^ V::One::broadcast(isa, &keys.keys[0]);
    for j in 0..VECTORS {
        states[j] = states[j] ^ key;
    }
    each!(I in [1 2 3 4 5 6 7 8 9 10 11 12 13] { if I < R {
        let key = V::broadcast(isa, &keys.keys[I]);
        for j in 0..VECTORS {
            states[j] = states[j].encrypt_round(key);
        }
        one = one.encrypt_round(V::One::broadcast(isa, &keys.keys[I]));
    } });
    let key = V::broadcast(isa, &keys.keys[R]);
    for j in 0..VECTORS {
        stream[j] = states[j].encrypt_last_round(key);
    }
    one.encrypt_last_round(V::One::broadcast(isa, &keys.keys[R]))
}

/// All whole groups: the hash of what they are in the sealed message.
#[inline(always)]
fn groups<V, const R: usize, const SEAL: bool, const N: usize, const G: usize>(
    isa: V::Isa,
    key: &Key,
    counter: &mut Counter<V>,
    mut hash: V::One,
    text: &mut InOut<'_>,
) -> V::One
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    if !SEAL {
        while let Some(mut group) = text.take::<G>() {
            hash = encrypt_and_hash::<V, R, N, G>(isa, key, counter, hash, None, &mut group);
        }
        return hash;
    }
    let Some(mut behind) = text.take::<G>() else { return hash };
    let mut states = counter.next::<N, W>(isa);
    encrypt::<V, R, N, W>(isa, &key.rounds, &mut states);
    finish::<V, R, N, G>(isa, &key.rounds, &states, &mut behind);
    while let Some(mut group) = text.take::<G>() {
        hash = encrypt_and_hash::<V, R, N, G>(isa, key, counter, hash, Some(&behind), &mut group);
        behind = group;
    }
    let mut sums = Sums::<V>::zero(isa);
    let mut pending = V::first(hash);
    for j in 0..W {
        let blocks = behind.load_output::<V, N>(isa, N * j).reverse_bytes();
        sums.add(isa, blocks ^ pending, &key.hash, G - N * j);
        pending = V::zero(isa);
    }
    sums.across().reduce(isa)
}

/// The last round and the text.
#[inline(always)]
fn finish<V, const R: usize, const N: usize, const G: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    states: &[V; W],
    group: &mut Group<'_, G>,
) where
    V: AesBlocks<N, One: AesBlocks<1>>,
{
    let last_key = V::broadcast(isa, &keys.keys[R]);
    each!(J in [0 1 2 3 4 5 6 7] {
        // One exclusive or with both, off the path through the rounds.
        let text = group.load::<V, N>(isa, N * J) ^ last_key;
        group.store(N * J, states[J].encrypt_last_round(text));
    });
}

/// Hash operations of a group: five a vector, and five that reduce.
const OPERATIONS: usize = 5 * W + 5;

/// The hash operation after AES round instruction `slot` of `slots`, if one stands there: evenly spread.
const fn operation_after(slot: usize, slots: usize) -> Option<usize> {
    let (this, next) = (slot * OPERATIONS / slots, (slot + 1) * OPERATIONS / slots);
    if next > this { Some(this) } else { None }
}

/// Encrypts a group; hashes the output of the group `behind`, or else the input of this one.
#[inline(always)]
#[allow(
    unused_assignments,
    reason = "every repetition of the code has one operation and sees only some variables"
)]
fn encrypt_and_hash<V, const R: usize, const N: usize, const G: usize>(
    isa: V::Isa,
    key: &Key,
    counter: &mut Counter<V>,
    hash: V::One,
    behind: Option<&Group<'_, G>>,
    group: &mut Group<'_, G>,
) -> V::One
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    let zero = V::zero(isa);
    let polynomial = V::broadcast(isa, &POLYNOMIAL);
    let (mut blocks, mut fold, mut low, mut cross, mut high) = (zero, zero, zero, zero, zero);
    let (mut lo, mut mid, mut hi, mut folded) = (zero, zero, zero, zero);
    // Products are not pinned: a pinned value has no type for LLVM, which may then choose floating-point instructions.
    macro_rules! operation {
        ($operation:expr) => {
            if let Some(operation) = $operation {
                // The vector that takes the running hash comes last: the way from hash to hash gets short.
                let j = (operation / 5 + 1) % W;
                match (operation < 5 * W, operation % 5) {
                    (true, 0) => {
                        blocks = match behind {
                            Some(behind) => behind.load_output::<V, N>(isa, N * j),
                            None => group.load::<V, N>(isa, N * j),
                        };
                        blocks = blocks.reverse_bytes();
                        if j == 0 {
                            blocks = blocks ^ V::first(hash);
                        }
                    }
                    (true, 1) => fold = (blocks ^ blocks.swap_halves()).pin(),
                    (true, 2) => {
                        let powers = V::load(isa, key.hash.powers(G - N * j));
                        low = blocks.multiply_low(powers);
                        high = blocks.multiply_high(powers);
                        cross = fold.multiply_low(V::load(isa, key.hash.folded(G - N * j)));
                    }
                    (true, 3) => {
                        lo = (lo ^ low).pin();
                        mid = (mid ^ cross).pin();
                    }
                    (true, _) => hi = (hi ^ high).pin(),
                    (false, 0) => mid = mid.xor3(lo, hi),
                    (false, 1) => {
                        folded = lo.multiply_low(polynomial);
                        mid = mid ^ lo.swap_halves();
                    }
                    (false, 2) => mid = (mid ^ folded).pin(),
                    (false, 3) => {
                        folded = mid.multiply_low(polynomial);
                        hi = hi ^ mid.swap_halves();
                    }
                    (false, _) => hi = (hi ^ folded).pin(),
                }
            }
        };
    }
    let mut states = counter.next::<N, W>(isa);
    let round_key = V::broadcast(isa, &key.rounds.keys[0]);
    each!(J in [0 1 2 3 4 5 6 7] {
        states[J] = (states[J] ^ round_key).pin();
    });
    each!(I in [1 2 3 4 5 6 7 8 9 10 11 12 13] { if I < R {
        let round_key = V::broadcast(isa, &key.rounds.keys[I]);
        each!(J in [0 1 2 3 4 5 6 7] {
            states[J] = states[J].encrypt_round(round_key).pin();
            operation!(const { operation_after((I - 1) * W + J, (R - 1) * W) });
        });
    } });
    finish::<V, R, N, G>(isa, &key.rounds, &states, group);
    hi.sum()
}
