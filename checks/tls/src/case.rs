//! The table of measured cases.

use crate::terms::{CIPHERS, Key, Terms, Version};
use std::fmt;

/// A group of cases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scenario {
    /// Bulk data in memory, each direction alone.
    Records,
    /// Handshake and echo over loopback TCP.
    Throughput,
}

/// One row of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    /// Its group.
    pub scenario: Scenario,
    /// Version, cipher and key.
    pub terms: Terms,
    /// Whether both ends begin with short records, where they can; otherwise all are as long as may be.
    pub dynamic: bool,
    /// Records: the bytes of a message, which is one record. Throughput: how much is echoed, in MiB.
    pub size: usize,
}

impl Scenario {
    /// Every scenario.
    pub const ALL: [Self; 2] = [Self::Records, Self::Throughput];

    /// Returns its cases; with `quick`, only those that tell most.
    pub fn cases(self, quick: bool) -> Vec<Case> {
        let (ciphers, dynamic, sizes, few): (_, &[bool], &[usize], &[usize]) = match self {
            Self::Records => (3, &[false], &[100, 1024, 1350, 4096, 16384], &[100, 16384]),
            Self::Throughput => (1, &[false, true], &[1, 2, 4, 8, 16, 32, 64], &[1, 16]),
        };
        let mut cases = Vec::new();
        for version in [Version::Tls12, Version::Tls13] {
            for &cipher in &CIPHERS[..ciphers] {
                let terms = Terms { version, cipher, key: Key::EcdsaP256 };
                for &dynamic in dynamic {
                    let sizes = if quick { few } else { sizes };
                    cases.extend(sizes.iter().map(|&size| Case { scenario: self, terms, dynamic, size }));
                }
            }
        }
        cases
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scenario, terms, dynamic, size } = self;
        let packets = if *dynamic { "dynamic" } else { "max" };
        match scenario {
            Scenario::Records => write!(f, "{scenario}/{terms}/{size}"),
            Scenario::Throughput => write!(f, "{scenario}/{terms}/{packets}/{size}MB"),
        }
    }
}
