//! AES-GCM in one pass (NIST SP 800-38D §7), over vectors of N blocks.
//!
//! - A group is eight vectors, G = 8·N blocks, hashed with as many powers of H and reduced once: `groups`.
//! - The end, at most a group, is usually hashed with the lengths in one reduction: `end`.
//! - Sealing and opening are the same code, for any number of rounds, with branches that the CPU predicts
//!   where they differ.

mod absorb;
mod begin;
mod counter;
mod end;
mod groups;

use super::kernel::{Kernel, Key, Message};
use crate::aes::KeyBytes;
use crate::aes::key_schedule::expand;
use crate::backend::Shape;
use crate::ghash::HashKey;
use crate::ghash::powers::powers;
use absorb::blocks_in;
use begin::begin;
use core::marker::PhantomData;
use end::end;
use groups::groups;
use keylane_cpu::InstructionSet;
use keylane_cpu::lanes::{AesBlocks, AesWords, Blocks, CarrylessBlocks};
use keylane_cpu::wipe::wipe;

/// AES-GCM over vectors of N blocks, G = 8 × N blocks a group, with POWERS powers of H.
pub(super) struct Fused<V, const N: usize, const G: usize, const POWERS: usize>(PhantomData<fn() -> V>);

impl<V, const N: usize, const G: usize, const POWERS: usize> Shape for Fused<V, N, G, POWERS>
where
    V: Blocks<N> + 'static,
{
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);
}

impl<V, const N: usize, const G: usize, const POWERS: usize> Kernel for Fused<V, N, G, POWERS>
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesWords + CarrylessBlocks<1>> + 'static,
{
    fn prepare(&self, key: KeyBytes<'_>) -> Key {
        V::Isa::enter(
            #[inline(always)]
            |isa| {
                let mut prepared = Key::EMPTY;
                let h = expand::<V::One>(isa, key, &mut prepared.rounds);
                powers::<V, N, POWERS>(isa, h, &mut prepared.hash);
                prepared
            },
        )
    }

    fn powers(&self, h: &[u8; 16], key: &mut HashKey) {
        V::Isa::enter(
            #[inline(always)]
            |isa| powers::<V, N, POWERS>(isa, V::One::broadcast(isa, h), key),
        )
    }

    fn crypt(&self, message: &mut Message<'_>) -> [u8; 16] {
        // Additional data, text and lengths of a short message are hashed with one reduction.
        let short = message.lengths.is_some()
            && message.text.len() <= 16 * G
            && blocks_in(message.aad.len()) + blocks_in(message.text.len()) < message.key.hash.count;
        if short { finish::<V, N>(message) } else { long::<V, N, G>(message) }
    }
}

/// A message that is not short. A separate function, since it takes more of the stack.
#[inline(never)]
fn long<V, const N: usize, const G: usize>(message: &mut Message<'_>) -> [u8; 16]
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    if message.aad.len() > 16 {
        V::Isa::enter(
            #[inline(always)]
            |isa| begin::<V, N>(isa, message.key, message.progress, message.aad),
        );
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
