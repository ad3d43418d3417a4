//! Data arrives, with any library at the other end and with a transport of any size.

use crate::{VERSIONS, bytes, configs, once, pair, within};
use keylane_tls::session::Options;
use keylane_tls::tokio::{accept, connect};
use keylane_tls_checks::certificates::{Configs, server_name};
use keylane_tls_checks::terms::Version;
use std::io::IoSlice;
use std::task::Poll;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, duplex};
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// Sends back what arrives until the other end closes. Returns the stream, so that the transport lives as
/// long as the other end needs it.
async fn echo<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S) -> S {
    let mut buffer = vec![0; 5000];
    loop {
        let len = stream.read(&mut buffer).await.unwrap();
        if len == 0 {
            stream.shutdown().await.unwrap();
            return stream;
        }
        stream.write_all(&buffer[..len]).await.unwrap();
        stream.flush().await.unwrap();
    }
}

/// Sends `len` bytes, expects them back, and then the end.
async fn ask<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, len: usize) -> S {
    let sent = bytes(len);
    let mut received = Vec::new();
    // At most as many at a time as the transports hold, since the echo does not read while it writes.
    for chunk in sent.chunks(1000) {
        stream.write_all(chunk).await.unwrap();
        stream.flush().await.unwrap();
        let mut back = vec![0; chunk.len()];
        stream.read_exact(&mut back).await.unwrap();
        received.extend(back);
    }
    stream.shutdown().await.unwrap();
    stream.read_to_end(&mut received).await.unwrap();
    assert!(received == sent);
    stream
}

async fn two_of_ours<T: AsyncRead + AsyncWrite + Unpin>(version: Version, (a, b): (T, T), len: usize) {
    let Configs { client, server } = configs(version);
    let one = async { ask(connect(client, server_name(), a).await.unwrap(), len).await };
    let other = async { echo(accept(server, b).await.unwrap()).await };
    within(async { tokio::join!(one, other) }).await;
}

async fn ours_and_theirs<T: AsyncRead + AsyncWrite + Unpin>(version: Version, (a, b): (T, T), len: usize) {
    let Configs { client, server } = configs(version);
    let one = async { ask(connect(client, server_name(), a).await.unwrap(), len).await };
    let other = async { echo(TlsAcceptor::from(server).accept(b).await.unwrap()).await };
    within(async { tokio::join!(one, other) }).await;
}

async fn theirs_and_ours<T: AsyncRead + AsyncWrite + Unpin>(version: Version, (a, b): (T, T), len: usize) {
    let Configs { client, server } = configs(version);
    let one = async { ask(TlsConnector::from(client).connect(server_name(), a).await.unwrap(), len).await };
    let other = async { echo(accept(server, b).await.unwrap()).await };
    within(async { tokio::join!(one, other) }).await;
}

#[tokio::test]
async fn through_transports_of_a_few_bytes() {
    for version in VERSIONS {
        for capacity in [1, 7, 100, 1 << 16] {
            two_of_ours(version, duplex(capacity), 10_000).await;
            ours_and_theirs(version, duplex(capacity), 10_000).await;
            theirs_and_ours(version, duplex(capacity), 10_000).await;
        }
    }
}

/// Here, the transport's flush waits. It has room for a close_notify, since both ends may shut down at the
/// same time.
#[tokio::test]
async fn through_another_connection() {
    for version in VERSIONS {
        for capacity in [30, 100] {
            let outer = pair(Version::Tls13, capacity, Options::default()).await;
            two_of_ours(version, outer, 3000).await;
        }
    }
}

/// The transport buffers everything until it is flushed.
#[tokio::test]
async fn through_buffered_transports() {
    use tokio::io::BufStream;
    for version in VERSIONS {
        let (a, b) = duplex(7);
        two_of_ours(version, (BufStream::new(a), BufStream::new(b)), 10_000).await;
    }
}

