//! The promises of Keylane's operations, as checks for tests and fuzzers. For development only; it is not
//! published.
//!
//! - [`hash`], [`mac`], [`aead`], [`stream`], …: one check for each kind of type, which takes keys, messages,
//!   splits and faults from [`Choices`] and compares with RustCrypto.
//! - [`check`]: runs a check on every implementation, at every length, and with alternating implementations.
//!   [`on_any`]: runs it on one that the choices select.
//! - [`subjects`](subjects()): every public operation through one interface. [`every_hash!`], [`every_aead!`]
//!   and [`every_stream!`] list the types. [`agreement`]: all subjects of a primitive on all implementations.
//! - [`every_implementation`]: runs any test on every implementation. [`require`]: the implementations that
//!   must be usable.
//! - [`Hash`], [`Aead::EXPECTED`], …: the same computations by RustCrypto, which share no code with
//!   Keylane.
//! - [`Guarded`], [`painted`], [`LENGTHS`], [`Random`], [`hex`]: inputs.
#![forbid(unsafe_code)]

mod aeads;
mod agreement;
mod check;
mod choices;
mod chunked;
mod derivation;
mod guarded;
mod hashes;
mod implementations;
mod inputs;
mod kinds;
mod oracle;
mod poly1305;
mod streams;
mod subjects;

pub use aeads::{aead, many};
pub use agreement::{Case, agree, agreement};
pub use check::{check, on_any};
pub use choices::Choices;
pub use chunked::chunked;
pub use derivation::{hkdf, pbkdf2};
pub use guarded::Guarded;
pub use hashes::{Absorb, hash, in_pieces, mac};
pub use implementations::{every_implementation, exclusively, require, required, usable};
pub use inputs::{LENGTHS, Random, hex, painted};
pub use kinds::{Aead, Aes128Ctr, Aes192Ctr, Aes256Ctr, Hash, HasherOf, Stream};
pub use oracle::{expected_poly1305, hmac_by_definition};
pub use poly1305::poly1305;
pub use streams::stream;
pub use subjects::{
    Call, Key, MAX_MESSAGES, Make, Operation, Subject, Work, boxed, clean_stack, cut, of, subjects,
};

use keylane::Error;
use std::fmt::Debug;

const FITS: &str = "lengths within the limits";

/// Whether a call was refused for something `actual` long, which has to be `expected` long.
fn is_wrong_length<T>(done: &Result<T, Error>, expected: usize, actual: usize) -> bool {
    matches!(done, Err(Error::WrongLength { min, max, actual: found, .. })
        if [*min, *max, *found] == [expected, expected, actual])
}

/// Fails if the text that `value` is printed as shows `secret`, in hexadecimal digits or in numbers.
///
/// # Panics
/// If it does.
pub fn tells_nothing(value: &impl Debug, secret: &[u8]) {
    let text = format!("{value:?}");
    for bytes in secret.windows(4) {
        let shown = [format!("{bytes:?}"), format!("{bytes:x?}"), format!("{bytes:02x?}")];
        assert!(!shown.iter().any(|shown| text.contains(shown.trim_matches(['[', ']']))), "{text}");
    }
}
