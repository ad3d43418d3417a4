//! Records of TLS 1.2: AES-GCM (RFC 5288 §3) and ChaCha20-Poly1305 (RFC 7905 §2).

use super::aead::{Key, nonces};
use crate::record::{Cipher, MAX_PLAINTEXT_LEN, NonceBase, TAG_LEN};
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, KeyBlockShape, MessageDecrypter,
    MessageEncrypter, NONCE_LEN, OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload,
    Tls12AeadAlgorithm, UnsupportedOperationError, make_tls12_aad,
};
use rustls::{ConnectionTrafficSecrets, Error};

impl Tls12AeadAlgorithm for Cipher {
    fn encrypter(&self, key: AeadKey, fixed_iv: &[u8], explicit: &[u8]) -> Box<dyn MessageEncrypter> {
        Box::new(Records {
            key: Key::new(*self, &key),
            nonces: nonces(&joined(fixed_iv, explicit)),
            explicit_nonce_len: self.explicit_nonce_len(),
        })
    }

    fn decrypter(&self, key: AeadKey, fixed_iv: &[u8]) -> Box<dyn MessageDecrypter> {
        let explicit_nonce_len = self.explicit_nonce_len();
        Box::new(Records {
            key: Key::new(*self, &key),
            // The second part comes with each record.
            nonces: nonces(&joined(fixed_iv, &[0; NONCE_LEN][..explicit_nonce_len])),
            explicit_nonce_len,
        })
    }

    fn key_block_shape(&self) -> KeyBlockShape {
        let explicit_nonce_len = self.explicit_nonce_len();
        KeyBlockShape {
            enc_key_len: self.key_len(),
            fixed_iv_len: NONCE_LEN - explicit_nonce_len,
            explicit_nonce_len,
        }
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        fixed_iv: &[u8],
        explicit: &[u8],
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(self.traffic_secrets(key, joined(fixed_iv, explicit)))
    }
}

/// The fixed part of the nonce, and the explicit part, which may be empty.
fn joined(fixed_iv: &[u8], explicit: &[u8]) -> Iv {
    let mut iv = [0; NONCE_LEN];
    let (head, tail) = iv.split_at_mut(fixed_iv.len());
    head.copy_from_slice(fixed_iv);
    tail.copy_from_slice(explicit);
    Iv::new(iv)
}

/// The records of one direction, under one key.
struct Records {
    key: Key,
    nonces: NonceBase,
    explicit_nonce_len: usize,
}

impl MessageEncrypter for Records {
    fn encrypt(
        &mut self,
        message: OutboundPlainMessage<'_>,
        sequence_number: u64,
    ) -> Result<OutboundOpaqueMessage, Error> {
        let OutboundPlainMessage { typ, version, payload: text } = message;
        let mut payload = PrefixedPayload::with_capacity(self.encrypted_payload_len(text.len()));
        // As in TLS 1.3, the nonce comes from the record's number and never repeats.
        let nonce = self.nonces.nonce(sequence_number);
        payload.extend_from_slice(&nonce[NONCE_LEN - self.explicit_nonce_len..]);
        let aad = make_tls12_aad(sequence_number, typ, version, text.len());
        self.key.seal_append(&nonce, &aad, &text, &[], &mut payload)?;
        Ok(OutboundOpaqueMessage::new(typ, version, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        self.explicit_nonce_len + payload_len + TAG_LEN
    }
}

impl MessageDecrypter for Records {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        sequence_number: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let begin = self.explicit_nonce_len;
        let text_len = message.payload.len().checked_sub(begin + TAG_LEN).ok_or(Error::DecryptError)?;
        let (explicit, sealed) = message.payload.split_at_mut(begin);
        let mut nonce = self.nonces.nonce(sequence_number);
        nonce[NONCE_LEN - begin..].copy_from_slice(explicit);
        let aad = make_tls12_aad(sequence_number, message.typ, message.version, text_len);
        self.key.open(&nonce, &aad, sealed)?;
        if text_len > MAX_PLAINTEXT_LEN {
            return Err(Error::PeerSentOversizedRecord);
        }
        Ok(message.into_plain_message_range(begin..begin + text_len))
    }
}
