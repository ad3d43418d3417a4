//! Libraries that use rustls, over sockets: tokio-rustls and hyper.

use crate::pair::{Ends, Identity, NAME};
use crate::{bytes, ours};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use rustls::ProtocolVersion;
use rustls::pki_types::ServerName;
use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::{TlsAcceptor, TlsConnector, client, server};

/// Runs a client and a server, connected over the loopback interface, for both versions.
fn run<C, S>(
    client: impl Fn(client::TlsStream<TcpStream>) -> C,
    server: impl Fn(server::TlsStream<TcpStream>) -> S,
) where
    C: Future<Output = ()>,
    S: Future<Output = ()>,
{
    for version in [ProtocolVersion::TLSv1_3, ProtocolVersion::TLSv1_2] {
        let ends = Ends::new(ours(), ours(), version, &Identity::ecdsa());
        tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap().block_on(async {
            let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
            let address = listener.local_addr().unwrap();
            let connected = async {
                let connector = TlsConnector::from(Arc::new(ends.client));
                let socket = TcpStream::connect(address).await.unwrap();
                client(connector.connect(ServerName::try_from(NAME).unwrap(), socket).await.unwrap()).await;
            };
            let accepted = async {
                let acceptor = TlsAcceptor::from(Arc::new(ends.server));
                let (socket, _) = listener.accept().await.unwrap();
                server(acceptor.accept(socket).await.unwrap()).await;
            };
            tokio::join!(connected, accepted);
        });
    }
}

#[test]
fn tokio_rustls_carries_data_over_a_socket() {
    let data = bytes(1, 1_000_000);
    run(
        async |stream| {
            let (mut reader, mut writer) = tokio::io::split(stream);
            let mut received = Vec::new();
            let sending = async {
                writer.write_all(&data).await.unwrap();
                writer.shutdown().await.unwrap();
            };
            let (read, ()) = tokio::join!(reader.read_to_end(&mut received), sending);
            read.unwrap();
            assert!(received == data);
        },
        async |stream| {
            let (mut reader, mut writer) = tokio::io::split(stream);
            tokio::io::copy(&mut reader, &mut writer).await.unwrap();
            writer.shutdown().await.unwrap();
        },
    );
}

async fn echo(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let body = request.into_body().collect().await.unwrap().to_bytes();
    Ok(Response::new(Full::new(body)))
}

#[test]
fn hyper_exchanges_a_request_and_a_response() {
    let data = bytes(2, 500_000);
    run(
        async |stream| {
            let (mut sender, connection) =
                hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
            let asking = async {
                for _ in 0..3 {
                    let request =
                        Request::post("/").header("host", NAME).body(Full::new(Bytes::from(data.clone())));
                    let response = sender.send_request(request.unwrap()).await.unwrap();
                    assert_eq!(response.status(), StatusCode::OK);
                    assert!(response.into_body().collect().await.unwrap().to_bytes() == data);
                }
                // Dropping the client's side ends the connection.
                drop(sender);
            };
            let (connection, ()) = tokio::join!(connection, asking);
            connection.unwrap();
        },
        async |stream| {
            hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service_fn(echo))
                .await
                .unwrap();
        },
    );
}
