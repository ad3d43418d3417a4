//! The symmetric half of cryptography: one key, many messages, in parallel lanes.
//!
//! - [`sha1`], [`sha2`]: hashes behind the trait [`Hash`]; [`Hash::digest_many`] hashes many messages side by side.
//! - [`hmac`]: a key prepared once, then two compressions for a short message.
//! - [`pbkdf2`], [`hkdf`]: keys from passwords and secrets.
//! - [`aes_gcm`]: authenticated encryption in one pass; [`aes_ctr`]: a seekable key stream; [`aes`]: the block cipher.
//! - [`chacha20poly1305`]: authenticated encryption without AES; [`chacha20`]: its key stream; [`poly1305`]: its one-time
//!   authenticator.
//! - [`stream`]: one long text in chunks, over any of these AEADs.
//! - [`primitives`]: which implementations run on this CPU; [`self_test`] tests them all.
//!
//! Each primitive has several implementations. The best one that the CPU can run *and* that passes its self-test is
//! chosen on first use. If none passes, the operation panics: a wrong answer would be worse.
//!
//! Everything here is safe Rust; what talks to the CPU is in the crate `keylane-cpu`.
//!
//! # Features
//! - `std` (default): run-time detection on aarch64; implies `alloc`. Without it the crate is `no_std`.
//! - `alloc`: what needs a heap: `seal_append`.
//! - `rustcrypto`: RustCrypto's traits (`digest` 0.11, `cipher` 0.5, `aead` 0.6, `universal-hash` 0.6) on the types of this
//!   crate, and RustCrypto's hashes as a [`Hash`]: the module `rustcrypto`.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

mod aead;
pub mod aes;
pub mod aes_ctr;
pub mod aes_gcm;
mod backend;
pub mod chacha20;
pub mod chacha20poly1305;
mod compression;
pub mod constant_time;
mod error;
mod ghash;
mod hash;
pub mod hkdf;
pub mod hmac;
pub mod operations;
pub mod pbkdf2;
pub mod poly1305;
mod primitives;
#[cfg(feature = "rustcrypto")]
pub mod rustcrypto;
pub mod sha1;
pub mod sha2;
pub mod stream;
mod unroll;

pub use backend::{Implementation, SelfTestError};
pub use error::Error;
pub use hash::{Hash, MerkleDamgard};
pub use primitives::{Primitive, primitives, self_test};
