//! AES-GCM in one pass (NIST SP 800-38D §7), over vectors of N blocks.
//!
//! - A message that is not long, and the end of a long one, is processed four vectors at a time ([`fours`]),
//!   which are hashed beside the rounds of the next four (`step`).
//! - A long message is processed in groups of eight vectors, hashed with as many powers of H (`groups`).
//! - Sealing and opening share their code, for any number of rounds; branches for the differences are
//!   predicted.

pub(crate) mod counter;
pub(crate) mod groups;
mod many;
mod overlapped;
mod step;

use super::kernel::{Kernel, Key, MANY_SHORT, MAX_ALIKE, MAX_HASHED, MAX_SHORT, Part, Progress, blocks_in};
use crate::aead::{Batch, Direction};
use crate::aes::key_schedule::expand;
use crate::aes::rounds::encrypt_rolled;
use crate::aes::{KeyBytes, RoundKeys};
use crate::backend::Shape;
use crate::ghash::hash::hash;
use crate::ghash::multiply::Sums;
use crate::ghash::powers::grow;
use crate::ghash::{HashKey, Powers, powers_at_once};
use core::marker::PhantomData;
use counter::{Counters, GroupCounter};
use groups::{W, groups};
use keylane_cpu::InstructionSet;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::{AesBlocks, AesWords, Blocks};
use keylane_cpu::wipe::{Secret, wipe};
use many::together;
use overlapped::in_turn;
use step::{absorb, block, step};

/// AES-GCM over vectors of N blocks.
pub(crate) struct Fused<V, const N: usize>(PhantomData<fn() -> V>);

impl<V: AesBlocks<N> + 'static, const N: usize> Shape for Fused<V, N> {
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);

    /// The round keys are computed by narrower vectors.
    fn is_usable() -> bool {
        V::Isa::is_usable() && <V::Words as Blocks<1>>::Isa::is_usable()
    }
}

impl<V: AesBlocks<N, One: AesBlocks<1>> + 'static, const N: usize> Kernel for Fused<V, N> {
    fn prepare(&self, key: KeyBytes<'_>) -> Key {
        prepare::<V::Words>(key)
    }

    fn precompute(&self, key: &Key) {
        // `in_turn`, which exists only with several lanes, needs this many powers.
        let powers = if N == 1 { powers_at_once(N) } else { powers_at_once(N).max(MAX_HASHED) };
        // `grow` returns false while another thread computes powers: then the key is shared anyway.
        let _ = grow::<V, N>(&key.hash, powers);
    }

    fn crypt(&self, message: &mut Part<'_>) -> [u8; 16] {
        let blocks = blocks_in(message.aad.len()) + blocks_in(message.text.len());
        let known = message.key.hash.powers.get().len();
        let is_long = message.text.len() >= Self::LONG || message.aad.len() > 16 * powers_at_once(N);
        if is_long || known < powers_at_once(N).min(blocks + 1) {
            return self.long(message);
        }
        V::Isa::enter(
            #[inline(always)]
            |isa| short::<V, N>(isa, message),
        )
    }

    fn gain(&self, messages: usize, bytes: usize) -> bool {
        // With two lanes, 8 to 15 messages of 200 bytes took up to a tenth longer than one by one.
        let few = messages < if N == 2 { 2 * MANY_SHORT } else { MANY_SHORT };
        let blocks = if few { MAX_ALIKE } else { MAX_SHORT };
        N > 1 && bytes <= 16 * blocks * messages
    }

    fn crypt_many(&self, alike: bool, key: &Key, batch: &mut Batch<'_, '_>) -> usize {
        // One lane would only add code.
        if const { N == 1 } {
            0
        } else if alike {
            together::<V, N>(key, batch)
        } else {
            in_turn::<V, N>(key, batch)
        }
    }
}

/// Expands a key and encrypts zero. The compiler sees all of it, and so stores the key in the caller's place.
fn prepare<V: AesWords>(key: KeyBytes<'_>) -> Key {
    V::Isa::enter(
        #[inline(always)]
        |isa| {
            let mut rounds = RoundKeys::EMPTY;
            let mut h = [[0; 16]];
            expand::<V, false>(isa, key, &mut rounds).store(&mut h);
            Key { hash: HashKey::new(h[0]), rounds: Secret::new(rounds) }
        },
    )
}

