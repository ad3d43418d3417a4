//! The blocking stream, with itself and with rustls' stream at the other end.

mod halves;

use keylane_tls::TlsStream;
use keylane_tls::session::Options;
use keylane_tls_checks::certificates::{Configs, Credentials, server_name};
use keylane_tls_checks::memory::{End, duplex};
use keylane_tls_checks::terms::{CIPHERS, Cipher, Key, Terms, Version};
use rustls::crypto::CryptoProvider;
use rustls::{ServerConnection, StreamOwned};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

fn all_terms() -> Vec<Terms> {
    let mut terms = Vec::new();
    for version in [Version::Tls12, Version::Tls13] {
        for cipher in CIPHERS {
            terms.push(Terms { version, cipher, key: Key::EcdsaP256 });
        }
    }
    terms
}

fn configs(terms: &Terms) -> Configs {
    configs_of(rustls::crypto::ring::default_provider(), terms)
}

fn configs_of(provider: CryptoProvider, terms: &Terms) -> Configs {
    Credentials::generate().unwrap().configs(provider, terms, false).unwrap()
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 31 + i / 251) as u8).collect()
}

#[test]
fn rustls_understands_the_stream_and_the_stream_rustls() {
    let providers = [rustls::crypto::ring::default_provider(), keylane_tls::provider()];
    for (terms, provider) in all_terms().into_iter().flat_map(|terms| providers.clone().map(|it| (terms, it)))
    {
        let Configs { client, server } = configs_of(provider, &terms);
        let (a, b) = duplex();
        let echo = thread::spawn(move || {
            echo_by_rustls(StreamOwned::new(ServerConnection::new(server).unwrap(), b))
        });
        let mut stream = TlsStream::connect(client.clone(), server_name(), a).unwrap();
        let sent = bytes(100_003);
        stream.write_all(&sent).unwrap();
        let mut received = vec![0; sent.len()];
        stream.read_exact(&mut received).unwrap();
        assert!(received == sent, "{terms:?}");
        stream.close().unwrap();
        assert_eq!(stream.read(&mut received).unwrap(), 0);
        echo.join().unwrap();
    }
}

fn echo_by_rustls(mut stream: StreamOwned<ServerConnection, End>) {
    let mut buffer = vec![0; 5000];
    loop {
        let len = stream.read(&mut buffer).unwrap();
        if len == 0 {
            break;
        }
        stream.write_all(&buffer[..len]).unwrap();
    }
    stream.conn.send_close_notify();
    stream.flush().unwrap();
}

/// A timeout of the socket is returned to the caller, and the next call continues.
#[test]
fn a_timeout_of_the_socket_breaks_nothing() {
    for terms in all_terms().into_iter().filter(|terms| terms.cipher == Cipher::Aes128Gcm) {
        let Configs { client, server } = configs(&terms);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (go, wait) = mpsc::channel();
        // More than a socket buffers for a peer that does not read.
        let total = 32 << 20;
        let peer = thread::spawn(move || {
            let mut stream = TlsStream::accept(server, listener.accept().unwrap().0).unwrap();
            // Reads only when the other end has had both timeouts.
            wait.recv().unwrap();
            stream.write_all(b"late").unwrap();
            let mut received = Vec::new();
            stream.read_to_end(&mut received).unwrap();
            received
        });
        let socket = TcpStream::connect(address).unwrap();
        let mut stream = TlsStream::connect(client, server_name(), socket).unwrap();
        let timeout = Some(Duration::from_millis(10));
        stream.get_ref().set_read_timeout(timeout).unwrap();
        stream.get_ref().set_write_timeout(timeout).unwrap();
        let temporary =
            |error: &io::Error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        assert!(temporary(&stream.read(&mut [0; 10]).unwrap_err()));

        let sent = bytes(total);
        let (mut written, mut timeouts) = (0, 0);
        let mut late = Vec::new();
        while written < total {
            match stream.write(&sent[written..]) {
                Ok(len) => written += len,
                Err(error) if temporary(&error) => {
                    timeouts += 1;
                    go.send(()).unwrap();
                }
                Err(error) => panic!("{error}"),
            }
        }
        assert!(timeouts > 0, "the socket took {total} bytes that the peer did not read");
        while late.len() < 4 {
            let mut buffer = [0; 10];
            match stream.read(&mut buffer) {
                Ok(len) => late.extend_from_slice(&buffer[..len]),
                Err(error) => assert!(temporary(&error), "{error}"),
            }
        }
        while let Err(error) = stream.close() {
            assert!(temporary(&error), "{error}");
        }
        assert_eq!(late, b"late");
        assert!(peer.join().unwrap() == sent, "{terms:?}");
    }
}

