//! Hash functions: the trait [`Hash`], hashes of other crates, and hashes that are chosen at run time.
//!
//! # Chosen at compile time
//! [`Sha256`](crate::sha2::Sha256) and its kin implement [`Hash`]. HMAC, PBKDF2 and HKDF take any such type:
//! `HmacKey<Sha256>`. For a hash of another crate, implement [`ForeignHash`]; [`Foreign`] makes it a
//! [`Hash`].
//!
//! # Chosen at run time
//! [`Algorithm`] is a hash that a program chooses at run time, from an argument, a file or a peer's message.
//!
//! ```
//! use keylane::hash::{Algorithm, AnyHmacKey};
//!
//! let algorithm = Algorithm::from_name("sha256").ok_or("unknown hash")?;
//! assert_eq!(algorithm.digest(b"abc").as_bytes()[..4], [0xba, 0x78, 0x16, 0xbf]);
//!
//! let key = AnyHmacKey::new(algorithm, b"a key of any length");
//! let tag = key.mac(b"message");
//! assert!(key.verify(b"message", tag.as_bytes()).is_ok());
//! # Ok::<(), &str>(())
//! ```
//!
//! # How a hash is built
//! There are four levels. Users see only the first:
//!
//! 1. [`Hash`]: an initial value, the length of a digest, and a name. Six types.
//! 2. A compression function: its state, its block, and how messages are padded. SHA-1, SHA-256 (with
//!    SHA-224) and SHA-512 (with SHA-384 and SHA-512/256). Running hashes, batches in lanes, HMAC and PBKDF2
//!    are written over this level, and are compiled once for each of the three.
//! 3. A kernel: one implementation of a compression function, chosen on first use among those that this CPU
//!    can run and that pass their self-test. A call from [`HmacKey::mac`](crate::hmac::HmacKey::mac) to the
//!    kernel is one relaxed load and one indirect call.
//! 4. The CPU's words: vectors of lanes, or its instructions for the hash.
//!
//! A [`Foreign`] hash has only the first level. Its HMAC keys are two clones of the running hash; those of
//! this crate's hashes are two states.

mod algorithm;
mod any;
pub(crate) mod compression;
pub(crate) mod function;

pub use algorithm::{Algorithm, Digest};
pub use any::{AnyHash, AnyHmac, AnyHmacKey, AnyPrk};
pub use function::Hash;
pub use function::foreign::{Foreign, ForeignHash};
