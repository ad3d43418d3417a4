//! The blocking stream against itself and against rustls' own.

use keylane_tls::TlsStream;
use keylane_tls_testkit::certificates::{Configs, Credentials, server_name};
use keylane_tls_testkit::memory::{End, duplex};
use keylane_tls_testkit::terms::{Aead, Key, Terms, Version};
use rustls::{ServerConnection, StreamOwned};
use std::io::{BufRead, Read, Write};
use std::thread;

fn all_terms() -> Vec<Terms> {
    let mut terms = Vec::new();
    for version in [Version::Tls12, Version::Tls13] {
        for aead in [Aead::Aes128Gcm, Aead::Aes256Gcm, Aead::ChaCha20Poly1305] {
            terms.push(Terms { version, aead, key: Key::EcdsaP256 });
        }
    }
    terms
}

fn configs(terms: &Terms) -> Configs {
    let credentials = Credentials::generate().unwrap();
    credentials.configs(rustls::crypto::ring::default_provider(), terms, false).unwrap()
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 31 + i / 251) as u8).collect()
}

#[test]
fn data_goes_both_ways_between_two_streams() {
    for terms in all_terms() {
        let Configs { client, server } = configs(&terms);
        let (a, b) = duplex();
        let echo = thread::spawn(move || {
            let mut stream = TlsStream::accept(server, b).unwrap();
            let mut received = Vec::new();
            loop {
                let data = stream.fill_buf().unwrap();
                if data.is_empty() {
                    break;
                }
                let len = data.len();
                received.extend_from_slice(data);
                stream.consume(len);
            }
            assert!(stream.peer_closed());
            stream.write_all(&received).unwrap();
            stream.close().unwrap();
        });
        let mut stream = TlsStream::connect(client, server_name(), a).unwrap();
        let sent = bytes(1_000_003);
        stream.write_all(&sent).unwrap();
        stream.close().unwrap();
        let mut received = Vec::new();
        stream.read_to_end(&mut received).unwrap();
        assert!(received == sent, "{terms:?}");
        echo.join().unwrap();
    }
}

#[test]
fn rustls_understands_the_stream_and_the_stream_rustls() {
    for terms in all_terms() {
        let Configs { client, server } = configs(&terms);
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
