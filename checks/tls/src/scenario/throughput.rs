//! Go's `BenchmarkThroughput`: dial over loopback TCP, handshake, then write 32 KiB and read 32 KiB of echo,
//! over and over; close_notify. Bytes are counted once, though each is sealed twice and opened twice.

use super::{
    Metric, Run, check,
    loopback::{BUFFER, Loopback},
    pattern,
};
use crate::{
    certificates::Credentials,
    clock,
    contender::{Contender, Io, Stream},
    terms::{Packets, Terms},
    wire::{Written, record_lengths},
};
use std::{io, net::TcpStream, time::Instant};

/// Text of the longest record.
const LONGEST: usize = 1 << 14;

pub(crate) fn prepare(
    contender: &Contender,
    credentials: &Credentials,
    terms: &Terms,
    packets: Packets,
    mib: usize,
) -> io::Result<Run> {
    let configs = credentials.configs((contender.provider)(), terms, false)?;
    let loopback = Loopback::new(contender, configs, packets)?;
    verify(&loopback, terms, packets == Packets::Dynamic && contender.dynamic)?;

    let (total, mut buffer) = (mib << 20, vec![0x5a; BUFFER]);
    Ok(Box::new(move || {
        let (start, cpu) = (Instant::now(), clock::process());
        let ((), served) = loopback.run(plain, plain, |stream| {
            for _ in 0..total / BUFFER {
                stream.write_all(&buffer)?;
                stream.flush()?;
                stream.read_exact(&mut buffer)?;
            }
            stream.close()
        })?;
        let (wall, cpu) = (start.elapsed(), clock::process() - cpu);
        served?;
        let speed = |time: std::time::Duration| total as f64 / 1e6 / time.as_secs_f64();
        Ok(vec![(Metric::Wall, speed(wall)), (Metric::Cpu, speed(cpu))])
    }))
}

fn plain(socket: TcpStream) -> Io {
    Box::new(socket)
}

/// Echoes 1 MiB that differs everywhere, and looks at the records that the client and the server send.
fn verify(loopback: &Loopback, terms: &Terms, dynamic: bool) -> io::Result<()> {
    let (up, down) = (Written::default(), Written::default());
    let exchange = |stream: &mut dyn Stream| {
        let mut echo = vec![0; BUFFER];
        for round in 0..(1 << 20) / BUFFER {
            let sent = pattern(BUFFER, round);
            stream.write_all(&sent)?;
            stream.flush()?;
            stream.read_exact(&mut echo)?;
            check(sent == echo, || format!("round {round}: the echo is not what was sent"))?;
        }
        stream.close()
    };
    let tap = |written: &Written| {
        let written = written.clone();
        move |socket| written.tap(plain(socket))
    };
    let ((), served) = loopback.run(tap(&down), tap(&up), exchange)?;
    served?;
    for written in [up, down] {
        let lengths = record_lengths(&written.bytes())?;
        let longest = LONGEST + terms.expansion();
        let long = lengths.iter().filter(|&&length| length == longest).count();
        let expected = (1 << 20) / LONGEST;
        // The ramp of dynamic sizes takes 128 KiB; the rest is as long as may be.
        let right = if dynamic { (expected / 2..expected).contains(&long) } else { long == expected };
        check(right, || format!("{long} records of 16 KiB of 1 MiB: {lengths:?}"))?;
    }
    Ok(())
}
