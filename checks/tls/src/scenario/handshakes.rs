//! The CPU time of a handshake, each end on a thread of its own, joined in memory. What an end spends in its
//! transport, which is mostly waiting for the other, is taken off.

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
const COUNT: usize = 8;

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
        shake_hands(&contender, &configs, 1, |end| sent.tap(Box::new(end)))?;
        io::Result::Ok(sent.bytes().len())
    };
    let (first, second) = (sent()?, sent()?);
    check(resumed == (second + certificate <= first), || {
        format!("the server sent {first} bytes, then {second}, with a certificate of {certificate}")
    })?;
    Ok(Box::new(move || {
        let (server, client) = shake_hands(&contender, &configs, 1 + COUNT, |end| Box::new(end))?;
        // The first one finds both threads' memory cold.
        let each =
            |times: &[Duration]| times[1..].iter().sum::<Duration>().as_secs_f64() * 1e6 / COUNT as f64;
        Ok(vec![(Metric::Server, each(&server)), (Metric::Client, each(&client))])
    }))
}

/// So many handshakes, one after the other: how long each took the server, and the client.
fn shake_hands(
    contender: &Contender,
    configs: &Configs,
    count: usize,
    at_server: impl Fn(End) -> Io,
) -> io::Result<(Vec<Duration>, Vec<Duration>)> {
    let (near, far): (Vec<End>, Vec<End>) = (0..count).map(|_| memory::duplex()).unzip();
    thread::scope(|scope| {
        let client = scope.spawn(|| {
            let shake_hands = |end: End| {
                let config = configs.client.clone();
                let (stream, time) =
                    clock::time_without_io(Box::new(end), |io| (contender.connect)(config, Packets::Max, io));
                // A TLS 1.3 client meets its ticket when it reads.
                stream?.read_exact(&mut [0])?;
                Ok(time)
            };
            far.into_iter().map(shake_hands).collect::<io::Result<Vec<_>>>()
        });
        let shake_hands = |end: End| {
            let config = configs.server.clone();
            let (stream, time) =
                clock::time_without_io(at_server(end), |io| (contender.accept)(config, Packets::Max, io));
            let mut stream = stream?;
            stream.write_all(&[0])?;
            stream.flush()?;
            Ok(time)
        };
        let server = near.into_iter().map(shake_hands).collect::<io::Result<Vec<_>>>();
        let client = client.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok((server?, client?))
    })
}
