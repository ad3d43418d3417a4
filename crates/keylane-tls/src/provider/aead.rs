//! The ciphers, and the nonces that TLS and QUIC use them with.

use crate::record::Cipher;
pub(super) use crate::record::TAG_LEN;
use keylane::aead::DynAead;
use rustls::crypto::cipher::{AeadKey, Iv, NONCE_LEN, OutboundChunks, PrefixedPayload};
use rustls::{ConnectionTrafficSecrets, Error};
use zeroize::Zeroizing;

/// Texts of at least this length are sealed straight into the record. Shorter ones are copied and sealed in
/// place: rustls has no room to write to that was not filled before, with the text or with zeros.
const ONE_PASS: usize = 8192;

impl Cipher {
    /// The key for a record layer that is not rustls'.
    pub(super) fn traffic_secrets(self, key: AeadKey, iv: Iv) -> ConnectionTrafficSecrets {
        match self {
            Self::Aes128Gcm => ConnectionTrafficSecrets::Aes128Gcm { key, iv },
            Self::Aes256Gcm => ConnectionTrafficSecrets::Aes256Gcm { key, iv },
            Self::ChaCha20Poly1305 => ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv },
        }
    }
}

/// A prepared key. Wiped on drop.
pub(super) struct Key(Box<dyn DynAead>);

impl Key {
    /// Prepares a key, which rustls cut to the cipher's length.
    pub(super) fn new(cipher: Cipher, key: &AeadKey) -> Self {
        Self(cipher.prepare(key.as_ref()).expect("a key of the cipher's length"))
    }

    /// Encrypts in place and returns the tag.
    pub(super) fn seal(
        &self,
        nonce: &[u8; NONCE_LEN],
        aad: &[u8],
        text: &mut [u8],
    ) -> Result<[u8; TAG_LEN], Error> {
        self.0.seal(nonce, aad, text).map_err(|_| Error::EncryptError)
    }

    /// Appends `text` and `suffix`, encrypted, and their tag to a record's payload.
    pub(super) fn seal_append(
        &self,
        nonce: &[u8; NONCE_LEN],
        aad: &[u8],
        text: &OutboundChunks<'_>,
        suffix: &[u8],
        payload: &mut PrefixedPayload,
    ) -> Result<(), Error> {
        let begin = payload.as_ref().len();
        match text {
            OutboundChunks::Single(text) if text.len() >= ONE_PASS => {
                payload.extend(std::iter::repeat_n(&0, text.len() + suffix.len() + TAG_LEN));
                let output = &mut payload.as_mut()[begin..];
                self.0.seal_to(nonce, aad, &[text, suffix], output).map_err(|_| Error::EncryptError)
            }
            _ => {
                payload.extend_from_chunks(text);
                payload.extend_from_slice(suffix);
                let tag = self.seal(nonce, aad, &mut payload.as_mut()[begin..])?;
                payload.extend_from_slice(&tag);
                Ok(())
            }
        }
    }

    /// Decrypts a text and its tag in place and returns the text. Fails if the tag is wrong, and wipes the
    /// text, or if there is no tag.
    pub(super) fn open<'a>(
        &self,
        nonce: &[u8; NONCE_LEN],
        aad: &[u8],
        sealed: &'a mut [u8],
    ) -> Result<&'a mut [u8], Error> {
        let (text, tag) = sealed.split_last_chunk_mut().ok_or(Error::DecryptError)?;
        self.0.open(nonce, aad, text, tag).map_err(|_| Error::DecryptError)?;
        Ok(text)
    }
}

/// What every nonce of a key is made from. Wiped on drop, which rustls' own type is not.
pub(super) struct NonceBase(Zeroizing<[u8; NONCE_LEN]>);

impl NonceBase {
    pub(super) fn new(iv: &Iv) -> Self {
        let mut base = Self(Zeroizing::default());
        base.0.copy_from_slice(iv.as_ref());
        base
    }

    /// The nonce of a record or packet (RFC 8446 §5.3).
    pub(super) fn nonce(&self, number: u64) -> [u8; NONCE_LEN] {
        self.nonce_on_path(0, number)
    }

    /// The nonce of a packet on one of several paths, each with packet numbers of its own
    /// (draft-ietf-quic-multipath).
    pub(super) fn nonce_on_path(&self, path: u32, number: u64) -> [u8; NONCE_LEN] {
        let mut nonce = *self.0;
        let number = u128::from(path) << 64 | u128::from(number);
        for (byte, number) in nonce.iter_mut().zip(&number.to_be_bytes()[size_of::<u128>() - NONCE_LEN..]) {
            *byte ^= number;
        }
        nonce
    }
}
