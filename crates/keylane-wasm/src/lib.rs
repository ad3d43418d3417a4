//! Keylane for JavaScript: the npm package `keylane`. Everything is synchronous. What a call copies into the memory of
//! WebAssembly is wiped at its end, and a key by `free`.
//!
//! Every argument is checked before any is copied: JavaScript would take a string for zeros, and an exception on the
//! way would leave what was copied, and a key that cannot be freed.
#![forbid(unsafe_code)]

mod aead;
mod hash;

use js_sys::{Array, Uint8Array};
use keylane_cpu::wipe::wipe;
use std::ops::{Deref, DerefMut};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const NAMES: &str = r#"
/** The name of a hash function. SHA-1 is only for HMAC and PBKDF2 in old protocols. */
export type HashName = "sha1" | "sha224" | "sha256" | "sha384" | "sha512" | "sha512-256";
/** The name of an AEAD. Its number of bits is that of its key; ChaCha20 has 256. */
export type AeadName =
  | "aes-128-gcm" | "aes-192-gcm" | "aes-256-gcm" | "aes-128-gcm-siv" | "aes-256-gcm-siv" | "xaes-256-gcm"
  | "chacha20-poly1305" | "xchacha20-poly1305";
"#;

/// Bytes of the caller's, which are wiped.
struct Bytes(Vec<u8>);

impl Bytes {
    /// Returns zeros.
    fn zeros(len: usize) -> Result<Self, JsError> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| JsError::new("the memory is not enough"))?;
        bytes.resize(len, 0);
        Ok(Self(bytes))
    }

    /// Copies an array, and leaves room for more bytes after it.
    fn with_room(array: &Uint8Array, room: usize) -> Result<Self, JsError> {
        let len = array.length() as usize;
        let mut bytes = Self::zeros(len.saturating_add(room))?;
        array.copy_to(&mut bytes.0[..len]);
        Ok(bytes)
    }

    fn of(array: &Uint8Array) -> Result<Self, JsError> {
        Self::with_room(array, 0)
    }

    /// Returns an array of JavaScript's.
    fn array(&self) -> Uint8Array {
        Uint8Array::from(&self.0[..])
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for Bytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        wipe(&mut self.0[..]);
    }
}

/// Returns an argument as what it has to be.
fn checked<'a>(value: &'a JsValue, what: &str) -> Result<&'a Uint8Array, JsError> {
    value.dyn_ref().ok_or_else(|| JsError::new(&format!("{what} must be a Uint8Array")))
}

/// Copies the messages of a batch.
fn messages(values: &JsValue) -> Result<Vec<Bytes>, JsError> {
    let wrong = || JsError::new("messages must be an array of Uint8Array");
    let values = values.dyn_ref::<Array>().ok_or_else(wrong)?;
    let arrays: Result<Vec<Uint8Array>, _> = values.iter().map(JsCast::dyn_into).collect();
    arrays.map_err(|_| wrong())?.iter().map(Bytes::of).collect()
}

/// Returns a number that is positive and whole.
fn count(number: f64, what: &str) -> Result<u32, JsError> {
    let is_count = number.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(&number);
    if is_count {
        return Ok(number as u32);
    }
    Err(JsError::new(&format!("{what} must be a whole number from 1 to 4294967295")))
}

/// Returns the error for a name that no algorithm has.
fn unknown(what: &str, name: &str, names: &[&str]) -> JsError {
    JsError::new(&format!("no {what} is named {name}: there are {}", names.join(", ")))
}

fn error(error: keylane::Error) -> JsError {
    JsError::new(&error.to_string())
}
