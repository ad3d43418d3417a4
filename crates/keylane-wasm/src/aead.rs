//! Authenticated encryption.

use crate::{Bytes, checked, error, unknown};
use js_sys::Uint8Array;
use keylane::any::{AeadKind, AnyAead};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The random numbers of the browser and of Node.js.
    #[wasm_bindgen(catch, js_namespace = crypto, js_name = getRandomValues)]
    fn random(bytes: &Uint8Array) -> Result<JsValue, JsValue>;
}

/// Key of an AEAD: it encrypts and authenticates a text, and authenticates additional data. `free()` wipes it.
#[wasm_bindgen]
pub struct Aead(AnyAead);

/// Returns the additional data: none if there is no such argument.
fn additional(aad: &JsValue) -> Result<Uint8Array, JsError> {
    if aad.is_undefined() || aad.is_null() { Ok(Uint8Array::default()) } else { checked(aad, "aad").cloned() }
}

#[wasm_bindgen]
impl Aead {
    /// Prepares a key. Throws if it does not have the AEAD's length.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "AeadName")] name: &str,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] key: &JsValue,
    ) -> Result<Aead, JsError> {
        let key = Bytes::of(checked(key, "key")?)?;
        let kind = AeadKind::from_name(name);
        let kind = kind.ok_or_else(|| unknown("AEAD", name, &AeadKind::ALL.map(AeadKind::name)))?;
        Ok(Aead(AnyAead::from_slice(kind, &key).map_err(error)?))
    }

    /// Length of a nonce in bytes.
    #[wasm_bindgen(getter, js_name = nonceLength)]
    pub fn nonce_length(&self) -> u32 {
        self.0.algorithm().nonce_len() as u32
    }

    /// Encrypts `text`. Returns the ciphertext and the tag of 16 bytes. A nonce that is used twice with a key
    /// reveals texts and, but for AES-GCM-SIV, lets anyone forge.
    pub fn seal(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] nonce: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] text: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Uint8Array")] aad: &JsValue,
    ) -> Result<Uint8Array, JsError> {
        self.seal_arrays(checked(nonce, "nonce")?, checked(text, "text")?, &additional(aad)?)
    }

    /// Decrypts what `seal` returned. Throws if the key, the nonce, the text or the additional data is another.
    pub fn open(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] nonce: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] sealed: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Uint8Array")] aad: &JsValue,
    ) -> Result<Uint8Array, JsError> {
        self.open_arrays(checked(nonce, "nonce")?, checked(sealed, "sealed")?, &additional(aad)?)
    }

    /// Encrypts `text` under a random nonce, with which the result begins. Throws for AES-GCM and
    /// ChaCha20-Poly1305, whose nonces are too short to be random.
    #[wasm_bindgen(js_name = sealRandom)]
    pub fn seal_random(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] text: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Uint8Array")] aad: &JsValue,
    ) -> Result<Uint8Array, JsValue> {
        let (text, aad) = (checked(text, "text")?, additional(aad)?);
        if !self.0.algorithm().has_random_nonces() {
            return Err(JsError::new("the nonces of this AEAD are too short to be random").into());
        }
        let nonce = Uint8Array::new_with_length(self.nonce_length());
        random(&nonce)?;
        let sealed = self.seal_arrays(&nonce, text, &aad)?;
        let all = Uint8Array::new_with_length(nonce.length() + sealed.length());
        all.set(&nonce, 0);
        all.set(&sealed, nonce.length());
        Ok(all)
    }

    /// Decrypts what `sealRandom` returned. Throws if it was changed.
    #[wasm_bindgen(js_name = openRandom)]
    pub fn open_random(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] sealed: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Uint8Array")] aad: &JsValue,
    ) -> Result<Uint8Array, JsError> {
        let (sealed, aad) = (checked(sealed, "sealed")?, additional(aad)?);
        let len = self.nonce_length();
        if sealed.length() < len {
            return Err(error(keylane::Error::AuthenticationFailed));
        }
        self.open_arrays(&sealed.subarray(0, len), &sealed.subarray(len, sealed.length()), &aad)
    }
}

impl Aead {
    fn seal_arrays(
        &self,
        nonce: &Uint8Array,
        text: &Uint8Array,
        aad: &Uint8Array,
    ) -> Result<Uint8Array, JsError> {
        let (nonce, aad, mut sealed) =
            (Bytes::of(nonce)?, Bytes::of(aad)?, Bytes::with_room(text, AnyAead::TAG_LEN)?);
        let (text, tag) = sealed.split_at_mut(text.length() as usize);
        tag.copy_from_slice(&self.0.seal(&nonce, &aad, text).map_err(error)?);
        Ok(sealed.array())
    }

    fn open_arrays(
        &self,
        nonce: &Uint8Array,
        sealed: &Uint8Array,
        aad: &Uint8Array,
    ) -> Result<Uint8Array, JsError> {
        let (nonce, aad, mut sealed) = (Bytes::of(nonce)?, Bytes::of(aad)?, Bytes::of(sealed)?);
        let Some((text, tag)) = sealed.split_last_chunk_mut() else {
            return Err(error(keylane::Error::AuthenticationFailed));
        };
        self.0.open(&nonce, &aad, text, tag).map_err(error)?;
        Ok(Uint8Array::from(&*text))
    }
}
