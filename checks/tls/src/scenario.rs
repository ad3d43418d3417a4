//! How cases are measured: one file a scenario. Each checks what it is about to measure, then returns what
//! measures once.

pub mod handshakes;
pub mod latency;
mod loopback;
pub mod records;
pub mod throughput;

use std::io;

/// What a figure counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Metric {
    /// Bytes echoed, by wall clock.
    Wall,
    /// Bytes echoed, by CPU time of both ends, in user space and in the kernel.
    Cpu,
    /// From dialling to the first byte of the echo.
    FirstByte,
    /// CPU time of the server.
    Server,
    /// CPU time of the client.
    Client,
    /// CPU time of writing.
    Send,
    /// CPU time of reading into the caller's buffer.
    Receive,
    /// CPU time of reading without a copy, through `BufRead`.
    Borrow,
    /// The core clock meanwhile, where the one who measures knows it.
    CoreClock,
}

/// What was measured, in the metric's unit.
pub type Figure = (Metric, f64);

/// Measures once.
pub type Run = Box<dyn FnMut() -> io::Result<Vec<Figure>>>;

impl Metric {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Wall,
        Self::Cpu,
        Self::FirstByte,
        Self::Server,
        Self::Client,
        Self::Send,
        Self::Receive,
        Self::Borrow,
        Self::CoreClock,
    ];

    /// Its name, by which other processes call it, too.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Cpu => "cpu",
            Self::FirstByte => "first-byte",
            Self::Server => "server",
            Self::Client => "client",
            Self::Send => "send",
            Self::Receive => "receive",
            Self::Borrow => "borrow",
            Self::CoreClock => "core-clock",
        }
    }

    /// What it is counted in. A MB is 10^6 bytes.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Wall => "MB/s",
            Self::Cpu => "MB per CPU-second",
            Self::FirstByte => "ms",
            Self::Server | Self::Client => "µs",
            Self::Send | Self::Receive | Self::Borrow => "ns/B",
            Self::CoreClock => "GHz",
        }
    }

    /// Whether more is better.
    pub fn is_speed(self) -> bool {
        matches!(self, Self::Wall | Self::Cpu | Self::CoreClock)
    }
}

/// Refuses what is not right.
fn check(right: bool, otherwise: impl FnOnce() -> String) -> io::Result<()> {
    if right { Ok(()) } else { Err(io::Error::new(io::ErrorKind::InvalidData, otherwise())) }
}

/// Bytes that differ from place to place and from seed to seed.
fn pattern(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| ((i + seed * 7919) as u32).wrapping_mul(2654435761).to_be_bytes()[0]).collect()
}
