//! Signals to the server.

use super::{SELF_SIGNED, Server, keylane, noise};
use crate::workplace::Workplace;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command};

impl Server {
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &pid]).status().unwrap().success());
    }
}

/// Returns a client that asks for a file and has read the first byte of the answer.
fn slow_client(server: &Server, place: &Workplace) -> Child {
    let connect = format!("tls connect {} --ca ca.pem --quiet --keep-open", server.address);
    let mut client = keylane(place, &connect);
    client.stdin.take().unwrap().write_all(b"GET /file HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    client.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    client
}

/// Open connections are closed, not truncated.
#[test]
fn an_interrupt_ends_the_server_cleanly() {
    for signal in ["INT", "TERM"] {
        let place = Workplace::new();
        let mut server = Server::start(&place, &format!("{SELF_SIGNED} --echo"));
        let mut client = keylane(&place, &format!("tls connect {} --ca ca.pem --quiet", server.address));
        // Taken, since waiting for the client would close it, and the server must close first.
        let mut input = client.stdin.take().unwrap();
        input.write_all(b"ping").unwrap();
        client.stdout.as_mut().unwrap().read_exact(&mut [0; 4]).unwrap();
        server.signal(signal);
        assert_eq!(client.wait().unwrap().code(), Some(0));
        assert_eq!(server.child.wait().unwrap().code(), Some(0));
        let ended = server.ended();
        assert!(ended.ends_with("stopped, closed"), "{ended}");
        drop(input);
    }
}

/// The file is longer than sockets and pipes hold.
#[test]
fn requests_under_way_are_finished() {
    let file = noise(40 << 20);
    let place = Workplace::with(&[("file", &file)]);
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --folder ."));
    let client = slow_client(&server, &place);
    // Another that waits between two requests.
    let mut waiting = keylane(&place, &format!("tls connect {} --ca ca.pem --quiet", server.address));
    let mut input = waiting.stdin.take().unwrap();
    input.write_all(b"HEAD /file HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    waiting.stdout.as_mut().unwrap().read_exact(&mut [0; 16]).unwrap();
    server.signal("TERM");
    assert_eq!(waiting.wait().unwrap().code(), Some(0));
    assert!(server.ended().ends_with(": 1 request, stopped, closed"));
    assert!(std::net::TcpStream::connect(&server.address).is_err(), "it still accepts");
    let output = client.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout.ends_with(&file));
    assert!(server.ended().ends_with(": 1 request, stopped, closed"));
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_second_signal_does_not_wait() {
    let place = Workplace::with(&[("file", &noise(40 << 20))]);
    let serve = format!("{SELF_SIGNED} --folder . --idle-timeout 100000 --access-log - --quiet");
    let mut server = Server::start(&place, &serve);
    let mut client = slow_client(&server, &place);
    server.signal("TERM");
    // The port is closed when the first signal was seen.
    while std::net::TcpStream::connect(&server.address).is_ok() {}
    server.signal("INT");
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    // The request that is given up has its line.
    let line = server.line();
    assert!(line.contains("] \"GET /file HTTP/1.1\" 200 "), "{line}");
    client.kill().unwrap();
    client.wait().unwrap();
}

/// Writes another certificate for `localhost`.
pub(crate) fn renew(place: &Workplace) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    place.write("ca.pem", made.cert.pem().as_bytes());
    place.write("key.pem", made.signing_key.serialize_pem().as_bytes());
}

#[test]
fn a_hang_up_reads_the_certificates_again() {
    let place = Workplace::new();
    renew(&place);
    let mut server =
        Server::start(&place, "--cert ca.pem --key key.pem --client-ca ca.pem --echo --client-auth optional");
    let mut messages = BufReader::new(server.child.stderr.take().unwrap()).lines().map(Result::unwrap);
    // This connection goes on, whatever happens.
    let connect = format!("tls connect {} --ca ca.pem --quiet", server.address);
    let mut client = keylane(&place, &connect);
    let ping = |client: &mut Child| {
        client.stdin.as_mut().unwrap().write_all(b"ping").unwrap();
        client.stdout.as_mut().unwrap().read_exact(&mut [0; 4]).unwrap();
    };
    ping(&mut client);
    fs::copy(place.path("ca.pem"), place.path("old.pem")).unwrap();
    renew(&place);
    server.signal("HUP");
    assert_eq!(messages.next().unwrap(), "keylane: the files were read again");
    assert_eq!(server.connect(&place, "", b"1").received(), b"1");
    let run = super::exchange(&place, &format!("tls connect {} --ca old.pem", server.address), b"");
    run.fails_with(1, "is not trusted");
    ping(&mut client);
    // A file that cannot be used changes nothing, even if others can.
    fs::copy(place.path("ca.pem"), place.path("old.pem")).unwrap();
    for broken in ["key.pem", "ca.pem"] {
        renew(&place);
        place.write(broken, b"broken");
        server.signal("HUP");
        assert!(messages.next().unwrap().starts_with(&format!("keylane: {broken}")));
        assert_eq!(messages.next().unwrap(), "keylane: the files that were read before stay in use");
        let run = super::exchange(&place, &format!("tls connect {} --ca old.pem", server.address), b"1");
        assert_eq!(run.received(), b"1");
    }
    ping(&mut client);
    drop(client.stdin.take());
    assert_eq!(client.wait().unwrap().code(), Some(0));
}

#[test]
fn a_hang_up_does_not_expose_a_key() {
    let place = Workplace::new();
    renew(&place);
    fs::create_dir(place.path("www")).unwrap();
    place.write("www/file", b"text");
    fs::copy(place.path("key.pem"), place.path("www/key.pem")).unwrap();
    let mut server = Server::start(&place, "--cert ca.pem --key key.pem --folder www");
    let mut messages = BufReader::new(server.child.stderr.take().unwrap()).lines().map(Result::unwrap);
    fs::remove_file(place.path("key.pem")).unwrap();
    std::os::unix::fs::symlink("www/key.pem", place.path("key.pem")).unwrap();
    server.signal("HUP");
    assert!(messages.next().unwrap().starts_with("keylane: key.pem is secret, but would be served"));
    assert_eq!(messages.next().unwrap(), "keylane: the files that were read before stay in use");
    let answer = server.connect(&place, "", b"GET /file HTTP/1.0\r\n\r\n").received();
    assert!(answer.ends_with(b"\r\n\r\ntext"));
}

/// The secrets of both ends are the same.
#[test]
fn secrets_are_logged_on_request() {
    let place = Workplace::new();
    let keylane = env!("CARGO_BIN_EXE_keylane");
    let start = |file: &str, arguments: &str| {
        let variable = format!("SSLKEYLOGFILE={file}");
        let arguments = [&[&variable, keylane], &arguments.split(' ').collect::<Vec<_>>()[..]].concat();
        place.start("env", &arguments).unwrap()
    };
    let serve = format!("tls serve --listen 127.0.0.1:0 {SELF_SIGNED} --echo");
    let mut server = start("server.keys", &serve);
    let mut address = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
    let address = address.trim_end().rsplit(' ').next().unwrap();
    let mut client = start("client.keys", &format!("tls connect {address} --ca ca.pem --quiet"));
    drop(client.stdin.take());
    let output = client.wait_with_output().unwrap();
    server.kill().unwrap();
    let warned = |err: &[u8], file| {
        let err = String::from_utf8_lossy(err);
        assert_eq!(
            err,
            format!("keylane: SSLKEYLOGFILE is set: whoever can read {file} can decrypt the connections\n")
        );
    };
    warned(&output.stderr, "client.keys");
    warned(&server.wait_with_output().unwrap().stderr, "server.keys");
    for file in ["client.keys", "server.keys"] {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(place.path(file)).unwrap().permissions().mode() & 0o777, 0o600, "{file}");
    }
    let lines = |file| {
        let text = String::from_utf8(place.read(file)).unwrap();
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(lines("client.keys"), lines("server.keys"));
    assert!(lines("client.keys")[0].starts_with("CLIENT_HANDSHAKE_TRAFFIC_SECRET "));
    let failed = start("none/keys", &serve).wait_with_output().unwrap();
    assert_eq!(failed.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&failed.stderr).starts_with("keylane: none/keys: No such file"));
    // A link that leads nowhere yet: opening it makes the file that it leads to.
    fs::create_dir(place.path("www")).unwrap();
    std::os::unix::fs::symlink("www/keys", place.path("link")).unwrap();
    let refused = start("link", "tls serve --self-signed --listen nowhere --folder www").wait_with_output();
    let err = String::from_utf8(refused.unwrap().stderr).unwrap();
    assert!(err.contains("keylane: link is secret, but would be served"), "{err}");
}
