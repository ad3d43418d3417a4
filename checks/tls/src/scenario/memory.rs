//! In memory, both ends on one thread.

use super::{Ends, Metric, Run, check, pattern};
use crate::{
    certificates::Credentials,
    clock,
    contender::{Io, Opening, Stream},
    memory::duplex,
    terms::Resumption,
    wire::Wire,
};
use keylane_tls::record::HEADER_LEN;
use std::{
    hint::black_box,
    io,
    mem::swap,
    thread,
    time::{Duration, Instant},
};

/// How much is written before it is read: what stays in a cache.
pub(crate) const BURST: usize = 256 << 10;
/// No more messages than this are written before they are read.
const MAX_MESSAGES: usize = 1024;
/// About how much CPU time a sample takes.
const SAMPLE: Duration = Duration::from_millis(2);
/// How many handshakes a sample is.
const HANDSHAKES: usize = 8;
/// How many of them on each core, where all are busy.
const MANY: usize = 64;
/// How often an end may wait for the other in a handshake.
const MAX_TURNS: usize = 10;

/// A connection through which a burst goes, from client to server.
struct Pair {
    client: Box<dyn Stream>,
    server: Box<dyn Stream>,
    /// The length of a message.
    len: usize,
    burst: Vec<u8>,
    received: Vec<u8>,
}

