//! PBKDF2 with HMAC (RFC 8018 §5.2). An iteration is two compressions of blocks that are padded only once.
//! The blocks of a long output and the jobs of a batch are computed several at a time, in the lanes of vector
//! registers.
//!
//! # Security
//! The iterations set the cost of a guess: OWASP asks for 600 000 with SHA-256 and 210 000 with SHA-512
//! (2023). The salt should be at least 16 random bytes and never be used twice. Attackers gain as much from
//! computing in lanes as a server does.

use crate::error::Error;
use crate::hash::Hash;
use crate::hmac::{Midstate, check_output_len};
use core::fmt;
use core::num::NonZeroU32;
use keylane_cpu::constant_time;
use keylane_cpu::wipe::wipe;

/// One derivation of a batch.
///
/// ```
/// use keylane::pbkdf2::{self, Job};
/// use keylane::sha2::Sha512;
/// use std::num::NonZeroU32;
///
/// let (mut alice, mut bob) = ([0; 64], [0; 64]);
/// let mut jobs = [
///     Job { password: b"hunter2", salt: b"alice's 16 bytes", out: &mut alice },
///     Job { password: b"hunter2", salt: b"bob's   16 bytes", out: &mut bob },
/// ];
/// pbkdf2::derive_many::<Sha512>(&mut jobs, NonZeroU32::new(1000).unwrap())?;
/// assert_ne!(alice, bob);
/// # Ok::<(), keylane::Error>(())
/// ```
pub struct Job<'a> {
    /// Any length.
    pub password: &'a [u8],
    /// Any length.
    pub salt: &'a [u8],
    /// Filled with the derived key.
    pub out: &'a mut [u8],
}

impl fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").field("out_len", &self.out.len()).finish_non_exhaustive()
    }
}

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
/// As [`derive()`]; then no job was begun.
pub fn derive_many<H: Hash>(jobs: &mut [Job<'_>], iterations: NonZeroU32) -> Result<(), Error> {
    for job in &*jobs {
        check_output_len::<H>(job.out)?;
    }
    H::Midstate::derive(jobs, iterations.get());
    Ok(())
}

/// The longest derived key that [`verify`] takes, in bytes.
const LONGEST_EXPECTED: usize = 1024;

/// Accepts `password` if `expected` is the key derived from it. The comparison takes constant time.
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
    if !(1..=LONGEST_EXPECTED).contains(&expected.len()) {
        return Err(Error::WrongLength {
            what: "length of the expected key in bytes",
            min: 1,
            max: LONGEST_EXPECTED,
            actual: expected.len(),
        });
    }
    let mut derived = [0; LONGEST_EXPECTED];
    let derived = &mut derived[..expected.len()];
    derive::<H>(password, salt, iterations, derived)?;
    let good = constant_time::declassify(constant_time::equal(derived, expected));
    wipe(derived);
    if good { Ok(()) } else { Err(Error::AuthenticationFailed) }
}
