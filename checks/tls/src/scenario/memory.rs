//! In memory: bulk data on one thread, handshakes on two.

use super::{Ends, Metric, Run, both, check, pattern};
use crate::{
    certificates::Credentials,
    clock,
    contender::{Io, Stream},
    memory::{End, duplex},
    wire::Wire,
};
use keylane_tls::record::HEADER_LEN;
use std::{hint::black_box, io, mem::swap, time::Duration};

/// How much is written before it is read: what stays in a cache.
pub(crate) const BURST: usize = 256 << 10;
/// No more messages than this are written before they are read.
const MAX_MESSAGES: usize = 1024;
/// About how much CPU time a sample takes.
const SAMPLE: Duration = Duration::from_millis(2);
/// How many handshakes a sample is.
const HANDSHAKES: usize = 8;

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
    fn new(ends: &Ends, len: usize, watch: impl Fn(usize, End) -> Io + Sync) -> io::Result<Self> {
        let (near, far) = duplex();
        let (server, client) = both(|| ends.accept(watch(1, far)), || ends.connect(watch(0, near)));
        let burst = pattern(len * (BURST / len).min(MAX_MESSAGES), 0);
        Ok(Self { client: client?, server: server?, len, received: vec![0; burst.len()], burst })
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
    let mut pair = Pair::new(ends, len, |i, end| wires[i].watch(Box::new(end)))?;
    for wire in &wires {
        wire.take();
        pair.send()?;
        let sent = wire.take().0;
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
    let mut pair = Pair::new(ends, ends.case.size, |_, end| Box::new(end))?;
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

/// The CPU time of a handshake, without what an end spends in its transport, mostly waiting for the other.
pub(crate) fn handshakes(ends: Ends, credentials: &Credentials) -> io::Result<Run> {
    // A certificate goes over the wire, or it does not.
    let certificate = credentials.identity(ends.case.terms.key).cert.der().len();
    let sent = || io::Result::Ok(shake_hands(&ends, 1)?.0[0].1);
    let (first, second) = (sent()?, sent()?);
    check(ends.case.resumed == (second + certificate <= first), || {
        format!("the server sent {first} bytes, then {second}, with a certificate of {certificate}")
    })?;
    Ok(Box::new(move || {
        let (server, client) = shake_hands(&ends, 1 + HANDSHAKES)?;
        // The first one finds both threads' memory cold.
        let each = |shaken: &[Shaken]| {
            shaken[1..].iter().map(|(time, _)| time).sum::<Duration>().as_secs_f64() * 1e6 / HANDSHAKES as f64
        };
        Ok(vec![(Metric::SERVER, each(&server)), (Metric::CLIENT, each(&client))])
    }))
}

/// How long a handshake took one end, and how many bytes it sent.
type Shaken = (Duration, usize);

/// Does so many handshakes, one after the other. Returns the server's, and the client's.
fn shake_hands(ends: &Ends, count: usize) -> io::Result<(Vec<Shaken>, Vec<Shaken>)> {
    fn shake(
        ends: Vec<End>,
        open: impl Fn(Io) -> io::Result<Box<dyn Stream>>,
        then: fn(&mut dyn Stream) -> io::Result<()>,
    ) -> io::Result<Vec<Shaken>> {
        let shake = |end| {
            let wire = Wire::default();
            let (mut stream, all) = clock::time(|| open(wire.watch(Box::new(end))))?;
            let (written, in_transport) = wire.take();
            then(&mut *stream)?;
            Ok((all.saturating_sub(in_transport), written.len()))
        };
        ends.into_iter().map(shake).collect()
    }
    let (near, far) = (0..count).map(|_| duplex()).unzip();
    let write = |stream: &mut dyn Stream| stream.write_all(&[0]).and_then(|()| stream.flush());
    // A TLS 1.3 client meets its ticket when it reads.
    let read = |stream: &mut dyn Stream| stream.read_exact(&mut [0]);
    let (server, client) =
        both(|| shake(near, |io| ends.accept(io), write), || shake(far, |io| ends.connect(io), read));
    Ok((server?, client?))
}
