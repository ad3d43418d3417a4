//! The whole groups of a long message: the counter blocks of one group are encrypted while another group is
//! hashed, operation by operation, in one loop.

use super::absorb::block;
use super::counter::Counter;
use crate::aes::RoundKeys;
use crate::aes::rounds::{add, encrypt, in_order, round};
use crate::aes_gcm::kernel::{Key, Message};
use crate::ghash::multiply::{POLYNOMIAL, Sums};
use crate::unroll::each;
use keylane_cpu::in_out::{Group, InOut};
use keylane_cpu::lanes::{AesBlocks, Blocks, CarrylessBlocks};

/// The number of vectors in a group.
const W: usize = 8;

/// Encrypts (`seal`) or decrypts all whole groups and hashes their ciphertext, after at most one block of
/// additional data. If the message ends here, returns its tag.
#[inline(always)]
pub(super) fn groups<V, const N: usize, const G: usize>(
    isa: V::Isa,
    message: &mut Message<'_>,
) -> Option<[u8; 16]>
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    const { assert!(G == W * N) }
    let Message { seal, key, ref mut progress, aad, lengths, .. } = *message;
    let mut rest = message.text.take_front(message.text.len());
    let mut counter = Counter::<V>::new(isa, progress.first, progress.blocks.wrapping_add(1));
    let powers = key.hash.powers.get();
    let mut hash = V::One::splat(isa, u128::from_le_bytes(progress.hash));
    if !aad.is_empty() {
        let mut sums = Sums::<V::One>::zero(isa);
        sums.add(isa, V::One::load_front(isa, aad).reverse_bytes() ^ hash, powers, 1);
        hash = sums.reduce(isa);
    }
    let len = rest.len();
    whole_groups::<V, N, G>(isa, seal, key, &mut counter, &mut hash, &mut rest);
    if let (Some(&lengths), true) = (lengths, rest.is_empty()) {
        let mut mask = [V::One::splat(isa, progress.first)];
        encrypt(isa, &key.rounds, &mut mask);
        let mut sums = Sums::<V::One>::zero(isa);
        sums.add(isa, hash ^ V::One::splat(isa, lengths), powers, 1);
        let mask = mask[0].encrypt_last_round(V::One::broadcast(isa, &key.rounds.keys[14]));
        return Some(block(sums.reduce(isa).reverse_bytes() ^ mask));
    }
    progress.blocks = progress.blocks.wrapping_add(((len - rest.len()) / 16) as u32);
    progress.hash = block(hash);
    message.text = rest;
    None
}

/// Sealing hashes the group before the one that it encrypts, read back from the output; opening hashes the
/// group that it decrypts. So neither half waits for the other's result.
#[inline(always)]
fn whole_groups<V, const N: usize, const G: usize>(
    isa: V::Isa,
    seal: bool,
    key: &Key,
    counter: &mut Counter<V>,
    hash: &mut V::One,
    text: &mut InOut<'_>,
) where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    let rows = key.hash.powers.get().last(G);
    let mut sealed: &[[u8; 16]; G] = &[[0; 16]; G];
    if seal {
        let Some(mut group) = text.take::<G>() else { return };
        let mut states = counter.next::<N, W>(isa);
        encrypt(isa, &key.rounds, &mut states);
        finish(isa, &key.rounds, &states, &mut group);
        sealed = group.written();
    }
    macro_rules! interleaved {
        ($ROUNDS:expr) => {
            while let Some(mut group) = text.take::<G>() {
                let hashed = if seal { sealed } else { group.input(0) };
                let states = interleaved::<V, $ROUNDS, N, G>(isa, &key.rounds, rows, counter, hash, hashed);
                finish(isa, &key.rounds, &states, &mut group);
                sealed = group.written();
            }
        };
    }
    match key.rounds.rounds {
        14 => interleaved!(14),
        _ => interleaved!(10),
    }
    if seal {
        let mut sums = Sums::<V>::zero(isa);
        let mut pending = V::first(*hash);
        for j in 0..W {
            let blocks = vector::<V, N, G>(isa, sealed, N * j).reverse_bytes() ^ pending;
            let [powers, folded] = rows.map(
                #[inline(always)]
                |row| vector::<V, N, G>(isa, row, N * j),
            );
            sums.add_products(blocks, powers, folded);
            pending = V::zero(isa);
        }
        *hash = sums.reduce(isa).sum();
    }
}

/// Loads a vector of a group's blocks from `at` on.
#[inline(always)]
fn vector<V: Blocks<N>, const N: usize, const G: usize>(isa: V::Isa, group: &[[u8; 16]; G], at: usize) -> V {
    V::load(isa, group[at..].first_chunk().expect("N blocks"))
}

