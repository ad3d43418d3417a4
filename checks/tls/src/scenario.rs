//! How cases are measured. Each scenario checks what it is about to measure, then returns what measures once.

use crate::{
    case::{Case, Scenario},
    certificates::{Configs, Credentials},
    clock,
    contender::{Contender, Io, Stream},
    fuzz, memory,
};
use keylane_tls::record::{HEADER_LEN, MAX_PLAINTEXT_LEN};
use std::{
    hint::black_box,
    io,
    net::{Ipv4Addr, TcpListener, TcpStream},
    panic::resume_unwind,
    thread,
    time::{Duration, Instant},
};

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
    /// CPU time of writing.
    pub const SEND: Self = Self { name: "send", unit: "ns/B", is_speed: false };
    /// CPU time of reading into the caller's buffer.
    pub const RECEIVE: Self = Self { name: "receive", unit: "ns/B", is_speed: false };
    /// CPU time of reading without a copy, through `BufRead`.
    pub const BORROW: Self = Self { name: "borrow", unit: "ns/B", is_speed: false };

    /// Every metric.
    pub const ALL: [Self; 5] = [Self::WALL, Self::CPU, Self::SEND, Self::RECEIVE, Self::BORROW];
}

/// What was measured, in the metric's unit.
pub type Figure = (Metric, f64);

/// Measures once.
pub type Run = Box<dyn FnMut() -> io::Result<Vec<Figure>>>;

/// Both ends of a case's connections.
struct Ends {
    contender: Contender,
    configs: Configs,
    case: Case,
}

impl Case {
    /// Checks that the contender does it right, and returns what measures it once.
    ///
    /// # Errors
    /// If the contender or the network refuses something, or a result is not right.
    pub fn prepare(&self, contender: &Contender, credentials: &Credentials) -> io::Result<Run> {
        let configs = credentials.configs((contender.provider)(), &self.terms, false);
        let configs = configs.map_err(io::Error::other)?;
        let ends = Ends { contender: *contender, configs, case: *self };
        match self.scenario {
            Scenario::Records => records(&ends),
            Scenario::Throughput => throughput(ends),
        }
    }
}

impl Ends {
    fn connect(&self, io: Io) -> io::Result<Box<dyn Stream>> {
        (self.contender.connect)(&self.configs.client, self.case.dynamic, io)
    }

    fn accept(&self, io: Io) -> io::Result<Box<dyn Stream>> {
        (self.contender.accept)(&self.configs.server, self.case.dynamic, io)
    }
}

/// Refuses what is not right.
fn check(right: bool, otherwise: impl FnOnce() -> String) -> io::Result<()> {
    if right { Ok(()) } else { Err(io::Error::new(io::ErrorKind::InvalidData, otherwise())) }
}

/// Returns bytes that differ from place to place.
fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i as u32).wrapping_mul(2654435761).to_be_bytes()[0]).collect()
}

/// How much is written before it is read: what stays in a cache.
const BURST: usize = 256 << 10;
/// No more messages than this are written before they are read.
const MAX_MESSAGES: usize = 1024;
/// About how much CPU time a sample takes.
const SAMPLE: Duration = Duration::from_millis(2);

/// A connection in memory through which a burst goes, from one end to the other.
struct Pair {
    sender: Box<dyn Stream>,
    receiver: Box<dyn Stream>,
    /// The bytes that wait to be read by the receiver.
    waiting: memory::Waiting,
    /// The length of a message.
    len: usize,
    burst: Vec<u8>,
    received: Vec<u8>,
}

