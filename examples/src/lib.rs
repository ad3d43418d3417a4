//! The programs are in `src/bin`. This file has the snippets of documents, which are tests.
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../docs/aead.md")]
struct Aead;

#[cfg(doctest)]
#[doc = include_str!("../../docs/migrating.md")]
struct Migrating;

#[cfg(doctest)]
#[doc = include_str!("../../crates/keylane-tls/README.md")]
struct Tls;
