//! AES-GCM (NIST SP 800-38D): authenticated encryption, which detects every change to the text and to its
//! additional data.
//!
//! Both directions take one pass over the text, in place or into another buffer. A nonce (12 bytes) must
//! never be used twice with a key: see each type's `# Security`.

mod backends;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod fused;
mod gather;
mod ghash;
mod kernel;
mod portable;
mod self_test;
mod tag;
#[cfg(all(test, target_pointer_width = "64"))]
mod tests;

pub(crate) use backends::BACKENDS;
pub use ghash::Ghash;
pub use tag::TruncatedTag;

use crate::aead::{TAG_LEN, check_output, text_len_of, verify};
use crate::aes::KeyBytes;
use crate::error::Error;
use core::fmt;
use kernel::{Key, MAX_AAD_LEN, MAX_TEXT_LEN, NONCE_LEN, Progress, first_block, lengths};
use keylane_cpu::in_out::InOut;
use keylane_cpu::wipe::wipe;

impl Key {
    #[inline]
    fn new(key: KeyBytes<'_>) -> Self {
        BACKENDS.chosen().prepare(key)
    }

    #[inline]
    fn seal(&self, progress: &mut Progress, aad: &[u8], data: &mut [u8]) -> Result<[u8; TAG_LEN], Error> {
        let lengths = lengths(aad.len(), data.len())?;
        Ok(BACKENDS.chosen().seal(self, progress, aad, &mut InOut::in_place(data), Some(&lengths)))
    }

