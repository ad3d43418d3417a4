//! A stream and a hostile peer, and checks of a failed connection.

use crate::raw::{DATA, Heard, Newcomer, Peer};
use crate::wire::Wire;
use keylane_tls::record::ContentType;
use keylane_tls::session::{Options, Side};
use keylane_tls::{Alert, ClientHandshake, Error, Handshake, ServerHandshake, TlsStream};
use keylane_tls_checks::certificates::{Configs, Credentials, server_name};
use keylane_tls_checks::terms::{Cipher, Key, Terms, Version};
use rustls::client::Resumption;
use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::sync::{Arc, LazyLock};

/// The terms of a connection, which end the stream is, and the number of bytes that it reads at once: a whole
/// buffer with AES-GCM, three bytes with ChaCha20-Poly1305.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    pub(crate) terms: Terms,
    pub(crate) live: Side,
}

static CREDENTIALS: LazyLock<Credentials> = LazyLock::new(|| Credentials::generate().unwrap());

static CONFIGS: LazyLock<Vec<(Terms, Configs)>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for version in [Version::Tls12, Version::Tls13] {
        for cipher in [Cipher::Aes128Gcm, Cipher::ChaCha20Poly1305] {
            let terms = Terms { version, cipher, key: Key::EcdsaP256 };
            let provider = rustls::crypto::ring::default_provider();
            all.push((terms, CREDENTIALS.configs(provider, &terms, false).unwrap()));
        }
    }
    all
});

/// Returns both versions in both roles, with a cipher with explicit nonces and one without.
pub(crate) fn all() -> impl Iterator<Item = Setup> {
    let terms = CONFIGS.iter().map(|(terms, _)| *terms);
    terms.flat_map(|terms| [Side::Client, Side::Server].map(|live| Setup { terms, live }))
}

pub(crate) fn tls12() -> impl Iterator<Item = Setup> {
    all().filter(|setup| setup.terms.version == Version::Tls12)
}

pub(crate) fn tls13() -> impl Iterator<Item = Setup> {
    all().filter(|setup| setup.terms.version == Version::Tls13)
}

pub(crate) fn clients(setup: &Setup) -> bool {
    setup.live == Side::Client
}

pub(crate) fn servers(setup: &Setup) -> bool {
    setup.live == Side::Server
}

pub(crate) struct Scene {
    pub(crate) live: TlsStream<Wire>,
    pub(crate) peer: Peer,
    pub(crate) wire: Wire,
    _context: Context,
}

/// Prints the scene in which a test failed.
struct Context(Setup);

impl Drop for Context {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("in the scene of {:?}", self.0);
        }
    }
}

impl Scene {
    pub(crate) fn new(setup: Setup) -> Self {
        Self::begin(setup, Options::default(), None, |_| vec![])
    }

    /// As [`begin`], with the records of `early` right after the peer's last flight, if that is the
    /// handshake's last.
    pub(crate) fn with_early(setup: Setup, early: impl FnOnce(&mut Peer) -> Vec<u8>) -> Self {
        Self::begin(setup, Options::default(), None, early)
    }

    pub(crate) fn with_options(setup: Setup, choose: impl FnOnce(&mut Options)) -> Self {
        let mut options = Options::default();
        choose(&mut options);
        Self::begin(setup, options, None, |_| vec![])
    }

    /// As [`begin`], with a store for tickets, if the stream is the client.
    pub(crate) fn with_tickets(setup: Setup, resumption: Resumption) -> Self {
        Self::begin(setup, Options::default(), Some(resumption), |_| vec![])
    }

