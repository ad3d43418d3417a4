//! RustCrypto's traits for the types of this crate, and HMAC over any hash that has them. Needs the feature
//! `rustcrypto`.
//!
//! | crate | traits | types |
//! |---|---|---|
//! | [`digest`] 0.11 | [`Digest`](digest::Digest), `FixedOutputReset`, `EagerHash`, `AssociatedOid` | [`sha1::Sha1`](crate::sha1::Sha1), all of [`sha2`](crate::sha2) |
//! | | [`Mac`](digest::Mac), `KeyInit`, `FixedOutputReset` | [`hmac::Hmac`](crate::hmac::Hmac) over any of these |
//! | [`cipher`] 0.5 | [`StreamCipher`](cipher::StreamCipher), [`StreamCipherSeek`](cipher::StreamCipherSeek) | [`aes_ctr::AesCtr`](crate::aes_ctr::AesCtr), [`Ctr128BE`], [`chacha20::ChaCha20`](crate::chacha20::ChaCha20), [`chacha20::XChaCha20`](crate::chacha20::XChaCha20) |
//! | | [`BlockCipherEncrypt`](cipher::BlockCipherEncrypt), [`BlockCipherDecrypt`](cipher::BlockCipherDecrypt) | [`aes::Aes`](crate::aes::Aes), [`Aes128`], [`Aes192`], [`Aes256`] |
//! | [`aead`] 0.6 | [`AeadInOut`](aead::AeadInOut); with `alloc`, `Aead` | all of [`aes_gcm`](crate::aes_gcm), [`aes_gcm_siv`](crate::aes_gcm_siv), [`chacha20poly1305`](crate::chacha20poly1305) and [`xaes`](crate::xaes) |
//! | [`universal_hash`] 0.6 | [`UniversalHash`](universal_hash::UniversalHash) | [`aes_gcm::Ghash`](crate::aes_gcm::Ghash), [`poly1305::Poly1305`](crate::poly1305::Poly1305) |
//!
//! [`GenericHmacKey`] is HMAC over any hash that implements [`Digest`](digest::Digest), such as SHA-3 and BLAKE2.
//! And since Keylane's hashes implement `EagerHash`, RustCrypto's constructions run on them:
//! `hkdf::Hkdf<keylane::sha2::Sha256>`.
//!
//! # Replacing RustCrypto's crates
//! Keylane's types have inherent methods, which Rust prefers to a trait's method of the same name. Programs
//! written for RustCrypto's crates mean the trait's method. For them, this module has the same types under
//! RustCrypto's names, with only the traits ([`TraitsOnly`]). Then only the imports change:
//!
//! | before | after |
//! |---|---|
//! | `use sha2::{Digest, Sha256};` | `use keylane::rustcrypto::{Sha256, digest::Digest};` |
//! | `use hmac::{Hmac, KeyInit, Mac};` | `use keylane::rustcrypto::{Hmac, digest::{KeyInit, Mac}};` |
//! | `use pbkdf2::pbkdf2_hmac;` | `use keylane::rustcrypto::pbkdf2_hmac;` |
//! | `use aes_gcm::{Aes256Gcm, aead::{Aead, KeyInit}};` | `use keylane::rustcrypto::{Aes256Gcm, aead::{Aead, KeyInit}};` |
//! | `use aes_gcm_siv::{Aes256GcmSiv, aead::{Aead, KeyInit}};` | `use keylane::rustcrypto::{Aes256GcmSiv, aead::{Aead, KeyInit}};` |
//! | `use xaes_256_gcm::{Xaes256Gcm, aead::{Aead, KeyInit}};` | `use keylane::rustcrypto::{Xaes256Gcm, aead::{Aead, KeyInit}};` |
//! | `use chacha20poly1305::{ChaCha20Poly1305, aead::{Aead, KeyInit}};` | `use keylane::rustcrypto::{ChaCha20Poly1305, aead::{Aead, KeyInit}};` |
//! | `use aes_gcm::Nonce;`, `use chacha20poly1305::{Nonce, XNonce};` | `use keylane::rustcrypto::{Nonce, XNonce};` |
//! | `type Aes256Ctr = ctr::Ctr128BE<aes::Aes256>;` | `type Aes256Ctr = Ctr128BE<Aes256>;` |
//! | `use poly1305::{Poly1305, universal_hash::UniversalHash};` | `use keylane::rustcrypto::{Poly1305, universal_hash::UniversalHash};` |
//!
//! ```
//! use keylane::rustcrypto::{Hmac, digest::{KeyInit, Mac}}; // was: hmac::{Hmac, KeyInit, Mac}
//! use keylane::rustcrypto::Sha256; // was: sha2::Sha256
//!
//! let mut mac = Hmac::<Sha256>::new_from_slice(b"a key of any length").expect("any length");
//! mac.update(b"message");
//! let tag = mac.finalize().into_bytes();
//!
//! let mac = Hmac::<Sha256>::new_from_slice(b"a key of any length").expect("any length");
//! assert!(mac.chain_update(b"message").verify_slice(&tag).is_ok());
//! ```
//!
//! Keylane's own interface is faster where the traits lack something: many messages in parallel lanes, keys
//! that are prepared once ([`HmacKey`](crate::hmac::HmacKey)), and an output separate from the input, which
//! the traits' buffers copy first.
//!
//! # Security
//! - `Mac::verify_truncated_left` accepts tags of one byte or more, and one forgery in 256 has the right
//!   byte. Check the length first, or use
//!   [`HmacKey::verify_truncated`](crate::hmac::HmacKey::verify_truncated), which accepts no fewer than ten
//!   bytes.
//! - If decryption fails, the buffer is wiped.
//! - The streams' methods without `try_` or `unchecked_` panic at the end of the key stream, as the traits
//!   say. No method starts ChaCha20's key stream over: there, the `unchecked_` ones panic as well.
//! - A [`Ghash`](crate::aes_gcm::Ghash) or [`Poly1305`](crate::poly1305::Poly1305) on its own is not a MAC
//!   for two messages.

mod aeads;
mod block_ciphers;
mod generic_hmac;
mod hashes;
mod macs;
mod pbkdf2_hmac;
mod stream_ciphers;
mod traits_only;
mod universal_hashes;

pub use block_ciphers::{Aes128, Aes192, Aes256};
pub use generic_hmac::{GenericHmac, GenericHmacKey};
pub use pbkdf2_hmac::pbkdf2_hmac;
pub use stream_ciphers::Ctr128BE;
pub use traits_only::{
    Aes128Gcm, Aes128GcmSiv, Aes192Gcm, Aes256Gcm, Aes256GcmSiv, ChaCha20, ChaCha20Poly1305, GHash, Hmac,
    Poly1305, Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_256, TraitsOnly, XChaCha20, XChaCha20Poly1305,
    Xaes256Gcm,
};
pub use {aead, cipher, digest, universal_hash};

/// A nonce, as the crates `aes-gcm` and `chacha20poly1305` name it.
pub type Nonce<Size = aead::consts::U12> = aead::array::Array<u8, Size>;
/// A nonce of [`XChaCha20Poly1305`], as the crate `chacha20poly1305` names it.
pub type XNonce = Nonce<aead::consts::U24>;
