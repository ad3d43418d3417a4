//! What of Poly1305 differs by CPU.

use super::key::Key;
use super::limbs64::Accumulator;

pub(crate) trait Kernel: Sync {
    /// Takes in whole blocks: for each, the accumulator becomes (accumulator + block + 2^128) * r. Adds to
    /// the key the powers that it needs.
    fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]);
}
