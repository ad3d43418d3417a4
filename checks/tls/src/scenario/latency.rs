//! Go's `BenchmarkLatency`: the server's socket lets through so many bits a second. Dial, handshake, one byte
//! there and back; then 16 KiB are written, and the first byte of their echo is waited for. A record can only
//! be opened whole: short ones tell earlier.

use super::{Metric, Run, check, loopback::Loopback, pattern};
use crate::{
    certificates::Credentials,
    contender::{Contender, Stream},
    terms::{Packets, Terms},
};
use std::{
    io::{self, Read, Write},
    net::TcpStream,
    thread::sleep,
    time::{Duration, Instant},
};

pub(crate) fn prepare(
    contender: &Contender,
    credentials: &Credentials,
    terms: &Terms,
    packets: Packets,
    kbps: u32,
) -> io::Result<Run> {
    let configs = credentials.configs((contender.provider)(), terms, false)?;
    let loopback = Loopback::new(contender, configs, packets)?;
    let message = pattern(16384, 0);
    Ok(Box::new(move || {
        let start = Instant::now();
        let slow = |socket| Box::new(SlowSocket { socket, bits_per_second: f64::from(kbps) * 1000.0 }) as _;
        // The client leaves in the middle of the echo: that the server minds is right.
        let (time, _) = loopback.run(
            slow,
            |socket| Box::new(socket),
            |stream| {
                first_byte(stream, &message[..1])?;
                first_byte(stream, &message)?;
                Ok(start.elapsed())
            },
        )?;
        Ok(vec![(Metric::FirstByte, time.as_secs_f64() * 1e3)])
    }))
}

/// Writes a message and reads the first byte of its echo.
fn first_byte(stream: &mut dyn Stream, message: &[u8]) -> io::Result<()> {
    stream.write_all(message)?;
    stream.flush()?;
    let mut byte = [0];
    stream.read_exact(&mut byte)?;
    check(byte[0] == message[0], || "the echo is not what was sent".into())
}

struct SlowSocket {
    socket: TcpStream,
    bits_per_second: f64,
}

impl Read for SlowSocket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.socket.read(buffer)
    }
}

impl Write for SlowSocket {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let (start, mut written) = (Instant::now(), 0);
        while written < data.len() {
            sleep(Duration::from_micros(100));
            let allowed = (start.elapsed().as_secs_f64() * self.bits_per_second / 8.0) as usize;
            let allowed = allowed.min(data.len());
            if written < allowed {
                written += self.socket.write(&data[written..allowed])?;
            }
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}
