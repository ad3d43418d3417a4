//! The whole groups of a long message: the counter blocks of one group are encrypted while another group is
//! hashed, operation by operation, in one loop.

use super::counter::{Counters, GroupCounter};
use super::step::block;
use crate::aead::Direction;
use crate::aes::RoundKeys;
use crate::aes::rounds::{encrypt_rolled, round};
use crate::aes_gcm::kernel::Part;
use crate::ghash::multiply::{POLYNOMIAL, Sums};
use crate::unroll::each;
use keylane_cpu::in_out::{Group, InOut};
use keylane_cpu::lanes::{AesBlocks, Blocks};

/// The number of vectors in a group.
pub(crate) const W: usize = 8;

/// Encrypts or decrypts all whole groups and hashes their ciphertext, after at most one block of
/// additional data. If the message ends here, returns its tag.
///
/// Sealing hashes the group before the one that it encrypts, read back from the output; opening hashes the
/// group that it decrypts. So neither half waits for the other's result.
#[inline(always)]
pub(super) fn groups<V: AesBlocks<N, One: AesBlocks<1>>, const N: usize>(
    isa: V::Isa,
    message: &mut Part<'_>,
) -> Option<[u8; 16]> {
    let Part { direction, key, ref mut progress, aad, ref mut text, lengths } = *message;
    let powers = key.hash.powers.get();
    let mut hash = V::One::splat(isa, u128::from_le_bytes(progress.hash));
    if !aad.is_empty() {
        let mut sums = Sums::<V::One, 1>::zero(isa);
        sums.add(isa, V::One::load_front(isa, aad).reverse_bytes() ^ hash, powers, 1);
        hash = sums.reduce(isa);
    }
    let len = text.len();
    let mut counter = GroupCounter::<V, N, W>::new(isa, progress, &key.rounds.all()[0]);
    let mut sealed = None;
    if direction == Direction::Seal {
        let mut counters = Counters::<V, N>::new(isa, progress);
        let [[a, b, c, d], [e, f, g, h]] = [counters.next(isa), counters.next(isa)];
        sealed = first_group(isa, &key.rounds, [a, b, c, d, e, f, g, h], text);
        counter.skip(isa);
    }
    let keys = Keys::<V, N>::new(isa, &key.rounds);
    let rows = powers.last(W * N);
    sealed = interleave::<V, true, N>(isa, &keys, rows, &mut counter, &mut hash, sealed, text);
    if let Some(sealed) = sealed {
        let mut sums = Sums::<V, N>::zero(isa);
        // Written out: a loop takes three times as many instructions, and a CPU would not look beyond them.
        each!(J in [0 1 2 3 4 5 6 7] {
            let block = V::load(isa, &sealed[J]).reverse_bytes();
            let block = if const { J == 0 } { block ^ V::first(hash) } else { block };
            sums.add_products(block, V::load(isa, &rows[0][J]), V::load(isa, &rows[1][J]));
        });
        hash = sums.reduce(isa).sum();
    }
    if let (Some(&lengths), true) = (lengths, text.is_empty()) {
        let mut mask = [V::One::splat(isa, progress.first)];
        encrypt_rolled(isa, &key.rounds, &mut mask);
        let mut sums = Sums::<V::One, 1>::zero(isa);
        sums.add(isa, hash ^ V::One::splat(isa, lengths), powers, 1);
        let mask = mask[0].encrypt_last_round(V::One::broadcast(isa, &key.rounds.keys[14]));
        return Some(block(sums.reduce(isa).reverse_bytes() ^ mask));
    }
    progress.blocks = progress.blocks.wrapping_add(((len - text.len()) / 16) as u32);
    progress.hash = block(hash);
    message.aad = &[];
    None
}

/// The output of a group.
type Written<'a, const N: usize> = &'a [[[u8; 16]; N]; W];

/// Encrypts or decrypts the first group, given its counter blocks. Returns the output, or `None` if the text
/// is shorter.
#[inline(always)]
pub(crate) fn first_group<'a, V: AesBlocks<N>, const N: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    mut states: [V; W],
    text: &mut InOut<'a>,
) -> Option<Written<'a, N>> {
    let mut group = text.take()?;
    encrypt_rolled(isa, keys, &mut states);
    let last_key = V::broadcast(isa, &keys.keys[14]);
    for j in 0..W {
        last_round(isa, last_key, states[j], &mut group, j);
    }
    Some(group.written())
}

