//! The trait of Poly1305's implementations.

use super::key::Key;
use super::limbs64::Accumulator;

pub(crate) trait Kernel: Sync {
    /// Absorbs whole blocks: for each, the accumulator becomes (accumulator + block + 2^128) * r. Adds the
    /// powers that it needs to the key.
    fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]);
}
