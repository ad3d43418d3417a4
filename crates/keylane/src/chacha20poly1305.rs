//! ChaCha20-Poly1305 (RFC 8439 §2.8) and XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): authenticated
//! encryption, which detects every change to the text and to its additional data, and is fast even on CPUs
//! without AES instructions.
//!
//! Both directions take one pass over the text, in place or into another buffer. A nonce must never be used
//! twice with a key: see each type's `# Security`.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod begin;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod fused;
mod self_test;
mod two_steps;

use crate::aead::{self, Aead, Cipher, Tag};
use crate::backend::{Backends, token_backends};
use crate::chacha20;
use crate::poly1305;
use keylane_cpu::Portable;
use keylane_cpu::in_out::InOut;
use keylane_cpu::wipe::{Secret, wipe};

/// A message's key and nonce, and where the message stands.
pub(crate) struct Message<'a> {
    key: &'a [u8; 32],
    nonce: &'a [u8; 12],
    /// The next block of key stream.
    counter: u32,
    /// Begun with block 0 of the key stream.
    hash: Option<poly1305::Hash>,
}

impl<'a> Message<'a> {
    #[inline(always)]
    fn new(key: &'a [u8; 32], nonce: &'a [u8; 12]) -> Self {
        Self { key, nonce, counter: 0, hash: None }
    }

    /// Begins the hash with its key and the additional data.
    #[inline(always)]
    fn begin<H: poly1305::Kernel>(&mut self, kernel: &H, key: &[u8; 32], aad: &[u8]) {
        self.hash.insert(poly1305::Hash::new(key)).absorb_padded(kernel, aad);
    }
}

/// What differs by CPU.
pub(crate) trait Kernel: Sync {
    /// Encrypts `text`. `aad` stands before the first text; later it is empty. If this is not the end of the message,
    /// `text` is whole blocks of 64 bytes.
    fn seal(&self, message: &mut Message<'_>, aad: &[u8], text: &mut InOut<'_>);
    /// Decrypts `text`, likewise.
    fn open(&self, message: &mut Message<'_>, aad: &[u8], text: &mut InOut<'_>);
}

pub(crate) static BACKENDS: Backends<dyn Kernel> = token_backends!(
    "chacha20-poly1305", self_test::passes, dyn Kernel:
    x86_64 [Avx512Ifma, Avx512, Avx2, Ssse3, Sse2]
    aarch64 [Neon]
    Portable
);

/// RFC 8439 §2.8: the counter has 32 bits, and block 0 is the hash's key.
const MAX_TEXT_LEN: u64 = ((1 << 32) - 1) * 64;

impl Message<'_> {
    /// The tag of a message that is done: the lengths end what is hashed (RFC 8439 §2.8).
    #[inline(always)]
    fn tag(&mut self, aad_len: usize, text_len: usize) -> Tag {
        let hash = self.hash.as_mut().expect("begun");
        hash.absorb_block([aad_len as u64, text_len as u64], 1);
        hash.tag()
    }

    #[inline(always)]
    fn seal(mut self, aad: &[u8], mut text: InOut<'_>) -> Tag {
        let text_len = text.len();
        BACKENDS.chosen().seal(&mut self, aad, &mut text);
        self.tag(aad.len(), text_len)
    }

    #[inline(always)]
    fn seal_slices(mut self, aad: &[u8], slices: &[&[u8]], text: &mut [u8]) -> Tag {
        let (kernel, mut aad_left, text_len) = (BACKENDS.chosen(), aad, text.len());
        aead::seal_slices::<64>(slices, text, |mut text, _| {
            kernel.seal(&mut self, core::mem::take(&mut aad_left), &mut text);
        });
        self.tag(aad.len(), text_len)
    }

    /// Returns the tag that the text should have had.
    #[inline(always)]
    fn open(mut self, aad: &[u8], mut text: InOut<'_>) -> Tag {
        let text_len = text.len();
        BACKENDS.chosen().open(&mut self, aad, &mut text);
        self.tag(aad.len(), text_len)
    }
}

/// ChaCha20-Poly1305. Wiped when dropped.
///
/// # Security
/// Two messages under one key and one nonce reveal the XOR of the plaintexts and the key that
/// authenticates them. Use a counter as the nonce: random nonces of 12 bytes are too short for more than
/// 2^32 messages under one key. For random nonces, use [`XChaCha20Poly1305`].
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
#[derive(Clone)]
pub struct ChaCha20Poly1305 {
    key: Secret<[u8; 32]>,
}

