//! Keyed hashing and encryption of Arrow columns, many rows at a time in vector lanes.
//!
//! | to | use | reveals |
//! |---|---|---|
//! | join or count by a hidden value | [`token`] | equal rows |
//! | get the whole HMAC, as bytes | [`hmac`] | equal rows |
//! | read a value again, with the key | [`seal`], [`open`] with [`SealingKey::random`] | lengths |
//! | read it again, and join by it | the same with [`SealingKey::deterministic`] | equal rows and lengths |
//! | get a checksum of public values | [`digest`] | the value, to anyone who can guess it |
//! | name keys in SQL and plans | [`KeyRing`] | |
//!
//! The guide, `docs/columns.md` in Keylane's repository, explains how to choose a function and a token's
//! length and how to rotate keys, and has recipes for Polars, DuckDB, Spark, Dask and DataFusion.
//!
//! # Examples
//! Tokens to join by:
//!
//! ```
//! use arrow_array::{Array, StringArray};
//! use keylane::any::{AnyHmacKey, HashKind};
//! use keylane_arrow::{Form, hmac, token};
//!
//! let emails = StringArray::from(vec![Some("ada@example.org"), None, Some("")]);
//! let key = AnyHmacKey::new(HashKind::Sha256, b"at least 32 random bytes, stored elsewhere");
//! let tokens = token(&key, &emails, Form::Hex { bytes: 16 })?; // 32 characters a row; null stays null
//! let macs = hmac(&key, &emails)?; // 32 bytes a row
//! assert_eq!(macs.value(0), key.mac(b"ada@example.org").as_bytes());
//! assert!(tokens.is_null(1) && macs.is_null(1));
//! # Ok::<(), keylane_arrow::Error>(())
//! ```
//!
//! A column that can be read again:
//!
//! ```
//! use arrow_array::{Array, StringArray};
//! use keylane_arrow::{SealingKey, open, seal};
//!
//! let emails = StringArray::from(vec![Some("ada@example.org"), None]);
//! let key = SealingKey::random(&[7; 32]); // or `deterministic`, to join and group by
//! let sealed = seal(&key, "email", &emails)?;
//! let opened = open(&key, "email", &sealed, emails.data_type())?;
//! assert_eq!(opened.as_ref(), &emails as &dyn Array);
//! # Ok::<(), keylane_arrow::Error>(())
//! ```
//!
//! Keys by name, for query engines. A number and its string have the same token:
//!
//! ```
//! use arrow_array::{Array, Int64Array, StringArray};
//! use keylane::any::HashKind;
//! use keylane_arrow::{Form, KeyRing, token};
//!
//! let mut ring = KeyRing::new();
//! ring.insert("customers", b"at least 32 random bytes, stored elsewhere")?; // or `read_file`, `read_env`
//! let key = ring.get("customers")?.hmac(HashKind::Sha256);
//! let (numbers, strings) = (Int64Array::from(vec![42]), StringArray::from(vec!["42"]));
//! assert_eq!(&token(&key, &numbers, Form::Int64)?, &token(&key, &strings, Form::Int64)?);
//! # Ok::<(), keylane_arrow::Error>(())
//! ```
//!
//! # Columns
//! All functions accept `Utf8`, `LargeUtf8`, `Utf8View`, `Binary`, `LargeBinary`, `BinaryView`,
//! `FixedSizeBinary`, integers of 8 to 64 bits, `Date32`, `Date64`, and dictionaries of these. A null stays
//! null. A dictionary's values are computed once each.
//!
//! - **Hashes** read strings in place. Integers are hashed as decimal digits and dates as `YYYY-MM-DD`: the
//!   number 42 and the string "42" have the same token. SQL's `CAST(… AS VARCHAR)` gives the same strings,
//!   except for `Date64`, where it adds a time.
//! - **Sealing** writes integers, and dates as days since 1970, in eight bytes: the length of a sealed number
//!   reveals nothing.
//! - A `Date64` that is not a whole day is refused. Times, floats and decimals have several notations: cast
//!   them to strings first.
//!
//! # Features
//! - `datafusion`: SQL functions for DataFusion, in the module `datafusion`.
//! - `parallel`: uses all cores for one array. Leave it off in engines that run partitions in parallel.

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
