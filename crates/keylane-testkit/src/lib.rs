//! What the tests of Keylane share. For development only; it is not published.
//!
//! - [`every_backend`]: runs a test over every implementation of a primitive that this CPU can run.
//! - [`contract`]: suites that hold for any hash and any MAC.
//! - [`fips180`]: the published digests of FIPS 180-4.
//! - [`Oracle`]: the same computations by RustCrypto, which shares no code with Keylane.
//! - [`Guarded`], [`painted`], [`LENGTHS`], [`Random`], [`hex`]: inputs.
#![forbid(unsafe_code)]

mod backends;
pub mod contract;
mod guarded;
mod inputs;
mod oracle;
mod published;

pub use backends::{every_backend, exclusively, require, required};
pub use guarded::Guarded;
pub use inputs::{LENGTHS, Random, hex, painted};
pub use oracle::Oracle;
pub use published::{Fips180, fips180};
