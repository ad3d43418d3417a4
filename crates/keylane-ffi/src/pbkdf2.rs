//! PBKDF2 with HMAC (RFC 8018 section 5.2).

use crate::algorithm::algorithm;
use crate::batch::{Batch, GROUP};
use crate::boundary::{Input, Numbers, Output, call};
use crate::error::{Failure, KEYLANE_ERROR_INPUT_TOO_LONG, KEYLANE_ERROR_INVALID_PARAMETER};
use keylane::pbkdf2::Job;
use std::ffi::c_int;
use std::num::NonZeroU32;

#[unsafe(no_mangle)]
pub extern "C" fn keylane_pbkdf2_derive(
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

#[unsafe(no_mangle)]
pub extern "C" fn keylane_pbkdf2_derive_many(
    hash: c_int,
    passwords: Input,
    password_offsets: Numbers,
    salts: Input,
    salt_offsets: Numbers,
    count: usize,
    iterations: u32,
    out: Output,
    key_len: usize,
) -> c_int {
    call(move |call| {
        let passwords = Batch::new(call, passwords, password_offsets, count)?;
        let salts = Batch::new(call, salts, salt_offsets, count)?;
        let out_len = count.checked_mul(key_len).ok_or(Failure(KEYLANE_ERROR_INPUT_TOO_LONG))?;
        let out = call.output(out, out_len)?;
        let (algorithm, iterations) = (algorithm(hash)?, at_least_one(iterations)?);
        for (i, out) in out.chunks_mut(key_len.saturating_mul(GROUP).max(1)).enumerate() {
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
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_pbkdf2_verify(
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
