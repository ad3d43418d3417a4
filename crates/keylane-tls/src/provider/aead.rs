//! The ciphers, as rustls calls them.

use crate::record::{self, Cipher, NonceBase, TAG_LEN};
use rustls::crypto::cipher::{AeadKey, Iv, NONCE_LEN, OutboundChunks, PrefixedPayload};
use rustls::{ConnectionTrafficSecrets, Error};

/// Texts of at least this length are sealed straight into the record; shorter ones are copied and sealed in
/// place. rustls' buffer has to be filled first, with the text or with zeros.
const ONE_PASS: usize = 8192;

impl Cipher {
    /// Returns the key for another record layer than rustls'.
    pub(super) fn traffic_secrets(self, key: AeadKey, iv: Iv) -> ConnectionTrafficSecrets {
        match self {
            Self::Aes128Gcm => ConnectionTrafficSecrets::Aes128Gcm { key, iv },
            Self::Aes256Gcm => ConnectionTrafficSecrets::Aes256Gcm { key, iv },
            Self::ChaCha20Poly1305 => ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv },
        }
    }
}

/// A key, prepared when it is first used: a connection that hands its secrets over never uses its last keys.
/// Wiped on drop.
pub(super) struct Key(record::Key);

impl Key {
    /// Stores a key, which has the cipher's length.
    pub(super) fn new(cipher: Cipher, key: &AeadKey) -> Self {
        Self(record::Key::new(cipher, key.as_ref()).expect("a key of the cipher's length"))
    }

    /// Encrypts in place and returns the tag.
    pub(super) fn seal(
        &mut self,
        nonce: &[u8; NONCE_LEN],
        aad: &[u8],
        text: &mut [u8],
    ) -> Result<[u8; TAG_LEN], Error> {
        self.0.aead().seal(nonce, aad, text).map_err(|_| Error::EncryptError)
    }

    /// Appends `text` and `suffix`, encrypted, and their tag to a record's payload.
    pub(super) fn seal_append(
        &mut self,
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
                self.0.aead().seal_to(nonce, aad, &[text, suffix], output).map_err(|_| Error::EncryptError)
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

    /// Decrypts a text and its tag in place and returns the text. Fails if there is no tag, or if the tag is
    /// wrong; then the text is wiped.
    pub(super) fn open<'a>(
        &mut self,
        nonce: &[u8; NONCE_LEN],
        aad: &[u8],
        sealed: &'a mut [u8],
    ) -> Result<&'a mut [u8], Error> {
        let (text, tag) = sealed.split_last_chunk_mut().ok_or(Error::DecryptError)?;
        self.0.aead().open(nonce, aad, text, tag).map_err(|_| Error::DecryptError)?;
        Ok(text)
    }
}

/// Returns the IV from which each nonce is made, in a type that is wiped, unlike rustls' own.
pub(super) fn nonces(iv: &Iv) -> NonceBase {
    NonceBase::new(iv.as_ref().try_into().expect("an IV of 12 bytes"))
}
