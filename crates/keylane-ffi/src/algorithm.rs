//! The hashes' numbers and names in C.

use crate::error::{Failure, KEYLANE_ERROR_INVALID_PARAMETER, KEYLANE_ERROR_WRONG_LENGTH};
use keylane::hash::Algorithm;
use std::ffi::{CStr, c_char, c_int};

pub const KEYLANE_SHA1: c_int = 1;
pub const KEYLANE_SHA224: c_int = 2;
pub const KEYLANE_SHA256: c_int = 3;
pub const KEYLANE_SHA384: c_int = 4;
pub const KEYLANE_SHA512: c_int = 5;
pub const KEYLANE_SHA512_256: c_int = 6;
pub const KEYLANE_HASH_MAX_LEN: usize = 64;

/// The hashes by number, with their names.
static ALGORITHMS: [(c_int, Algorithm, &CStr); 6] = [
    (KEYLANE_SHA1, Algorithm::Sha1, c"sha1"),
    (KEYLANE_SHA224, Algorithm::Sha224, c"sha224"),
    (KEYLANE_SHA256, Algorithm::Sha256, c"sha256"),
    (KEYLANE_SHA384, Algorithm::Sha384, c"sha384"),
    (KEYLANE_SHA512, Algorithm::Sha512, c"sha512"),
    (KEYLANE_SHA512_256, Algorithm::Sha512_256, c"sha512-256"),
];

/// Returns the hash with this number.
pub(crate) fn algorithm(number: c_int) -> Result<Algorithm, Failure> {
    find(number).map(|(algorithm, _)| algorithm).ok_or(Failure(KEYLANE_ERROR_INVALID_PARAMETER))
}

fn find(number: c_int) -> Option<(Algorithm, &'static CStr)> {
    let &(_, algorithm, name) = ALGORITHMS.iter().find(|(known, ..)| *known == number)?;
    Some((algorithm, name))
}

/// Fails unless `len` is the length of one digest per message.
pub(crate) fn check_many(algorithm: Algorithm, messages: usize, len: usize) -> Result<(), Failure> {
    let right = messages.checked_mul(algorithm.output_len()) == Some(len);
    if right { Ok(()) } else { Err(Failure(KEYLANE_ERROR_WRONG_LENGTH)) }
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hash_output_len(hash: c_int) -> usize {
    algorithm(hash).map_or(0, Algorithm::output_len)
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hash_block_len(hash: c_int) -> usize {
    algorithm(hash).map_or(0, Algorithm::block_len)
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_hash_name(hash: c_int) -> *const c_char {
    find(hash).map_or(std::ptr::null(), |(_, name)| name.as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers out of range are refused; the others have the same number and name in Rust.
    #[test]
    fn numbers_name_hashes() {
        for number in [c_int::MIN, -1, 0, 7, 256 + 3, c_int::MAX] {
            assert_eq!(algorithm(number), Err(Failure(KEYLANE_ERROR_INVALID_PARAMETER)), "{number}");
            assert_eq!(keylane_hash_output_len(number), 0);
        }
        for (number, known) in (KEYLANE_SHA1..=KEYLANE_SHA512_256).zip(Algorithm::ALL) {
            assert_eq!((algorithm(number), number), (Ok(known), known as c_int));
            assert_eq!(find(number).unwrap().1.to_str().unwrap(), known.name());
        }
        const { assert!(Algorithm::MAX_OUTPUT_LEN == KEYLANE_HASH_MAX_LEN) }
    }
}
