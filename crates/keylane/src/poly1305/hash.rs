//! The state of a message, and scalar code to hash it.

use super::Chosen;
use super::key::Key;
use super::limbs64::{Accumulator, finish};
use super::portable::{self as scalar, Kernel};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use keylane_cpu::wipe::Wipe;
use keylane_cpu::wipe::wipe;

/// Messages and pieces with fewer blocks are hashed by scalar code on any CPU, since lanes would be slower.
/// The self-test of every implementation runs that code as well.
pub(super) const MIN_BLOCKS_FOR_LANES: usize = 8;

/// Whether the target has lanes.
pub(super) const LANES: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// The state of a message whose whole blocks were absorbed.
#[derive(Clone)]
pub(crate) struct Hash {
    pub(crate) key: Key,
    pub(crate) accumulator: Accumulator,
}

impl Hash {
    #[inline(always)]
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        Self { key: Key::new(key), accumulator: [0; 3] }
    }

    /// Absorbs whole blocks, [`MIN_BLOCKS_FOR_LANES`] or more.
    #[inline(always)]
    pub(super) fn absorb(&mut self, kernel: &Chosen, blocks: &[[u8; 16]]) {
        Kernel::absorb(kernel, &mut self.key, &mut self.accumulator, blocks);
    }

    /// Absorbs whole blocks, one after the other.
    #[inline(always)]
    pub(crate) fn absorb_scalar(&mut self, blocks: &[[u8; 16]]) {
        scalar::absorb(&self.key.r, &mut self.accumulator, blocks);
    }

    /// Absorbs bytes, and zeros up to the end of the last block, as AEADs need (RFC 8439 §2.8).
    ///
    /// Not inlined, since every AEAD kernel calls this in several places.
    #[inline(never)]
    pub(crate) fn absorb_padded(&mut self, kernel: &Chosen, bytes: &[u8]) {
        self.absorb_all_padded(kernel, [&bytes]);
    }

    /// Does [`absorb_padded`](Self::absorb_padded) for each part in turn. By references, since copies of
    /// slices would be loaded as vectors, which wait until the pointer and the length are in the cache.
    #[inline(always)]
    pub(crate) fn absorb_all_padded<const N: usize>(&mut self, kernel: &Chosen, parts: [&&[u8]; N]) {
        if const { N > 1 && !LANES } {
            return parts.into_iter().for_each(|bytes| self.absorb_padded(kernel, bytes));
        }
        let (r, mut accumulator) = (self.key.r, self.accumulator);
        for bytes in parts {
            let (blocks, rest) = bytes.as_chunks();
            // Where a message begins (N > 1), kernels too hash up to 16 blocks one by one.
            if !LANES || blocks.len() < if const { N > 1 } { 17 } else { MIN_BLOCKS_FOR_LANES } {
                scalar::absorb(&r, &mut accumulator, blocks);
            } else {
                self.accumulator = accumulator;
                self.absorb(kernel, blocks);
                accumulator = self.accumulator;
            }
            scalar::absorb_rest(&r, &mut accumulator, rest, false);
        }
        self.accumulator = accumulator;
    }

    /// Absorbs a message's last bytes, fewer than a block. A one follows them, instead of being above the
    /// block.
    #[inline(always)]
    pub(crate) fn absorb_last(&mut self, bytes: &[u8]) {
        scalar::absorb_rest(&self.key.r, &mut self.accumulator, bytes, true);
    }

    /// Returns the tag.
    #[inline(always)]
    pub(crate) fn tag(&self) -> [u8; 16] {
        finish(self.accumulator, self.key.s)
    }
}

impl Drop for Hash {
    #[inline(always)]
    fn drop(&mut self) {
        wipe(&mut self.key.r);
        if self.key.has_powers() {
            self.key.wipe_powers();
        }
        wipe(&mut self.key.s);
        // The hash of a known message reveals r.
        wipe(&mut self.accumulator);
    }
}

/// The state of a message that only scalar code hashes. Its owner wipes it.
#[derive(Clone, Copy)]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) struct Chain {
    r: [u64; 2],
    s: [u64; 2],
    accumulator: Accumulator,
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl Chain {
    pub(crate) const ZERO: Self = Self { r: [0; 2], s: [0; 2], accumulator: [0; 3] };

    #[inline(always)]
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        let Key { r, s, .. } = Key::new(key);
        Self { r, s, accumulator: [0; 3] }
    }

    /// Absorbs whole blocks.
    #[inline(always)]
    pub(crate) fn absorb(&mut self, blocks: &[[u8; 16]]) {
        scalar::absorb(&self.r, &mut self.accumulator, blocks);
    }

    /// Returns the tag.
    #[inline(always)]
    pub(crate) fn tag(&self) -> [u8; 16] {
        finish(self.accumulator, self.s)
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl Wipe for Chain {
    #[inline(always)]
    fn set_zero(&mut self) {
        *self = Self::ZERO;
    }
}
