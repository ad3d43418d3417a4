//! AES-GCM in one pass (NIST SP 800-38D §7), over vectors of N blocks.
//!
//! - A message that is not long, and the end of a long one, takes four vectors at a time: `Fused::crypt`. They
//!   are hashed beside the rounds of the next ones: `step`.
//! - A group of a long one is eight vectors, G = 8·N blocks, hashed with as many powers of H: `groups`.
//! - Sealing and opening are the same code, for any number of rounds, with branches that the CPU predicts
//!   where they differ.

mod absorb;
mod counter;
pub(crate) mod groups;
mod many;
mod overlapped;
mod step;

use super::kernel::{Kernel, Key, MANY_SHORT, MAX_ALIKE, MAX_HASHED, MAX_SHORT, Part, blocks_in, shape};
use crate::aead::{self, Direction};
use crate::aes::key_schedule::expand;
use crate::aes::rounds::encrypt_rolled;
use crate::aes::{KeyBytes, RoundKeys};
use crate::backend::Shape;
use crate::ghash::HashKey;
use crate::ghash::hash::hash;
use crate::ghash::multiply::Sums;
use crate::ghash::powers::grow;
use absorb::{absorb, block};
use core::marker::PhantomData;
use counter::{Counters, GroupCounter};
use groups::{groups, vector};
use keylane_cpu::InstructionSet;
use keylane_cpu::lanes::{AesBlocks, AesWords, Blocks, CarrylessBlocks};
use keylane_cpu::wipe::{Secret, wipe};
use many::{Stream, many};
use overlapped::{Ahead, overlapped};
use step::step;

/// Processes a message with a copy of its key, since another thread is computing powers of H at this moment.
#[cold]
fn with_copy(kernel: &dyn Kernel, message: &mut Part<'_>) -> [u8; 16] {
    let copy = message.key.clone();
    let Part { direction, ref mut progress, aad, ref mut text, lengths, .. } = *message;
    kernel.crypt(&mut Part { direction, key: &copy, progress, aad, text: text.reborrow(), lengths })
}

/// AES-GCM over vectors of N blocks, Q = 4 × N blocks of short messages at a time, G = 8 × N blocks a group,
/// with POWERS powers of H.
pub(crate) struct Fused<V, const N: usize, const Q: usize, const G: usize, const POWERS: usize>(
    PhantomData<fn() -> V>,
);

impl<V, const N: usize, const Q: usize, const G: usize, const POWERS: usize> Shape
    for Fused<V, N, Q, G, POWERS>
where
    V: AesBlocks<N> + 'static,
{
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);

    /// The round keys are computed by narrower vectors.
    fn is_usable() -> bool {
        V::Isa::is_usable() && <V::Words as Blocks<1>>::Isa::is_usable()
    }
}

