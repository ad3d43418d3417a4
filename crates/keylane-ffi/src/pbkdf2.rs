//! PBKDF2 with HMAC (RFC 8018 section 5.2).

use crate::batch::Batch;
use crate::boundary::{GROUP, Group, Input, Numbers, Output, export};
use crate::error::{Failure, KEYLANE_ERROR_INPUT_TOO_LONG, KEYLANE_ERROR_INVALID_PARAMETER};
use crate::hash::hash_kind;
use keylane::pbkdf2::Job;
use std::ffi::c_int;
use std::num::NonZeroU32;

export! {
    fn keylane_pbkdf2_derive(
        call;
        hash: c_int,
        password[password_len]: Input,
        salt[salt_len]: Input,
        iterations: u32,
        out[out_len]: Output,
    ) {
        let (password, salt, out) = (call.input(password)?, call.input(salt)?, call.output(out)?);
        Ok(hash_kind(hash)?.pbkdf2(password, salt, at_least_one(iterations)?, out)?)
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_pbkdf2_derive_many(
        call;
        hash: c_int,
        passwords: Input,
        password_offsets: Numbers,
        salts: Input,
        salt_offsets: Numbers,
        count: usize,
        iterations: u32,
        out: Output,
        key_len: usize,
    ) {
        let passwords = Batch::new(call, passwords, password_offsets, count)?;
        let salts = Batch::new(call, salts, salt_offsets, count)?;
        let out_len = count.checked_mul(key_len).ok_or(Failure(KEYLANE_ERROR_INPUT_TOO_LONG))?;
        let out = call.output((out, out_len))?;
        let (kind, iterations) = (hash_kind(hash)?, at_least_one(iterations)?);
        for (i, out) in out.chunks_mut(key_len.saturating_mul(GROUP).max(1)).enumerate() {
            let keys = (GROUP * i..).zip(out.chunks_mut(key_len));
            let jobs = keys.map(|(i, out)| Job { password: passwords.get(i), salt: salts.get(i), out });
            kind.pbkdf2_many(Group::new().fill(jobs), iterations)?;
        }
        Ok(())
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_pbkdf2_verify(
        call;
        hash: c_int,
        password[password_len]: Input,
        salt[salt_len]: Input,
        iterations: u32,
        expected[expected_len]: Input,
    ) {
        let (password, salt, expected) = (call.input(password)?, call.input(salt)?, call.input(expected)?);
        Ok(hash_kind(hash)?.pbkdf2_verify(password, salt, at_least_one(iterations)?, expected)?)
    }
}

fn at_least_one(iterations: u32) -> Result<NonZeroU32, Failure> {
    NonZeroU32::new(iterations).ok_or(Failure(KEYLANE_ERROR_INVALID_PARAMETER))
}
