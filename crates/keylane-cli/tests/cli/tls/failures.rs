//! Failures and their messages.

use super::{SELF_SIGNED, Server, exchange, keylane};
use crate::workplace::Workplace;
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener};
use std::thread;

#[test]
fn invalid_certificates_and_keys() {
    let made = || rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (one, other) = (made(), made());
    let (cert, key) = (one.cert.pem(), other.signing_key.serialize_pem());
    let damaged = cert.replacen("MII", "!!!", 1);
    let not_der = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let place = Workplace::with(&[
        ("cert", cert.as_bytes()),
        ("key", key.as_bytes()),
        ("damaged", damaged.as_bytes()),
        ("not_der", not_der.as_bytes()),
        ("empty", b""),
    ]);
    for (cert, key, what) in [
        ("none", "key", "none: No such file"),
        ("cert", "none", "the key file none: No such file"),
        ("empty", "key", "empty: no certificate in PEM"),
        ("key", "key", "key: no certificate in PEM"),
        ("cert", "cert", "cert: no private key in PEM"),
        ("damaged", "key", "damaged: not a certificate in PEM"),
        ("not_der", "key", "not_der and key: "),
        ("cert", "key", "cert and key: the key does not belong to the certificate"),
    ] {
        let run = place.keylane(&format!("tls serve --echo --cert {cert} --key {key}"));
        assert_eq!(run.fails_with(2, what), "");
    }
    for (ca, what) in [
        ("none", "none: No such file"),
        ("key", "key: no certificate in PEM"),
        ("not_der", "not a certificate"),
    ] {
        place.keylane(&format!("tls connect localhost:1 --ca {ca}")).fails_with(2, what);
    }
}

#[test]
fn wrong_usage() {
    let place = Workplace::new();
    for arguments in [
        "serve --echo",
        "serve --self-signed",
        "serve --self-signed --echo --folder .",
        "serve --cert a --echo",
        "serve --self-signed --key a --echo",
        "serve --self-signed --cert a --key b --echo",
        "serve --self-signed --ocsp a --echo",
        "serve --self-signed --echo --client-auth optional",
        "serve --self-signed --echo --client-ca a --client-auth never",
        "serve --self-signed --echo --tls12 --tls13",
        "serve --self-signed --echo --suite TLS_NULL",
        "serve --self-signed --echo --record-size 0",
        "serve --self-signed --echo --record-size 16385",
        "serve --self-signed --echo --record-size",
        "serve --self-signed --echo --idle-timeout 0",
        "serve --self-signed --echo --max-connections 0",
        "serve --self-signed --echo --access-log log",
        "connect",
        "connect localhost",
        "connect localhost:https",
        "connect :443",
        "connect localhost:1 --key-update=0",
        "connect localhost:1 --key-update --tls12",
        "connect localhost:1 --session-repeat 0",
        "connect localhost:1 --name a..b",
        "connect localhost:1 --cert a",
        "connect localhost:1 --starttls pop3",
    ] {
        let run = place.keylane(&format!("tls {arguments}"));
        assert_eq!(run.status, 2, "{arguments}: {run:?}");
        assert!(run.err.contains("Usage: ") || run.err.contains("For more information"), "{run:?}");
    }
    place
        .keylane("tls serve --self-signed --echo --tls12 --suite TLS_AES_128_GCM_SHA256")
        .fails_with(2, "no connection is possible with these versions and suites");
    place.keylane("tls serve --self-signed --folder none").fails_with(2, "none: No such file");
    place.keylane("tls serve --self-signed --echo --listen nowhere").fails_with(2, "nowhere: ");
    place.keylane("tls serve --self-signed --write-cert a/b --echo").fails_with(2, "a/b: No such file");
}

