//! GHASH (NIST SP 800-38D §6.4): the universal hash of AES-GCM, a polynomial over GF(2^128) evaluated at the
//! secret H.
//!
//! Blocks are kept byte-reversed, so that GHASH's reflected bits become ordinary 128-bit numbers shifted by
//! one; the shift is paid once, in the key: H·x instead of H.

pub(crate) mod multiply;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod powers;

/// The most powers of H that a key holds: blocks per reduction.
pub(crate) const MAX_POWERS: usize = 32;
/// A vector that begins at any power may be read whole.
const PADDED: usize = MAX_POWERS + 4;

/// H·x to the powers `count` to 1, the same for every implementation: one that wants more powers than there
/// are makes do with these.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct HashKey {
    /// Power p at `MAX_POWERS - p`, zeros before and after; then, likewise, the sum of the halves of each
    /// power, in both halves: Karatsuba's third factor.
    powers: [[[u8; 16]; PADDED]; 2],
    /// How many powers there are: 16 or 32.
    pub(crate) count: usize,
}

impl HashKey {
    pub(crate) const EMPTY: Self = Self { powers: [[[0; 16]; PADDED]; 2], count: 0 };

    /// The N powers that begin with `power`, downwards.
    #[inline(always)]
    pub(crate) fn powers<const N: usize>(&self, power: usize) -> &[[u8; 16]; N] {
        self.powers[0][MAX_POWERS - power..].first_chunk().expect("padded")
    }

    /// Likewise, folded.
    #[inline(always)]
    pub(crate) fn folded<const N: usize>(&self, power: usize) -> &[[u8; 16]; N] {
        self.powers[1][MAX_POWERS - power..].first_chunk().expect("padded")
    }
}
