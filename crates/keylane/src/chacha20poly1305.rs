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

use crate::aead::{TAG_LEN, check_output, gather, text_len_of, total_len, verify};
use crate::backend::{Backends, token_backends};
use crate::chacha20;
use crate::error::Error;
use crate::poly1305;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::fmt;
use keylane_cpu::Portable;
use keylane_cpu::in_out::InOut;
use keylane_cpu::wipe::wipe;

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

const KEY_LEN: usize = 32;
/// RFC 8439 §2.8: the counter has 32 bits, and block 0 is the hash's key.
const MAX_TEXT_LEN: u64 = ((1 << 32) - 1) * 64;

#[inline(always)]
fn check_len(text_len: usize) -> Result<(), Error> {
    if text_len as u64 > MAX_TEXT_LEN { Err(Error::InputTooLong { max: MAX_TEXT_LEN }) } else { Ok(()) }
}

impl Message<'_> {
    /// The tag of a message that is done: the lengths end what is hashed (RFC 8439 §2.8).
    #[inline(always)]
    fn tag(&mut self, aad_len: usize, text_len: usize) -> [u8; TAG_LEN] {
        let hash = self.hash.as_mut().expect("begun");
        hash.absorb_block([aad_len as u64, text_len as u64], 1);
        hash.tag()
    }

    #[inline(always)]
    fn seal(mut self, aad: &[u8], mut text: InOut<'_>) -> Result<[u8; TAG_LEN], Error> {
        let text_len = text.len();
        check_len(text_len)?;
        BACKENDS.chosen().seal(&mut self, aad, &mut text);
        Ok(self.tag(aad.len(), text_len))
    }

    /// Gives the tag that the text should have had.
    #[inline(always)]
    fn open(mut self, aad: &[u8], mut text: InOut<'_>) -> Result<[u8; TAG_LEN], Error> {
        let text_len = text.len();
        check_len(text_len)?;
        BACKENDS.chosen().open(&mut self, aad, &mut text);
        Ok(self.tag(aad.len(), text_len))
    }

    /// Encrypts the slices one after the other: the text, then the tag.
    #[inline]
    fn seal_to(mut self, aad: &[u8], plaintext: &[&[u8]], output: &mut [u8]) -> Result<(), Error> {
        let text_len = total_len(plaintext);
        check_len(text_len)?;
        check_output(text_len.saturating_add(TAG_LEN), output)?;
        let (text, tag) = output.split_at_mut(text_len);
        let value = if let [one] = plaintext {
            self.seal(aad, InOut::apart(one, text))?
        } else {
            let (kernel, mut aad_left) = (BACKENDS.chosen(), aad);
            gather::<64>(plaintext, text, |mut text, _| {
                kernel.seal(&mut self, core::mem::take(&mut aad_left), &mut text);
            });
            self.tag(aad.len(), text_len)
        };
        tag.copy_from_slice(&value);
        Ok(())
    }

    #[inline]
    fn open_to(self, aad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<(), Error> {
        let text_len = text_len_of(sealed)?;
        check_output(text_len, output)?;
        let (text, tag) = sealed.split_at(text_len);
        let mut expected = self.open(aad, InOut::apart(text, output))?;
        verify(&mut expected, tag, output)
    }

    #[cfg(feature = "alloc")]
    #[inline]
    fn seal_append(self, aad: &[u8], plaintext: &[u8], output: &mut Vec<u8>) -> Result<(), Error> {
        // Before anything is reserved.
        check_len(plaintext.len())?;
        keylane_cpu::in_out::append(output, plaintext.len() + TAG_LEN, |sealed| {
            self.seal_to(aad, &[plaintext], sealed)
        })
    }

    #[cfg(feature = "alloc")]
    #[inline]
    fn open_append(self, aad: &[u8], sealed: &[u8], output: &mut Vec<u8>) -> Result<(), Error> {
        // Before anything is reserved.
        let text_len = text_len_of(sealed)?;
        check_len(text_len)?;
        keylane_cpu::in_out::append(output, text_len, |text| self.open_to(aad, sealed, text))
    }
}

