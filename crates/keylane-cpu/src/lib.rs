//! Keylane's access to the CPU: detection, vectors, wiping, comparison in constant time. It has all `unsafe`
//! code of the primitives.
//!
//! For cryptography, use the crate `keylane`. This crate is for work on its kernels and promises no
//! stability.
//!
//! | to | use |
//! |---|---|
//! | prove that this CPU has some instructions | [`InstructionSet`], a token: values exist only on such a CPU |
//! | compute on vectors | [`lanes`]: vectors, made from tokens, and the traits that kernels are generic over |
//! | read an input and write an output | [`in_out::InOut`]: in place, or in separate memory |
//! | compute blocks when they are first needed | [`growing`] |
//! | overwrite secrets | [`wipe`] |
//! | compare secrets, and declassify what may be public | [`constant_time`] |
//! | keep the optimiser from reordering | [`pin`] |
//!
//! Everything public is safe to call. `ARCHITECTURE.md` in Keylane's repository follows two calls through
//! these modules.
//!
//! # Examples
//! A token's `run` compiles a closure for its instructions. Detection asks the CPU once:
//!
//! ```
//! use keylane_cpu::{InstructionSet, Portable};
//!
//! fn sum<I: InstructionSet>(isa: I, words: &[u32]) -> u32 {
//!     isa.run(
//!         #[inline(always)]
//!         |_isa| words.iter().sum(),
//!     )
//! }
//!
//! let &isa = Portable::detect().expect("every CPU has it");
//! assert_eq!(sum(isa, &[1, 2, 3]), 6);
//! ```
//!
//! Wiping a secret:
//!
//! ```
//! use keylane_cpu::wipe::wipe;
//!
//! let mut key = [7_u8; 32];
//! wipe(&mut key);
//! assert_eq!(key, [0; 32]);
//! ```
//!
//! Comparing tags in constant time:
//!
//! ```
//! use keylane_cpu::constant_time::equal;
//!
//! assert!(equal(b"a tag", b"a tag"));
//! assert!(!equal(b"a tag", b"a rag"));
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(any(feature = "std", keylane_mask, test)), no_std)]

#[cfg(feature = "alloc")]
extern crate alloc;

mod any_bytes;
pub mod constant_time;
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
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
#[cfg(target_feature = "simd128")]
pub mod wasm32;
#[cfg(target_arch = "x86_64")]
pub mod x86_64;

pub use instruction_set::{IS_SMALL, InstructionSet, LONG_PRODUCTS, Portable, Portable8, Portable32};
