//! Authenticated encryption.

use crate::{Bytes, error};
use js_sys::Uint8Array;
use keylane::aead::DynAead;
use keylane::aes_gcm::{Aes128Gcm, Aes256Gcm};
use keylane::aes_gcm_siv::{Aes128GcmSiv, Aes256GcmSiv};
use keylane::chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use keylane::xaes::Xaes256Gcm;
use wasm_bindgen::prelude::*;

const TAG_LEN: usize = 16;

fn optional(aad: Option<Uint8Array>) -> Bytes {
    aad.map_or_else(|| Bytes(Vec::new()), |aad| Bytes::of(&aad))
}

#[wasm_bindgen]
extern "C" {
    /// The random numbers of the browser and of Node.js.
    #[wasm_bindgen(catch, js_namespace = crypto, js_name = getRandomValues)]
    fn random(bytes: &Uint8Array) -> Result<JsValue, JsValue>;
}

/// Key of an AEAD: it encrypts and authenticates a text, and authenticates additional data. `free()` wipes it.
#[wasm_bindgen]
pub struct Aead {
    key: Box<dyn DynAead>,
    random_nonces: bool,
}

#[wasm_bindgen]
impl Aead {
    /// Prepares a key. Throws if it does not have the AEAD's length.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "AeadName")] name: &str,
        key: &Uint8Array,
    ) -> Result<Aead, JsError> {
        macro_rules! key {
            ($($name:literal $Aead:ident $random_nonces:literal)+) => {
                match name {
                    $($name => (Box::new($Aead::from_slice(&Bytes::of(key)).map_err(error)?) as Box<dyn DynAead>, $random_nonces),)+
                    _ => return Err(JsError::new(&format!("no AEAD is named {name}"))),
                }
            };
        }
        let (key, random_nonces) = key! {
            "aes-128-gcm" Aes128Gcm false
            "aes-256-gcm" Aes256Gcm false
            "aes-128-gcm-siv" Aes128GcmSiv true
            "aes-256-gcm-siv" Aes256GcmSiv true
            "xaes-256-gcm" Xaes256Gcm true
            "chacha20-poly1305" ChaCha20Poly1305 false
            "xchacha20-poly1305" XChaCha20Poly1305 true
        };
        Ok(Aead { key, random_nonces })
    }

    /// Length of a nonce in bytes.
    #[wasm_bindgen(getter, js_name = nonceLength)]
    pub fn nonce_length(&self) -> u32 {
        self.key.nonce_len() as u32
    }

    /// Encrypts `text`. Returns the ciphertext and the tag of 16 bytes. A nonce that is used twice with a key
    /// reveals texts and, but for AES-GCM-SIV, lets anyone forge.
    pub fn seal(
        &self,
        nonce: &Uint8Array,
        text: &Uint8Array,
        aad: Option<Uint8Array>,
    ) -> Result<Uint8Array, JsError> {
        let mut sealed = Bytes::with_room(text, TAG_LEN);
        let (data, tag) = sealed.split_at_mut(text.length() as usize);
        tag.copy_from_slice(&self.key.seal(&Bytes::of(nonce), &optional(aad), data).map_err(error)?);
        Ok(Uint8Array::from(&sealed[..]))
    }

    /// Decrypts what `seal` returned. Throws if the key, the nonce, the text or the additional data is another.
    pub fn open(
        &self,
        nonce: &Uint8Array,
        sealed: &Uint8Array,
        aad: Option<Uint8Array>,
    ) -> Result<Uint8Array, JsError> {
        let mut sealed = Bytes::of(sealed);
        let Some((text, tag)) = sealed.split_last_chunk_mut() else {
            return Err(error(keylane::Error::AuthenticationFailed));
        };
        self.key.open(&Bytes::of(nonce), &optional(aad), text, tag).map_err(error)?;
        Ok(Uint8Array::from(&*text))
    }

    /// Encrypts `text` under a random nonce, with which the result begins. Throws for AES-GCM and
    /// ChaCha20-Poly1305, whose nonces are too short to be random.
    #[wasm_bindgen(js_name = sealRandom)]
    pub fn seal_random(&self, text: &Uint8Array, aad: Option<Uint8Array>) -> Result<Uint8Array, JsValue> {
        if !self.random_nonces {
            return Err(JsError::new("the nonces of this AEAD are too short to be random").into());
        }
        let nonce = Uint8Array::new_with_length(self.nonce_length());
        random(&nonce)?;
        let sealed = self.seal(&nonce, text, aad)?;
        let all = Uint8Array::new_with_length(nonce.length() + sealed.length());
        all.set(&nonce, 0);
        all.set(&sealed, nonce.length());
        Ok(all)
    }

    /// Decrypts what `sealRandom` returned. Throws if it was changed.
    #[wasm_bindgen(js_name = openRandom)]
    pub fn open_random(&self, sealed: &Uint8Array, aad: Option<Uint8Array>) -> Result<Uint8Array, JsError> {
        let len = self.nonce_length().min(sealed.length());
        self.open(&sealed.subarray(0, len), &sealed.subarray(len, sealed.length()), aad)
    }
}
