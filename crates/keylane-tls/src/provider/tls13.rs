//! Records of TLS 1.3 (RFC 8446 §5.2).

use super::aead::{Key, nonces};
use crate::record::{Cipher, NonceBase, TAG_LEN};
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, MessageDecrypter, MessageEncrypter,
    OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls13AeadAlgorithm,
    UnsupportedOperationError, make_tls13_aad,
};
use rustls::{ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion};

impl Tls13AeadAlgorithm for Cipher {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        Box::new(Records { key: Key::new(*self, &key), nonces: nonces(&iv) })
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        Box::new(Records { key: Key::new(*self, &key), nonces: nonces(&iv) })
    }

    fn key_len(&self) -> usize {
        (*self).key_len()
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        iv: Iv,
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(self.traffic_secrets(key, iv))
    }
}

/// The records of one direction, under one key.
struct Records {
    key: Key,
    nonces: NonceBase,
}

impl MessageEncrypter for Records {
    fn encrypt(
        &mut self,
        message: OutboundPlainMessage<'_>,
        sequence_number: u64,
    ) -> Result<OutboundOpaqueMessage, Error> {
        let sealed_len = self.encrypted_payload_len(message.payload.len());
        let mut payload = PrefixedPayload::with_capacity(sealed_len);
        let (nonce, aad) = (self.nonces.nonce(sequence_number), make_tls13_aad(sealed_len));
        self.key.seal_append(&nonce, &aad, &message.payload, &[message.typ.into()], &mut payload)?;
        // The header is the same for all records; the type is inside (§5.1, §5.2).
        Ok(OutboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + size_of::<u8>() + TAG_LEN
    }
}

impl MessageDecrypter for Records {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        sequence_number: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let payload = &mut message.payload;
        let nonce = self.nonces.nonce(sequence_number);
        let text_len = self.key.open(&nonce, &make_tls13_aad(payload.len()), payload)?.len();
        payload.truncate(text_len);
        message.into_tls13_unpadded_message()
    }
}
