//! ChaCha20-Poly1305 (RFC 8439 §2.8) and XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): authenticated
//! encryption, which detects every change to the text and the additional data, and is fast even on CPUs
//! without AES instructions.
//!
//! Both directions take one pass over the text, in place or into another buffer. A nonce must never be used
//! twice with a key: see each type's `# Security`.

#[cfg(not(target_feature = "simd128"))]
pub(crate) mod by_words;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod fused;
pub(crate) mod kernel;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod many;
mod pieces;
mod self_test;
#[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
pub(crate) mod sequential;
#[cfg(all(test, target_pointer_width = "64"))]
mod tests;
#[cfg(target_arch = "x86_64")]
pub(crate) mod tile;

use crate::aead::{self, Aead, Algorithm, Batch, Cipher, Crypt, Direction, Tag};
use crate::backend::backends;
use crate::chacha20;
#[cfg(target_feature = "simd128")]
use crate::poly1305;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::poly1305::shapes as hash;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use fused::Fused;
use kernel::{Kernel, MIN_BATCH, Part, Progress, lengths};
#[cfg(not(target_feature = "simd128"))]
use keylane_cpu::Portable;
use keylane_cpu::in_out::InOut;
#[cfg(target_feature = "simd128")]
use keylane_cpu::lanes::wasm32::U32x4;
use keylane_cpu::wipe::Secret;
#[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
use sequential::Sequential;
#[cfg(target_arch = "x86_64")]
use tile::Tiles;

backends! {
    pub(crate) static BACKENDS: Backends<Chosen>;
    "chacha20-poly1305", self_test::passes => self_test::passes_side_by_side, dyn Kernel:
    x86_64 [
        Tiles<U32x16, U64x8>,
        Sequential<U32x16, hash::Avx512, 16, 4>,
        Fused<U32x8, hash::Avx2, 8, 2, 3>,
        Fused<U32x4<Ssse3>, hash::Sse2, 4, 1, 2>,
        Sequential<U32x4<Sse2>, hash::Sse2, 4, 1>,
    ]
    aarch64 [Fused<U32x4, hash::Neon, 4, 1, 2>]
    wasm32 [Sequential<U32x4, poly1305::Scalar, 4, 1>]
    portable [Portable]
}

/// RFC 8439 §2.8: the counter has 32 bits, and block 0 has the hash's key.
const MAX_TEXT_LEN: u64 = ((1 << 32) - 1) * 64;

impl Progress<'_> {
    #[inline(always)]
    fn seal_slices(mut self, aad: &[u8], slices: &[&[u8]], text: &mut [u8]) -> Tag {
        let (kernel, mut aad_left) = (BACKENDS.chosen(), aad);
        let lengths = lengths(aad.len(), text.len());
        aead::seal_slices::<64>(slices, text, |text, ends| {
            let (aad, end) = (core::mem::take(&mut aad_left), if ends { &lengths[..] } else { &[] });
            Kernel::crypt(
                kernel,
                &mut Part { direction: Direction::Seal, message: &mut self, aad, text, end },
            );
        });
        self.tag()
    }
}

/// ChaCha20-Poly1305 (RFC 8439 §2.8), with keys of 32 bytes, nonces of 12 and tags of 16. Wiped when dropped.
///
/// # Security
/// Two messages under one key and one nonce reveal the XOR of the plaintexts and the key that authenticates
/// them. Use a counter as the nonce: random nonces of 12 bytes are safe for at most 2^32 messages under one
/// key. If nonces must be random, use [`XChaCha20Poly1305`].
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane::chacha20poly1305::ChaCha20Poly1305;
///
/// let key = ChaCha20Poly1305::new(&[7; 32]);
/// let nonce = [0; 12]; // never twice with one key
/// let mut data = *b"attack at dawn";
/// let tag = key.seal(&nonce, b"to the general", &mut data)?;
///
/// key.open(&nonce, b"to the general", &mut data, &tag)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok(())
/// # }
/// ```
pub type ChaCha20Poly1305 = Aead<ChaChaPoly>;

