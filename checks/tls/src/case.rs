//! What is measured. A case's name says all of it, so that a contender in another process needs no more.

use crate::{
    certificates::Credentials,
    contender::Contender,
    scenario::{Run, handshakes, latency, records, throughput},
    terms::{Aead, Key, Packets, Terms, Version},
};
use std::{fmt, io};

/// A group of cases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scenario {
    /// Handshake and echo over loopback TCP.
    Throughput,
    /// The first byte through a slow socket.
    Latency,
    /// Handshakes in memory.
    Handshakes,
    /// Bulk data in memory, each direction alone.
    Records,
}

/// One row of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Case {
    /// See [`throughput`].
    Throughput {
        /// ECDSA P-256.
        terms: Terms,
        /// Of both ends.
        packets: Packets,
        /// How much is echoed, in MiB.
        mib: usize,
    },
    /// See [`latency`].
    Latency {
        /// ECDSA P-256.
        terms: Terms,
        /// Of both ends.
        packets: Packets,
        /// What the server's socket lets through, in kbit/s.
        kbps: u32,
    },
    /// See [`handshakes`].
    Handshake {
        /// Any key.
        terms: Terms,
        /// With a ticket of the connection before, or in full.
        resumed: bool,
    },
    /// See [`records`].
    Records {
        /// ECDSA P-256.
        terms: Terms,
        /// Of a message, which is a record: at most 16 KiB.
        len: usize,
    },
}

impl Scenario {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Records, Self::Throughput, Self::Handshakes, Self::Latency];

    /// By its name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scenario| scenario.to_string() == name)
    }

    /// Its cases; with `quick`, only those that tell most.
    pub fn cases(self, quick: bool) -> Vec<Case> {
        let all = |full: &[usize], few: &[usize]| if quick { few.to_vec() } else { full.to_vec() };
        let mut cases = Vec::new();
        for version in [Version::Tls12, Version::Tls13] {
            let terms = |aead, key| Terms { version, aead, key };
            let usual = terms(Aead::Aes128Gcm, Key::EcdsaP256);
            match self {
                Self::Throughput => {
                    for packets in [Packets::Max, Packets::Dynamic] {
                        let sizes = all(&[1, 2, 4, 8, 16, 32, 64], &[1, 16]);
                        cases.extend(sizes.iter().map(|&mib| Case::Throughput {
                            terms: usual,
                            packets,
                            mib,
                        }));
                    }
                }
                Self::Latency => {
                    for packets in [Packets::Max, Packets::Dynamic] {
                        let speeds = all(&[200, 500, 1000, 2000, 5000], &[1000, 5000]);
                        let case = |&kbps: &usize| Case::Latency { terms: usual, packets, kbps: kbps as u32 };
                        cases.extend(speeds.iter().map(case));
                    }
                }
                Self::Handshakes => {
                    for key in Key::ALL {
                        let case = |resumed| Case::Handshake { terms: terms(Aead::Aes128Gcm, key), resumed };
                        // A resumed handshake signs nothing: the key makes no difference.
                        let resumed = key == Key::EcdsaP256;
                        cases.extend([false, true].into_iter().filter(|&r| !r || resumed).map(case));
                    }
                }
                Self::Records => {
                    for aead in [Aead::Aes128Gcm, Aead::Aes256Gcm, Aead::ChaCha20Poly1305] {
                        let terms = terms(aead, Key::EcdsaP256);
                        let lengths = all(&[100, 1024, 16384], &[100, 16384]);
                        cases.extend(lengths.iter().map(|&len| Case::Records { terms, len }));
                    }
                }
            }
        }
        cases
    }
}

impl Case {
    /// Its group.
    pub fn scenario(&self) -> Scenario {
        match self {
            Self::Throughput { .. } => Scenario::Throughput,
            Self::Latency { .. } => Scenario::Latency,
            Self::Handshake { .. } => Scenario::Handshakes,
            Self::Records { .. } => Scenario::Records,
        }
    }

    /// Version, suite and key.
    pub fn terms(&self) -> &Terms {
        match self {
            Self::Throughput { terms, .. }
            | Self::Latency { terms, .. }
            | Self::Handshake { terms, .. }
            | Self::Records { terms, .. } => terms,
        }
    }

    /// Checks that the contender does it right, and makes ready to measure.
    ///
    /// # Errors
    /// What the contender or the network refuses, and what was not right.
    pub fn prepare(&self, contender: &Contender, credentials: &Credentials) -> io::Result<Run> {
        match *self {
            Self::Throughput { terms, packets, mib } => {
                throughput::prepare(contender, credentials, &terms, packets, mib)
            }
            Self::Latency { terms, packets, kbps } => {
                latency::prepare(contender, credentials, &terms, packets, kbps)
            }
            Self::Handshake { terms, resumed } => {
                handshakes::prepare(contender, credentials, &terms, resumed)
            }
            Self::Records { terms, len } => records::prepare(contender, credentials, &terms, len),
        }
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Throughput => "throughput",
            Self::Latency => "latency",
            Self::Handshakes => "handshakes",
            Self::Records => "records",
        })
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scenario, terms) = (self.scenario(), self.terms());
        match self {
            Self::Throughput { packets, mib, .. } => write!(f, "{scenario}/{terms}/{packets}/{mib}MB"),
            Self::Latency { packets, kbps, .. } => write!(f, "{scenario}/{terms}/{packets}/{kbps}kbps"),
            Self::Handshake { resumed, .. } => {
                let how = if *resumed { "resumed" } else { "full" };
                write!(f, "{scenario}/{terms}/{}/{how}", terms.key)
            }
            Self::Records { len, .. } => write!(f, "{scenario}/{terms}/{len}"),
        }
    }
}
