//! Keylane's access to the CPU: detection, vectors, and what secrets need. The primitives' `unsafe` code is
//! all in this crate.
//!
//! - [`InstructionSet`]: a token, whose existence proves that this CPU has the instructions.
//! - [`lanes`]: vectors, made from tokens, and the traits that algorithms are written over.
//! - [`in_out`]: input and output, in place or in separate memory.
//! - [`growing`]: blocks that are computed when they are first needed.
//! - [`wipe`] and [`constant_time`]: overwriting, comparing and declassifying secrets.
//! - [`pin`]: values whose order the optimiser must keep.
//!
//! Everything public is safe to call. This crate has no stability promise of its own: use `keylane`.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(any(feature = "std", keylane_mask, test)), no_std)]

#[cfg(feature = "alloc")]
extern crate alloc;

pub mod constant_time;
pub mod growing;
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
