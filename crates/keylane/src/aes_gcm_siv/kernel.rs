//! The trait of the implementations, and the portable one.

use super::{Chosen, NONCE_LEN, in_turns};
use crate::aead::{Direction, Tag};
use crate::aes::portable::{Register, Word};
use crate::aes::{self, KeyBytes, Order, RoundKeys, portable};
use crate::aes_ctr;
use crate::ghash::{GrowingPowers, masked, number};
use crate::ghash::{PortableFactor, multiply::Factor};
use keylane_cpu::Portable;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::CarrylessBlocks;
use keylane_cpu::lanes::portable::PlainBlocks;
use keylane_cpu::wipe::{Secret, wipe};

/// The keys of one message (RFC 8452 §4).
pub(crate) struct MessageKeys<'a> {
    /// POLYVAL's key.
    pub(crate) hash: &'a mut [u8; 16],
    pub(crate) rounds: &'a mut RoundKeys,
}

/// A message. The caller has checked the lengths.
pub(crate) struct Message<'a, 'b> {
    pub(super) direction: Direction<&'a Tag>,
    pub(super) aad: &'a [u8],
    pub(super) text: &'a mut InOut<'b>,
    /// POLYVAL's last block.
    pub(super) lengths: u128,
    /// POLYVAL of what was hashed so far, at first zeros, and at last the tag that the message should have.
    pub(super) hash: Tag,
}

/// An implementation.
pub(crate) trait Kernel: Sync {
    /// Expands a key.
    fn expand(&self, key: KeyBytes<'_>) -> RoundKeys;

    /// Derives the keys of a message, if the key is given, and seals or opens the message, if it is. For a
    /// short message this is faster than the other methods in turns.
    fn begin(
        &self,
        key: Option<&RoundKeys>,
        nonce: &[u8; NONCE_LEN],
        keys: &mut MessageKeys<'_>,
        message: Option<&mut Message<'_, '_>>,
    );

    /// Hashes the parts, each padded with zeros to whole blocks. If the message ends here, the hash becomes
    /// its tag, for which the nonce is needed.
    fn hash(
        &self,
        keys: &MessageKeys<'_>,
        powers: &mut GrowingPowers,
        state: &mut [u8; 16],
        parts: &[&[u8]],
        nonce: Option<&[u8; NONCE_LEN]>,
    );

    /// Begins to open a long message: hashes the additional data, takes whole groups off the text, decrypts
    /// them, from the block `counter` on, and hashes all but the last. Returns the number of bytes of text
    /// hashed, or 0 if this did nothing.
    fn open_groups(
        &self,
        _keys: &MessageKeys<'_>,
        _powers: &mut GrowingPowers,
        _state: &mut [u8; 16],
        _aad: &[u8],
        _counter: u128,
        _text: &mut InOut<'_>,
    ) -> usize {
        0
    }

    /// XORs the key stream from the block `counter` on into `text`, which ends before the counter wraps.
    fn xor_keystream(&self, keys: &RoundKeys, counter: u128, text: &mut InOut<'_>);
}

/// Returns the number of blocks that the parts fill or begin.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(super) fn blocks_in(parts: &[&[u8]]) -> usize {
    parts.iter().map(|part| part.len().div_ceil(16)).sum()
}

impl Kernel for Portable {
    fn expand(&self, key: KeyBytes<'_>) -> RoundKeys {
        aes::Kernel::expand(self, key)
    }

    fn xor_keystream(&self, keys: &RoundKeys, counter: u128, text: &mut InOut<'_>) {
        xor_keystream(self, keys, counter, text);
    }

    fn begin(
        &self,
        key: Option<&RoundKeys>,
        nonce: &[u8; NONCE_LEN],
        keys: &mut MessageKeys<'_>,
        message: Option<&mut Message<'_, '_>>,
    ) {
        begin::<Register>(self, key, nonce, keys, message);
    }

    fn hash(
        &self,
        keys: &MessageKeys<'_>,
        _: &mut GrowingPowers,
        state: &mut [u8; 16],
        parts: &[&[u8]],
        nonce: Option<&[u8; NONCE_LEN]>,
    ) {
        hash::<Register, PlainBlocks<1>, PortableFactor>(*self, keys, state, parts, nonce);
    }
}

/// See [`Kernel::begin`].
#[inline(always)]
pub(crate) fn begin<W: Word>(
    kernel: &Chosen,
    key: Option<&RoundKeys>,
    nonce: &[u8; NONCE_LEN],
    keys: &mut MessageKeys<'_>,
    message: Option<&mut Message<'_, '_>>,
) {
    if let Some(key) = key {
        derive::<W>(key, nonce, keys);
    }
    if let Some(message) = message {
        in_turns(kernel, keys, nonce, message);
    }
}

/// Derives the keys of a message.
#[inline(always)]
fn derive<W: Word>(key: &RoundKeys, nonce: &[u8; NONCE_LEN], keys: &mut MessageKeys<'_>) {
    let mut blocks = core::array::from_fn::<_, 6, _>(|i| (number(nonce) << 32 | i as u128).to_le_bytes());
    portable::encrypt_blocks::<W>(key, &mut blocks);
    // The first half of each block.
    let mut derived = Secret::new([[0; 16]; 3]);
    for (half, block) in derived.as_flattened_mut().as_chunks_mut::<8>().0.iter_mut().zip(&blocks) {
        half.copy_from_slice(&block[..8]);
    }
    wipe(&mut blocks);
    let (hash, derived) = derived.get().split_first().expect("three");
    let derived = if key.rounds == 10 {
        KeyBytes::Aes128(&derived[0])
    } else {
        KeyBytes::Aes256(derived.as_flattened().first_chunk().expect("32 bytes"))
    };
    *keys.hash = *hash;
    portable::expand::<W>(derived, keys.rounds);
}

/// See [`Kernel::hash`].
#[inline(always)]
pub(crate) fn hash<W: Word, V: CarrylessBlocks<1, One = V>, F: Factor<V>>(
    isa: V::Isa,
    keys: &MessageKeys<'_>,
    state: &mut [u8; 16],
    parts: &[&[u8]],
    nonce: Option<&[u8; NONCE_LEN]>,
) {
    let blocks = parts.iter().map(|part| part.len() / 16).sum();
    let mut h = Secret::new(F::empty(isa));
    h.set(isa, V::splat(isa, u128::from_le_bytes(*keys.hash)), blocks);
    let mut sum = V::load(isa, &[*state]);
    for part in parts {
        sum = h.absorb_bytes(isa, sum, part);
    }
    sum.store(core::array::from_mut(state));
    if let Some(nonce) = nonce {
        *state = masked(u128::from_le_bytes(*state), nonce).to_le_bytes();
        portable::encrypt_blocks::<W>(keys.rounds, core::array::from_mut(state));
    }
}

/// See [`Kernel::xor_keystream`].
#[inline(always)]
pub(crate) fn xor_keystream(
    kernel: &impl aes_ctr::Kernel,
    keys: &RoundKeys,
    counter: u128,
    text: &mut InOut<'_>,
) {
    let mut last = [0; 16];
    let (order, text) = (Order::Little, text.reborrow());
    kernel.xor_keystream(&mut aes_ctr::Part { keys, order, counter, text, last: &mut last });
    wipe(&mut last);
}
