//! Writes the SONAME.

include!("../keylane-boundary/soname.rs");
