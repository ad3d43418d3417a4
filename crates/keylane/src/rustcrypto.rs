//! RustCrypto's traits for this crate's types, and HMAC with any hash that implements them. Needs the feature
//! `rustcrypto`.
//!
//! | crate | traits | types |
//! |---|---|---|
//! | [`digest`] 0.11 | [`Digest`](digest::Digest), `FixedOutputReset`, `EagerHash`, `AssociatedOid` | [`sha1::Sha1`](crate::sha1::Sha1), all of [`sha2`](crate::sha2) |
//! | | [`Mac`](digest::Mac), `KeyInit`, `FixedOutputReset` | [`hmac::Hmac`](crate::hmac::Hmac) over any of these |
//! | [`cipher`] 0.5 | [`StreamCipher`](cipher::StreamCipher), [`StreamCipherSeek`](cipher::StreamCipherSeek) | [`aes_ctr::AesCtr`](crate::aes_ctr::AesCtr), [`Ctr128BE`], [`chacha20::ChaCha20`](crate::chacha20::ChaCha20), [`chacha20::XChaCha20`](crate::chacha20::XChaCha20) |
//! | | [`BlockCipherEncrypt`](cipher::BlockCipherEncrypt), [`BlockCipherDecrypt`](cipher::BlockCipherDecrypt) | [`aes::Aes`](crate::aes::Aes), [`Aes128`], [`Aes192`], [`Aes256`] |
//! | [`aead`] 0.6 | [`AeadInOut`](aead::AeadInOut); with `alloc`, `Aead` | all of [`aes_gcm`](crate::aes_gcm), [`aes_gcm_siv`](crate::aes_gcm_siv), [`chacha20poly1305`](crate::chacha20poly1305) and [`xaes`](crate::xaes), except `AesGcm` and `AesGcmSiv` |
//! | [`universal_hash`] 0.6 | [`UniversalHash`](universal_hash::UniversalHash) | [`aes_gcm::Ghash`](crate::aes_gcm::Ghash), [`poly1305::Poly1305`](crate::poly1305::Poly1305) |
//!
//! [`GenericHmacKey`] is HMAC with any hash that implements [`Digest`](digest::Digest), such as SHA-3 and
//! BLAKE2. Since Keylane's hashes implement `EagerHash`, RustCrypto's constructions also work with them:
//! `hkdf::Hkdf<keylane::sha2::Sha256>`.
//!
//! # Replacing RustCrypto's crates
//! Programs for RustCrypto's crates mean trait methods, but Rust prefers Keylane's inherent methods of the
//! same name. For these programs, this module has the same types under RustCrypto's names, without inherent
//! methods ([`TraitsOnly`]). Then only the imports change:
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
//! Keylane's own interface can be faster: it takes many messages at a time, prepares keys once
//! ([`HmacKey`](crate::hmac::HmacKey)), and writes to a separate output without the traits' copy.
//!
//! # Security
//! - `Mac::verify_truncated_left` accepts tags from one byte on, and one forgery in 256 has the right byte.
//!   Check the length first, or use [`HmacKey::verify_truncated`](crate::hmac::HmacKey::verify_truncated),
//!   which requires at least 10 bytes.
//! - If decryption fails, the buffer is wiped.
//! - The streams' methods without `try_` or `unchecked_` panic at the end of the key stream, as the traits
//!   say. No method repeats ChaCha20's key stream: at its end, the `unchecked_` methods also panic.
//! - A [`Ghash`](crate::aes_gcm::Ghash) alone is not a MAC, and a [`Poly1305`](crate::poly1305::Poly1305) key
//!   must not authenticate two messages.

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

/// A nonce, under its name in the crates `aes-gcm` and `chacha20poly1305`.
pub type Nonce<Size = aead::consts::U12> = aead::array::Array<u8, Size>;
/// A nonce of [`XChaCha20Poly1305`], under its name in the crate `chacha20poly1305`.
pub type XNonce = Nonce<aead::consts::U24>;