/// A transport that keeps what is written until it is flushed.
#[derive(Clone)]
struct Buffered {
    end: Arc<Mutex<BufWriter<End>>>,
    /// Whether flushing returns `WouldBlock`.
    full: Arc<AtomicBool>,
}

impl Buffered {
    fn new(end: End) -> Self {
        Self { end: Arc::new(Mutex::new(BufWriter::new(end))), full: Arc::default() }
    }
}

impl Read for Buffered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.end.lock().unwrap().get_mut().read(buffer)
    }
}

impl Write for Buffered {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.end.lock().unwrap().write(data)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.full.load(SeqCst) {
            return Err(ErrorKind::WouldBlock.into());
        }
        self.end.lock().unwrap().flush()
    }
}

#[test]
fn closing_flushes_the_transport() {
    let Configs { client, server } = configs(&all_terms()[0]);
    let (a, b) = duplex();
    let peer = thread::spawn(move || TlsStream::accept(server, b).unwrap());
    let mut us = TlsStream::connect(client, server_name(), Buffered::new(a)).unwrap();
    let mut peer = peer.join().unwrap();
    us.close().unwrap();
    peer.get_mut().blocking = false;
    assert_eq!(peer.read(&mut [0]).unwrap(), 0);
}

/// The transport has taken all of a reply, and could not flush it. Nor can it when the stream is split.
#[test]
fn later_reads_flush_a_reply() {
    let terms = Terms { version: Version::Tls13, cipher: Cipher::Aes128Gcm, key: Key::EcdsaP256 };
    for split in [false, true] {
        let Configs { client, server } = configs(&terms);
        let (a, b) = duplex();
        let peer = thread::spawn(move || TlsStream::accept(server, b).unwrap());
        let buffered = Buffered::new(a);
        let mut us = TlsStream::connect(client, server_name(), buffered.clone()).unwrap();
        let mut peer = peer.join().unwrap();
        peer.update_keys(true).unwrap();
        peer.flush().unwrap();
        buffered.end.lock().unwrap().get_mut().blocking = false;
        peer.get_mut().blocking = false;

        buffered.full.store(true, SeqCst);
        assert_eq!(us.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
        if split {
            let (mut reader, writer) = us.into_split(buffered.clone());
            assert_eq!(reader.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
            us = reader.unsplit(writer);
        }
        assert_eq!(peer.get_mut().read(&mut [0; 100]).unwrap_err().kind(), ErrorKind::WouldBlock);
        buffered.full.store(false, SeqCst);
        assert_eq!(us.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
        assert_eq!(peer.get_mut().read(&mut [0; 100]).unwrap(), 5 + 5 + 1 + 16);
    }
}

/// With options, and a caller that continues with the parts.
#[test]
fn a_stream_with_options_can_be_taken_apart() {
    for terms in all_terms() {
        let Configs { client, server } = configs(&terms);
        let (a, b) = duplex();
        let mut options = Options::default();
        (options.max_fragment_len, options.allow_truncation) = (4, true);
        let peer = thread::spawn(move || {
            let mut stream = TlsStream::accept_with(server, b, options).unwrap();
            let mut received = Vec::new();
            stream.read_to_end(&mut received).unwrap();
            received
        });
        let stream = TlsStream::connect_with(client, server_name(), a, options).unwrap();
        let (mut transport, mut session) = stream.into_parts();
        assert_eq!(session.sender.write(&[io::IoSlice::new(b"by hand")]).unwrap(), 7);
        // In two records, and the server takes the transport's end for the text's.
        assert!(session.sender.pending().len() >= 7 + 2 * 21);
        transport.write_all(session.sender.pending()).unwrap();
        drop(transport);
        assert_eq!(peer.join().unwrap(), b"by hand");
    }
}
