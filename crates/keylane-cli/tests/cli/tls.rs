//! `keylane tls serve` and `keylane tls connect` against each other.

#[cfg(target_os = "linux")]
mod access_log;
#[cfg(unix)]
mod bench;
mod certificates;
mod curl;
mod failures;
mod http;
#[cfg(target_os = "linux")]
mod open_files;
#[cfg(unix)]
mod output;
#[cfg(unix)]
mod signals;
mod starttls;
mod transfers;

use super::workplace::{Run, Workplace};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout};
use std::thread;

/// Options of a server without a certificate. Clients trust it with `--ca ca.pem`.
const SELF_SIGNED: &str = "--self-signed --write-cert ca.pem";

/// `keylane tls serve` on a free port. Killed when dropped.
struct Server {
    child: Child,
    /// Its standard output.
    lines: Option<BufReader<ChildStdout>>,
    address: String,
}

impl Server {
    fn start(place: &Workplace, arguments: &str) -> Self {
        Self::started(keylane(place, &format!("tls serve --listen 127.0.0.1:0 {arguments}")))
    }

    fn started(mut child: Child) -> Self {
        let lines = child.stdout.take().map(BufReader::new);
        let mut server = Self { child, lines, address: String::new() };
        let line = server.line();
        server.address = line.strip_prefix("listening on ").expect(&line).to_owned();
        server
    }

    /// Returns the next line that it prints, empty at the end.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.as_mut().unwrap().read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Returns the next line, about a connection, without the client's address.
    fn ended(&mut self) -> String {
        let line = self.line();
        line.strip_prefix("127.0.0.1:").and_then(|line| line.split_once(": ")).expect(&line).1.to_owned()
    }

    /// Runs `keylane tls connect` with this input, trusting the certificate in ca.pem.
    fn connect(&self, place: &Workplace, arguments: &str, input: &[u8]) -> Exchange {
        exchange(place, &format!("tls connect {} --ca ca.pem {arguments}", self.address), input)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The exit status of `keylane tls connect`, what it received, and its messages.
#[derive(Debug)]
struct Exchange {
    status: i32,
    out: Vec<u8>,
    err: String,
}

impl Exchange {
    /// Checks that it succeeded. Returns what was received.
    #[track_caller]
    fn received(self) -> Vec<u8> {
        assert_eq!(self.status, 0, "{}", self.err);
        self.out
    }

    #[track_caller]
    fn fails_with(self, status: i32, what: &str) {
        let out = String::from_utf8_lossy(&self.out).into_owned();
        Run { status: self.status, out, err: self.err }.fails_with(status, what);
    }
}

fn keylane(place: &Workplace, arguments: &str) -> Child {
    let arguments: Vec<_> = arguments.split_whitespace().collect();
    place.start(env!("CARGO_BIN_EXE_keylane"), &arguments).unwrap()
}

/// Writes the input while it reads the output, since an echo comes back before the input has ended.
fn exchange(place: &Workplace, arguments: &str, input: &[u8]) -> Exchange {
    let mut child = keylane(place, arguments);
    let mut stdin = child.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        scope.spawn(move || {
            // A command that fails does not read its input.
            let _ = stdin.write_all(input);
        });
        child.wait_with_output().unwrap()
    });
    Exchange {
        status: output.status.code().unwrap_or(-1),
        out: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Returns random bytes, so that a missing or moved part is noticed.
fn noise(len: usize) -> Vec<u8> {
    let mut x = 1u32;
    let mut byte = || {
        x = x.wrapping_mul(1664525).wrapping_add(1013904223);
        (x >> 24) as u8
    };
    (0..len).map(|_| byte()).collect()
}
