//! Poly1305 without vectors, for registers of 64 bits and of 32 bits.

use super::kernel::Kernel;
use super::key::Key;
use super::limbs64::Accumulator;
use super::{limbs32, limbs64};
use keylane_cpu::{Portable, Portable32};

/// The portable implementation for the target's registers.
#[cfg(target_pointer_width = "64")]
pub(crate) const PORTABLE: Portable = Portable;
/// The portable implementation for the target's registers.
#[cfg(not(target_pointer_width = "64"))]
pub(crate) const PORTABLE: Portable32 = Portable32;

impl Kernel for Portable {
    fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]) {
        *accumulator = limbs64::absorb(key.r, *accumulator, blocks);
    }
}

impl Kernel for Portable32 {
    fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]) {
        *accumulator = limbs32::absorb(key.r, *accumulator, blocks);
    }
}
