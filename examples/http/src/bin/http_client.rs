//! An HTTP client over TLS: hyper-util's, which keeps connections for the next request, with Keylane's
//! streams.
//!
//! ```text
//! http_client CERT-FILE URL...        # prints each answer; servers must show that certificate
//! ```
#![forbid(unsafe_code)]

use bytes::Bytes;
use http::Uri;
use http_body_util::{BodyExt, Empty};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::{TokioExecutor, TokioIo};
use keylane_tls::rustls::pki_types::{CertificateDer, ServerName, pem::PemObject};
use keylane_tls::rustls::{ClientConfig, RootCertStore};
use keylane_tls::tokio::{TlsConnector, TlsStream};
use std::error::Error;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tower::service_fn;

/// For a connection and for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

fn connector(cert_file: &str) -> Result<TlsConnector, Box<dyn Error>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(cert_file)?)?;
    let mut config = ClientConfig::builder_with_provider(keylane_tls::provider().into())
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}

async fn connect(connector: TlsConnector, url: Uri) -> io::Result<Secured> {
    let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, what);
    if url.scheme_str() != Some("https") {
        return Err(invalid("not an https URL"));
    }
    let host = url.host().ok_or_else(|| invalid("a URL without a host"))?;
    let host = host.trim_matches(['[', ']']); // of an IPv6 address
    let name = ServerName::try_from(host).map_err(io::Error::other)?.to_owned();
    let connected = async {
        let socket = TcpStream::connect((host, url.port_u16().unwrap_or(443))).await?;
        socket.set_nodelay(true)?;
        connector.connect(name, socket).await
    };
    Ok(Secured(TokioIo::new(timeout(PATIENCE, connected).await??)))
}

/// The stream, as hyper-util's pool needs it: it says which protocol was agreed on.
struct Secured(TokioIo<TlsStream<TcpStream>>);

impl Connection for Secured {
    fn connected(&self) -> Connected {
        match self.0.inner().info().alpn() {
            Some(b"h2") => Connected::new().negotiated_h2(),
            _ => Connected::new(),
        }
    }
}

impl Read for Secured {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl Write for Secured {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, data)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        data: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(cx, data)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(cert_file), urls) = (arguments.next(), arguments.collect::<Vec<_>>()) else {
        return Err("usage: http_client CERT-FILE URL...".into());
    };
    let connector = connector(&cert_file)?;
    let client = Client::builder(TokioExecutor::new())
        .build::<_, Empty<Bytes>>(service_fn(move |url| Box::pin(connect(connector.clone(), url))));
    for url in urls {
        let response = timeout(PATIENCE, client.get(url.parse()?)).await??;
        println!("{:?} {}", response.version(), response.status());
        let body = timeout(PATIENCE, response.into_body().collect()).await??.to_bytes();
        print!("{}", String::from_utf8_lossy(&body));
    }
    Ok(())
}
