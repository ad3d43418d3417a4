//! Over loopback TCP, as Go's `BenchmarkThroughput` and `BenchmarkLatency`: a server on a thread of its own
//! sends back what it reads.

use super::{Ends, Metric, Run, both, check, pattern, record_lengths};
use crate::{
    clock,
    contender::{Io, Stream},
    wire::Wire,
};
use keylane_tls::{record::MAX_PLAINTEXT_LEN, session::RecordSizing};
use std::{
    io,
    net::{Ipv4Addr, TcpListener, TcpStream},
    time::{Duration, Instant},
};

/// What server and client read at a time, as in Go's benchmarks.
const BUFFER: usize = 32 << 10;

/// Dials, shakes hands, and leaves the connection to `client`. Returns what the client returns, and how the
/// server ended.
fn echo<T>(
    ends: &Ends,
    listener: &TcpListener,
    [at_server, at_client]: [Option<&Wire>; 2],
    client: impl FnOnce(&mut dyn Stream) -> io::Result<T>,
) -> io::Result<(T, io::Result<()>)> {
    let transport = |socket: TcpStream, wire: Option<&Wire>| {
        socket.set_nodelay(true)?;
        let io: Io = Box::new(socket);
        io::Result::Ok(if let Some(wire) = wire { wire.watch(io) } else { io })
    };
    let near = transport(TcpStream::connect(listener.local_addr()?)?, at_client)?;
    let server = || {
        let (mut stream, mut buffer) =
            (ends.accept(transport(listener.accept()?.0, at_server)?)?, [0; BUFFER]);
        loop {
            match stream.read(&mut buffer)? {
                0 => return stream.close(),
                n => stream.write_all(&buffer[..n])?,
            }
            stream.flush()?;
        }
    };
    // The client's stream is gone before the server is waited for: that ends the echo.
    let (served, result) = both(server, || client(&mut *ends.connect(near)?));
    Ok((result?, served))
}

/// Writes 32 KiB and reads 32 KiB of echo, over and over; close_notify. Bytes are counted once, though each
/// is sealed twice and opened twice.
pub(crate) fn throughput(ends: Ends) -> io::Result<Run> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    verify(&ends, &listener)?;
    let (total, mut buffer) = (ends.case.size << 20, vec![0x5a; BUFFER]);
    Ok(Box::new(move || {
        let (start, cpu) = (Instant::now(), clock::process());
        let ((), served) = echo(&ends, &listener, [None, None], |stream| {
            for _ in 0..total / BUFFER {
                stream.write_all(&buffer)?;
                stream.flush()?;
                stream.read_exact(&mut buffer)?;
            }
            stream.close()
        })?;
        let (wall, cpu) = (start.elapsed(), clock::process() - cpu);
        served?;
        let speed = |time: Duration| total as f64 / 1e6 / time.as_secs_f64();
        Ok(vec![(Metric::WALL, speed(wall)), (Metric::CPU, speed(cpu))])
    }))
}

/// Echoes 1 MiB that differs everywhere, and looks at the records that the client and the server send.
fn verify(ends: &Ends, listener: &TcpListener) -> io::Result<()> {
    const TOTAL: usize = 1 << 20;
    let wires = [Wire::default(), Wire::default()];
    let ((), served) = echo(ends, listener, wires.each_ref().map(Some), |stream| {
        let mut echo = vec![0; BUFFER];
        for round in 0..TOTAL / BUFFER {
            let sent = pattern(BUFFER, round);
            stream.write_all(&sent)?;
            stream.flush()?;
            stream.read_exact(&mut echo)?;
            check(sent == echo, || format!("round {round}: the echo is not what was sent"))?;
        }
        stream.close()
    })?;
    served?;
    for wire in wires {
        let lengths = record_lengths(&wire.take().0)?;
        let longest = MAX_PLAINTEXT_LEN + ends.case.terms.expansion();
        let long = lengths.iter().filter(|&&length| length == longest).count();
        let most = TOTAL / MAX_PLAINTEXT_LEN;
        // The ramp of dynamic sizes takes 128 KiB; the rest is as long as may be.
        let dynamic = ends.case.sizing == RecordSizing::Dynamic && ends.contender.dynamic;
        let right = if dynamic { (most / 2..most).contains(&long) } else { long == most };
        check(right, || format!("{long} records of 16 KiB in 1 MiB: {lengths:?}"))?;
    }
    Ok(())
}

/// The server's socket lets through so many bits a second. One byte there and back; then 16 KiB are written,
/// and the first byte of their echo is waited for. A record can only be opened whole: short ones tell
/// earlier.
pub(crate) fn latency(ends: Ends) -> io::Result<Run> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let message = pattern(16384, 0);
    Ok(Box::new(move || {
        let (start, slow) = (Instant::now(), Wire::slow(ends.case.size as f64 * 1000.0));
        // The client leaves in the middle of the echo: the server rightly fails.
        let (time, _) = echo(&ends, &listener, [Some(&slow), None], |stream| {
            for message in [&message[..1], &message] {
                stream.write_all(message)?;
                stream.flush()?;
                let mut byte = [0];
                stream.read_exact(&mut byte)?;
                check(byte[0] == message[0], || "the echo is not what was sent".into())?;
            }
            Ok(start.elapsed())
        })?;
        Ok(vec![(Metric::FIRST_BYTE, time.as_secs_f64() * 1e3)])
    }))
}
