//! PBKDF2 with HMAC (RFC 8018 §5.2), which derives keys from passwords. A long output's blocks and a batch's
//! jobs are computed several at a time where that is faster.
//!
//! # Security
//! The iterations set the cost of a guess. OWASP recommends 600 000 with SHA-256 and 210 000 with SHA-512
//! (2023). The salt should be at least 16 random bytes and never be used twice. Parallel lanes speed up
//! attackers as much as servers.
//!
//! # Examples
//! A user's row stores the salt and the number of iterations beside the derived key, so that both can change
//! later:
//!
//! ```
//! # #[cfg(feature = "getrandom")]
//! # fn main() -> Result<(), keylane::Error> {
//! use core::num::NonZeroU32;
//! use keylane::{Error, pbkdf2, sha2::Sha512};
//!
//! struct Row {
//!     salt: [u8; 16],
//!     iterations: NonZeroU32,
//!     key: [u8; 32],
//! }
//!
//! fn register(password: &str, iterations: NonZeroU32) -> Result<Row, Error> {
//!     let (salt, mut key) = (pbkdf2::generate_salt()?, [0; 32]);
//!     pbkdf2::derive::<Sha512>(password.as_bytes(), &salt, iterations, &mut key)?;
//!     Ok(Row { salt, iterations, key })
//! }
//!
//! fn log_in(password: &str, row: &Row) -> Result<(), Error> {
//!     pbkdf2::verify::<Sha512>(password.as_bytes(), &row.salt, row.iterations, &row.key)
//! }
//!
//! let row = register("correct horse", NonZeroU32::new(210_000).unwrap())?;
//! # let row = register("correct horse", NonZeroU32::new(1000).unwrap())?;
//! assert!(log_in("correct horse", &row).is_ok());
//! assert_eq!(log_in("battery staple", &row), Err(Error::AuthenticationFailed));
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "getrandom"))]
//! # fn main() {}
//! ```

use crate::error::Error;
use crate::hash::Hash;
use crate::hash::compression::chain::Chain;
use crate::hash::compression::{Compression, Kernel as _, MAX_LANES, Variant};
use crate::hmac::{Midstates, accept, all_right};
#[cfg(feature = "getrandom")]
use crate::random;
use core::num::NonZeroU32;
use core::{array, fmt};
use keylane_cpu::constant_time::{declassify, equal};
use keylane_cpu::wipe::{Secret, wipe};

/// Returns a random salt for one password. Needs the feature `getrandom`.
///
/// # Errors
/// [`Error::NoRandomness`] if the operating system provides no random bytes.
#[cfg(feature = "getrandom")]
pub fn generate_salt() -> Result<[u8; 16], Error> {
    let mut salt = [0; 16];
    random::fill(&mut salt)?;
    Ok(salt)
}

/// Fills `out` with the key derived from `password` and `salt`. The [module](self#security) says how many
/// iterations to use.
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

/// Fills every job's `out`, several side by side where that is faster. See [`Job`] for an example.
///
/// # Errors
/// Those of [`derive()`]; all outputs are unchanged.
pub fn derive_many<H: Hash>(jobs: &mut [Job<'_>], iterations: NonZeroU32) -> Result<(), Error> {
    check_jobs(jobs, H::OUTPUT_LEN)?;
    derive_each::<H::Core>(H::VARIANT, jobs, iterations);
    Ok(())
}

/// Fails if an output has more blocks than PBKDF2's four-byte counter can number (RFC 8018 §5.2).
pub(crate) fn check_jobs(jobs: &[Job<'_>], digest_len: usize) -> Result<(), Error> {
    let max = u64::from(u32::MAX) * digest_len as u64;
    if jobs.iter().any(|job| job.out.len() as u64 > max) { Err(Error::InputTooLong { max }) } else { Ok(()) }
}

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
    /// The password, of any length.
    pub password: &'a [u8],
    /// The salt, of any length.
    pub salt: &'a [u8],
    /// The place for the derived key.
    pub out: &'a mut [u8],
}

impl fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").field("out_len", &self.out.len()).finish_non_exhaustive()
    }
}

/// The maximum length, in bytes, of an expected key.
const MAX_EXPECTED_LEN: usize = 1024;

/// Verifies in constant time that `expected` is the key derived from `password`.
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

/// A password and its expected key, for [`verify_many`].
pub struct Attempt<'a> {
    /// The password, of any length.
    pub password: &'a [u8],
    /// The salt, of any length.
    pub salt: &'a [u8],
    /// The expected key.
    pub expected: &'a [u8],
}

impl fmt::Debug for Attempt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt").field("expected_len", &self.expected.len()).finish_non_exhaustive()
    }
}

