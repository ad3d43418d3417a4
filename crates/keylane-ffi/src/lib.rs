//! Keylane for C.
//!
//! Each file exports one subject's functions, in safe code; `include/keylane.h` documents them. Their
//! parameters have the pointer types of [`boundary`], which turns them into references. The tests in
//! `checks/c` compare every prototype in the header with its function's type.
#![allow(non_camel_case_types, reason = "the names are C's")]
#![allow(missing_docs, reason = "in keylane.h")]
// JavaScript calls fewer functions.
#![cfg_attr(target_family = "wasm", allow(dead_code, unused_imports))]

mod aead;
mod batch;
pub mod boundary;
mod error;
mod hash;
mod hkdf;
mod hmac;
#[cfg(keylane_panics)]
mod panic;
mod pbkdf2;
// The JavaScript package does not use this module.
#[cfg(not(target_family = "wasm"))]
mod keystream;
#[cfg(not(target_family = "wasm"))]
mod library;
#[cfg(not(target_family = "wasm"))]
mod poly1305;
#[cfg(feature = "poly1305-opt")]
mod poly1305_opt;
#[cfg(test)]
mod tests;

// For the comparison with the header.
pub use aead::*;
pub use error::*;
pub use hash::*;
pub use hkdf::*;
pub use hmac::*;
pub use pbkdf2::*;
#[cfg(feature = "poly1305-opt")]
pub use poly1305_opt::*;
#[cfg(not(target_family = "wasm"))]
pub use {keystream::*, library::*, poly1305::*};
