//! Compares Keylane with other libraries: one table of cases, interleaved rounds, one clock.
#![allow(missing_docs, reason = "the names say it; this crate is never published")]

pub mod batches;
pub mod case;
pub mod chart;
pub mod clock;
pub mod hide;
pub mod measure;
pub mod report;
pub mod results;
pub mod rival;
pub mod rivals;
pub mod tls;

/// Our own name among the libraries.
pub const OURS: &str = "keylane";

/// Whether a column is ours: `keylane:` and an implementation, or another's TLS with our ciphers.
pub fn is_ours(library: &str) -> bool {
    library.contains(OURS)
}