    fn begin(
        setup: Setup,
        options: Options,
        resumption: Option<Resumption>,
        early: impl FnOnce(&mut Peer) -> Vec<u8>,
    ) -> Self {
        let (_, configs) = CONFIGS.iter().find(|(terms, _)| *terms == setup.terms).unwrap();
        let wire = Wire::default();
        let (live, peer) = match setup.live {
            Side::Client => {
                let mut config = configs.client.clone();
                if let Some(resumption) = resumption {
                    Arc::make_mut(&mut config).resumption = resumption;
                }
                let live = ClientHandshake::new(config, server_name()).unwrap();
                meet(live.with_options(options), Newcomer::server(configs, wire.clone()), &wire, early)
            }
            Side::Server => {
                let live = ServerHandshake::new(configs.server.clone()).unwrap();
                meet(live.with_options(options), Newcomer::client(configs, wire.clone()), &wire, early)
            }
        };
        if setup.terms.cipher == Cipher::ChaCha20Poly1305 {
            wire.state().segment = 3;
        }
        Self { live, peer, wire, _context: Context(setup) }
    }

    /// Lets the peer send what it makes.
    pub(crate) fn deliver(&mut self, make: impl FnOnce(&mut Peer) -> Vec<u8>) {
        let bytes = make(&mut self.peer);
        self.peer.send(&bytes);
    }

    /// Checks that the next read returns exactly `expected`, and writes nothing after it.
    #[track_caller]
    pub(crate) fn expect_data(&mut self, expected: &[u8]) {
        let mut buffer = vec![0xaa; 40_000];
        let len = self.live.read(&mut buffer).unwrap();
        assert_eq!(buffer[..len], *expected);
        assert!(buffer[len..].iter().all(|&byte| byte == 0xaa), "bytes after the data were written");
    }

    /// Checks that there is nothing to read and no error.
    #[track_caller]
    pub(crate) fn expect_nothing(&mut self) {
        let mut buffer = [0xaa; 100];
        assert_eq!(self.live.read(&mut buffer).unwrap_err().kind(), ErrorKind::WouldBlock);
        assert_eq!(buffer, [0xaa; 100]);
    }

    /// Checks that the peer has closed: every read returns 0, without reading the transport.
    #[track_caller]
    pub(crate) fn expect_end(&mut self) {
        assert_eq!(self.live.read(&mut [0; 100]).unwrap(), 0);
        assert!(self.live.peer_closed());
        let reads = self.wire.state().reads;
        assert_eq!(self.live.fill_buf().unwrap(), b"");
        assert_eq!(self.live.read(&mut [0; 100]).unwrap(), 0);
        assert_eq!(self.wire.state().reads, reads);
    }

    /// Checks that the next read and all others fail, without reading the transport, whatever arrives.
    /// Returns the error.
    #[track_caller]
    pub(crate) fn expect_failure(&mut self) -> (ErrorKind, Error) {
        let mut buffer = vec![0xaa; 40_000];
        let first = failure(self.live.read(&mut buffer));
        let reads = self.wire.state().reads;
        self.deliver(|peer| peer.record(DATA, b"late"));
        for _ in 0..2 {
            assert_eq!(failure(self.live.fill_buf().map(<[u8]>::len)), first);
            assert_eq!(failure(self.live.read(&mut buffer)), first);
        }
        assert_eq!(self.wire.state().reads, reads, "a failed connection read on");
        assert!(buffer.iter().all(|&byte| byte == 0xaa), "bytes of a failed connection");
        assert!(!self.live.peer_closed());
        first
    }

    /// Checks that writing fails, and that nothing is sent any more.
    #[track_caller]
    pub(crate) fn expect_mute(&mut self) {
        for _ in 0..2 {
            let (kind, error) = failure(self.live.write(b"unheard"));
            assert_eq!((kind, error), (ErrorKind::BrokenPipe, Error::Closed));
        }
        assert!(self.live.update_keys(true).is_err());
        self.live.flush().unwrap();
        self.live.close().unwrap();
        assert_eq!(self.peer.hear(), []);
        assert!(!self.peer.has_partial_record());
    }

