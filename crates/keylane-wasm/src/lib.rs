//! Keylane for JavaScript: the npm package `keylane`. Everything is synchronous. What a call copies into the
//! memory of WebAssembly is wiped at its end, and a key by `free`.

mod aead;
mod hash;

use js_sys::Uint8Array;
use keylane_cpu::wipe::wipe;
use std::ops::{Deref, DerefMut};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const NAMES: &str = r#"
/** The name of a hash function. SHA-1 is only for HMAC and PBKDF2 in old protocols. */
export type HashName = "sha1" | "sha224" | "sha256" | "sha384" | "sha512" | "sha512-256";
/** The name of an AEAD. Its number of bits is that of its key; ChaCha20 has 256. */
export type AeadName =
  | "aes-128-gcm" | "aes-256-gcm" | "aes-128-gcm-siv" | "aes-256-gcm-siv" | "xaes-256-gcm"
  | "chacha20-poly1305" | "xchacha20-poly1305";
"#;

/// Bytes of the caller's, which are wiped.
struct Bytes(Vec<u8>);

impl Bytes {
    /// Copies an argument, and leaves room for more bytes after it.
    fn with_room(array: &Uint8Array, room: usize) -> Self {
        let len = array.length() as usize;
        let mut bytes = Self(vec![0; len + room]);
        array.copy_to(&mut bytes.0[..len]);
        bytes
    }

    fn of(array: &Uint8Array) -> Self {
        Self::with_room(array, 0)
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

fn error(error: keylane::Error) -> JsError {
    JsError::new(&error.to_string())
}

/// Returns the bytes that `write` fills, as an array of JavaScript's.
fn filled(
    len: u32,
    write: impl FnOnce(&mut [u8]) -> Result<(), keylane::Error>,
) -> Result<Uint8Array, JsError> {
    let mut out = Bytes(vec![0; len as usize]);
    write(&mut out).map_err(error)?;
    Ok(Uint8Array::from(&out[..]))
}
