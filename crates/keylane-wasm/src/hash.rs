//! Hashes, HMAC, and what derives keys from them.

use crate::{Bytes, checked, count, error, messages, unknown};
use core::num::NonZeroU32;
use js_sys::Uint8Array;
use keylane::any::{AnyHash, AnyHmacKey, AnyPrk, HashKind};
use wasm_bindgen::prelude::*;

fn algorithm(name: &str) -> Result<HashKind, JsError> {
    HashKind::from_name(name).ok_or_else(|| unknown("hash", name, &HashKind::ALL.map(HashKind::name)))
}

/// Returns each digest of a batch.
fn arrays(digests: &Bytes, len: usize) -> Vec<Uint8Array> {
    digests.chunks_exact(len).map(Uint8Array::from).collect()
}

/// Returns the digest of `data`.
#[wasm_bindgen]
pub fn digest(
    #[wasm_bindgen(unchecked_param_type = "HashName")] hash: &str,
    #[wasm_bindgen(unchecked_param_type = "Uint8Array")] data: &JsValue,
) -> Result<Uint8Array, JsError> {
    let data = Bytes::of(checked(data, "data")?)?;
    Ok(Uint8Array::from(algorithm(hash)?.digest(&data).as_bytes()))
}

/// Returns the digests of messages, side by side in the lanes of vectors.
#[wasm_bindgen(js_name = digestMany)]
pub fn digest_many(
    #[wasm_bindgen(unchecked_param_type = "HashName")] hash: &str,
    #[wasm_bindgen(unchecked_param_type = "Uint8Array[]", js_name = messages)] list: &JsValue,
) -> Result<Vec<Uint8Array>, JsError> {
    let (hash, messages) = (algorithm(hash)?, messages(list)?);
    let mut digests = Bytes::zeros(messages.len() * hash.output_len())?;
    hash.digest_many(&messages, &mut digests).map_err(error)?;
    Ok(arrays(&digests, hash.output_len()))
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
    pub fn update(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] data: &JsValue,
    ) -> Result<(), JsError> {
        self.0.update(&Bytes::of(checked(data, "data")?)?);
        Ok(())
    }

    /// Returns the digest of what was absorbed so far. More can be absorbed after it.
    pub fn digest(&self) -> Uint8Array {
        Uint8Array::from(self.0.clone().finalize().as_bytes())
    }
}

/// Key of HMAC (RFC 2104), prepared once for any number of messages. `free()` wipes it.
#[wasm_bindgen]
pub struct HmacKey(AnyHmacKey);

#[wasm_bindgen]
impl HmacKey {
    /// Prepares a key of any length.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "HashName")] hash: &str,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] key: &JsValue,
    ) -> Result<HmacKey, JsError> {
        let (hash, key) = (algorithm(hash)?, Bytes::of(checked(key, "key")?)?);
        Ok(HmacKey(AnyHmacKey::new(hash, &key)))
    }

    /// Returns the tag of a message.
    pub fn mac(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] message: &JsValue,
    ) -> Result<Uint8Array, JsError> {
        let message = Bytes::of(checked(message, "message")?)?;
        Ok(Uint8Array::from(self.0.mac(&message).as_bytes()))
    }

    /// Returns the tags of messages, side by side in the lanes of vectors.
    #[wasm_bindgen(js_name = macMany)]
    pub fn mac_many(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array[]", js_name = messages)] list: &JsValue,
    ) -> Result<Vec<Uint8Array>, JsError> {
        let (messages, len) = (messages(list)?, self.0.algorithm().output_len());
        let mut tags = Bytes::zeros(messages.len() * len)?;
        self.0.mac_many(&messages, &mut tags).map_err(error)?;
        Ok(arrays(&tags, len))
    }

    /// Returns whether `tag` is the whole tag of the message, in constant time.
    pub fn verify(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] message: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] tag: &JsValue,
    ) -> Result<bool, JsError> {
        let (message, tag) = (checked(message, "message")?, checked(tag, "tag")?);
        Ok(self.0.verify(&Bytes::of(message)?, &Bytes::of(tag)?).is_ok())
    }

    /// Returns whether one of `tags` is the whole tag of the message, each compared in constant time.
    #[wasm_bindgen(js_name = verifyOneOf)]
    pub fn verify_one_of(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] message: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array[]", js_name = tags)] list: &JsValue,
    ) -> Result<bool, JsError> {
        let (message, tags) = (Bytes::of(checked(message, "message")?)?, messages(list)?);
        let tags: Vec<&[u8]> = tags.iter().map(AsRef::as_ref).collect();
        Ok(AnyHmacKey::verify_any([&self.0], &message, &tags).is_ok())
    }

    /// Returns whether `tag` is the beginning of the message's tag, 10 bytes or more, in constant time. The
    /// protocol must determine the length, not the sender: compare it first, or a forger will send 10 bytes.
    #[wasm_bindgen(js_name = verifyTruncated)]
    pub fn verify_truncated(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] message: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] tag: &JsValue,
    ) -> Result<bool, JsError> {
        let (message, tag) = (checked(message, "message")?, checked(tag, "tag")?);
        Ok(self.0.verify_truncated(&Bytes::of(message)?, &Bytes::of(tag)?).is_ok())
    }
}

/// Derives a key of `length` bytes from a password by PBKDF2-HMAC (RFC 8018 §5.2).
#[wasm_bindgen]
pub fn pbkdf2(
    #[wasm_bindgen(unchecked_param_type = "HashName")] hash: &str,
    #[wasm_bindgen(unchecked_param_type = "Uint8Array")] password: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "Uint8Array")] salt: &JsValue,
    iterations: f64,
    length: f64,
) -> Result<Uint8Array, JsError> {
    let (hash, password, salt) = (algorithm(hash)?, checked(password, "password")?, checked(salt, "salt")?);
    let iterations = NonZeroU32::new(count(iterations, "iterations")?).expect("positive");
    let mut key = Bytes::zeros(count(length, "length")? as usize)?;
    hash.pbkdf2(&Bytes::of(password)?, &Bytes::of(salt)?, iterations, &mut key).map_err(error)?;
    Ok(key.array())
}

/// Derives a key of `length` bytes, at most 255 digests, from key material by HKDF (RFC 5869).
#[wasm_bindgen]
pub fn hkdf(
    #[wasm_bindgen(unchecked_param_type = "HashName")] hash: &str,
    #[wasm_bindgen(unchecked_param_type = "Uint8Array")] material: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "Uint8Array")] salt: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "Uint8Array")] info: &JsValue,
    length: f64,
) -> Result<Uint8Array, JsError> {
    let (hash, material) = (algorithm(hash)?, checked(material, "material")?);
    let (salt, info) = (checked(salt, "salt")?, checked(info, "info")?);
    let length = count(length, "length")? as usize;
    if length > 255 * hash.output_len() {
        return Err(JsError::new("length must be at most 255 digests"));
    }
    let mut key = Bytes::zeros(length)?;
    let secret = AnyPrk::extract(hash, &Bytes::of(salt)?, &Bytes::of(material)?);
    secret.expand(&[&Bytes::of(info)?], &mut key).map_err(error)?;
    Ok(key.array())
}
