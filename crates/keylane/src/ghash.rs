//! GHASH (NIST SP 800-38D §6.4), the universal hash of AES-GCM, and POLYVAL (RFC 8452 §3), that of
//! AES-GCM-SIV: a polynomial over GF(2^128) evaluated at the secret H.
//!
//! Blocks are stored byte-reversed, so that GHASH's reflected bits become ordinary 128-bit numbers shifted by
//! one. The shift is applied once, to the key: H·x instead of H. POLYVAL is the same on blocks as they are.

pub(crate) mod hash;
pub(crate) mod multiply;
pub(crate) mod powers;

use keylane_cpu::growing::{Growing, Rows};
use keylane_cpu::wipe::Secret;

/// The most powers of H that a key holds: blocks per reduction.
pub(crate) const MAX_POWERS: usize = 32;
/// The zeros after the last power, so that a whole vector can be read from any power on.
pub(crate) const ZEROS: usize = 4;

/// H, and the powers of H·x that messages needed so far, the same for every implementation.
#[repr(C, align(64))]
pub(crate) struct HashKey {
    /// First, the powers, the highest first. Second, in the same places, the sum of the halves of each power,
    /// in both halves: Karatsuba's third factor.
    pub(crate) powers: GrowingPowers,
    /// The encryption of zero, and zeros to the end of the line: bytes after the last field would not be
    /// wiped, and a move fills them with whatever is on the stack.
    h: Secret<[u8; H_LEN]>,
}

/// What is left of a line of 64 bytes after the two words of `Growing`.
const H_LEN: usize = 64 - 2 * size_of::<usize>();
const _: () = assert!(size_of::<HashKey>() == 32 * (MAX_POWERS + ZEROS) + 64);

/// The powers of H·x that were needed so far and the sums of their halves. As numbers, powers of POLYVAL's
/// key are the same.
pub(crate) type GrowingPowers = Growing<MAX_POWERS, ZEROS>;
/// Some powers of H·x and the sums of their halves.
pub(crate) type Powers<'a> = Rows<'a, MAX_POWERS, ZEROS>;

impl HashKey {
    #[inline(always)]
    pub(crate) fn new(h: [u8; 16]) -> Self {
        let mut line = [0; H_LEN];
        line[..16].copy_from_slice(&h);
        Self { powers: Growing::new(), h: Secret::new(line) }
    }

    /// Returns the encryption of zero.
    #[inline(always)]
    pub(crate) fn h(&self) -> &[u8; 16] {
        self.h.first_chunk().expect("48 bytes or more")
    }
}

impl Clone for HashKey {
    /// Returns a key without powers. To copy them would cost as much as to compute what a message needs.
    fn clone(&self) -> Self {
        Self::new(*self.h())
    }
}
