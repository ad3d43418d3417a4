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
    assert!(head.contains(&format!("\r\ncontent-length: {}", body.len())), "{answer}");
    (head.split(' ').nth(1).unwrap().to_owned(), body.to_owned())
}

#[test]
fn files() {
    let place = place();
    let server = serve(&place);
    for (target, body) in [
        ("/", "<p>start</p>"),
        ("/index.html", "<p>start</p>"),
        ("/./index.html", "<p>start</p>"),
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
    fs::create_dir(place.path("www/bare")).unwrap();
    #[cfg(unix)]
    for (target, link) in [
        ("../../outside", "www/sub/link"),
        ("../../www-secret", "www/sub/neighbour"),
        ("../..", "www/sub/up"),
        ("none", "www/dangling"),
        ("..", "www/sub/inside"),
        ("/dev/zero", "www/device"),
    ] {
        std::os::unix::fs::symlink(target, place.path(link)).unwrap();
    }
    let server = serve(&place);
    for target in [
        "/none", "/sub/none", "/../outside", "/sub/../../outside", "/%2e%2e/outside", "/..%2foutside",
        "/sub/..", "//outside", "/index.html/", "/index.html/x", "/sub/link", "/sub/link/", "/bare/", "/%",
        "/%00", "/%ff", "/sub/neighbour/file", "/sub/neighbour", "/sub/up/", "/sub/up/outside", "/dangling",
        "/device", "/../www-secret/file",
    ] {
        let not_found = ("404".to_owned(), "404 Not Found\n".to_owned());
        assert_eq!(get(&server, &place, target), not_found, "{target}");
    }
    // A link to a place inside the folder is followed.
    #[cfg(unix)]
    assert_eq!(get(&server, &place, "/sub/inside/index.html").1, "<p>start</p>");
}

/// The file is replaced by a link while it is looked for.
#[cfg(target_os = "linux")]
#[test]
fn a_link_in_the_place_of_a_file_is_not_followed() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use std::sync::atomic::{AtomicBool, Ordering};
    let place = place();
    place.write("www/file", b"text");
    std::os::unix::fs::symlink("../outside", place.path("link")).unwrap();
    let server = serve(&place);
    let request = "GET /file HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1000);
    /// Ends the thread even if the client panics.
    struct Done<'a>(&'a AtomicBool);
    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let done = AtomicBool::new(false);
    let answer = std::thread::scope(|scope| {
        let until = Done(&done);
        scope.spawn(|| {
            let (file, link) = (place.path("www/file"), place.path("link"));
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &file, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let answer = server.connect(&place, "--quiet", request.as_bytes());
        drop(until);
        String::from_utf8(answer.received()).unwrap()
    });
    let count = |what| answer.matches(what).count();
    assert_eq!((count("secret"), count("HTTP/1.1 500")), (0, 0));
    assert_eq!(count("HTTP/1.1 "), 1000);
    assert!(count("\r\n\r\ntext") > 0);
}

#[test]
fn hidden_files_are_not_served() {
    let place = place();
    for folder in [".git", "sub/.ssh", ".well-known"] {
        fs::create_dir(place.path(&format!("www/{folder}"))).unwrap();
        place.write(format!("www/{folder}/file"), b"text");
    }
    place.write("www/.env", b"secret");
    place.write("www/.well-known/.hidden", b"secret");
    #[cfg(unix)]
    std::os::unix::fs::symlink(".git", place.path("www/shown")).unwrap();
    let server = serve(&place);
    for target in [
        "/.env",
        "/%2eenv",
        "/.git",
        "/.git/file",
        "/sub/.ssh/file",
        "/sub/.ssh/",
        "/shown/file",
        "/.well-known/.hidden",
    ] {
        assert_eq!(get(&server, &place, target).0, "404", "{target}");
    }
    assert_eq!(get(&server, &place, "/.well-known/file").1, "text");
}

/// A browser takes `//host/` for the root of another server.
#[test]
fn no_redirect_to_another_host() {
    let place = place();
    let server = serve(&place);
    for target in ["//sub", "///sub", "https://localhost//sub", "/\\sub", "//sub/index.html"] {
        assert_eq!(
            get(&server, &place, target),
            ("404".to_owned(), "404 Not Found\n".to_owned()),
            "{target}"
        );
    }
}

#[test]
fn a_folder_without_its_slash_is_redirected() {
    let place = place();
    let server = serve(&place);
    let answer = answers(&server, &place, "GET /sub HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 307 Temporary Redirect\r\n"), "{answer}");
    assert!(answer.contains("\r\nlocation: /sub/\r\n"), "{answer}");
}

