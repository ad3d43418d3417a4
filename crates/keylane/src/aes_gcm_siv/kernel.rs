//! The trait of the implementations, and the shape of those over vectors.

use super::NONCE_LEN;
use crate::aes::portable::GROUP;
use crate::aes::{self, KeyBytes, Order, RoundKeys, portable};
use crate::aes_ctr;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::ghash::hash::hash;
use crate::ghash::hash::{absorb, masked, number};
use crate::ghash::powers::compute;
use crate::ghash::{GrowingPowers, MAX_POWERS, ZEROS};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::{
    aes::Kernel as _,
    aes::rounds::{Rounds, encrypt},
    aes_ctr::lanes::Lanes,
    backend::Shape,
    unroll::each,
};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use core::marker::PhantomData;
use keylane_cpu::Portable;
use keylane_cpu::growing::Adder;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::Blocks;
use keylane_cpu::lanes::portable::PlainBlocks;
use keylane_cpu::wipe::wipe;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use keylane_cpu::{
    InstructionSet,
    lanes::{AesBlocks, AesWords, CarrylessBlocks},
};

/// The keys of one message (RFC 8452 §4).
pub(crate) struct MessageKeys<'a> {
    /// POLYVAL's key.
    pub(super) hash: &'a [u8; 16],
    /// The powers of it that the message needed so far.
    pub(super) powers: &'a mut GrowingPowers,
    pub(super) rounds: &'a RoundKeys,
}

impl MessageKeys<'_> {
    /// Computes more powers by `compute`, at least `count` in all.
    #[inline(always)]
    fn grow(&mut self, count: usize, compute: fn(&mut Adder<'_, MAX_POWERS, ZEROS>, u128, usize)) {
        if self.powers.get().len() < count {
            let first = u128::from_le_bytes(*self.hash);
            self.powers.grow_alone(|powers| compute(powers, first, count));
        }
    }
}

/// What differs by CPU.
pub(crate) trait Kernel: Sync {
    /// Expands a key.
    fn expand(&self, key: KeyBytes<'_>) -> RoundKeys;

    /// Derives the keys of a message (RFC 8452 §4): that of POLYVAL, then that of AES.
    fn derive(&self, keys: &RoundKeys, nonce: &[u8; NONCE_LEN], derived: &mut [[u8; 16]; 3]);

    /// Hashes the parts, each padded with zeros to whole blocks. If the message ends here, the hash becomes
    /// its tag, for which the nonce is needed.
    fn hash(
        &self,
        keys: &mut MessageKeys<'_>,
        state: &mut [u8; 16],
        parts: &[&[u8]],
        nonce: Option<&[u8; NONCE_LEN]>,
    );

    /// XORs the key stream from the block `counter` on into `text`, which ends before the counter wraps.
    fn xor_keystream(&self, keys: &RoundKeys, counter: u128, text: &mut InOut<'_>);
}

/// Each by its own kernel over vectors of N blocks, H = 4 × N or G = 8 × N blocks a group, and POLYVAL with
/// at most POWERS powers of its key.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) struct InTurns<V, const N: usize, const H: usize, const G: usize, const POWERS: usize>(
    PhantomData<fn() -> V>,
);

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl<V, const N: usize, const H: usize, const G: usize, const POWERS: usize> Shape
    for InTurns<V, N, H, G, POWERS>
where
    V: AesBlocks<N> + 'static,
{
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);

