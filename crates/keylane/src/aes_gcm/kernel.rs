//! What AES-GCM's implementations share: the key, a message's state, and the trait that each implements.

use crate::aes::{KeyBytes, RoundKeys};
use crate::error::Error;
use crate::ghash::HashKey;
use keylane_cpu::in_out::InOut;
use keylane_cpu::wipe::wipe;

/// What depends on the key alone, the same for every implementation.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct Key {
    pub(crate) hash: HashKey,
    pub(crate) rounds: RoundKeys,
}

/// Where a message stands.
pub(crate) struct Progress {
    /// The first counter block, J0: its encryption masks the tag. Here and below, a block's first byte is the lowest.
    pub(crate) first: u128,
    /// GHASH of what was authenticated so far, byte-reversed.
    pub(crate) hash: u128,
    /// How many blocks were encrypted so far.
    pub(crate) blocks: u32,
}

impl Progress {
    /// The beginning of a message (SP 800-38D §7.1, step 2).
    #[inline(always)]
    pub(super) fn new(first: u128) -> Self {
        Self { first, hash: 0, blocks: 0 }
    }

    /// For a message in parts, or with a hashed nonce: the hash of known text, or of a known nonce, gives H away. Not for
    /// all, since it costs a message of 16 bytes 7 %.
    pub(super) fn wipe(&mut self) {
        wipe(&mut self.first);
        wipe(&mut self.hash);
    }
}

/// What differs by CPU. `lengths` is GHASH's last block as a number: the lengths of the additional data and of the text
/// in bits, 64 bits each.
///
/// What has several words comes by reference: passed on by value it would be copied from where it was stored word by word,
/// and such a load waits until all that came before is done, the last message too.
pub(crate) trait Kernel: Sync {
    /// Round keys and powers of H.
    fn prepare(&self, key: KeyBytes<'_>) -> Key;
    /// Powers of an H that is not a cipher's.
    fn powers(&self, h: &[u8; 16]) -> HashKey;
    /// Encrypts `text`. With `lengths` the message ends, and this gives the tag. Without, it goes on: `text` is whole
    /// blocks, `progress` moves on, and this gives zeros.
    fn seal(
        &self,
        key: &Key,
        progress: &mut Progress,
        aad: &[u8],
        text: &mut InOut<'_>,
        lengths: Option<&u128>,
    ) -> [u8; 16];
    /// Decrypts `text`, and gives the tag that it should have.
    fn open(
        &self,
        key: &Key,
        progress: &Progress,
        aad: &[u8],
        text: &mut InOut<'_>,
        lengths: u128,
    ) -> [u8; 16];
}

pub(super) const NONCE_LEN: usize = 12;
/// SP 800-38D §5.2.1.1: 2^39 - 256 bits.
pub(super) const MAX_TEXT_LEN: u64 = (1 << 36) - 32;
/// SP 800-38D §5.2.1.1: 2^64 - 1 bits.
pub(super) const MAX_AAD_LEN: u64 = (1 << 61) - 1;

/// GHASH's last block, if the lengths are allowed.
#[inline(always)]
pub(super) fn lengths(aad_len: usize, text_len: usize) -> Result<u128, Error> {
    let (aad_len, text_len) = (aad_len as u64, text_len as u64);
    if text_len > MAX_TEXT_LEN {
        return Err(Error::InputTooLong { max: MAX_TEXT_LEN });
    }
    if aad_len > MAX_AAD_LEN {
        return Err(Error::InputTooLong { max: MAX_AAD_LEN });
    }
    Ok(u128::from(8 * aad_len) << 64 | u128::from(8 * text_len))
}

/// The first counter block from a nonce of 12 bytes: a counter of 1 follows it.
#[inline(always)]
pub(super) fn first_block(nonce: &[u8; NONCE_LEN]) -> u128 {
    let (&[a, b, c], []) = nonce.as_chunks() else { unreachable!("three words") };
    let word = |bytes: [u8; 4], shift: u32| u128::from(u32::from_le_bytes(bytes)) << shift;
    word(a, 0) | word(b, 32) | word(c, 64) | 1 << 120
}
