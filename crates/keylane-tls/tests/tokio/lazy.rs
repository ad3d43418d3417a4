//! The acceptor that reads the client's first message, with tokio-rustls' clients.

use crate::{VERSIONS, configs, once, within};
use keylane_tls::tokio::{LazyConfigAcceptor, StartHandshake};
use keylane_tls::{Acceptor, Error};
use keylane_tls_checks::certificates::{Configs, HOST, server_name};
use std::task::Poll;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
use tokio_rustls::TlsConnector;

#[tokio::test]
async fn a_configuration_is_chosen_between_two_awaits() {
    for version in VERSIONS {
        for capacity in [1, 7, 4096] {
            let Configs { client, server } = configs(version);
            let (a, b) = duplex(capacity);
            let client = async {
                let mut stream = TlsConnector::from(client).connect(server_name(), a).await.unwrap();
                stream.write_all(b"there").await.unwrap();
                stream.shutdown().await.unwrap();
                stream
            };
            let server = async {
                let acceptor = rustls::server::Acceptor::default();
                let start = LazyConfigAcceptor::new(acceptor, b).await.unwrap();
                assert_eq!(start.client_hello().server_name(), Some(HOST));
                tokio::task::yield_now().await;
                let StartHandshake { accepted, io, .. } = start;
                let start = StartHandshake::from_parts(accepted, io);
                let mut stream = start.into_stream(server).await.unwrap();
                let mut received = String::new();
                stream.read_to_string(&mut received).await.unwrap();
                assert_eq!(received, "there");
                assert_eq!(stream.info().server_name(), Some(HOST));
            };
            within(async { tokio::join!(client, server) }).await;
        }
    }
}

#[tokio::test]
async fn the_transport_can_be_taken_back_after_garbage() {
    let (mut a, b) = duplex(100);
    let mut acceptor = LazyConfigAcceptor::new(Acceptor::default(), b);
    assert!(once(&mut acceptor).is_pending());
    a.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let error = within(&mut acceptor).await.unwrap_err();
    assert!(matches!(Error::of(&error), Some(Error::Handshake(_))), "{error}");
    let mut transport = acceptor.take_io().unwrap();
    transport.write_all(b"plain").await.unwrap();
    drop(transport);
    let mut received = Vec::new();
    a.read_to_end(&mut received).await.unwrap();
    assert_eq!((received[0], &received[7..]), (21, &b"plain"[..]));
    assert!(acceptor.take_io().is_none());
    assert!(matches!(once(&mut acceptor), Poll::Ready(Err(_))));
}