impl Pair {
    /// Shakes hands. The client sends, or the server.
    fn new(ends: &Ends, len: usize, client_sends: bool) -> io::Result<Self> {
        let (near, far) = memory::duplex();
        let waiting = if client_sends { far.waiting() } else { near.waiting() };
        let (client, server) = thread::scope(|scope| {
            let server = scope.spawn(|| ends.accept(Box::new(far)));
            let client = ends.connect(Box::new(near));
            (client, server.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        let (sender, receiver) = if client_sends { (client?, server?) } else { (server?, client?) };
        let burst = pattern(len * (BURST / len).min(MAX_MESSAGES));
        Ok(Self { sender, receiver, waiting, len, received: vec![0; burst.len()], burst })
    }

    fn send(&mut self) -> io::Result<()> {
        for message in self.burst.chunks(self.len) {
            self.sender.write_all(message)?;
            self.sender.flush()?;
        }
        Ok(())
    }

    fn receive(&mut self) -> io::Result<()> {
        self.receiver.read_exact(&mut self.received)
    }

    fn borrow(&mut self, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        let mut left = self.burst.len();
        while left > 0 {
            let part = self.receiver.fill_buf()?;
            check(!part.is_empty(), || format!("{left} bytes are missing"))?;
            take(part);
            let n = part.len();
            self.receiver.consume(n);
            left = left.saturating_sub(n);
        }
        Ok(())
    }
}

/// Bursts arrive as they were sent, there and back, by both ways of reading; `right` says whether the bodies
/// of the first one's records are as long as they should be.
fn verify(ends: &Ends, len: usize, right: impl Fn(&[usize]) -> bool) -> io::Result<()> {
    for client_sends in [true, false] {
        let mut pair = Pair::new(ends, len, client_sends)?;
        pair.send()?;
        let sent = pair.waiting.bytes();
        let records = fuzz::records(&sent).ok_or(io::ErrorKind::UnexpectedEof)?;
        let lengths: Vec<usize> = records.iter().map(|record| record.len() - HEADER_LEN).collect();
        check(right(&lengths), || format!("records of the wrong lengths: {lengths:?}"))?;
        pair.receive()?;
        check(pair.received == pair.burst, || "what was read is not what was sent".into())?;
        pair.send()?;
        let mut borrowed = Vec::new();
        pair.borrow(|part| borrowed.extend_from_slice(part))?;
        check(borrowed == pair.burst, || "what was borrowed is not what was sent".into())?;
    }
    Ok(())
}

/// In memory, on one thread: writing alone, and reading alone, in both ways. Every message is one record.
fn records(ends: &Ends) -> io::Result<Run> {
    let body = ends.case.size + ends.case.terms.expansion();
    verify(ends, ends.case.size, |lengths| lengths.iter().all(|&length| length == body))?;
    let mut pair = Pair::new(ends, ends.case.size, true)?;
    let (start, mut bursts) = (clock::thread(), 0);
    while clock::thread() - start < SAMPLE {
        pair.send()?;
        pair.receive()?;
        bursts += 1;
    }
    Ok(Box::new(move || {
        let [mut send, mut receive, mut borrow] = [Duration::ZERO; 3];
        for _ in 0..bursts {
            send += clock::time(|| pair.send())?;
            receive += clock::time(|| pair.receive())?;
            pair.send()?;
            borrow += clock::time(|| pair.borrow(|part| _ = black_box(part)))?;
        }
        let per_byte = |time: Duration| time.as_secs_f64() * 1e9 / (bursts * pair.burst.len()) as f64;
        let times = [(Metric::SEND, send), (Metric::RECEIVE, receive), (Metric::BORROW, borrow)];
        Ok(times.map(|(metric, time)| (metric, per_byte(time))).into())
    }))
}

/// The bytes that server and client read at a time, as in Go's `BenchmarkThroughput`.
const BUFFER: usize = 32 << 10;

/// Over loopback TCP, the server on a thread of its own, which sends back what it reads: writes 32 KiB and
/// reads 32 KiB of echo, over and over; close_notify. Bytes are counted once, though each is sealed twice and
/// opened twice.
fn throughput(ends: Ends) -> io::Result<Run> {
    let longest = MAX_PLAINTEXT_LEN + ends.case.terms.expansion();
    // The ramp of dynamic sizes takes 128 KiB; the rest is as long as may be.
    let most = BURST / MAX_PLAINTEXT_LEN;
    let dynamic = ends.case.dynamic && ends.contender.dynamic;
    verify(&ends, BUFFER, |lengths| {
        let long = lengths.iter().filter(|&&length| length == longest).count();
        if dynamic { (most / 4..most).contains(&long) } else { long == most }
    })?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let (total, sent) = (ends.case.size << 20, pattern(BUFFER));
    Ok(Box::new(move || {
        let (start, cpu, mut buffer) = (Instant::now(), clock::process(), sent.clone());
        let near = TcpStream::connect(listener.local_addr()?)?;
        near.set_nodelay(true)?;
        let echo = || {
            let far = listener.accept()?.0;
            far.set_nodelay(true)?;
            let (mut stream, mut buffer) = (ends.accept(Box::new(far))?, [0; BUFFER]);
            loop {
                match stream.read(&mut buffer)? {
                    0 => return stream.close(),
                    n => stream.write_all(&buffer[..n])?,
                }
                stream.flush()?;
            }
        };
        let client = || {
            let mut stream = ends.connect(Box::new(near))?;
            let blocks = total / BUFFER;
            for block in 1..=blocks {
                stream.write_all(&buffer)?;
                stream.flush()?;
                if block == blocks {
                    // Each echo is sent again, so the last one tells of all.
                    buffer.fill(0);
                }
                stream.read_exact(&mut buffer)?;
            }
            stream.close()
        };
        // The client's stream is gone before the server is waited for: that ends the echo.
        let (done, served) = thread::scope(|scope| {
            let server = scope.spawn(echo);
            (client(), server.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        let (wall, cpu) = (start.elapsed(), clock::process() - cpu);
        done.and(served)?;
        check(buffer == sent, || "the echo is not what was sent".into())?;
        let speed = |time: Duration| total as f64 / 1e6 / time.as_secs_f64();
        Ok(vec![(Metric::WALL, speed(wall)), (Metric::CPU, speed(cpu))])
    }))
}
