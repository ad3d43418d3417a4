//! AES-GCM in one pass (NIST SP 800-38D §7), over vectors of N blocks.
//!
//! - A group is eight vectors, G = 8·N blocks, hashed with as many powers of H and reduced once: `groups`.
//! - The end, at most a group, is usually hashed with the lengths in one reduction: `end`.
//! - Sealing and opening are the same code, for any number of rounds, with branches that the CPU predicts
//!   where they differ.

mod absorb;
mod counter;
mod end;
mod groups;
mod many;
mod overlapped;

use super::kernel::{
    Kernel, Key, MANY_SHORT, MAX_ALIKE, MAX_HASHED, MAX_SHORT, Message, blocks_in, shape, with_copy,
};
use crate::aead;
use crate::aes::key_schedule::expand;
use crate::aes::{KeyBytes, RoundKeys};
use crate::backend::Shape;
use crate::ghash::HashKey;
use crate::ghash::hash::hash;
use crate::ghash::powers::grow;
use core::marker::PhantomData;
use end::end;
use groups::groups;
use keylane_cpu::InstructionSet;
use keylane_cpu::lanes::{AesBlocks, AesWords, Blocks, CarrylessBlocks};
use keylane_cpu::wipe::{Secret, wipe};
use many::{Stream, many};
use overlapped::{Ahead, overlapped};

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

    fn crypt(&self, message: &mut Message<'_>) -> [u8; 16] {
        // Additional data, text and lengths of a short message are hashed with one reduction.
        let blocks = blocks_in(message.aad.len()) + blocks_in(message.text.len());
        let short = message.lengths.is_some()
            && message.text.len() <= 16 * G
            && blocks < message.key.hash.powers.get().len();
        if short { finish::<V, N>(message) } else { self.long(message) }
    }

    fn gain(&self, messages: usize, bytes: usize) -> bool {
        let blocks = if messages < MANY_SHORT { MAX_ALIKE } else { MAX_SHORT };
        N > 1 && bytes <= 16 * blocks * messages
    }

    fn crypt_many(
        &self,
        alike: bool,
        seal: bool,
        key: &Key,
        messages: &mut [aead::Message<'_>],
        tags: &mut [[u8; 16]],
    ) -> usize {
        // One lane would only add code.
        if const { N == 1 } {
            0
        } else if alike {
            together::<V, N>(seal, key, messages, tags)
        } else {
            in_turn::<V, N, Q>(seal, key, messages, tags)
        }
    }
}

/// Processes messages that are alike, N at a time. Returns how many they are.
#[inline(never)]
fn together<V, const N: usize>(
    seal: bool,
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
        |isa| many::<V, N>(isa, seal, key, [aad_blocks, blocks], sets, tags, &mut streams),
    );
    streams.iter_mut().for_each(|stream| wipe(stream.0[..blocks].as_flattened_mut()));
    N * sets.len()
}

/// Processes short messages, one after the other. Returns how many they are.
#[inline(never)]
fn in_turn<V, const N: usize, const Q: usize>(
    seal: bool,
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
        |isa| overlapped::<V, N, Q>(isa, seal, key, messages, tags, &mut ahead),
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
    /// A message that is not short, or the first that needs as many powers of H. A separate function, since
    /// it takes more of the stack.
    #[inline(never)]
    fn long(&self, message: &mut Message<'_>) -> [u8; 16] {
        let blocks = blocks_in(message.aad.len()) + blocks_in(message.text.len());
        let short = message.lengths.is_some() && message.text.len() <= 16 * G && blocks < POWERS;
        let powers = if short { blocks + 1 } else { POWERS };
        if message.key.hash.powers.get().len() < powers && !grow::<V, N>(&message.key.hash, powers) {
            return with_copy(self, message);
        }
        if short {
            return finish::<V, N>(message);
        }
        if message.aad.len() > 16 {
            let (key, state) = (message.key, &mut message.progress.hash);
            let (aad, blocks) = ([message.aad], blocks_in(message.aad.len()));
            hash::<V, N>(key.hash.powers.get(), true, state, &aad, blocks, &key.rounds, None);
            message.aad = &[];
        }
        let tag = V::Isa::enter(
            #[inline(always)]
            |isa| groups::<V, N, G>(isa, message),
        );
        let result = match tag {
            Some(tag) => tag,
            None => {
                message.aad = &[];
                finish::<V, N>(message)
            }
        };
        wipe(&mut message.progress.hash);
        result
    }
}

/// Calls [`end`] in one place, so that it is compiled once.
#[inline(always)]
fn finish<V, const N: usize>(message: &mut Message<'_>) -> [u8; 16]
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    V::Isa::enter(
        #[inline(always)]
        |isa| end::<V, N>(isa, message),
    )
}
