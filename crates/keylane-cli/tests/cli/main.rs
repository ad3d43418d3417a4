//! The command, run on real files.

mod against_tools;
mod bench;
mod checksums;
mod derive;
mod descriptors;
mod encryption;
mod fuzz;
mod inspect;
mod keygen;
mod keys;
mod lists;
mod manual;
mod many_files;
mod readme;
#[cfg(feature = "tls")]
mod tls;
mod usage;
mod workplace;
