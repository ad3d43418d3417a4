//! Compares TLS libraries: certificates, transports in memory, and scenarios that check before they measure.
//!
//! | module | |
//! |---|---|
//! | [`terms`] | version, cipher and key, the same for every library |
//! | [`certificates`] | an authority, its certificates, and both ends' configurations |
//! | [`contender`] | the libraries, as streams |
//! | [`fuzz`](mod@fuzz) | sessions with known keys, and records by rustls |
//! | [`memory`] | a connection in memory |
//! | [`clock`] | CPU time |
//! | [`case`](mod@case) | the table of measured cases |
//! | [`scenario`] | how cases are measured, over a socket or in memory |
//!
//! Measuring needs Unix's clocks of CPU time.

#![forbid(unsafe_code)]

#[cfg(unix)]
pub mod case;
pub mod certificates;
#[cfg(unix)]
pub mod clock;
#[cfg(unix)]
pub mod contender;
pub mod fuzz;
pub mod memory;
#[cfg(unix)]
pub mod scenario;
pub mod terms;