#[test]
fn requests_that_are_refused() {
    let place = place();
    let server = serve(&place);
    let long = "a".repeat(35_000);
    let too_long = "a".repeat(200_000);
    for (request, status, answers_next) in [
        ("GET\r\n\r\n", "400 Bad Request", false),
        ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", "400 Bad Request", false),
        ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", "400 Bad Request", false),
        ("GET index.html HTTP/1.1\r\nHost: x\r\n\r\n", "400 Bad Request", true),
        ("GET / HTTP/1.1\r\n\r\n", "400 Bad Request", true),
        ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "400 Bad Request", true),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab", "405 Method Not Allowed", true),
        ("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", "405 Method Not Allowed", true),
        (&format!("GET /{long} HTTP/1.1\r\nHost: x\r\n\r\n"), "404 Not Found", true),
        // The second if hyper reads it in several parts.
        (
            &format!("GET /{long}{long} HTTP/1.1\r\nHost: x\r\n\r\n"),
            "414 URI Too Long|431 Request Header Fields Too Large",
            false,
        ),
        (&format!("GET / HTTP/1.1\r\na: {too_long}\r\n\r\n"), "431 Request Header Fields Too Large", false),
        (
            &format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(101)),
            "431 Request Header Fields Too Large",
            false,
        ),
    ] {
        // The next request is not answered where it is not certain where it begins.
        let answer = answers(&server, &place, &format!("{request}GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
        let has = |status: &str| answer.starts_with(&format!("HTTP/1.1 {status}\r\n"));
        assert!(status.split('|').any(has), "{request:?}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1 + usize::from(answers_next), "{request}: {answer}");
        assert_eq!(answer.contains("\r\nconnection: close\r\n"), !answers_next, "{answer}");
        assert_eq!(answer.contains("\r\nallow: GET,HEAD\r\n"), status.starts_with("405"), "{answer}");
    }
}

/// What a request for a file carries is skipped.
#[test]
fn bodies_of_requests() {
    let place = place();
    let server = serve(&place);
    for body in ["Content-Length: 2\r\n\r\nab", "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"] {
        let request = format!("GET / HTTP/1.1\r\nHost: x\r\n{body}GET /none HTTP/1.1\r\nHost: x\r\n\r\n");
        let answer = answers(&server, &place, &request);
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.contains("<p>start</p>HTTP/1.1 404 Not Found\r\n"), "{answer}");
    }
}

/// RFC 9112, section 2.2, lets a server take them for line ends; what is typed at a terminal has them.
#[test]
fn lines_that_end_in_lf_alone() {
    let place = place();
    let server = serve(&place);
    for (request, count) in [
        ("GET / HTTP/1.1\nHost: x\n\n", 2),
        ("GET / HTTP/1.0\n\n", 1),
        ("GET / HTTP/1.1\nHost: x\r\n\r\n", 2),
        ("GET / HTTP/1.1\r\nHost: x\n\n", 2),
        ("GET / HTTP/1.1\r\nHost: x\r\n\n", 2),
        ("GET / HTTP/1.1\r\nHost: x\n\r\n", 2),
        // A single CR does not end a line.
        ("GET / HTTP/1.1\rHost: x\r\n\r\n", 0),
        ("GET / HTTP/1.1\r\nHost: x\rA: b\r\n\r\n", 0),
    ] {
        let answer = answers(&server, &place, &format!("{request}GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
        assert_eq!(answer.matches(" 200 OK\r\n").count(), count, "{request:?}: {answer}");
        assert_eq!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), count == 0, "{request:?}: {answer}");
    }
}

#[test]
fn a_head_has_no_body() {
    let place = place();
    let server = serve(&place);
    for (target, status, len) in [("/", "200 OK", 12), ("/none", "404 Not Found", 14)] {
        let answer = answers(&server, &place, &format!("HEAD {target} HTTP/1.1\r\nHost: x\r\n\r\n"));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{answer}");
        assert!(answer.contains(&format!("\r\ncontent-length: {len}\r\n")), "{answer}");
        assert!(answer.ends_with("\r\n\r\n"), "{answer}");
    }
}

#[test]
fn connections_are_used_again() {
    let place = place();
    let mut server = serve(&place);
    let count = |requests: &str| answers(&server, &place, requests).matches("HTTP/1.").count();
    let get = |line: &str| format!("GET /{line}\r\nHost: x\r\n\r\n");
    assert_eq!(count(&(get(" HTTP/1.1") + &get("none HTTP/1.1") + &get(" HTTP/1.1"))), 3);
    assert_eq!(count(&(get(" HTTP/1.1\r\nConnection: close") + &get(" HTTP/1.1"))), 1);
    assert_eq!(count(&(get(" HTTP/1.1\r\nConnection: x, Close") + &get(" HTTP/1.1"))), 1);
    assert_eq!(count(&(get(" HTTP/1.0") + &get(" HTTP/1.0"))), 1);
    assert_eq!(count(&(get(" HTTP/1.0\r\nConnection: keep-alive") + &get(" HTTP/1.0"))), 2);
    for ended in ["3 requests, closed", "1 request, closed", "1 request, closed", "1 request, closed"] {
        assert!(server.ended().ends_with(&format!(": {ended}")));
    }
    assert!(server.ended().ends_with(": 2 requests, closed"));
}
