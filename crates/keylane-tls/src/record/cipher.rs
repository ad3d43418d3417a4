//! TLS's AEADs and their keys.

use crate::error::Error;
use core::fmt;
use keylane::aes_gcm::AesGcm;
use keylane::any::AeadKind;
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
    /// Returns the key's length in bytes.
    #[must_use]
    pub const fn key_len(self) -> usize {
        self.kind().key_len()
    }

    pub(crate) const fn kind(self) -> AeadKind {
        match self {
            Self::Aes128Gcm => AeadKind::Aes128Gcm,
            Self::Aes256Gcm => AeadKind::Aes256Gcm,
            Self::ChaCha20Poly1305 => AeadKind::ChaCha20Poly1305,
        }
    }

    /// Returns the number of records that one key may seal: 2^24 with AES-GCM, a little less than RFC 8446
    /// §5.5 allows. ChaCha20-Poly1305 is limited only by the sequence number.
    #[must_use]
    pub const fn records_per_key(self) -> u64 {
        match self {
            Self::Aes128Gcm | Self::Aes256Gcm => 1 << 24,
            Self::ChaCha20Poly1305 => u64::MAX,
        }
    }

    /// Returns the length of the nonce's part that each TLS 1.2 record carries.
    pub(crate) const fn explicit_nonce_len(self) -> usize {
        match self {
            Self::Aes128Gcm | Self::Aes256Gcm => 8,
            Self::ChaCha20Poly1305 => 0,
        }
    }
}

/// A key of a cipher, prepared when it is first used. Wiped on drop.
pub(crate) struct Key {
    cipher: Cipher,
    bytes: Zeroizing<[u8; 32]>,
    /// One of these two has the cipher's key. They are boxed, so that an unused key takes little memory and a
    /// ChaCha20 key less than an AES-GCM key.
    gcm: Option<Box<AesGcm>>,
    chacha: Option<Box<ChaCha20Poly1305>>,
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
        let mut key = Self { cipher, bytes: Zeroizing::default(), gcm: None, chacha: None };
        key.bytes[..len].copy_from_slice(bytes);
        Ok(key)
    }

    pub(crate) const fn cipher(&self) -> Cipher {
        self.cipher
    }

    #[inline]
    pub(crate) fn aead(&mut self) -> Prepared<'_> {
        const FITS: &str = "a key of the cipher's length";
        let key = &self.bytes[..self.cipher.key_len()];
        match self.cipher {
            Cipher::Aes128Gcm | Cipher::Aes256Gcm => {
                let new = || Box::new(AesGcm::from_slice(key).expect(FITS));
                Prepared::AesGcm(self.gcm.get_or_insert_with(new))
            }
            Cipher::ChaCha20Poly1305 => {
                let new = || Box::new(ChaCha20Poly1305::from_slice(key).expect(FITS));
                Prepared::ChaCha20Poly1305(self.chacha.get_or_insert_with(new))
            }
        }
    }
}

/// A prepared key. An `AnyAead` would be as large as the largest, a multiple of a ChaCha20-Poly1305 key.
pub(crate) enum Prepared<'a> {
    AesGcm(&'a AesGcm),
    ChaCha20Poly1305(&'a ChaCha20Poly1305),
}

impl Prepared<'_> {
    /// Encrypts a text in place and returns its tag.
    #[inline]
    pub(crate) fn seal(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        data: &mut [u8],
    ) -> Result<[u8; 16], keylane::Error> {
        match self {
            Self::AesGcm(key) => key.seal(nonce, aad, data),
            Self::ChaCha20Poly1305(key) => key.seal(nonce, aad, data),
        }
    }

    /// Encrypts slices into an output.
    #[inline]
    pub(crate) fn seal_to(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        plaintext: &[&[u8]],
        output: &mut [u8],
    ) -> Result<(), keylane::Error> {
        match self {
            Self::AesGcm(key) => key.seal_to(nonce, aad, plaintext, output),
            Self::ChaCha20Poly1305(key) => key.seal_to(nonce, aad, plaintext, output),
        }
    }

    /// Decrypts a text in place.
    #[inline]
    pub(crate) fn open(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        data: &mut [u8],
        tag: &[u8; 16],
    ) -> Result<(), keylane::Error> {
        match self {
            Self::AesGcm(key) => key.open(nonce, aad, data, tag),
            Self::ChaCha20Poly1305(key) => key.open(nonce, aad, data, tag),
        }
    }
}

/// Copies the key's bytes. The copy is prepared when it is first used.
impl Clone for Key {
    fn clone(&self) -> Self {
        Self { cipher: self.cipher, bytes: self.bytes.clone(), gcm: None, chacha: None }
    }
}

/// The write key and the write IV of one direction (RFC 8446 §7.3). Wiped on drop.
///
/// With AES-GCM in TLS 1.2, the first 4 bytes of `iv` are the salt and the other 8 the first explicit nonce.
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
    /// Returns traffic keys with copies of a write key and a write IV.
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
