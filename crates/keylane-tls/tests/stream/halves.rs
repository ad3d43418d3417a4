//! One connection in two threads.

use crate::{bytes, configs};
use keylane_tls::session::{Options, Session};
use keylane_tls::{Alert, Error, ReadHalf, TlsStream, WriteHalf};
use keylane_tls_checks::certificates::{Configs, server_name};
use keylane_tls_checks::terms::{Cipher, Key, Terms, Version};
use std::io::{self, BufRead, ErrorKind, IoSlice, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// The length of a record with a key update: a message of five bytes.
const KEY_UPDATE: usize = 5 + 5 + 1 + 16;

fn sockets() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let connecting = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let ends = (connecting, listener.accept().unwrap().0);
    ends.0.set_nodelay(true).unwrap();
    ends.1.set_nodelay(true).unwrap();
    ends
}

/// Returns a client and a server over any transports.
fn pair<A, B>(version: Version, a: A, b: B, options: Options) -> (TlsStream<A>, TlsStream<B>)
where
    A: Read + Write,
    B: Read + Write + Send,
{
    let Configs { client, server } =
        configs(&Terms { version, cipher: Cipher::Aes128Gcm, key: Key::EcdsaP256 });
    thread::scope(|scope| {
        let server = scope.spawn(move || TlsStream::accept_with(server, b, options).unwrap());
        (TlsStream::connect_with(client, server_name(), a, options).unwrap(), server.join().unwrap())
    })
}

fn tcp(version: Version, options: Options) -> (TlsStream<TcpStream>, TlsStream<TcpStream>) {
    let (a, b) = sockets();
    pair(version, a, b, options)
}

fn split(stream: TlsStream<TcpStream>) -> (ReadHalf<TcpStream>, WriteHalf<TcpStream>) {
    let second = stream.get_ref().try_clone().unwrap();
    stream.into_split(second)
}

/// Returns a stream to which data and a request for new keys have come at once, and its peer.
fn asked() -> (TlsStream<TcpStream>, TlsStream<TcpStream>) {
    let (us, mut peer) = tcp(Version::Tls13, Options::default());
    peer.get_ref().set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    peer.write_all(b"data").unwrap();
    peer.update_keys(true).unwrap();
    peer.flush().unwrap();
    let len = 5 + 4 + 1 + 16 + KEY_UPDATE;
    while us.get_ref().peek(&mut [0; 100]).unwrap() < len {}
    (us, peer)
}

/// Reads the reply to a request for new keys, as it is sealed.
fn expect_reply(peer: &mut TlsStream<TcpStream>) {
    let mut answer = [0; KEY_UPDATE];
    peer.get_mut().read_exact(&mut answer).unwrap();
    assert_eq!(answer[3..5], [0, 22]);
}

#[test]
fn both_ways_at_once() {
    for version in [Version::Tls12, Version::Tls13] {
        let (a, b) = tcp(version, Options::default());
        let total = 5_000_000;
        thread::scope(|scope| {
            for stream in [a, b] {
                let (mut reader, mut writer) = split(stream);
                scope.spawn(move || {
                    for chunk in bytes(total).chunks(40_000) {
                        writer.write_all(chunk).unwrap();
                    }
                    writer.close().unwrap();
                    assert_eq!(writer.write(b"more").unwrap_err().kind(), ErrorKind::BrokenPipe);
                });
                scope.spawn(move || {
                    let mut received = Vec::new();
                    reader.read_to_end(&mut received).unwrap();
                    assert!(received == bytes(total) && reader.peer_closed());
                });
            }
        });
    }
}

#[test]
fn a_half_takes_several_slices_at_once() {
    let (us, mut peer) = tcp(Version::Tls13, Options::default());
    let (_reader, mut writer) = split(us);
    let sent = bytes(100);
    // More than a record takes; the first is empty.
    let slices: Vec<_> = (0..100).map(|i| IoSlice::new(&sent[i..][..i.min(1)])).collect();
    assert_eq!(writer.write_vectored(&slices).unwrap(), 99);
    let mut received = [0; 99];
    peer.read_exact(&mut received).unwrap();
    assert_eq!(received, sent[1..]);
}

