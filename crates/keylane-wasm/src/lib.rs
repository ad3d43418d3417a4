//! Keylane for JavaScript: the npm package `keylane`. Everything is synchronous. What a call copies into the
//! memory of WebAssembly is wiped at its end, and a key by `free`.

mod aead;
mod hash;

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use zeroize::Zeroizing;

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
type Bytes = Zeroizing<Vec<u8>>;

fn error(error: keylane::Error) -> JsError {
    JsError::new(&error.to_string())
}

/// Copies an argument.
fn bytes(array: &Uint8Array) -> Bytes {
    Zeroizing::new(array.to_vec())
}

/// Returns the bytes that `write` fills, as an array of JavaScript's.
fn filled(
    len: usize,
    write: impl FnOnce(&mut [u8]) -> Result<(), keylane::Error>,
) -> Result<Uint8Array, JsError> {
    let mut out = Zeroizing::new(vec![0; len]);
    write(&mut out).map_err(error)?;
    Ok(Uint8Array::from(&out[..]))
}
