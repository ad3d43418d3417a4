//! GHASH (NIST SP 800-38D §6.4) and POLYVAL (RFC 8452 §3), the universal hashes of AES-GCM and AES-GCM-SIV: a
//! polynomial over GF(2^128) evaluated at the secret H.
//!
//! Blocks are stored byte-reversed, so that GHASH's reflected bits become ordinary 128-bit numbers shifted by
//! one. The shift is applied once, to the key: H·x instead of H. POLYVAL is the same on blocks as they are.

#[cfg(any(test, target_feature = "simd128"))]
pub(crate) mod four_powers;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod hash;
pub(crate) mod multiply;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod powers;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use powers::{GrowingPowers, Powers, powers_at_once};

use keylane_cpu::wipe::Secret;

/// The factor of the portable kernels.
#[cfg(not(target_feature = "simd128"))]
pub(crate) type PortableFactor = keylane_cpu::lanes::portable::PlainBlocks<1>;
/// The factor of the portable kernels.
#[cfg(target_feature = "simd128")]
pub(crate) type PortableFactor = four_powers::FourPowers<keylane_cpu::lanes::wasm32::bits::Multiples>;

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
    /// One zero more, which is never anything else: an enum of keys has its discriminant here, and is no
    /// larger.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    _end: Zero,
}

/// With vectors, what is left of a line of 64 bytes after the two words of `Growing` and before the last
/// byte.
const H_LEN: usize =
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) { 63 - 2 * size_of::<usize>() } else { 16 };

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[repr(u8)]
enum Zero {
    Zero = 0,
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const _: () =
    assert!(size_of::<HashKey>() == size_of::<GrowingPowers>() + H_LEN + 1, "no bytes between fields");

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

impl HashKey {
    #[inline(always)]
    pub(crate) fn new(h: [u8; 16]) -> Self {
        let mut line = [0; H_LEN];
        line[..16].copy_from_slice(&h);
        Self {
            powers: GrowingPowers::new(),
            h: Secret::new(line),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            _end: Zero::Zero,
        }
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

/// Returns the number that AES-GCM-SIV encrypts to the tag (RFC 8452 §4).
#[inline(always)]
pub(crate) fn masked(hash: u128, nonce: &[u8; 12]) -> u128 {
    (hash ^ number(nonce)) & (u128::MAX >> 1)
}

/// Returns the nonce as a number.
#[inline(always)]
pub(crate) fn number(nonce: &[u8; 12]) -> u128 {
    let (&[a, b, c], []) = nonce.as_chunks() else { unreachable!("three words") };
    let word = |bytes: [u8; 4], shift: u32| u128::from(u32::from_le_bytes(bytes)) << shift;
    word(a, 0) | word(b, 32) | word(c, 64)
}
