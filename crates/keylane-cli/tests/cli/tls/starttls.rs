//! `keylane tls connect --starttls`, against servers that say what they like in plaintext.

use super::{SELF_SIGNED, Server, exchange};
use crate::workplace::Workplace;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

/// Starts a server that says `script`, where `>` is a line of the client, and then passes everything on to a
/// TLS server; at `!` it hangs up.
fn plaintext(script: &str, to: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (script, to) = (script.to_owned(), to.to_owned());
    thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut heard = BufReader::new(client.try_clone().unwrap());
        // What follows one line of the client goes out at once.
        for part in script.split_inclusive('>') {
            let (said, hear) = part.split_once('>').map_or((part, false), |(said, _)| (said, true));
            let _ = client.write_all(said.as_bytes());
            if said.ends_with('!') || hear && heard.read_line(&mut String::new()).unwrap_or(0) == 0 {
                return;
            }
        }
        assert_eq!(heard.buffer(), b"", "the client did not wait");
        let mut server = TcpStream::connect(to).unwrap();
        let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        thread::spawn(move || {
            let _ = io::copy(&mut from_client, &mut to_server);
            let _ = to_server.shutdown(std::net::Shutdown::Write);
        });
        let _ = io::copy(&mut server, &mut client);
    });
    address
}

#[test]
fn servers_that_agree() {
    let place = Workplace::new();
    let server = Server::start(&place, &format!("{SELF_SIGNED} --echo"));
    for (protocol, script) in [
        ("smtp", "220 x\r\n>250-x\r\n250-SIZE 1\r\n250-STARTTLS\r\n250 HELP\r\n>220 go\r\n"),
        ("smtp", "220-x\r\n220-\r\n220\r\n>250 starttls\r\n>220\n"),
        ("imap", "* OK x\r\n>* CAPABILITY IMAP4rev1 STARTTLS\r\n* x\r\na OK x\r\n>b OK x\r\n"),
        ("imap", "* ok\r\n>* capability starttls\r\na ok\r\n>b ok\r\n"),
    ] {
        let address = plaintext(script, &server.address);
        let run = exchange(
            &place,
            &format!("tls connect {address} --starttls {protocol} --ca ca.pem --timing"),
            b"1",
        );
        let timing = run.err.lines().last().unwrap();
        let phases: Vec<_> = timing.strip_prefix("keylane: ").unwrap().split(", ").collect();
        for (phase, name) in
            phases.iter().zip(["name", "TCP", "STARTTLS", "handshake", "first byte", "total"])
        {
            let time = phase.strip_prefix(&format!("{name} ")).and_then(|time| time.strip_suffix(" ms"));
            assert!(time.expect(timing).parse::<f64>().is_ok(), "{timing}");
        }
        assert_eq!(phases.len(), 6, "{timing}");
        assert_eq!(run.received(), b"1", "{script}");
    }
}

#[test]
fn servers_that_do_not() {
    let place = Workplace::new();
    let server = Server::start(&place, &format!("{SELF_SIGNED} --echo"));
    let long = format!("220 {}", "x".repeat(9000));
    let endless = format!("220 x\r\n>{}", "250-x\r\n".repeat(101));
    for (protocol, script, what) in [
        ("smtp", "554 no\r\n", "the server answers \"554 no\""),
        ("smtp", "220 x\r\n>250 SIZE\r\n", "the server does not offer STARTTLS"),
        ("smtp", "220 x\r\n>250-STARTTLS\r\n!", "the server hung up"),
        ("smtp", "220 x\r\n>250 STARTTLS\r\n>454 \u{1b}[2J\r\n", "the server answers \"454 \\u{1b}[2J\""),
        ("smtp", "220 x\r\n>2500 STARTTLS\r\n", "the server answers \"2500 STARTTLS\""),
        ("smtp", "220\u{e9}\r\n", "the server answers \"220\u{e9}\""),
        ("smtp", "\r\n", "the server answers \"\""),
        ("smtp", &long, "the server sends a line that does not end"),
        ("smtp", &endless, "the server's answer does not end"),
        ("imap", "* PREAUTH x\r\n", "the server answers \"* PREAUTH x\""),
        ("imap", "* OK x\r\n>* CAPABILITY IMAP4rev1\r\na OK\r\n", "the server does not offer STARTTLS"),
        ("imap", "* OK x\r\n>* CAPABILITY STARTTLS\r\na OK\r\n>b NO x\r\n", "the server answers \"b NO x\""),
        ("imap", "* OK x\r\n>a BAD\r\n", "the server answers \"a BAD\""),
        // What came in plaintext is not taken for data, nor for the handshake.
        ("smtp", "220 x\r\n>250 STARTTLS\r\n>220 go\r\n250 injected\r\n", "may come from an attacker"),
        (
            "imap",
            "* OK x\r\n>* CAPABILITY STARTTLS\r\na OK\r\n>b OK\r\n* injected\r\n",
            "may come from an attacker",
        ),
    ] {
        let address = plaintext(script, &server.address);
        let run = exchange(&place, &format!("tls connect {address} --starttls {protocol} --ca ca.pem"), b"1");
        assert_eq!(run.out, b"");
        run.fails_with(2, &format!("{address}: STARTTLS: "));
        let address = plaintext(script, &server.address);
        exchange(&place, &format!("tls connect {address} --starttls {protocol} --ca ca.pem"), b"1")
            .fails_with(2, what);
    }
}
