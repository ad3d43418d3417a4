//! The trait of Poly1305's implementations, and those without vectors, in the limbs that suit the target's
//! multiplication.

use super::key::Key;
use super::limbs64::Accumulator;
use super::{limbs8, limbs13, limbs32, limbs64};
use keylane_cpu::lanes::load_partial;
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
fn absorb_in<const LIMB_BITS: u32>(r: &[u64; 2], acc: &mut Accumulator, blocks: &[[u8; 16]]) {
    match LIMB_BITS {
        64 => *acc = limbs64::absorb(*r, *acc, blocks),
        26 => limbs32::absorb(r, acc, blocks, 1),
        8 => limbs8::absorb(r, acc, blocks, 1),
        _ => limbs13::absorb(r, acc, blocks, 1),
    }
}

/// Absorbs whole blocks, each with a one above it.
#[inline(always)]
pub(crate) fn absorb(r: &[u64; 2], acc: &mut Accumulator, blocks: &[[u8; 16]]) {
    absorb_in::<TARGET>(r, acc, blocks);
}

/// Absorbs fewer bytes than a block, if there are any, and zeros up to the block's end, with a one above it.
/// At the `end` of a message, the one follows the bytes.
#[inline(always)]
pub(super) fn absorb_rest(r: &[u64; 2], acc: &mut Accumulator, bytes: &[u8], end: bool) {
    if bytes.is_empty() {
        return;
    }
    if const { TARGET == 64 } {
        let [low, high] = load_partial(bytes);
        let one = u128::from(end) << (8 * bytes.len());
        let block = [low | one as u64, high | (one >> 64) as u64];
        *acc = limbs64::absorb_words(*r, *acc, block, (!end).into());
        return;
    }
    let mut block = [0; 16];
    block[..bytes.len()].copy_from_slice(bytes);
    block[bytes.len()] = end.into();
    let top = (!end).into();
    match TARGET {
        26 => limbs32::absorb(r, acc, &[block], top),
        8 => limbs8::absorb(r, acc, &[block], top),
        _ => limbs13::absorb(r, acc, &[block], top),
    }
}

impl Kernel for Portable {
    fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]) {
        absorb_in::<64>(&key.r, accumulator, blocks);
    }
}

impl Kernel for Portable32 {
    fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]) {
        absorb_in::<NARROW>(&key.r, accumulator, blocks);
    }
}

impl Kernel for Portable8 {
    fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]) {
        absorb_in::<8>(&key.r, accumulator, blocks);
    }
}
