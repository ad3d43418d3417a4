//! The command, run on real files.

mod against_tools;
mod backends;
mod bench;
mod checksums;
mod derive;
mod descriptors;
mod encryption;
mod inspect;
mod keygen;
mod keys;
mod lists;
mod manual;
mod many_files;
mod readme;
mod usage;
mod workplace;
