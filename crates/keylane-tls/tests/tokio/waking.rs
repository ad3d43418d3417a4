//! A task that reads and replies, and one that writes, wait for the same transport: neither may take the
//! other's wake-up.

use crate::{configs, once, pair, record_lengths};
use keylane_tls::session::Options;
use keylane_tls::tokio::{TlsStream, accept, connect};
use keylane_tls_checks::certificates::{Configs, server_name};
use keylane_tls_checks::terms::Version;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use tokio::io::{
    AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufStream, DuplexStream, ReadBuf, duplex,
};

/// Counts how often a task is woken.
#[derive(Default)]
struct Task(AtomicUsize);

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Task {
    fn woken(&self) -> bool {
        self.0.swap(0, Ordering::Relaxed) > 0
    }
}

/// Returns a stream over an end of a pipe, and its peer over the other end, which asks for new keys.
async fn asked<T: AsyncRead + AsyncWrite + Unpin>(
    capacity: usize,
    transport: impl FnOnce(DuplexStream) -> T,
) -> (TlsStream<T>, TlsStream<DuplexStream>) {
    let Configs { client, server } = configs(Version::Tls13);
    let (a, b) = duplex(capacity);
    let connect = connect(client, server_name(), transport(a));
    let (us, mut peer) = tokio::try_join!(connect, accept(server, b)).unwrap();
    peer.update_keys(true).unwrap();
    (us, peer)
}

/// Lets both halves, however the stream was split, wait in their own tasks: the writer for room, the reader
/// for data and for room to answer a request for new keys. Returns how much was written.
fn wait_both(
    read: &mut (impl AsyncRead + Unpin),
    write: &mut (impl AsyncWrite + Unpin),
    [reading, writing]: [&Arc<Task>; 2],
) -> usize {
    let (reading, writing) = (Waker::from(reading.clone()), Waker::from(writing.clone()));
    let mut context = Context::from_waker(&writing);
    let Poll::Ready(Ok(written)) = Pin::new(&mut *write).poll_write(&mut context, &[7; 1000]) else {
        panic!("the buffer was empty")
    };
    assert!(Pin::new(write).poll_write(&mut context, b"more").is_pending());
    poll_read(read, &reading);
    written
}

fn poll_read(read: &mut (impl AsyncRead + Unpin), waker: &Waker) {
    let mut buffer = [0];
    let poll = Pin::new(read).poll_read(&mut Context::from_waker(waker), &mut ReadBuf::new(&mut buffer));
    assert!(poll.is_pending(), "the peer sent no data");
}

/// Takes all bytes that are in the transport.
fn drain(transport: &mut DuplexStream) -> Vec<u8> {
    let mut buffer = vec![0; 10_000];
    let mut buffer = ReadBuf::new(&mut buffer);
    let _ = Pin::new(transport).poll_read(&mut Context::from_waker(Waker::noop()), &mut buffer);
    buffer.filled().to_vec()
}

#[tokio::test]
async fn both_halves_are_woken() {
    let (us, mut peer) = asked(100, |end| end).await;
    let (mut read, mut write) = us.into_split();
    peer.flush().await.unwrap();
    let (reading, writing) = (Arc::default(), Arc::default());
    wait_both(&mut read, &mut write, [&reading, &writing]);
    assert!(!reading.woken() && !writing.woken());
    drain(peer.get_mut());
    assert!(reading.woken() && writing.woken());
}

/// A stream that was split by tokio's function.
#[tokio::test]
async fn both_halves_of_tokio_are_woken() {
    let (us, mut peer) = asked(100, |end| end).await;
    let (mut read, mut write) = tokio::io::split(us);
    peer.flush().await.unwrap();
    let (reading, writing) = (Arc::default(), Arc::default());
    wait_both(&mut read, &mut write, [&reading, &writing]);
    drain(peer.get_mut());
    assert!(reading.woken() && writing.woken());
}

/// A transport that takes bytes again when the gate opens, and wakes no task: the first to poll notices, as
/// when a task runs before another one that was woken. As a socket that its peer has reset, it cannot be shut
/// down.
pub(crate) struct Gated(pub(crate) DuplexStream, pub(crate) Arc<AtomicBool>);