impl Pair {
    fn new(ends: &Ends, len: usize, watch: impl Fn(usize, Io) -> Io) -> io::Result<Self> {
        let [(client, _), (server, _)] = shake_hands(ends, watch)?;
        let burst = pattern(len * (BURST / len).min(MAX_MESSAGES), 0);
        Ok(Self { client, server, len, received: vec![0; burst.len()], burst })
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

    fn borrow(&mut self, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        let mut left = self.burst.len();
        while left > 0 {
            let part = self.server.fill_buf()?;
            check(!part.is_empty(), || format!("{left} bytes are missing"))?;
            take(part);
            let n = part.len();
            self.server.consume(n);
            left = left.saturating_sub(n);
        }
        Ok(())
    }
}

/// Bursts arrive as they were sent, there and back, by both ways of reading; `right` says whether the bodies
/// of the first one's records are as long as they should be.
pub(crate) fn verify(ends: &Ends, len: usize, right: impl Fn(&[usize]) -> bool) -> io::Result<()> {
    let wires = [Wire::default(), Wire::default()];
    let mut pair = Pair::new(ends, len, |i, io| wires[i].watch(io))?;
    for wire in &wires {
        wire.take();
        pair.send()?;
        let sent = wire.take();
        let records = crate::fuzz::records(&sent).ok_or(io::ErrorKind::UnexpectedEof)?;
        let lengths: Vec<usize> = records.iter().map(|record| record.len() - HEADER_LEN).collect();
        check(right(&lengths), || format!("records of the wrong lengths: {lengths:?}"))?;
        pair.receive()?;
        check(pair.received == pair.burst, || "what was read is not what was sent".into())?;
        pair.send()?;
        let mut borrowed = Vec::new();
        pair.borrow(|part| borrowed.extend_from_slice(part))?;
        check(borrowed == pair.burst, || "what was borrowed is not what was sent".into())?;
        swap(&mut pair.client, &mut pair.server);
    }
    Ok(())
}

/// Writing alone, and reading alone, in both ways. Every message is one record.
pub(crate) fn records(ends: &Ends) -> io::Result<Run> {
    let body = ends.case.size + ends.case.terms.expansion();
    verify(ends, ends.case.size, |lengths| lengths.iter().all(|&length| length == body))?;
    let mut pair = Pair::new(ends, ends.case.size, |_, io| io)?;
    let (start, mut bursts) = (clock::thread(), 0);
    while clock::thread() - start < SAMPLE {
        pair.send()?;
        pair.receive()?;
        bursts += 1;
    }
    Ok(Box::new(move || {
        let [mut send, mut receive, mut borrow] = [Duration::ZERO; 3];
        for _ in 0..bursts {
            send += clock::time(|| pair.send())?.1;
            receive += clock::time(|| pair.receive())?.1;
            pair.send()?;
            borrow += clock::time(|| pair.borrow(|part| _ = black_box(part)))?.1;
        }
        let per_byte = |time: Duration| time.as_secs_f64() * 1e9 / (bursts * pair.burst.len()) as f64;
        let times = [(Metric::SEND, send), (Metric::RECEIVE, receive), (Metric::BORROW, borrow)];
        Ok(times.map(|(metric, time)| (metric, per_byte(time))).into())
    }))
}

/// The CPU time of a handshake.
pub(crate) fn handshakes(ends: Ends, credentials: &Credentials) -> io::Result<Run> {
    check_resumption(&ends, credentials)?;
    Ok(Box::new(move || {
        let mut times = [Duration::ZERO; 2];
        for _ in 0..HANDSHAKES {
            let shaken = shake_hands(&ends, |_, io| io)?;
            times.iter_mut().zip(shaken).for_each(|(sum, (_, time))| *sum += time);
        }
        let [client, server] = times.map(|time| time.as_secs_f64() * 1e6 / HANDSHAKES as f64);
        Ok(vec![(Metric::SERVER, server), (Metric::CLIENT, client)])
    }))
}

/// As many handshakes a second as all cores do, both ends on each.
pub(crate) fn parallel(ends: Ends, credentials: &Credentials) -> io::Result<Run> {
    check_resumption(&ends, credentials)?;
    let cores = thread::available_parallelism()?.get();
    Ok(Box::new(move || {
        let many = || (0..MANY).try_for_each(|_| shake_hands(&ends, |_, io| io).map(drop));
        let start = Instant::now();
        thread::scope(|scope| {
            let threads: Vec<_> = (0..cores).map(|_| scope.spawn(many)).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
        })?;
        Ok(vec![(Metric::RATE, (cores * MANY) as f64 / start.elapsed().as_secs_f64())])
    }))
}

/// A certificate goes over the wire, or it does not.
fn check_resumption(ends: &Ends, credentials: &Credentials) -> io::Result<()> {
    let certificate = credentials.identity(ends.case.terms.key).cert.der().len();
    let sent = || {
        let wire = Wire::default();
        shake_hands(ends, |i, io| if i == 1 { wire.watch(io) } else { io })?;
        io::Result::Ok(wire.take().len())
    };
    let (first, second) = (sent()?, sent()?);
    check((ends.case.resumption != Resumption::None) == (second + certificate <= first), || {
        format!("the server sent {first} bytes, then {second}, with a certificate of {certificate}")
    })
}

/// A stream, and the CPU time until it has passed a byte.
type Shaken = (Box<dyn Stream>, Duration);

/// Does a handshake, and sends a byte from server to client: a TLS 1.3 client meets its ticket when it reads.
/// Returns the client's end and the server's. `watch` gets the transports in that order.
fn shake_hands(ends: &Ends, watch: impl Fn(usize, Io) -> Io) -> io::Result<[Shaken; 2]> {
    fn go_on(open: &mut Opening, time: &mut Duration) -> io::Result<Option<Box<dyn Stream>>> {
        let (stream, more) = clock::time(|| match open() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            stream => stream.map(Some),
        })?;
        *time += more;
        Ok(stream)
    }
    let (mut near, mut far) = duplex();
    (near.blocking, far.blocking) = (false, false);
    let (near, far) = (watch(0, Box::new(near)), watch(1, Box::new(far)));
    let (mut connect, mut client_time) = clock::time(|| ends.connect(near))?;
    let (mut accept, mut server_time) = clock::time(|| ends.accept(far))?;
    let (mut client, mut server) = (None, None);
    for _ in 0..MAX_TURNS {
        if client.is_none() {
            client = go_on(&mut connect, &mut client_time)?;
        }
        if server.is_none() {
            server = go_on(&mut accept, &mut server_time)?;
        }
        if let (Some(client), Some(server)) = (&mut client, &mut server) {
            server_time += clock::time(|| server.write_all(&[0]).and_then(|()| server.flush()))?.1;
            client_time += clock::time(|| client.read_exact(&mut [1]))?.1;
            break;
        }
    }
    let endless = || io::Error::other("a handshake without end");
    Ok([(client.ok_or_else(endless)?, client_time), (server.ok_or_else(endless)?, server_time)])
}
