//! One case after the other: secrets go in, no report may come of it, and what comes out must still be secret.

use crate::tool;
use std::fmt::Display;

/// After so many cases that went wrong, no more of an implementation are run.
const ENOUGH: usize = 20;

/// What has been seen so far of an implementation.
pub struct Watch {
    /// In which the tool followed the secrets to the end.
    pub cases: usize,
    pub faults: usize,
    /// The cases in which the tool lost sight of secrets, where it is known to.
    pub lost: Vec<String>,
    may_lose: bool,
}

impl Watch {
    /// `may_lose`: whether the tool is known to lose sight of a single byte in this implementation.
    pub const fn new(may_lose: bool) -> Self {
        Self { cases: 0, faults: 0, lost: Vec::new(), may_lose }
    }

    /// Runs a case. It gives whether all secrets that came out were still marked: if not, the tool has lost sight of them
    /// on the way, and would have seen no leak behind that place.
    pub fn case(&mut self, name: impl Display, run: impl FnOnce() -> bool) {
        self.judge(false, name, run);
    }

    /// As `case`, where no secret that goes in is longer than `len` bytes: of a single byte the tool may lose sight.
    pub fn case_of(&mut self, len: usize, name: impl Display, run: impl FnOnce() -> bool) {
        self.judge(self.may_lose && len == 1, name, run);
    }

    fn judge(&mut self, may_lose: bool, name: impl Display, run: impl FnOnce() -> bool) {
        if self.faults == ENOUGH {
            return;
        }
        let before = tool::reports();
        let followed = run();
        if tool::reports() > before {
            eprintln!("LEAK in {name}: see the reports above");
            self.faults += 1;
        } else if followed {
            self.cases += 1;
        } else if may_lose {
            self.lost.push(name.to_string());
        } else {
            eprintln!("LOST in {name}: what came out is not marked");
            self.faults += 1;
        }
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
