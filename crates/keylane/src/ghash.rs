//! GHASH (NIST SP 800-38D §6.4): the universal hash of AES-GCM, a polynomial over GF(2^128) evaluated at the
//! secret H.
//!
//! Blocks are stored byte-reversed, so that GHASH's reflected bits become ordinary 128-bit numbers shifted by
//! one. The shift is applied once, to the key: H·x instead of H.

pub(crate) mod multiply;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod powers;

/// The most powers of H that a key holds: blocks per reduction.
pub(crate) const MAX_POWERS: usize = 32;
/// The powers and zeros after the last, so that a whole vector can be read from any power on.
const PADDED: usize = MAX_POWERS + 4;

/// The powers `count` to 1 of H·x, the same for every implementation. An implementation works with fewer
/// powers than it would compute itself.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct HashKey {
    /// First, power p at `MAX_POWERS - p`, with zeros before and after. Second, in the same places, the sum
    /// of the halves of each power, in both halves: Karatsuba's third factor.
    powers: [[[u8; 16]; PADDED]; 2],
    /// The number of powers: 16 or 32.
    pub(crate) count: usize,
}

impl HashKey {
    pub(crate) const EMPTY: Self = Self { powers: [[[0; 16]; PADDED]; 2], count: 0 };

    /// Returns N powers in descending order, beginning with `power`.
    #[inline(always)]
    pub(crate) fn powers<const N: usize>(&self, power: usize) -> &[[u8; 16]; N] {
        self.powers[0][MAX_POWERS - power..].first_chunk().expect("padded")
    }

    /// As [`powers`](Self::powers), the sums of halves.
    #[inline(always)]
    pub(crate) fn folded<const N: usize>(&self, power: usize) -> &[[u8; 16]; N] {
        self.powers[1][MAX_POWERS - power..].first_chunk().expect("padded")
    }
}
