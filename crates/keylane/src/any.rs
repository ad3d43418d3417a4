//! Algorithms chosen at run time, from an argument, a file or a peer's message.
//!
//! [`HashKind`] and [`AeadKind`] name the algorithms and return their lengths. The other types work like
//! those without `Any` in their name: [`AnyHmacKey`] is an [`HmacKey`](crate::hmac::HmacKey) for any hash,
//! [`AnyAead`] an [`Aead`](crate::aead::Aead) for any algorithm.
//!
//! ```
//! # fn main() -> Result<(), keylane::Error> {
//! use keylane::any::{AeadKind, AnyAead, AnyHmacKey, HashKind};
//!
//! # fn setting(_: &str) -> &'static str { "sha256" }
//! let hash = HashKind::from_name(setting("hash")).expect("a name of a hash");
//! assert_eq!(hash.digest(b"abc").as_bytes()[..4], [0xba, 0x78, 0x16, 0xbf]);
//! let key = AnyHmacKey::new(hash, b"a key of any length");
//! key.verify(b"message", key.mac(b"message").as_bytes())?;
//!
//! let kind = AeadKind::from_name("chacha20-poly1305").expect("a name of an AEAD");
//! let aead = AnyAead::from_slice(kind, &[7; 32][..kind.key_len()])?;
//! let mut data = *b"attack at dawn";
//! let tag = aead.seal(&[0; 24][..kind.nonce_len()], b"header", &mut data)?;
//! aead.open(&[0; 24][..kind.nonce_len()], b"header", &mut data, &tag)?;
//! # Ok(())
//! # }
//! ```

mod aead;
mod hash;
mod hash_kind;

pub use aead::{AeadKind, AnyAead};
pub use hash::{AnyHash, AnyHmac, AnyHmacKey, AnyPrk};
pub use hash_kind::{Digest, HashKind};