/// The algorithm of [`ChaCha20Poly1305`].
#[derive(Clone)]
pub struct ChaChaPoly(Secret<[u8; 32]>);

impl Algorithm for ChaChaPoly {
    type Key = [u8; 32];

    #[inline]
    fn prepare(key: &[u8; 32]) -> Self {
        Self(Secret::new(*key))
    }
}

impl Cipher for ChaChaPoly {
    type Nonce = [u8; 12];
    const NAME: &'static str = "chacha20-poly1305";
    const MAX_TEXT_LEN: u64 = MAX_TEXT_LEN;
    const MAX_AAD_LEN: u64 = u64::MAX;
}

impl Crypt<[u8; 12]> for ChaChaPoly {
    #[inline(always)]
    fn crypt(&self, direction: Direction<&Tag>, nonce: &[u8; 12], aad: &[u8], text: InOut<'_>) -> Tag {
        Progress::new(&self.0, nonce).crypt(BACKENDS.chosen(), direction.without_tag(), aad, text)
    }

    #[inline(always)]
    fn seal_slices(&self, nonce: &[u8; 12], aad: &[u8], slices: &[&[u8]], text: &mut [u8]) -> Tag {
        Progress::new(&self.0, nonce).seal_slices(aad, slices, text)
    }

    #[inline(always)]
    fn gain(&self, messages: &[aead::Message<'_>], bytes: usize) -> bool {
        let count = messages.len();
        count >= MIN_BATCH && bytes <= count * BACKENDS.chosen_for(2).many_len()
    }

    #[inline(always)]
    fn crypt_many(&self, batch: &mut Batch<'_, '_>) {
        BACKENDS.chosen_for(2).crypt_many(&self.0, batch);
    }
}

/// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), with keys of 32 bytes, nonces of 24, which may be random,
/// and tags of 16. Wiped when dropped.
///
/// # Security
/// Two messages under one key and one nonce reveal the XOR of the plaintexts and the key that
/// authenticates them. Random nonces of 24 bytes are long enough for any number of messages in practice.
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane::chacha20poly1305::XChaCha20Poly1305;
///
/// # fn random() -> [u8; 24] { [9; 24] }
/// let key = XChaCha20Poly1305::new(&[7; 32]);
/// let nonce = random(); // from the operating system
/// let mut data = *b"attack at dawn";
/// let tag = key.seal(&nonce, b"", &mut data)?;
///
/// data[0] ^= 1;
/// assert!(key.open(&nonce, b"", &mut data, &tag).is_err());
/// assert_eq!(data, [0; 14]); // wiped
/// # Ok(())
/// # }
/// ```
pub type XChaCha20Poly1305 = Aead<XChaChaPoly>;

/// The algorithm of [`XChaCha20Poly1305`].
#[derive(Clone)]
pub struct XChaChaPoly(Secret<[u8; 32]>);

impl Algorithm for XChaChaPoly {
    type Key = [u8; 32];

    #[inline]
    fn prepare(key: &[u8; 32]) -> Self {
        Self(Secret::new(*key))
    }
}

impl Cipher for XChaChaPoly {
    type Nonce = [u8; 24];
    const NAME: &'static str = "xchacha20-poly1305";
    const MAX_TEXT_LEN: u64 = MAX_TEXT_LEN;
    const MAX_AAD_LEN: u64 = u64::MAX;
}

impl Crypt<[u8; 24]> for XChaChaPoly {
    #[inline(always)]
    fn crypt(&self, direction: Direction<&Tag>, nonce: &[u8; 24], aad: &[u8], text: InOut<'_>) -> Tag {
        let (key, nonce) = chacha20::extended(&self.0, nonce);
        Progress::new(&key, &nonce).crypt(BACKENDS.chosen(), direction.without_tag(), aad, text)
    }

    #[inline(always)]
    fn seal_slices(&self, nonce: &[u8; 24], aad: &[u8], slices: &[&[u8]], text: &mut [u8]) -> Tag {
        let (key, nonce) = chacha20::extended(&self.0, nonce);
        Progress::new(&key, &nonce).seal_slices(aad, slices, text)
    }
}

impl aead::RandomNonces for XChaChaPoly {}