/// Does the last round and adds the text.
#[inline(always)]
fn finish<V, const N: usize, const G: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    states: &[V; W],
    group: &mut Group<'_, G>,
) where
    V: AesBlocks<N>,
{
    let last_key = V::broadcast(isa, &keys.keys[14]);
    for j in 0..W {
        // The text is added to the last key, which is off the critical path.
        let text = group.load::<V, N>(isa, N * j) ^ last_key;
        group.store(N * j, states[j].encrypt_last_round(text));
    }
}

/// The number of hash operations of a group: five per vector, and five that reduce.
const OPERATIONS: usize = 5 * W + 5;

/// Returns the hash operation after AES round instruction `slot` of `slots`, if any. They are spread evenly.
const fn operation_after(slot: usize, slots: usize) -> Option<usize> {
    let (this, next) = (slot * OPERATIONS / slots, (slot + 1) * OPERATIONS / slots);
    if next > this { Some(this) } else { None }
}

/// Encrypts a group of counter blocks up to the last of ROUNDS rounds, and hashes the group `hashed` in
/// between. Two more rounds, of the rarer AES-192, come first.
#[inline(always)]
#[allow(
    unused_assignments,
    reason = "every repetition of the code has one operation and sees only some variables"
)]
fn interleaved<V, const ROUNDS: usize, const N: usize, const G: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    [powers, folded]: [&[[u8; 16]; G]; 2],
    counter: &mut Counter<V>,
    hash: &mut V::One,
    hashed: &[[u8; 16]; G],
) -> [V; W]
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    let zero = V::zero(isa);
    let polynomial = V::broadcast(isa, &POLYNOMIAL);
    let (mut blocks, mut halves, mut low, mut cross, mut high) = (zero, zero, zero, zero, zero);
    let (mut lo, mut mid, mut hi, mut product) = (zero, zero, zero, zero);
    // Products are not pinned: a pinned value has no type for LLVM, which may then choose floating-point
    // instructions.
    macro_rules! operation {
        ($operation:expr) => {
            // A constant that depends on no parameter, so that the compiler drops the other arms before it
            // copies the function.
            const OPERATION: Option<usize> = $operation;
            if let Some(operation) = OPERATION {
                // The vector to which the running hash is added comes last, which shortens the chain of
                // hashes.
                let j = (operation / 5 + 1) % W;
                match (operation < 5 * W, operation % 5) {
                    (true, 0) => {
                        blocks = vector::<V, N, G>(isa, hashed, N * j).reverse_bytes();
                        if j == 0 {
                            blocks = blocks ^ V::first(*hash);
                        }
                    }
                    (true, 1) => halves = in_order(blocks ^ blocks.swap_halves()),
                    (true, 2) => {
                        let powers = vector::<V, N, G>(isa, powers, N * j);
                        low = blocks.multiply_low(powers);
                        high = blocks.multiply_high(powers);
                        cross = halves.multiply_low(vector::<V, N, G>(isa, folded, N * j));
                    }
                    (true, 3) => {
                        lo = in_order(lo ^ low);
                        mid = in_order(mid ^ cross);
                    }
                    (true, _) => hi = in_order(hi ^ high),
                    (false, 0) => mid = mid.xor3(lo, hi),
                    (false, 1) => {
                        product = lo.multiply_low(polynomial);
                        mid = mid ^ lo.swap_halves();
                    }
                    (false, 2) => mid = in_order(mid ^ product),
                    (false, 3) => {
                        product = mid.multiply_low(polynomial);
                        hi = hi ^ mid.swap_halves();
                    }
                    (false, _) => hi = in_order(hi ^ product),
                }
            }
        };
    }
    let mut states = counter.next::<N, W>(isa);
    let (rounds, keys) = (keys.rounds, &keys.keys);
    if const { ROUNDS == 10 } && rounds == 12 {
        add(V::broadcast(isa, &keys[2]), &mut states);
        for round_key in &keys[3..5] {
            round(V::broadcast(isa, round_key), &mut states);
        }
    } else {
        add(V::broadcast(isa, &keys[14 - ROUNDS]), &mut states);
    }
    macro_rules! rounds {
        ($rounds:literal: $($I:literal)+) => {{
            each!(I in [$($I)+] {
                let round_key = V::broadcast(isa, &keys[I]);
                each!(J in [0 1 2 3 4 5 6 7] {
                    states[J] = in_order(states[J].encrypt_round(round_key));
                    operation!(operation_after((I + $rounds - 15) * W + J, ($rounds - 1) * W));
                });
            });
        }};
    }
    match ROUNDS {
        10 => rounds!(10: 5 6 7 8 9 10 11 12 13),
        _ => rounds!(14: 1 2 3 4 5 6 7 8 9 10 11 12 13),
    }
    *hash = hi.sum();
    states
}
