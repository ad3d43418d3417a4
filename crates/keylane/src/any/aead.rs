//! AEADs by name, and a prepared key for any of them.
#![allow(clippy::missing_errors_doc, reason = "those of `Aead`'s methods")]

use crate::aead::{Aead, Algorithm, Message, check_nonce};
#[cfg(all(feature = "alloc", feature = "getrandom"))]
use crate::aead::{Cipher, check_lengths};
#[cfg(feature = "getrandom")]
use crate::aead::{open_random, seal_random};
use crate::aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm, AesGcm};
use crate::aes_gcm_siv::{Aes128GcmSiv, Aes256GcmSiv, AesGcmSiv};
use crate::chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use crate::error::Error;
#[cfg(all(feature = "alloc", feature = "getrandom"))]
use crate::random;
use crate::xaes::Xaes256Gcm;
#[cfg(all(feature = "alloc", feature = "getrandom"))]
use alloc::vec;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::fmt;
use keylane_cpu::wipe::Secret;
use zeroize::ZeroizeOnDrop;
#[cfg(all(feature = "alloc", feature = "getrandom"))]
use zeroize::Zeroizing;

/// Declares the kinds under the type of their prepared keys, each with its number in C and whether its nonces
/// may be random.
macro_rules! kinds {
    ($($Key:ident { $($(#[$doc:meta])* $Kind:ident = $number:literal, random: $random:literal;)+ })+) => {
        /// An AEAD chosen at run time.
        ///
        /// ```
        /// use keylane::any::AeadKind;
        ///
        /// for kind in AeadKind::ALL {
        ///     assert_eq!(AeadKind::from_name(kind.name()), Some(kind));
        /// }
        /// assert_eq!(AeadKind::Aes128Gcm.key_len(), 16);
        /// ```
        #[non_exhaustive]
        #[must_use]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum AeadKind { $($($(#[$doc])* $Kind = $number,)+)+ }

        impl AeadKind {
            /// All AEADs.
            pub const ALL: [Self; [$($($number,)+)+].len()] = [$($(Self::$Kind,)+)+];

            const fn constants(self) -> Constants {
                match self { $($(Self::$Kind => $Kind::CONSTANTS,)+)+ }
            }

            /// Returns whether nonces may be random, because they are long or may repeat.
            /// `seal_random` and `open_random` work only with these AEADs.
            #[must_use]
            pub const fn has_random_nonces(self) -> bool {
                match self { $($(Self::$Kind => $random,)+)+ }
            }
        }

        #[derive(Clone)]
        #[allow(clippy::large_enum_variant, reason = "a heap is not needed, and moves are rare")]
        enum Key { $($Key($Key),)+ }

        impl Key {
            fn from_slice(kind: AeadKind, key: &[u8]) -> Result<Self, Error> {
                Ok(match kind { $($(AeadKind::$Kind)|+ => Self::$Key($Key::from_slice(key)?),)+ })
            }
        }
    };
}
kinds! {
    AesGcm {
        /// AES-128-GCM.
        Aes128Gcm = 1, random: false;
        /// AES-192-GCM.
        Aes192Gcm = 2, random: false;
        /// AES-256-GCM.
        Aes256Gcm = 3, random: false;
    }
    AesGcmSiv {
        /// AES-128-GCM-SIV.
        Aes128GcmSiv = 4, random: true;
        /// AES-256-GCM-SIV.
        Aes256GcmSiv = 5, random: true;
    }
    ChaCha20Poly1305 {
        /// ChaCha20-Poly1305.
        ChaCha20Poly1305 = 6, random: false;
    }
    XChaCha20Poly1305 {
        /// XChaCha20-Poly1305.
        XChaCha20Poly1305 = 7, random: true;
    }
    Xaes256Gcm {
        /// XAES-256-GCM.
        Xaes256Gcm = 8, random: true;
    }
}

/// Evaluates an expression for the prepared key in an [`AnyAead`].
macro_rules! by_key {
    ($any:expr, $key:ident => $body:expr) => {
        match &*$any.key {
            Key::AesGcm($key) => $body,
            Key::AesGcmSiv($key) => $body,
            Key::ChaCha20Poly1305($key) => $body,
            Key::XChaCha20Poly1305($key) => $body,
            Key::Xaes256Gcm($key) => $body,
        }
    };
}

struct Constants {
    name: &'static str,
    key_len: usize,
    nonce_len: usize,
    max_text_len: u64,
    max_aad_len: u64,
}

impl<A: Algorithm> Aead<A> {
    const CONSTANTS: Constants = Constants {
        name: A::NAME,
        key_len: Self::KEY_LEN,
        nonce_len: Self::NONCE_LEN,
        max_text_len: A::MAX_TEXT_LEN,
        max_aad_len: A::MAX_AAD_LEN,
    };
}

impl AeadKind {
    /// Returns the AEAD with this [`name`](Self::name), or `None` if there is none.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the name in lower case: `"aes-256-gcm"`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.constants().name
    }

    /// Returns the length of a key in bytes.
    #[must_use]
    pub const fn key_len(self) -> usize {
        self.constants().key_len
    }

    /// Returns the length of a nonce in bytes.
    #[must_use]
    pub const fn nonce_len(self) -> usize {
        self.constants().nonce_len
    }

    /// Returns the maximum length of a text in bytes.
    #[must_use]
    pub const fn max_text_len(self) -> u64 {
        self.constants().max_text_len
    }

    /// Returns the maximum length of additional data in bytes.
    #[must_use]
    pub const fn max_aad_len(self) -> u64 {
        self.constants().max_aad_len
    }
}

impl fmt::Display for AeadKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A prepared key for an AEAD chosen at run time. It works like [`Aead`], with nonces as slices. A nonce that
/// does not have [`AeadKind::nonce_len`] bytes is an [`Error::WrongLength`], and nothing is written. Threads
/// can share the key. Wiped when dropped.
#[derive(Clone)]
pub struct AnyAead {
    // Wiped as a whole: after a key that is smaller than the largest, moves leave bytes of the stack.
    key: Secret<Key>,
}

impl AnyAead {
    /// The length of a tag in bytes, the same for all.
    pub const TAG_LEN: usize = crate::aead::TAG_LEN;

    /// Prepares a key.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless the key has [`AeadKind::key_len`] bytes.
    pub fn from_slice(algorithm: AeadKind, key: &[u8]) -> Result<Self, Error> {
        Error::check_length("length of the key in bytes", algorithm.key_len(), key.len())?;
        Ok(Self { key: Secret::new(Key::from_slice(algorithm, key)?) })
    }

    /// Returns a random key for [`from_slice`](Self::from_slice). Needs the features `alloc` and `getrandom`.
    ///
    /// # Errors
    /// [`Error::NoRandomness`] if the operating system provides no random bytes.
    #[cfg(all(feature = "alloc", feature = "getrandom"))]
    pub fn generate_key(algorithm: AeadKind) -> Result<Zeroizing<Vec<u8>>, Error> {
        let mut key = Zeroizing::new(vec![0; algorithm.key_len()]);
        random::fill(&mut key)?;
        Ok(key)
    }

    /// Returns the AEAD.
    pub fn algorithm(&self) -> AeadKind {
        match &*self.key {
            Key::AesGcm(key) => match key.key_len() {
                16 => AeadKind::Aes128Gcm,
                24 => AeadKind::Aes192Gcm,
                _ => AeadKind::Aes256Gcm,
            },
            Key::AesGcmSiv(key) if key.key_len() == 16 => AeadKind::Aes128GcmSiv,
            Key::AesGcmSiv(_) => AeadKind::Aes256GcmSiv,
            Key::ChaCha20Poly1305(_) => AeadKind::ChaCha20Poly1305,
            Key::XChaCha20Poly1305(_) => AeadKind::XChaCha20Poly1305,
            Key::Xaes256Gcm(_) => AeadKind::Xaes256Gcm,
        }
    }

    /// Returns an AES-GCM key, which accepts nonces of other lengths and truncated tags; `None` for other
    /// AEADs.
    #[must_use]
    pub fn as_aes_gcm(&self) -> Option<&AesGcm> {
        match &*self.key {
            Key::AesGcm(key) => Some(key),
            _ => None,
        }
    }

    /// Encrypts a text in place and returns its tag, like [`Aead::seal`].
    pub fn seal(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<[u8; 16], Error> {
        by_key!(self, key => key.seal(check_nonce(nonce)?, aad, data))
    }

    /// Decrypts a text in place, like [`Aead::open`].
    pub fn open(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &[u8; 16]) -> Result<(), Error> {
        by_key!(self, key => key.open(check_nonce(nonce)?, aad, data, tag))
    }

    /// Encrypts slices into an output, like [`Aead::seal_to`].
    pub fn seal_to(
        &self,
        nonce: &[u8],
        aad: &[u8],
        plaintext: &[&[u8]],
        output: &mut [u8],
    ) -> Result<(), Error> {
        by_key!(self, key => key.seal_to(check_nonce(nonce)?, aad, plaintext, output))
    }

    /// Decrypts into an output, like [`Aead::open_to`].
    pub fn open_to(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<(), Error> {
        by_key!(self, key => key.open_to(check_nonce(nonce)?, aad, sealed, output))
    }

    /// Encrypts a text and appends it and its tag to a vector, like [`Aead::seal_append`].
    #[cfg(feature = "alloc")]
    pub fn seal_append(
        &self,
        nonce: &[u8],
        aad: &[u8],
        plaintext: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<(), Error> {
        by_key!(self, key => key.seal_append(check_nonce(nonce)?, aad, plaintext, output))
    }

    /// Decrypts a text and appends it to a vector, like [`Aead::open_append`].
    #[cfg(feature = "alloc")]
    pub fn open_append(
        &self,
        nonce: &[u8],
        aad: &[u8],
        sealed: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<(), Error> {
        by_key!(self, key => key.open_append(check_nonce(nonce)?, aad, sealed, output))
    }

    /// Encrypts several messages in place, like [`Aead::seal_many`].
    pub fn seal_many(&self, messages: &mut [Message<'_>]) -> Result<(), Error> {
        by_key!(self, key => key.seal_many(messages))
    }

    /// Decrypts several messages in place, like [`Aead::open_many`].
    pub fn open_many(&self, messages: &mut [Message<'_>], opened: &mut [bool]) -> Result<(), Error> {
        by_key!(self, key => key.open_many(messages, opened))
    }
}

/// Methods that generate a random nonce, for AEADs that [allow it](AeadKind::has_random_nonces). With the
/// others, every method returns [`Error::InvalidParameter`]. They need the feature `getrandom`.
#[cfg(feature = "getrandom")]
impl AnyAead {
    /// Encrypts a text under a random nonce, like [`Aead::seal_random`].
    pub fn seal_random(&self, aad: &[u8], text: &[u8], output: &mut [u8]) -> Result<(), Error> {
        seal_random(self.random_nonce_len()?, text.len(), output, |nonce, sealed| {
            self.seal_to(nonce, aad, &[text], sealed)
        })
    }

    /// Decrypts the output of [`seal_random`](Self::seal_random), like [`Aead::open_random`].
    pub fn open_random(&self, aad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<(), Error> {
        open_random(self.random_nonce_len()?, sealed, |nonce, sealed| {
            self.open_to(nonce, aad, sealed, output)
        })
    }

    /// Encrypts a text under a random nonce into a new vector, like [`Aead::seal_random_vec`].
    #[cfg(feature = "alloc")]
    pub fn seal_random_vec(&self, aad: &[u8], text: &[u8]) -> Result<Vec<u8>, Error> {
        by_key!(self, key => lengths_fit(key, aad, text))?;
        let mut output = vec![0; self.random_nonce_len()? + text.len() + Self::TAG_LEN];
        self.seal_random(aad, text, &mut output)?;
        Ok(output)
    }

    /// Decrypts into a new vector, like [`Aead::open_random_vec`].
    #[cfg(feature = "alloc")]
    pub fn open_random_vec(&self, aad: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let mut output = vec![0; sealed.len().saturating_sub(self.random_nonce_len()? + Self::TAG_LEN)];
        self.open_random(aad, sealed, &mut output)?;
        Ok(output)
    }

    fn random_nonce_len(&self) -> Result<usize, Error> {
        if self.algorithm().has_random_nonces() {
            Ok(self.algorithm().nonce_len())
        } else {
            Err(Error::InvalidParameter { what: "nonce: 12 random bytes are too few" })
        }
    }
}

/// Fails if the text or the additional data is longer than the AEAD of `key` allows.
#[cfg(all(feature = "alloc", feature = "getrandom"))]
fn lengths_fit<C: Cipher>(_key: &Aead<C>, aad: &[u8], text: &[u8]) -> Result<(), Error> {
    check_lengths::<C>(aad.len(), text.len())
}

impl ZeroizeOnDrop for AnyAead {}

impl fmt::Debug for AnyAead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyAead({}) {{ .. }}", self.algorithm())
    }
}
