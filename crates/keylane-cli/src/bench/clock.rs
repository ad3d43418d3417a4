//! The core clock, measured without a cycle counter, which safe code and most virtual machines cannot read.
//!
//! Dependent integer additions take one cycle each on every x86-64 and aarch64 core, so the time of a chain
//! of known length is the time of that many cycles.

use keylane_cpu::pin::Scalar;
use std::hint::black_box;
use std::time::Instant;

/// The number of turns in a chain, which takes some ten microseconds: long compared with reading the time,
/// short compared with a time slice.
const TURNS: u32 = 512;

/// The number of additions in one turn of the loop, whose own counter runs in parallel at no cost.
const LINKS: u32 = 64;

/// Whether the clock can be measured: on other architectures the optimiser removes the chain, and without
/// optimisation each addition goes through memory.
pub(crate) const MEASURABLE: bool =
    cfg!(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(debug_assertions)));

/// Returns the current clock in GHz, which is cycles per nanosecond.
pub(crate) fn gigahertz() -> Option<f64> {
    if !MEASURABLE {
        return None;
    }
    // Interruptions only make a chain take longer.
    let nanoseconds = (0..3).map(|_| chain()).min()?;
    (nanoseconds > 0).then(|| f64::from(TURNS * LINKS) / nanoseconds as f64)
}

/// Returns the chain's time in nanoseconds.
fn chain() -> u128 {
    // A register is added, not a constant: some cores add small constants at no cost while they rename
    // registers.
    let step = black_box(3u64);
    let mut x = black_box(1u64);
    let start = Instant::now();
    for _ in 0..TURNS {
        // A fixed, short loop of opaque steps, unrolled at compile time.
        macro_rules! links {
            ($($_link:literal)*) => { $( let _ = $_link; x = x.wrapping_add(step).pin_here(); )* };
        }
        links!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
        links!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    }
    let nanoseconds = start.elapsed().as_nanos();
    black_box(x);
    nanoseconds
}
