//! AES-GCM in one pass (NIST SP 800-38D §7): the counter blocks of one group are encrypted while another group is
//! hashed, operation by operation, in one loop over vectors of N blocks.
//!
//! - A group is eight vectors, G = 8·N blocks, hashed with as many powers of H and reduced once.
//! - Sealing hashes the group before the one that it encrypts, read back from the output; opening hashes the group that
//!   it decrypts. Either way neither half waits for the other's result.
//! - AES rounds and hash operations are pinned in the order written here, but for the widest vectors (`in_order`).
//! - The end, less than a group, is as a rule hashed with the lengths in one reduction; the first block's encryption, which the tag
//!   needs, runs beside its key stream.

use super::kernel::{Key, Progress};
use crate::aes::key_schedule::expand;
use crate::aes::rounds::{encrypt, for_rounds, in_order};
use crate::aes::{KeyBytes, RoundKeys};
use crate::ghash::HashKey;
use crate::ghash::multiply::{POLYNOMIAL, Sums, powers};
use crate::unroll::each;
use keylane_cpu::in_out::{Group, InOut};
use keylane_cpu::lanes::{AesBlocks, AesWords, Blocks, CarrylessBlocks};

/// Vectors in a group.
const W: usize = 8;

/// Encrypts; see [`Kernel::seal`](super::kernel::Kernel::seal).
#[inline(always)]
pub(super) fn seal<V, const N: usize, const G: usize>(
    isa: V::Isa,
    key: &Key,
    progress: &mut Progress,
    aad: &[u8],
    text: &mut InOut<'_>,
    lengths: Option<&u128>,
) -> [u8; 16]
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    let blocks = (text.len() / 16) as u32;
    let result = for_rounds!(key.rounds.rounds, R => {
        run::<V, R, true, N, G>(isa, key, progress, aad, text, lengths)
    });
    if lengths.is_some() {
        return block(result);
    }
    progress.hash = result.number();
    progress.blocks = progress.blocks.wrapping_add(blocks);
    [0; 16]
}

/// Decrypts; see [`Kernel::open`](super::kernel::Kernel::open).
#[inline(always)]
pub(super) fn open<V, const N: usize, const G: usize>(
    isa: V::Isa,
    key: &Key,
    progress: &Progress,
    aad: &[u8],
    text: &mut InOut<'_>,
    lengths: u128,
) -> [u8; 16]
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    for_rounds!(key.rounds.rounds, R => {
        block(run::<V, R, false, N, G>(isa, key, progress, aad, text, Some(&lengths)))
    })
}

/// The bytes, stored by one instruction.
#[inline(always)]
fn block<V: Blocks<1>>(vector: V) -> [u8; 16] {
    let mut blocks = [[0; 16]];
    vector.store(&mut blocks);
    blocks[0]
}

