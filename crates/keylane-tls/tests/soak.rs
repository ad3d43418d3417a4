//! Many TCP connections that transfer data, renew keys, stall, break and close; each one's end is checked.
//!
//! `KEYLANE_SOAK_SECONDS`, `KEYLANE_SOAK_CONNECTIONS` (at a time) and `KEYLANE_SOAK_RATE` (new connections
//! per second) make it longer than the few seconds of a normal test. `.ci/long` also limits its memory.

use keylane_contracts::Random;
use keylane_tls::tokio::{LazyConfigAcceptor, TlsAcceptor, TlsConnector, TlsStream};
use keylane_tls::{Acceptor, ClientHandshake, EarlyData, Error};
use keylane_tls_checks::certificates::{Configs, Credentials, server_name};
use keylane_tls_checks::terms::{Cipher, Key, Terms, Version};
use rustls::client::Resumption;
use rustls::pki_types::ServerName;
use rustls::server::ServerSessionMemoryCache;
use rustls::{ClientConfig, ServerConfig};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

type Stream = TlsStream<TcpStream>;

/// A connection's plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Plan {
    /// Sends messages and waits for their echo, with pauses.
    Talk,
    /// The same, both ends export the same keying material, and both renew their keys.
    Renew,
    /// The client begins with early data, and the server chooses its configuration by the client's message.
    Early,
    /// Both ends send and receive at the same time.
    Flood,
    /// The client leaves without `close_notify`.
    Truncate,
    /// The client sends a forged record.
    Forge,
    /// The client falls silent, and the server gives up.
    Stall,
    /// The client does not speak TLS.
    PlainText,
    /// The client expects another certificate.
    WrongName,
    /// The client leaves before the handshake.
    Leave,
    /// The client never begins the handshake.
    Silent,
}

use Plan::{Early, Flood, Forge, Leave, PlainText, Renew, Silent, Stall, Talk, Truncate, WrongName};

const OTHERS: [Plan; 10] = [Renew, Early, Flood, Truncate, Forge, Stall, PlainText, WrongName, Leave, Silent];

impl Plan {
    /// Half of the connections talk.
    fn random(random: &mut Random) -> Self {
        if random.below(2) == 0 { Talk } else { OTHERS[random.below(OTHERS.len())] }
    }

    /// How the client and the server may see it end. `left` is the client's own decision. A socket that is
    /// closed with unread bytes resets the connection.
    fn ends(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Talk | Renew | Flood => (&["closed"], &["closed"]),
            Early => (&["closed", "closed after early data"], &["closed"]),
            Truncate => (&["left"], &["truncated", "reset"]),
            Forge => (&["alert received"], &["alert sent"]),
            Stall => (&["truncated"], &["timeout"]),
            PlainText => (&["left"], &["handshake refused"]),
            WrongName => (&["handshake refused"], &["alert received", "reset"]),
            Leave => (&["left"], &["truncated", "reset"]),
            Silent => (&["left"], &["timeout"]),
        }
    }
}

