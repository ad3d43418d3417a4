//! The shape over vectors. A short message is processed by one kernel, a longer one by those of AES-CTR and
//! GHASH in turn, and whole groups are opened in one pass.

use super::NONCE_LEN;
use super::kernel::{Kernel, Message, MessageKeys, blocks_in, xor_keystream};
use super::short::begin;
use crate::aes::rounds::{Rounds, add};
use crate::aes::{Kernel as _, KeyBytes, RoundKeys};
use crate::aes_ctr::lanes::Lanes;
use crate::aes_gcm::fused::counter::GroupCounter;
use crate::aes_gcm::fused::groups::{Keys, W, first_group, interleave};
use crate::backend::Shape;
use crate::ghash::hash::hash;
use crate::ghash::powers::compute;
use crate::ghash::{GrowingPowers, Powers, powers_at_once};
use core::marker::PhantomData;
use keylane_cpu::InstructionSet;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::{AesBlocks, Blocks};

/// A shape over vectors of N blocks.
pub(crate) struct InTurns<V, const N: usize>(PhantomData<fn() -> V>);

impl<V: AesBlocks<N> + 'static, const N: usize> Shape for InTurns<V, N> {
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);

    fn is_usable() -> bool {
        Rounds::<V, N>::is_usable()
    }
}

impl<V: AesBlocks<N, One: AesBlocks<1>> + 'static, const N: usize> Kernel for InTurns<V, N> {
    fn expand(&self, key: KeyBytes<'_>) -> RoundKeys {
        Rounds::<V, N>::KERNEL.expand(key)
    }

    fn xor_keystream(&self, keys: &RoundKeys, counter: u128, text: &mut InOut<'_>) {
        xor_keystream(Lanes::<V, N>::KERNEL, keys, counter, text);
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
        grow::<V, N>(keys, powers, blocks);
        hash::<V, N>(powers.get(), false, state, parts, blocks, keys.rounds, nonce);
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
        if text.len() < 16 * N * W * 3 {
            return 0;
        }
        if !aad.is_empty() {
            self.hash(keys, powers, state, &[aad], None);
        }
        grow::<V, N>(keys, powers, powers_at_once(N));
        let groups = text.len() / (16 * N * W);
        V::Isa::enter(
            #[inline(always)]
            |isa| open::<V, N>(isa, keys.rounds, powers.get(), state, counter, text),
        );
        16 * N * W * (groups - 1)
    }
}

/// Computes as many powers of POLYVAL's key as hashing so many blocks needs.
#[inline(always)]
fn grow<V: AesBlocks<N, One: AesBlocks<1>>, const N: usize>(
    keys: &MessageKeys<'_>,
    powers: &mut GrowingPowers,
    blocks: usize,
) {
    let count = blocks.min(powers_at_once(N));
    if powers.get().len() < count {
        let first = u128::from_le_bytes(*keys.hash);
        powers.grow_alone(|powers| compute::<V, N>(powers, first, count));
    }
}

/// Decrypts all whole groups, each while the one before is hashed. The last one is not hashed.
#[inline(always)]
fn open<V: AesBlocks<N, One: AesBlocks<1>>, const N: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    powers: Powers<'_>,
    hash: &mut [u8; 16],
    counter: u128,
    text: &mut InOut<'_>,
) {
    let first_key = &keys.all()[0];
    let mut counter = GroupCounter::little_endian(isa, counter, first_key);
    let mut states = counter.next_little_endian(isa);
    // `first_group` adds it again.
    add(V::broadcast(isa, first_key), &mut states);
    let written = first_group(isa, keys, states, text);
    let mut sum = V::One::broadcast(isa, hash);
    let (rows, keys) = (powers.last(W * N), Keys::<V, N>::new(isa, keys));
    interleave::<V, false, N>(isa, &keys, rows, &mut counter, &mut sum, written, text);
    sum.store(core::array::from_mut(hash));
}
