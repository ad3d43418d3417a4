//! QUIC's packet protection for rustls: [`crate::quic`], one packet at a time.

use crate::quic::{HeaderKey, MASK_LEN, PacketKey, SAMPLE_LEN, protect_header, unprotect_header};
use crate::record::{Cipher, TAG_LEN};
use rustls::Error;
use rustls::crypto::cipher::{AeadKey, Iv};
use rustls::quic;

const CUT: &str = "a key of the cipher's length";

impl quic::Algorithm for Cipher {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn quic::PacketKey> {
        let iv = iv.as_ref().try_into().expect("an IV of 12 bytes");
        Box::new(PacketKey::new(*self, key.as_ref(), iv).expect(CUT))
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn quic::HeaderProtectionKey> {
        Box::new(HeaderKey::new(*self, key.as_ref()).expect(CUT))
    }

    fn aead_key_len(&self) -> usize {
        self.key_len()
    }
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
        let tag = self.seal_on_path(path, number, header, payload).map_err(|_| Error::EncryptError)?;
        Ok(quic::Tag::from(&tag[..]))
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
        self.open_on_path(path, number, header, text, tag).map_err(|_| Error::DecryptError)?;
        Ok(text)
    }

    fn tag_len(&self) -> usize {
        TAG_LEN
    }

    fn confidentiality_limit(&self) -> u64 {
        self.confidentiality_limit()
    }

    fn integrity_limit(&self) -> u64 {
        self.integrity_limit()
    }
}

/// Returns the mask for a header, whose packet number may have some of these bytes.
fn mask(key: &HeaderKey, sample: &[u8], number: &[u8]) -> Result<[u8; MASK_LEN], Error> {
    let sample = sample.try_into().map_err(|_| Error::General("sample of invalid length".into()))?;
    if number.len() >= MASK_LEN {
        return Err(Error::General("packet number too long".into()));
    }
    Ok(key.mask(sample))
}

impl quic::HeaderProtectionKey for HeaderKey {
    fn encrypt_in_place(&self, sample: &[u8], first: &mut u8, number: &mut [u8]) -> Result<(), Error> {
        protect_header(&mask(self, sample, number)?, first, number);
        Ok(())
    }

    fn decrypt_in_place(&self, sample: &[u8], first: &mut u8, number: &mut [u8]) -> Result<(), Error> {
        unprotect_header(&mask(self, sample, number)?, first, number);
        Ok(())
    }

    fn sample_len(&self) -> usize {
        SAMPLE_LEN
    }
}
