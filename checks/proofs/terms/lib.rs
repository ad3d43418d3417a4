//! Tools for proofs of kernels: vectors that record, and terms in normal form.
#![forbid(unsafe_code)]
#![allow(missing_docs, clippy::new_without_default, reason = "for the proofs alone")]

pub mod blocks;
pub mod bytes;
pub mod evaluate;
pub mod field;
pub mod integers;
pub mod key_stream;
pub mod prove;
pub mod record;
pub mod sha2;
pub mod standards;
pub mod words;

use prove::{Domain, Fault, compare};
use record::Trace;

type Compare<D> = fn(&Trace, &mut D, &[Fault], &[<D as Domain>::Value]);

/// These are compiled here, with optimisation, and not where they are called.
pub static COMPARE: (Compare<words::Words>, Compare<bytes::Bytes>, Compare<field::Field>) =
    (compare, compare, compare);
