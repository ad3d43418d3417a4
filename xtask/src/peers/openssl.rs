//! OpenSSL's s_client and s_server. Both take `K` and `k`, alone in what they read, for a change of keys.

use super::process::{Process, Stage};
use super::suite::{Suite, Version};
use super::{Lab, Seen, keylane};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::process::Command;

const CERTIFICATE: &str = "[req]\ndistinguished_name=name\nx509_extensions=extensions\n\
    [name]\n[extensions]\nbasicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\n\
    subjectAltName=DNS:localhost,IP:127.0.0.1\n";

/// In a list of messages.
const CLOSE_NOTIFY: &str = "close_notify";

/// `ecdsa.pem` and `rsa.pem`, signed by themselves, and their keys; `all.pem` has both certificates.
pub(crate) fn make_certificates(lab: &Lab) -> Result<()> {
    fs::write(lab.path("certificate.cnf"), CERTIFICATE)?;
    let mut all = String::new();
    for (name, key) in
        [("ecdsa", &["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"][..]), ("rsa", &["rsa:2048"])]
    {
        let stage = Stage::default();
        let mut command = openssl(lab, "req");
        command.args(["-x509", "-config", "certificate.cnf", "-nodes", "-days", "2", "-newkey"]).args(key);
        command.args(["-out", &format!("{name}.pem"), "-keyout", &format!("{name}.key")]);
        command.args(["-subj", &format!("/CN={name}")]);
        stage.run(&mut command).map_err(|error| stage.explain(error))?;
        all += &fs::read_to_string(lab.path(&format!("{name}.pem")))?;
    }
    fs::write(lab.path("all.pem"), all)?;
    Ok(())
}

pub(crate) fn client(lab: &Lab, suite: &Suite, stage: &Stage) -> Result<Seen> {
    let server = keylane::Server::echo(lab, stage, suite)?;
    let s_client = |port: u16, options: &[&str]| {
        let mut command = openssl(lab, "s_client");
        command.args(["-connect", &format!("localhost:{port}"), "-verify_return_error"]);
        command.args(["-CAfile", &suite.certificate(), version(suite), "-msg", "-msgfile", "messages"]);
        stage.start(command.args(options))
    };

    let mut client = s_client(server.port, &["-brief", "-sess_out", "session"])?;
    let mut bytes = echoed(lab, &client, 1)?;
    let mut key_updates = (0, 0);
    if suite.is_13() {
        for (times, letter) in [(1, b"K\n"), (2, b"k\n")] {
            client.input(letter);
            client.err.wait_for("KEYUPDATE", times)?;
            bytes += echoed(lab, &client, times + 1)?;
        }
    }
    client.end_input();
    client.finish()?;
    server.expect(false, "closed")?;
    if suite.is_13() {
        let messages = Messages::read(lab)?;
        key_updates = (messages.count("<<<", "KeyUpdate"), messages.count(">>>", "KeyUpdate"));
        // OpenSSL asks for an answer to `K` alone.
        ensure!(key_updates == (1, 2), "key updates of Keylane and OpenSSL: {key_updates:?}");
    }

    let mut client = s_client(server.port, &["-brief", "-sess_in", "session"])?;
    bytes += echoed(lab, &client, 1)?;
    client.end_input();
    client.finish()?;
    server.expect(true, "closed")?;

    // s_client does not look for an answer to its own close_notify: here Keylane is the first to close.
    let server = keylane::Server::files(lab, stage, suite)?;
    let mut client = s_client(server.port, &["-quiet"])?;
    client.input(b"GET /payload HTTP/1.0\r\n\r\n");
    client.finish()?;
    ensure!(client.out.bytes().ends_with(&lab.payload), "what came is not what was served");
    bytes += lab.payload.len();
    server.expect(false, "answered, closed")?;
    ensure!(Messages::read(lab)?.count("<<<", CLOSE_NOTIFY) == 1, "OpenSSL has seen no close_notify");
    Ok(Seen { bytes, key_updates, closed: (true, true), resumed: true })
}

/// Sends the payload by s_client and waits for the echo; how many bytes that were.
fn echoed(lab: &Lab, client: &Process, times: usize) -> Result<usize> {
    client.input(&lab.payload);
    client.out.wait_for_end(times * lab.payload.len(), lab.end_of_payload())?;
    ensure!(client.out.bytes() == lab.payload.repeat(times), "what came back is not what was sent");
    Ok(2 * lab.payload.len())
}

