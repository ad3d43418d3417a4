//! The trait of the implementations, and the list of them.

use super::self_test;
use crate::backend::{Backends, backends};
use crate::ghash::HashKey;
use crate::ghash::hash::hash;
use crate::ghash::powers::grow;
use crate::{aes, aes_ctr};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::{aes::rounds::Rounds, aes_ctr::lanes::Lanes, backend::Shape};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use core::marker::PhantomData;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use keylane_cpu::lanes::AesBlocks;
use keylane_cpu::lanes::CarrylessBlocks;
use keylane_cpu::lanes::portable::PlainBlocks;
use keylane_cpu::{InstructionSet, Portable};

/// What differs by CPU: AES, AES-CTR and POLYVAL.
pub(crate) trait Kernel: Sync {
    /// Returns AES.
    fn aes(&self) -> &'static dyn aes::Kernel;
    /// Returns AES-CTR.
    fn ctr(&self) -> &'static dyn aes_ctr::Kernel;
    /// Hashes the parts, each padded with zeros to whole blocks. No other thread has the key.
    fn hash(&self, key: &HashKey, hash: &mut [u8; 16], parts: &[&[u8]]);
}

pub(crate) static BACKENDS: Backends<dyn Kernel> = backends!(
    "aes-gcm-siv", self_test::passes, dyn Kernel:
    x86_64 [
        InTurns<Blocks4, 4, 16, 32, 32>,
        InTurns<Blocks2, 2, 8, 16, 16>,
        InTurns<Blocks1<AesNi>, 1, 4, 8, 16>,
    ]
    aarch64 [InTurns<Blocks1, 1, 4, 8, 16>]
    portable [Portable]
);

/// Each by its own kernel over vectors of N blocks, H = 4 × N or G = 8 × N blocks a group, and POLYVAL with
/// at most POWERS powers of its key.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
struct InTurns<V, const N: usize, const H: usize, const G: usize, const POWERS: usize>(
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
    V: AesBlocks<N> + CarrylessBlocks<N, One: CarrylessBlocks<1>> + 'static,
{
    fn aes(&self) -> &'static dyn aes::Kernel {
        Rounds::<V, N, H, G>::KERNEL
    }

    fn ctr(&self) -> &'static dyn aes_ctr::Kernel {
        Lanes::<V, N, G>::KERNEL
    }

    fn hash(&self, key: &HashKey, hash: &mut [u8; 16], parts: &[&[u8]]) {
        polyval::<V, N, POWERS>(key, hash, parts);
    }
}

impl Kernel for Portable {
    fn aes(&self) -> &'static dyn aes::Kernel {
        &Self
    }

    fn ctr(&self) -> &'static dyn aes_ctr::Kernel {
        &Self
    }

    fn hash(&self, key: &HashKey, hash: &mut [u8; 16], parts: &[&[u8]]) {
        polyval::<PlainBlocks<1>, 1, 4>(key, hash, parts);
    }
}

/// See [`Kernel::hash`].
#[inline(always)]
fn polyval<V, const N: usize, const POWERS: usize>(key: &HashKey, state: &mut [u8; 16], parts: &[&[u8]])
where
    V: CarrylessBlocks<N, One: CarrylessBlocks<1>>,
{
    let blocks: usize = parts.iter().map(|part| part.len().div_ceil(16)).sum();
    let powers = blocks.min(POWERS);
    if key.powers.get().len() < powers {
        V::Isa::enter(
            #[inline(always)]
            |isa| assert!(grow::<V, N>(isa, key, powers), "no other thread has the key"),
        );
    }
    V::Isa::enter(
        #[inline(always)]
        |isa| hash::<V, N>(isa, key.powers.get(), false, state, parts),
    );
}
