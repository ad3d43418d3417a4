//! Symmetric cryptography: hashes, HMAC, PBKDF2, HKDF, AES-GCM, ChaCha20-Poly1305, for one message or many at
//! a time.
//!
//! | to | use |
//! |---|---|
//! | sign and verify messages | [`hmac::HmacKey`] |
//! | check passwords | [`pbkdf2`] |
//! | derive keys from a secret | [`hkdf::Prk`] |
//! | encrypt under random nonces | [`xaes::Xaes256Gcm`]; without AES instructions [`chacha20poly1305::XChaCha20Poly1305`] |
//! | encrypt messages that a counter numbers | [`aes_gcm::Aes256Gcm`]; without AES instructions [`chacha20poly1305::ChaCha20Poly1305`] |
//! | encrypt where a nonce may repeat | [`aes_gcm_siv::Aes256GcmSiv`] |
//! | encrypt a long text in chunks | [`chunked`], an open format; for files the crate `keylane-file` |
//! | hash | [`sha2`], [`sha1`] |
//! | choose an algorithm at run time | [`any`] |
//! | build a protocol from parts | [`aes_ctr`] and [`chacha20`], key streams; [`poly1305`]; [`aes`], the block cipher |
//! | read a key or a passphrase from a file | [`secret`] |
//! | compare other secrets | [`constant_time`] |
//! | see which implementation runs here | [`primitives`]; [`self_test`] tests them all |
//!
//! TLS and QUIC are in the crate `keylane-tls`. Guides are in Keylane's repository: `docs/aead.md` (which
//! AEAD?), `docs/migrating.md` (from ring, aws-lc-rs, RustCrypto and Go), `docs/embedded.md` (small devices),
//! `docs/benchmarks` (how fast) and `SECURITY.md` (what is promised).
//!
//! # Examples
//! An HMAC key is prepared once. Many tags are computed in one call, side by side where that takes less time:
//!
//! ```
//! use keylane::hmac::HmacKey;
//! use keylane::sha2::Sha256;
//!
//! let key = HmacKey::<Sha256>::new(b"a key of any length");
//! let tag = key.mac(b"a message");
//! key.verify(b"a message", &tag)?; // in constant time
//!
//! let messages = ["one", "two", "and a longer one"];
//! let mut tags = [[0; 32]; 3];
//! key.mac_many(&messages, &mut tags)?;
//! key.verify_many(&messages, &tags)?;
//! # Ok::<(), keylane::Error>(())
//! ```
//!
//! Encryption under a random nonce, with the features `alloc` and `getrandom`:
//!
//! ```
//! # #[cfg(all(feature = "alloc", feature = "getrandom"))]
//! # fn main() -> Result<(), keylane::Error> {
//! use keylane::xaes::Xaes256Gcm;
//!
//! let key = Xaes256Gcm::generate_key()?; // 32 random bytes: store them
//! let cipher = Xaes256Gcm::new(&key);
//! let sealed = cipher.seal_random_vec(b"header", b"attack at dawn")?; // begins with its nonce
//! assert_eq!(cipher.open_random_vec(b"header", &sealed)?, b"attack at dawn"); // or an error
//! # Ok(())
//! # }
//! # #[cfg(not(all(feature = "alloc", feature = "getrandom")))]
//! # fn main() {}
//! ```
//!
//! Encryption in place, with a counter as the nonce:
//!
//! ```
//! use keylane::aes_gcm::Aes256Gcm;
//!
//! let cipher = Aes256Gcm::new(&[7; 32]);
//! for counter in 0..3_u64 {
//!     let mut nonce = [0; 12]; // never twice with one key
//!     nonce[4..].copy_from_slice(&counter.to_be_bytes());
//!     let mut data = *b"attack at dawn";
//!     let tag = cipher.seal(&nonce, b"header", &mut data)?;
//!     cipher.open(&nonce, b"header", &mut data, &tag)?; // or an error, and `data` is wiped
//! }
//! # Ok::<(), keylane::Error>(())
//! ```
//!
//! # Debug builds
//! Without optimisation, as in `cargo build` and `cargo test`, this crate is more than a hundred times
//! slower. These lines in your workspace's `Cargo.toml` optimise it there too:
//!
//! ```toml
//! [profile.dev.package]
//! keylane = { opt-level = 3, debug = false, debug-assertions = false, overflow-checks = false }
//! keylane-cpu = { opt-level = 3, debug = false, debug-assertions = false, overflow-checks = false }
//! ```
//!
//! # Implementations
//! On x86-64 and aarch64, each primitive has several implementations. The first use chooses the fastest one
//! that the CPU supports *and* that passes its self-test. If none passes, the operation panics: a wrong
//! result would be worse. Other targets have one implementation of each.
//!
//! This crate is safe Rust; detection, vectors and wiping are in the crate `keylane-cpu`.
//!
//! # Features
//! - `std` (default): run-time detection on aarch64, `io::Write` for hashes and HMAC, `chunked::Reader` and
//!   `Writer`, the module `secret`; implies `alloc`. Without it, the crate is `no_std`.
//! - `alloc`: methods that return or extend a `Vec`, such as `seal_append` and `seal_random_vec`.
//! - `getrandom`: `generate_key`, `generate_salt`, `seal_random` and `open_random`, with the operating
//!   system's random bytes.
//! - `rustcrypto`: the module `rustcrypto`, with RustCrypto's traits (`digest` 0.11, `cipher` 0.5, `aead`
//!   0.6, `universal-hash` 0.6) for this crate's types, and HMAC with any hash that implements them.
//! - `select`: `Primitive::select` and `reset`, which change the implementation for the whole process. Only
//!   for tests and tools; a library must not enable it.
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
pub mod any;
mod backend;
mod byte_array;
pub mod chacha20;
pub mod chacha20poly1305;
pub mod chunked;
pub mod constant_time;
mod error;
mod ghash;
pub mod hash;
pub mod hkdf;
pub mod hmac;
pub mod pbkdf2;
pub mod poly1305;
mod primitives;
#[cfg(all(test, target_arch = "x86_64"))]
#[path = "../../../checks/proofs/kernels/mod.rs"]
mod proofs;
#[cfg(feature = "getrandom")]
mod random;
#[cfg(feature = "rustcrypto")]
pub mod rustcrypto;
#[cfg(feature = "std")]
pub mod secret;
pub mod sha1;
pub mod sha2;
mod unroll;
pub mod xaes;

pub use backend::{Implementation, SelfTestError};
pub use error::Error;
pub use hash::Hash;
pub use primitives::{Primitive, primitives, self_test};
