//! A gRPC service over TLS and a client for it, with tonic. Its messages are texts, so that no protocol
//! compiler is needed; code from one takes the place of `Text` and `Greeter`.
//!
//! ```text
//! grpc serve CERT-FILE [ADDRESS]      # writes a new certificate to CERT-FILE, prints its address
//! grpc call CERT-FILE ADDRESS NAME... # greets each name
//! ```
#![forbid(unsafe_code)]

use bytes::{Buf, BufMut};
use http::uri::PathAndQuery;
use hyper_util::rt::TokioIo;
use keylane_tls::rustls::pki_types::{CertificateDer, pem::PemObject};
use keylane_tls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use keylane_tls::tokio::{TlsAcceptor, TlsConnector, server};
use std::convert::Infallible;
use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use std::{env, fs, io};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::body::Body;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::server::NamedService;
use tonic::transport::server::Connected;
use tonic::transport::{Endpoint, Server};
use tonic::{Request, Response, Status};
use tower::{Service, service_fn};

const PATIENCE: Duration = Duration::from_secs(10);
const GREET: &str = "/hello.Greeter/Greet";

/// Messages that are UTF-8.
#[derive(Clone, Copy, Default)]
struct Text;

impl Codec for Text {
    type Encode = String;
    type Decode = String;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Text {
    type Item = String;
    type Error = Status;

    fn encode(&mut self, text: String, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(text.as_bytes());
        Ok(())
    }
}

impl Decoder for Text {
    type Item = String;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<String>, Status> {
        let bytes = buffer.copy_to_bytes(buffer.remaining()).into();
        String::from_utf8(bytes).map(Some).map_err(|_| Status::invalid_argument("not UTF-8"))
    }
}

async fn greet(request: Request<String>) -> Result<Response<String>, Status> {
    match request.into_inner() {
        name if name.is_empty() => Err(Status::invalid_argument("whom?")),
        name => Ok(Response::new(format!("Hello, {name}!"))),
    }
}

#[derive(Clone)]
struct Greeter;

impl NamedService for Greeter {
    const NAME: &'static str = "hello.Greeter";
}

impl Service<http::Request<Body>> for Greeter {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        Box::pin(async move {
            Ok(match request.uri().path() {
                GREET => tonic::server::Grpc::new(Text).unary(service_fn(greet), request).await,
                _ => Status::unimplemented("no such method").into_http(),
            })
        })
    }
}

/// The stream, as tonic's server needs it.
struct Accepted(server::TlsStream<TcpStream>);

impl Connected for Accepted {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}

impl AsyncRead for Accepted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for Accepted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, data)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        data: &[io::IoSlice<'_>],
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

async fn serve(cert_file: &str, address: &str) -> Result<(), Box<dyn Error>> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let mut config = ServerConfig::builder_with_provider(keylane_tls::provider().into())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], made.signing_key.into())?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind(address).await?;
    fs::write(cert_file, made.cert.pem())?;
    println!("{}", listener.local_addr()?);

    // Each handshake is a task of its own, so that a slow client delays no other.
    let (accepted, incoming) = mpsc::channel(16);
    tokio::spawn(async move {
        while let Ok((socket, peer)) = listener.accept().await {
            let (handshake, accepted) = (timeout(PATIENCE, acceptor.accept(socket)), accepted.clone());
            tokio::spawn(async move {
                match handshake.await.map_err(io::Error::from).flatten() {
                    Ok(stream) => drop(accepted.send(Ok::<_, io::Error>(Accepted(stream))).await),
                    Err(error) => eprintln!("{peer}: {error}"),
                }
            });
        }
    });
    Ok(Server::builder().add_service(Greeter).serve_with_incoming(ReceiverStream::new(incoming)).await?)
}

async fn call(cert_file: &str, address: &str, names: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(cert_file)?)?;
    let mut config = ClientConfig::builder_with_provider(keylane_tls::provider().into())
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let connector = TlsConnector::from(Arc::new(config));

    let address = address.to_owned();
    // tonic refuses `https` unless it does TLS; the connector decides.
    let channel = Endpoint::from_static("http://localhost").connect_timeout(PATIENCE).timeout(PATIENCE);
    let channel = channel.connect_with_connector(service_fn(move |_| {
        let (connector, address) = (connector.clone(), address.clone());
        async move {
            let socket = TcpStream::connect(address).await?;
            let name = "localhost".try_into().expect("a host name");
            connector.connect(name, socket).await.map(TokioIo::new)
        }
    }));
    let mut client = tonic::client::Grpc::new(channel.await?);
    for name in names {
        client.ready().await?;
        let request = Request::new((*name).to_owned());
        let response = client.unary(request, PathAndQuery::from_static(GREET), Text).await?;
        println!("{}", response.into_inner());
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["serve", cert_file] => serve(cert_file, "127.0.0.1:0").await,
        ["serve", cert_file, address] => serve(cert_file, address).await,
        ["call", cert_file, address, ref names @ ..] => call(cert_file, address, names).await,
        _ => Err("usage: grpc serve CERT-FILE [ADDRESS] | call CERT-FILE ADDRESS NAME...".into()),
    }
}
