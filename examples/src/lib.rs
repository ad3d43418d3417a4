//! The programs are in `src/bin`. What is here: the snippets of documents, which are tests.
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../../docs/migrating.md")]
struct Migrating;

#[cfg(doctest)]
#[doc = include_str!("../../crates/keylane-tls/README.md")]
struct Tls;