impl Aead for ChaCha20Poly1305 {
    type Key = [u8; 32];
    type Nonce = [u8; 12];
    const NAME: &'static str = "chacha20-poly1305";

    #[inline]
    fn new(key: &[u8; 32]) -> Self {
        Self { key: Secret::new(*key) }
    }
}

impl Cipher for ChaCha20Poly1305 {
    type Nonce = [u8; 12];
    const MAX_TEXT_LEN: u64 = MAX_TEXT_LEN;
    const MAX_AAD_LEN: u64 = u64::MAX;

    #[inline(always)]
    fn seal_text(&self, nonce: &[u8; 12], aad: &[u8], text: InOut<'_>) -> Tag {
        Message::new(&self.key, nonce).seal(aad, text)
    }

    #[inline(always)]
    fn seal_slices(&self, nonce: &[u8; 12], aad: &[u8], slices: &[&[u8]], text: &mut [u8]) -> Tag {
        Message::new(&self.key, nonce).seal_slices(aad, slices, text)
    }

    #[inline(always)]
    fn open_text(&self, nonce: &[u8; 12], aad: &[u8], text: InOut<'_>, _: &Tag) -> Tag {
        Message::new(&self.key, nonce).open(aad, text)
    }
}

aead::methods!(ChaCha20Poly1305, 32, 12);

/// XChaCha20-Poly1305: nonces of 24 bytes, which may be random. Wiped when dropped.
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
#[derive(Clone)]
pub struct XChaCha20Poly1305 {
    key: Secret<[u8; 32]>,
}

impl XChaCha20Poly1305 {
    /// Runs a message under the key and the nonce that follow from this key and a long nonce.
    #[inline(always)]
    fn run(&self, nonce: &[u8; 24], message: impl FnOnce(Message<'_>) -> Tag) -> Tag {
        let (mut key, nonce) = chacha20::extended(&self.key, nonce);
        let tag = message(Message::new(&key, &nonce));
        wipe(&mut key);
        tag
    }
}

impl Aead for XChaCha20Poly1305 {
    type Key = [u8; 32];
    type Nonce = [u8; 24];
    const NAME: &'static str = "xchacha20-poly1305";

    #[inline]
    fn new(key: &[u8; 32]) -> Self {
        Self { key: Secret::new(*key) }
    }
}

impl Cipher for XChaCha20Poly1305 {
    type Nonce = [u8; 24];
    const MAX_TEXT_LEN: u64 = MAX_TEXT_LEN;
    const MAX_AAD_LEN: u64 = u64::MAX;

    #[inline(always)]
    fn seal_text(&self, nonce: &[u8; 24], aad: &[u8], text: InOut<'_>) -> Tag {
        self.run(nonce, |message| message.seal(aad, text))
    }

    #[inline(always)]
    fn seal_slices(&self, nonce: &[u8; 24], aad: &[u8], slices: &[&[u8]], text: &mut [u8]) -> Tag {
        self.run(nonce, |message| message.seal_slices(aad, slices, text))
    }

    #[inline(always)]
    fn open_text(&self, nonce: &[u8; 24], aad: &[u8], text: InOut<'_>, _: &Tag) -> Tag {
        self.run(nonce, |message| message.open(aad, text))
    }
}

aead::methods!(XChaCha20Poly1305, 32, 24);

impl Kernel for Portable {
    fn seal(&self, message: &mut Message<'_>, aad: &[u8], text: &mut InOut<'_>) {
        two_steps::portable::<_, _, true>(self, &poly1305::PORTABLE, message, aad, text);
    }