impl AsyncRead for Gated {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Gated {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.1.load(Ordering::Relaxed) {
            Pin::new(&mut self.0).poll_write(context, data)
        } else {
            Poll::Pending
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Err(io::ErrorKind::NotConnected.into()))
    }
}

/// The writer learns as well that the transport has failed meanwhile.
#[tokio::test]
async fn a_reader_that_sends_what_the_writer_waits_for_wakes_it() {
    for broken in [false, true] {
        let gate = Arc::new(AtomicBool::new(true));
        let (us, mut peer) = asked(10_000, |end| Gated(end, gate.clone())).await;
        let (mut read, mut write) = us.into_split();
        peer.flush().await.unwrap();
        gate.store(false, Ordering::Relaxed);
        let (reading, writing) = (Arc::default(), Arc::default());
        wait_both(&mut read, &mut write, [&reading, &writing]);
        let _peer = (!broken).then_some(peer);
        gate.store(true, Ordering::Relaxed);
        assert!(!writing.woken());
        if broken {
            assert!(matches!(once(read.read(&mut [0])), Poll::Ready(Err(_))));
        } else {
            poll_read(&mut read, &Waker::from(reading));
        }
        assert!(writing.woken());
        let written = once(write.write(b"more"));
        assert!(matches!(written, Poll::Ready(result) if result.is_err() == broken));
    }
}

/// The same, where the stream is split and joined again meanwhile.
#[tokio::test]
async fn later_reads_of_halves_flush_a_reply() {
    let (mut us, mut peer) = asked(7, BufStream::new).await;
    let mut wire = Vec::new();
    while wire.is_empty() {
        let _ = once(peer.flush());
        assert!(once(us.read_u8()).is_pending());
        wire.extend(drain(peer.get_mut()));
    }
    let (mut read, write) = us.into_split();
    assert!(once(read.read_u8()).is_pending());
    wire.extend(drain(peer.get_mut()));
    assert!(wire.len() < 27);
    let mut us = read.unsplit(write);
    for _ in 0..20 {
        assert!(once(us.read_u8()).is_pending());
        wire.extend(drain(peer.get_mut()));
    }
    assert_eq!(record_lengths(&wire), [27]);
}

/// The writer is dropped while the transport is full: the reader alone sends its rest and the reply.
#[tokio::test]
async fn the_reader_finishes_what_a_dropped_writer_left() {
    let (us, mut peer) = asked(100, |end| end).await;
    let (mut read, mut write) = us.into_split();
    peer.flush().await.unwrap();
    let (reading, writing) = (Arc::default(), Arc::default());
    let written = wait_both(&mut read, &mut write, [&reading, &writing]);
    drop(write);
    let mut wire = Vec::new();
    loop {
        let some = drain(peer.get_mut());
        if some.is_empty() {
            break;
        }
        wire.extend(some);
        // Woken while there is something to send.
        if reading.woken() {
            poll_read(&mut read, &Waker::from(reading.clone()));
        }
    }
    assert_eq!(record_lengths(&wire), [written + 22, 27]);
}

/// The same if the writer is not dropped, but only its future, and no task polls the writer.
#[tokio::test]
async fn a_cancelled_write_does_not_keep_the_reader_from_replying() {
    let (us, mut peer) = pair(Version::Tls13, 100, Options::default()).await;
    let (mut read, mut write) = us.into_split();
    assert_eq!(write.write(&[7; 300]).await.unwrap(), 300);
    tokio::select! {
        biased;
        _ = write.write(b"cancelled") => panic!("the transport is full"),
        () = std::future::ready(()) => {}
    }
    peer.update_keys(true).unwrap();
    peer.flush().await.unwrap();
    let reader = tokio::spawn(async move { read.read_u8().await.unwrap() });
    let mut wire = vec![0; 300 + 22 + 27];
    crate::within(peer.get_mut().read_exact(&mut wire)).await.unwrap();
    assert_eq!(record_lengths(&wire), [322, 27]);
    peer.write_all(b"x").await.unwrap();
    assert_eq!(crate::within(reader).await.unwrap(), b'x');
}