/// One end requests new keys all the time, and the other answers with both of its halves.
#[test]
fn answers_come_from_either_half() {
    let mut options = Options::default();
    options.records_per_key = 4;
    options.max_fragment_len = 2000;
    let (a, b) = tcp(Version::Tls13, options);
    let total = 1_000_000;
    thread::scope(|scope| {
        let (mut reader, mut writer) = split(b);
        let reading = scope.spawn(move || {
            let mut received = 0;
            loop {
                let data = reader.fill_buf().unwrap();
                if data.is_empty() {
                    return (reader, received);
                }
                let len = data.len();
                received += len;
                reader.consume(len);
            }
        });
        let writing = scope.spawn(move || {
            for byte in 0..200 {
                writer.write_all(&[byte]).unwrap();
            }
            writer
        });
        let (mut from_peer, mut to_peer) = split(a);
        scope.spawn(move || {
            to_peer.write_all(&bytes(total)).unwrap();
            to_peer.close().unwrap();
        });
        let mut echoed = [0; 200];
        from_peer.read_exact(&mut echoed).unwrap();
        assert!(echoed.into_iter().eq(0..200));
        let ((reader, received), writer) = (reading.join().unwrap(), writing.join().unwrap());
        assert_eq!(received, total);
        let mut stream = reader.unsplit(writer);
        stream.write_all(b"the end").unwrap();
        stream.close().unwrap();
        let mut end = Vec::new();
        from_peer.read_to_end(&mut end).unwrap();
        assert_eq!(end, b"the end");
    });
}

/// A transport whose writes can be stopped.
#[derive(Clone)]
struct Gated(Arc<TcpStream>, Arc<Gate>);

#[derive(Default)]
struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    closed: bool,
    /// Whether writes return `WouldBlock`.
    full: bool,
    /// How many writes wait.
    waiting: usize,
}

impl Gate {
    fn set_closed(&self, closed: bool) {
        self.state.lock().unwrap().closed = closed;
        self.changed.notify_all();
    }

    fn set_full(&self, full: bool) {
        self.state.lock().unwrap().full = full;
    }

    fn wait_until(&self, condition: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        self.changed.wait_while(self.state.lock().unwrap(), |state| !condition(state)).unwrap()
    }
}

impl Read for Gated {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self.0).read(buffer)
    }
}

