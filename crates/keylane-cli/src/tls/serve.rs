//! `keylane tls serve`

use super::folder::Folder;
use super::http;
use super::identity::Identity;
use super::problem::{explain, explain_handshake};
use super::protocol::{Protocol, describe};
use crate::status::{Failure, Outcome, Status, complain, reason};
use clap::{ArgGroup, Args};
use keylane_tls::Options;
use keylane_tls::tokio::TlsStream;
use rustls::ServerConfig;
use rustls::crypto::ring::Ticketer;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

/// For the peer to finish the handshake.
const HANDSHAKE: Duration = Duration::from_secs(30);
/// For the peer to take our close_notify and to answer it.
const CLOSING: Duration = Duration::from_secs(10);
/// The peer has sent close_notify.
const CLOSED: &str = "closed";
const ECHO_BUFFER: usize = 32 << 10;

/// Serve a folder over HTTPS, or echo what clients send
#[derive(Args, Debug)]
#[command(
    long_about = "Serve a folder over HTTPS, or echo what clients send, for many clients at once.\n\n\
        GET and HEAD return the folder's files; `/` at the end of a path means index.html. Nothing outside \
        the folder is served, not even through symbolic links. When a connection has ended, a line tells who \
        it was, the version and the cipher suite, and how it ended. Ctrl-C closes the connections and ends \
        the command; pressed again, it does not wait for the peers.\n\n\
        A client has 30 seconds for the handshake, and then --idle-timeout to send something, to send the \
        whole head of a request, or to take something.",
    after_help = "Example: keylane tls serve --self-signed --write-cert cert.pem --folder ."
)]
#[command(group(ArgGroup::new("service").required(true).args(["echo", "folder"])))]
pub(crate) struct Serve {
    /// Where to listen; with port 0 the system chooses a port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:4433")]
    listen: String,
    #[command(flatten)]
    identity: Identity,
    /// Echo what clients send
    #[arg(long)]
    echo: bool,
    /// Serve the files of this folder
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Close a connection whose client sends nothing, or takes nothing, for this long
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    idle_timeout: u32,
    /// Serve this many connections at a time, those that have not finished their handshake included; other
    /// clients wait
    #[arg(long, value_name = "NUMBER", default_value_t = 500)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    max_connections: u32,
    #[command(flatten)]
    protocol: Protocol,
    /// Print nothing about connections
    #[arg(long)]
    quiet: bool,
}

/// What every connection needs.
struct Server {
    config: Arc<ServerConfig>,
    options: Options,
    service: Service,
    idle_timeout: Duration,
}

/// A socket whose reads and writes fail when nothing moves for too long.
type Socket = Pin<Box<TimeoutStream<TcpStream>>>;

enum Service {
    Echo,
    Folder(Folder),
}

impl Serve {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        let service = match &self.folder {
            Some(path) => {
                Folder::open(path).map(Service::Folder).map_err(|error| Failure::file(path, &error))?
            }
            None => Service::Echo,
        };
        let config = Arc::new(self.config(&service)?);
        let idle_timeout = Duration::from_secs(self.idle_timeout.into());
        let server = Server { config, options: self.protocol.options(), service, idle_timeout };
        super::runtime()?.block_on(self.serve(Arc::new(server), out))
    }

    fn config(&self, service: &Service) -> Result<ServerConfig, Failure> {
        let builder = ServerConfig::builder_with_provider(self.protocol.provider())
            .with_protocol_versions(self.protocol.versions())
            .map_err(|error| self.protocol.unusable(&error))?;
        let (chain, key) = self.identity.load()?;
        let config = builder.with_no_client_auth().with_single_cert(chain, key);
        let mut config = config.map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => Failure::input(format_args!(
                "{}: the key does not belong to the certificate",
                self.identity.place()
            )),
            error => Failure::input(format_args!("{}: {error}", self.identity.place())),
        })?;
        // Sessions of TLS 1.2 resume by tickets too, which some clients need.
        config.ticketer = Ticketer::new()
            .map_err(|error| Failure::input(format_args!("no key for session tickets: {error}")))?;
        if matches!(service, Service::Folder(_)) {
            config.alpn_protocols = vec![b"http/1.1".to_vec()];
        }
        Ok(config)
    }

    async fn serve(&self, server: Arc<Server>, out: &mut dyn Write) -> Outcome {
        let cannot_listen = |error| Failure::input(format_args!("{}: {}", self.listen, reason(&error)));
        let listener = TcpListener::bind(&self.listen).await.map_err(cannot_listen)?;
        writeln!(out, "listening on {}", listener.local_addr().map_err(cannot_listen)?)?;
        out.flush()?;
        let (stop, stopped) = watch::channel(());
        let mut connections = JoinSet::new();
        let most = self.max_connections as usize;
        // One for all rounds: a signal that comes between two would be lost.
        let mut interrupted = pin!(tokio::signal::ctrl_c());
        loop {
            tokio::select! {
                // Those that are not accepted wait in the system's queue.
                accepted = listener.accept(), if connections.len() < most => match accepted {
                    Ok((socket, peer)) => {
                        let (server, stopped) = (server.clone(), stopped.clone());
                        connections.spawn(async move { (peer, server.connection(socket, stopped).await) });
                    }
                    // Too many open files, say. Connections that end make room.
                    Err(error) => {
                        complain(format_args!("{}: {}", self.listen, reason(&error)));
                        sleep(Duration::from_millis(100)).await;
                    }
                },
                // An error is a connection that panicked.
                Some(ended) = connections.join_next() => if let Ok(ended) = ended {
                    self.tell(out, ended)?;
                },
                done = &mut interrupted => {
                    done.map_err(Failure::input)?;
                    break;
                }
            }
        }
        drop((listener, stop));
        // Peers may be slow to close. A second interrupt ends the wait.
        let mut interrupted = pin!(tokio::signal::ctrl_c());
        loop {
            tokio::select! {
                ended = connections.join_next() => match ended {
                    Some(Ok(ended)) => self.tell(out, ended)?,
                    Some(Err(_)) => {}
                    None => break,
                },
                _ = &mut interrupted => break,
            }
        }
        Ok(Status::Done)
    }

    fn tell(&self, out: &mut dyn Write, (peer, ended): (SocketAddr, String)) -> io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        writeln!(out, "{peer}: {ended}")?;
        out.flush()
    }
}

