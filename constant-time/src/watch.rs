//! One case after the other: secrets go in, no report may come of it, and what comes out must still be secret.

use crate::tool;
use std::fmt::Display;

/// Where a run ends that goes wrong everywhere.
const ENOUGH: usize = 20;

/// What has been seen so far.
#[derive(Default)]
pub struct Watch {
    pub cases: usize,
    pub faults: usize,
}

impl Watch {
    /// Runs a case. It gives whether all secrets that came out were still marked: if not, the tool has lost sight of them
    /// on the way, and would have seen no leak behind that place.
    pub fn case(&mut self, name: impl Display, run: impl FnOnce() -> bool) {
        let before = tool::reports();
        let followed = run();
        self.cases += 1;
        if tool::reports() > before {
            eprintln!("LEAK in {name}: see the reports above");
            self.faults += 1;
        }
        if !followed {
            eprintln!("LOST in {name}: what came out is not marked");
            self.faults += 1;
        }
        assert!(self.faults < ENOUGH, "{ENOUGH} cases went wrong: this is enough");
    }
}

/// Bytes that look random, the same for the same seed, marked as secret.
pub fn secret(len: usize, seed: u64) -> Vec<u8> {
    let mut state = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let next = |_| {
        // Marsaglia's xorshift64.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    let mut bytes: Vec<u8> = (0..len).map(next).collect();
    tool::mark(&mut bytes);
    bytes
}

/// As [`secret`], in an array.
pub fn secret_array<const N: usize>(seed: u64) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&secret(N, seed));
    bytes
}

/// Whether all that came out is marked, and takes the marks off. A zero need not be: it may come from wiping, or be what
/// an answer is filled up with.
pub fn still_secret(bytes: &mut [u8]) -> bool {
    let marks = tool::marks(bytes);
    tool::unmark(bytes);
    bytes.iter().zip(marks).all(|(&byte, mark)| byte == 0 || mark != 0)
}
