//! Symmetric cryptography: hashes, HMAC, PBKDF2, HKDF, AES-GCM, AES-GCM-SIV, ChaCha20-Poly1305. One message
//! or many at once.
//!
//! ```text
//! cargo add keylane --features getrandom
//! ```
//!
//! ```
//! # #[cfg(feature = "getrandom")]
//! # fn main() -> Result<(), keylane::Error> {
//! use keylane::xaes::Xaes256Gcm;
//!
//! let key = Xaes256Gcm::new(&[7; 32]); // prepared once
//! let mut sealed = [0; Xaes256Gcm::NONCE_LEN + 14 + Xaes256Gcm::TAG_LEN];
//! key.seal_random(b"header", b"attack at dawn", &mut sealed)?; // its nonce is random
//!
//! let mut text = [0; 14];
//! key.open_random(b"header", &sealed, &mut text)?; // or an error, and `text` is wiped
//! assert_eq!(&text, b"attack at dawn");
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "getrandom"))]
//! # fn main() {}
//! ```
//!
//! ```
//! use keylane::aes_gcm::Aes256Gcm;
//! use keylane::hmac::HmacKey;
//! use keylane::sha2::Sha256;
//!
//! let key = HmacKey::<Sha256>::new(b"a key of any length"); // prepared once
//! let tag = key.mac(b"a message");
//! key.verify(b"a message", &tag)?; // in constant time
//!
//! let cipher = Aes256Gcm::new(&[7; 32]);
//! let nonce = [0; 12]; // never twice with one key
//! let mut data = *b"attack at dawn";
//! let tag = cipher.seal(&nonce, b"header", &mut data)?; // in place
//! cipher.open(&nonce, b"header", &mut data, &tag)?; // or an error, and `data` is wiped
//! # Ok::<(), keylane::Error>(())
//! ```
//!
//! # Debug builds
//! Without optimisation, as in `cargo build` and `cargo test`, this crate is more than a hundred times
//! slower. These lines in the `Cargo.toml` of your workspace optimise it in such builds:
//!
//! ```toml
//! [profile.dev.package]
//! keylane = { opt-level = 3 }
//! keylane-cpu = { opt-level = 3 }
//! ```
//!
//! # Modules
//! - [`sha1`], [`sha2`]: hashes, with the trait [`Hash`]; [`Hash::digest_many`] hashes many messages at once.
//! - [`hash`](mod@hash): hashes of other crates, and hashes that are chosen at run time.
//! - [`hmac`]: a key that is prepared once; a short message then costs two compressions.
//! - [`pbkdf2`], [`hkdf`]: keys from passwords and secrets.
//! - [`aes_gcm`]: authenticated encryption in one pass; [`aes_ctr`]: a seekable key stream; [`aes`]: the
//!   block cipher.
//! - [`xaes`]: AES-GCM with nonces that may be random; [`aes_gcm_siv`]: with nonces that may repeat.
//! - [`chacha20poly1305`]: authenticated encryption without AES; [`chacha20`]: its key stream; [`poly1305`]:
//!   its one-time authenticator.
//! - [`stream`]: one long text in chunks, with any of these AEADs.
//! - [`chunked`]: the same in an open format, C2SP's chunked encryption, which can be read from any place.
//! - [`constant_time`]: comparing other secrets.
//! - [`primitives`]: which implementations run on this CPU; [`self_test`] tests them all.
//!
//! Each primitive has several implementations. On first use, the fastest one is chosen that the CPU supports
//! *and* that passes its self-test. If none passes, the operation panics: a wrong result would be worse.
//!
//! This crate is safe Rust; detection, vectors and wiping are in the crate `keylane-cpu`.
//!
//! # Features
//! - `std` (default): run-time detection on aarch64; implies `alloc`. Without it the crate is `no_std`.
//! - `alloc`: `seal_append` and `open_append`, which need a heap.
//! - `getrandom`: `seal_random` and `open_random`, with nonces from the operating system.
//! - `rustcrypto`: RustCrypto's traits (`digest` 0.11, `cipher` 0.5, `aead` 0.6, `universal-hash` 0.6) on the
//!   types of this crate, and RustCrypto's hashes as a [`Hash`]: the module `rustcrypto`.
//! - `select`: `Primitive::select` and `reset`, which change the implementation that the whole process uses.
//!   For tests and tools; a library must not enable it.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

pub mod aead;
pub mod aes;
pub mod aes_ctr;
pub mod aes_gcm;
pub mod aes_gcm_siv;
mod backend;
pub mod chacha20;
pub mod chacha20poly1305;
pub mod chunked;
mod compression;
pub mod constant_time;
mod error;
mod function;
mod ghash;
pub mod hash;
pub mod hkdf;
pub mod hmac;
pub mod pbkdf2;
pub mod poly1305;
mod primitives;
#[cfg(all(test, target_arch = "x86_64"))]
#[path = "../tests/proofs/mod.rs"]
mod proofs;
#[cfg(feature = "rustcrypto")]
pub mod rustcrypto;
pub mod sha1;
pub mod sha2;
pub mod stream;
mod unroll;
pub mod xaes;

pub use backend::{Implementation, SelfTestError};
pub use error::Error;
pub use function::Hash;
pub use primitives::{Primitive, primitives, self_test};