/// Names how a connection ended.
fn end(result: &io::Result<&'static str>) -> &'static str {
    let error = match result {
        Ok(end) => return end,
        Err(error) => error,
    };
    match (Error::of(error), error.kind()) {
        (Some(Error::Truncated), _) => "truncated",
        (Some(Error::AlertReceived(_)), _) => "alert received",
        (Some(Error::Handshake(_)), _) => "handshake refused",
        (Some(error), _) if error.alert_sent().is_some() => "alert sent",
        (None, ErrorKind::TimedOut) => "timeout",
        (None, ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => "reset",
        _ => "unexpected",
    }
}

/// The state that all connections share.
struct Scene {
    /// For TLS 1.2 and 1.3.
    ends: [(TlsConnector, TlsAcceptor); 2],
    /// For early data.
    early: (Arc<ClientConfig>, Arc<ServerConfig>),
    /// Locked by whoever makes a connection, so that both ends are the same one's.
    listener: Mutex<TcpListener>,
    /// How long a connection lasts.
    lifetime: Duration,
}

impl Scene {
    async fn connect(&self) -> io::Result<(TcpStream, TcpStream)> {
        let listener = self.listener.lock().await;
        let (client, server) =
            tokio::try_join!(TcpStream::connect(listener.local_addr()?), listener.accept())?;
        client.set_nodelay(true)?;
        Ok((client, server.0))
    }

    /// Waits for a part of a connection's life.
    async fn pause(&self, random: &mut Random) {
        sleep(self.lifetime.mul_f64(random.below(100) as f64 / 200.0)).await;
    }

    /// The client's part. Returns how it ended on purpose.
    async fn client(
        &self,
        plan: Plan,
        version: usize,
        socket: TcpStream,
        seed: u64,
    ) -> io::Result<&'static str> {
        let random = &mut Random::new(seed);
        let mut socket = socket;
        self.pause(random).await;
        match plan {
            PlainText => {
                socket.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await?;
                // An alert, and the end.
                return socket.read_to_end(&mut Vec::new()).await.map(|_| "left");
            }
            Leave => return Ok("left"),
            Silent => return socket.read_to_end(&mut Vec::new()).await.map(|_| "left"),
            _ => {}
        }
        let name =
            if plan == WrongName { ServerName::try_from("example.org").unwrap() } else { server_name() };
        if plan == Early {
            return self.early(socket, random).await;
        }
        let mut stream = self.ends[version].0.connect(name, socket).await?;
        if plan == Renew {
            let mut material = [0; 32];
            stream.read_exact(&mut material).await?;
            assert_eq!(material, exported(&stream)?, "the ends export different material");
        }
        if plan == Flood {
            return self.flood(stream, random).await;
        }
        for _ in 0..4 {
            if plan == Renew && version == 1 {
                stream.update_keys(random.below(2) == 0)?;
            }
            talk(&mut stream, random).await?;
            self.pause(random).await;
        }
        match plan {
            Truncate => return Ok("left"),
            Forge => stream.get_mut().write_all(&[&[23, 3, 3, 0, 40][..], &[0; 40]].concat()).await?,
            Stall => {}
            _ => stream.shutdown().await?,
        }
        finish(&mut stream).await
    }

    /// Begins with a message, and sends it again if the server has not read it; checks its echo.
    async fn early(&self, socket: TcpStream, random: &mut Random) -> io::Result<&'static str> {
        let sent = message(random, 5000);
        let mut handshake = ClientHandshake::new(self.early.0.clone(), server_name())?;
        let early = handshake.write_early_data(&sent)?;
        let mut stream = Stream::complete(handshake, socket).await?;
        let accepted = stream.info().early_data() == EarlyData::Accepted;
        stream.write_all(&sent[if accepted { early } else { 0 }..]).await?;
        stream.flush().await?;
        let mut received = vec![0; sent.len()];
        stream.read_exact(&mut received).await?;
        assert!(received == sent, "an echo differs");
        stream.shutdown().await?;
        let end = finish(&mut stream).await?;
        Ok(if accepted && end == "closed" { "closed after early data" } else { end })
    }

    /// Sends a lot and checks its echo at the same time; sometimes it does not read for a while.
    async fn flood(&self, stream: Stream, random: &mut Random) -> io::Result<&'static str> {
        let (mut reader, mut writer) = stream.into_split();
        let sent = message(random, 300_000);
        let sending = async {
            for part in sent.chunks(30_000) {
                writer.write_all(part).await?;
            }
            writer.shutdown().await
        };
        let receiving = async {
            self.pause(random).await;
            let mut received = Vec::new();
            reader.read_to_end(&mut received).await?;
            Ok::<_, io::Error>(received)
        };
        let ((), received) = tokio::try_join!(sending, receiving)?;
        assert!(received == sent, "an echo differs");
        Ok("closed")
    }

    /// The server's part: it sends back what comes.
    async fn server(&self, plan: Plan, version: usize, socket: TcpStream) -> io::Result<&'static str> {
        let patience = if plan == Silent { self.lifetime } else { STUCK };
        let accepting = async {
            if plan == Early {
                let accepted = LazyConfigAcceptor::new(Acceptor::default(), socket).await?;
                return accepted.into_stream(self.early.1.clone()).await;
            }
            self.ends[version].1.accept(socket).await
        };
        let mut stream = timeout(patience, accepting).await??;
        let first = match plan {
            Early => stream.info().received_early_data().to_vec(),
            Renew => exported(&stream)?.to_vec(),
            _ => Vec::new(),
        };
        stream.write_all(&first).await?;
        stream.flush().await?;
        if plan == Flood {
            let (mut reader, mut writer) = stream.into_split();
            tokio::io::copy_buf(&mut reader, &mut writer).await?;
            writer.shutdown().await?;
            return Ok("closed");
        }
        let patience = if plan == Stall { self.lifetime } else { STUCK };
        let mut buffer = vec![0; 4096];
        loop {
            let len = timeout(patience, stream.read(&mut buffer)).await??;
            if len == 0 {
                stream.shutdown().await?;
                return Ok("closed");
            }
            if plan == Renew && version == 1 {
                stream.update_keys(len % 2 == 0)?;
            }
            stream.write_all(&buffer[..len]).await?;
            stream.flush().await?;
        }
    }
}

fn exported(stream: &Stream) -> Result<[u8; 32], Error> {
    stream.info().export_keying_material([0; 32], b"EXPORTER-soak", None)
}

fn message(random: &mut Random, most: usize) -> Vec<u8> {
    let (len, first) = (1 + random.below(most), random.next());
    (0..len as u64).map(|i| (first.wrapping_add(i * 31) >> 3) as u8).collect()
}

/// Sends a message and checks its echo.
async fn talk(stream: &mut Stream, random: &mut Random) -> io::Result<()> {
    let most = if random.below(4) == 0 { 40_000 } else { 1000 };
    let sent = message(random, most);
    let (mut reader, mut writer) = tokio::io::split(stream);
    let sending = async {
        writer.write_all(&sent).await?;
        writer.flush().await
    };
    let mut received = vec![0; sent.len()];
    tokio::try_join!(sending, reader.read_exact(&mut received))?;
    assert!(received == sent, "an echo differs");
    Ok(())
}

