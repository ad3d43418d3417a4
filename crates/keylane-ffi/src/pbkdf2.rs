//! PBKDF2 with HMAC (RFC 8018 section 5.2).

use crate::algorithm::algorithm;
use keylane::hash::Algorithm;
use keylane::pbkdf2::Job;
use keylane_boundary::error::{Failure, KEYLANE_ERROR_INPUT_TOO_LONG, KEYLANE_ERROR_INVALID_PARAMETER};
use keylane_boundary::{GROUP, Input, List, Output, Slices, call};
use std::ffi::c_int;
use std::num::NonZeroU32;

/// Fills `out` with the key derived from a password. `iterations` sets the cost of a guess; OWASP recommends
/// 600000 with SHA-256 and 210000 with SHA-512 (2023). The salt should be at least 16 random bytes and never
/// be used twice.
///
/// @return 0; INVALID_PARAMETER for an unknown hash or 0 iterations; INPUT_TOO_LONG if `out_len` is above
/// 2^32 - 1 digests.
#[unsafe(no_mangle)]
extern "C" fn keylane_pbkdf2_derive(
    hash: c_int,
    password: Input,
    password_len: usize,
    salt: Input,
    salt_len: usize,
    iterations: u32,
    out: Output,
    out_len: usize,
) -> c_int {
    call(move |call| {
        let (password, salt) = (call.input(password, password_len)?, call.input(salt, salt_len)?);
        let out = call.output(out, out_len)?;
        let iterations = at_least_one(iterations)?;
        Ok(algorithm(hash)?.pbkdf2(password, salt, iterations, out)?)
    })
}

/// Derives the keys of `count` passwords, each with its own salt, several at a time in the lanes of vector
/// registers: faster than one after the other. `out` receives the keys one after the other, `key_len` bytes
/// each.
///
/// @return as keylane_pbkdf2_derive.
#[unsafe(no_mangle)]
extern "C" fn keylane_pbkdf2_derive_many(
    hash: c_int,
    passwords: List,
    salts: List,
    count: usize,
    iterations: u32,
    out: Output,
    key_len: usize,
) -> c_int {
    call(move |call| {
        let (passwords, salts) = (call.list(passwords, count)?, call.list(salts, count)?);
        let out_len = count.checked_mul(key_len).ok_or(Failure(KEYLANE_ERROR_INPUT_TOO_LONG))?;
        let out = call.output(out, out_len)?;
        let iterations = at_least_one(iterations)?;
        derive_many(algorithm(hash)?, &passwords, &salts, iterations, out)
    })
}

fn derive_many(
    algorithm: Algorithm,
    passwords: &Slices<'_>,
    salts: &Slices<'_>,
    iterations: NonZeroU32,
    out: &mut [u8],
) -> Result<(), Failure> {
    if out.is_empty() {
        return Ok(());
    }
    let key_len = out.len() / passwords.count();
    for (i, out) in out.chunks_mut(GROUP * key_len).enumerate() {
        let (passwords, len) = passwords.group(GROUP * i);
        let (salts, _) = salts.group(GROUP * i);
        let mut keys = out.chunks_mut(key_len);
        let mut jobs = std::array::from_fn::<_, GROUP, _>(|i| Job {
            password: passwords[i],
            salt: salts[i],
            out: keys.next().unwrap_or_default(),
        });
        algorithm.pbkdf2_many(&mut jobs[..len], iterations)?;
    }
    Ok(())
}

/// Checks that `expected` is the key derived from a password. The comparison takes constant time.
///
/// @return 0; AUTHENTICATION_FAILED; INVALID_PARAMETER as keylane_pbkdf2_derive; WRONG_LENGTH unless
/// `expected_len` is 1 to 1024.
#[unsafe(no_mangle)]
extern "C" fn keylane_pbkdf2_verify(
    hash: c_int,
    password: Input,
    password_len: usize,
    salt: Input,
    salt_len: usize,
    iterations: u32,
    expected: Input,
    expected_len: usize,
) -> c_int {
    call(move |call| {
        let (password, salt) = (call.input(password, password_len)?, call.input(salt, salt_len)?);
        let expected = call.input(expected, expected_len)?;
        let iterations = at_least_one(iterations)?;
        Ok(algorithm(hash)?.pbkdf2_verify(password, salt, iterations, expected)?)
    })
}

fn at_least_one(iterations: u32) -> Result<NonZeroU32, Failure> {
    NonZeroU32::new(iterations).ok_or(Failure(KEYLANE_ERROR_INVALID_PARAMETER))
}
