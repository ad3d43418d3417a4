//! An axum server over TLS that speaks HTTP/1.1 and HTTP/2 and, asked to stop, completes what it has begun.
//!
//! ```text
//! axum_server CERT-FILE KEY-FILE [ADDRESS]    # the certificate with its chain and the key, in PEM; prints its address
//! ```
#![forbid(unsafe_code)]

use axum::Router;
use axum::body::{Body, Bytes};
use axum::routing::{get, post};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use keylane_tls::rustls::ServerConfig;
use keylane_tls::rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use keylane_tls::tokio::TlsAcceptor;
use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use std::{env, io, pin::pin};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::ctrl_c;
use tokio::time::timeout;
use tokio_stream::{Stream, StreamExt};

/// For a handshake, and for what is under way when the server stops.
const PATIENCE: Duration = Duration::from_secs(10);

fn app() -> Router {
    Router::new()
        .route("/", get(|| async { "hello\n" }))
        .route("/slow", get(|| async { Body::from_stream(slow()) }))
        .route("/echo", post(|body: Bytes| async { body }))
}

fn slow() -> impl Stream<Item = Result<&'static str, Infallible>> {
    tokio_stream::iter(["begun\n", "done\n"]).map(Ok).throttle(Duration::from_secs(1))
}

fn acceptor(cert_file: &str, key_file: &str) -> Result<TlsAcceptor, Box<dyn Error>> {
    let chain = CertificateDer::pem_file_iter(cert_file)?.collect::<Result<_, _>>()?;
    let mut config = ServerConfig::builder_with_provider(keylane_tls::provider().into())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::from_pem_file(key_file)?)?;
    // In the order of preference.
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

async fn serve(acceptor: TlsAcceptor, listener: TcpListener) -> io::Result<()> {
    let app = TowerToHyperService::new(app());
    let connections = GracefulShutdown::new();
    let mut stop = pin!(ctrl_c());
    loop {
        let (socket, peer) = tokio::select! {
            accepted = listener.accept() => accepted?,
            stop = &mut stop => break stop?,
        };
        let connection = serve_one(acceptor.clone(), socket, app.clone(), connections.watcher());
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                eprintln!("{peer}: {error}");
            }
        });
    }
    drop(listener);
    Ok(timeout(PATIENCE, connections.shutdown()).await?)
}

async fn serve_one(
    acceptor: TlsAcceptor,
    socket: TcpStream,
    app: TowerToHyperService<Router>,
    watcher: Watcher,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    socket.set_nodelay(true)?;
    let stream = timeout(PATIENCE, acceptor.accept(socket)).await??;
    // HTTP/2 or HTTP/1.1, by the first bytes.
    let server = auto::Builder::new(TokioExecutor::new());
    watcher.watch(server.serve_connection(TokioIo::new(stream), app).into_owned()).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(cert_file), Some(key_file)) = (arguments.next(), arguments.next()) else {
        return Err("usage: axum_server CERT-FILE KEY-FILE [ADDRESS]".into());
    };
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:0".into());
    let acceptor = acceptor(&cert_file, &key_file)?;
    let listener = TcpListener::bind(address).await?;
    println!("{}", listener.local_addr()?);
    Ok(serve(acceptor, listener).await?)
}
