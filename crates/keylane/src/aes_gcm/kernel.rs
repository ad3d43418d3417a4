//! AES-GCM's key, a message's state, and the trait that each implementation implements.

use crate::aead::{self, Batch, Direction};
use crate::aes::{KeyBytes, RoundKeys};
use crate::ghash::{HashKey, number};
use keylane_cpu::in_out::InOut;
use keylane_cpu::wipe::{Secret, wipe};

/// A prepared key, the same for every implementation.
#[derive(Clone)]
#[repr(C)]
#[cfg_attr(any(target_arch = "x86_64", target_arch = "aarch64"), repr(align(64)))]
pub(crate) struct Key {
    pub(crate) hash: HashKey,
    pub(crate) rounds: Secret<RoundKeys>,
}

/// The state of a message.
pub(crate) struct Progress {
    /// The first counter block, J0, whose encryption masks the tag. As numbers, blocks are little-endian.
    pub(crate) first: u128,
    /// GHASH of what was authenticated so far, byte-reversed.
    pub(crate) hash: [u8; 16],
    /// The number of blocks encrypted so far.
    pub(crate) blocks: u32,
    /// Whether `first` counts as 1, as after a nonce of 12 bytes. After another nonce its counter is secret.
    #[cfg_attr(
        not(any(target_arch = "x86_64", target_arch = "aarch64")),
        allow(dead_code, reason = "for fused kernels")
    )]
    pub(crate) from_one: bool,
}

impl Progress {
    /// Begins a message (SP 800-38D §7.1, step 2).
    #[inline(always)]
    pub(crate) fn new(first: u128) -> Self {
        Self { first, hash: [0; 16], blocks: 0, from_one: true }
    }

    /// Returns the counter block that is `ahead` of the first of the next text, byte-reversed, so that its
    /// counter is in the lowest 32 bits.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[inline(always)]
    pub(super) fn counter(&self, ahead: u32) -> u128 {
        let first = self.first.swap_bytes();
        let counter = (first as u32).wrapping_add(self.blocks.wrapping_add(ahead));
        first & !u128::from(u32::MAX) | u128::from(counter)
    }

    /// Wipes the state, after a message in parts or with a hashed nonce: the hash of a known text or nonce
    /// reveals H. Other messages do not need this, which costs 7 % for 16 bytes.
    pub(super) fn wipe(&mut self) {
        wipe(&mut self.first);
        wipe(&mut self.hash);
    }
}

/// A message, or the next part of one, for a kernel.
///
/// Values of several words are passed by reference. Passed by value, they would be stored word by word and
/// loaded as vectors, and such a load waits for all earlier work, even on the previous message.
pub(crate) struct Part<'a> {
    pub(crate) direction: Direction,
    pub(crate) key: &'a Key,
    /// After the call, `hash` and `blocks` are unspecified.
    pub(crate) progress: &'a mut Progress,
    pub(crate) aad: &'a [u8],
    /// Whole blocks, unless the message ends.
    pub(crate) text: InOut<'a>,
    /// If the message ends here, GHASH's last block as a number: the lengths of the additional data and of
    /// the text in bits, 64 bits each.
    pub(crate) lengths: Option<&'a u128>,
}

impl Key {
    /// Returns a key for GHASH alone. No round key is ever used, but kernels count the rounds.
    #[inline(always)]
    pub(super) fn for_hash(h: &[u8; 16]) -> Self {
        let rounds = RoundKeys { keys: [[0; 16]; 15], rounds: 10 };
        Self { hash: HashKey::new(*h), rounds: Secret::new(rounds) }
    }
}