#[test]
fn a_folder_that_contains_a_secret_is_not_served() {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (cert, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let place = Workplace::with(&[("cert", cert.as_bytes()), ("key", key.as_bytes())]);
    fs::create_dir_all(place.path("www/sub")).unwrap();
    fs::copy(place.path("key"), place.path("www/sub/key")).unwrap();
    for (key, folder) in [("key", "."), ("www/sub/key", "www"), ("www/../key", "www/..")] {
        let run = place.keylane(&format!("tls serve --cert cert --key {key} --folder {folder}"));
        run.fails_with(2, &format!("{key} is secret, but would be served: it is in the folder "));
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("www/sub/key", place.path("link")).unwrap();
        let run = place.keylane("tls serve --cert cert --key link --folder www");
        run.fails_with(2, "link is secret");
        for file in ["www/keys", "keys"] {
            let serve = "tls serve --self-signed --folder www --listen nowhere";
            let variable = format!("SSLKEYLOGFILE={file}");
            let arguments =
                [&[&*variable, env!("CARGO_BIN_EXE_keylane")], &*serve.split(' ').collect::<Vec<_>>()];
            let run = place.tool("env", &arguments.concat()).unwrap();
            assert_eq!(run.status, 2);
            assert_eq!(run.err.contains("www/keys is secret"), file == "www/keys", "{run:?}");
            assert_eq!(place.path(file).exists(), file == "keys");
        }
    }
    let _starts = Server::start(&place, "--cert cert --key key --folder www");
}

/// The link may lead to a key.
#[cfg(unix)]
#[test]
fn a_certificate_is_not_written_through_a_link() {
    let place = Workplace::with(&[("key", b"a key")]);
    std::os::unix::fs::symlink("key", place.path("link")).unwrap();
    // Fails after the certificate is written.
    place
        .keylane("tls serve --self-signed --write-cert link --echo --listen nowhere")
        .fails_with(2, "nowhere: ");
    assert_eq!(place.read("key"), b"a key");
    assert!(place.read("link").starts_with(b"-----BEGIN CERTIFICATE-----"));
}

#[test]
fn a_port_in_use() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let run = Workplace::new().keylane(&format!("tls serve --self-signed --echo --listen {address}"));
    run.fails_with(2, &format!("{address}: Address already in use"));
}

#[test]
fn a_host_that_refuses() {
    // Bound, so that no other program gets the port, but not listening.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let address = socket.local_addr().unwrap();
    let place = Workplace::with(&[]);
    let _server = Server::start(&place, &format!("{SELF_SIGNED} --echo"));
    let run = place.keylane(&format!("tls connect {address} --ca ca.pem"));
    run.fails_with(2, &format!("{address}: Connection refused"));
}

/// Starts a peer that answers the first bytes with these and closes the connection.
fn answering(answer: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let _ = socket.read(&mut [0; 4096]);
        let _ = socket.write_all(answer);
        let _ = socket.shutdown(Shutdown::Write);
        let _ = socket.read_to_end(&mut Vec::new());
    });
    address
}

#[test]
fn peers_that_are_not_tls() {
    let place = Workplace::new();
    let _writes_ca = Server::start(&place, &format!("{SELF_SIGNED} --echo"));
    for (answer, what) in [
        (&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], "the peer does not speak TLS"),
        (b"SSH-2.0-OpenSSH_9.2p1\r\n", "the peer does not speak TLS"),
        (b"", "the peer hung up in the handshake"),
        (b"\x15\x03\x03\x00\x02\x02\x28", "the peer sent the alert handshake_failure"),
    ] {
        let address = answering(answer);
        let run = place.keylane(&format!("tls connect {address} --ca ca.pem"));
        run.fails_with(2, &format!("{address}: "));
        let address = answering(answer);
        place.keylane(&format!("tls connect {address} --ca ca.pem")).fails_with(2, what);
    }
}

#[test]
fn clients_that_are_not_tls() {
    let place = Workplace::new();
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --echo"));
    let mut socket = std::net::TcpStream::connect(&server.address).unwrap();
    socket.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    socket.read_to_end(&mut Vec::new()).unwrap();
    assert!(server.ended().contains("does not speak TLS"));
    drop(std::net::TcpStream::connect(&server.address).unwrap());
    assert_eq!(server.ended(), "the peer hung up in the handshake");
    // The server still works.
    assert_eq!(server.connect(&place, "", b"1").received(), b"1");
}

#[test]
fn a_certificate_that_is_not_trusted() {
    let place = Workplace::new();
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --echo"));
    // Other certificates: with the same issuer's name, and with another.
    let same = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap().cert;
    let mut another = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
    another.distinguished_name.push(rcgen::DnType::CommonName, "another");
    let another = another.self_signed(&rcgen::KeyPair::generate().unwrap()).unwrap();
    for (other, alert) in [(same, "decrypt_error"), (another, "unknown_ca")] {
        place.write("ca.pem", other.pem().as_bytes());
        let run = server.connect(&place, "", b"secret");
        assert_eq!(run.out, b"");
        run.fails_with(1, "the peer's certificate is not trusted: no trusted authority has issued it (--ca");
        assert_eq!(server.ended(), format!("the peer sent the alert {alert}"));
    }
}