impl<V, const N: usize, const Q: usize, const G: usize, const POWERS: usize> Kernel
    for Fused<V, N, Q, G, POWERS>
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>> + 'static,
{
    fn prepare(&self, key: KeyBytes<'_>) -> Key {
        prepare::<V::Words>(key)
    }

    fn precompute(&self, key: &Key) {
        // `in_turn`, which one lane does not have, needs as many.
        let powers = if N == 1 { POWERS } else { POWERS.max(MAX_HASHED) };
        // False while another thread computes some: then that key is not this thread's alone.
        let _ = grow::<V, N>(&key.hash, powers);
    }

    fn crypt(&self, message: &mut Part<'_>) -> [u8; 16] {
        let blocks = blocks_in(message.aad.len()) + blocks_in(message.text.len());
        let known = message.key.hash.powers.get().len();
        let is_long = message.text.len() >= 16 * G * Self::LONG || message.aad.len() > 16 * POWERS;
        if is_long || known < POWERS.min(blocks + 1) {
            return self.long(message);
        }
        V::Isa::enter(
            #[inline(always)]
            |isa| {
                let Part { direction, key, ref progress, aad, ref mut text, lengths } = *message;
                let mut text = text.reborrow();
                let powers = key.hash.powers.get();
                let last_key = V::broadcast(isa, &key.rounds.keys[14]);
                let mut mask = V::One::splat(isa, progress.first);
                let mut counters = Counters::<V>::new(isa, progress);
                let mut states = counters.next(isa);
                // The rounds of few vectors are done beside those of the mask, to hide their latency.
                let few = text.len() < 16 * Q;
                if text.len() <= 16 * N {
                    let mut both = [V::first(mask), states[0]];
                    encrypt_rolled(isa, &key.rounds, &mut both);
                    (mask, states) = (both[0].front(), [both[1]; 4]);
                } else if few {
                    let mut all = [V::first(mask), states[0], states[1], states[2], states[3]];
                    encrypt_rolled(isa, &key.rounds, &mut all);
                    (mask, states) = (all[0].front(), [all[1], all[2], all[3], all[4]]);
                } else {
                    encrypt_rolled(isa, &key.rounds, &mut states);
                }
                // The lengths are one more block. If there are more blocks than powers, as many are reduced
                // together.
                let left = |text_len| blocks_in(text_len) + usize::from(lengths.is_some());
                let mut power = left(text.len());
                let together = blocks_in(aad.len()) + power <= POWERS;
                let hash = V::One::splat(isa, u128::from_le_bytes(progress.hash));
                let (mut sums, mut pending) =
                    absorb::<V, N>(isa, powers, hash, aad, if together { power } else { 0 });
                if !together && !aad.is_empty() {
                    (sums, pending) = (Sums::zero(isa), V::first(sums.reduce(isa).sum()));
                }
                power = power.min(POWERS);
                if !few {
                    let mut counter = GroupCounter::<V, 4>::new(isa, progress, &key.rounds.all()[0]);
                    counter.skip(isa);
                    while let Some(mut group) = text.take::<Q>() {
                        let mut sealed = states;
                        for j in 0..4 {
                            let input = group.load::<V, N>(isa, N * j);
                            let output = states[j].encrypt_last_round(input ^ last_key);
                            group.store(N * j, output);
                            // Pinned, since opening would wait for the output if there were no branch.
                            sealed[j] = if direction == Direction::Seal { output.pin() } else { input };
                        }
                        let rows = powers.last::<Q>(power);
                        if text.is_empty() {
                            for j in 0..4 {
                                let h = vector::<V, N, Q>(isa, rows[0], N * j);
                                let folded = vector::<V, N, Q>(isa, rows[1], N * j);
                                sums.add_products(sealed[j].reverse_bytes() ^ pending, h, folded);
                                pending = V::zero(isa);
                            }
                        } else if text.len() <= 32 * N {
                            let [a, b, _, _] = counter.next(isa);
                            let mut two = [a, b];
                            step(isa, &key.rounds, &mut two, &sealed, pending, rows, &mut sums);
                            states = [two[0], two[1], two[0], two[1]];
                        } else {
                            states = counter.next(isa);
                            step(isa, &key.rounds, &mut states, &sealed, pending, rows, &mut sums);
                        }
                        pending = V::zero(isa);
                        power -= Q;
                        if power == 0 {
                            (sums, pending) = (Sums::zero(isa), V::first(sums.reduce(isa).sum()));
                            power = left(text.len()).min(POWERS);
                        }
                    }
                    // Beside the hash of the last blocks.
                    let mut alone = [mask];
                    encrypt_rolled(isa, &key.rounds, &mut alone);
                    [mask] = alone;
                }
                while !text.is_empty() {
                    let len = text.len().min(16 * N);
                    let input = text.load_front::<V, N>(isa);
                    let output = states[0].encrypt_last_round(input ^ last_key);
                    text.store_front(output);
                    let sealed =
                        if direction == Direction::Seal { output.keep_front(len).pin() } else { input };
                    sums.add(isa, sealed.reverse_bytes() ^ pending, powers, power);
                    pending = V::zero(isa);
                    power -= blocks_in(len);
                    states = [states[1], states[2], states[3], states[0]];
                }
                if power == 0 {
                    (sums, pending) = (Sums::zero(isa), pending ^ V::first(sums.reduce(isa).sum()));
                }
                let Some(&lengths) = lengths else { return block(pending.sum()) };
                sums.add(isa, V::first(V::One::splat(isa, lengths)) ^ pending, powers, 1);
                block(sums.reduce(isa).sum().reverse_bytes() ^ mask.encrypt_last_round(last_key.front()))
            },
        )
    }

    fn gain(&self, messages: usize, bytes: usize) -> bool {
        let blocks = if messages < MANY_SHORT { MAX_ALIKE } else { MAX_SHORT };
        N > 1 && bytes <= 16 * blocks * messages
    }

    fn crypt_many(
        &self,
        alike: bool,
        direction: Direction,
        key: &Key,
        messages: &mut [aead::Message<'_>],
        tags: &mut [[u8; 16]],
    ) -> usize {
        // One lane would only add code.
        if const { N == 1 } {
            0
        } else if alike {
            together::<V, N>(direction, key, messages, tags)
        } else {
            in_turn::<V, N, Q>(direction, key, messages, tags)
        }
    }
}

/// Processes messages that are alike, N at a time. Returns how many they are.
#[inline(never)]
fn together<V, const N: usize>(
    direction: Direction,
    key: &Key,
    messages: &mut [aead::Message<'_>],
    tags: &mut [[u8; 16]],
) -> usize
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    let (sets, tags) = (messages.as_chunks_mut().0, tags.as_chunks_mut().0);
    let Some([first, ..]) = sets.first().map(<[_; N]>::as_slice) else { return 0 };
    let (aad_blocks, blocks) = shape(first);
    let powers = aad_blocks + blocks + 1;
    if key.hash.powers.get().len() < powers && !grow::<V, N>(&key.hash, powers) {
        return 0;
    }
    let mut streams = [const { Stream([[[0; 16]; N]; MAX_ALIKE]) }; 2];
    V::Isa::enter(
        #[inline(always)]
        |isa| many::<V, N>(isa, direction, key, [aad_blocks, blocks], sets, tags, &mut streams),
    );
    streams.iter_mut().for_each(|stream| wipe(stream.0[..blocks].as_flattened_mut()));
    N * sets.len()
}

/// Processes short messages, one after the other. Returns how many they are.
#[inline(never)]
fn in_turn<V, const N: usize, const Q: usize>(
    direction: Direction,
    key: &Key,
    messages: &mut [aead::Message<'_>],
    tags: &mut [[u8; 16]],
) -> usize
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    let known = key.hash.powers.get().len();
    if known < MAX_HASHED {
        let hashed =
            |message: &aead::Message<'_>| blocks_in(message.aad.len()) + blocks_in(message.text.len()) + 1;
        let powers = messages.iter().map(hashed).fold(0, usize::max);
        if known < powers && !grow::<V, N>(&key.hash, powers) {
            return 0;
        }
    }
    let mut ahead = Ahead::EMPTY;
    V::Isa::enter(
        #[inline(always)]
        |isa| overlapped::<V, N, Q>(isa, direction, key, messages, tags, &mut ahead),
    );
    ahead.wipe();
    messages.len()
}

/// Expands a key and encrypts zero. The compiler sees all of it, and so stores the key in the caller's place.
fn prepare<V: AesWords>(key: KeyBytes<'_>) -> Key {
    V::Isa::enter(
        #[inline(always)]
        |isa| {
            let mut rounds = RoundKeys::EMPTY;
            let mut h = [[0; 16]];
            expand::<V>(isa, key, &mut rounds).store(&mut h);
            Key { hash: HashKey::new(h[0]), rounds: Secret::new(rounds) }
        },
    )
}

impl<V, const N: usize, const Q: usize, const G: usize, const POWERS: usize> Fused<V, N, Q, G, POWERS>
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>> + 'static,
{
    /// From so many groups on, [`groups`] are faster.
    const LONG: usize = if N == 4 { 4 } else { 2 };

    /// A message that is not short, or the first that needs as many powers of H. A separate function, since
    /// it takes more of the stack.
    #[inline(never)]
    fn long(&self, message: &mut Part<'_>) -> [u8; 16] {
        let powers = POWERS.min(blocks_in(message.aad.len()) + blocks_in(message.text.len()) + 1);
        if message.key.hash.powers.get().len() < powers && !grow::<V, N>(&message.key.hash, powers) {
            return with_copy(self, message);
        }
        if message.aad.len() > 16 {
            let (key, state) = (message.key, &mut message.progress.hash);
            let (aad, blocks) = ([message.aad], blocks_in(message.aad.len()));
            hash::<V, N, Q>(key.hash.powers.get(), true, state, &aad, blocks, &key.rounds, None);
            message.aad = &[];
        }
        if message.text.len() >= 16 * G * Self::LONG {
            let tag = V::Isa::enter(
                #[inline(always)]
                |isa| groups::<V, N, G>(isa, message),
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
