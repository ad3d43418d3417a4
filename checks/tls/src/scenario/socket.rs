//! Over loopback TCP, the server on a thread of its own. As in Go's `BenchmarkThroughput` and
//! `BenchmarkLatency` it sends back what it reads; for bulk data it only reads.

use super::{Ends, Metric, Run, check, memory, pattern};
use crate::{
    clock,
    contender::{Io, Stream},
    wire::Slow,
};
use keylane_tls::record::MAX_PLAINTEXT_LEN;
use std::{
    io,
    net::{Ipv4Addr, TcpListener, TcpStream},
    panic::resume_unwind,
    thread,
    time::{Duration, Instant},
};

/// What server and client read at a time, as in Go's benchmarks.
const BUFFER: usize = 32 << 10;
/// How much goes through in one direction.
const BULK: usize = 16 << 20;

/// Dials, shakes hands, and leaves the connection to `client`. Returns what the client returns, and how the
/// server ended.
fn echo<T>(
    ends: &Ends,
    listener: &TcpListener,
    at_server: impl FnOnce(Io) -> Io + Send,
    client: impl FnOnce(&mut dyn Stream) -> io::Result<T>,
) -> io::Result<(T, io::Result<()>)> {
    let near = TcpStream::connect(listener.local_addr()?)?;
    near.set_nodelay(true)?;
    let server = || {
        let far = listener.accept()?.0;
        far.set_nodelay(true)?;
        let (mut stream, mut buffer) = (ends.accept(at_server(Box::new(far)))?()?, [0; BUFFER]);
        loop {
            match stream.read(&mut buffer)? {
                0 => return stream.close(),
                n => stream.write_all(&buffer[..n])?,
            }
            stream.flush()?;
        }
    };
    // The client's stream is gone before the server is waited for: that ends the echo.
    thread::scope(|scope| {
        let server = scope.spawn(server);
        let result = ends.connect(Box::new(near)).and_then(|mut open| client(&mut *open()?));
        Ok((result?, server.join().unwrap_or_else(|panic| resume_unwind(panic))))
    })
}

/// Writes 32 KiB and reads 32 KiB of echo, over and over; close_notify. Bytes are counted once, though each
/// is sealed twice and opened twice.
pub(crate) fn throughput(ends: Ends) -> io::Result<Run> {
    let longest = MAX_PLAINTEXT_LEN + ends.case.terms.expansion();
    // The ramp of dynamic sizes takes 128 KiB; the rest is as long as may be.
    let most = memory::BURST / MAX_PLAINTEXT_LEN;
    let dynamic = ends.case.dynamic && ends.contender.dynamic;
    memory::verify(&ends, BUFFER, |lengths| {
        let long = lengths.iter().filter(|&&length| length == longest).count();
        if dynamic { (most / 4..most).contains(&long) } else { long == most }
    })?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let (total, sent) = (ends.case.size << 20, pattern(BUFFER, 0));
    Ok(Box::new(move || {
        let (start, cpu, mut buffer) = (Instant::now(), clock::process(), sent.clone());
        let ((), served) = echo(
            &ends,
            &listener,
            |io| io,
            |stream| {
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
            },
        )?;
        let (wall, cpu) = (start.elapsed(), clock::process() - cpu);
        served?;
        check(buffer == sent, || "the echo is not what was sent".into())?;
        let speed = |time: Duration| total as f64 / 1e6 / time.as_secs_f64();
        Ok(vec![(Metric::WALL, speed(wall)), (Metric::CPU, speed(cpu))])
    }))
}

/// Bulk data: writes of the case's size, and reads of 64 KiB. Each thread has its own CPU time. By wall
/// clock, the slower end counts, and what one end costs the kernel depends on the other end's pace.
pub(crate) fn bulk(ends: Ends) -> io::Result<Run> {
    let (len, record) = (ends.case.size, ends.case.size.min(MAX_PLAINTEXT_LEN));
    let body = record + ends.case.terms.expansion();
    memory::verify(&ends, len, |lengths| lengths.iter().all(|&length| length == body))?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let message = pattern(len, 0);
    Ok(Box::new(move || {
        let near = TcpStream::connect(listener.local_addr()?)?;
        near.set_nodelay(true)?;
        let receive = || {
            let far = listener.accept()?.0;
            far.set_nodelay(true)?;
            let (mut stream, mut buffer) = (ends.accept(Box::new(far))?()?, vec![0; 64 << 10]);
            // The first byte waits for the handshake.
            stream.read_exact(&mut buffer[..1])?;
            let start = Instant::now();
            let ((), cpu) = clock::time(|| {
                let mut left = BULK;
                while left > 0 {
                    let n = stream.read(&mut buffer)?;
                    check(n > 0 && n <= left, || format!("{n} bytes where {left} are missing"))?;
                    left -= n;
                }
                Ok(())
            })?;
            let wall = start.elapsed();
            stream.write_all(&[0])?;
            stream.close()?;
            io::Result::Ok((wall, cpu))
        };
        thread::scope(|scope| {
            let receiver = scope.spawn(receive);
            let send = || {
                let mut stream = ends.connect(Box::new(near))?()?;
                stream.write_all(&[0])?;
                stream.flush()?;
                let ((), cpu) = clock::time(|| {
                    for _ in 0..BULK / len {
                        stream.write_all(&message)?;
                        stream.flush()?;
                    }
                    Ok(())
                })?;
                stream.read_exact(&mut [0])?;
                io::Result::Ok(cpu)
            };
            let sent = send();
            let (wall, received) = receiver.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            let per_byte = |time: Duration| time.as_secs_f64() * 1e9 / BULK as f64;
            Ok(vec![
                (Metric::WALL, 1e3 / per_byte(wall)),
                (Metric::SEND, per_byte(sent?)),
                (Metric::RECEIVE, per_byte(received)),
            ])
        })
    }))
}

/// The server's socket lets through so many bits a second. One byte there and back; then 16 KiB are written,
/// and the first byte of their echo is waited for. A record can only be opened whole: short ones tell
/// earlier.
pub(crate) fn latency(ends: Ends) -> io::Result<Run> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let (message, speed) = (pattern(16384, 0), ends.case.size as f64 * 1000.0);
    Ok(Box::new(move || {
        let start = Instant::now();
        // The client leaves in the middle of the echo: the server rightly fails.
        let (time, _) = echo(
            &ends,
            &listener,
            |io| Box::new(Slow(io, speed)),
            |stream| {
                for message in [&message[..1], &message] {
                    stream.write_all(message)?;
                    stream.flush()?;
                    let mut byte = [0];
                    stream.read_exact(&mut byte)?;
                    check(byte[0] == message[0], || "the echo is not what was sent".into())?;
                }
                Ok(start.elapsed())
            },
        )?;
        Ok(vec![(Metric::FIRST_BYTE, time.as_secs_f64() * 1e3)])
    }))
}
