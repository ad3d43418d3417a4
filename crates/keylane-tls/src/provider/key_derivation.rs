//! Keys from secrets: HKDF for TLS 1.3 (RFC 8446 §7.1), the PRF for TLS 1.2 (RFC 5246 §5).
//!
//! rustls can build both from a boxed HMAC. These allocate less and wipe all secrets.

use super::hash::Hash;
use keylane::any::{AnyHmacKey, AnyPrk};
use rustls::Error;
use rustls::crypto::tls13::{self, HkdfExpander, OkmBlock, OutputLengthError};
use rustls::crypto::{ActiveKeyExchange, hmac, tls12};
use rustls::version::TLS12;
use zeroize::Zeroizing;

impl tls13::Hkdf for Hash {
    fn extract_from_zero_ikm(&self, salt: Option<&[u8]>) -> Box<dyn HkdfExpander> {
        const ZEROS: &[u8] = &[0; OkmBlock::MAX_LEN];
        self.extract_from_secret(salt, &ZEROS[..self.0.output_len()])
    }

    fn extract_from_secret(&self, salt: Option<&[u8]>, secret: &[u8]) -> Box<dyn HkdfExpander> {
        Box::new(Expander(AnyPrk::extract(self.0, salt.unwrap_or_default(), secret)))
    }

    fn expander_for_okm(&self, okm: &OkmBlock) -> Box<dyn HkdfExpander> {
        Box::new(Expander(AnyPrk::from_bytes(self.0, okm.as_ref()).expect("one digest long")))
    }

    fn hmac_sign(&self, key: &OkmBlock, message: &[u8]) -> hmac::Tag {
        hmac::Tag::new(AnyHmacKey::new(self.0, key.as_ref()).mac(message).as_bytes())
    }
}

struct Expander(AnyPrk);

impl HkdfExpander for Expander {
    fn expand_slice(&self, info: &[&[u8]], output: &mut [u8]) -> Result<(), OutputLengthError> {
        self.0.expand(info, output).map_err(|_| OutputLengthError)
    }

    fn expand_block(&self, info: &[&[u8]]) -> OkmBlock {
        let mut block = Zeroizing::new([0; OkmBlock::MAX_LEN]);
        let block = &mut block[..self.hash_len()];
        self.0.expand(info, block).expect("one digest of 255");
        OkmBlock::new(block)
    }

    fn hash_len(&self) -> usize {
        self.0.algorithm().output_len()
    }
}

impl tls12::Prf for Hash {
    fn for_key_exchange(
        &self,
        output: &mut [u8; 48],
        key_exchange: Box<dyn ActiveKeyExchange>,
        peer_public_key: &[u8],
        label: &[u8],
        seed: &[u8],
    ) -> Result<(), Error> {
        let secret = key_exchange.complete_for_tls_version(peer_public_key, &TLS12)?;
        self.for_secret(output, secret.secret_bytes(), label, seed);
        Ok(())
    }

    /// P_hash with the seed `label` and `seed` (RFC 5246 §5).
    fn for_secret(&self, output: &mut [u8], secret: &[u8], label: &[u8], seed: &[u8]) {
        let key = AnyHmacKey::new(self.0, secret);
        // The RFC's A(1), A(2), …
        let mut chain = key.mac_parts(&[label, seed]);
        for output in output.chunks_mut(self.0.output_len()) {
            let block = key.mac_parts(&[chain.as_bytes(), label, seed]);
            output.copy_from_slice(&block.as_bytes()[..output.len()]);
            chain = key.mac(chain.as_bytes());
        }
    }
}
