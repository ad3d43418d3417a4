//! What is measured.

use crate::terms::{CIPHERS, Cipher, Key, Resumption, Terms, Version};
use std::fmt;

/// A group of cases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scenario {
    /// Bulk data in memory, each direction alone.
    Records,
    /// Handshake and echo over loopback TCP.
    Throughput,
    /// Bulk data over loopback TCP, in one direction.
    Bulk,
    /// Handshakes in memory, those of rustls' own benchmark.
    Handshakes,
    /// Some of them on all cores.
    Parallel,
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
    /// What the handshake uses of an earlier connection.
    pub resumption: Resumption,
    /// Whether the client presents a certificate.
    pub mutual: bool,
    /// Records: the bytes of a message, which is one record. Bulk: the bytes of a write. Throughput: how much
    /// is echoed, in MiB. Latency: what the server's socket lets through, in kbit/s.
    pub size: usize,
}

impl Scenario {
    /// Every scenario.
    pub const ALL: [Self; 6] =
        [Self::Records, Self::Throughput, Self::Bulk, Self::Handshakes, Self::Parallel, Self::Latency];

    /// Returns its cases; with `quick`, only those that tell most.
    pub fn cases(self, quick: bool) -> Vec<Case> {
        let (ciphers, keys, resumptions, flags, sizes, few): (_, _, _, _, &[usize], &[usize]) = match self {
            Self::Records => (3, 1, 1, 1, &[100, 1024, 1350, 4096, 16384], &[100, 16384]),
            Self::Throughput => (1, 1, 1, 2, &[1, 2, 4, 8, 16, 32, 64], &[1, 16]),
            Self::Bulk => (3, 1, 1, 1, &[1024, 4096, 16384, 65536], &[65536]),
            Self::Handshakes => (3, 4, 3, 2, &[0], &[0]),
            Self::Parallel => (1, 1, 3, 1, &[0], &[0]),
            Self::Latency => (1, 1, 1, 2, &[200, 500, 1000, 2000, 5000], &[1000, 5000]),
        };
        let mut cases = Vec::new();
        for version in [Version::Tls12, Version::Tls13] {
            for &cipher in &CIPHERS[..ciphers] {
                for &key in &Key::ALL[..keys] {
                    for &resumption in &Resumption::ALL[..resumptions] {
                        for &flag in &[false, true][..flags] {
                            for &size in if quick { few } else { sizes } {
                                let mutual = flag && self == Self::Handshakes;
                                let (terms, dynamic) = (Terms { version, cipher, key }, flag && !mutual);
                                let case = Case { scenario: self, terms, dynamic, resumption, mutual, size };
                                if case.tells_something(quick) {
                                    cases.push(case);
                                }
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
    /// A resumed handshake signs nothing: the key makes no difference. The keys that are rare come with one
    /// cipher, the first of rustls.
    fn tells_something(&self, quick: bool) -> bool {
        let Self { scenario, terms: Terms { cipher, key, .. }, resumption, mutual, .. } = *self;
        let is_first = cipher == Cipher::Aes256Gcm;
        scenario != Scenario::Handshakes
            || (matches!(key, Key::EcdsaP256 | Key::Rsa2048) || is_first)
                && (key == Key::EcdsaP256 || resumption == Resumption::None)
                && (!quick || is_first && (key == Key::EcdsaP256 || !mutual))
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scenario, terms, dynamic, resumption, mutual, size } = self;
        let packets = if *dynamic { "dynamic" } else { "max" };
        write!(f, "{scenario}/{terms}/")?;
        match scenario {
            Scenario::Records | Scenario::Bulk => write!(f, "{size}"),
            Scenario::Throughput => write!(f, "{packets}/{size}MB"),
            Scenario::Handshakes | Scenario::Parallel => {
                let whom = if *mutual { "mutual" } else { "server-auth" };
                write!(f, "{}/{whom}/{resumption}", terms.key)
            }
            Scenario::Latency => write!(f, "{packets}/{size}kbps"),
        }
    }
}