/// A public type: one length of nonces. `$with_message` makes a [`Message`] from a key and a nonce and hands it over.
macro_rules! chacha20poly1305 {
    ($(#[$doc:meta])* $Type:ident, $nonce_len:literal, $with_message:ident) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $Type {
            key: [u8; KEY_LEN],
        }

        impl $Type {
            /// The length of a key.
            pub const KEY_LEN: usize = KEY_LEN;
            /// The length of a nonce.
            pub const NONCE_LEN: usize = $nonce_len;
            /// The length of a tag.
            pub const TAG_LEN: usize = TAG_LEN;
            /// The longest text (RFC 8439 §2.8).
            pub const MAX_TEXT_LEN: u64 = MAX_TEXT_LEN;
            /// The longest additional data (RFC 8439 §2.8).
            pub const MAX_AAD_LEN: u64 = u64::MAX;

            /// Stores a key; there is nothing to prepare.
            #[must_use]
            pub const fn new(key: &[u8; KEY_LEN]) -> Self {
                Self { key: *key }
            }

            /// As [`new`](Self::new), from a slice.
            ///
            /// # Errors
            /// [`Error::WrongLength`] unless the key has [`KEY_LEN`](Self::KEY_LEN) bytes.
            pub fn from_slice(key: &[u8]) -> Result<Self, Error> {
                Ok(Self::new(Error::check_array("length of the key in bytes", key)?))
            }

            /// Encrypts `data` in place and returns the tag, which also covers `aad` and `nonce`.
            ///
            /// # Errors
            /// [`Error::InputTooLong`] above [`MAX_TEXT_LEN`](Self::MAX_TEXT_LEN).
            pub fn seal(
                &self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                data: &mut [u8],
            ) -> Result<[u8; TAG_LEN], Error> {
                $with_message(&self.key, nonce, |message| message.seal(aad, InOut::in_place(data)))
            }

            /// Decrypts `data` in place if `tag` is the tag of `data`, `aad` and `nonce`.
            ///
            /// # Errors
            /// [`Error::AuthenticationFailed`]: `data` was wiped. [`Error::InputTooLong`] as for [`seal`](Self::seal).
            pub fn open(
                &self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                data: &mut [u8],
                tag: &[u8; TAG_LEN],
            ) -> Result<(), Error> {
                let mut expected =
                    $with_message(&self.key, nonce, |message| message.open(aad, InOut::in_place(data)))?;
                verify(&mut expected, tag, data)
            }

            /// Encrypts the slices of `plaintext`, one after the other, into `output`: the ciphertext, then
            /// the tag.
            ///
            /// # Errors
            /// [`Error::WrongLength`] unless `output` has exactly that length, [`Error::InputTooLong`] as for
            /// [`seal`](Self::seal).
            pub fn seal_to(
                &self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                plaintext: &[&[u8]],
                output: &mut [u8],
            ) -> Result<(), Error> {
                $with_message(&self.key, nonce, |message| message.seal_to(aad, plaintext, output))
            }

            /// Decrypts `sealed`, a ciphertext and its tag, into `output`.
            ///
            /// # Errors
            /// [`Error::AuthenticationFailed`]: `output` was wiped. [`Error::WrongLength`] unless `output` has the text's
            /// length, or if `sealed` is shorter than a tag. [`Error::InputTooLong`] as for [`seal`](Self::seal).
            pub fn open_to(
                &self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                sealed: &[u8],
                output: &mut [u8],
            ) -> Result<(), Error> {
                $with_message(&self.key, nonce, |message| message.open_to(aad, sealed, output))
            }

            /// Encrypts `plaintext` and appends it to `output`: the ciphertext, then the tag.
            ///
            /// # Errors
            /// [`Error::InputTooLong`] as for [`seal`](Self::seal); `output` is unchanged.
            #[cfg(feature = "alloc")]
            pub fn seal_append(
                &self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                plaintext: &[u8],
                output: &mut Vec<u8>,
            ) -> Result<(), Error> {
                $with_message(&self.key, nonce, |message| message.seal_append(aad, plaintext, output))
            }

            /// Decrypts `sealed`, a ciphertext and its tag, and appends the text to `output`.
            ///
            /// # Errors
            /// [`Error::AuthenticationFailed`], [`Error::WrongLength`] if `sealed` is shorter than a tag, or
            /// [`Error::InputTooLong`] as for [`seal`](Self::seal); `output` is unchanged.
            #[cfg(feature = "alloc")]
            pub fn open_append(
                &self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                sealed: &[u8],
                output: &mut Vec<u8>,
            ) -> Result<(), Error> {
                $with_message(&self.key, nonce, |message| message.open_append(aad, sealed, output))
            }
        }

        impl Drop for $Type {
            fn drop(&mut self) {
                wipe(&mut self.key);
            }
        }

        impl zeroize::ZeroizeOnDrop for $Type {}

        impl fmt::Debug for $Type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($Type)).finish_non_exhaustive()
            }
        }
    };
}

#[inline(always)]
fn with_nonce<R>(key: &[u8; KEY_LEN], nonce: &[u8; 12], run: impl FnOnce(Message<'_>) -> R) -> R {
    run(Message::new(key, nonce))
}

#[inline(always)]
fn with_extended_nonce<R>(key: &[u8; KEY_LEN], nonce: &[u8; 24], run: impl FnOnce(Message<'_>) -> R) -> R {
    let (mut key, nonce) = chacha20::extended(key, nonce);
    let result = run(Message::new(&key, &nonce));
    wipe(&mut key);
    result
}

chacha20poly1305! {
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
    ChaCha20Poly1305, 12, with_nonce
}
chacha20poly1305! {
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
    XChaCha20Poly1305, 24, with_extended_nonce
}

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

    /// RFC 8439 §2.8: 274877906880 bytes, which no caller's slice has.
    #[test]
    fn the_longest_text() {
        assert_eq!(check_len(274_877_906_880), Ok(()));
        assert_eq!(check_len(274_877_906_881), Err(Error::InputTooLong { max: 274_877_906_880 }));
    }
}