    fn is_usable() -> bool {
        Rounds::<V, N, H, G>::is_usable()
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl<V, const N: usize, const H: usize, const G: usize, const POWERS: usize> Kernel
    for InTurns<V, N, H, G, POWERS>
where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>> + 'static,
{
    fn expand(&self, key: KeyBytes<'_>) -> RoundKeys {
        Rounds::<V, N, H, G>::KERNEL.expand(key)
    }

    fn xor_keystream(&self, keys: &RoundKeys, counter: u128, text: &mut InOut<'_>) {
        xor_keystream(Lanes::<V, N, G>::KERNEL, keys, counter, text);
    }

    fn derive(&self, keys: &RoundKeys, nonce: &[u8; NONCE_LEN], derived: &mut [[u8; 16]; 3]) {
        derive::<V::Words>(keys, nonce, derived);
    }

    fn hash(
        &self,
        keys: &mut MessageKeys<'_>,
        state: &mut [u8; 16],
        parts: &[&[u8]],
        nonce: Option<&[u8; NONCE_LEN]>,
    ) {
        let blocks = blocks_in(parts);
        keys.grow(blocks.min(POWERS), compute::<V, N>);
        hash::<V, N>(keys.powers.get(), false, state, parts, blocks, keys.rounds, nonce);
    }
}

/// Returns the number of blocks that the parts fill or begin.
#[inline(always)]
fn blocks_in(parts: &[&[u8]]) -> usize {
    parts.iter().map(|part| part.len().div_ceil(16)).sum()
}

/// See [`Kernel::derive`]. AES-128 takes one key less, but six blocks take no longer than four.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn derive<V: AesWords>(keys: &RoundKeys, nonce: &[u8; NONCE_LEN], derived: &mut [[u8; 16]; 3]) {
    V::Isa::enter(
        #[inline(always)]
        |isa| {
            let zeroth = V::splat(isa, number(nonce) << 32);
            let mut states = [zeroth; 6];
            each!(I in [1 2 3 4 5] {
                states[I] = zeroth ^ V::broadcast(isa, &const { (I as u128).to_le_bytes() });
            });
            encrypt(isa, keys, &mut states);
            let last = V::broadcast(isa, &keys.keys[14]);
            each!(I in [0 1 2] {
                // The first half of each block.
                let low = states[2 * I].encrypt_last_round(last).keep_front(8);
                let high = states[2 * I + 1].encrypt_last_round(last).shift_up::<8>();
                (low ^ high).store(core::array::from_mut(&mut derived[I]));
            });
        },
    );
}

impl Kernel for Portable {
    fn expand(&self, key: KeyBytes<'_>) -> RoundKeys {
        aes::Kernel::expand(self, key)
    }

    fn xor_keystream(&self, keys: &RoundKeys, counter: u128, text: &mut InOut<'_>) {
        xor_keystream(self, keys, counter, text);
    }

    fn derive(&self, keys: &RoundKeys, nonce: &[u8; NONCE_LEN], derived: &mut [[u8; 16]; 3]) {
        let mut blocks = core::array::from_fn::<_, 6, _>(|i| (number(nonce) << 32 | i as u128).to_le_bytes());
        portable::encrypt_blocks(keys, &mut blocks);
        for (half, block) in derived.as_flattened_mut().as_chunks_mut::<8>().0.iter_mut().zip(&blocks) {
            half.copy_from_slice(&block[..8]);
        }
        wipe(&mut blocks);
    }

    fn hash(
        &self,
        keys: &mut MessageKeys<'_>,
        state: &mut [u8; 16],
        parts: &[&[u8]],
        nonce: Option<&[u8; NONCE_LEN]>,
    ) {
        let blocks = blocks_in(parts);
        keys.grow(blocks.min(GROUP), compute::<PlainBlocks<1>, 1>);
        let before = PlainBlocks::load(*self, &[*state]);
        let PlainBlocks([sum]) =
            absorb::<PlainBlocks<1>, 1>(*self, keys.powers.get(), false, before, parts, blocks);
        *state = sum.to_le_bytes();
        if let Some(nonce) = nonce {
            *state = masked(sum, nonce).to_le_bytes();
            portable::encrypt_blocks(keys.rounds, core::array::from_mut(state));
        }
    }
}

/// See [`Kernel::xor_keystream`].
#[inline(always)]
fn xor_keystream(kernel: &impl aes_ctr::Kernel, keys: &RoundKeys, counter: u128, text: &mut InOut<'_>) {
    let mut last = [0; 16];
    kernel.xor_keystream(keys, Order::Little, counter, text, &mut last);
    wipe(&mut last);
}
