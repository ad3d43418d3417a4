//! The whole groups of a long message: the counter blocks of one group are encrypted while another group is
//! hashed, operation by operation, in one loop.

use super::absorb::{absorb, block};
use super::counter::{Counters, GroupCounter};
use crate::aead::Direction;
use crate::aes::RoundKeys;
use crate::aes::rounds::{encrypt_rolled, round};
use crate::aes_gcm::kernel::Part;
use crate::ghash::multiply::{POLYNOMIAL, Sums};
use crate::unroll::each;
use keylane_cpu::in_out::{Group, InOut};
use keylane_cpu::lanes::{AesBlocks, Blocks, CarrylessBlocks};

/// The number of vectors in a group.
pub(crate) const W: usize = 8;

/// A mode of operation for [`interleave`]: its counter blocks, and its order of bytes.
pub(crate) trait Mode<V, const N: usize>
where
    V: Blocks<N>,
{
    /// Whether the hash takes blocks byte-reversed.
    const REVERSED: bool;

    /// Returns the counter blocks of the next group, with the first round key added.
    fn next(&mut self, isa: V::Isa) -> [V; W];
}

impl<V: AesBlocks<N>, const N: usize> Mode<V, N> for GroupCounter<'_, V, W> {
    const REVERSED: bool = true;

    #[inline(always)]
    fn next(&mut self, isa: V::Isa) -> [V; W] {
        GroupCounter::next::<N>(self, isa)
    }
}

/// Encrypts or decrypts all whole groups and hashes their ciphertext, after at most one block of
/// additional data. If the message ends here, returns its tag.
///
/// Sealing hashes the group before the one that it encrypts, read back from the output; opening hashes the
/// group that it decrypts. So neither half waits for the other's result.
#[inline(always)]
pub(super) fn groups<V, const N: usize, const G: usize>(
    isa: V::Isa,
    message: &mut Part<'_>,
) -> Option<[u8; 16]>
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    const { assert!(G == W * N) }
    let Part { direction, key, ref mut progress, aad, ref mut text, lengths } = *message;
    let seal = direction == Direction::Seal;
    let powers = key.hash.powers.get();
    let mut hash = V::One::splat(isa, u128::from_le_bytes(progress.hash));
    if !aad.is_empty() {
        let mut sums = Sums::<V::One>::zero(isa);
        sums.add(isa, V::One::load_front(isa, aad).reverse_bytes() ^ hash, powers, 1);
        hash = sums.reduce(isa);
    }
    let len = text.len();
    let mut counter = GroupCounter::<V, W>::new(isa, progress, &key.rounds.all()[0]);
    let rows = powers.last(G);
    let mut sealed: &[[u8; 16]; G] = &[[0; 16]; G];
    if seal && let Some(mut group) = text.take::<G>() {
        let mut counters = Counters::<V>::new(isa, progress);
        let [[a, b, c, d], [e, f, g, h]] = [counters.next(isa), counters.next(isa)];
        let mut states = [a, b, c, d, e, f, g, h];
        encrypt_rolled(isa, &key.rounds, &mut states);
        let last_key = V::broadcast(isa, &key.rounds.keys[14]);
        for j in 0..W {
            last_round(isa, last_key, states[j], &mut group, j);
        }
        sealed = group.written();
        counter.skip(isa);
    }
    let keys = Keys::<V>::new(isa, &key.rounds);
    sealed = interleave(isa, &keys, rows, &mut counter, &mut hash, seal, sealed, text);
    if seal {
        hash = absorb::<V, N>(isa, powers, hash, sealed.as_flattened(), 0).0.reduce(isa).sum();
    }
    if let (Some(&lengths), true) = (lengths, text.is_empty()) {
        let mut mask = [V::One::splat(isa, progress.first)];
        encrypt_rolled(isa, &key.rounds, &mut mask);
        let mut sums = Sums::<V::One>::zero(isa);
        sums.add(isa, hash ^ V::One::splat(isa, lengths), powers, 1);
        let mask = mask[0].encrypt_last_round(V::One::broadcast(isa, &key.rounds.keys[14]));
        return Some(block(sums.reduce(isa).reverse_bytes() ^ mask));
    }
    progress.blocks = progress.blocks.wrapping_add(((len - text.len()) / 16) as u32);
    progress.hash = block(hash);
    message.aad = &[];
    None
}

