//! The AEADs of TLS, and the keys that a handshake makes for them.

use crate::error::Error;
use core::fmt;
use core::panic::RefUnwindSafe;
use keylane::aead::DynAead;
use keylane::aes_gcm::{Aes128Gcm, Aes256Gcm};
use keylane::chacha20poly1305::ChaCha20Poly1305;
use zeroize::Zeroizing;

/// The AEAD of a cipher suite.
///
/// ```
/// use keylane_tls::record::Cipher;
///
/// assert_eq!(Cipher::Aes256Gcm.key_len(), 32);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cipher {
    /// AES-128-GCM.
    Aes128Gcm,
    /// AES-256-GCM.
    Aes256Gcm,
    /// ChaCha20-Poly1305.
    ChaCha20Poly1305,
}

impl Cipher {
    /// The length of a key, in bytes.
    #[must_use]
    pub const fn key_len(self) -> usize {
        match self {
            Self::Aes128Gcm => 16,
            Self::Aes256Gcm | Self::ChaCha20Poly1305 => 32,
        }
    }

    /// How many records one key may seal: 2^24 under AES-GCM, a little less than RFC 8446 §5.5 allows; with
    /// ChaCha20-Poly1305 the sequence number ends first.
    #[must_use]
    pub const fn records_per_key(self) -> u64 {
        match self {
            Self::Aes128Gcm | Self::Aes256Gcm => 1 << 24,
            Self::ChaCha20Poly1305 => u64::MAX,
        }
    }

    /// Prepares a key.
    ///
    /// # Errors
    /// If it does not have the cipher's [`key_len`](Self::key_len).
    pub(crate) fn prepare(self, key: &[u8]) -> Result<Box<PreparedAead>, keylane::Error> {
        Ok(match self {
            Self::Aes128Gcm => Box::new(Aes128Gcm::from_slice(key)?),
            Self::Aes256Gcm => Box::new(Aes256Gcm::from_slice(key)?),
            Self::ChaCha20Poly1305 => Box::new(ChaCha20Poly1305::from_slice(key)?),
        })
    }

    /// The part of TLS 1.2's nonce that each record carries.
    pub(crate) const fn explicit_nonce_len(self) -> usize {
        match self {
            Self::Aes128Gcm | Self::Aes256Gcm => 8,
            Self::ChaCha20Poly1305 => 0,
        }
    }
}

/// The AEAD of any [`Cipher`], with its key.
pub(crate) type PreparedAead = dyn DynAead + RefUnwindSafe;

/// A key of a cipher, prepared when it is first used. Wiped on drop.
pub(crate) struct Key {
    cipher: Cipher,
    bytes: Zeroizing<[u8; 32]>,
    /// A thin pointer: of a fat one that is `None`, a word is undefined, and is filled from the stack.
    aead: Option<Box<Box<PreparedAead>>>,
}

impl Key {
    /// Copies a key.
    ///
    /// # Errors
    /// [`keylane::Error::WrongLength`] if it does not have the cipher's [`key_len`](Cipher::key_len).
    pub(crate) fn new(cipher: Cipher, bytes: &[u8]) -> Result<Self, keylane::Error> {
        let (len, actual) = (cipher.key_len(), bytes.len());
        if actual != len {
            let what = "length of the traffic key in bytes";
            return Err(keylane::Error::WrongLength { what, min: len, max: len, actual });
        }
        let mut key = Self { cipher, bytes: Zeroizing::default(), aead: None };
        key.bytes[..len].copy_from_slice(bytes);
        Ok(key)
    }

    pub(crate) const fn cipher(&self) -> Cipher {
        self.cipher
    }

    #[inline]
    pub(crate) fn aead(&mut self) -> &PreparedAead {
        if self.aead.is_none() {
            self.prepare();
        }
        &**self.aead.as_deref().expect("it is prepared")
    }

    #[cold]
    fn prepare(&mut self) {
        let aead = self.cipher.prepare(&self.bytes[..self.cipher.key_len()]);
        self.aead = Some(Box::new(aead.expect("a key of the cipher's length")));
    }
}

/// Copies the key's bytes. The copy is prepared when it is first used.
impl Clone for Key {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes.clone(), aead: None, ..*self }
    }
}

/// The write key and the write IV of one direction (RFC 8446 §7.3). Wiped on drop.
///
/// TLS 1.2's AES-GCM has a salt of 4 bytes only: the other 8 bytes of `iv` are where its explicit nonces
/// start.
///
/// ```
/// use keylane_tls::record::{Cipher, TrafficKeys};
///
/// assert!(TrafficKeys::new(Cipher::ChaCha20Poly1305, &[7; 32], &[9; 12]).is_ok());
/// assert!(TrafficKeys::new(Cipher::Aes128Gcm, &[7; 32], &[9; 12]).is_err()); // a key of another length
/// ```
pub struct TrafficKeys {
    pub(crate) key: Key,
    pub(super) iv: Zeroizing<[u8; 12]>,
}

impl TrafficKeys {
    /// Copies a write key and a write IV.
    ///
    /// # Errors
    /// [`Error::Primitive`] if `key` does not have the cipher's [`key_len`](Cipher::key_len).
    pub fn new(cipher: Cipher, key: &[u8], iv: &[u8; 12]) -> Result<Self, Error> {
        Ok(Self { key: Key::new(cipher, key)?, iv: Zeroizing::new(*iv) })
    }
}

impl fmt::Debug for TrafficKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrafficKeys").field("cipher", &self.key.cipher()).finish_non_exhaustive()
    }
}