    fn seal_any_nonce(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<[u8; TAG_LEN], Error> {
        let mut progress = Progress::new(self.first_block(nonce)?);
        let result = self.seal(&mut progress, aad, data);
        progress.wipe();
        result
    }

    /// Decrypts in place, and wipes what it decrypted unless the tag is right.
    #[inline]
    fn open<const HASHED_NONCE: bool>(
        &self,
        first: u128,
        aad: &[u8],
        data: &mut [u8],
        tag: &[u8],
    ) -> Result<(), Error> {
        let lengths = lengths(aad.len(), data.len())?;
        let mut progress = Progress::new(first);
        let text = &mut InOut::in_place(data);
        let mut expected = BACKENDS.chosen().open(self, &progress, aad, text, lengths);
        if HASHED_NONCE {
            progress.wipe();
        }
        verify(&mut expected, tag, data)
    }

    fn open_any_nonce(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        self.open::<true>(self.first_block(nonce)?, aad, data, tag)
    }

    #[inline]
    fn open_to(&self, first: u128, aad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<(), Error> {
        let text_len = text_len_of(sealed)?;
        check_output(text_len, output)?;
        let lengths = lengths(aad.len(), text_len)?;
        let (text, tag) = sealed.split_at(text_len);
        let mut expected = BACKENDS.chosen().open(
            self,
            &Progress::new(first),
            aad,
            &mut InOut::apart(text, output),
            lengths,
        );
        verify(&mut expected, tag, output)
    }

    /// The first counter block from a nonce of any length (SP 800-38D §7.1, step 2).
    fn first_block(&self, nonce: &[u8]) -> Result<u128, Error> {
        if let Ok(nonce) = nonce.try_into() {
            return Ok(first_block(nonce));
        }
        if nonce.is_empty() {
            return Err(Error::InvalidParameter { what: "nonce: it is empty" });
        }
        if nonce.len() as u64 > MAX_AAD_LEN {
            return Err(Error::InputTooLong { max: MAX_AAD_LEN });
        }
        // GHASH of the nonce and its length: a tag is GHASH plus the mask, and the tag of nothing is the mask.
        let kernel = BACKENDS.chosen();
        let hash = |data: &[u8], lengths| {
            kernel.seal(self, &mut Progress::new(0), data, &mut InOut::in_place(&mut []), Some(&lengths))
        };
        let mut masked = hash(nonce, u128::from(8 * nonce.len() as u64));
        let mut mask = hash(&[], 0);
        let first = u128::from_le_bytes(masked) ^ u128::from_le_bytes(mask);
        // The encryption of zero is GHASH's key.
        wipe(&mut mask);
        wipe(&mut masked);
        Ok(first)
    }
}

/// A public type: one key size.
macro_rules! aes_gcm {
    ($(#[$doc:meta])* $Gcm:ident, $Aes:ident, $key_len:literal) => {
        $(#[$doc])*
        ///
        /// # Security
        /// Two messages under one key and one nonce reveal the XOR of the plaintexts and the authentication
        /// key, with which anyone can forge messages. Use a counter as the nonce, or derive a key for each
        /// message; random nonces of 12 bytes are safe for 2^32 messages under one key.
        #[derive(Clone)]
        pub struct $Gcm {
            key: Key,
        }

        impl $Gcm {
            /// The length of a key.
            pub const KEY_LEN: usize = $key_len;
            /// The length of a nonce.
            pub const NONCE_LEN: usize = NONCE_LEN;
            /// The length of a tag.
            pub const TAG_LEN: usize = TAG_LEN;
            /// The longest text (SP 800-38D §5.2.1.1).
            pub const MAX_TEXT_LEN: u64 = MAX_TEXT_LEN;
            /// The longest additional data (SP 800-38D §5.2.1.1).
            pub const MAX_AAD_LEN: u64 = MAX_AAD_LEN;

            /// Prepares a key: round keys and powers of the hash key.
            #[must_use]
            pub fn new(key: &[u8; $key_len]) -> Self {
                Self { key: Key::new(KeyBytes::$Aes(key)) }
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
            /// [`Error::InputTooLong`] above [`MAX_TEXT_LEN`](Self::MAX_TEXT_LEN) or [`MAX_AAD_LEN`](Self::MAX_AAD_LEN).
            pub fn seal(
                &self,
                nonce: &[u8; NONCE_LEN],
                aad: &[u8],
                data: &mut [u8],
            ) -> Result<[u8; TAG_LEN], Error> {
                self.key.seal(&mut Progress::new(first_block(nonce)), aad, data)
            }

            /// Decrypts `data` in place if `tag` is the tag of `data`, `aad` and `nonce`.
            ///
            /// # Errors
            /// [`Error::AuthenticationFailed`]: `data` was wiped. [`Error::InputTooLong`] as for [`seal`](Self::seal).
            pub fn open(
                &self,
                nonce: &[u8; NONCE_LEN],
                aad: &[u8],
                data: &mut [u8],
                tag: &[u8; TAG_LEN],
            ) -> Result<(), Error> {
                self.key.open::<false>(first_block(nonce), aad, data, tag)
            }

            /// Encrypts the slices of `plaintext`, one after the other, into `output`: the ciphertext, then
            /// the tag.
            ///
            /// # Errors
            /// [`Error::WrongLength`] unless `output` has exactly that length, [`Error::InputTooLong`] as for
            /// [`seal`](Self::seal).
            pub fn seal_to(
                &self,
                nonce: &[u8; NONCE_LEN],
                aad: &[u8],
                plaintext: &[&[u8]],
                output: &mut [u8],
            ) -> Result<(), Error> {
                gather::seal_to(&self.key, first_block(nonce), aad, plaintext, output)
            }

            /// Decrypts `sealed`, a ciphertext and its tag, into `output`.
            ///
            /// # Errors
            /// [`Error::AuthenticationFailed`]: `output` was wiped. [`Error::WrongLength`] unless `output` has the text's
            /// length, or if `sealed` is shorter than a tag. [`Error::InputTooLong`] as for [`seal`](Self::seal).
            pub fn open_to(
                &self,
                nonce: &[u8; NONCE_LEN],
                aad: &[u8],
                sealed: &[u8],
                output: &mut [u8],
            ) -> Result<(), Error> {
                self.key.open_to(first_block(nonce), aad, sealed, output)
            }

            /// Encrypts `plaintext` and appends it to `output`: the ciphertext, then the tag.
            ///
            /// # Errors
            /// [`Error::InputTooLong`] as for [`seal`](Self::seal); `output` is unchanged.
            #[cfg(feature = "alloc")]
            pub fn seal_append(
                &self,
                nonce: &[u8; NONCE_LEN],
                aad: &[u8],
                plaintext: &[u8],
                output: &mut alloc::vec::Vec<u8>,
            ) -> Result<(), Error> {
                gather::seal_append(&self.key, first_block(nonce), aad, plaintext, output)
            }

            /// Decrypts `sealed`, a ciphertext and its tag, and appends the text to `output`.
            ///
            /// # Errors
            /// [`Error::AuthenticationFailed`], [`Error::WrongLength`] if `sealed` is shorter than a tag, or
            /// [`Error::InputTooLong`] as for [`seal`](Self::seal); `output` is unchanged.
            #[cfg(feature = "alloc")]
            pub fn open_append(
                &self,
                nonce: &[u8; NONCE_LEN],
                aad: &[u8],
                sealed: &[u8],
                output: &mut alloc::vec::Vec<u8>,
            ) -> Result<(), Error> {
                gather::open_append(&self.key, first_block(nonce), aad, sealed, output)
            }

            /// As [`seal`](Self::seal), with a nonce of 1 byte or more. A nonce of 12 bytes is used as
            /// [`seal`](Self::seal) uses it; others are hashed (SP 800-38D §7.1), which is slower.
            ///
            /// # Errors
            /// [`Error::InvalidParameter`] for an empty nonce; [`Error::InputTooLong`] as for [`seal`](Self::seal).
            ///
            /// # Security
            /// Nonces of different lengths may collide by chance when they are hashed: use one length for
            /// each key.
            pub fn seal_any_nonce(
                &self,
                nonce: &[u8],
                aad: &[u8],
                data: &mut [u8],
            ) -> Result<[u8; TAG_LEN], Error> {
                self.key.seal_any_nonce(nonce, aad, data)
            }

            /// As [`open`](Self::open), with a nonce of 1 byte or more.
            ///
            /// # Errors
            /// As [`open`](Self::open), and [`Error::InvalidParameter`] for an empty nonce.
            pub fn open_any_nonce(
                &self,
                nonce: &[u8],
                aad: &[u8],
                data: &mut [u8],
                tag: &[u8; TAG_LEN],
            ) -> Result<(), Error> {
                self.key.open_any_nonce(nonce, aad, data, tag)
            }

            /// As [`open_any_nonce`](Self::open_any_nonce), with a tag that the sender truncated to its first
            /// 12 to 16 bytes.
            ///
            /// # Errors
            /// As [`open_any_nonce`](Self::open_any_nonce).
            ///
            /// # Security
            /// A shorter tag is easier to forge, and each forgery makes the next one easier (SP 800-38D appendix C).
            pub fn open_truncated(
                &self,
                nonce: &[u8],
                aad: &[u8],
                data: &mut [u8],
                tag: &TruncatedTag,
            ) -> Result<(), Error> {
                self.key.open_any_nonce(nonce, aad, data, tag.as_bytes())
            }
        }

        impl zeroize::ZeroizeOnDrop for $Gcm {}

        impl fmt::Debug for $Gcm {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($Gcm)).finish_non_exhaustive()
            }
        }
    };
}

aes_gcm! {
    /// AES-128-GCM. Wiped when dropped.
    ///
    /// ```
    /// # fn main() -> Result<(), keylane::Error> {
    /// use keylane::aes_gcm::Aes128Gcm;
    ///
    /// let key = Aes128Gcm::new(&[7; 16]);
    /// let nonce = [0; 12]; // never twice with one key
    /// let mut data = *b"attack at dawn";
    /// let tag = key.seal(&nonce, b"to the general", &mut data)?;
    ///
    /// key.open(&nonce, b"to the general", &mut data, &tag)?;
    /// assert_eq!(&data, b"attack at dawn");
    /// # Ok(())
    /// # }
    /// ```
    Aes128Gcm, Aes128, 16
}
aes_gcm! {
    /// AES-192-GCM. Wiped when dropped.
    ///
    /// ```
    /// # fn main() -> Result<(), keylane::Error> {
    /// use keylane::aes_gcm::Aes192Gcm;
    ///
    /// let key = Aes192Gcm::from_slice(&[7; 24])?;
    /// let mut sealed = [0; 14 + Aes192Gcm::TAG_LEN];
    /// key.seal_to(&[0; 12], b"", &[b"attack ", b"at dawn"], &mut sealed)?; // gathered
    ///
    /// let mut text = [0; 14];
    /// key.open_to(&[0; 12], b"", &sealed, &mut text)?;
    /// assert_eq!(&text, b"attack at dawn");
    /// # Ok(())
    /// # }
    /// ```
    Aes192Gcm, Aes192, 24
}
aes_gcm! {
    /// AES-256-GCM. Wiped when dropped.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")]
    /// # fn main() -> Result<(), keylane::Error> {
    /// use keylane::aes_gcm::Aes256Gcm;
    ///
    /// let key = Aes256Gcm::new(&[7; 32]);
    /// let mut nonce = [0; 12];
    /// nonce[4..].copy_from_slice(&1_u64.to_be_bytes()); // a counter: never twice with one key
    /// let mut message = nonce.to_vec();
    /// key.seal_append(&nonce, b"", b"attack at dawn", &mut message)?;
    ///
    /// let (nonce, sealed) = message.split_first_chunk().unwrap();
    /// let mut text = vec![0; sealed.len() - Aes256Gcm::TAG_LEN];
    /// key.open_to(nonce, b"", sealed, &mut text)?;
    /// assert_eq!(text, b"attack at dawn");
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "alloc"))]
    /// # fn main() {}
    /// ```
    Aes256Gcm, Aes256, 32
}
