//! The core clock, measured where no cycle counter can be read: in safe code and in most virtual machines.
//!
//! Integer additions that wait for each other take one cycle each on every x86-64 and aarch64 core, so a
//! chain of known length tells how long a cycle is.

use keylane_cpu::pin::pin_here;
use std::hint::black_box;
use std::time::Instant;

/// A chain takes some ten microseconds: long beside the reading of the time, short beside a time slice.
const TURNS: u32 = 512;

/// The chain's links in one turn: the loop's own counter runs beside them and costs nothing.
const LINKS: u32 = 64;

/// Whether the clock can be measured. Elsewhere a pin is the plain identity, and without optimisation an
/// addition goes through memory.
pub(crate) const MEASURABLE: bool =
    cfg!(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(debug_assertions)));

/// The clock at this moment, in GHz: cycles a nanosecond.
pub(crate) fn gigahertz() -> Option<f64> {
    if !MEASURABLE {
        return None;
    }
    // An interruption only ever makes a chain longer.
    let nanoseconds = (0..3).map(|_| chain()).min()?;
    (nanoseconds > 0).then(|| f64::from(TURNS * LINKS) / nanoseconds as f64)
}

/// How many nanoseconds the chain takes.
fn chain() -> u128 {
    // A register is added, not a constant: some cores add small constants for nothing while they rename
    // registers.
    let step = black_box(3u64);
    let mut x = black_box(1u64);
    let start = Instant::now();
    for _ in 0..TURNS {
        // Written out by the compiler: a fixed, short loop of opaque steps.
        macro_rules! links {
            ($($_link:literal)*) => { $( let _ = $_link; x = pin_here(x.wrapping_add(step)); )* };
        }
        links!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
        links!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    }
    let nanoseconds = start.elapsed().as_nanos();
    black_box(x);
    nanoseconds
}
