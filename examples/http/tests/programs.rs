//! The programs of HTTP and gRPC with each other, with curl, with OpenSSL, and with a server on tokio-rustls.
#![forbid(unsafe_code)]

#[path = "../../tests/programs/process.rs"]
mod process;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use keylane_program_checks::Identity;
use process::{Program, run, succeed};
use rustls::crypto::ring;
use std::convert::Infallible;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

const AXUM_SERVER: &str = env!("CARGO_BIN_EXE_axum_server");
const HTTP_CLIENT: &str = env!("CARGO_BIN_EXE_http_client");
const HTTPS_TIMING: &str = env!("CARGO_BIN_EXE_https_timing");
const GRPC: &str = env!("CARGO_BIN_EXE_grpc");

/// Starts a server. Returns its port as well.
fn serve(program: &str, folder: &TempDir, arguments: &[&str]) -> (Program, String) {
    let (server, address) = Program::serve(program, folder, arguments);
    (server, address.rsplit(':').next().unwrap().to_owned())
}

/// curl's arguments before the URL's path.
fn curl<'a>(arguments: &[&'a str], url: &'a str) -> Vec<&'a str> {
    let common = ["--silent", "--show-error", "--fail", "--ipv4", "--noproxy", "*", "--cacert", "cert.pem"];
    [&common, arguments, &[url]].concat()
}

#[test]
fn axum_server() {
    let folder = Identity::new().folder;
    let (mut server, port) = serve(AXUM_SERVER, &folder, &["cert.pem", "key.pem"]);
    let url = |path: &str| format!("https://localhost:{port}{path}");
    let body = "long ".repeat(20_000);
    fs::write(folder.path().join("body"), &body).unwrap();
    for (protocol, name) in [("--http1.1", "1.1"), ("--http2", "2")] {
        let arguments = [protocol, "--data-binary", "@body", "--write-out", "%{http_version}"];
        let echoed = succeed("curl", &folder, &curl(&arguments, &url("/echo")), b"");
        assert_eq!(echoed, format!("{body}{name}"));
    }
    let (hello, none) = (url("/"), url("/none"));
    assert_eq!(
        succeed(HTTP_CLIENT, &folder, &["cert.pem", &hello, &none, &hello], b""),
        "HTTP/2.0 200 OK\nhello\nHTTP/2.0 404 Not Found\nHTTP/2.0 200 OK\nhello\n"
    );
    // Many requests at once, over one connection or as many as curl likes.
    let many = url("/?[1-100]");
    for protocol in ["--http1.1", "--http2"] {
        let parallel = ["--parallel", "--parallel-max", "100", "--output", "copy-#1", protocol];
        assert!(run("curl", &folder, &curl(&parallel, &many), b"").status.success());
        for number in 1..=100 {
            assert_eq!(fs::read(folder.path().join(format!("copy-{number}"))).unwrap(), b"hello\n");
        }
    }
    let request = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let address = format!("localhost:{port}");
    for version in ["-tls1_2", "-tls1_3"] {
        let trust = ["-verify_return_error", "-CAfile", "cert.pem", "-alpn", "http/1.1"];
        let s_client = [&["s_client", "-quiet", version, "-connect", &address], &trust[..]].concat();
        let answer = succeed("openssl", &folder, &s_client, request);
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\nhello\n"), "{answer}");
    }
    let timing = timing(&folder, &hello);
    assert_eq!(timing, "TLSv1_3, TLS13_AES_256_GCM_SHA384\nHTTP/2.0 200 OK\n6 bytes\n");

    // What has begun before the signal is completed.
    let slow = url("/slow");
    let slow = [curl(&["--http1.1", "--no-buffer"], &slow), curl(&["--http2", "--no-buffer"], &slow)];
    let mut slow = slow.map(|arguments| Program::start("curl", &folder, &arguments));
    for request in &mut slow {
        assert_eq!(request.line(), "begun\n");
    }
    succeed("kill", &folder, &["-INT", &server.0.id().to_string()], b"");
    for request in &mut slow {
        assert_eq!(request.line(), "done\n");
        assert!(request.0.wait().unwrap().success());
    }
    assert!(server.0.wait().unwrap().success());
    assert!(!run("curl", &folder, &curl(&[], &hello), b"").status.success(), "it has stopped");
}

/// Returns what `https_timing` prints before the times, which follow each other.
fn timing(folder: &TempDir, url: &str) -> String {
    let printed = succeed(HTTPS_TIMING, folder, &["cert.pem", url], b"");
    let (told, times) = printed.split_at(printed.find("connected ").expect(&printed));
    let of = ["connected ", "handshake ", "first byte", "whole body"];
    let time = |(line, what): (&str, &str)| {
        let time = line.strip_prefix(what).and_then(|it| it.strip_prefix(" after "));
        time.and_then(|it| it.strip_suffix(" ms")).expect(line).trim().parse::<f64>().unwrap()
    };
    let times: Vec<_> = times.lines().zip(of).map(time).collect();
    assert!(times.len() == of.len() && times.is_sorted() && times[0] > 0.0, "{printed}");
    told.to_owned()
}