#[tokio::test]
async fn lends_data_from_its_buffer() {
    for version in VERSIONS {
        let (mut us, mut peer) = pair(version, 1 << 16, Options::default()).await;
        peer.write_all(b"one\ntwo\nthree").await.unwrap();
        let lent = us.fill_buf().await.unwrap();
        assert_eq!(lent, b"one\ntwo\nthree");
        let at = lent.as_ptr();
        us.consume(4);
        let rest = us.fill_buf().await.unwrap();
        assert_eq!((rest, rest.as_ptr()), (&b"two\nthree"[..], at.wrapping_add(4)));
        let mut line = String::new();
        us.read_line(&mut line).await.unwrap();
        assert_eq!(line, "two\n");
        peer.shutdown().await.unwrap();
        line.clear();
        us.read_line(&mut line).await.unwrap();
        assert_eq!(line, "three");
        assert_eq!(us.fill_buf().await.unwrap(), b"");
    }
}

#[tokio::test]
async fn reads_fill_the_caller_s_buffer_from_several_records() {
    for version in VERSIONS {
        let (mut us, mut peer) = pair(version, 1 << 16, Options::default()).await;
        for word in [&b"one "[..], b"two ", b"three"] {
            peer.write_all(word).await.unwrap();
        }
        let mut buffer = [0; 20];
        assert_eq!(us.read(&mut []).await.unwrap(), 0);
        assert_eq!(us.read(&mut buffer).await.unwrap(), 13);
        assert_eq!(&buffer[..13], b"one two three");
        assert!(once(us.read(&mut buffer)).is_pending());
    }
}

/// Sends `data` in slices: the first is empty, others are longer than a record, and they are more than it
/// takes.
async fn send_slices(write: &mut (impl AsyncWrite + Unpin), data: &[u8]) {
    let mut written = 0;
    while written < data.len() {
        let mut rest = &data[written..];
        let lens = [0, 1, 20_000, 0, 3000, 40_000].into_iter().chain([3; 40]);
        let slices = lens.map(|len| {
            let (slice, after) = rest.split_at(len.min(rest.len()));
            rest = after;
            IoSlice::new(slice)
        });
        let slices: Vec<_> = slices.collect();
        let len = write.write_vectored(&slices).await.unwrap();
        assert!(len > 0, "there was data");
        written += len;
    }
    write.flush().await.unwrap();
}

#[tokio::test]
async fn slices_arrive_one_after_the_other() {
    let sent = bytes(300_000);
    for version in VERSIONS {
        for halves in [false, true] {
            let (mut us, mut peer) = pair(version, 10_000, Options::default()).await;
            assert!(us.is_write_vectored());
            let mut received = vec![0; sent.len()];
            let ours = async {
                if halves {
                    send_slices(&mut us.into_split().1, &sent).await;
                } else {
                    send_slices(&mut us, &sent).await;
                }
            };
            let (_, received_all) =
                within(async { tokio::join!(ours, peer.read_exact(&mut received)) }).await;
            received_all.unwrap();
            assert!(received == sent);
        }
    }
}

/// A read that waits for the reply also sends the rest of an earlier write.
#[tokio::test]
async fn a_read_sends_what_a_write_left() {
    for version in VERSIONS {
        let (mut us, mut peer) = pair(version, 10, Options::default()).await;
        let sent = bytes(1000);
        let Poll::Ready(written) = once(us.write(&sent)) else { panic!("there was room") };
        assert_eq!(written.unwrap(), 1000);
        let mut answer = [0; 2];
        let ours = us.read_exact(&mut answer);
        let mut received = vec![0; 1000];
        let theirs = async {
            peer.read_exact(&mut received).await.unwrap();
            peer.write_all(b"ok").await.unwrap();
            peer.flush().await.unwrap();
        };
        let (ours, ()) = within(async { tokio::join!(ours, theirs) }).await;
        ours.unwrap();
        assert_eq!((&answer, received), (b"ok", sent));
    }
}
