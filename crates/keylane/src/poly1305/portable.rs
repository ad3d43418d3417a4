//! The trait of Poly1305's implementations, and those without vectors, in the limbs that suit the target's
//! multiplication.

use super::key::Key;
use super::limbs64::Accumulator;
use super::{limbs8, limbs13, limbs32, limbs64};
use keylane_cpu::{LONG_PRODUCTS, Portable, Portable8, Portable32};

pub(crate) trait Kernel: Sync {
    /// Absorbs whole blocks: for each, the accumulator becomes (accumulator + block + 2^128) * r. Adds the
    /// powers that it needs to the key.
    fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]);
}

/// The implementation for the target's registers.
#[cfg(target_pointer_width = "64")]
pub(crate) type Scalar = Portable;
/// The implementation for the target's registers.
#[cfg(target_arch = "avr")]
pub(crate) type Scalar = Portable8;
/// The implementation for the target's registers.
#[cfg(not(any(target_pointer_width = "64", target_arch = "avr")))]
pub(crate) type Scalar = Portable32;

/// The bits of a limb where registers have 32 bits.
const NARROW: u32 = if LONG_PRODUCTS { 26 } else { 13 };
/// The bits of a limb of scalar code.
const TARGET: u32 = if cfg!(target_pointer_width = "64") {
    64
} else if cfg!(target_arch = "avr") {
    8
} else {
    NARROW
};

/// Absorbs whole blocks, each with a one above it.
#[inline(always)]
fn absorb_in<const LIMB_BITS: u32>(r: [u64; 2], acc: Accumulator, blocks: &[[u8; 16]]) -> Accumulator {
    match LIMB_BITS {
        64 => limbs64::absorb(r, acc, blocks),
        26 => limbs32::absorb(r, acc, blocks, 1),
        8 => limbs8::absorb(r, acc, blocks, 1),
        _ => limbs13::absorb(r, acc, blocks, 1),
    }
}

/// Absorbs whole blocks, each with a one above it.
#[inline(always)]
pub(crate) fn absorb(r: [u64; 2], acc: Accumulator, blocks: &[[u8; 16]]) -> Accumulator {
    absorb_in::<TARGET>(r, acc, blocks)
}

/// Absorbs 16 bytes as two words, with `top` above them.
#[inline(always)]
pub(super) fn absorb_words(r: [u64; 2], acc: Accumulator, block: [u64; 2], top: u64) -> Accumulator {
    let bytes = || (u128::from(block[0]) | u128::from(block[1]) << 64).to_le_bytes();
    match TARGET {
        64 => limbs64::absorb_words(r, acc, block, top),
        26 => limbs32::absorb(r, acc, &[bytes()], top as u32),
        8 => limbs8::absorb(r, acc, &[bytes()], top as u32),
        _ => limbs13::absorb(r, acc, &[bytes()], top as u32),
    }
}

impl Kernel for Portable {
    fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]) {
        *accumulator = absorb_in::<64>(key.r, *accumulator, blocks);
    }
}

impl Kernel for Portable32 {
    fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]) {
        *accumulator = absorb_in::<NARROW>(key.r, *accumulator, blocks);
    }
}

impl Kernel for Portable8 {
    fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]) {
        *accumulator = absorb_in::<8>(key.r, *accumulator, blocks);
    }
}
