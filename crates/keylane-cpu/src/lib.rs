//! What Keylane asks of the CPU, and the only crate of Keylane that holds `unsafe` code.
//!
//! - [`InstructionSet`]: a value of such a type is proof that this CPU has the instructions.
//! - [`lanes`]: the vector operations that algorithms are written over, each made from that proof.
//! - [`in_out`]: input and output, in place or apart.
//! - [`wipe`] and [`constant_time`]: what secrets need.
//! - [`pin`]: keeps an order of instructions that the optimiser would change.
//!
//! Everything public is safe to call. This crate has no stability promise of its own: use `keylane`.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(any(feature = "std", keylane_mask, test)), no_std)]

#[cfg(feature = "alloc")]
extern crate alloc;

pub mod constant_time;
pub mod in_out;
mod instruction_set;
pub mod lanes;
#[cfg(all(keylane_mask, any(target_arch = "aarch64", target_arch = "x86_64")))]
mod mask;
pub mod pin;
pub mod wipe;

#[cfg(target_arch = "aarch64")]
pub mod aarch64;
#[cfg(target_arch = "x86_64")]
pub mod x86_64;

pub use instruction_set::{InstructionSet, Portable, Portable32};
