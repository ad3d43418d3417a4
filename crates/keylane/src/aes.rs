//! AES (FIPS 197), the bare block cipher, many blocks at a time. Do not encrypt messages with it, because
//! equal blocks have equal ciphertexts: use [`aes_gcm`](crate::aes_gcm) or at least
//! [`aes_ctr`](crate::aes_ctr).

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod key_schedule;
pub(crate) mod portable;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod rounds;

use crate::backend::backends;
use crate::error::Error;
use core::fmt;
use keylane_cpu::Portable;
use keylane_cpu::wipe::Secret;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use rounds::Rounds;

/// The round keys of the cipher (FIPS 197 §5.2), the same for every implementation.
///
/// They are at the end of the array, so that the last ten rounds' keys are in the same place for all key
/// lengths. AES-192 and AES-256 have two or four more rounds before these.
#[derive(Clone)]
#[repr(C)]
#[cfg_attr(any(target_arch = "x86_64", target_arch = "aarch64"), repr(align(16)))]
pub(crate) struct RoundKeys {
    /// Zeros, then `rounds + 1` keys in order.
    pub(crate) keys: [[u8; 16]; 15],
    /// 10, 12 or 14.
    pub(crate) rounds: usize,
}

impl RoundKeys {
    /// Returns the length of the key from which they were made.
    pub(crate) const fn key_len(&self) -> usize {
        4 * (self.rounds - 6)
    }
}

/// The encoding of counter mode's counters, and their order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Big-endian counters of 128 bits, which wrap.
    Big,
    /// Little-endian blocks whose lowest 32 bits count (RFC 8452 §4). The caller ends the text where these
    /// wrap.
    Little,
}

/// Adds to a counter, half by half: LLVM 22 miscompiles the addition of a constant to 128 bits on AVR. It
/// subtracts the negated constant from the lowest word, and uses the borrow as a carry.
#[inline(always)]
pub(crate) const fn add(counter: u128, count: u128) -> u128 {
    let (low, carry) = (counter as u64).overflowing_add(count as u64);
    let high = ((counter >> 64) as u64).wrapping_add((count >> 64) as u64).wrapping_add(carry as u64);
    (high as u128) << 64 | low as u128
}

impl RoundKeys {
    pub(crate) const EMPTY: Self = Self { keys: [[0; 16]; 15], rounds: 0 };

    /// Sets the number of rounds and returns the places of the keys, in order.
    #[inline(always)]
    pub(crate) fn set_rounds(&mut self, rounds: usize) -> &mut [[u8; 16]] {
        self.rounds = rounds;
        &mut self.keys[14 - rounds..]
    }

    /// Returns the keys in order.
    #[inline(always)]
    pub(crate) fn all(&self) -> &[[u8; 16]] {
        &self.keys[14 - self.rounds..]
    }
}

