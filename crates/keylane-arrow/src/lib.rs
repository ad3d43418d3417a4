//! Keyed hashing and encryption of Arrow columns, many rows at a time in the lanes of vector registers.
//!
//! ```
//! use arrow_array::{Array, StringArray};
//! use keylane::hmac::HmacKey;
//! use keylane::sha2::Sha256;
//! use keylane_arrow::{Form, SealingKey, hmac, open, seal, token};
//!
//! let emails = StringArray::from(vec![Some("ada@example.org"), None, Some("")]);
//! let key = HmacKey::<Sha256>::new(b"at least 32 random bytes, kept from the data");
//! let macs = hmac(&key, &emails)?; // 32 bytes a row; null stays null
//! assert_eq!(macs.value(0), key.mac(b"ada@example.org"));
//! assert!(macs.is_null(1));
//! let tokens = token(&key, &emails, Form::Hex { bytes: 16 })?; // 32 characters a row
//!
//! let key = SealingKey::random(&[7; 32]); // or `deterministic`, to join and group by
//! let sealed = seal(&key, "email", &emails)?;
//! let opened = open(&key, "email", &sealed, emails.data_type())?;
//! assert_eq!(opened.as_ref(), &emails as &dyn Array);
//! # Ok::<(), keylane_arrow::Error>(())
//! ```
//!
//! # Columns
//! Every function takes `Utf8`, `LargeUtf8`, `Utf8View`, `Binary`, `LargeBinary`, `BinaryView`,
//! `FixedSizeBinary`, integers of 8 to 64 bits, `Date32`, `Date64`, and dictionaries of these. The bytes of
//! strings are hashed where they are. For hashes, an integer is its decimal digits and a date is
//! `YYYY-MM-DD`, so that the number 42 and the string "42" have the same token, as after SQL's
//! `CAST(… AS VARCHAR)`. For sealing, both are eight bytes, a date as its days since 1970, so that the length
//! of a sealed number says nothing. A `Date64` that is not a whole day is refused. Times of day, floats and
//! decimals have several notations: cast them to strings first.
//!
//! A null stays null. Of a dictionary, each value is computed once.
//!
//! # Features
//! `datafusion`: scalar functions for SQL (see `datafusion`). `parallel`: all cores for one array; leave it
//! off in an engine that runs its partitions in parallel.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "datafusion")]
pub mod datafusion;
mod error;
mod hash;
mod keys;
mod rows;
mod seal;

pub use error::Error;
pub use hash::{Form, digest, hmac, token};
pub use keys::{Key, KeyRing};
pub use seal::{SealingKey, open, seal};
