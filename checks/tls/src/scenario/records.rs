//! Bulk data in memory on one thread: writing alone, and reading alone. Every message is a record of its own.

use super::{Metric, Run, check, pattern};
use crate::{
    certificates::Credentials,
    clock,
    contender::{Contender, Stream},
    memory::{self, Watch},
    terms::{Packets, Terms},
    wire::record_lengths,
};
use std::{hint::black_box, io, thread, time::Duration};

/// How much is written before it is read: what stays in a cache.
const BURST: usize = 256 << 10;
/// More messages than this are not written before they are read.
const MESSAGES: usize = 1024;
/// How much CPU time a sample takes, about.
const SAMPLE: Duration = Duration::from_millis(2);

/// A connection through which a burst goes, from client to server.
struct Pair {
    client: Box<dyn Stream>,
    server: Box<dyn Stream>,
    /// What is on its way.
    wire: Watch,
    /// Of a message.
    len: usize,
    burst: Vec<u8>,
    received: Vec<u8>,
}

pub(crate) fn prepare(
    contender: &Contender,
    credentials: &Credentials,
    terms: &Terms,
    len: usize,
) -> io::Result<Run> {
    let mut pair = Pair::new(contender, credentials, terms, len)?;
    pair.verify(terms.expansion())?;
    let (mut bursts, mut bytes) = (0, 0);
    let start = clock::thread();
    while clock::thread() - start < SAMPLE {
        pair.send()?;
        pair.receive()?;
        bursts += 1;
        bytes += pair.burst.len();
    }
    Ok(Box::new(move || {
        let [mut send, mut receive, mut borrow] = [Duration::ZERO; 3];
        for _ in 0..bursts {
            send += timed(|| pair.send())?;
            receive += timed(|| pair.receive())?;
            pair.send()?;
            borrow += timed(|| pair.borrow())?;
        }
        let per_byte = |time: Duration| time.as_secs_f64() * 1e9 / bytes as f64;
        Ok(vec![
            (Metric::Send, per_byte(send)),
            (Metric::Receive, per_byte(receive)),
            (Metric::Borrow, per_byte(borrow)),
        ])
    }))
}

fn timed(f: impl FnOnce() -> io::Result<()>) -> io::Result<Duration> {
    let (result, time) = clock::time(f);
    result.map(|()| time)
}

impl Pair {
    fn new(contender: &Contender, credentials: &Credentials, terms: &Terms, len: usize) -> io::Result<Self> {
        let configs = credentials.configs((contender.provider)(), terms, false)?;
        let (near, far) = memory::duplex();
        let wire = near.watch();
        let (client, server) = thread::scope(|scope| {
            let server =
                scope.spawn(|| (contender.accept)(configs.server.clone(), Packets::Max, Box::new(far)));
            let client = (contender.connect)(configs.client.clone(), Packets::Max, Box::new(near));
            (client, server.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let total = len * (BURST / len).min(MESSAGES);
        Ok(Self {
            client: client?,
            server: server?,
            wire,
            len,
            burst: pattern(total, 0),
            received: vec![0; total],
        })
    }

    fn send(&mut self) -> io::Result<()> {
        for message in self.burst.chunks(self.len) {
            self.client.write_all(message)?;
            self.client.flush()?;
        }
        Ok(())
    }

    fn receive(&mut self) -> io::Result<()> {
        self.server.read_exact(&mut self.received)
    }

    fn borrow(&mut self) -> io::Result<()> {
        let mut left = self.burst.len();
        while left > 0 {
            let n = black_box(self.server.fill_buf()?).len();
            check(n > 0, || format!("{left} bytes are missing"))?;
            self.server.consume(n);
            left = left.saturating_sub(n);
        }
        Ok(())
    }

    /// Bursts arrive as they were sent, in records as long as the messages, both ways of reading.
    fn verify(&mut self, expansion: usize) -> io::Result<()> {
        self.send()?;
        let lengths = record_lengths(&self.wire.unread())?;
        let expected = self.burst.len() / self.len;
        let right = lengths.len() == expected && lengths.iter().all(|&length| length == self.len + expansion);
        check(right, || format!("not {expected} records of {} bytes: {lengths:?}", self.len))?;
        self.receive()?;
        check(self.received == self.burst, || "what was read is not what was sent".into())?;
        self.send()?;
        let mut borrowed = Vec::new();
        while borrowed.len() < self.burst.len() {
            let part = self.server.fill_buf()?;
            check(!part.is_empty(), || "the stream ended".into())?;
            borrowed.extend_from_slice(part);
            let n = part.len();
            self.server.consume(n);
        }
        check(borrowed == self.burst, || "what was borrowed is not what was sent".into())
    }
}
