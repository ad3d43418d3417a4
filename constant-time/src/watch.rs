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

/// What of a case is secret. Marks of a text would hide that a key's were lost on the way, and the reverse: each goes in
/// alone, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secret {
    All,
    Key,
    Text,
}

impl Secret {
    pub const EACH: [Self; 3] = [Self::All, Self::Key, Self::Text];

    pub fn key(self, len: usize, seed: u64) -> Vec<u8> {
        self.bytes(&[Self::All, Self::Key], len, seed)
    }

    pub fn text(self, len: usize, seed: u64) -> Vec<u8> {
        self.bytes(&[Self::All, Self::Text], len, seed)
    }

    /// Nonces and additional data: their marks would hide both.
    pub fn other(self, len: usize, seed: u64) -> Vec<u8> {
        self.bytes(&[Self::All], len, seed)
    }

    fn bytes(self, secret_in: &[Self], len: usize, seed: u64) -> Vec<u8> {
        let mut bytes = public(len, seed);
        if secret_in.contains(&self) {
            tool::mark(&mut bytes);
        }
        bytes
    }
}

/// Bytes that look random, the same for the same seed.
fn public(len: usize, seed: u64) -> Vec<u8> {
    let mut state = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let next = |_| {
        // Marsaglia's xorshift64.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..len).map(next).collect()
}

/// Bytes that look random, marked as secret.
pub fn secret(len: usize, seed: u64) -> Vec<u8> {
    Secret::All.key(len, seed)
}

/// As [`secret`], in an array.
pub fn secret_array<const N: usize>(seed: u64) -> [u8; N] {
    array(&secret(N, seed))
}

/// The same bytes with the same marks.
pub fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("as many bytes")
}

/// Whether all bits that came out are marked, and takes the marks off. A zero need not be: it may come from wiping, or be
/// what an answer is filled up with.
pub fn still_secret(bytes: &mut [u8]) -> bool {
    let marks = tool::marks(bytes);
    tool::unmark(bytes);
    bytes.iter().zip(marks).all(|(&byte, mark)| byte == 0 || mark == 0xff)
}