    /// Checks that the stream ends the connection with this alert, completely.
    #[track_caller]
    pub(crate) fn expect_refusal(&mut self, alert: Alert) {
        let (kind, error) = self.expect_failure();
        assert_eq!(error.alert_sent(), Some(alert), "{error}");
        assert_eq!(kind, ErrorKind::InvalidData);
        assert_eq!(self.peer.hear(), [fatal(alert)]);
        self.expect_mute();
    }

    /// Checks that data passes both ways.
    #[track_caller]
    pub(crate) fn expect_alive(&mut self) {
        self.live.write_all(b"from the stream").unwrap();
        self.live.flush().unwrap();
        assert_eq!(self.peer.hear(), [data(b"from the stream")]);
        self.deliver(|peer| peer.record(DATA, b"from the peer"));
        self.expect_data(b"from the peer");
        self.expect_nothing();
    }
}

fn meet<Role>(
    mut live: Handshake<Role>,
    mut peer: Newcomer,
    wire: &Wire,
    early: impl FnOnce(&mut Peer) -> Vec<u8>,
) -> (TlsStream<Wire>, Peer) {
    let mut transport = wire.clone();
    while !peer.is_complete() {
        if let Err(error) = TlsStream::handshake(&mut live, &mut transport) {
            assert_eq!(error.kind(), ErrorKind::WouldBlock);
        }
        peer.shake_hands();
    }
    let mut peer = peer.take_over();
    let early = early(&mut peer);
    peer.send(&early);
    // If the last flight was the stream's own, this does nothing.
    TlsStream::handshake(&mut live, &mut transport).unwrap();
    (TlsStream::from_handshake(live, transport).unwrap(), peer)
}

/// Returns the error of a call in a form that can be compared.
#[track_caller]
pub(crate) fn failure(result: io::Result<usize>) -> (ErrorKind, Error) {
    let error = result.unwrap_err();
    (error.kind(), Error::of(&error).unwrap_or_else(|| panic!("the transport's own {error}")).clone())
}

/// Returns a fatal alert as a peer receives it.
pub(crate) fn fatal(alert: Alert) -> Heard {
    (ContentType::Alert, vec![2, alert.0])
}

pub(crate) fn warning(alert: Alert) -> Heard {
    (ContentType::Alert, vec![1, alert.0])
}

pub(crate) fn data(bytes: &[u8]) -> Heard {
    (ContentType::ApplicationData, bytes.to_vec())
}

pub(crate) fn key_update(request: u8) -> Heard {
    (ContentType::Handshake, vec![24, 0, 0, 1, request])
}

/// Lets the peer send some data and then the records of `bad`. Checks that the data arrives, and that the
/// rest ends the connection with `alert`.
#[track_caller]
pub(crate) fn refuses(setup: Setup, alert: Alert, bad: impl Fn(&mut Peer) -> Vec<u8>) {
    let mut scene = Scene::new(setup);
    scene.deliver(|peer| [peer.record(DATA, b"before"), bad(peer)].concat());
    scene.expect_data(b"before");
    scene.expect_refusal(alert);
}

/// Lets the peer send the records of `good`. Checks that they contain no data and cause no error.
#[track_caller]
pub(crate) fn ignores(setup: Setup, good: impl Fn(&mut Peer) -> Vec<u8>) {
    let mut scene = Scene::new(setup);
    scene.deliver(&good);
    scene.expect_nothing();
    assert_eq!(scene.peer.hear(), []);
    scene.expect_alive();
}

/// Lets the peer send the records of `good`. Checks that their data is `expected`, in one or more reads.
#[track_caller]
pub(crate) fn receives(setup: Setup, expected: &[u8], good: impl Fn(&mut Peer) -> Vec<u8>) {
    let mut scene = Scene::new(setup);
    scene.deliver(&good);
    let mut received = vec![0; expected.len()];
    scene.live.read_exact(&mut received).unwrap();
    assert!(received == expected);
    scene.expect_nothing();
    scene.expect_alive();
}
