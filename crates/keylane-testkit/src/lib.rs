//! What the tests of Keylane share. For development only; it is not published.
//!
//! - [`every_backend`]: runs a test over every implementation of a primitive that this CPU can run.
//! - [`for_every_hash!`], [`for_every_stream!`], [`for_every_aead!`]: a test for each type.
//! - [`contract`]: suites that hold for any hash, any HMAC, Poly1305, any stream cipher and any AEAD.
//! - [`fips180`]: the published digests of FIPS 180-4. [`cavp`]: the files of NIST's validation program.
//! - [`Oracle`], [`Stream`], [`Aead`], [`encrypted_blocks`], [`expected_poly1305`]: the same computations by RustCrypto.
//!   [`poly1305_by_the_book`]: one for reading. None of them shares code with Keylane.
//! - [`Guarded`], [`painted`], [`LENGTHS`], [`Random`], [`hex`]: inputs.
#![forbid(unsafe_code)]

mod aead;
mod aes_blocks;
mod backends;
pub mod cavp;
pub mod contract;
mod for_every;
mod guarded;
mod inputs;
mod oracle;
mod published;
mod stream;

pub use aead::{AES_GCM_NONCE_LENS, Aead, AesGcm, as_nonce};
pub use aes_blocks::{decrypted_blocks, encrypted_blocks};
pub use backends::{every_backend, exclusively, require, required};
pub use guarded::Guarded;
pub use inputs::{LENGTHS, Random, hex, painted};
pub use oracle::{Oracle, Residue, expected_poly1305, poly1305_by_the_book, poly1305_key, poly1305_value};
pub use published::{Fips180, fips180};
pub use stream::{Aes128Ctr, Aes192Ctr, Aes256Ctr, Stream, chacha20_keystream_at};

/// The README's program is a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
