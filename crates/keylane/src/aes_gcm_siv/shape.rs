//! The shape over vectors: a short message in one kernel, a longer one by those of AES-CTR and GHASH in
//! turns, the whole groups of one that is opened in one pass.

use super::NONCE_LEN;
use super::groups::open;
use super::kernel::{Kernel, Message, MessageKeys, blocks_in, xor_keystream};
use super::short::begin;
use crate::aes::rounds::Rounds;
use crate::aes::{Kernel as _, KeyBytes, RoundKeys};
use crate::aes_ctr::lanes::Lanes;
use crate::backend::Shape;
use crate::ghash::GrowingPowers;
use crate::ghash::hash::hash;
use crate::ghash::powers::compute;
use core::marker::PhantomData;
use keylane_cpu::InstructionSet;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::{AesBlocks, CarrylessBlocks};

/// A shape over vectors of N blocks, H = 4 × N or G = 8 × N blocks a group, and POLYVAL with
/// at most POWERS powers of its key.
pub(crate) struct InTurns<V, const N: usize, const H: usize, const G: usize, const POWERS: usize>(
    PhantomData<fn() -> V>,
);

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

impl<V, const N: usize, const H: usize, const G: usize, const POWERS: usize> Kernel
    for InTurns<V, N, H, G, POWERS>
where
    V: AesBlocks<N, Words: CarrylessBlocks<1>>
        + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>
        + 'static,
{
    fn expand(&self, key: KeyBytes<'_>) -> RoundKeys {
        Rounds::<V, N, H, G>::KERNEL.expand(key)
    }

    fn xor_keystream(&self, keys: &RoundKeys, counter: u128, text: &mut InOut<'_>) {
        xor_keystream(Lanes::<V, N, G>::KERNEL, keys, counter, text);
    }

    fn begin(
        &self,
        key: Option<&RoundKeys>,
        nonce: &[u8; NONCE_LEN],
        keys: &mut MessageKeys<'_>,
        message: Option<&mut Message<'_, '_>>,
    ) {
        begin::<V::Words>(key, nonce, keys, message)
    }

    fn hash(
        &self,
        keys: &MessageKeys<'_>,
        powers: &mut GrowingPowers,
        state: &mut [u8; 16],
        parts: &[&[u8]],
        nonce: Option<&[u8; NONCE_LEN]>,
    ) {
        let blocks = blocks_in(parts);
        Self::grow(keys, powers, blocks);
        hash::<V, N, H>(powers.get(), false, state, parts, blocks, keys.rounds, nonce);
    }

    fn open_groups(
        &self,
        keys: &MessageKeys<'_>,
        powers: &mut GrowingPowers,
        state: &mut [u8; 16],
        aad: &[u8],
        counter: u128,
        text: &mut InOut<'_>,
    ) -> usize {
        if text.len() < 16 * G * 3 {
            return 0;
        }
        if !aad.is_empty() {
            self.hash(keys, powers, state, &[aad], None);
        }
        Self::grow(keys, powers, POWERS);
        let groups = text.len() / (16 * G);
        V::Isa::enter(
            #[inline(always)]
            |isa| open::<V, N, G>(isa, keys.rounds, powers.get(), state, counter, text),
        );
        16 * G * (groups - 1)
    }
}

impl<V, const N: usize, const H: usize, const G: usize, const POWERS: usize> InTurns<V, N, H, G, POWERS>
where
    V: CarrylessBlocks<N, One: CarrylessBlocks<1>>,
{
    /// Computes as many powers of POLYVAL's key as hashing so many blocks needs.
    #[inline(always)]
    fn grow(keys: &MessageKeys<'_>, powers: &mut GrowingPowers, blocks: usize) {
        let count = blocks.min(POWERS);
        if powers.get().len() < count {
            let first = u128::from_le_bytes(*keys.hash);
            powers.grow_alone(|powers| compute::<V, N>(powers, first, count));
        }
    }
}