#[test]
fn https_timing() {
    let folder = Identity::new().folder;
    for (option, version, suite) in [
        ("-tls1_2", "TLSv1_2", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
        ("-tls1_3", "TLSv1_3", "TLS13_AES_256_GCM_SHA384"),
    ] {
        let s_server = ["-cert", "cert.pem", "-key", "key.pem", "-accept", "127.0.0.1:0", "-WWW", option];
        // Without stdbuf it keeps its lines until it ends.
        let arguments = [&["-oL", "openssl", "s_server"], &s_server[..]].concat();
        let mut server = Program::start("stdbuf", &folder, &arguments);
        let line = std::iter::repeat_with(|| server.line()).find(|line| line.contains("ACCEPT")).unwrap();
        let port = line.trim_end().rsplit(':').next().unwrap();
        fs::write(folder.path().join("page.html"), vec![b'x'; 100_000]).unwrap();
        let told = timing(&folder, &format!("https://localhost:{port}/page.html"));
        assert_eq!(told, format!("{version}, {suite}\nHTTP/1.0 200 OK\n100000 bytes\n"));
    }
    let (_, port, _) = rival("h2");
    let url = format!("https://localhost:{port}/");
    let refused = run(HTTPS_TIMING, &folder, &["cert.pem", &url], b"");
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("InvalidCertificate"), "{refused:?}");
    assert_eq!(run(HTTPS_TIMING, &folder, &["cert.pem", "http://localhost/"], b"").status.code(), Some(1));
}

/// Starts a server on tokio-rustls. Returns a folder with its certificate, its
/// port, and the number of connections that it has accepted.
fn rival(protocol: &str) -> (TempDir, u16, Arc<AtomicUsize>) {
    let identity = Identity::new();
    let mut config = rustls::ServerConfig::builder_with_provider(ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![identity.certificate], identity.key)
        .unwrap();
    config.alpn_protocols = vec![protocol.into()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    listener.set_nonblocking(true).unwrap();
    let accepted = Arc::new(AtomicUsize::new(0));
    let count = accepted.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener).unwrap();
            while let Ok((socket, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::Relaxed);
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(socket).await else { return };
                    let server = auto::Builder::new(TokioExecutor::new());
                    let _ = server.serve_connection(TokioIo::new(stream), service_fn(answer)).await;
                });
            }
        });
    });
    (identity.folder, port, accepted)
}

/// Answers with the path that was asked for.
async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(Response::new(format!("{}\n", request.uri().path()).into()))
}

/// A message of gRPC: a byte for its compression, and its length.
fn frame(text: &str) -> Vec<u8> {
    [&[0], &(text.len() as u32).to_be_bytes()[..], text.as_bytes()].concat()
}

fn message(frame: &[u8]) -> &[u8] {
    let (head, text) = frame.split_at(5);
    assert_eq!(head, [&[0], &(text.len() as u32).to_be_bytes()[..]].concat());
    text
}

#[test]
fn http_client() {
    for (protocol, name) in [("http/1.1", "HTTP/1.1"), ("h2", "HTTP/2.0")] {
        let (folder, port, accepted) = rival(protocol);
        let urls: Vec<_> = (0..9).map(|path| format!("https://localhost:{port}/{path}")).collect();
        let arguments: Vec<_> = ["cert.pem"].into_iter().chain(urls.iter().map(String::as_str)).collect();
        let expected: String = (0..9).map(|path| format!("{name} 200 OK\n/{path}\n")).collect();
        assert_eq!(succeed(HTTP_CLIENT, &folder, &arguments, b""), expected);
        // Over HTTP/1.1, a request may come before the last connection is back in the pool.
        let most = if protocol == "h2" { 1 } else { 8 };
        assert!((1..=most).contains(&accepted.load(Ordering::Relaxed)), "connections are used again");

        let (elsewhere, ..) = rival(protocol);
        let refused = run(HTTP_CLIENT, &elsewhere, &["cert.pem", &urls[0]], b"");
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0));
        assert!(String::from_utf8_lossy(&refused.stderr).contains("InvalidCertificate"), "{refused:?}");
    }
}

#[test]
fn grpc() {
    let folder = tempfile::tempdir().unwrap();
    let (_server, port) = serve(GRPC, &folder, &["serve", "cert.pem"]);
    let address = format!("127.0.0.1:{port}");
    assert_eq!(
        succeed(GRPC, &folder, &["call", "cert.pem", &address, "Ada", "Alan"], b""),
        "Hello, Ada!\nHello, Alan!\n"
    );
    let refused = run(GRPC, &folder, &["call", "cert.pem", &address, ""], b"");
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("whom?"), "{refused:?}");

    fs::write(folder.path().join("frame"), frame("curl")).unwrap();
    let ask = |method: &str, body: [&str; 2]| {
        let url = format!("https://localhost:{port}/hello.Greeter/{method}");
        let common = ["--http2", "--header", "content-type: application/grpc", "--header", "te: trailers"];
        let arguments = [&common[..], &body, &["--dump-header", "headers"]].concat();
        let answer = run("curl", &folder, &curl(&arguments, &url), b"");
        assert!(answer.status.success(), "{answer:?}");
        (answer.stdout, fs::read_to_string(folder.path().join("headers")).unwrap())
    };
    let (answer, headers) = ask("Greet", ["--data-binary", "@frame"]);
    assert_eq!(message(&answer), b"Hello, curl!");
    assert!(headers.contains("grpc-status: 0"), "{headers}");
    // Without a body: the server would not wait for it, and curl fails if the answer comes first.
    let (_, headers) = ask("Other", ["--request", "POST"]);
    assert!(headers.contains("grpc-status: 12"), "unimplemented: {headers}");
}