/// The names in a certificate come from the peer.
#[test]
fn a_certificate_cannot_control_the_terminal() {
    let made = rcgen::generate_simple_self_signed(["\u{1b}[2J\r\n.test".to_owned()]).unwrap();
    let (cert, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let place = Workplace::with(&[("ca.pem", cert.as_bytes()), ("key.pem", key.as_bytes())]);
    let server = Server::start(&place, "--cert ca.pem --key key.pem --echo");
    let run = server.connect(&place, "", b"");
    assert!(!run.err.trim_end().contains(char::is_control), "{run:?}");
    run.fails_with(1, "[2J");
}

/// As `openssl req -x509` makes them by default.
#[test]
fn a_self_signed_certificate_of_an_authority() {
    let mut authority = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
    authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let key = rcgen::KeyPair::generate().unwrap();
    let cert = authority.self_signed(&key).unwrap().pem();
    let place = Workplace::with(&[("ca.pem", cert.as_bytes()), ("key.pem", key.serialize_pem().as_bytes())]);
    let server = Server::start(&place, "--cert ca.pem --key key.pem --echo");
    server.connect(&place, "", b"").fails_with(
        1,
        "the peer's certificate is an authority's (CA:TRUE), which cannot be a server's too, \
         even if --ca trusts it: give the server one with CA:FALSE",
    );
}

#[test]
fn nothing_in_common() {
    let place = Workplace::new();
    let mut server =
        Server::start(&place, &format!("{SELF_SIGNED} --echo --suite TLS_AES_128_GCM_SHA256 --tls13"));
    server.connect(&place, "--tls12", b"").fails_with(2, "the peer sent the alert protocol_version");
    server.ended();
    let run = server.connect(&place, "--suite TLS_AES_256_GCM_SHA384", b"");
    run.fails_with(2, "the peer sent the alert handshake_failure");
    server.ended();
}

#[test]
fn a_truncated_connection_is_reported() {
    let place = Workplace::new();
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --echo"));
    let connect = format!("tls connect {} --ca ca.pem --quiet", server.address);
    let mut pong = [0; 4];
    // Truncated by the client.
    let mut client = keylane(&place, &connect);
    client.stdin.as_mut().unwrap().write_all(b"ping").unwrap();
    client.stdout.as_mut().unwrap().read_exact(&mut pong).unwrap();
    client.kill().unwrap();
    client.wait().unwrap();
    let ended = server.ended();
    assert!(ended.ends_with("truncated: the peer went away without close_notify"), "{ended}");
    // Truncated by the server.
    let mut client = keylane(&place, &connect);
    client.stdin.as_mut().unwrap().write_all(b"ping").unwrap();
    client.stdout.as_mut().unwrap().read_exact(&mut pong).unwrap();
    drop(server);
    let output = client.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains(": truncated: "));
}

#[test]
fn a_key_update_needs_1_3() {
    let place = Workplace::new();
    let server = Server::start(&place, &format!("{SELF_SIGNED} --echo --tls12"));
    let address = &server.address;
    let run = exchange(&place, &format!("tls connect {address} --ca ca.pem --quiet --key-update"), b"1");
    run.fails_with(2, "TLS 1.2 cannot change its keys");
}

/// The second client is served only because the first, which is idle, is disconnected.
#[test]
fn idle_connections_make_room_for_others() {
    let place = Workplace::new();
    let limits = "--idle-timeout 5 --max-connections 1";
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --echo {limits}"));
    let mut idle = keylane(&place, &format!("tls connect {} --ca ca.pem --quiet", server.address));
    let mut input = idle.stdin.take().unwrap();
    input.write_all(b"ping").unwrap();
    idle.stdout.as_mut().unwrap().read_exact(&mut [0; 4]).unwrap();
    assert_eq!(server.connect(&place, "", b"second").received(), b"second");
    for end in ["full handshake: idle, closed", "full handshake: closed"] {
        let ended = server.ended();
        assert!(ended.ends_with(end), "{ended}");
    }
    // The server sent a close_notify.
    assert_eq!(idle.wait().unwrap().code(), Some(0));
    drop(input);
}

#[test]
fn a_client_that_does_not_read_is_disconnected() {
    let place = Workplace::new();
    // A sparse file, longer than sockets and pipes hold.
    fs::File::create(place.path("file")).unwrap().set_len(64 << 20).unwrap();
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --folder . --idle-timeout 2"));
    let mut client = keylane(&place, &format!("tls connect {} --ca ca.pem --keep-open", server.address));
    client.stdin.take().unwrap().write_all(b"GET /file HTTP/1.0\r\n\r\n").unwrap();
    // Its standard output is a pipe that is not read.
    let ended = server.ended();
    assert!(ended.ends_with("full handshake: 1 request, idle, the peer did not close"), "{ended}");
    client.kill().unwrap();
    client.wait().unwrap();
}