/// A key as given by the caller.
#[derive(Clone, Copy)]
pub(crate) enum KeyBytes<'a> {
    Aes128(&'a [u8; 16]),
    Aes192(&'a [u8; 24]),
    Aes256(&'a [u8; 32]),
}

impl<'a> KeyBytes<'a> {
    /// # Errors
    /// [`Error::WrongLength`].
    pub(crate) fn from_slice(key: &'a [u8]) -> Result<Self, Error> {
        let known = match key.len() {
            16 => key.first_chunk().map(Self::Aes128),
            24 => key.first_chunk().map(Self::Aes192),
            32 => key.first_chunk().map(Self::Aes256),
            _ => None,
        };
        let what = "length of the key in bytes (16, 24 or 32)";
        known.ok_or(Error::WrongLength { what, min: 16, max: 32, actual: key.len() })
    }

    pub(crate) const fn as_slice(self) -> &'a [u8] {
        match self {
            Self::Aes128(key) => key,
            Self::Aes192(key) => key,
            Self::Aes256(key) => key,
        }
    }
}

/// An implementation of AES.
pub(crate) trait Kernel: Sync {
    /// Expands a key. The result is returned by value, so that the caller stores it without a copy.
    fn expand(&self, key: KeyBytes<'_>) -> RoundKeys;
    /// Encrypts every block.
    fn encrypt_blocks(&self, keys: &RoundKeys, blocks: &mut [[u8; 16]]);
    /// Decrypts every block.
    fn decrypt_blocks(&self, keys: &RoundKeys, blocks: &mut [[u8; 16]]);
}

backends! {
    pub(crate) static BACKENDS: Backends<Chosen>;
    "aes", passes, dyn Kernel:
    x86_64 [Rounds<Blocks4, 4>, Rounds<Blocks2, 2>, Rounds<Blocks1<AesNi>, 1>]
    aarch64 [Rounds<Blocks1, 1>]
    wasm32 [Portable]
    portable [Portable]
}

/// Tests FIPS 197 appendix C. Then compares numbers of blocks that fill every group and remainder with each
/// block encrypted alone.
fn passes(kernel: &Chosen) -> bool {
    const BLOCKS: usize = 79;
    const PLAINTEXT: u128 = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff;
    const KEY: [u8; 32] = *b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\
                             \x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f";
    const ANSWERS: [(usize, u128); 3] = [
        (16, 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a),
        (24, 0xdda9_7ca4_864c_dfe0_6eaf_70a0_ec0d_7191),
        (32, 0x8ea2_b7ca_5167_45bf_eafc_4990_4b49_6089),
    ];
    let plaintext: [[u8; 16]; BLOCKS] = core::array::from_fn(|i| (PLAINTEXT ^ i as u128).to_be_bytes());
    let mut good = true;
    for (key_len, answer) in ANSWERS {
        let Ok(key) = KeyBytes::from_slice(&KEY[..key_len]) else { return false };
        let keys = kernel.expand(key);
        let mut blocks = plaintext;
        kernel.encrypt_blocks(&keys, &mut blocks);
        good &= blocks[0] == answer.to_be_bytes();
        for (plaintext, block) in plaintext.iter().zip(&blocks) {
            let mut alone = [*plaintext];
            kernel.encrypt_blocks(&keys, &mut alone);
            good &= alone[0] == *block;
        }
        kernel.decrypt_blocks(&keys, &mut blocks);
        good &= blocks == plaintext;
    }
    good
}

/// An expanded key for AES-128, AES-192 or AES-256. Wiped when dropped.
///
/// # Security
/// This is the bare block cipher (ECB, if used on several blocks): equal blocks encrypt to equal blocks, and
/// nothing is authenticated.
///
/// ```
/// let aes = keylane::aes::Aes::new_128(&[7; 16]);
/// let mut blocks = [[1; 16], [2; 16]];
/// aes.encrypt_blocks(&mut blocks);
/// aes.decrypt_blocks(&mut blocks);
/// assert_eq!(blocks, [[1; 16], [2; 16]]);
/// ```
#[derive(Clone)]
pub struct Aes {
    pub(crate) keys: Secret<RoundKeys>,
}

impl Aes {
    /// Expands a key of 16 bytes: AES-128.
    #[must_use]
    pub fn new_128(key: &[u8; 16]) -> Self {
        Self::expand(KeyBytes::Aes128(key))
    }

    /// Expands a key of 24 bytes: AES-192.
    #[must_use]
    pub fn new_192(key: &[u8; 24]) -> Self {
        Self::expand(KeyBytes::Aes192(key))
    }

    /// Expands a key of 32 bytes: AES-256.
    #[must_use]
    pub fn new_256(key: &[u8; 32]) -> Self {
        Self::expand(KeyBytes::Aes256(key))
    }

    /// Expands a key of 16, 24 or 32 bytes, which selects AES-128, AES-192 or AES-256.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for any other length.
    pub fn from_slice(key: &[u8]) -> Result<Self, Error> {
        KeyBytes::from_slice(key).map(Self::expand)
    }

    #[inline]
    fn expand(key: KeyBytes<'_>) -> Self {
        Self { keys: Secret::new(BACKENDS.chosen().expand(key)) }
    }

    /// Encrypts each block independently, in place (FIPS 197 §5.1). There may be any number of blocks.
    ///
    /// # Security
    /// **Used on a message, this is ECB mode, which hides little.** Equal blocks of the text become equal
    /// blocks of the ciphertext, which reveals patterns, and changed, repeated, removed or reordered blocks
    /// go unnoticed. Encrypt messages with [`aes_gcm`](crate::aes_gcm) or another [AEAD](crate::aead). This
    /// method is for building modes and protocols from the block cipher, such as masks for packet headers,
    /// where each block is encrypted once.
    pub fn encrypt_blocks(&self, blocks: &mut [[u8; 16]]) {
        BACKENDS.chosen().encrypt_blocks(&self.keys, blocks);
    }

    /// Decrypts each block independently, in place (FIPS 197 §5.3).
    ///
    /// # Security
    /// The warning of [`encrypt_blocks`](Self::encrypt_blocks) also holds here.
    pub fn decrypt_blocks(&self, blocks: &mut [[u8; 16]]) {
        BACKENDS.chosen().decrypt_blocks(&self.keys, blocks);
    }
}

impl zeroize::ZeroizeOnDrop for Aes {}

impl fmt::Debug for Aes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aes").field("rounds", &self.keys.rounds).finish_non_exhaustive()
    }
}

impl Kernel for Portable {
    fn expand(&self, key: KeyBytes<'_>) -> RoundKeys {
        let mut keys = Secret::new(RoundKeys::EMPTY);
        portable::expand::<portable::Register>(key, &mut keys);
        keys.get().clone()
    }

    fn encrypt_blocks(&self, keys: &RoundKeys, blocks: &mut [[u8; 16]]) {
        portable::encrypt_blocks::<portable::Register>(keys, blocks);
    }

    fn decrypt_blocks(&self, keys: &RoundKeys, blocks: &mut [[u8; 16]]) {
        portable::decrypt_blocks::<portable::Register>(keys, blocks);
    }
}
