//! The allocations and the memory of connections. This test is a separate binary, since it counts the
//! allocations of the whole program, by thread.

mod support;

use allocation_counter::measure;
use keylane::aes_gcm::{Aes128Gcm, Aes256Gcm};
use keylane::chacha20poly1305::ChaCha20Poly1305;
use keylane_tls::record::{Cipher, RecordOpener, RecordSealer, Version};
use keylane_tls::session::{Options, RecordSizing, Session, Side, Status};
use keylane_tls::tokio::{TlsAcceptor, TlsConnector};
use keylane_tls::{ClientHandshake, Error, ServerHandshake, TlsStream};
use keylane_tls_checks::certificates::{Configs, Credentials, server_name};
use keylane_tls_checks::fuzz::{known_keys, sessions};
use keylane_tls_checks::terms::{CIPHERS, Key, Terms};
use std::io::{self, BufRead, ErrorKind, IoSlice, Read, Write};
use std::mem::size_of;
use std::sync::{Mutex, MutexGuard, PoisonError};
use support::{End, Manner, duplex, shake_hands};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream};

const VERSIONS: [Version; 2] = [Version::Tls12, Version::Tls13];

/// All connections of a program share one pool of buffers, so tests must not run at the same time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Passes as many pending bytes as there is room for.
fn pass_pending(from: &mut Session, to: &mut Session) {
    let space = to.receiver.space();
    let len = from.sender.pending().len().min(space.len());
    space[..len].copy_from_slice(&from.sender.pending()[..len]);
    from.sender.sent(len);
    to.receiver.filled(len);
}

/// Sends `data` from one session to another, and releases all buffers.
fn pass(from: &mut Session, to: &mut Session, data: &[u8]) {
    let mut written = 0;
    while written < data.len() {
        written += from.sender.write(&[IoSlice::new(&data[written..])]).unwrap();
        let mut checked = 0;
        while !from.sender.pending().is_empty() {
            pass_pending(from, to);
            while to.receiver.process().unwrap() == Status::Data {
                let data = to.receiver.data().len();
                checked += data;
                to.receiver.consume(data);
            }
        }
        assert!(checked > 0);
    }
    from.sender.release();
    to.receiver.release();
}

#[test]
fn records_allocate_nothing() {
    let _alone = alone();
    let data = vec![7; 100_000];
    let mut options = Options::default();
    options.record_sizing = RecordSizing::Fixed;
    for version in VERSIONS {
        for cipher in CIPHERS {
            let (mut client, mut server) = sessions(version, cipher, &options);
            // Buffers are allocated when they are first needed.
            pass(&mut client, &mut server, &data);
            pass(&mut server, &mut client, &data[..1]);
            let info = measure(|| {
                for _ in 0..10 {
                    pass(&mut client, &mut server, &data);
                    pass(&mut server, &mut client, &data[..1]);
                }
            });
            assert_eq!(info.count_total, 0, "{version:?} {cipher:?}: {info:?}");
        }
    }
}

fn configs(version: Version) -> Configs {
    let terms = Terms { version, cipher: Cipher::Aes128Gcm, key: Key::EcdsaP256 };
    Credentials::generate().unwrap().configs(rustls::crypto::ring::default_provider(), &terms, true).unwrap()
}

fn connect(Configs { client, server }: &Configs) -> [TlsStream<End>; 2] {
    let (a, b) = duplex(Manner::Whole, Manner::Whole);
    let client = ClientHandshake::new(client.clone(), server_name()).unwrap();
    let server = ServerHandshake::new(server.clone()).unwrap();
    let (client, server) = shake_hands((client, a), (server, b));
    [client.unwrap(), server.unwrap()]
}