/// Encrypts or decrypts all whole groups. Hashes meanwhile what was `written` before, and all that this
/// writes but the last group, which it returns; or each group's input if nothing was written. The hash takes
/// blocks REVERSED in GCM, and as they are in AES-GCM-SIV.
#[inline(always)]
pub(crate) fn interleave<'a, V: AesBlocks<N>, const REVERSED: bool, const N: usize>(
    isa: V::Isa,
    keys: &Keys<'_, V, N>,
    rows: [&[[[u8; 16]; N]; W]; 2],
    counter: &mut GroupCounter<'_, V, N, W>,
    hash: &mut V::One,
    written: Option<Written<'a, N>>,
    text: &mut InOut<'a>,
) -> Option<Written<'a, N>> {
    match keys.keys.rounds {
        14 => in_rounds::<V, REVERSED, 14, N>(isa, keys, rows, counter, hash, written, text),
        _ => in_rounds::<V, REVERSED, 10, N>(isa, keys, rows, counter, hash, written, text),
    }
}

/// Runs [`interleave`] with ROUNDS rounds.
#[inline(always)]
fn in_rounds<'a, V: AesBlocks<N>, const REVERSED: bool, const ROUNDS: usize, const N: usize>(
    isa: V::Isa,
    keys: &Keys<'_, V, N>,
    rows: [&[[[u8; 16]; N]; W]; 2],
    counter: &mut GroupCounter<'_, V, N, W>,
    hash: &mut V::One,
    mut written: Option<Written<'a, N>>,
    text: &mut InOut<'a>,
) -> Option<Written<'a, N>> {
    while let Some(mut group) = text.take() {
        let states = if REVERSED { counter.next(isa) } else { counter.next_little_endian(isa) };
        interleaved::<V, REVERSED, ROUNDS, N>(isa, keys, rows, states, hash, written, &mut group);
        written = written.map(|_| group.written());
    }
    written
}

/// Round keys. If vectors have 512 bits, the last ten stay in registers: a broadcast of that length is a
/// shuffle, even from memory (Zen 4), and more than ten would leave too few of the thirty-two. With sixteen,
/// none does.
pub(crate) struct Keys<'a, V, const N: usize> {
    keys: &'a RoundKeys,
    kept: [V; 15],
}

impl<'a, V: Blocks<N>, const N: usize> Keys<'a, V, N> {
    #[inline(always)]
    pub(crate) fn new(isa: V::Isa, keys: &'a RoundKeys) -> Self {
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
    fn get(&self, isa: V::Isa, i: usize) -> V {
        if N == 4 && i >= 5 { self.kept[i] } else { V::broadcast(isa, &self.keys.keys[i]) }
    }
}

/// Runs the last round of a group's vector `j` and adds the text.
#[inline(always)]
fn last_round<V: AesBlocks<N>, const N: usize>(
    isa: V::Isa,
    last_key: V,
    state: V,
    group: &mut Group<'_, N, W>,
    j: usize,
) {
    // The text is added to the last key, which is off the critical path.
    let text = group.load::<V>(isa, j) ^ last_key;
    group.store(j, state.encrypt_last_round(text));
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

/// Encrypts or decrypts a group in ROUNDS rounds, given its counter blocks, and hashes in between the group
/// `sealed`, or without it the group's input. Two more rounds, of the rarer AES-192, come first.
///
/// All vectors are pinned. LLVM would put the AES rounds first and all products after them: with 512 bits, 5
/// % slower (Zen 4).
#[inline(always)]
#[allow(
    unused_assignments,
    reason = "every repetition of the code has one operation and sees only some variables"
)]
fn interleaved<V: AesBlocks<N>, const REVERSED: bool, const ROUNDS: usize, const N: usize>(
    isa: V::Isa,
    keys: &Keys<'_, V, N>,
    [powers, folded]: [&[[[u8; 16]; N]; W]; 2],
    mut states: [V; W],
    hash: &mut V::One,
    sealed: Option<Written<'_, N>>,
    group: &mut Group<'_, N, W>,
) {
    let mut hashed = match sealed {
        Some(sealed) => sealed,
        None => group.input(),
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
                    blocks = V::load(isa, &hashed[j]);
                    if REVERSED {
                        blocks = blocks.reverse_bytes();
                    }
                    if const { OPERATION.1 == 0 } {
                        blocks = blocks ^ V::first(*hash);
                    }
                }
                1 => halves = (blocks ^ blocks.swap_halves()).pin(),
                2 => {
                    let powers = V::load(isa, &powers[j]);
                    before = Sums { lo: low, mid: cross, hi: high };
                    low = blocks.multiply_low(powers);
                    high = blocks.multiply_high(powers);
                    cross = halves.multiply_low(V::load(isa, &folded[j]));
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
            hashed = &[[[0; 16]; N]; W];
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
