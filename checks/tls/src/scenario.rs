//! How cases are measured. Each scenario checks what it is about to measure, then returns what measures once.

mod memory;
mod socket;

use crate::{
    case::{Case, Scenario},
    certificates::Credentials,
    contender::{Contender, Io, Opening},
};
use rustls::{ClientConfig, ServerConfig};
use std::io;
use std::sync::Arc;

/// What a figure counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Metric {
    /// Its name in results.
    pub name: &'static str,
    /// What it is counted in. A MB is 10^6 bytes.
    pub unit: &'static str,
    /// Whether more is better.
    pub is_speed: bool,
}

impl Metric {
    /// Bytes through, by wall clock.
    pub const WALL: Self = Self { name: "wall", unit: "MB/s", is_speed: true };
    /// Bytes through, by CPU time of both ends.
    pub const CPU: Self = Self { name: "cpu", unit: "MB per CPU-second", is_speed: true };
    /// From dialling to the first byte of the echo.
    pub const FIRST_BYTE: Self = Self { name: "first-byte", unit: "ms", is_speed: false };
    /// CPU time of the server.
    pub const SERVER: Self = Self { name: "server", unit: "µs", is_speed: false };
    /// CPU time of the client.
    pub const CLIENT: Self = Self { name: "client", unit: "µs", is_speed: false };
    /// Handshakes by wall clock, both ends on each core.
    pub const RATE: Self = Self { name: "rate", unit: "handshakes/s", is_speed: true };
    /// CPU time of writing.
    pub const SEND: Self = Self { name: "send", unit: "ns/B", is_speed: false };
    /// CPU time of reading into the caller's buffer.
    pub const RECEIVE: Self = Self { name: "receive", unit: "ns/B", is_speed: false };
    /// CPU time of reading without a copy, through `BufRead`.
    pub const BORROW: Self = Self { name: "borrow", unit: "ns/B", is_speed: false };

    /// Every metric.
    #[rustfmt::skip]
    pub const ALL: [Self; 9] = [
        Self::WALL, Self::CPU, Self::FIRST_BYTE, Self::SERVER, Self::CLIENT, Self::RATE,
        Self::SEND, Self::RECEIVE, Self::BORROW,
    ];
}

/// What was measured, in the metric's unit.
pub type Figure = (Metric, f64);

/// Measures once.
pub type Run = Box<dyn FnMut() -> io::Result<Vec<Figure>>>;

/// Both ends of a case's connections.
pub(crate) struct Ends {
    pub(crate) contender: Contender,
    pub(crate) client: Arc<ClientConfig>,
    pub(crate) server: Arc<ServerConfig>,
    pub(crate) case: Case,
}

impl Case {
    /// Checks that the contender does it right, and returns what measures it once.
    ///
    /// # Errors
    /// If the contender or the network refuses something, or a result is not right.
    pub fn prepare(&self, contender: &Contender, credentials: &Credentials) -> io::Result<Run> {
        let provider = (contender.provider)();
        let configs = credentials.configs_for(provider, &self.terms, self.resumption, self.mutual);
        let configs = configs.map_err(io::Error::other)?;
        let (client, server) = (configs.client, configs.server);
        let ends = Ends { contender: *contender, client, server, case: *self };
        match self.scenario {
            Scenario::Records => memory::records(&ends),
            Scenario::Throughput => socket::throughput(ends),
            Scenario::Bulk => socket::bulk(ends),
            Scenario::Handshakes => memory::handshakes(ends, credentials),
            Scenario::Parallel => memory::parallel(ends, credentials),
            Scenario::Latency => socket::latency(ends),
        }
    }
}

impl Ends {
    fn connect(&self, io: Io) -> io::Result<Opening> {
        (self.contender.connect)(&self.client, self.case.dynamic, io)
    }

    fn accept(&self, io: Io) -> io::Result<Opening> {
        (self.contender.accept)(&self.server, self.case.dynamic, io)
    }
}

/// Refuses what is not right.
fn check(right: bool, otherwise: impl FnOnce() -> String) -> io::Result<()> {
    if right { Ok(()) } else { Err(io::Error::new(io::ErrorKind::InvalidData, otherwise())) }
}

/// Returns bytes that differ from place to place and from seed to seed.
fn pattern(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| ((i + seed * 7919) as u32).wrapping_mul(2654435761).to_be_bytes()[0]).collect()
}
