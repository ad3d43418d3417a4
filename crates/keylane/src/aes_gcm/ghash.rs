//! GHASH alone, computed by AES-GCM's kernels as the hash of additional data without text.

use super::BACKENDS;
use super::kernel::{Key, Progress, seal};
use core::fmt;
use keylane_cpu::in_out::InOut;
use keylane_cpu::wipe::Secret;

/// GHASH (NIST SP 800-38D §6.4), AES-GCM's universal hash, for protocols that use it in other ways. Wiped
/// when dropped.
///
/// # Security
/// This is not a MAC: the hash of a known text reveals the key. A protocol must mask the hash, as AES-GCM
/// does, and hash the lengths of a message's parts, since the last block is padded with zeros.
///
/// ```
/// use keylane::aes_gcm::Ghash;
///
/// let mut whole = Ghash::new(&[7; 16]);
/// whole.update(&[[1; 16], [2; 16]]);
///
/// let mut pieces = Ghash::new(&[7; 16]);
/// pieces.update(&[[1; 16]]);
/// pieces.update(&[[2; 16]]);
/// assert_eq!(pieces.finalize(), whole.finalize());
/// ```
#[derive(Clone)]
pub struct Ghash {
    key: Key,
    /// The hash so far, byte-reversed.
    hash: Secret<[u8; 16]>,
}

impl Ghash {
    /// The length of a key in bytes.
    pub const KEY_LEN: usize = 16;

    /// Prepares a key (H in SP 800-38D).
    #[must_use]
    pub fn new(key: &[u8; 16]) -> Self {
        Self { key: Key::for_hash(key), hash: Secret::new([0; 16]) }
    }

    /// Absorbs whole blocks.
    pub fn update(&mut self, blocks: &[[u8; 16]]) {
        self.update_padded(blocks.as_flattened());
    }

    /// Absorbs bytes and pads the last block with zeros.
    pub fn update_padded(&mut self, data: &[u8]) {
        let mut progress = Progress { hash: *self.hash, ..Progress::new(0) };
        seal(BACKENDS.chosen(), &self.key, &mut progress, data, InOut::in_place(&mut []), None);
        *self.hash = progress.hash;
        progress.wipe();
    }

    /// Returns the hash of all blocks.
    #[must_use]
    pub fn finalize(self) -> [u8; 16] {
        u128::from_le_bytes(*self.hash).to_be_bytes()
    }

    /// Discards everything absorbed; the key stays.
    pub fn reset(&mut self) {
        *self.hash = [0; 16];
    }
}

impl zeroize::ZeroizeOnDrop for Ghash {}

impl fmt::Debug for Ghash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ghash").finish_non_exhaustive()
    }
}