fn exchange([client, server]: &mut [TlsStream<End>; 2], data: &[u8]) {
    for (from, to) in [(0, 1), (1, 0)] {
        let [from, to] = if from < to { [&mut *client, &mut *server] } else { [&mut *server, &mut *client] };
        from.write_all(data).unwrap();
        from.flush().unwrap();
        let mut left = data.len();
        while left > 0 {
            let len = to.fill_buf().unwrap().len();
            to.consume(len);
            left -= len;
        }
    }
    for stream in [client, server] {
        assert_eq!(stream.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
    }
}

/// The same with streams, each of which waits in between.
#[test]
fn streams_allocate_nothing() {
    let _alone = alone();
    for version in [Version::Tls12, Version::Tls13] {
        let mut streams = connect(&configs(version));
        let data = vec![7; 60_000];
        exchange(&mut streams, &data);
        let info = measure(|| (0..20).for_each(|_| exchange(&mut streams, &data)));
        assert_eq!(info.count_total, 0, "{version:?}: {info:?}");
    }
}

/// Both ends of many connections wait for data after some traffic.
#[test]
fn a_connection_that_waits_holds_little() {
    let _alone = alone();
    const CONNECTIONS: usize = 100;
    // Rustls keeps most of it; for a client of TLS 1.3, also its configuration.
    const LIMIT: usize = 17 << 8;
    // Rustls prefers AES-256.
    let keys = size_of::<RecordSealer>() + size_of::<RecordOpener>() + keys_len(Cipher::Aes256Gcm);
    for version in [Version::Tls12, Version::Tls13] {
        let configs = configs(version);
        // Fills the pool with buffers for the next connections, and the client's store with tickets.
        exchange(&mut connect(&configs), &[7; 40_000]);
        let mut all = Vec::with_capacity(CONNECTIONS);
        let info = measure(|| {
            for _ in 0..CONNECTIONS {
                let mut streams = connect(&configs);
                exchange(&mut streams, &[7; 40_000]);
                exchange(&mut streams, b"short");
                for stream in &mut streams {
                    // The transport's memory does not count.
                    stream.get_mut().input.borrow_mut().bytes.shrink_to_fit();
                }
                all.push(streams);
            }
        });
        let heap = usize::try_from(info.bytes_current).unwrap() / (2 * CONNECTIONS);
        let held = heap + size_of::<TlsStream<()>>() - keys;
        println!("{version:?}: a connection that waits holds {held} bytes beside its keys, which are {keys}");
        assert!(held < LIMIT, "{held} bytes");
    }
}

/// Without the call, the connections keep more than the pool does.
#[test]
fn released_buffers_go_back_to_the_pool() {
    let _alone = alone();
    // More than the pool keeps.
    const CONNECTIONS: usize = 40;
    let data = [7; 10_000];
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for version in VERSIONS {
        let configs = configs(version);
        let make = || {
            let mut streams = connect(&configs);
            exchange(&mut streams, b"short");
            streams
        };
        let mut streams: Vec<_> = (0..CONNECTIONS).map(|_| make()).collect();
        let info = measure(|| {
            for [client, server] in &mut streams {
                client.write_all(&data).unwrap();
                let mut left = data.len();
                while left > 0 {
                    let len = server.fill_buf().unwrap().len();
                    server.consume(len);
                    left -= len;
                }
                client.release_buffers();
                server.release_buffers();
                // The transport's memory does not count.
                client.get_mut().output.borrow_mut().bytes.shrink_to_fit();
            }
        });
        assert!(info.bytes_current < 1 << 20, "{version:?}: {info:?}");

        let make = async || {
            let (mut client, mut server) = keylane(&configs).await.unwrap();
            wait(&mut client).await;
            wait(&mut server).await;
            (client, server)
        };
        let mut streams: Vec<_> = (0..CONNECTIONS).map(|_| runtime.block_on(make())).collect();
        let info = measure(|| {
            for (client, server) in &mut streams {
                runtime.block_on(send(client, server, data.len()));
                server.release_buffers();
            }
        });
        assert!(info.bytes_current < 1 << 20, "{version:?}, asynchronous: {info:?}");
    }
}

/// Two ends of a connection, each waiting for data.
type Pair<S> = (S, S);

/// Sends `len` bytes from one end to the other and then lets it wait.
async fn send<S: AsyncRead + AsyncWrite + Unpin>(from: &mut S, to: &mut S, len: usize) {
    let (sent, mut received) = (vec![7; len], vec![0; len]);
    let sending = async {
        from.write_all(&sent).await?;
        from.flush().await
    };
    tokio::try_join!(sending, to.read_exact(&mut received)).unwrap();
    assert_eq!(received, sent);
}

/// Waits for data that does not come, in a single poll.
async fn wait<S: AsyncRead + Unpin>(stream: &mut S) {
    tokio::select! {
        biased;
        read = stream.read_u8() => panic!("{read:?}"),
        () = std::future::ready(()) => {}
    }
}

/// Makes `count` connections in which each end sends `len` bytes and then waits. Returns them, and the bytes
/// of the heap that an end holds: with its stream, which is in a box, and without its transport.
fn idle<S>(
    count: usize,
    len: usize,
    connect: impl AsyncFn() -> io::Result<Pair<S>>,
) -> (Vec<Box<Pair<S>>>, i64)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let make = async || {
        let mut pair = connect().await.unwrap();
        send(&mut pair.0, &mut pair.1, len).await;
        send(&mut pair.1, &mut pair.0, len).await;
        wait(&mut pair.0).await;
        wait(&mut pair.1).await;
        Box::new(pair)
    };
    // Fills the pool of buffers, and the client's store of tickets.
    drop(runtime.block_on(make()));
    let mut all = Vec::with_capacity(count);
    let held = measure(|| (0..count).for_each(|_| all.push(runtime.block_on(make())))).bytes_current;
    let mut alone = None;
    let transport = measure(|| alone = Some(used_transport(&runtime, len))).bytes_current;
    drop(alone);
    (all, (held / count as i64 - transport) / 2)
}

