//! The trait of the implementations, and the state of a message between calls.

use crate::aead::{Batch, Direction, Message, Tag, checked};
use crate::poly1305::{self, Hash};
use keylane_cpu::in_out::InOut;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use keylane_cpu::lanes::load_partial;

/// A message's key, nonce and progress.
// The two references are not adjacent: otherwise the compiler loads both as one vector, which has to wait
// until the two stores reach the cache, and delays the key stream.
#[repr(C)]
pub(crate) struct Progress<'a> {
    pub(super) key: &'a [u8; 32],
    /// `None` until the kernel has computed block 0 of the key stream, which has its key.
    pub(super) hash: Option<Hash>,
    pub(super) nonce: &'a [u8; 12],
    /// The number of the next block of key stream.
    pub(crate) counter: u32,
}

impl<'a> Progress<'a> {
    #[inline(always)]
    pub(crate) fn new(key: &'a [u8; 32], nonce: &'a [u8; 12]) -> Self {
        Self { key, nonce, counter: 0, hash: None }
    }

    /// Encrypts or decrypts a whole text and returns the tag that it should have.
    #[inline(always)]
    pub(crate) fn crypt<K: Kernel + ?Sized>(
        mut self,
        kernel: &K,
        direction: Direction,
        aad: &[u8],
        text: InOut<'_>,
    ) -> Tag {
        let end = &lengths(aad.len(), text.len());
        kernel.crypt(&mut Part { direction, message: &mut self, aad, text, end });
        self.tag()
    }

    /// Returns the tag of a message that has ended.
    #[inline(always)]
    pub(crate) fn tag(&self) -> Tag {
        self.hash.as_ref().expect("begun").tag()
    }
}

/// Returns the block that is hashed last (RFC 8439 §2.8).
#[inline(always)]
pub(crate) fn lengths(aad: usize, text: usize) -> [u8; 16] {
    (aad as u128 | (text as u128) << 64).to_le_bytes()
}

/// A message, or the next part of one, for a kernel: by one reference, since a call with all of it in
/// registers and on the stack takes more code.
pub(crate) struct Part<'a, 'm> {
    pub(crate) direction: Direction,
    pub(crate) message: &'a mut Progress<'m>,
    /// The additional data in the first part, nothing in later ones.
    pub(crate) aad: &'a [u8],
    /// Whole blocks of 64 bytes, unless the message ends.
    pub(crate) text: InOut<'a>,
    /// The bytes that are hashed after the text: the [`lengths`] if the message ends here, or nothing.
    pub(crate) end: &'a [u8],
}

impl Part<'_, '_> {
    /// Begins the hash with its key, the additional data and the first ciphertext, and ends it if no text is
    /// left. Not inlined, since every kernel calls this in two places.
    #[inline(never)]
    pub(super) fn begin(&mut self, kernel: &poly1305::Chosen, key: &[u8; 32], ciphertext: &[u8]) {
        let end = if self.text.is_empty() { self.end } else { &[] };
        // Otherwise the compiler would also wipe a hash that was begun before.
        assert!(self.message.hash.is_none());
        let hash = self.message.hash.insert(Hash::new(key));
        hash.absorb_all_padded(kernel, [&self.aad, &ciphertext, &end]);
    }
}

/// The number of messages from which lanes are faster than one message after the other, as measured on a Zen
/// 4.
pub(super) const MIN_BATCH: usize = 6;
/// The length of the longest text whose blocks are worth lanes beside those of other texts. Those of 1350
/// bytes take 2 to 8 % longer in lanes on an Emerald Rapids.
pub(super) const MANY_LEN: usize = 1024;

/// An implementation of ChaCha20-Poly1305.
pub(crate) trait Kernel: Sync {
    /// Encrypts or decrypts the text and hashes the ciphertext.
    fn crypt(&self, part: &mut Part<'_, '_>);

    /// Returns up to which length of texts, on average, [`crypt_many`](Self::crypt_many) takes less time than
    /// one message after the other.
    fn many_len(&self) -> usize {
        MANY_LEN
    }

    /// Encrypts or decrypts the texts of messages under one key, and writes the tag that each should have.
    fn crypt_many(&self, key: &[u8; 32], batch: &mut Batch<'_, '_>);
}

/// Implements [`Kernel::crypt_many`] one message after the other.
pub(crate) fn one_by_one<K: Kernel + ?Sized>(kernel: &K, key: &[u8; 32], batch: &mut Batch<'_, '_>) {
    let Batch { direction, messages, tags } = batch;
    for (Message { nonce, aad, text, .. }, tag) in messages.iter_mut().zip(&mut **tags) {
        let message = Progress::new(key, checked(nonce));
        *tag = message.crypt(kernel, *direction, aad, InOut::in_place(text));
    }
}

/// Returns fewer than 16 bytes, followed by zeros.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(super) fn padded(bytes: &[u8]) -> [u8; 16] {
    let [low, high] = load_partial(bytes);
    (u128::from(low) | u128::from(high) << 64).to_le_bytes()
}
