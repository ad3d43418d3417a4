//! A folder over HTTP: requests, and the responses' status lines, headers and bodies.

use super::{SELF_SIGNED, Server};
use crate::workplace::Workplace;
use std::fs;

fn place() -> Workplace {
    let place = Workplace::with(&[("outside", b"secret")]);
    fs::create_dir_all(place.path("www/sub")).unwrap();
    fs::create_dir_all(place.path("www-secret")).unwrap();
    place.write("www/index.html", b"<p>start</p>");
    place.write("www/sub/index.html", b"<p>sub</p>");
    place.write("www/a b+\u{e9}.txt", b"text");
    place.write("www/empty", b"");
    place.write("www-secret/file", b"secret");
    place
}

fn serve(place: &Workplace) -> Server {
    Server::start(place, &format!("{SELF_SIGNED} --folder www"))
}

/// Returns all responses to these requests on one connection.
fn answers(server: &Server, place: &Workplace, requests: &str) -> String {
    String::from_utf8(server.connect(place, "--quiet", requests.as_bytes()).received()).unwrap()
}

/// Returns the status and the body of one response.
fn get(server: &Server, place: &Workplace, target: &str) -> (String, String) {
    let answer = answers(server, place, &format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n"));
    let (head, body) = answer.split_once("\r\n\r\n").expect(&answer);
    assert!(head.contains(&format!("\r\nContent-Length: {}\r\n", body.len())), "{answer}");
    (head.split(' ').nth(1).unwrap().to_owned(), body.to_owned())
}

#[test]
fn files() {
    let place = place();
    let server = serve(&place);
    for (target, body) in [
        ("/", "<p>start</p>"),
        ("/index.html", "<p>start</p>"),
        ("/sub/", "<p>sub</p>"),
        ("/sub/?a=/../b", "<p>sub</p>"),
        ("/%73ub/index%2ehtml", "<p>sub</p>"),
        ("/a%20b+%C3%A9.txt", "text"),
        ("/empty", ""),
        ("https://localhost/sub/index.html", "<p>sub</p>"),
        ("https://localhost", "<p>start</p>"),
    ] {
        assert_eq!(get(&server, &place, target), ("200".to_owned(), body.to_owned()), "{target}");
    }
}

#[test]
fn nothing_outside_the_folder() {
    let place = place();
    #[cfg(unix)]
    for (target, link) in [
        ("../../outside", "www/sub/link"),
        ("../../www-secret", "www/sub/neighbour"),
        ("../..", "www/sub/up"),
        ("none", "www/dangling"),
        ("..", "www/sub/inside"),
    ] {
        std::os::unix::fs::symlink(target, place.path(link)).unwrap();
    }
    let server = serve(&place);
    for target in [
        "/none", "/sub/none", "/../outside", "/sub/../../outside", "/%2e%2e/outside", "/..%2foutside",
        "/sub/..", "//outside", "/./index.html", "/index.html/", "/index.html/x", "/sub/link",
        "/sub/neighbour/file", "/sub/up/outside", "/dangling", "/../www-secret/file",
    ] {
        assert_eq!(get(&server, &place, target).0, "404", "{target}");
    }
    // A link to a place inside the folder is followed.
    #[cfg(unix)]
    assert_eq!(get(&server, &place, "/sub/inside/index.html").1, "<p>start</p>");
}

#[test]
fn a_folder_without_its_slash_is_redirected() {
    let place = place();
    let server = serve(&place);
    let answer = answers(&server, &place, "GET /sub HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 301 Moved Permanently\r\n"), "{answer}");
    assert!(answer.contains("\r\nLocation: /sub/\r\n"), "{answer}");
}

