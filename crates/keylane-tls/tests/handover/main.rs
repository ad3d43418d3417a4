//! Handshakes, and the hand-over from rustls to a session.

mod choosing;
mod early;
mod exporting;
mod failures;
mod hazards;
mod outcomes;
mod refusals;
#[path = "../support/mod.rs"]
mod support;

use keylane_tls::{ClientHandshake, Error, Handshake, Progress, ServerHandshake, TlsStream};
use keylane_tls_checks::certificates::{Configs, Credentials, server_name};
use keylane_tls_checks::terms::{Cipher, Key, Terms, Version};
use std::io::{self, Read, Write};
use std::sync::LazyLock;
use support::{End, Manner, duplex, persist, shake_hands};

static CREDENTIALS: LazyLock<Credentials> = LazyLock::new(|| Credentials::generate().unwrap());

const VERSIONS: [Version; 2] = [Version::Tls12, Version::Tls13];
const MANNERS: [fn() -> Manner; 2] = [|| Manner::Whole, Manner::halting];

/// With Keylane's provider, which tells streams what it derives; other tests of streams have ring's.
fn configs(version: Version, resume: bool) -> Configs {
    let terms = Terms { version, cipher: Cipher::Aes128Gcm, key: Key::EcdsaP256 };
    CREDENTIALS.configs(keylane_tls::provider(), &terms, resume).unwrap()
}

type Outcome = io::Result<TlsStream<End>>;

/// Returns the outcomes of a client and a server.
fn connect(configs: &Configs, manner: fn() -> Manner) -> (Outcome, Outcome) {
    let (a, b) = duplex(manner(), manner());
    let client = ClientHandshake::new(configs.client.clone(), server_name()).unwrap();
    let server = ServerHandshake::new(configs.server.clone()).unwrap();
    shake_hands((client, a), (server, b))
}

/// Returns both streams, after data was sent both ways, so that tickets have arrived.
fn connected(configs: &Configs, manner: fn() -> Manner) -> (TlsStream<End>, TlsStream<End>) {
    let (client, server) = connect(configs, manner);
    let (mut client, mut server) = (client.unwrap(), server.unwrap());
    send(&mut client, &mut server, b"there");
    send(&mut server, &mut client, b"and back");
    (client, server)
}

fn send(from: &mut TlsStream<End>, to: &mut TlsStream<End>, data: &[u8]) {
    assert_eq!(persist(|| from.write(data)).unwrap(), data.len());
    persist(|| from.flush()).unwrap();
    let mut received = vec![0; data.len()];
    let mut len = 0;
    while len < received.len() {
        len += persist(|| to.read(&mut received[len..])).unwrap();
    }
    assert_eq!(received, data);
}

/// Gives bytes to a handshake, in pieces.
fn feed<Role>(handshake: &mut Handshake<Role>, bytes: &[u8]) -> Result<Progress, Error> {
    let mut progress = handshake.process();
    for chunk in bytes.chunks(1000) {
        handshake.space()[..chunk.len()].copy_from_slice(chunk);
        handshake.filled(chunk.len());
        progress = handshake.process();
    }
    progress
}

/// Takes what is pending.
fn take<Role>(handshake: &mut Handshake<Role>) -> Vec<u8> {
    let pending = handshake.pending().to_vec();
    handshake.sent(pending.len());
    pending
}