impl<V: AesBlocks<N, One: AesBlocks<1>> + 'static, const N: usize> Fused<V, N> {
    /// The length in bytes from which [`groups`] are faster.
    const LONG: usize = 16 * N * W * if N == 4 { 4 } else { 2 };

    /// Processes a message that is not short, or the first that needs so many powers of H. A separate
    /// function, since it needs more stack.
    #[inline(never)]
    fn long(&self, message: &mut Part<'_>) -> [u8; 16] {
        let blocks = blocks_in(message.aad.len()) + blocks_in(message.text.len());
        let powers = powers_at_once(N).min(blocks + 1);
        if message.key.hash.powers.get().len() < powers && !grow::<V, N>(&message.key.hash, powers) {
            return with_copy(self, message);
        }
        if message.aad.len() > 16 {
            let (key, state) = (message.key, &mut message.progress.hash);
            let (aad, blocks) = ([message.aad], blocks_in(message.aad.len()));
            hash::<V, N>(key.hash.powers.get(), true, state, &aad, blocks, &key.rounds, None);
            message.aad = &[];
        }
        if message.text.len() >= Self::LONG {
            let tag = V::Isa::enter(
                #[inline(always)]
                |isa| groups::<V, N>(isa, message),
            );
            if let Some(tag) = tag {
                wipe(&mut message.progress.hash);
                return tag;
            }
        }
        let result = self.crypt(message);
        wipe(&mut message.progress.hash);
        result
    }
}

/// Processes a message with a copy of its key, since another thread is computing powers of H at this moment.
#[cold]
fn with_copy(kernel: &dyn Kernel, message: &mut Part<'_>) -> [u8; 16] {
    let copy = message.key.clone();
    let Part { direction, ref mut progress, aad, ref mut text, lengths, .. } = *message;
    kernel.crypt(&mut Part { direction, key: &copy, progress, aad, text: text.reborrow(), lengths })
}

/// Processes a message that has as many powers of H as it needs.
#[inline(always)]
fn short<V: AesBlocks<N, One: AesBlocks<1>>, const N: usize>(
    isa: V::Isa,
    message: &mut Part<'_>,
) -> [u8; 16] {
    let Part { direction, key, ref progress, aad, ref mut text, lengths } = *message;
    let (mut text, keys, powers) = (text.reborrow(), &*key.rounds, key.hash.powers.get());
    let (mut mask, mut states) = first_rounds::<V, N>(isa, keys, progress, text.len());
    let mut hashing =
        Hashing::begin(isa, powers, &progress.hash, aad, blocks_in(text.len()), lengths.is_some());
    if text.len() >= 16 * N * 4 {
        let mut counter = GroupCounter::new(isa, progress, &keys.all()[0]);
        counter.skip(isa);
        fours(isa, direction, keys, &mut counter, &mut states, &mut text, &mut hashing);
        // Beside the hash of the last blocks.
        let mut alone = [mask];
        encrypt_rolled(isa, keys, &mut alone);
        [mask] = alone;
    }
    let last_key = V::broadcast(isa, &keys.keys[14]);
    rest(isa, direction, last_key, states, &mut text, &mut hashing);
    hashing.end(isa, lengths, || mask.encrypt_last_round(last_key.front()))
}

/// Runs all rounds except the last on the tag's mask and the first four vectors. With four vectors of text or
/// more, the mask is left for later.
#[inline(always)]
fn first_rounds<V: AesBlocks<N, One: AesBlocks<1>>, const N: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    progress: &Progress,
    text_len: usize,
) -> (V::One, [V; 4]) {
    let mask = V::One::splat(isa, progress.first);
    let mut states = Counters::<V, N>::new(isa, progress).next(isa);
    // The rounds of few vectors are done beside those of the mask, to hide their latency.
    if text_len <= 16 * N {
        let mut both = [V::first(mask), states[0]];
        encrypt_rolled(isa, keys, &mut both);
        (both[0].front(), [both[1]; 4])
    } else if text_len < 16 * N * 4 {
        let mut all = [V::first(mask), states[0], states[1], states[2], states[3]];
        encrypt_rolled(isa, keys, &mut all);
        (all[0].front(), [all[1], all[2], all[3], all[4]])
    } else {
        encrypt_rolled(isa, keys, &mut states);
        (mask, states)
    }
}

/// Encrypts or decrypts four vectors at a time, and hashes them beside the rounds of the next four. `states`
/// are before their last round.
#[inline(always)]
fn fours<V: AesBlocks<N, One: AesBlocks<1>>, const N: usize>(
    isa: V::Isa,
    direction: Direction,
    keys: &RoundKeys,
    counter: &mut GroupCounter<'_, V, N, 4>,
    states: &mut [V; 4],
    text: &mut InOut<'_>,
    hashing: &mut Hashing<'_, V, N>,
) {
    let last_key = V::broadcast(isa, &keys.keys[14]);
    while let Some(mut group) = text.take::<N, 4>() {
        let mut sealed = *states;
        for j in 0..4 {
            let input = group.load::<V>(isa, j);
            let output = states[j].encrypt_last_round(input ^ last_key);
            group.store(j, output);
            // Pinned, since opening would wait for the output if there were no branch.
            sealed[j] = if direction == Direction::Seal { output.pin() } else { input };
        }
        let rows = hashing.powers.last(hashing.power);
        let (pending, sums) = (hashing.pending, &mut hashing.sums);
        if text.is_empty() {
            for j in 0..4 {
                let [powers, folded] = rows.map(
                    #[inline(always)]
                    |row: &[_; 4]| V::load(isa, &row[j]),
                );
                let block = sealed[j].reverse_bytes();
                sums.add_products(if j == 0 { block ^ pending } else { block }, powers, folded);
            }
        } else if text.len() <= 16 * N * 2 {
            let [a, b, _, _] = counter.next(isa);
            let mut two = [a, b];
            step(isa, keys, &mut two, &sealed, pending, rows, sums);
            *states = [two[0], two[1], two[0], two[1]];
        } else {
            *states = counter.next(isa);
            step(isa, keys, states, &sealed, pending, rows, sums);
        }
        hashing.pending = V::zero(isa);
        hashing.power -= 4 * N;
        if hashing.power == 0 {
            hashing.reduce(isa);
            hashing.power = hashing.left(blocks_in(text.len()));
        }
    }
}

