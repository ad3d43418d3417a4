//! Hashes, HMAC, and what derives keys from them.

use crate::{Bytes, error, filled};
use core::num::NonZeroU32;
use js_sys::Uint8Array;
use keylane::hash::{Algorithm, AnyHash, AnyHmacKey, AnyPrk};
use wasm_bindgen::prelude::*;

fn algorithm(name: &str) -> Result<Algorithm, JsError> {
    Algorithm::from_name(name).ok_or_else(|| JsError::new(&format!("no hash is named {name}")))
}

fn array(bytes: &[u8]) -> Uint8Array {
    Uint8Array::from(bytes)
}

/// Returns the digest of `data`.
#[wasm_bindgen]
pub fn digest(
    #[wasm_bindgen(unchecked_param_type = "HashName")] hash: &str,
    data: &Uint8Array,
) -> Result<Uint8Array, JsError> {
    Ok(array(algorithm(hash)?.digest(&Bytes::of(data)).as_bytes()))
}

/// Returns the digests of messages, side by side in the lanes of vectors.
#[wasm_bindgen(js_name = digestMany)]
pub fn digest_many(
    #[wasm_bindgen(unchecked_param_type = "HashName")] hash: &str,
    messages: Vec<Uint8Array>,
) -> Result<Vec<Uint8Array>, JsError> {
    let hash = algorithm(hash)?;
    let messages: Vec<Bytes> = messages.iter().map(Bytes::of).collect();
    let mut digests = vec![0; messages.len() * hash.output_len()];
    hash.digest_many(&messages, &mut digests).map_err(error)?;
    Ok(digests.chunks_exact(hash.output_len()).map(array).collect())
}

/// Hash of data that arrives in pieces.
#[wasm_bindgen]
pub struct Hash(AnyHash);

#[wasm_bindgen]
impl Hash {
    /// Returns a hash that has absorbed nothing.
    #[wasm_bindgen(constructor)]
    pub fn new(#[wasm_bindgen(unchecked_param_type = "HashName")] hash: &str) -> Result<Hash, JsError> {
        Ok(Hash(AnyHash::new(algorithm(hash)?)))
    }

    /// Absorbs `data`.
    pub fn update(&mut self, data: &Uint8Array) {
        self.0.update(&Bytes::of(data));
    }

    /// Returns the digest of what was absorbed so far. More can be absorbed after it.
    pub fn digest(&self) -> Uint8Array {
        array(self.0.clone().finalize().as_bytes())
    }
}

/// Key of HMAC (RFC 2104), prepared once for any number of messages. `free()` wipes it.
#[wasm_bindgen]
pub struct HmacKey {
    key: AnyHmacKey,
    len: usize,
}

#[wasm_bindgen]
impl HmacKey {
    /// Prepares a key of any length.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "HashName")] hash: &str,
        key: &Uint8Array,
    ) -> Result<HmacKey, JsError> {
        let hash = algorithm(hash)?;
        Ok(HmacKey { key: AnyHmacKey::new(hash, &Bytes::of(key)), len: hash.output_len() })
    }

    /// Returns the tag of a message.
    pub fn mac(&self, message: &Uint8Array) -> Uint8Array {
        array(self.key.mac(&Bytes::of(message)).as_bytes())
    }

    /// Returns the tags of messages, side by side in the lanes of vectors.
    #[wasm_bindgen(js_name = macMany)]
    pub fn mac_many(&self, messages: Vec<Uint8Array>) -> Result<Vec<Uint8Array>, JsError> {
        let messages: Vec<Bytes> = messages.iter().map(Bytes::of).collect();
        let mut tags = vec![0; messages.len() * self.len];
        self.key.mac_many(&messages, &mut tags).map_err(error)?;
        Ok(tags.chunks_exact(self.len).map(array).collect())
    }

    /// Returns whether `tag` is the whole tag of the message, in constant time.
    pub fn verify(&self, message: &Uint8Array, tag: &Uint8Array) -> bool {
        self.key.verify(&Bytes::of(message), &Bytes::of(tag)).is_ok()
    }
}

/// Derives a key of `length` bytes from a password by PBKDF2-HMAC (RFC 8018 §5.2).
#[wasm_bindgen]
pub fn pbkdf2(
    #[wasm_bindgen(unchecked_param_type = "HashName")] hash: &str,
    password: &Uint8Array,
    salt: &Uint8Array,
    iterations: u32,
    length: u32,
) -> Result<Uint8Array, JsError> {
    let iterations =
        NonZeroU32::new(iterations).ok_or_else(|| JsError::new("PBKDF2 needs one iteration or more"))?;
    let hash = algorithm(hash)?;
    filled(length, |key| hash.pbkdf2(&Bytes::of(password), &Bytes::of(salt), iterations, key))
}

/// Derives a key of `length` bytes, at most 255 digests, from key material by HKDF (RFC 5869).
#[wasm_bindgen]
pub fn hkdf(
    #[wasm_bindgen(unchecked_param_type = "HashName")] hash: &str,
    material: &Uint8Array,
    salt: &Uint8Array,
    info: &Uint8Array,
    length: u32,
) -> Result<Uint8Array, JsError> {
    let key = AnyPrk::extract(algorithm(hash)?, &Bytes::of(salt), &Bytes::of(material));
    filled(length, |out| key.expand(&[&Bytes::of(info)], out))
}
