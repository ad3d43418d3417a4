//! Transfers over TLS.

use super::{SELF_SIGNED, Server, noise};
use crate::workplace::Workplace;
use std::io::{Read, Write};
use std::thread;

const SUITES: [(&str, &str); 6] = [
    ("TLS 1.3", "TLS_AES_128_GCM_SHA256"),
    ("TLS 1.3", "TLS_AES_256_GCM_SHA384"),
    ("TLS 1.3", "TLS_CHACHA20_POLY1305_SHA256"),
    ("TLS 1.2", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"),
    ("TLS 1.2", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
    ("TLS 1.2", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
];

#[test]
fn an_echo_arrives_complete() {
    let place = Workplace::new();
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --echo"));
    let input = noise(10 << 20);
    for version in ["tls12", "tls13"] {
        assert!(server.connect(&place, &format!("--{version}"), &input).received() == input, "{version}");
        assert!(server.ended().ends_with("full handshake: closed"));
    }
    for (version, suite) in SUITES {
        let run = server.connect(&place, &format!("--suite {suite}"), &input[..100_000]);
        assert!(run.err.starts_with(&format!("keylane: {version}, {suite}, full handshake\n")), "{run:?}");
        assert!(run.err.ends_with("closed; sent 100000 bytes, received 100000 bytes\n"), "{run:?}");
        assert!(run.received() == input[..100_000], "{suite}");
        assert_eq!(server.ended(), format!("{version}, {suite}, full handshake: closed"));
    }
}

#[test]
fn record_sizes_change_nothing_but_the_records() {
    let place = Workplace::new();
    let input = noise(300_000);
    for size in ["dynamic", "fixed", "1", "1000", "16384"] {
        let server = Server::start(&place, &format!("{SELF_SIGNED} --echo --record-size {size}"));
        let input = if size == "1" { &input[..3000] } else { &input };
        let run = server.connect(&place, &format!("--record-size {size}"), input);
        assert!(run.received() == input, "{size}");
    }
}

#[test]
fn a_file_arrives_complete() {
    let file = noise(10 << 20);
    let place = Workplace::with(&[("file", &file)]);
    let server = Server::start(&place, &format!("{SELF_SIGNED} --folder ."));
    for version in ["tls12", "tls13"] {
        let request = b"GET /file HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        let answer = server.connect(&place, &format!("--{version}"), request).received();
        assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\n"));
        assert!(answer.ends_with(&file) && answer.len() < file.len() + 300);
    }
}

#[test]
fn fifty_clients_at_once() {
    let place = Workplace::new();
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --echo"));
    let input = noise(200_000);
    thread::scope(|scope| {
        for client in 0..50 {
            let (server, place, input) = (&server, &place, &input[client..]);
            scope.spawn(move || assert!(server.connect(place, "--quiet", input).received() == input));
        }
    });
    for _ in 0..50 {
        assert!(server.ended().ends_with("closed"));
    }
}

/// All fifty are connected before the first connection ends.
#[test]
fn connections_do_not_wait_for_each_other() {
    let place = Workplace::new();
    let server = Server::start(&place, &format!("{SELF_SIGNED} --echo"));
    let mut clients: Vec<_> = (0..50)
        .map(|_| super::keylane(&place, &format!("tls connect {} --ca ca.pem --quiet", server.address)))
        .collect();
    for client in &mut clients {
        client.stdin.as_mut().unwrap().write_all(b"ping").unwrap();
    }
    for client in &mut clients {
        let mut pong = [0; 4];
        client.stdout.as_mut().unwrap().read_exact(&mut pong).unwrap();
        assert_eq!(&pong, b"ping");
    }
    for mut client in clients {
        drop(client.stdin.take());
        assert_eq!(client.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn keys_are_renewed_on_the_way() {
    let place = Workplace::new();
    let server = Server::start(&place, &format!("{SELF_SIGNED} --echo"));
    let input = noise(3 << 20);
    for (option, updates) in [("--key-update", 3), ("--key-update=100000", 31)] {
        let run = server.connect(&place, option, &input);
        assert!(run.err.ends_with(&format!(", {updates} key updates\n")), "{}", run.err);
        assert!(run.received() == input);
    }
}

#[test]
fn sessions_resume() {
    let place = Workplace::new();
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --echo"));
    for version in ["tls12", "tls13"] {
        let run = server.connect(&place, &format!("--{version} --session-repeat 3"), b"again ");
        let handshakes: Vec<_> =
            run.err.lines().step_by(2).map(|line| line.rsplit(", ").next().unwrap().to_owned()).collect();
        assert_eq!(handshakes, ["full handshake", "resumed", "resumed"]);
        assert_eq!(run.received(), b"again again again ");
        for handshake in handshakes {
            assert!(server.ended().ends_with(&format!("{handshake}: closed")));
        }
    }
}

/// The server closes first.
#[test]
fn the_end_of_the_input_need_not_be_sent() {
    let place = Workplace::with(&[("file", b"text")]);
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --folder ."));
    let request = b"GET /file HTTP/1.0\r\n\r\n";
    assert!(server.connect(&place, "--keep-open", request).received().ends_with(b"\r\n\r\ntext"));
    assert!(server.ended().ends_with(": 1 request, closed"));
}

#[test]
fn protocols_are_agreed_on() {
    let place = Workplace::new();
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --folder ."));
    let run = server.connect(&place, "--alpn http/1.1", b"");
    assert!(run.err.contains("full handshake, http/1.1\n"), "{}", run.err);
    assert!(server.ended().ends_with("full handshake, http/1.1: 0 requests, closed"));
    let run = server.connect(&place, "--alpn http/1.1 --alpn h2", b"");
    assert!(run.err.contains("full handshake, h2\n"), "{}", run.err);
    assert!(server.ended().contains("full handshake, h2: 0 requests, "));
    let run = server.connect(&place, "--alpn h3", b"");
    run.fails_with(2, "the peer sent the alert no_application_protocol");
}

/// A certificate for another name, with a key file and a certificate file instead of `--self-signed`.
#[test]
fn certificates_come_from_files() {
    let names = vec!["example.test".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    let (cert, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let place = Workplace::with(&[("ca.pem", cert.as_bytes()), ("key.pem", key.as_bytes())]);
    let server = Server::start(&place, "--cert ca.pem --key key.pem --echo");
    assert_eq!(server.connect(&place, "--name example.test", b"1").received(), b"1");
    server.connect(&place, "", b"").fails_with(1, "the peer's certificate has another name");
}

#[test]
fn names_of_the_self_signed_certificate() {
    let place = Workplace::new();
    let server = Server::start(&place, &format!("{SELF_SIGNED} --name a.test --name 192.0.2.1 --echo"));
    for name in ["a.test", "192.0.2.1"] {
        assert_eq!(server.connect(&place, &format!("--name {name}"), b"1").received(), b"1");
    }
    server.connect(&place, "--name localhost", b"").fails_with(1, "a.test");
}

#[test]
fn quiet_is_quiet() {
    let place = Workplace::new();
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --echo --quiet"));
    let run = server.connect(&place, "--quiet", b"1");
    assert_eq!(run.err, "");
    assert_eq!(run.received(), b"1");
    server.child.kill().unwrap();
    assert_eq!(server.line(), "");
}
