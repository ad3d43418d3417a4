//! Additional data before a message that is not short.

use super::absorb::absorb;
use crate::aes_gcm::kernel::{Key, Progress};
use keylane_cpu::lanes::{Blocks, CarrylessBlocks};

/// Hashes the additional data.
#[inline(always)]
pub(super) fn begin<V, const N: usize>(isa: V::Isa, key: &Key, progress: &mut Progress, aad: &[u8])
where
    V: CarrylessBlocks<N, One: CarrylessBlocks<1>>,
{
    let hash = V::One::splat(isa, u128::from_le_bytes(progress.hash));
    let hash = absorb::<V, N>(isa, key.hash.powers.get(), hash, aad, 0).0.reduce(isa).sum();
    hash.store(core::array::from_mut(&mut progress.hash));
}