impl Server {
    /// One connection from its handshake to its end; what there is to say about it.
    async fn connection(&self, socket: TcpStream, mut stopped: watch::Receiver<()>) -> String {
        // Answers go out at once: they are written whole.
        let _ = socket.set_nodelay(true);
        let socket = Box::pin(TimeoutStream::new(socket));
        let accepting = keylane_tls::tokio::accept_with(self.config.clone(), socket, self.options);
        let mut stream = tokio::select! {
            done = timeout(HANDSHAKE, accepting) => match done {
                Ok(Ok(stream)) => stream,
                Ok(Err(error)) => return explain_handshake(&error),
                Err(_) => return "no handshake in time".to_owned(),
            },
            _ = stopped.changed() => return "stopped in the handshake".to_owned(),
        };
        let agreed = describe(stream.info());
        stream.get_mut().as_mut().set_read_timeout_pinned(Some(self.idle_timeout));
        stream.get_mut().as_mut().set_write_timeout_pinned(Some(self.idle_timeout));
        // The channel never carries anything: it changes when its other end is dropped.
        let ended = tokio::select! {
            ended = self.service.run(&mut stream, self.idle_timeout) => ended,
            _ = stopped.changed() => Ok("stopped"),
        };
        let ended = match ended {
            Ok(why) => close(&mut stream, why).await,
            Err(error) if error.kind() == io::ErrorKind::TimedOut => close(&mut stream, "idle").await,
            Err(error) => explain(&error),
        };
        format!("{agreed}: {ended}")
    }
}

impl Service {
    /// Serves until the peer or the service ends it, and says which.
    async fn run(&self, stream: &mut TlsStream<Socket>, patience: Duration) -> io::Result<&'static str> {
        match self {
            Self::Echo => echo(stream).await.map(|()| CLOSED),
            Self::Folder(folder) => http::serve(stream, folder, patience).await.map(|end| match end {
                http::End::Closed => CLOSED,
                http::End::Answered => "answered",
                http::End::Idle => "idle",
            }),
        }
    }
}

async fn echo(stream: &mut TlsStream<Socket>) -> io::Result<()> {
    let mut buffer = vec![0; ECHO_BUFFER];
    loop {
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        stream.write_all(&buffer[..read]).await?;
        stream.flush().await?;
    }
}

/// Sends close_notify and waits a little for the peer's: a socket that is closed before it was read to its
/// end may take back what was sent last.
async fn close(stream: &mut TlsStream<Socket>, why: &'static str) -> String {
    // `CLOSING` is shorter than most idle timeouts.
    stream.get_mut().as_mut().set_read_timeout_pinned(None);
    let closing = timeout(CLOSING, async {
        stream.shutdown().await?;
        tokio::io::copy(stream, &mut tokio::io::sink()).await
    });
    match closing.await {
        Ok(Ok(_)) if why == CLOSED => CLOSED.to_owned(),
        Ok(Ok(_)) => format!("{why}, {CLOSED}"),
        Ok(Err(error)) => format!("{why}, then {}", explain(&error)),
        Err(_) => format!("{why}, the peer did not close"),
    }
}
