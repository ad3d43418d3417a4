//! Keys from secrets: HKDF for TLS 1.3 (RFC 8446 §7.1), the PRF for TLS 1.2 (RFC 5246 §5).
//!
//! rustls can build both from a boxed HMAC. These allocate less, and leave no secret behind: each is wiped.

use keylane::Hash;
use keylane::hkdf::Prk;
use keylane::hmac::HmacKey;
use keylane::sha2::{Sha256, Sha384};
use rustls::Error;
use rustls::crypto::tls13::{self, HkdfExpander, OkmBlock, OutputLengthError};
use rustls::crypto::{ActiveKeyExchange, hmac, tls12};
use rustls::version::TLS12;
use std::marker::PhantomData;
use zeroize::{Zeroize, Zeroizing};

pub(super) static HKDF_SHA256: Hkdf<Sha256> = Hkdf(PhantomData);
pub(super) static HKDF_SHA384: Hkdf<Sha384> = Hkdf(PhantomData);
pub(super) static PRF_SHA256: Prf<Sha256> = Prf(PhantomData);
pub(super) static PRF_SHA384: Prf<Sha384> = Prf(PhantomData);

pub(super) struct Hkdf<H>(PhantomData<fn() -> H>);

impl<H: Hash> tls13::Hkdf for Hkdf<H> {
    fn extract_from_zero_ikm(&self, salt: Option<&[u8]>) -> Box<dyn HkdfExpander> {
        const ZEROS: &[u8] = &[0; OkmBlock::MAX_LEN];
        self.extract_from_secret(salt, &ZEROS[..H::OUTPUT_LEN])
    }

    fn extract_from_secret(&self, salt: Option<&[u8]>, secret: &[u8]) -> Box<dyn HkdfExpander> {
        Box::new(Expander(Prk::<H>::extract(salt.unwrap_or_default(), secret)))
    }

    fn expander_for_okm(&self, okm: &OkmBlock) -> Box<dyn HkdfExpander> {
        Box::new(Expander(Prk::<H>::from_bytes(okm.as_ref()).expect("one digest long")))
    }

    fn hmac_sign(&self, key: &OkmBlock, message: &[u8]) -> hmac::Tag {
        hmac::Tag::new(HmacKey::<H>::new(key.as_ref()).mac(message).as_ref())
    }
}

struct Expander<H: Hash>(Prk<H>);

impl<H: Hash> HkdfExpander for Expander<H> {
    fn expand_slice(&self, info: &[&[u8]], output: &mut [u8]) -> Result<(), OutputLengthError> {
        self.0.expand(info, output).map_err(|_| OutputLengthError)
    }

    fn expand_block(&self, info: &[&[u8]]) -> OkmBlock {
        let mut block = Zeroizing::new([0; OkmBlock::MAX_LEN]);
        let block = &mut block[..H::OUTPUT_LEN];
        self.0.expand(info, block).expect("one digest of 255");
        OkmBlock::new(block)
    }

    fn hash_len(&self) -> usize {
        H::OUTPUT_LEN
    }
}

pub(super) struct Prf<H>(PhantomData<fn() -> H>);

impl<H: Hash> tls12::Prf for Prf<H> {
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

    fn for_secret(&self, output: &mut [u8], secret: &[u8], label: &[u8], seed: &[u8]) {
        expand::<H>(output, secret, label, seed);
    }
}

/// P_hash with the seed `label` and `seed` (RFC 5246 §5).
fn expand<H: Hash>(output: &mut [u8], secret: &[u8], label: &[u8], seed: &[u8]) {
    let key = HmacKey::<H>::new(secret);
    // A(1), A(2), … of the RFC.
    let mut chain = key.mac_parts(&[label, seed]);
    for (i, output) in output.chunks_mut(H::OUTPUT_LEN).enumerate() {
        if i > 0 {
            let mut next = key.mac(chain.as_ref());
            chain.as_mut().copy_from_slice(next.as_ref());
            next.as_mut().zeroize();
        }
        let mut block = key.mac_parts(&[chain.as_ref(), label, seed]);
        output.copy_from_slice(&block.as_ref()[..output.len()]);
        block.as_mut().zeroize();
    }
    chain.as_mut().zeroize();
}
