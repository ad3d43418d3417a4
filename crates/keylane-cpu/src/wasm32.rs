//! WebAssembly with 128-bit vectors (`simd128`). Whether a program uses them is decided at compile time.
//!
//! ```
//! use keylane_cpu::{InstructionSet, wasm32::Simd128};
//!
//! assert!(Simd128::detect().is_some());
//! ```

use crate::InstructionSet;

/// 128-bit integer vectors.
#[derive(Clone, Copy, Debug)]
pub struct Simd128;

impl InstructionSet for Simd128 {
    const NAME: &'static str = "simd128";

    fn detect() -> Option<&'static Self> {
        Some(&Self)
    }

    #[inline(always)]
    fn enter<R>(f: impl FnOnce(Self) -> R) -> R {
        Self.run(f)
    }

    /// Never inlined, so that a kernel that several functions enter is compiled once.
    #[inline(never)]
    fn run<R>(self, f: impl FnOnce(Self) -> R) -> R {
        f(self)
    }
}