/// A transport through which as much has gone as in a handshake and an exchange.
fn used_transport(runtime: &tokio::runtime::Runtime, len: usize) -> Pair<DuplexStream> {
    let mut pair = tokio::io::duplex(CAPACITY);
    runtime.block_on(send(&mut pair.0, &mut pair.1, len.max(CAPACITY)));
    runtime.block_on(send(&mut pair.1, &mut pair.0, len.max(CAPACITY)));
    pair
}

const CAPACITY: usize = 1000;

/// The ends of Keylane's connections, whole or split.
async fn keylane(
    Configs { client, server }: &Configs,
) -> io::Result<Pair<keylane_tls::tokio::TlsStream<DuplexStream>>> {
    let (a, b) = tokio::io::duplex(CAPACITY);
    let connect = TlsConnector::from(client.clone()).connect(server_name(), a);
    tokio::try_join!(connect, TlsAcceptor::from(server.clone()).accept(b))
}

/// An end is its stream, with its keys and all that it points to but the transport.
#[test]
fn an_idle_asynchronous_connection_holds_at_most_8_kib() {
    let _alone = alone();
    for version in [Version::Tls12, Version::Tls13] {
        let configs = configs(version);
        for len in [0, 1000, 50_000] {
            let (_, ours) = idle(100, len, async || keylane(&configs).await);
            println!("{version:?}, {len} bytes each way: {ours} bytes");
            assert!(ours <= 8 << 10, "{ours} bytes");
        }
        let halves = |stream: keylane_tls::tokio::TlsStream<DuplexStream>| {
            let (read, write) = stream.into_split();
            tokio::io::join(read, write)
        };
        let split = async || keylane(&configs).await.map(|(a, b)| (halves(a), halves(b)));
        let (_, split) = idle(100, 50_000, split);
        assert!(split <= 8 << 10, "{split} bytes in halves");
    }
}

/// Returns the memory of one session's prepared keys, each in a box.
fn keys_len(cipher: Cipher) -> usize {
    2 * match cipher {
        Cipher::Aes128Gcm => size_of::<Aes128Gcm>(),
        Cipher::Aes256Gcm => size_of::<Aes256Gcm>(),
        Cipher::ChaCha20Poly1305 => size_of::<ChaCha20Poly1305>(),
        other => panic!("no size of {other:?}"),
    }
}

/// The buffer is released at the end of the data, whatever the other direction does.
#[test]
fn a_direction_that_has_ended_holds_no_buffer() {
    let _alone = alone();
    let closed: fn(&mut Session, &mut Session) = |client, server| {
        client.sender.close();
        pass_pending(client, server);
    };
    let broken: fn(&mut Session, &mut Session) = |_, server| {
        server.receiver.space()[..5].copy_from_slice(&[23, 3, 3, 0xff, 0xff]);
        server.receiver.filled(5);
    };
    let cut: fn(&mut Session, &mut Session) = |_, server| {
        server.receiver.space();
        server.receiver.end_of_input();
    };
    for version in VERSIONS {
        for end in [closed, broken, cut] {
            let ended = |others: &mut Vec<Session>| {
                let (mut client, mut server) = sessions(version, CIPHERS[0], &Options::default());
                assert_eq!(server.receiver.process().unwrap(), Status::NeedsInput);
                end(&mut client, &mut server);
                assert_ne!(server.receiver.process(), Ok(Status::NeedsInput));
                others.push(server);
            };
            let mut others = Vec::with_capacity(200);
            ended(&mut others);
            let info = measure(|| (0..100).for_each(|_| ended(&mut others)));
            let limit = 100 * (512 + keys_len(CIPHERS[0]));
            assert!(info.bytes_current < limit as i64, "{version:?}: {info:?}");
        }
    }
}

/// A peer that never completes its ticket.
#[test]
fn a_message_without_an_end_is_held_up_to_64_kib() {
    let _alone = alone();
    let (mut client, _) = sessions(Version::Tls13, Cipher::Aes256Gcm, &Options::default());
    let keys = known_keys(Cipher::Aes256Gcm, Side::Server, 0);
    let mut sealer = RecordSealer::new(Version::Tls13, &keys, 0);
    let mut error = None;
    let info = measure(|| {
        for i in 0..100 {
            let mut text = [0; 1000];
            if i == 0 {
                text[..4].copy_from_slice(&[4, 0, 0xff, 0xff]);
            }
            let len = sealer
                .seal(keylane_tls::record::ContentType::Handshake, &[&text], client.receiver.space())
                .unwrap();
            client.receiver.filled(len);
            if let Err(ended) = client.receiver.process() {
                error = Some(ended);
                break;
            }
        }
    });
    assert!(matches!(error, Some(Error::Protocol { .. })), "{error:?}");
    let most = 92_185 + 3 * (64 << 10);
    assert!(info.bytes_max < most, "{info:?}");
}
