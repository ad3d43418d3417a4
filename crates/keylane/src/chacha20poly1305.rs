//! ChaCha20-Poly1305 (RFC 8439 §2.8) and XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): authenticated
//! encryption, which detects every change to the text and to its additional data, and is fast even on CPUs
//! without AES instructions.
//!
//! Both directions take one pass over the text, in place or into another buffer. A nonce must never be used
//! twice with a key: see each type's `# Security`.

mod backends;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod first_group;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod fused;
mod kernel;
mod self_test;
mod sequential;

pub(crate) use backends::BACKENDS;

use crate::aead::{TAG_LEN, check_output, gather, text_len_of, total_len, verify};
use crate::chacha20;
use crate::error::Error;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::fmt;
use kernel::{Direction, Message};
use keylane_cpu::in_out::InOut;
use keylane_cpu::wipe::wipe;

const KEY_LEN: usize = 32;
/// RFC 8439 §2.8: the counter has 32 bits, and block 0 is the hash's key.
const MAX_TEXT_LEN: u64 = ((1 << 32) - 1) * 64;

#[inline(always)]
fn check_len(text_len: usize) -> Result<(), Error> {
    if text_len as u64 > MAX_TEXT_LEN { Err(Error::InputTooLong { max: MAX_TEXT_LEN }) } else { Ok(()) }
}

impl Message<'_> {
    #[inline(always)]
    fn seal(mut self, aad: &[u8], mut text: InOut<'_>) -> Result<[u8; TAG_LEN], Error> {
        let text_len = text.len();
        check_len(text_len)?;
        BACKENDS.chosen().crypt(Direction::Seal, &mut self, aad, &mut text);
        Ok(self.tag(aad.len(), text_len))
    }

    /// Gives the tag that the text should have had.
    #[inline(always)]
    fn open(mut self, aad: &[u8], mut text: InOut<'_>) -> Result<[u8; TAG_LEN], Error> {
        let text_len = text.len();
        check_len(text_len)?;
        BACKENDS.chosen().crypt(Direction::Open, &mut self, aad, &mut text);
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
                kernel.crypt(Direction::Seal, &mut self, core::mem::take(&mut aad_left), &mut text);
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