/// Expects no more data.
async fn finish(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> io::Result<&'static str> {
    match stream.read(&mut [0]).await? {
        0 => Ok("closed"),
        _ => Ok("unexpected data"),
    }
}

/// After this long, a connection is stuck.
const STUCK: Duration = Duration::from_secs(300);

fn number(variable: &str, default: u32) -> u32 {
    std::env::var(variable).map_or(default, |value| value.parse().expect(variable))
}

/// Returns the memory of this process in KiB: now, and at its highest.
#[cfg(target_os = "linux")]
fn resident() -> [usize; 2] {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    ["VmRSS:", "VmHWM:"].map(|name| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    })
}

#[cfg(not(target_os = "linux"))]
fn resident() -> [usize; 2] {
    [0; 2]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_connection_ends_as_planned() {
    let seconds = number("KEYLANE_SOAK_SECONDS", 3);
    let connections = number("KEYLANE_SOAK_CONNECTIONS", 50);
    let rate = number("KEYLANE_SOAK_RATE", 100);
    let credentials = Credentials::generate().unwrap();
    let ends = [Version::Tls12, Version::Tls13].map(|version| {
        let terms = Terms { version, cipher: Cipher::Aes128Gcm, key: Key::EcdsaP256 };
        let configs = credentials.configs(keylane_tls::provider(), &terms, true).unwrap();
        (TlsConnector::from(configs.client), TlsAcceptor::from(configs.server))
    });
    let terms = Terms { version: Version::Tls13, cipher: Cipher::Aes256Gcm, key: Key::EcdsaP256 };
    let mut configs = credentials.configs(keylane_tls::provider(), &terms, false).unwrap();
    Arc::make_mut(&mut configs.client).resumption = Resumption::in_memory_sessions(8);
    let server = Arc::make_mut(&mut configs.server);
    server.session_storage = ServerSessionMemoryCache::new(256);
    server.send_tls13_tickets = 2;
    let Configs { client, server } = configs.with_early_data(4096);
    let scene = Arc::new(Scene {
        ends,
        early: (client, server),
        listener: Mutex::new(TcpListener::bind("127.0.0.1:0").await.unwrap()),
        lifetime: Duration::from_secs(1) * connections / rate,
    });
    let (begin, time) = (Instant::now(), Duration::from_secs(seconds.into()));
    let mut workers = JoinSet::new();
    for worker in 0..connections {
        let scene = scene.clone();
        workers.spawn(async move {
            let mut random = Random::new(worker.into());
            let mut counts = BTreeMap::<_, usize>::new();
            sleep(scene.lifetime * worker / connections).await;
            while begin.elapsed() < time {
                let (plan, version) = (Plan::random(&mut random), random.below(2));
                let (client, server) = scene.connect().await.expect("a socket: see `ulimit -n`");
                let (ours, seed) = (scene.clone(), random.next());
                let server = tokio::spawn(async move { ours.server(plan, version, server).await });
                let client = timeout(STUCK, scene.client(plan, version, client, seed)).await;
                let server = timeout(STUCK, server).await;
                let client = client.unwrap_or_else(|_| panic!("{plan:?}: the client is stuck"));
                let server = server.unwrap_or_else(|_| panic!("{plan:?}: the server is stuck")).unwrap();
                let seen = (end(&client), end(&server));
                let (of_client, of_server) = plan.ends();
                assert!(
                    of_client.contains(&seen.0) && of_server.contains(&seen.1),
                    "{plan:?} over {version}: the client saw {client:?}, the server {server:?}"
                );
                *counts.entry((plan, seen)).or_default() += 1;
            }
            counts
        });
    }
    // The highest in each quarter of the time.
    let mut memory = [0; 4];
    for moment in 0..40 {
        sleep((time * (moment + 1) / 40).saturating_sub(begin.elapsed())).await;
        let quarter = &mut memory[moment as usize / 10];
        *quarter = resident()[0].max(*quarter);
    }
    let mut counts = BTreeMap::new();
    while let Some(worker) = workers.join_next().await {
        for (end, count) in worker.unwrap() {
            *counts.entry(end).or_insert(0) += count;
        }
    }
    let total: usize = counts.values().sum();
    println!(
        "{total} connections in {:?}; KiB by quarter: {memory:?}, most: {}",
        begin.elapsed(),
        resident()[1]
    );
    for ((plan, (client, server)), count) in &counts {
        println!("{plan:?}: client {client}, server {server}: {count}");
    }
    let plans: Vec<_> = counts.keys().map(|(plan, _)| *plan).collect();
    assert!(plans.contains(&Talk), "{plans:?}");
    if seconds >= 60 {
        assert!(memory[3] <= memory[1] + memory[1] / 5 + 4096, "memory grows: {memory:?} KiB");
        assert!(OTHERS.iter().all(|plan| plans.contains(plan)), "{plans:?}");
    }
}
