//! Packets of QUIC (RFC 9001 §5).

use super::aead::{Key, NonceBase, TAG_LEN};
use crate::record::Cipher;
use keylane::aes::Aes;
use keylane::chacha20::ChaCha20;
use keylane_cpu::constant_time::declassify;
use rustls::Error;
use rustls::crypto::cipher::{AeadKey, Iv, NONCE_LEN};
use rustls::quic;
use zeroize::Zeroizing;

impl quic::Algorithm for Cipher {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn quic::PacketKey> {
        Box::new(PacketKey { algorithm: *self, key: Key::new(*self, &key), nonces: NonceBase::new(&iv) })
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn quic::HeaderProtectionKey> {
        const CUT: &str = "a key of the cipher's length";
        let key = key.as_ref();
        match self {
            Self::Aes128Gcm | Self::Aes256Gcm => Box::new(HeaderKey(Aes::from_slice(key).expect(CUT))),
            Self::ChaCha20Poly1305 => {
                Box::new(HeaderKey(Zeroizing::<[u8; 32]>::new(key.try_into().expect(CUT))))
            }
        }
    }

    fn aead_key_len(&self) -> usize {
        self.key_len()
    }
}

/// Protects what packets hold (§5.3).
struct PacketKey {
    algorithm: Cipher,
    key: Key,
    nonces: NonceBase,
}

impl PacketKey {
    fn seal(&self, nonce: [u8; NONCE_LEN], header: &[u8], payload: &mut [u8]) -> Result<quic::Tag, Error> {
        let tag = self.key.seal(&nonce, header, payload)?;
        Ok(quic::Tag::from(&tag[..]))
    }

    fn open<'a>(
        &self,
        nonce: [u8; NONCE_LEN],
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        let text = self.key.open(&nonce, header, payload)?;
        Ok(text)
    }
}

impl quic::PacketKey for PacketKey {
    fn encrypt_in_place(
        &self,
        packet_number: u64,
        header: &[u8],
        payload: &mut [u8],
    ) -> Result<quic::Tag, Error> {
        self.seal(self.nonces.nonce(packet_number), header, payload)
    }

    fn encrypt_in_place_for_path(
        &self,
        path_id: u32,
        packet_number: u64,
        header: &[u8],
        payload: &mut [u8],
    ) -> Result<quic::Tag, Error> {
        self.seal(self.nonces.nonce_on_path(path_id, packet_number), header, payload)
    }

    fn decrypt_in_place<'a>(
        &self,
        packet_number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        self.open(self.nonces.nonce(packet_number), header, payload)
    }

    fn decrypt_in_place_for_path<'a>(
        &self,
        path_id: u32,
        packet_number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        self.open(self.nonces.nonce_on_path(path_id, packet_number), header, payload)
    }

    fn tag_len(&self) -> usize {
        TAG_LEN
    }

    /// RFC 9001 §6.6.
    fn confidentiality_limit(&self) -> u64 {
        match self.algorithm {
            Cipher::Aes128Gcm | Cipher::Aes256Gcm => 1 << 23,
            // More than there are packet numbers.
            Cipher::ChaCha20Poly1305 => u64::MAX,
        }
    }

    /// RFC 9001 §6.6.
    fn integrity_limit(&self) -> u64 {
        match self.algorithm {
            Cipher::Aes128Gcm | Cipher::Aes256Gcm => 1 << 52,
            Cipher::ChaCha20Poly1305 => 1 << 36,
        }
    }
}

/// The length of a sample of the packet's ciphertext: a block of AES, or a counter and a nonce of ChaCha20.
const SAMPLE_LEN: usize = 16;

/// The bytes of a mask: one for the header's first byte, the others for the packet number.
const MASK_LEN: usize = 5;

/// A key that makes masks for headers. Wiped on drop.
trait Masks: Send + Sync {
    fn mask(&self, sample: &[u8; SAMPLE_LEN]) -> [u8; MASK_LEN];
}

impl Masks for Aes {
    /// §5.4.3.
    fn mask(&self, sample: &[u8; SAMPLE_LEN]) -> [u8; MASK_LEN] {
        let mut block = [*sample];
        self.encrypt_blocks(&mut block);
        let [[mask @ .., _, _, _, _, _, _, _, _, _, _, _]] = block;
        mask
    }
}

impl Masks for Zeroizing<[u8; 32]> {
    /// §5.4.4.
    fn mask(&self, sample: &[u8; SAMPLE_LEN]) -> [u8; MASK_LEN] {
        let [c0, c1, c2, c3, nonce @ ..] = sample;
        let block = u64::from(u32::from_le_bytes([*c0, *c1, *c2, *c3]));
        let mut mask = [0; MASK_LEN];
        let mut stream = ChaCha20::new(self, nonce);
        // The counter has 32 bits: no block that it can name is beyond the end of the key stream.
        stream.seek(64 * block).and_then(|()| stream.xor_keystream(&mut mask)).expect("a block");
        mask
    }
}

/// Protects headers (§5.4).
struct HeaderKey<M>(M);

impl<M: Masks> HeaderKey<M> {
    /// Changes nothing if it fails. `unprotected` returns the first byte without its protection, from the
    /// byte as it is and the mask: it holds the length of the packet number.
    fn apply(
        &self,
        sample: &[u8],
        first: &mut u8,
        packet_number: &mut [u8],
        unprotected: impl FnOnce(u8, u8) -> u8,
    ) -> Result<(), Error> {
        let sample = sample.try_into().map_err(|_| Error::General("sample of invalid length".into()))?;
        if packet_number.len() >= MASK_LEN {
            return Err(Error::General("packet number too long".into()));
        }
        let [first_mask, number_mask @ ..] = self.0.mask(sample);
        // A long header has its highest bit set, and four bits that are protected; a short one five (§5.4.1).
        let first_mask = first_mask & if *first & 0x80 == 0 { 0x1f } else { 0x0f };
        let number_len = usize::from(declassify(unprotected(*first, first_mask) & 0x03)) + 1;
        *first ^= first_mask;
        for (byte, mask) in packet_number.iter_mut().zip(number_mask).take(number_len) {
            *byte ^= mask;
        }
        Ok(())
    }
}

impl<M: Masks> quic::HeaderProtectionKey for HeaderKey<M> {
    fn encrypt_in_place(&self, sample: &[u8], first: &mut u8, packet_number: &mut [u8]) -> Result<(), Error> {
        self.apply(sample, first, packet_number, |first, _| first)
    }

    fn decrypt_in_place(&self, sample: &[u8], first: &mut u8, packet_number: &mut [u8]) -> Result<(), Error> {
        self.apply(sample, first, packet_number, |first, mask| first ^ mask)
    }

    fn sample_len(&self) -> usize {
        SAMPLE_LEN
    }
}
