//! GHASH (NIST SP 800-38D §6.4), the universal hash of AES-GCM, and POLYVAL (RFC 8452 §3), that of
//! AES-GCM-SIV: a polynomial over GF(2^128) evaluated at the secret H.
//!
//! Blocks are stored byte-reversed, so that GHASH's reflected bits become ordinary 128-bit numbers shifted by
//! one. The shift is applied once, to the key: H·x instead of H. POLYVAL is the same on blocks as they are.

pub(crate) mod hash;
pub(crate) mod multiply;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod powers;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use keylane_cpu::growing::{Growing, Rows};
use keylane_cpu::wipe::Secret;

/// The most powers of H that a key holds: blocks per reduction.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) const MAX_POWERS: usize = 32;
/// Returns the most powers that messages use over vectors of so many blocks: as many as eight vectors have, and at
/// least 16.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) const fn powers_at_once(lanes: usize) -> usize {
    if lanes == 4 { MAX_POWERS } else { MAX_POWERS / 2 }
}

/// The zeros after the last power, so that a whole vector can be read from any power on.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) const ZEROS: usize = 4;

/// H, and the powers of H·x that messages needed so far, the same for every implementation. The portable one
/// needs none.
#[repr(C)]
#[cfg_attr(any(target_arch = "x86_64", target_arch = "aarch64"), repr(align(64)))]
pub(crate) struct HashKey {
    /// First, the powers, the highest first. Second, in the same places, the sum of the halves of each power,
    /// in both halves: Karatsuba's third factor.
    pub(crate) powers: GrowingPowers,
    /// The encryption of zero, and zeros to the end of the line: bytes after the last field would not be
    /// wiped, and a move fills them with whatever is on the stack.
    h: Secret<[u8; H_LEN]>,
}

/// With vectors, what is left of a line of 64 bytes after the two words of `Growing`.
const H_LEN: usize =
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) { 64 - 2 * size_of::<usize>() } else { 16 };
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const _: () = assert!(size_of::<HashKey>() == 32 * (MAX_POWERS + ZEROS) + 64);

/// The powers of H·x that were needed so far and the sums of their halves. As numbers, powers of POLYVAL's
/// key are the same.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) type GrowingPowers = Growing<MAX_POWERS, ZEROS>;
/// No powers, where there are no vectors.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) struct GrowingPowers;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl GrowingPowers {
    pub(crate) fn new() -> Self {
        Self
    }

    /// Calls `run` with no powers.
    pub(crate) fn with<R>(run: impl FnOnce(&mut Self) -> R) -> R {
        run(&mut Self)
    }
}

/// Some powers of H·x and the sums of their halves.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) type Powers<'a> = Rows<'a, MAX_POWERS, ZEROS>;

impl HashKey {
    #[inline(always)]
    pub(crate) fn new(h: [u8; 16]) -> Self {
        let mut line = [0; H_LEN];
        line[..16].copy_from_slice(&h);
        Self { powers: GrowingPowers::new(), h: Secret::new(line) }
    }

    /// Returns the encryption of zero.
    #[inline(always)]
    pub(crate) fn h(&self) -> &[u8; 16] {
        self.h.first_chunk().expect("16 bytes or more")
    }
}

impl Clone for HashKey {
    /// Returns a key without powers. To copy them would cost as much as to compute what a message needs.
    fn clone(&self) -> Self {
        Self::new(*self.h())
    }
}
