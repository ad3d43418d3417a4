//! One connection in two tasks.

use crate::{VERSIONS, bytes, configs, once, pair, record_lengths, tcp, within};
use keylane_tls::session::{Options, Status};
use keylane_tls::tokio::{ReadHalf, TlsStream, accept_with, connect_with};
use keylane_tls::{Alert, Error};
use keylane_tls_checks::certificates::{Configs, server_name};
use keylane_tls_checks::terms::Version;
use std::io::{ErrorKind, IoSlice};
use std::task::Poll;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, duplex,
};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

trait Transport: AsyncRead + AsyncWrite + Unpin + Send + 'static {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send + 'static> Transport for T {}

/// Sends `len` bytes both ways at once, with each half in its own task.
async fn full_duplex<T: Transport>(ends: [TlsStream<T>; 2], len: usize) {
    let mut tasks = JoinSet::new();
    for stream in ends {
        let (mut read, mut write) = stream.into_split();
        tasks.spawn(async move {
            for chunk in bytes(len).chunks(40_000) {
                write.write_all(chunk).await.unwrap();
            }
            write.shutdown().await.unwrap();
        });
        tasks.spawn(async move {
            let mut received = Vec::new();
            read.read_to_end(&mut received).await.unwrap();
            assert!(received == bytes(len));
            assert!(read.peer_closed());
        });
    }
    within(tasks.join_all()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn both_ways_at_once() {
    for version in VERSIONS {
        let Configs { client, server } = configs(version);
        let (a, b) = tcp().await;
        let options = Options::default();
        let connect = connect_with(client, server_name(), a, options);
        let (a, b) = tokio::try_join!(connect, accept_with(server, b, options)).unwrap();
        full_duplex([a, b], 5_000_000).await;

        let (a, b) = pair(version, 1000, options).await;
        full_duplex([a, b], 1_000_000).await;
        let (a, b) = pair(version, 7, options).await;
        full_duplex([a, b], 20_000).await;
    }
}

/// Each end constantly requests new keys from the other, while both are sending.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn both_ways_at_once_with_ever_new_keys() {
    let mut options = Options::default();
    options.records_per_key = 8;
    options.max_fragment_len = 2000;
    for capacity in [7, 1000, 100_000] {
        let (a, b) = pair(Version::Tls13, capacity, options).await;
        full_duplex([a, b], 3000 * capacity.min(500)).await;
    }
}

#[tokio::test]
async fn the_read_half_answers_a_request_for_new_keys() {
    for keep_writer in [true, false] {
        let (us, peer) = pair(Version::Tls13, 100, Options::default()).await;
        let (mut read, write) = us.into_split();
        let mut write = keep_writer.then_some(write);
        let (mut transport, mut peer) = peer.into_parts();
        // Returns the length of the answer.
        let mut ask = async |read: &mut ReadHalf<_>| {
            peer.sender.update_keys(true).unwrap();
            transport.write_all(peer.sender.pending()).await.unwrap();
            peer.sender.sent(peer.sender.pending().len());
            assert!(once(read.read(&mut [0])).is_pending());
            let Poll::Ready(Ok(len)) = once(transport.read(peer.receiver.space())) else { return 0 };
            peer.receiver.filled(len);
            while peer.receiver.process().unwrap() == Status::Data {
                peer.receiver.consume(peer.receiver.data().len());
            }
            len
        };
        // A record with a message of five bytes.
        assert_eq!(ask(&mut read).await, 27);
        if let Some(write) = &mut write {
            write.write_all(b"under new keys").await.unwrap();
            assert_eq!(ask(&mut read).await, 36 + 27);
        }
        assert_eq!(ask(&mut read).await, 0, "this end was silent");
    }
}

#[tokio::test]
async fn answers_rustls_request_for_new_keys() {
    let Configs { client, server } = configs(Version::Tls13);
    let (a, b) = duplex(1 << 16);
    let connect = connect_with(client, server_name(), a, Options::default());
    let acceptor = TlsAcceptor::from(server);
    let (us, peer) = tokio::join!(connect, acceptor.accept(b));
    let ((mut read, mut write), mut peer) = (us.unwrap().into_split(), peer.unwrap());
    for _ in 0..3 {
        peer.get_mut().1.refresh_traffic_keys().unwrap();
        peer.write_all(b"ping").await.unwrap();
        peer.flush().await.unwrap();
        let mut buffer = [0; 4];
        read.read_exact(&mut buffer).await.unwrap();
        write.write_all(b"pong").await.unwrap();
        peer.read_exact(&mut buffer).await.unwrap();
        assert_eq!(&buffer, b"pong");
    }
}

#[tokio::test]
async fn what_fails_for_the_reader_fails_for_the_writer() {
    for version in VERSIONS {
        for keep_writer in [true, false] {
            let (us, mut peer) = pair(version, 100, Options::default()).await;
            let (mut read, write) = us.into_split();
            let write = keep_writer.then_some(write);
            peer.get_mut().write_all(&[&[23, 3, 3, 0, 40][..], &[0; 40]].concat()).await.unwrap();
            assert_eq!(read.read(&mut [0]).await.unwrap_err().kind(), ErrorKind::InvalidData);
            let error = peer.read(&mut [0]).await.unwrap_err();
            assert_eq!(Error::of(&error), Some(&Error::AlertReceived(Alert::BAD_RECORD_MAC)));
            if let Some(mut write) = write {
                assert_eq!(write.write(b"x").await.unwrap_err().kind(), ErrorKind::BrokenPipe);
            }
        }
    }
}

#[tokio::test]
async fn writing_goes_on_without_the_reader() {
    for version in VERSIONS {
        let (us, mut peer) = pair(version, 7, Options::default()).await;
        let (read, mut write) = us.into_split();
        drop(read);
        let sent = bytes(3000);
        let ours = async {
            write.write_all(&sent).await.unwrap();
            write.shutdown().await.unwrap();
        };
        let mut received = Vec::new();
        let (_, len) = within(async { tokio::join!(ours, peer.read_to_end(&mut received)) }).await;
        assert_eq!((len.unwrap(), received), (3000, sent));
    }
}

#[tokio::test]
async fn reading_goes_on_without_the_writer() {
    for version in VERSIONS {
        let (us, mut peer) = pair(version, 1 << 16, Options::default()).await;
        let (mut read, write) = us.into_split();
        drop(write);
        peer.write_all(b"one\ntwo").await.unwrap();
        peer.shutdown().await.unwrap();
        assert_eq!(read.fill_buf().await.unwrap(), b"one\ntwo");
        read.consume(4);
        let mut rest = String::new();
        read.read_to_string(&mut rest).await.unwrap();
        assert_eq!(rest, "two");
    }
}

#[tokio::test]
#[should_panic = "halves of different connections"]
async fn halves_of_two_connections_do_not_fit() {
    let (a, b) = pair(Version::Tls13, 100, Options::default()).await;
    let ((read, _), (_, write)) = (a.into_split(), b.into_split());
    read.unsplit(write);
}

/// Sends data and a request for new keys, and takes the data from the reader's buffer.
async fn ask(peer: &mut TlsStream<DuplexStream>, reader: &mut (impl AsyncBufRead + Unpin)) {
    peer.write_all(b"data").await.unwrap();
    peer.update_keys(true).unwrap();
    let (flushed, data) = tokio::join!(peer.flush(), reader.fill_buf());
    flushed.unwrap();
    assert_eq!(data.unwrap(), b"data");
    reader.consume(4);
}

/// A request for new keys arrives after data that is in the reader's buffer. The reply precedes the next
/// write.
#[tokio::test]
async fn a_request_after_lent_data_is_answered() {
    let (us, mut peer) = pair(Version::Tls13, 100, Options::default()).await;
    assert!(format!("{us:?}").starts_with("TlsStream { transport: "));
    let (mut read, mut write) = us.into_split();
    assert_eq!(read.info().version(), rustls::ProtocolVersion::TLSv1_3);
    for half in [format!("{read:?}"), format!("{write:?}")] {
        assert!(half.contains("Half {") && half.ends_with(" .. }"), "{half}");
    }
    assert!(write.is_write_vectored() && !read.peer_closed());

    ask(&mut peer, &mut read).await;
    write.write_all(b"under new keys").await.unwrap();
    write.flush().await.unwrap();
    let mut wire = [0; 100];
    let len = within(peer.get_mut().read(&mut wire)).await.unwrap();
    assert_eq!(record_lengths(&wire[..len]), [27, 36]);
}

/// The same, where nothing is written: the next read sends the reply.
#[tokio::test]
async fn a_read_after_lent_data_answers_a_request() {
    let (us, mut peer) = pair(Version::Tls13, 100, Options::default()).await;
    let (mut read, _write) = us.into_split();
    ask(&mut peer, &mut read).await;
    assert!(once(read.read(&mut [0])).is_pending());
    assert!(matches!(once(peer.get_mut().read(&mut [0; 100])), Poll::Ready(Ok(27))));
}

/// The same, where the stream is split before the reply is sent: the next read sends it.
#[tokio::test]
async fn a_request_before_the_stream_is_split_is_answered() {
    let (mut us, mut peer) = pair(Version::Tls13, 100, Options::default()).await;
    ask(&mut peer, &mut us).await;
    let (mut read, _write) = us.into_split();
    assert!(once(read.read(&mut [0])).is_pending());
    assert!(matches!(once(peer.get_mut().read(&mut [0; 100])), Poll::Ready(Ok(27))));
}

/// A request comes while the transport has taken a part of a write, or of the reply.
macro_rules! a_reply_waits {
    ($read:ident, $write:ident, $peer:ident, $case:expr) => {{
        let (len, request_first, lent) = $case;
        let (mut transport, mut peer) = $peer.into_parts();
        assert!(matches!(once($write.write(&vec![7; len])), Poll::Ready(Ok(taken)) if taken == len));
        for updates in [request_first, !request_first] {
            if updates {
                peer.sender.update_keys(true).unwrap();
            } else {
                peer.sender.write(&[IoSlice::new(b"data")]).unwrap();
            }
        }
        transport.write_all(peer.sender.pending()).await.unwrap();
        peer.sender.sent(peer.sender.pending().len());
        if lent {
            assert_eq!($read.fill_buf().await.unwrap(), b"data");
            $read.consume(4);
        } else {
            $read.read_exact(&mut [0; 4]).await.unwrap();
        }
        assert!(once($write.write(b"refused")).is_pending());
        let mut wire = Vec::new();
        loop {
            assert!(once($read.read(&mut [0])).is_pending());
            let Poll::Ready(taken) = once(transport.read_buf(&mut wire)) else { break };
            taken.unwrap();
        }
        assert_eq!(record_lengths(&wire), [len + 22, 27]);
        $write.write_all(b"second").await.unwrap();
        $write.flush().await.unwrap();
        while once(transport.read_buf(&mut wire)).is_ready() {}
        assert_eq!(record_lengths(&wire), [len + 22, 27, 28]);
        peer.receiver.space()[..wire.len()].copy_from_slice(&wire);
        peer.receiver.filled(wire.len());
        let mut received = Vec::new();
        while peer.receiver.process().unwrap() == Status::Data {
            received.extend_from_slice(peer.receiver.data());
            peer.receiver.consume(peer.receiver.data().len());
        }
        assert!(received == [&vec![7; len][..], b"second"].concat());
    }};
}

#[tokio::test]
async fn a_reply_waits_after_data_and_before_the_next_write() {
    for len in [70, 78, 79, 300] {
        for (request_first, lent) in [(true, true), (true, false), (false, true), (false, false)] {
            let case = (len, request_first, lent);
            let (mut us, peer) = pair(Version::Tls13, 100, Options::default()).await;
            a_reply_waits!(us, us, peer, case);
            let (us, peer) = pair(Version::Tls13, 100, Options::default()).await;
            let (mut read, mut write) = us.into_split();
            a_reply_waits!(read, write, peer, case);
        }
    }
}

#[tokio::test]
async fn a_flush_announces_new_keys() {
    let (us, mut peer) = pair(Version::Tls13, 100, Options::default()).await;
    let (_read, mut write) = us.into_split();
    write.update_keys(false).unwrap();
    write.flush().await.unwrap();
    assert!(matches!(once(peer.get_mut().read(&mut [0; 100])), Poll::Ready(Ok(27))));
}

#[tokio::test]
async fn released_buffers_are_taken_again() {
    for version in VERSIONS {
        let (mut us, mut peer) = pair(version, 100, Options::default()).await;
        assert!(once(us.get_mut().read(&mut [0])).is_pending());
        for _ in 0..2 {
            us.write_all(b"data").await.unwrap();
            us.flush().await.unwrap();
            us.release_buffers();
            let mut received = [0; 4];
            within(peer.read_exact(&mut received)).await.unwrap();
            assert_eq!(&received, b"data");
        }
        // The caller has direct access to the transport.
        assert!(once(peer.get_mut().write(b"raw")).is_ready());
        let mut raw = [0; 3];
        us.get_mut().read_exact(&mut raw).await.unwrap();
        assert_eq!(&raw, b"raw");
        let _: &DuplexStream = us.get_ref();
    }
}