/// Encrypts or decrypts all whole groups. Hashes meanwhile what was `written` before, and all that this writes but
/// the last group, which it returns; or without `lags` each group's input.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "by reference, they would be stored and loaded")]
pub(crate) fn interleave<'a, V, M, const N: usize, const G: usize>(
    isa: V::Isa,
    keys: &Keys<'_, V>,
    rows: [&[[u8; 16]; G]; 2],
    mode: &mut M,
    hash: &mut V::One,
    lags: bool,
    mut written: &'a [[u8; 16]; G],
    text: &mut InOut<'a>,
) -> &'a [[u8; 16]; G]
where
    M: Mode<V, N>,
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    macro_rules! interleaved {
        ($ROUNDS:literal) => {
            while let Some(mut group) = text.take::<G>() {
                let before = lags.then_some(written);
                interleaved::<V, M, $ROUNDS, N, G>(isa, keys, rows, mode, hash, before, &mut group);
                written = group.written();
            }
        };
    }
    match keys.keys.rounds {
        14 => interleaved!(14),
        _ => interleaved!(10),
    }
    written
}

/// Loads a vector of a group's blocks from `at` on.
#[inline(always)]
pub(super) fn vector<V: Blocks<N>, const N: usize, const G: usize>(
    isa: V::Isa,
    group: &[[u8; 16]; G],
    at: usize,
) -> V {
    V::load(isa, group[at..].first_chunk().expect("N blocks"))
}

/// Round keys. If vectors have 512 bits, the last ten stay in registers: a broadcast of that length is a
/// shuffle, even from memory (Zen 4), and more than ten would leave too few of the thirty-two. With sixteen,
/// none does.
pub(crate) struct Keys<'a, V> {
    keys: &'a RoundKeys,
    kept: [V; 15],
}

