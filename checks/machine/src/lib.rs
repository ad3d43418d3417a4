//! Proofs of compiled kernels: the machine code of this process is executed over terms.
//!
//! Instructions, constants and everything else that was not given a term are read from the process itself,
//! so what is executed is what the CPU executes. Registers and memory hold bytes, of which some are known and
//! the others are bytes of terms. Addresses, lengths and branches must be known: a secret that steers one
//! fails the proof.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]
#![forbid(unsafe_code)]

mod general;
mod machine;
mod memory;
mod values;
mod vectors;

pub use machine::{Machine, Spoil};
pub use values::{Op, Part, Shift, Values, moved};