/// Verifies several passwords like [`verify()`], several side by side where that is faster, and writes to
/// `verified` whether each one's key is the expected one.
///
/// ```
/// use keylane::{pbkdf2::{self, Attempt}, sha2::Sha512};
/// use std::num::NonZeroU32;
///
/// let (iterations, salt) = (NonZeroU32::new(1000).unwrap(), b"sixteen random b");
/// let mut kept = [0; 64];
/// pbkdf2::derive::<Sha512>(b"hunter2", salt, iterations, &mut kept)?;
/// let attempts = [&b"hunter2"[..], b"hunter3"].map(|password| Attempt { password, salt, expected: &kept });
/// let mut verified = [false; 2];
/// assert!(pbkdf2::verify_many::<Sha512>(&attempts, iterations, &mut verified).is_err());
/// assert_eq!(verified, [true, false]);
/// # Ok::<(), keylane::Error>(())
/// ```
///
/// # Errors
/// [`Error::AuthenticationFailed`] if any derived key differs. [`Error::WrongLength`], with `verified`
/// unchanged, if an expected key has a length that [`verify()`] refuses, or if `attempts` and `verified`
/// differ in length.
pub fn verify_many<H: Hash>(
    attempts: &[Attempt<'_>],
    iterations: NonZeroU32,
    verified: &mut [bool],
) -> Result<(), Error> {
    Error::check_length("number of results", attempts.len(), verified.len())?;
    attempts.iter().try_for_each(|attempt| check_expected(attempt.expected))?;
    let mut derived = Secret::new([0; MAX_EXPECTED_LEN]);
    let mut done = 0;
    while done < attempts.len() {
        let mut rest = &mut derived[..];
        let mut jobs: [Job<'_>; MAX_LANES] =
            array::from_fn(|_| Job { password: b"", salt: b"", out: &mut [] });
        // As many at a time as their keys fit, at least one.
        let mut count = 0;
        for (job, &Attempt { password, salt, expected }) in jobs.iter_mut().zip(&attempts[done..]) {
            let Some(out) = rest.split_off_mut(..expected.len()) else { break };
            *job = Job { password, salt, out };
            count += 1;
        }
        derive_many::<H>(&mut jobs[..count], iterations)?;
        for (job, i) in jobs[..count].iter().zip(done..) {
            verified[i] = declassify(equal(job.out, attempts[i].expected));
        }
        done += count;
    }
    all_right(verified)
}

fn check_expected(expected: &[u8]) -> Result<(), Error> {
    Error::check_range("length of the expected key in bytes", 1, MAX_EXPECTED_LEN, expected.len())
}

/// Verifies that `derive` fills its argument with `expected`.
pub(crate) fn verify_by(
    expected: &[u8],
    derive: &mut dyn FnMut(&mut [u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    check_expected(expected)?;
    let mut derived = Secret::new([0; MAX_EXPECTED_LEN]);
    let derived = &mut derived[..expected.len()];
    derive(derived)?;
    accept(equal(derived, expected))
}

/// Computes PBKDF2 for every job. The caller has checked the lengths.
pub(crate) fn derive_each<C: Compression>(
    variant: &Variant<C>,
    jobs: &mut [Job<'_>],
    iterations: NonZeroU32,
) {
    // Each output block of each job is a chain, and the chains of all jobs fill the lanes.
    let mut chains = [Chain::<C>::EMPTY; MAX_LANES];
    let mut places = [(0, 0); MAX_LANES];
    let (mut filled, digest_len) = (0, variant.digest_len);
    for job in 0..jobs.len() {
        let key = Midstates::<C>::new(variant, jobs[job].password);
        for block in 0..jobs[job].out.len().div_ceil(digest_len) {
            let mut first = key.start();
            C::update(&mut first, jobs[job].salt);
            C::update(&mut first, &(block as u32 + 1).to_be_bytes());
            let u = key.finish(digest_len, &mut first);
            let [&inner, &outer] = key.states();
            chains[filled] = Chain { inner, outer, u, sum: u };
            places[filled] = (job, block);
            filled += 1;
            if filled == MAX_LANES {
                run(&mut chains, &places, jobs, digest_len, iterations);
                filled = 0;
            }
        }
    }
    run(&mut chains[..filled], &places, jobs, digest_len, iterations);
    wipe(&mut chains);
}

/// Runs the chains and writes each result to its place.
fn run<C: Compression>(
    chains: &mut [Chain<C>],
    places: &[(usize, usize)],
    jobs: &mut [Job<'_>],
    digest_len: usize,
    iterations: NonZeroU32,
) {
    if chains.is_empty() {
        return;
    }
    C::backends().chosen_for(chains.len()).iterate(chains, digest_len, iterations.get() - 1);
    for (chain, &(job, block)) in chains.iter().zip(places) {
        let out = &mut jobs[job].out[digest_len * block..];
        let len = out.len().min(digest_len);
        C::store(&chain.sum, &mut out[..len]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No memory could hold an output that is too long for a real digest. With a digest of 0 bytes, every
    /// output is.
    #[test]
    fn too_long_outputs_are_refused() {
        let check = |len| check_jobs(&[Job { password: b"", salt: b"", out: &mut [0; 1][..len] }], 0);
        assert_eq!((check(0), check(1)), (Ok(()), Err(Error::InputTooLong { max: 0 })));
    }
}
