//! Measures how long a server takes to answer over TLS, and prints the negotiated parameters: hyper's client
//! on Keylane's streams.
//!
//! ```text
//! https_timing CA-FILE URL    # trusts what is in CA-FILE, such as /etc/ssl/certs/ca-certificates.crt
//! ```
#![forbid(unsafe_code)]

use bytes::Bytes;
use http::header::HOST;
use http::{Request, Response, Uri};
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use keylane_tls::rustls::pki_types::{CertificateDer, ServerName, pem::PemObject};
use keylane_tls::rustls::{ClientConfig, RootCertStore};
use keylane_tls::tokio::{TlsConnector, TlsStream};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// For all of it.
const PATIENCE: Duration = Duration::from_secs(60);

fn connector(ca_file: &str) -> Result<TlsConnector, Box<dyn Error>> {
    let mut roots = RootCertStore::empty();
    for authority in CertificateDer::pem_file_iter(ca_file)? {
        roots.add(authority?)?;
    }
    let mut config = ClientConfig::builder_with_provider(keylane_tls::provider().into())
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}

/// Sends the request and waits for the head of its answer.
async fn get(stream: TlsStream<TcpStream>, url: &Uri) -> Result<Response<Incoming>, Box<dyn Error>> {
    let request = Request::get(url).body(Empty::<Bytes>::new())?;
    if stream.info().alpn() == Some(b"h2") {
        let (mut sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        return Ok(sender.send_request(request).await?);
    }
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // Its errors are those of the request, or of the body.
    tokio::spawn(connection);
    // HTTP/1.1 has the host in a header and only the rest in the first line.
    let (mut head, body) = request.into_parts();
    head.headers.insert(HOST, url.authority().ok_or("a URL without a host")?.as_str().parse()?);
    head.uri = url.path_and_query().map_or("/", |path| path.as_str()).parse()?;
    Ok(sender.send_request(Request::from_parts(head, body)).await?)
}

async fn measure(connector: &TlsConnector, url: &Uri) -> Result<(), Box<dyn Error>> {
    if url.scheme_str() != Some("https") {
        return Err("not an https URL".into());
    }
    let host = url.host().ok_or("a URL without a host")?.trim_matches(['[', ']']); // of an IPv6 address
    let name = ServerName::try_from(host)?.to_owned();
    let mut times = Vec::new();
    let start = Instant::now();

    let socket = TcpStream::connect((host, url.port_u16().unwrap_or(443))).await?;
    socket.set_nodelay(true)?;
    times.push(("connected", start.elapsed()));

    let stream = connector.connect(name, socket).await?;
    times.push(("handshake", start.elapsed()));
    let info = stream.info();
    println!("{:?}, {:?}", info.version(), info.cipher_suite());

    let response = get(stream, url).await?;
    times.push(("first byte", start.elapsed()));
    println!("{:?} {}", response.version(), response.status());

    let (mut body, mut len) = (response.into_body(), 0);
    // A body that is cut off is an error.
    while let Some(frame) = body.frame().await {
        len += frame?.data_ref().map_or(0, Bytes::len);
    }
    times.push(("whole body", start.elapsed()));
    println!("{len} bytes");

    for (what, time) in times {
        println!("{what:10} after {:9.3} ms", time.as_secs_f64() * 1000.0);
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [ca_file, url] = &arguments[..] else { return Err("usage: https_timing CA-FILE URL".into()) };
    timeout(PATIENCE, measure(&connector(ca_file)?, &url.parse()?)).await?
}