impl<'a, V> Keys<'a, V> {
    #[inline(always)]
    pub(crate) fn new<const N: usize>(isa: V::Isa, keys: &'a RoundKeys) -> Self
    where
        V: Blocks<N>,
    {
        let mut kept = [V::zero(isa); 15];
        if const { N == 4 } {
            for i in 5..15 {
                kept[i] = V::broadcast(isa, &keys.keys[i]).pin();
            }
        }
        Self { keys, kept }
    }

    /// Returns the key at place `i` of fifteen.
    #[inline(always)]
    fn get<const N: usize>(&self, isa: V::Isa, i: usize) -> V
    where
        V: Blocks<N>,
    {
        if N == 4 && i >= 5 { self.kept[i] } else { V::broadcast(isa, &self.keys.keys[i]) }
    }
}

/// Does the last round of vector `j` of a group and adds the text.
#[inline(always)]
pub(crate) fn last_round<V: AesBlocks<N>, const N: usize, const G: usize>(
    isa: V::Isa,
    last_key: V,
    state: V,
    group: &mut Group<'_, G>,
    j: usize,
) {
    // The text is added to the last key, which is off the critical path.
    let text = group.load::<V, N>(isa, N * j) ^ last_key;
    group.store(N * j, state.encrypt_last_round(text));
}

/// Adds a product to a sum, or two at once where that is one instruction.
#[inline(always)]
fn add<V: Blocks<N>, const N: usize>(sum: V, before: V, product: V) -> V {
    if const { V::XOR3 } { sum.xor3(before, product).pin() } else { (sum ^ product).pin() }
}

/// The number of hash operations of a group: five per vector, and five that reduce.
const OPERATIONS: usize = 5 * W + 5;

/// Returns the hash operation after AES round instruction `slot` of `slots`: its kind, 10 for none, and its
/// vector. They are spread evenly, over the last round as well. The last vector is loaded before that round,
/// in which opening overwrites it.
const fn operation_after(slot: usize, slots: usize) -> (usize, usize) {
    let (this, next) = (slot * OPERATIONS / slots, (slot + 1) * OPERATIONS / slots);
    let kind = if next == this {
        10
    } else if this < 5 * W {
        this % 5
    } else {
        5 + this % 5
    };
    // The vector to which the running hash is added comes last, which shortens the chain of hashes.
    (kind, (this / 5 + 1) % W)
}

/// Encrypts or decrypts a group in ROUNDS rounds, and hashes in between the group `sealed`, or without it the
/// group's input. Two more rounds, of the rarer AES-192, come first.
///
/// All vectors are pinned. LLVM would put the AES rounds first and all products after them: with 512 bits, 5
/// % slower (Zen 4).
#[inline(always)]
#[allow(
    unused_assignments,
    reason = "every repetition of the code has one operation and sees only some variables"
)]
fn interleaved<V, M, const ROUNDS: usize, const N: usize, const G: usize>(
    isa: V::Isa,
    keys: &Keys<'_, V>,
    [powers, folded]: [&[[u8; 16]; G]; 2],
    mode: &mut M,
    hash: &mut V::One,
    sealed: Option<&[[u8; 16]; G]>,
    group: &mut Group<'_, G>,
) where
    M: Mode<V, N>,
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    let mut hashed = match sealed {
        Some(sealed) => sealed,
        None => group.input(0),
    };
    let zero = V::zero(isa);
    let polynomial = V::broadcast(isa, &POLYNOMIAL);
    let (mut blocks, mut halves, mut low, mut cross, mut high) = (zero, zero, zero, zero, zero);
    let mut before = Sums::zero(isa);
    let (mut lo, mut mid, mut hi, mut product) = (zero, zero, zero, zero);
    // Products are not pinned: a pinned value has no type for LLVM, which may then choose floating-point
    // instructions.
    macro_rules! operation {
        ($operation:expr) => {
            // Constants that depend on no parameter, so that the compiler drops the other arms before it
            // copies the function, also without optimisation: those of all repetitions would overflow the
            // stack.
            const OPERATION: (usize, usize) = $operation;
            const KIND: usize = OPERATION.0;
            let j = const { OPERATION.1 };
            match KIND {
                0 => {
                    blocks = vector::<V, N, G>(isa, hashed, N * j);
                    if M::REVERSED {
                        blocks = blocks.reverse_bytes();
                    }
                    if const { OPERATION.1 == 0 } {
                        blocks = blocks ^ V::first(*hash);
                    }
                }
                1 => halves = (blocks ^ blocks.swap_halves()).pin(),
                2 => {
                    let powers = vector::<V, N, G>(isa, powers, N * j);
                    before = Sums { lo: low, mid: cross, hi: high };
                    low = blocks.multiply_low(powers);
                    high = blocks.multiply_high(powers);
                    cross = halves.multiply_low(vector::<V, N, G>(isa, folded, N * j));
                }
                // Added with the next vector's.
                3 | 4 if V::XOR3 && j % 2 == 1 => {}
                3 => {
                    lo = add(lo, before.lo, low);
                    mid = add(mid, before.mid, cross);
                }
                4 => hi = add(hi, before.hi, high),
                5 => mid = mid.xor3(lo, hi),
                6 => {
                    product = lo.multiply_low(polynomial);
                    mid = mid ^ lo.swap_halves();
                }
                7 => mid = (mid ^ product).pin(),
                8 => {
                    product = mid.multiply_low(polynomial);
                    hi = hi ^ mid.swap_halves();
                }
                9 => hi = (hi ^ product).pin(),
                _ => {}
            }
        };
    }
    let mut states = mode.next(isa);
    if const { ROUNDS == 10 } && keys.keys.rounds == 12 {
        round(keys.get(isa, 3), &mut states);
        round(keys.get(isa, 4), &mut states);
    }
    macro_rules! rounds {
        ($rounds:literal: $($I:literal)+) => {{
            each!(I in [$($I)+] {
                let round_key = keys.get(isa, I);
                each!(J in [0 1 2 3 4 5 6 7] {
                    states[J] = states[J].encrypt_round(round_key).pin();
                    operation!(operation_after((I + $rounds - 15) * W + J, $rounds * W));
                });
            });
            // All of it is loaded, so that stores may overwrite it.
            hashed = &[[0; 16]; G];
            let last_key = keys.get(isa, 14);
            each!(J in [0 1 2 3 4 5 6 7] {
                last_round(isa, last_key, states[J], group, J);
                operation!(operation_after(($rounds - 1) * W + J, $rounds * W));
            });
        }};
    }
    match ROUNDS {
        10 => rounds!(10: 5 6 7 8 9 10 11 12 13),
        _ => rounds!(14: 1 2 3 4 5 6 7 8 9 10 11 12 13),
    }
    *hash = hi.sum();
}