#[test]
fn requests_that_are_refused() {
    let place = place();
    let server = serve(&place);
    let long = "a".repeat(20_000);
    for (request, status) in [
        ("GET\r\n\r\n", "400 Bad Request"),
        ("GET index.html HTTP/1.1\r\nHost: x\r\n\r\n", "400 Bad Request"),
        ("GET /% HTTP/1.1\r\nHost: x\r\n\r\n", "400 Bad Request"),
        ("GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n", "400 Bad Request"),
        ("GET / HTTP/1.1\r\n\r\n", "400 Bad Request"),
        ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "400 Bad Request"),
        ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", "400 Bad Request"),
        ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab", "400 Bad Request"),
        ("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400 Bad Request"),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab", "405 Method Not Allowed"),
        ("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", "405 Method Not Allowed"),
        ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", "505 HTTP Version Not Supported"),
        (&format!("GET /{long} HTTP/1.1\r\nHost: x\r\n\r\n"), "431 Request Header Fields Too Large"),
        (&format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(100)), "431 Request Header Fields Too Large"),
    ] {
        // The next request is not answered, since it is not certain where it begins.
        let answer = answers(&server, &place, &format!("{request}GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{request:?}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
        assert!(answer.contains("\r\nConnection: close\r\n"), "{answer}");
        assert_eq!(answer.contains("\r\nAllow: GET, HEAD\r\n"), status.starts_with("405"), "{answer}");
    }
}

/// RFC 9112 §2.2 lets a server take them for line ends; what is typed at a terminal has them. What follows is
/// not answered: a proxy may find the request's end in another place.
#[test]
fn lines_that_end_in_lf_alone() {
    let place = place();
    let mut server = serve(&place);
    for request in [
        "GET / HTTP/1.1\nHost: x\n\n",
        "GET / HTTP/1.0\n\n",
        "GET / HTTP/1.0\nConnection: keep-alive\n\n",
        "GET / HTTP/1.1\nHost: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\n\n",
        "GET / HTTP/1.1\r\nHost: x\r\n\n",
        "GET / HTTP/1.1\r\nHost: x\n\r\n",
    ] {
        let run = format!("{request}GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        // The server closes first, without waiting for more.
        let answer = server.connect(&place, "--quiet --keep-open", run.as_bytes()).received();
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{request:?}: {answer}");
        assert!(answer.ends_with("\r\n\r\n<p>start</p>"), "{request:?}: {answer}");
        assert!(answer.contains("\r\nConnection: close\r\n"), "{request:?}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{request:?}: {answer}");
        assert!(server.ended().ends_with(": answered, closed"));
    }
}

/// A single CR does not end a line.
#[test]
fn lines_that_end_in_cr_alone() {
    let place = place();
    let server = serve(&place);
    let answer = answers(&server, &place, "GET / HTTP/1.1\rHost: x\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{answer}");
}

#[test]
fn a_head_has_no_body() {
    let place = place();
    let server = serve(&place);
    for (target, status, len) in [("/", "200 OK", 12), ("/none", "404 Not Found", 14)] {
        let answer = answers(&server, &place, &format!("HEAD {target} HTTP/1.1\r\nHost: x\r\n\r\n"));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{answer}");
        assert!(answer.contains(&format!("\r\nContent-Length: {len}\r\n")), "{answer}");
        assert!(answer.ends_with("\r\n\r\n"), "{answer}");
    }
}

#[test]
fn connections_are_used_again() {
    let place = place();
    let mut server = serve(&place);
    let count = |requests: &str| answers(&server, &place, requests).matches("HTTP/1.1 ").count();
    let get = |line: &str| format!("GET /{line}\r\nHost: x\r\n\r\n");
    // After an error that leaves no doubt about the next request, the connection stays open.
    assert_eq!(count(&(get(" HTTP/1.1") + &get("none HTTP/1.1") + &get(" HTTP/1.1"))), 3);
    assert_eq!(count(&(get(" HTTP/1.1\r\nConnection: close") + &get(" HTTP/1.1"))), 1);
    assert_eq!(count(&(get(" HTTP/1.1\r\nConnection: x, Close") + &get(" HTTP/1.1"))), 1);
    assert_eq!(count(&(get(" HTTP/1.0") + &get(" HTTP/1.0"))), 1);
    assert_eq!(count(&(get(" HTTP/1.0\r\nConnection: keep-alive") + &get(" HTTP/1.0"))), 2);
    for ended in ["closed", "answered, closed", "answered, closed", "answered, closed", "answered, closed"] {
        assert!(server.ended().ends_with(&format!(": {ended}")));
    }
}
