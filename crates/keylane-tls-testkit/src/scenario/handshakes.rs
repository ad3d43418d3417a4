//! The CPU time of a handshake, each end on a thread of its own, joined in memory. What an end spends in its transport,
//! which is mostly waiting for the other, is taken off.

use super::{Metric, Run, check};
use crate::{
    certificates::{Configs, Credentials},
    clock,
    contender::{Contender, Io},
    memory::{self, End},
    terms::{Packets, Terms},
    wire::Written,
};
use std::{io, thread, time::Duration};

/// Handshakes a sample.
const COUNT: u32 = 8;

/// What both ends took.
struct Times {
    server: Duration,
    client: Duration,
}

pub(crate) fn prepare(
    contender: &Contender,
    credentials: &Credentials,
    terms: &Terms,
    resumed: bool,
) -> io::Result<Run> {
    let contender = *contender;
    let configs = credentials.configs((contender.provider)(), terms, resumed)?;
    // A certificate goes over the wire, or it does not.
    let certificate = credentials.certificate(terms.key)?.len();
    let sent = || {
        let sent = Written::default();
        handshake(&contender, &configs, |end| sent.tap(Box::new(end)))?;
        io::Result::Ok(sent.bytes().len())
    };
    let (first, second) = (sent()?, sent()?);
    check(resumed == (second + certificate <= first), || {
        format!("the server sent {first} bytes, then {second}, with a certificate of {certificate}")
    })?;
    Ok(Box::new(move || {
        let (mut server, mut client) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..COUNT {
            let times = handshake(&contender, &configs, |end| Box::new(end))?;
            server += times.server;
            client += times.client;
        }
        let each = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(COUNT);
        Ok(vec![(Metric::Server, each(server)), (Metric::Client, each(client))])
    }))
}

fn handshake(
    contender: &Contender,
    configs: &Configs,
    at_server: impl FnOnce(End) -> Io,
) -> io::Result<Times> {
    let (near, far) = memory::duplex();
    thread::scope(|scope| {
        let client = scope.spawn(|| {
            let config = configs.client.clone();
            let (stream, time) =
                clock::time_without_io(Box::new(far), |io| (contender.connect)(config, Packets::Max, io));
            // A TLS 1.3 client meets its ticket when it reads.
            stream?.read_exact(&mut [0])?;
            io::Result::Ok(time)
        });
        let config = configs.server.clone();
        let (stream, server) =
            clock::time_without_io(at_server(near), |io| (contender.accept)(config, Packets::Max, io));
        let written = stream.and_then(|mut stream| {
            stream.write_all(&[0])?;
            stream.flush()
        });
        let client = client.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        written?;
        Ok(Times { server, client: client? })
    })
}