/// Encrypts or decrypts and hashes less than four vectors, whose states are before their last round.
#[inline(always)]
fn rest<V: AesBlocks<N, One: AesBlocks<1>>, const N: usize>(
    isa: V::Isa,
    direction: Direction,
    last_key: V,
    mut states: [V; 4],
    text: &mut InOut<'_>,
    hashing: &mut Hashing<'_, V, N>,
) {
    while let Some(mut vector) = text.take::<N, 1>() {
        let input = vector.load::<V>(isa, 0);
        let output = states[0].encrypt_last_round(input ^ last_key);
        vector.store(0, output);
        hashing.add(isa, if direction == Direction::Seal { output.pin() } else { input }, N);
        states = [states[1], states[2], states[3], states[0]];
    }
    let len = text.len();
    if len > 0 {
        let input = text.load_front::<V, N>(isa);
        let output = states[0].encrypt_last_round(input ^ last_key);
        text.store_front(output);
        let sealed = if direction == Direction::Seal { output.keep_front(len).pin() } else { input };
        hashing.add(isa, sealed, blocks_in(len));
    }
}

/// GHASH of a message in progress.
struct Hashing<'a, V, const N: usize> {
    powers: Powers<'a>,
    sums: Sums<V, N>,
    /// The hash that is added to the next block.
    pending: V,
    /// The power for the next block: the number of blocks before the next reduction. If there are more blocks
    /// than powers, as many are reduced together.
    power: usize,
    /// Whether the lengths follow the text, which are one more block.
    ends: bool,
}

impl<'a, V: AesBlocks<N, One: AesBlocks<1>>, const N: usize> Hashing<'a, V, N> {
    /// Begins with an earlier part's hash and with additional data, before the given number of blocks of
    /// text.
    #[inline(always)]
    fn begin(
        isa: V::Isa,
        powers: Powers<'a>,
        hash: &[u8; 16],
        aad: &[u8],
        blocks: usize,
        ends: bool,
    ) -> Self {
        let left = blocks + usize::from(ends);
        let together = blocks_in(aad.len()) + left <= powers_at_once(N);
        let hash = V::One::splat(isa, u128::from_le_bytes(*hash));
        let (sums, pending) = absorb(isa, powers, hash, aad, if together { left } else { 0 });
        let mut hashing = Self { powers, sums, pending, power: left.min(powers_at_once(N)), ends };
        if !together && !aad.is_empty() {
            hashing.reduce(isa);
        }
        hashing
    }

    /// Adds a vector of ciphertext with the given number of blocks.
    #[inline(always)]
    fn add(&mut self, isa: V::Isa, sealed: V, blocks: usize) {
        self.sums.add(isa, sealed.reverse_bytes() ^ self.pending, self.powers, self.power);
        self.pending = V::zero(isa);
        self.power -= blocks;
    }

    /// Returns the power for the first of so many blocks of text.
    #[inline(always)]
    fn left(&self, blocks: usize) -> usize {
        (blocks + usize::from(self.ends)).min(powers_at_once(N))
    }

    /// Reduces the sums.
    #[inline(always)]
    fn reduce(&mut self, isa: V::Isa) {
        self.pending = self.pending ^ V::first(self.sums.reduce(isa).sum());
        self.sums = Sums::zero(isa);
    }

    /// Returns the message's tag, whose mask is given, or the hash so far if no lengths are given.
    #[inline(always)]
    fn end(mut self, isa: V::Isa, lengths: Option<&u128>, mask: impl FnOnce() -> V::One) -> [u8; 16] {
        if self.power == 0 {
            self.reduce(isa);
        }
        let Some(&lengths) = lengths else { return block(self.pending.sum()) };
        let lengths = V::first(V::One::splat(isa, lengths));
        self.sums.add(isa, lengths ^ self.pending, self.powers, 1);
        block(self.sums.reduce(isa).sum().reverse_bytes() ^ mask())
    }
}
