//! The asynchronous stream, with itself and with tokio-rustls at the other end, over transports of a few
//! bytes and over TCP.
//!
//! Timeouts only end tests that hang.

mod cancelling;
mod ending;
mod endpoints;
mod halves;
mod lazy;
mod streams;
mod waking;

use keylane_tls::session::Options;
use keylane_tls::tokio::{TlsStream, accept_with, connect_with};
use keylane_tls_checks::certificates::{Configs, Credentials, server_name};
use keylane_tls_checks::fuzz::records;
use keylane_tls_checks::terms::{Cipher, Key, Terms, Version};
use std::future::Future;
use std::pin::pin;
use std::sync::LazyLock;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::io::{DuplexStream, duplex};
use tokio::net::{TcpListener, TcpStream};

const VERSIONS: [Version; 2] = [Version::Tls12, Version::Tls13];

/// One authority for all tests.
static CREDENTIALS: LazyLock<Credentials> = LazyLock::new(|| Credentials::generate().unwrap());

fn configs(version: Version) -> Configs {
    let terms = Terms { version, cipher: Cipher::Aes128Gcm, key: Key::EcdsaP256 };
    CREDENTIALS.configs(rustls::crypto::ring::default_provider(), &terms, false).unwrap()
}

/// Returns both ends of a connection, over a transport that holds `capacity` bytes each way.
async fn pair(
    version: Version,
    capacity: usize,
    options: Options,
) -> (TlsStream<DuplexStream>, TlsStream<DuplexStream>) {
    let Configs { client, server } = configs(version);
    let (a, b) = duplex(capacity);
    let connect = connect_with(client, server_name(), a, options);
    within(async { tokio::try_join!(connect, accept_with(server, b, options)).unwrap() }).await
}

async fn tcp() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let connect = TcpStream::connect(listener.local_addr().unwrap());
    let (a, b) = tokio::join!(connect, listener.accept());
    (a.unwrap(), b.unwrap().0)
}

async fn within<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(Duration::from_secs(120), future).await.expect("it hangs")
}

/// Polls once and drops the future. Without tokio's budget for a task, which could make it `Pending` for no
/// other reason.
fn once<F: Future>(future: F) -> Poll<F::Output> {
    pin!(tokio::task::unconstrained(future)).poll(&mut Context::from_waker(Waker::noop()))
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 31 + i / 251) as u8).collect()
}

/// Returns the lengths of the records in `wire`, headers included.
fn record_lengths(wire: &[u8]) -> Vec<usize> {
    records(wire).expect("whole records").into_iter().map(<[u8]>::len).collect()
}
