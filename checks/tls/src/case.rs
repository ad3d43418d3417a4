//! What is measured.

use crate::{
    certificates::Credentials,
    contender::Contender,
    scenario::{Ends, Run, memory, socket},
    terms::{CIPHERS, Key, Terms, Version},
};
use std::{fmt, io};

/// A group of cases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scenario {
    /// Bulk data in memory, each direction alone.
    Records,
    /// Handshake and echo over loopback TCP.
    Throughput,
    /// Handshakes in memory.
    Handshakes,
    /// The first byte through a slow socket.
    Latency,
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
    /// Whether the handshake uses a ticket of the connection before.
    pub resumed: bool,
    /// Records: the bytes of a message, which is one record. Throughput: how much is echoed, in MiB. Latency:
    /// what the server's socket lets through, in kbit/s.
    pub size: usize,
}

impl Scenario {
    /// Every scenario.
    pub const ALL: [Self; 4] = [Self::Records, Self::Throughput, Self::Handshakes, Self::Latency];

    /// Returns its cases; with `quick`, only those that tell most.
    pub fn cases(self, quick: bool) -> Vec<Case> {
        let (ciphers, keys, sizings, sizes, few): (_, _, _, &[usize], &[usize]) = match self {
            Self::Records => (3, 1, 1, &[100, 1024, 16384], &[100, 16384]),
            Self::Throughput => (1, 1, 2, &[1, 2, 4, 8, 16, 32, 64], &[1, 16]),
            Self::Handshakes => (1, 3, 1, &[0], &[0]),
            Self::Latency => (1, 1, 2, &[200, 500, 1000, 2000, 5000], &[1000, 5000]),
        };
        let mut cases = Vec::new();
        for version in [Version::Tls12, Version::Tls13] {
            for &cipher in &CIPHERS[..ciphers] {
                for &key in &Key::ALL[..keys] {
                    for &dynamic in &[false, true][..sizings] {
                        for &size in if quick { few } else { sizes } {
                            let terms = Terms { version, cipher, key };
                            let case = Case { scenario: self, terms, dynamic, resumed: false, size };
                            cases.push(case);
                            // A resumed handshake signs nothing: the key makes no difference.
                            if self == Self::Handshakes && key == Key::EcdsaP256 {
                                cases.push(Case { resumed: true, ..case });
                            }
                        }
                    }
                }
            }
        }
        cases
    }
}

impl Case {
    /// Checks that the contender does it right, and returns what measures it once.
    ///
    /// # Errors
    /// What the contender or the network refuses, and what was not right.
    pub fn prepare(&self, contender: &Contender, credentials: &Credentials) -> io::Result<Run> {
        let configs = credentials.configs((contender.provider)(), &self.terms, self.resumed);
        let configs = configs.map_err(io::Error::other)?;
        let ends = Ends { contender: *contender, configs, case: *self };
        match self.scenario {
            Scenario::Records => memory::records(&ends),
            Scenario::Throughput => socket::throughput(ends),
            Scenario::Handshakes => memory::handshakes(ends, credentials),
            Scenario::Latency => socket::latency(ends),
        }
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scenario, terms, dynamic, resumed, size } = self;
        let packets = if *dynamic { "dynamic" } else { "max" };
        write!(f, "{scenario}/{terms}/")?;
        match scenario {
            Scenario::Records => write!(f, "{size}"),
            Scenario::Throughput => write!(f, "{packets}/{size}MB"),
            Scenario::Handshakes => write!(f, "{}/{}", terms.key, if *resumed { "resumed" } else { "full" }),
            Scenario::Latency => write!(f, "{packets}/{size}kbps"),
        }
    }
}
