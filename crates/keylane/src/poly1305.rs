//! Poly1305 (RFC 8439 §2.5), which computes a tag for one message under a key that is used only once.
//!
//! The message's blocks of 16 bytes are the coefficients of a polynomial, which is evaluated at the secret r
//! modulo 2^130 - 5; the secret s is added to the value. N lanes hash N blocks at a time, where each step
//! multiplies by r^N.

mod hash;
mod key;
pub(crate) mod limbs13;
pub(crate) mod limbs32;
pub(crate) mod limbs64;
pub(crate) mod limbs8;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod parallel;
pub(crate) mod portable;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod radix26;
#[cfg(target_arch = "x86_64")]
pub(crate) mod radix44;
mod self_test;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod shapes;
#[cfg(target_arch = "x86_64")]
pub(crate) mod tile;
pub(crate) mod word;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use hash::Chain;
pub(crate) use hash::Hash;
pub(crate) use portable::{Kernel, Scalar};

use crate::backend::backends;
use crate::error::Error;
use core::fmt;
use hash::{LANES, MIN_BLOCKS_FOR_LANES};
use keylane_cpu::constant_time::{declassify, equal};
use keylane_cpu::wipe::{Secret, wipe};

backends! {
    pub(crate) static BACKENDS: Backends<Chosen>;
    "poly1305", self_test::passes, dyn Kernel:
    x86_64 [shapes::Avx512Ifma, shapes::Avx512, shapes::Avx2, shapes::Sse2]
    aarch64 [shapes::Neon]
    wasm32 [Scalar]
    portable [Scalar, keylane_cpu::Portable32, keylane_cpu::Portable8]
}

/// A running Poly1305, for one message. Wiped when dropped.
///
/// # Security
/// A key must authenticate only one message: with the tags of two messages under one key, anyone can forge.
/// Use a new key per message, as [`chacha20poly1305`](crate::chacha20poly1305) does, or use
/// [`hmac`](crate::hmac), whose keys are for any number of messages.
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane::poly1305::Poly1305;
///
/// let key = [7; 32]; // for this message and no other
/// let tag = Poly1305::mac(&key, b"attack at dawn");
///
/// let mut running = Poly1305::new(&key);
/// running.update(b"attack ");
/// running.update(b"at dawn");
/// running.verify(&tag)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Poly1305 {
    hash: Hash,
    /// The bytes that do not fill a block yet.
    buffer: Secret<[u8; 16]>,
    buffered: u8,
    /// Whether lanes are worth their preparation.
    lanes: bool,
}

impl Poly1305 {
    /// The length of a key in bytes: r, 22 bits of which are not used, and s.
    pub const KEY_LEN: usize = 32;
    /// The length of a tag in bytes.
    pub const TAG_LEN: usize = 16;

    /// Begins a message. Powers of r, for parallel lanes, are computed only if the message turns out to be
    /// long.
    #[inline]
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        Self::with_hint(key, usize::MAX)
    }

    /// Begins a message of about `bytes_hint` bytes. With a small hint, parallel lanes are not prepared, even
    /// if pieces are long; a message longer than its hint is hashed correctly, but more slowly.
    #[inline]
    #[must_use]
    pub fn with_hint(key: &[u8; 32], bytes_hint: usize) -> Self {
        BACKENDS.ensure_tested();
        Self {
            hash: Hash::new(key),
            buffer: Secret::new([0; 16]),
            buffered: 0,
            lanes: LANES && bytes_hint >= 16 * MIN_BLOCKS_FOR_LANES,
        }
    }

    /// Absorbs `data`. How the bytes are divided among calls does not change the tag.
    pub fn update(&mut self, mut data: &[u8]) {
        let buffered = usize::from(self.buffered);
        if buffered != 0 {
            let (head, rest) = data.split_at(data.len().min(16 - buffered));
            self.buffer[buffered..buffered + head.len()].copy_from_slice(head);
            self.buffered += head.len() as u8;
            data = rest;
            if self.buffered < 16 {
                return;
            }
            self.hash.absorb_scalar(&[*self.buffer]);
        }
        let (blocks, rest) = data.as_chunks();
        if self.lanes && blocks.len() >= MIN_BLOCKS_FOR_LANES {
            self.hash.absorb(BACKENDS.chosen(), blocks);
        } else {
            self.hash.absorb_scalar(blocks);
        }
        self.buffer[..rest.len()].copy_from_slice(rest);
        self.buffered = rest.len() as u8;
    }

    /// Pads a partial last block with zeros, as AEADs do between additional data and text (RFC 8439 §2.8).
    pub fn pad_to_block(&mut self) {
        let buffered = usize::from(self.buffered);
        if buffered != 0 {
            self.buffer[buffered..].fill(0);
            self.hash.absorb_scalar(&[*self.buffer]);
            self.buffered = 0;
        }
    }

    /// Returns the tag of everything absorbed.
    #[must_use]
    pub fn finalize(mut self) -> [u8; 16] {
        self.hash.absorb_last(&self.buffer[..usize::from(self.buffered)]);
        self.hash.tag()
    }

    /// Verifies the tag of everything absorbed. The comparison takes constant time.
    ///
    /// # Errors
    /// [`Error::AuthenticationFailed`] if `tag` is wrong.
    pub fn verify(self, tag: &[u8; 16]) -> Result<(), Error> {
        let mut expected = self.finalize();
        let authentic = declassify(equal(&expected, tag));
        wipe(&mut expected);
        if authentic { Ok(()) } else { Err(Error::AuthenticationFailed) }
    }

    /// Returns the tag of a message in one call.
    #[inline]
    #[must_use]
    pub fn mac(key: &[u8; 32], data: &[u8]) -> [u8; 16] {
        let mut hash = Hash::new(key);
        let (blocks, rest) = data.as_chunks();
        if !LANES || blocks.len() < MIN_BLOCKS_FOR_LANES {
            BACKENDS.ensure_tested();
            hash.absorb_scalar(blocks);
        } else {
            hash.absorb(BACKENDS.chosen(), blocks);
        }
        hash.absorb_last(rest);
        hash.tag()
    }
}

impl Drop for Poly1305 {
    fn drop(&mut self) {
        // Also if none were computed: a move may have copied bytes of the stack in their place.
        self.hash.key.wipe_powers();
    }
}

impl zeroize::ZeroizeOnDrop for Poly1305 {}

impl fmt::Debug for Poly1305 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poly1305").finish_non_exhaustive()
    }
}
