//! A folder as curl sees it, over HTTP/1.1 and HTTP/2.

use super::{SELF_SIGNED, Server, noise};
use crate::workplace::{Run, Workplace};
use std::fs;
use std::time::{Duration, SystemTime};

const VERSIONS: [(&str, &str); 2] = [("--http1.1", "HTTP/1.1"), ("--http2", "HTTP/2")];

fn curl(server: &Server, place: &Workplace, path: &str, arguments: &[&str]) -> Option<Run> {
    let port = server.address.rsplit(':').next().unwrap();
    let url = format!("https://localhost:{port}{path}");
    let fixed = ["--silent", "--show-error", "--max-time", "100", "--cacert", "ca.pem", &url];
    place.tool("curl", &[&fixed, arguments].concat())
}

/// Asks in both versions and compares the statuses and, without those, what is printed.
#[track_caller]
fn answers(server: &Server, place: &Workplace, path: &str, arguments: &[&str], status: u16, body: &str) {
    for (option, version) in VERSIONS {
        let show = ["--write-out", " HTTP/%{http_version} %{response_code}", option];
        let Some(run) = curl(server, place, path, &[&show, arguments].concat()) else { return };
        assert_eq!(run.done(), format!("{body} {version} {status}"), "{path} {arguments:?}");
    }
}

#[test]
fn ranges_and_conditions() {
    let place = Workplace::with(&[("digits", b"0123456789"), ("empty", b"")]);
    let year_2020 = SystemTime::UNIX_EPOCH + Duration::from_secs(1_577_836_800);
    fs::File::options().write(true).open(place.path("digits")).unwrap().set_modified(year_2020).unwrap();
    let server = Server::start(&place, &format!("{SELF_SIGNED} --folder ."));
    let check =
        |arguments: &[&str], status, body| answers(&server, &place, "/digits", arguments, status, body);
    check(&[], 200, "0123456789");
    check(&["--range", "2-4"], 206, "234");
    check(&["--range", "7-"], 206, "789");
    check(&["--range", "-2"], 206, "89");
    check(&["--range", "8-100"], 206, "89");
    check(&["--range", "10-"], 416, "416 Range Not Satisfiable\n");
    // Several ranges: the whole file.
    check(&["--range", "0-1,4-5"], 200, "0123456789");
    check(&["--time-cond", "Tue, 31 Dec 2019 00:00:00 GMT"], 200, "0123456789");
    check(&["--time-cond", "Thu, 02 Jan 2020 00:00:00 GMT"], 304, "");
    check(
        &["--header", "If-Unmodified-Since: Tue, 31 Dec 2019 00:00:00 GMT"],
        412,
        "412 Precondition Failed\n",
    );
    let Some(head) = curl(&server, &place, "/digits", &["--head"]) else { return };
    let head = head.done();
    let etag = head.lines().find_map(|line| line.strip_prefix("etag: ")).expect(&head);
    check(&["--header", &format!("If-None-Match: {etag}")], 304, "");
    check(&["--header", "If-None-Match: \"other\""], 200, "0123456789");
    check(&["--header", "If-Match: \"other\""], 412, "412 Precondition Failed\n");
    // A part of another file is worth nothing.
    check(&["--range", "2-4", "--header", &format!("If-Range: {etag}")], 206, "234");
    check(&["--range", "2-4", "--header", "If-Range: \"other\""], 200, "0123456789");
    check(&["--range", "2-4", "--header", "If-Range: Wed, 01 Jan 2020 00:00:00 GMT"], 200, "0123456789");
    check(&["--request", "DELETE"], 405, "405 Method Not Allowed\n");
    check(
        &["--data-binary", "@/dev/null", "--header", "Expect: 100-continue"],
        405,
        "405 Method Not Allowed\n",
    );
    answers(&server, &place, "/none", &[], 404, "404 Not Found\n");
    answers(&server, &place, "/empty", &[], 200, "");
    answers(&server, &place, "/", &[], 404, "404 Not Found\n");
}

#[test]
fn heads() {
    let place =
        Workplace::with(&[("a.html", b"1"), ("b.txt", b"22"), ("c.md", b""), ("d.wasm", b""), ("e", b"")]);
    let server = Server::start(&place, &format!("{SELF_SIGNED} --folder ."));
    for (path, kind, len) in [
        ("/a.html", "text/html", 1),
        ("/b.txt", "text/plain; charset=utf-8", 2),
        ("/c.md", "text/plain; charset=utf-8", 0),
        ("/d.wasm", "application/wasm", 0),
        ("/e", "application/octet-stream", 0),
        ("/none", "text/plain; charset=utf-8", 14),
    ] {
        for (option, _) in VERSIONS {
            let Some(run) = curl(&server, &place, path, &["--head", option]) else { return };
            let head = run.done();
            assert!(head.contains(&format!("\r\ncontent-type: {kind}\r\n")), "{path}: {head}");
            assert!(head.contains(&format!("\r\ncontent-length: {len}\r\n")), "{path}: {head}");
            assert!(head.contains("\r\ndate: ") && head.ends_with("\r\n\r\n"), "{path}: {head}");
        }
    }
}

#[test]
fn a_hundred_downloads_at_once() {
    let file = noise(1 << 20);
    let place = Workplace::with(&[("file", &file)]);
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --folder ."));
    for (version, _) in VERSIONS {
        // curl expands it to a hundred transfers, over as many connections as it likes.
        let options = ["--output", "copy-#1", "--parallel", "--parallel-max", "100", version];
        let Some(run) = curl(&server, &place, "/file?[1-100]", &options) else { return };
        // It prints its progress.
        assert_eq!(run.status, 0, "{}", run.err);
        let mut requests = 0;
        while requests < 100 {
            let ended = server.ended();
            // curl closes some without having read all that TLS sent, which resets them.
            let (count, _) = ended.rsplit_once(": ").unwrap().1.split_once(" request").unwrap();
            requests += count.parse::<u32>().unwrap();
        }
        assert_eq!(requests, 100);
        for n in 1..=100 {
            assert!(place.read(&format!("copy-{n}")) == file, "{n}");
        }
    }
}