pub(crate) fn server(lab: &Lab, suite: &Suite, stage: &Stage) -> Result<Seen> {
    // Without stdbuf it keeps its lines to itself until it ends.
    let mut command = Command::new("stdbuf");
    command.current_dir(&lab.folder).args([
        "-oL",
        "openssl",
        "s_server",
        "-accept",
        "127.0.0.1:0",
        "-naccept",
        "3",
        version(suite),
        "-msg",
        "-msgfile",
        "messages",
    ]);
    command.args(["-cert", &suite.certificate(), "-key", &suite.private_key()]);
    let mut server = stage.start(&mut command)?;
    server.out.wait_for("ACCEPT 127.0.0.1:", 1)?;
    let printed = server.out.text();
    let port = keylane::port(printed.lines().last().context("a line")?)?;

    let options: &[_] = if suite.is_13() { &["--key-update=300000"] } else { &[] };
    let mut client = keylane::connect(lab, stage, suite, port, options)?;
    // s_server may hang if it finds data on its standard input before the handshake is done.
    client.input(&lab.payload);
    server.out.wait_for_end(lab.payload.len(), lab.end_of_payload())?;
    server.input(&lab.payload);
    client.out.wait_for_end(lab.payload.len(), lab.end_of_payload())?;
    // And then in both directions at the same time.
    let letters: &[&[u8]] = if suite.is_13() { &[b"K\n", b"k\n"] } else { &[b""] };
    for (times, letter) in (1..).zip(letters) {
        if !letter.is_empty() {
            server.input(letter);
            server.out.wait_for("SSL_do_handshake -> 1", times)?;
        }
        let len = (1 + times) * lab.payload.len();
        server.input(&lab.payload);
        client.input(&lab.payload);
        client.out.wait_for_end(len, lab.end_of_payload())?;
        server.out.wait_for_end(len, lab.end_of_payload())?;
    }
    ensure!(client.out.bytes() == lab.payload.repeat(1 + letters.len()), "what came is not what was sent");
    client.end_input();
    client.finish()?;
    let ours = keylane::expect(&client, suite, 0, false)?;

    let mut client = keylane::connect(lab, stage, suite, port, &["--session-repeat", "2"])?;
    client.input(&lab.payload);
    client.end_input();
    client.finish()?;
    for (connection, resumed) in [false, true].into_iter().enumerate() {
        keylane::expect(&client, suite, connection, resumed)?;
    }
    server.finish()?;
    // s_server says so wherever it has read a record without data.
    let printed = server.out.text().replace("Read BLOCK\n", "");
    let received = printed.matches(str::from_utf8(&lab.payload)?).count();
    ensure!(received == letters.len() + 3, "the payload has arrived {received} times");
    let bytes = (2 * letters.len() + 4) * lab.payload.len();

    let messages = Messages::read(lab)?;
    let closes = messages.count("<<<", CLOSE_NOTIFY);
    ensure!(closes == 3, "OpenSSL has seen {closes} times close_notify");
    let theirs = messages.count(">>>", "KeyUpdate");
    let received = messages.count("<<<", "KeyUpdate");
    if suite.is_13() {
        // Those that were asked for are answered, and `K` and `k` are two of their own.
        ensure!(ours >= 6 && theirs >= 3, "key updates of Keylane and OpenSSL: {ours} and {theirs}");
        ensure!(received == ours + 1, "{received} key updates received, {ours} sent and one an answer");
    }
    Ok(Seen { bytes, key_updates: (received, theirs), closed: (true, true), resumed: true })
}

fn openssl(lab: &Lab, command: &str) -> Command {
    let mut openssl = Command::new("openssl");
    openssl.current_dir(&lab.folder).arg(command);
    openssl
}

fn version(suite: &Suite) -> &'static str {
    match suite.version {
        Version::Tls12 => "-tls1_2",
        Version::Tls13 => "-tls1_3",
    }
}

/// What `-msg` wrote: a line for each message of a handshake and each alert, with hexadecimal digits below.
struct Messages(String);

impl Messages {
    fn read(lab: &Lab) -> Result<Self> {
        Ok(Self(fs::read_to_string(lab.path("messages")).context("messages")?))
    }

    fn count(&self, direction: &str, what: &str) -> usize {
        self.0.lines().filter(|line| line.starts_with(direction) && line.contains(what)).count()
    }
}