impl Write for Gated {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.1.state.lock().unwrap().waiting += 1;
        self.1.changed.notify_all();
        let mut state = self.1.wait_until(|state| !state.closed);
        state.waiting -= 1;
        if state.full {
            return Err(ErrorKind::WouldBlock.into());
        }
        drop(state);
        (&*self.0).write(data)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The reader goes on while the writer is stuck, and the writer then sends what the reader left.
#[test]
fn a_reader_does_not_wait_for_a_writer() {
    let (a, b) = sockets();
    let a = Gated(Arc::new(a), Arc::default());
    let (us, mut peer) = pair(Version::Tls13, a.clone(), b, Options::default());
    let (mut reader, mut writer) = us.into_split(a.clone());
    a.1.set_closed(true);
    let writing = thread::spawn(move || {
        writer.write_all(b"x").unwrap();
        writer
    });
    drop(a.1.wait_until(|state| state.waiting > 0));
    peer.update_keys(true).unwrap();
    peer.write_all(b"not delayed").unwrap();
    let mut received = [0; 11];
    reader.read_exact(&mut received).unwrap();
    assert_eq!(&received, b"not delayed");
    a.1.set_closed(false);
    let mut raw = [0; 5 + 1 + 1 + 16 + KEY_UPDATE];
    peer.get_mut().read_exact(&mut raw).unwrap();
    assert_eq!(raw[3..5], [0, 18]);
    assert_eq!(raw[23 + 3..][..2], [0, 22]);
    writing.join().unwrap();
}

/// The transport takes the reply neither from the reader, which finds the writer at work, nor from the
/// writer.
#[test]
fn a_later_read_sends_a_reply_that_the_writer_could_not() {
    let (a, b) = sockets();
    b.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let a = Gated(Arc::new(a), Arc::default());
    let (us, mut peer) = pair(Version::Tls13, a.clone(), b, Options::default());
    let (mut reader, mut writer) = us.into_split(a.clone());
    a.1.set_closed(true);
    let writing = thread::spawn(move || {
        assert_eq!(writer.write(b"x").unwrap(), 1);
        writer
    });
    drop(a.1.wait_until(|state| state.waiting > 0));
    peer.update_keys(true).unwrap();
    peer.write_all(b"data").unwrap();
    reader.read_exact(&mut [0; 4]).unwrap();
    a.1.set_full(true);
    a.1.set_closed(false);
    let _writer = writing.join().unwrap();
    a.1.set_full(false);
    peer.write_all(b"more").unwrap();
    reader.read_exact(&mut [0; 4]).unwrap();
    let mut raw = [0; 5 + 1 + 1 + 16 + KEY_UPDATE];
    peer.get_mut().read_exact(&mut raw).unwrap();
    assert_eq!(raw[23 + 3..][..2], [0, 22]);
}

#[test]
fn the_read_half_answers_alone() {
    for keep_writer in [true, false] {
        let (us, mut peer) = tcp(Version::Tls13, Options::default());
        let (mut reader, writer) = split(us);
        let _writer = keep_writer.then_some(writer);
        peer.update_keys(true).unwrap();
        peer.write_all(b"data").unwrap();
        reader.read_exact(&mut [0; 4]).unwrap();
        expect_reply(&mut peer);
    }
}

/// A request for new keys arrives together with data. The reply precedes the next write, which has the new
/// keys.
#[test]
fn a_request_after_lent_data_is_answered() {
    let (us, peer) = asked();
    let (mut transport, Session { mut receiver, .. }) = peer.into_parts();
    let (mut reader, mut writer) = split(us);
    assert_eq!(reader.fill_buf().unwrap(), b"data");
    reader.consume(4);
    writer.write_all(b"new").unwrap();
    let mut answer = [0; KEY_UPDATE + 5 + 3 + 1 + 16];
    transport.read_exact(&mut answer).unwrap();
    assert_eq!(answer[3..5], [0, 22]);
    receiver.space()[..answer.len()].copy_from_slice(&answer);
    receiver.filled(answer.len());
    receiver.process().unwrap();
    assert_eq!(receiver.data(), b"new");
}

/// The same, where nothing is written: the next read sends the reply.
#[test]
fn a_read_after_lent_data_answers_a_request() {
    let (us, mut peer) = asked();
    let (mut reader, _writer) = split(us);
    assert_eq!(reader.fill_buf().unwrap(), b"data");
    reader.consume(4);
    peer.write_all(b"more").unwrap();
    reader.read_exact(&mut [0; 4]).unwrap();
    expect_reply(&mut peer);
}

/// The same, where the halves are joined before anything is written.
#[test]
fn a_request_before_the_halves_are_joined_is_answered() {
    let (us, mut peer) = asked();
    let (mut reader, writer) = split(us);
    assert_eq!(reader.fill_buf().unwrap(), b"data");
    reader.consume(4);
    let mut us = reader.unsplit(writer);
    us.write_all(b"new").unwrap();
    expect_reply(&mut peer);
}

/// The same, where the stream is split before the reply is sent: the next read sends it.
#[test]
fn a_request_before_the_stream_is_split_is_answered() {
    let (mut us, mut peer) = asked();
    assert_eq!(us.fill_buf().unwrap(), b"data");
    us.consume(4);
    let (mut reader, _writer) = split(us);
    peer.write_all(b"more").unwrap();
    reader.read_exact(&mut [0; 4]).unwrap();
    expect_reply(&mut peer);
}

#[test]
fn the_write_half_renews_its_keys_and_the_read_half_sees_the_close() {
    let (us, mut peer) = tcp(Version::Tls13, Options::default());
    peer.get_ref().set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let (mut reader, mut writer) = split(us);
    writer.update_keys(true).unwrap();
    writer.flush().unwrap();
    let mut announced = [0; KEY_UPDATE];
    peer.get_mut().read_exact(&mut announced).unwrap();
    assert_eq!(announced[3..5], [0, 22]);
    assert!(!reader.peer_closed());
    peer.close().unwrap();
    assert_eq!(reader.read(&mut [0]).unwrap(), 0);
    assert!(reader.peer_closed());
}

/// What breaks one half breaks the other, and the peer is told.
#[test]
fn a_forged_record_ends_both_halves() {
    for version in [Version::Tls12, Version::Tls13] {
        let (us, mut peer) = tcp(version, Options::default());
        let (mut reader, mut writer) = split(us);
        peer.get_mut().write_all(&[23, 3, 3, 0, 40]).unwrap();
        peer.get_mut().write_all(&[0; 40]).unwrap();
        let error = reader.read(&mut [0]).unwrap_err();
        assert_eq!(Error::of(&error).unwrap().alert_sent(), Some(Alert::BAD_RECORD_MAC));
        let error = writer.write(b"more").unwrap_err();
        assert_eq!(Error::of(&error), Some(&Error::Closed));
        let error = peer.read(&mut [0]).unwrap_err();
        assert_eq!(Error::of(&error), Some(&Error::AlertReceived(Alert::BAD_RECORD_MAC)));
    }
}

#[test]
fn references_are_handles_as_well() {
    let (a, b) = sockets();
    let (us, mut peer) = pair(Version::Tls13, &a, &b, Options::default());
    let (mut reader, mut writer) = us.into_split(&a);
    thread::scope(|scope| {
        scope.spawn(move || {
            writer.write_all(b"question").unwrap();
            writer.update_keys(true).unwrap();
            writer.flush().unwrap();
        });
        let mut question = [0; 8];
        peer.read_exact(&mut question).unwrap();
        assert_eq!(&question, b"question");
        peer.write_all(b"answer").unwrap();
        let mut answer = [0; 6];
        reader.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"answer");
    });
}

#[test]
#[should_panic = "halves of different connections"]
fn halves_of_different_connections_cannot_be_joined() {
    let [first, second] = [(); 2].map(|()| {
        let (us, peer) = tcp(Version::Tls13, Options::default());
        (split(us), peer)
    });
    assert!(first.0.0.is_pair_of(&first.0.1) && !first.0.0.is_pair_of(&second.0.1));
    first.0.0.unsplit(second.0.1);
}