/// An implementation.
pub(crate) trait Kernel: Sync {
    /// Expands a key. Powers of H are computed by messages.
    fn prepare(&self, key: KeyBytes<'_>) -> Key;
    /// Computes all powers of H that messages can need.
    fn precompute(&self, _key: &Key) {}
    /// Encrypts or decrypts the text. Returns the message's tag if it ends, else the hash so far.
    fn crypt(&self, message: &mut Part<'_>) -> [u8; 16];
    /// Returns whether [`crypt_many`](Self::crypt_many) is faster for at least [`MANY`] messages whose texts
    /// have `bytes` bytes in total.
    fn gain(&self, _messages: usize, _bytes: usize) -> bool {
        false
    }
    /// Encrypts or decrypts the first of these messages, which [`count_alike`] counts if `alike`, otherwise
    /// [`count_short`], and writes their tags. Returns their number, 0 if one by one is faster.
    fn crypt_many(&self, _alike: bool, _key: &Key, _batch: &mut Batch<'_, '_>) -> usize {
        0
    }
}

/// Encrypts `text`. With `lengths`, the message ends and its tag is returned; without, `progress` is updated.
#[inline(always)]
pub(crate) fn seal(
    kernel: &(impl Kernel + ?Sized),
    key: &Key,
    progress: &mut Progress,
    aad: &[u8],
    text: InOut<'_>,
    lengths: Option<&u128>,
) -> [u8; 16] {
    let blocks = progress.blocks.wrapping_add((text.len() / 16) as u32);
    let direction = Direction::Seal;
    let mut result = kernel.crypt(&mut Part { direction, key, progress: &mut *progress, aad, text, lengths });
    if lengths.is_none() {
        progress.hash = result;
        progress.blocks = blocks;
        wipe(&mut result);
    }
    result
}

/// The minimum number of messages; fewer are processed one by one.
pub(super) const MANY: usize = 4;
/// The maximum number of text blocks in messages that are processed in lanes. As measured, longer messages
/// are faster one after the other.
pub(super) const MAX_ALIKE: usize = 12;
/// The maximum number of text blocks in messages that are encrypted beside the previous message's hash.
/// Longer messages need more powers of H.
pub(super) const MAX_SHORT: usize = 28;
/// The minimum number of messages with more than [`MAX_ALIKE`] blocks; fewer are processed one by one.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) const MANY_SHORT: usize = 8;
/// The maximum number of additional data blocks in all these messages.
const MAX_AAD: usize = 3;
/// The maximum number of blocks that are hashed for one message.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) const MAX_HASHED: usize = MAX_AAD + MAX_SHORT + 1;

/// Returns the numbers of blocks of additional data and of text.
#[inline(always)]
pub(super) fn shape(message: &aead::Message<'_>) -> (usize, usize) {
    (blocks_in(message.aad.len()), blocks_in(message.text.len()))
}

/// Returns how many messages from the first on have as many blocks as the first, if those are few.
#[inline(always)]
pub(super) fn count_alike(messages: &[aead::Message<'_>]) -> usize {
    let Some(first) = messages.first().map(shape) else { return 0 };
    let (aad_blocks, blocks) = first;
    if aad_blocks > MAX_AAD || blocks > MAX_ALIKE {
        return 0;
    }
    messages.iter().take_while(|message| shape(message) == first).count()
}

/// Returns how many messages from the first on are short.
#[inline(always)]
pub(super) fn count_short(messages: &[aead::Message<'_>]) -> usize {
    let is_short = |message: &&aead::Message<'_>| {
        message.aad.len() <= 16 * MAX_AAD && message.text.len() <= 16 * MAX_SHORT
    };
    messages.iter().take_while(is_short).count()
}

/// Returns the number of blocks that `len` bytes fill or begin. No slice is long enough for the sum to wrap,
/// so this is half the work of `div_ceil`.
#[inline(always)]
#[allow(clippy::manual_div_ceil, reason = "see above")]
pub(super) const fn blocks_in(len: usize) -> usize {
    (len + 15) / 16
}

pub(super) const NONCE_LEN: usize = 12;
/// The maximum length of a text in bytes: 2^39 - 256 bits (SP 800-38D §5.2.1.1).
pub(super) const MAX_TEXT_LEN: u64 = (1 << 36) - 32;
/// The maximum length of additional data in bytes: 2^64 - 1 bits (SP 800-38D §5.2.1.1).
pub(super) const MAX_AAD_LEN: u64 = (1 << 61) - 1;

/// Returns GHASH's last block. The caller has checked the lengths.
#[inline(always)]
pub(super) const fn lengths(aad_len: usize, text_len: usize) -> u128 {
    (8 * aad_len as u64 as u128) << 64 | (8 * text_len as u64) as u128
}

/// Returns the first counter block for a nonce of 12 bytes: the nonce, then the number 1.
#[inline(always)]
pub(crate) fn first_block(nonce: &[u8; NONCE_LEN]) -> u128 {
    number(nonce) | 1 << 120
}
