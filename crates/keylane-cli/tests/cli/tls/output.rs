//! The server does not wait for readers of its output, nor for the files that it reads again.

use super::{SELF_SIGNED, Server};
use crate::workplace::Workplace;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::{Shutdown, TcpStream};
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// Kills a server that hangs, so that the test fails. Drop the result when it cannot hang any more.
#[must_use]
pub(crate) fn watch(server: &Server) -> Sender<()> {
    let pid = server.child.id().to_string();
    let (watch, dropped) = channel();
    thread::spawn(move || {
        if dropped.recv_timeout(Duration::from_secs(300)) == Err(RecvTimeoutError::Timeout) {
            Command::new("kill").args(["-KILL", &pid]).status().unwrap();
        }
    });
    watch
}

/// Connects and hangs up, which makes a line.
fn hang_up(server: &Server) {
    let mut client = TcpStream::connect(&server.address).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    // Before the server has done so too, its queue of connections could fill up.
    client.read_to_end(&mut Vec::new()).unwrap();
}

/// The clients are more than the lines that a pipe holds and that may wait.
#[test]
fn output_that_is_not_read_delays_nothing() {
    const CLIENTS: usize = 4000;
    let place = Workplace::new();
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --echo"));
    let watch = watch(&server);
    for _ in 0..CLIENTS {
        hang_up(&server);
    }
    assert_eq!(server.connect(&place, "", b"1").received(), b"1");
    // Once somebody reads, a line tells how many are missing before it.
    let (line, lines) = channel();
    let out = server.lines.take().unwrap();
    thread::spawn(move || out.lines().try_for_each(|text| line.send(text.unwrap())));
    let (mut told, mut left_out) = (0, 0);
    for clients in CLIENTS + 1.. {
        while let Ok(line) = lines.recv_timeout(Duration::from_secs(1)) {
            match line.strip_suffix(" lines are left out here") {
                Some(count) => left_out += count.parse::<usize>().unwrap(),
                None => told += 1,
            }
        }
        if told + left_out == clients {
            break;
        }
        assert_eq!(server.connect(&place, "", b"1").received(), b"1");
    }
    assert!(told > 1024 && left_out > 0, "{told} {left_out}");
    drop(watch);
}

#[test]
fn a_signal_does_not_wait_for_output() {
    let place = Workplace::new();
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --folder . --access-log -"));
    let watch = watch(&server);
    let mut messages = BufReader::new(server.child.stderr.take().unwrap()).lines().map(Result::unwrap);
    for _ in 0..4000 {
        hang_up(&server);
    }
    for _ in 0..2 {
        server.signal("HUP");
        assert_eq!(messages.next().unwrap(), "keylane: the files were read again");
    }
    server.signal("TERM");
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    drop(watch);
}

/// Nor for a reader of standard error.
#[cfg(target_os = "linux")]
#[test]
fn a_reload_does_not_wait_for_messages() {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    use std::time::Instant;
    let place = Workplace::new();
    super::signals::renew(&place);
    let server = Server::start(&place, "--cert ca.pem --key key.pem --echo");
    let nonblock = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap();
    let err = format!("/proc/{}/fd/2", server.child.id());
    let mut err = fs::File::options().write(true).custom_flags(nonblock).open(err).unwrap();
    while err.write(b"full").is_ok() {}
    for _ in 0..3 {
        super::signals::renew(&place);
        server.signal("HUP");
        // The new certificate is used.
        let begin = Instant::now();
        while server.connect(&place, "", b"1").out != b"1" {
            assert!(begin.elapsed() < Duration::from_secs(60), "the files are not read again");
        }
    }
    server.signal("TERM");
}

#[test]
fn output_without_a_reader_ends_nothing() {
    let place = Workplace::new();
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --echo"));
    drop(server.lines.take());
    for _ in 0..3 {
        assert_eq!(server.connect(&place, "", b"1").received(), b"1");
    }
    server.signal("TERM");
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    let mut messages = String::new();
    server.child.stderr.take().unwrap().read_to_string(&mut messages).unwrap();
    assert_eq!(messages, "");
}

/// A pipe without a writer in the place of the certificate's file: who opens it waits.
#[test]
fn a_reload_delays_nothing() {
    let place = Workplace::new();
    super::signals::renew(&place);
    let mut server = Server::start(&place, "--cert ca.pem --key key.pem --echo");
    let watch = watch(&server);
    fs::rename(place.path("key.pem"), place.path("old.pem")).unwrap();
    let Some(run) = place.tool("mkfifo", &["key.pem"]) else { return };
    run.done();
    server.signal("HUP");
    // It waits once the pipe can be written to.
    let pipe = fs::File::options().write(true).open(place.path("key.pem")).unwrap();
    assert_eq!(server.connect(&place, "", b"1").received(), b"1");
    server.signal("TERM");
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    drop((pipe, watch));
}
