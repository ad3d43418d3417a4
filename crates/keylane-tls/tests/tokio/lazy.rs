//! The acceptor that reads the client's first message, with tokio-rustls' clients.

use crate::{VERSIONS, configs, once, within};
use keylane_tls::tokio::{LazyConfigAcceptor, StartHandshake, TlsStream, accept, connect};
use keylane_tls::{Acceptor, Alert, ClientHandshake, EarlyData, Error};
use keylane_tls_checks::certificates::{Configs, HOST, server_name};
use keylane_tls_checks::terms::Version;
use rustls::client::Resumption;
use rustls::server::ServerSessionMemoryCache;
use std::sync::Arc;
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

/// A server that has forgotten a client's session skips its early data, however many records it is in.
#[tokio::test]
async fn rejected_early_data_is_skipped() {
    let Configs { mut client, server } = configs(Version::Tls13).with_early_data(16 << 10);
    Arc::make_mut(&mut client).resumption = Resumption::in_memory_sessions(8);
    for (count, len) in [(0, 0), (60, 10), (1000, 1), (10, 290), (1, 16 << 10)] {
        for lazy in [false, true] {
            let mut server = server.clone();
            Arc::make_mut(&mut server).session_storage = ServerSessionMemoryCache::new(8);
            Arc::make_mut(&mut server).send_tls13_tickets = 2;
            let (a, b) = duplex(1 << 16);
            let mut handshake = ClientHandshake::new(client.clone(), server_name()).unwrap();
            for _ in 0..count {
                assert_eq!(handshake.write_early_data(&vec![7; len]).unwrap(), len);
            }
            let theirs = async {
                let mut stream = if lazy {
                    let start = LazyConfigAcceptor::new(Acceptor::default(), b).await.unwrap();
                    start.into_stream(server).await
                } else {
                    accept(server, b).await
                }
                .unwrap();
                stream.write_all(b"data").await.unwrap();
                stream.shutdown().await.unwrap();
            };
            let ours = async {
                let mut stream = TlsStream::complete(handshake, a).await.unwrap();
                // At first, there is no session to begin with.
                assert!(count == 0 || stream.info().early_data() == EarlyData::Rejected);
                let mut received = String::new();
                stream.read_to_string(&mut received).await.unwrap();
                assert_eq!(received, "data");
            };
            within(async { tokio::join!(theirs, ours) }).await;
        }
    }
}

/// By its header, whatever the handshake waits for, or because it comes within a message.
#[tokio::test]
async fn a_first_record_that_must_not_be_is_refused_with_an_alert() {
    let interleaved = [22, 3, 3, 0, 4, 1, 0, 1, 0, 23, 3, 3, 0, 1, 0];
    for (bytes, alert) in [
        (&[99, 3, 3, 0, 100][..], Alert::UNEXPECTED_MESSAGE),
        (&[22, 3, 3, 0x40, 1], Alert::RECORD_OVERFLOW),
        (&interleaved, Alert::UNEXPECTED_MESSAGE),
    ] {
        for version in VERSIONS {
            let Configs { client, server } = configs(version);
            for which in 0..3 {
                let (mut a, b) = duplex(1 << 16);
                a.write_all(bytes).await.unwrap();
                let error = match which {
                    0 => within(LazyConfigAcceptor::new(Acceptor::default(), b)).await.unwrap_err(),
                    1 => within(accept(server.clone(), b)).await.unwrap_err(),
                    _ => within(connect(client.clone(), server_name(), b)).await.unwrap_err(),
                };
                assert!(matches!(Error::of(&error), Some(Error::Handshake(_))), "{error}");
                let mut sent = Vec::new();
                a.read_to_end(&mut sent).await.unwrap();
                assert!(sent.ends_with(&[21, 3, 3, 0, 2, 2, alert.0]), "{which}: {sent:?}");
            }
        }
    }
}
