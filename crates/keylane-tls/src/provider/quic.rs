//! QUIC's packet protection (RFC 9001 §5.3, §5.4).

use super::aead::nonces;
use crate::record::{Cipher, NonceBase, TAG_LEN};
use keylane::aes::Aes;
use keylane::any::AnyAead;
use keylane::chacha20::ChaCha20;
use keylane_cpu::constant_time::declassify;
use rustls::Error;
use rustls::crypto::cipher::{AeadKey, Iv};
use rustls::quic;
use zeroize::Zeroizing;

const SAMPLE_LEN: usize = 16;
/// One byte for the header's first byte, four for the packet number.
const MASK_LEN: usize = 5;
const CUT: &str = "a key of the cipher's length";

impl quic::Algorithm for Cipher {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn quic::PacketKey> {
        let aead = Box::new(AnyAead::from_slice(self.kind(), key.as_ref()).expect(CUT));
        Box::new(PacketKey { cipher: *self, aead, nonces: nonces(&iv) })
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn quic::HeaderProtectionKey> {
        let key = key.as_ref();
        Box::new(match self {
            Self::Aes128Gcm | Self::Aes256Gcm => HeaderKey::Aes(Box::new(Aes::from_slice(key).expect(CUT))),
            Self::ChaCha20Poly1305 => {
                let mut copy = Box::new(Zeroizing::new([0; 32]));
                copy.copy_from_slice(key);
                HeaderKey::ChaCha20(copy)
            }
        })
    }

    fn aead_key_len(&self) -> usize {
        self.key_len()
    }
}

/// A key for packets' contents. Wiped on drop.
struct PacketKey {
    cipher: Cipher,
    /// Boxed, since its alignment would leave unwiped bytes between the fields.
    aead: Box<AnyAead>,
    nonces: NonceBase,
}

impl quic::PacketKey for PacketKey {
    fn encrypt_in_place(&self, number: u64, header: &[u8], payload: &mut [u8]) -> Result<quic::Tag, Error> {
        self.encrypt_in_place_for_path(0, number, header, payload)
    }

    fn encrypt_in_place_for_path(
        &self,
        path: u32,
        number: u64,
        header: &[u8],
        payload: &mut [u8],
    ) -> Result<quic::Tag, Error> {
        let sealed = self.aead.seal(&self.nonces.nonce_on_path(path, number), header, payload);
        Ok(quic::Tag::from(&sealed.map_err(|_| Error::EncryptError)?[..]))
    }

    fn decrypt_in_place<'a>(
        &self,
        number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        self.decrypt_in_place_for_path(0, number, header, payload)
    }

    fn decrypt_in_place_for_path<'a>(
        &self,
        path: u32,
        number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        let (text, tag) = payload.split_last_chunk_mut().ok_or(Error::DecryptError)?;
        let nonce = self.nonces.nonce_on_path(path, number);
        self.aead.open(&nonce, header, text, tag).map_err(|_| Error::DecryptError)?;
        Ok(text)
    }

    fn tag_len(&self) -> usize {
        TAG_LEN
    }

    /// Returns the maximum number of packets that the key may seal (§6.6).
    fn confidentiality_limit(&self) -> u64 {
        match self.cipher {
            Cipher::Aes128Gcm | Cipher::Aes256Gcm => 1 << 23,
            // More than there are packet numbers.
            Cipher::ChaCha20Poly1305 => u64::MAX,
        }
    }

    /// Returns the number of packets that may fail to open before the connection has to end (§6.6).
    fn integrity_limit(&self) -> u64 {
        match self.cipher {
            Cipher::Aes128Gcm | Cipher::Aes256Gcm => 1 << 52,
            Cipher::ChaCha20Poly1305 => 1 << 36,
        }
    }
}

/// A key for headers. Wiped on drop.
enum HeaderKey {
    Aes(Box<Aes>),
    ChaCha20(Box<Zeroizing<[u8; 32]>>),
}

impl HeaderKey {
    /// Returns the mask for a header, from a sample of the packet's ciphertext (§5.4.3, §5.4.4).
    fn mask(&self, sample: &[u8; SAMPLE_LEN]) -> [u8; MASK_LEN] {
        let mut mask = [0; MASK_LEN];
        match self {
            Self::Aes(key) => {
                let mut block = [*sample];
                key.encrypt_blocks(&mut block);
                mask.copy_from_slice(&block[0][..MASK_LEN]);
            }
            Self::ChaCha20(key) => {
                let [c0, c1, c2, c3, nonce @ ..] = sample;
                let mut stream = ChaCha20::new(key, nonce);
                let begin = 64 * u64::from(u32::from_le_bytes([*c0, *c1, *c2, *c3]));
                stream
                    .seek(begin)
                    .and_then(|()| stream.xor_keystream(&mut mask))
                    .expect("within 2^32 blocks");
            }
        }
        mask
    }

    /// Protects a header or removes its protection (§5.4.1). `unprotected` returns the unprotected first
    /// byte, which has the packet number's length, from the byte as it is and the mask.
    fn apply(
        &self,
        sample: &[u8],
        first: &mut u8,
        number: &mut [u8],
        unprotected: impl FnOnce(u8, u8) -> u8,
    ) -> Result<(), Error> {
        let sample = sample.try_into().map_err(|_| Error::General("sample of invalid length".into()))?;
        if number.len() >= MASK_LEN {
            return Err(Error::General("packet number too long".into()));
        }
        let [first_mask, number_mask @ ..] = self.mask(sample);
        // A long header has its highest bit set, and four bits that are protected; a short one five.
        let first_mask = first_mask & if *first & 0x80 == 0 { 0x1f } else { 0x0f };
        let number_len = usize::from(declassify(unprotected(*first, first_mask) & 0x03)) + 1;
        *first ^= first_mask;
        for (byte, mask) in number.iter_mut().zip(number_mask).take(number_len) {
            *byte ^= mask;
        }
        Ok(())
    }
}

impl quic::HeaderProtectionKey for HeaderKey {
    fn encrypt_in_place(&self, sample: &[u8], first: &mut u8, number: &mut [u8]) -> Result<(), Error> {
        self.apply(sample, first, number, |first, _| first)
    }

    fn decrypt_in_place(&self, sample: &[u8], first: &mut u8, number: &mut [u8]) -> Result<(), Error> {
        self.apply(sample, first, number, |first, mask| first ^ mask)
    }

    fn sample_len(&self) -> usize {
        SAMPLE_LEN
    }
}
