//! PBKDF2 with HMAC (RFC 8018 §5.2). An iteration is two compressions of blocks that are padded only once.
//! The blocks of a long output and the jobs of a batch are computed several at a time, in the lanes of vector
//! registers.
//!
//! # Security
//! The iterations set the cost of a guess. OWASP recommends 600 000 with SHA-256 and 210 000 with SHA-512
//! (2023). The salt should be at least 16 random bytes and never be used twice. Parallel lanes speed up
//! attackers as much as servers.

pub use crate::compression::keyed::Job;

use crate::error::Error;
use crate::function::Hash;
use crate::hmac::accept;
use core::num::NonZeroU32;
use keylane_cpu::constant_time;
use keylane_cpu::wipe::Secret;

/// Fills `out` with the key derived from `password` and `salt`.
///
/// ```
/// use core::num::NonZeroU32;
/// use keylane::{pbkdf2, sha2::Sha256};
///
/// let mut key = [0; 32];
/// pbkdf2::derive::<Sha256>(b"password", b"salt", NonZeroU32::new(4096).unwrap(), &mut key)?;
/// assert_eq!(key[..4], [0xc5, 0xe4, 0x78, 0xd5]);
/// # Ok::<(), keylane::Error>(())
/// ```
///
/// # Errors
/// [`Error::InputTooLong`] if `out` is longer than 2³² - 1 digests; `out` is unchanged.
pub fn derive<H: Hash>(
    password: &[u8],
    salt: &[u8],
    iterations: NonZeroU32,
    out: &mut [u8],
) -> Result<(), Error> {
    derive_many::<H>(&mut [Job { password, salt, out }], iterations)
}

/// Fills every job's `out`. Several jobs are computed at a time, in the lanes of vector registers: see
/// [`Job`] for an example with two.
///
/// # Errors
/// As [`derive()`]; all outputs are unchanged.
pub fn derive_many<H: Hash>(jobs: &mut [Job<'_>], iterations: NonZeroU32) -> Result<(), Error> {
    check_jobs(jobs, H::OUTPUT_LEN)?;
    H::derive(jobs, iterations.get());
    Ok(())
}

/// Fails if an output has more blocks than PBKDF2's four-byte counter can number (RFC 8018 §5.2).
pub(crate) fn check_jobs(jobs: &[Job<'_>], digest_len: usize) -> Result<(), Error> {
    let max = u64::from(u32::MAX) * digest_len as u64;
    if jobs.iter().any(|job| job.out.len() as u64 > max) { Err(Error::InputTooLong { max }) } else { Ok(()) }
}

/// The maximum length, in bytes, of the expected key in [`verify`].
const MAX_EXPECTED_LEN: usize = 1024;

/// Verifies that `expected` is the key derived from `password`. The comparison takes constant time.
///
/// ```
/// use keylane::{pbkdf2, sha2::Sha512};
/// use std::num::NonZeroU32;
///
/// let (iterations, salt) = (NonZeroU32::new(1000).unwrap(), b"sixteen random b");
/// let mut kept = [0; 64];
/// pbkdf2::derive::<Sha512>(b"hunter2", salt, iterations, &mut kept)?;
/// assert!(pbkdf2::verify::<Sha512>(b"hunter2", salt, iterations, &kept).is_ok());
/// assert!(pbkdf2::verify::<Sha512>(b"hunter3", salt, iterations, &kept).is_err());
/// # Ok::<(), keylane::Error>(())
/// ```
///
/// # Errors
/// [`Error::AuthenticationFailed`] if the derived key differs; [`Error::WrongLength`] if `expected` is empty,
/// which every password would match, or longer than 1024 bytes.
pub fn verify<H: Hash>(
    password: &[u8],
    salt: &[u8],
    iterations: NonZeroU32,
    expected: &[u8],
) -> Result<(), Error> {
    verify_by(expected, &mut |derived| derive::<H>(password, salt, iterations, derived))
}

/// Verifies that `derive` fills its argument with `expected`.
pub(crate) fn verify_by(
    expected: &[u8],
    derive: &mut dyn FnMut(&mut [u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    Error::check_range("length of the expected key in bytes", 1, MAX_EXPECTED_LEN, expected.len())?;
    let mut derived = Secret::new([0; MAX_EXPECTED_LEN]);
    let derived = &mut derived[..expected.len()];
    derive(derived)?;
    accept(constant_time::equal(derived, expected))
}
