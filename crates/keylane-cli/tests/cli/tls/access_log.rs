//! The access log.

use super::{SELF_SIGNED, Server};
use crate::workplace::Workplace;
use std::fs;
use std::io::{BufRead, BufReader, Read};

/// Ends the server, which writes what is left of the log.
fn end(server: &mut Server) {
    server.signal("TERM");
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

/// Returns the lines without their times.
fn entries(log: &str) -> Vec<String> {
    let without_time = |line: &str| {
        let (client, rest) = line.split_once(" - - [").expect(line);
        let (time, request) = rest.split_once("] ").expect(line);
        // `03/Nov/2026:21:00:00 +0000`
        let shape: String = time.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
        assert!(shape.starts_with("99/") && shape.ends_with("/9999:99:99:99 +9999"), "{line}");
        assert_eq!((client, time.len()), ("127.0.0.1", 26), "{line}");
        request.to_owned()
    };
    log.lines().map(without_time).collect()
}

#[test]
fn requests_are_logged() {
    let place = Workplace::with(&[("log", b"")]);
    fs::create_dir(place.path("www")).unwrap();
    place.write("www/file", b"text");
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --folder www --access-log log"));
    let long = "a".repeat(60_000);
    for line in [
        "GET /file HTTP/1.1",
        "GET /file HTTP/1.1\r\nRange: bytes=1-2",
        "HEAD /file HTTP/1.1",
        "GET /\"\\\u{e9}?a HTTP/1.1",
        "POST /file HTTP/1.0",
        "GET https://x/ HTTP/1.1",
        &format!("GET /{long} HTTP/1.1"),
        &format!("{long} / HTTP/1.1"),
    ] {
        server.connect(&place, "--quiet", format!("{line}\r\nHost: x\r\n\r\n").as_bytes()).received();
    }
    end(&mut server);
    let log = String::from_utf8(place.read("log")).unwrap();
    assert_eq!(
        entries(&log),
        [
            r#""GET /file HTTP/1.1" 200 4"#,
            r#""GET /file HTTP/1.1" 206 2"#,
            r#""HEAD /file HTTP/1.1" 200 -"#,
            r#""GET /\"\\\xc3\xa9?a HTTP/1.1" 404 14"#,
            r#""POST /file HTTP/1.0" 405 23"#,
            r#""GET / HTTP/1.1" 404 14"#,
            &format!(r#""GET /{}... HTTP/1.1" 404 14"#, &long[..2047]),
            &format!(r#""{}... / HTTP/1.1" 405 23"#, &long[..2048]),
        ]
    );
}

/// What a client did not take is not counted as sent.
#[test]
fn an_answer_that_is_given_up_is_logged() {
    let place = Workplace::new();
    fs::create_dir(place.path("www")).unwrap();
    fs::File::create(place.path("www/file")).unwrap().set_len(64 << 20).unwrap();
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --folder www --access-log - --quiet"));
    let (mut client, _) = super::open_files::ask(&server, &place);
    client.kill().unwrap();
    client.wait().unwrap();
    let line = server.line();
    let [entry] = &entries(&line)[..] else { panic!("{line}") };
    let sent = entry.strip_prefix(r#""GET /file HTTP/1.1" 200 "#).expect(entry);
    assert!((1..64 << 20).contains(&sent.parse::<u64>().unwrap()), "{entry}");
}

#[test]
fn a_hang_up_opens_the_log_again() {
    let place = Workplace::new();
    fs::create_dir(place.path("www")).unwrap();
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --folder www --access-log log"));
    let mut messages = BufReader::new(server.child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let ask = |server: &Server| {
        server.connect(&place, "--quiet", b"GET /1 HTTP/1.0\r\n\r\n").received();
    };
    ask(&server);
    fs::rename(place.path("log"), place.path("log.1")).unwrap();
    server.signal("HUP");
    assert_eq!(messages.next().unwrap(), "keylane: the files were read again");
    ask(&server);
    // If it cannot be opened, the old one goes on.
    fs::rename(place.path("log"), place.path("log.2")).unwrap();
    fs::create_dir(place.path("log")).unwrap();
    server.signal("HUP");
    assert_eq!(messages.next().unwrap(), "keylane: the files were read again");
    ask(&server);
    assert_eq!(messages.next().unwrap(), "keylane: log: Is a directory");
    ask(&server);
    end(&mut server);
    for (log, count) in [("log.1", 1), ("log.2", 3)] {
        let log = String::from_utf8(place.read(log)).unwrap();
        assert_eq!(entries(&log), vec![r#""GET /1 HTTP/1.0" 404 14"#; count]);
    }
    let mut rest = String::new();
    server.lines.take().unwrap().read_to_string(&mut rest).unwrap();
    assert_eq!(rest.lines().count(), 4);
    for (log, what) in [
        ("www/log", "www/log is secret, but would be served"),
        ("www", "www is secret"),
        ("no/log", "no/log: No such"),
    ] {
        let serve = format!("tls serve --self-signed --listen nowhere --folder www --access-log {log}");
        place.keylane(&serve).fails_with(2, what);
    }
}

/// Once while the server runs, and once at its start. A link that leads nowhere yet is the harder case: its
/// file is made by opening it.
#[test]
fn a_log_in_the_folder_is_not_written() {
    let place = Workplace::new();
    fs::create_dir(place.path("www")).unwrap();
    let serve = format!("{SELF_SIGNED} --folder www --access-log log");
    let mut server = Server::start(&place, &serve);
    let watch = super::output::watch(&server);
    let mut messages = BufReader::new(server.child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let ask = || server.connect(&place, "--quiet", b"GET /1 HTTP/1.0\r\n\r\n").received();
    fs::rename(place.path("log"), place.path("log.1")).unwrap();
    std::os::unix::fs::symlink("www/log", place.path("log")).unwrap();
    place.write("www/log", b"");
    server.signal("HUP");
    assert!(messages.next().unwrap().starts_with("keylane: log is secret, but would be served"));
    assert_eq!(messages.next().unwrap(), "keylane: the files that were read before stay in use");
    ask();
    fs::remove_file(place.path("www/log")).unwrap();
    server.signal("HUP");
    assert_eq!(messages.next().unwrap(), "keylane: the files were read again");
    ask();
    assert_eq!(messages.next().unwrap(), "keylane: log: it is in the folder that is served");
    end(&mut server);
    drop(watch);
    assert_eq!(entries(&String::from_utf8(place.read("log.1")).unwrap()).len(), 2);
    assert_eq!(place.read("www/log"), b"");
    fs::remove_file(place.path("www/log")).unwrap();
    let serve = "tls serve --self-signed --listen nowhere --folder www --access-log log";
    place.keylane(serve).fails_with(2, "log: it is in the folder that is served");
}

/// A line that has no reader is dropped, and the next one is tried again.
#[test]
fn a_reader_of_the_log_may_come_back() {
    use std::os::unix::fs::OpenOptionsExt;
    let place = Workplace::new();
    fs::create_dir(place.path("www")).unwrap();
    let Some(run) = place.tool("mkfifo", &["log"]) else { return };
    run.done();
    // It does not wait for the writer.
    let nonblock = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap();
    let read = || fs::File::options().read(true).custom_flags(nonblock).open(place.path("log")).unwrap();
    let reader = read();
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --folder www --access-log log"));
    let mut messages = server.child.stderr.take().unwrap();
    let ask = |target: &str| {
        server.connect(&place, "--quiet", format!("GET {target} HTTP/1.0\r\n\r\n").as_bytes()).received();
    };
    ask("/1");
    drop(reader);
    ask("/2");
    ask("/3");
    let mut reader = read();
    ask("/4");
    end(&mut server);
    let mut log = String::new();
    reader.read_to_string(&mut log).unwrap();
    assert!(log.ends_with("] \"GET /4 HTTP/1.0\" 404 14\n"), "{log}");
    log.clear();
    messages.read_to_string(&mut log).unwrap();
    assert_eq!(log, "");
}