/// Prepares a key, with POWERS powers of H.
#[inline(always)]
pub(super) fn prepare<V, const N: usize, const POWERS: usize>(isa: V::Isa, key: KeyBytes<'_>) -> Key
where
    V: CarrylessBlocks<N, One: AesWords + CarrylessBlocks<1>>,
{
    let mut rounds = RoundKeys::EMPTY;
    let h: V::One = expand(isa, key, &mut rounds);
    // Cloned, not moved: what is moved from is not wiped.
    Key { hash: powers::<V, N, POWERS>(isa, h), rounds: rounds.clone() }
}

/// As many powers of an H that is not a cipher's.
#[inline(always)]
pub(super) fn powers_of<V, const N: usize, const POWERS: usize>(isa: V::Isa, h: &[u8; 16]) -> HashKey
where
    V: CarrylessBlocks<N, One: CarrylessBlocks<1>>,
{
    powers::<V, N, POWERS>(isa, V::One::broadcast(isa, h))
}

/// The counter of the next block, little-endian in its lowest 32 bits, one further in each lane.
#[derive(Clone, Copy)]
struct Counter<V>(V);

impl<V> Counter<V> {
    /// `blocks` after the message's first counter block.
    #[inline(always)]
    fn new<const N: usize>(isa: V::Isa, first: u128, blocks: u32) -> Self
    where
        V: AesBlocks<N>,
    {
        let mut ahead = [[0; 16]; N];
        for (j, block) in ahead.iter_mut().enumerate() {
            block[0] = j as u8;
        }
        let here = first.swap_bytes();
        let here = here & !u128::from(u32::MAX) | u128::from((here as u32).wrapping_add(blocks));
        let here = V::splat(isa, here);
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

/// The whole message, and its tag; or, without the lengths, part of it, and the hash so far.
#[inline(always)]
fn run<V, const R: usize, const SEAL: bool, const N: usize, const G: usize>(
    isa: V::Isa,
    key: &Key,
    progress: &Progress,
    aad: &[u8],
    text: &mut InOut<'_>,
    lengths: Option<&u128>,
) -> V::One
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    const { assert!(G == W * N) }
    let end = lengths.is_some();
    let count = key.hash.count;
    let mut text = text.take_front(text.len());
    let mut counter = Counter::<V>::new(isa, progress.first, progress.blocks.wrapping_add(1));
    let mut hash = V::One::splat(isa, progress.hash);
    // A short message is hashed with one reduction: additional data, text and lengths.
    let short = end && text.len() < 16 * G && blocks_in(aad.len()) + blocks_in(text.len()) < count;
    let ahead = if short { blocks_in(text.len()) + 1 } else { 0 };
    let (mut sums, mut pending) = absorb::<V, N>(isa, &key.hash, hash, aad, ahead);
    macro_rules! at_most {
        ($vectors:expr, $power:expr, $text:expr) => {
            rest::<V, R, SEAL, N, { $vectors }>(
                isa,
                key,
                progress.first,
                &mut counter,
                $power,
                &mut sums,
                &mut pending,
                $text,
            )
        };
    }
    if !short {
        if !aad.is_empty() {
            hash = sums.reduce(isa).sum();
        }
        if count >= G {
            hash = groups::<V, R, SEAL, N, G>(isa, key, &mut counter, hash, &mut text);
        }
        (sums, pending) = (Sums::zero(isa), V::first(hash));
        // Only with a key that another implementation prepared, with fewer powers than this one's groups take.
        while count < G && text.len() > 16 * count {
            at_most!(4, 4 * N, &mut text.take_front(16 * 4 * N));
            (sums, pending) = (Sums::zero(isa), V::first(sums.reduce(isa).sum()));
        }
    }
    let blocks = blocks_in(text.len());
    // The lengths are one block more, unless there is no power left for it.
    let with_lengths = end && blocks < count;
    let power = blocks + usize::from(with_lengths);
    let mask = match blocks.div_ceil(N) {
        0 => at_most!(0, power, &mut text),
        1 => at_most!(1, power, &mut text),
        2 => at_most!(2, power, &mut text),
        3 | 4 => at_most!(4, power, &mut text),
        _ => at_most!(W, power, &mut text),
    };
    if blocks > 0 && !with_lengths {
        (sums, pending) = (Sums::zero(isa), V::first(sums.reduce(isa).sum()));
    }
    let Some(&lengths) = lengths else { return pending.sum() };
    sums.add(isa, V::first(V::One::splat(isa, lengths)) ^ pending, &key.hash, 1);
    sums.reduce(isa).sum().reverse_bytes() ^ mask
}

/// Blocks that `len` bytes fill or begin. No slice is so long that the sum wraps: half the work of `div_ceil`.
#[inline(always)]
#[allow(clippy::manual_div_ceil, reason = "see above")]
const fn blocks_in(len: usize) -> usize {
    (len + 15) / 16
}

/// Starts to hash additional data, padded with zeros to whole blocks: what comes in before the next reduction, and what
/// is to be added to the next block. The last block is `ahead` blocks before the end of what is reduced together.
#[inline(always)]
fn absorb<V, const N: usize>(
    isa: V::Isa,
    key: &HashKey,
    hash: V::One,
    data: &[u8],
    ahead: usize,
) -> (Sums<V>, V)
where
    V: CarrylessBlocks<N, One: CarrylessBlocks<1>>,
{
    let mut sums = Sums::zero(isa);
    let mut pending = V::first(hash);
    if data.is_empty() {
        return (sums, pending);
    }
    if data.len() <= 16 {
        let block = V::One::load_front(isa, data).reverse_bytes() ^ hash;
        sums.add(isa, V::first(block), key, 1 + ahead);
        return (sums, V::zero(isa));
    }
    let mut rest = data;
    loop {
        let blocks = rest.len().div_ceil(16);
        let mut chunk = rest;
        let mut power = blocks + ahead;
        if power > key.count {
            // Never where something is reduced together with what follows: `ahead` is zero here.
            (chunk, rest) = rest.split_at(16 * key.count);
            power = key.count;
        } else {
            rest = &[];
        }
        while !chunk.is_empty() {
            let block = V::load_front(isa, chunk).reverse_bytes() ^ pending;
            sums.add(isa, block, key, power);
            pending = V::zero(isa);
            power = power.saturating_sub(N);
            chunk = &chunk[chunk.len().min(16 * N)..];
        }
        if rest.is_empty() {
            return (sums, pending);
        }
        pending = V::first(sums.reduce(isa).sum());
        sums = Sums::zero(isa);
    }
}

/// The rest, at most so many vectors: encrypts or decrypts it and adds the ciphertext to what is hashed, the first block
/// times H to the `power`. Gives the encryption of the message's first counter block, which runs beside.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "inlined: all of it is registers")]
#[allow(unused_assignments, reason = "the last repetition of the code counts on for nobody")]
fn rest<V, const R: usize, const SEAL: bool, const N: usize, const VECTORS: usize>(
    isa: V::Isa,
    key: &Key,
    first: u128,
    counter: &mut Counter<V>,
    mut power: usize,
    sums: &mut Sums<V>,
    pending: &mut V,
    text: &mut InOut<'_>,
) -> V::One
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    let keys = &key.rounds.keys;
    let round_key = V::broadcast(isa, &keys[0]);
    let mut mask = V::first(V::One::splat(isa, first)) ^ round_key;
    let mut states = counter.next::<N, VECTORS>(isa);
    each!(J in [0 1 2 3 4 5 6 7] { if J < VECTORS {
        states[J] = states[J] ^ round_key;
    } });
    each!(I in [1 2 3 4 5 6 7 8 9 10 11 12 13] { if I < R {
        let round_key = V::broadcast(isa, &keys[I]);
        each!(J in [0 1 2 3 4 5 6 7] { if J < VECTORS {
            states[J] = states[J].encrypt_round(round_key);
        } });
        mask = mask.encrypt_round(round_key);
    } });
    let round_key = V::broadcast(isa, &keys[R]);
    each!(J in [0 1 2 3 4 5 6 7] { if J < VECTORS && !text.is_empty() {
        let len = text.len();
        let input = text.load_front::<V, N>(isa);
        let output = states[J].encrypt_last_round(input ^ round_key);
        text.store_front(output);
        let ciphertext = if SEAL { output.keep_front(len) } else { input };
        sums.add(isa, ciphertext.reverse_bytes() ^ *pending, &key.hash, power);
        *pending = V::zero(isa);
        power = power.saturating_sub(N);
    } });
    mask.encrypt_last_round(round_key).front()
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
    sums.reduce(isa).sum()
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
                    (true, 1) => fold = in_order(blocks ^ blocks.swap_halves()),
                    (true, 2) => {
                        let powers = V::load(isa, key.hash.powers(G - N * j));
                        low = blocks.multiply_low(powers);
                        high = blocks.multiply_high(powers);
                        cross = fold.multiply_low(V::load(isa, key.hash.folded(G - N * j)));
                    }
                    (true, 3) => {
                        lo = in_order(lo ^ low);
                        mid = in_order(mid ^ cross);
                    }
                    (true, _) => hi = in_order(hi ^ high),
                    (false, 0) => mid = mid.xor3(lo, hi),
                    (false, 1) => {
                        folded = lo.multiply_low(polynomial);
                        mid = mid ^ lo.swap_halves();
                    }
                    (false, 2) => mid = in_order(mid ^ folded),
                    (false, 3) => {
                        folded = mid.multiply_low(polynomial);
                        hi = hi ^ mid.swap_halves();
                    }
                    (false, _) => hi = in_order(hi ^ folded),
                }
            }
        };
    }
    let mut states = counter.next::<N, W>(isa);
    let round_key = V::broadcast(isa, &key.rounds.keys[0]);
    each!(J in [0 1 2 3 4 5 6 7] {
        states[J] = in_order(states[J] ^ round_key);
    });
    each!(I in [1 2 3 4 5 6 7 8 9 10 11 12 13] { if I < R {
        let round_key = V::broadcast(isa, &key.rounds.keys[I]);
        each!(J in [0 1 2 3 4 5 6 7] {
            states[J] = in_order(states[J].encrypt_round(round_key));
            operation!(const { operation_after((I - 1) * W + J, (R - 1) * W) });
        });
    } });
    finish::<V, R, N, G>(isa, &key.rounds, &states, group);
    hi.sum()
}
