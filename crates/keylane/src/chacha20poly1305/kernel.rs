//! The trait of the implementations, and the state of a message between calls.

use crate::aead::{self, Direction, TAG_LEN, Tag};
use crate::poly1305::{self, Hash};
use keylane_cpu::in_out::InOut;

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
    pub(super) counter: u32,
}

impl<'a> Progress<'a> {
    #[inline(always)]
    pub(crate) fn new(key: &'a [u8; 32], nonce: &'a [u8; 12]) -> Self {
        Self { key, nonce, counter: 0, hash: None }
    }

    /// Begins the hash with its key, the additional data and the first ciphertext. Not inlined, since every
    /// kernel calls this in two places.
    #[inline(never)]
    pub(super) fn begin(&mut self, kernel: &dyn poly1305::Kernel, key: &[u8; 32], aad: &[u8], text: &[u8]) {
        self.hash.insert(Hash::new(key)).absorb_all_padded(kernel, [aad, text]);
    }

    /// Returns the tag of a message that is complete: the lengths are hashed last (RFC 8439 §2.8).
    #[inline(always)]
    pub(crate) fn tag(&mut self, aad_len: usize, text_len: usize) -> [u8; TAG_LEN] {
        let hash = self.hash.as_mut().expect("begun");
        hash.absorb_block([aad_len as u64, text_len as u64], 1);
        hash.tag()
    }
}

/// From this number of messages on, lanes are faster than one message after the other, as measured on a
/// Zen 4.
pub(super) const MIN_BATCH: usize = 6;

/// An implementation of ChaCha20-Poly1305.
pub(crate) trait Kernel: Sync {
    /// Encrypts or decrypts `text` and hashes the ciphertext. `aad` is passed in the first call and is empty
    /// in later ones. Unless the message ends here, `text` is whole blocks of 64 bytes.
    fn crypt(&self, direction: Direction, message: &mut Progress<'_>, aad: &[u8], text: &mut InOut<'_>);

    /// Encrypts or decrypts the texts of messages under one key, and writes the tag that each should have.
    fn crypt_many(
        &self,
        direction: Direction,
        key: &[u8; 32],
        messages: &mut [aead::Message<'_>],
        tags: &mut [Tag],
    );
}

/// As [`Kernel::crypt_many`], one message after the other.
pub(crate) fn one_by_one(
    kernel: &dyn Kernel,
    direction: Direction,
    key: &[u8; 32],
    messages: &mut [aead::Message<'_>],
    tags: &mut [Tag],
) {
    for (aead::Message { nonce, aad, text, .. }, tag) in messages.iter_mut().zip(tags) {
        let mut message = Progress::new(key, aead::checked(nonce));
        kernel.crypt(direction, &mut message, aad, &mut InOut::in_place(text));
        *tag = message.tag(aad.len(), text.len());
    }
}