    fn open(&self, message: &mut Message<'_>, aad: &[u8], text: &mut InOut<'_>) {
        two_steps::portable::<_, _, false>(self, &poly1305::PORTABLE, message, aad, text);
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::fused::crypt;
    use super::two_steps::lanes;
    use super::*;
    use keylane_cpu::InstructionSet;
    use keylane_cpu::lanes::x86_64::{U32x4, U32x8, U32x16};
    use keylane_cpu::x86_64::{Avx2, Avx512, Avx512Ifma, Sse2, Ssse3};

    impl Kernel for Sse2 {
        fn seal(&self, message: &mut Message<'_>, aad: &[u8], text: &mut InOut<'_>) {
            self.run(
                #[inline(always)]
                |isa| crypt::<U32x4<Self>, _, 4, 1, 16, 1, 1, true>(isa, &isa, message, aad, text),
            );
        }

        fn open(&self, message: &mut Message<'_>, aad: &[u8], text: &mut InOut<'_>) {
            self.run(
                #[inline(always)]
                |isa| crypt::<U32x4<Self>, _, 4, 1, 16, 1, 1, false>(isa, &isa, message, aad, text),
            );
        }
    }

    impl Kernel for Ssse3 {
        fn seal(&self, message: &mut Message<'_>, aad: &[u8], text: &mut InOut<'_>) {
            self.run(
                #[inline(always)]
                |isa| crypt::<U32x4<Self>, _, 4, 1, 16, 1, 1, true>(isa, &isa.sse2(), message, aad, text),
            );
        }

        fn open(&self, message: &mut Message<'_>, aad: &[u8], text: &mut InOut<'_>) {
            self.run(
                #[inline(always)]
                |isa| crypt::<U32x4<Self>, _, 4, 1, 16, 1, 1, false>(isa, &isa.sse2(), message, aad, text),
            );
        }
    }

    impl Kernel for Avx2 {
        fn seal(&self, message: &mut Message<'_>, aad: &[u8], text: &mut InOut<'_>) {
            self.run(
                #[inline(always)]
                |isa| crypt::<U32x8, _, 8, 2, 32, 2, 1, true>(isa, &isa, message, aad, text),
            );
        }

        fn open(&self, message: &mut Message<'_>, aad: &[u8], text: &mut InOut<'_>) {
            self.run(
                #[inline(always)]
                |isa| crypt::<U32x8, _, 8, 2, 32, 2, 1, false>(isa, &isa, message, aad, text),
            );
        }
    }

    impl Kernel for Avx512 {
        fn seal(&self, message: &mut Message<'_>, aad: &[u8], text: &mut InOut<'_>) {
            self.run(
                #[inline(always)]
                |isa| {
                    let (cipher, hash) = (isa, isa);
                    lanes::<U32x16, _, _, 16, 4, 64, true>(cipher, &cipher, &hash, message, aad, text);
                },
            );
        }

        fn open(&self, message: &mut Message<'_>, aad: &[u8], text: &mut InOut<'_>) {
            self.run(
                #[inline(always)]
                |isa| {
                    let (cipher, hash) = (isa, isa);
                    lanes::<U32x16, _, _, 16, 4, 64, false>(cipher, &cipher, &hash, message, aad, text);
                },
            );
        }
    }

    impl Kernel for Avx512Ifma {
        fn seal(&self, message: &mut Message<'_>, aad: &[u8], text: &mut InOut<'_>) {
            self.run(
                #[inline(always)]
                |isa| {
                    let (cipher, hash) = (isa.avx512(), isa);
                    lanes::<U32x16, _, _, 16, 4, 64, true>(cipher, &cipher, &hash, message, aad, text);
                },
            );
        }

        fn open(&self, message: &mut Message<'_>, aad: &[u8], text: &mut InOut<'_>) {
            self.run(
                #[inline(always)]
                |isa| {
                    let (cipher, hash) = (isa.avx512(), isa);
                    lanes::<U32x16, _, _, 16, 4, 64, false>(cipher, &cipher, &hash, message, aad, text);
                },
            );
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use super::fused::crypt;
    use super::*;
    use keylane_cpu::InstructionSet;
    use keylane_cpu::aarch64::Neon;
    use keylane_cpu::lanes::aarch64::U32x4;

    impl Kernel for Neon {
        fn seal(&self, message: &mut Message<'_>, aad: &[u8], text: &mut InOut<'_>) {
            self.run(
                #[inline(always)]
                |isa| crypt::<U32x4, _, 4, 1, 16, 1, 1, true>(isa, &isa, message, aad, text),
            );
        }

        fn open(&self, message: &mut Message<'_>, aad: &[u8], text: &mut InOut<'_>) {
            self.run(
                #[inline(always)]
                |isa| crypt::<U32x4, _, 4, 1, 16, 1, 1, false>(isa, &isa, message, aad, text),
            );
        }
    }
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::*;

    /// RFC 8439 §2.8: 274877906880 bytes, longer than any slice.
    #[test]
    fn the_longest_text() {
        let check = |text_len| aead::check_lengths::<ChaCha20Poly1305>(0, text_len);
        assert_eq!(check(274_877_906_880), Ok(()));
        assert_eq!(check(274_877_906_881), Err(crate::Error::InputTooLong { max: 274_877_906_880 }));
    }
}
