//! `keylane tls serve`

use super::client_auth::ClientAuth;
use super::control::{Control, Order};
use super::folder;
use super::http;
use super::identity::Identity;
use super::lines::Lines;
use super::open_files;
use super::protocol::{Protocol, key_log, key_log_file};
use super::server::{Server, Service};
use crate::descriptor;
use crate::status::{Failure, Outcome, Status, complain, quoted, reason};
use clap::{ArgGroup, Args};
use keylane_tls::Prepared;
use rustls::crypto::ring::Ticketer;
use rustls::{KeyLog, ServerConfig};
use std::fmt::Display;
use std::fs::File;
use std::io;
use std::mem;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::sleep;

/// After a client could not be accepted.
const RETRY: Duration = Duration::from_millis(100);
/// The name that stands for standard output.
const STDOUT: &str = "-";

/// Serve a folder over HTTPS, or echo what clients send
#[derive(Args, Clone, Debug)]
#[command(
    long_about = "Serve a folder over HTTPS, or echo what clients send, for many clients at once.\n\n\
        A folder is served over HTTP/2 and HTTP/1.1: GET and HEAD, with ranges and conditions. `/` at the end \
        of a path means index.html; folders are not listed. Nothing outside the folder is served, not even \
        through symbolic links, and no file or folder whose name begins with a dot, except .well-known. A \
        folder that contains the file of --key, --access-log or SSLKEYLOGFILE is refused; other secrets in it \
        are not known, and are served.\n\n\
        Each connection and each file that is sent is an open file. The limit of this process (ulimit -n) is \
        raised where the system allows; if files still have to wait for others to be closed, a request waits \
        up to 2 seconds and is then answered with 503.\n\n\
        When a connection has ended, a line tells who it was, the version, the cipher suite, the application \
        protocol, the SHA-256 of the client's certificate, how many requests it made, and how it ended. The \
        server does not wait for a reader: while standard output is not read, it keeps 1024 lines, leaves \
        further ones out, and later tells how many. It goes on without lines while there is no reader.\n\n\
        A client has 30 seconds for the handshake, and then --idle-timeout to send something, to send the \
        whole head of a request, or to take something. A connection that ends waits up to 10 seconds more \
        for its client.\n\n\
        An OCSP response is sent while it is valid. When it is not, at the start or later, standard error has \
        a warning, and clients are served without it: put a new one in its file, and send SIGHUP.\n\n\
        The times of --access-log are UTC, and the bytes are those of the body; of a target, the first 2048 \
        bytes are logged. A request whose head cannot be parsed, or is too long, is refused without a line. \
        Lines are left out as on standard output. After SIGHUP, the file is opened again before the next \
        line is written: it may have been renamed.\n\n\
        SIGHUP reads the files of certificates, keys, OCSP responses and authorities again, for new \
        connections; until all are read, and if one cannot be used, the old ones stay. SIGTERM, or Ctrl-C, \
        finishes the requests that are under way and ends the command; a second one does not wait for them. \
        If SSLKEYLOGFILE is set, the secrets of all connections are appended to the file that it \
        names.",
    after_help = "\
Examples:
  keylane tls serve --self-signed --write-cert cert.pem --folder ."
)]
#[command(group(ArgGroup::new("service").required(true).args(["echo", "folder"])))]
pub(crate) struct Serve {
    /// Where to listen; with port 0 the system chooses a port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:4433")]
    listen: String,
    #[command(flatten)]
    identity: Identity,
    #[command(flatten)]
    client_auth: ClientAuth,
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
    /// Append a line in the Common Log Format to this file for each request that could be parsed; `-` is
    /// standard output
    #[arg(long, value_name = "FILE", conflicts_with = "echo")]
    access_log: Option<PathBuf>,
    #[command(flatten)]
    protocol: Protocol,
    /// Print nothing about connections
    #[arg(long)]
    quiet: bool,
}

/// A server, with what it prints to and what it reads again.
struct Running {
    arguments: Serve,
    key_log: Arc<dyn KeyLog>,
    /// The folder that is served.
    root: Option<Arc<Path>>,
    server: Server,
    out: Arc<Lines>,
    err: Lines,
}

impl Serve {
    pub(crate) fn run(&self) -> Outcome {
        let root = match &self.folder {
            Some(path) => Some(folder::root(path).map_err(|error| Failure::file(path, &error))?),
            None => None,
        };
        self.refuse_secrets(root.as_deref())?;
        let most_files = open_files::limit(self.max_connections, http::MAX_STREAMS)?;
        let key_log = key_log()?;
        // Again: its file may just have been made, where a link leads.
        self.refuse_secrets(root.as_deref())?;
        let out =
            Arc::new(Lines::start("standard output".to_owned(), || descriptor::open(descriptor::STDOUT))?);
        let server = Server {
            config: RwLock::new(self.config(&key_log, complain)?),
            options: self.protocol.options(),
            service: match &root {
                Some(root) => Service::Folder(folder::open(root.clone(), most_files)),
                None => Service::Echo,
            },
            idle_timeout: Duration::from_secs(self.idle_timeout.into()),
            access_log: self.open_access_log(root.clone(), &out)?,
        };
        let running = Running {
            // After the files were read: a self-signed certificate is kept for the next time.
            arguments: self.clone(),
            key_log,
            root,
            server,
            out,
            err: Lines::start("standard error".to_owned(), || Ok(io::stderr()))?,
        };
        let runtime = super::runtime()?;
        let outcome = runtime.block_on(Arc::new(running).serve());
        // A thread may still wait for a file.
        runtime.shutdown_background();
        outcome
    }

    fn open_access_log(
        &self,
        root: Option<Arc<Path>>,
        out: &Arc<Lines>,
    ) -> Result<Option<Arc<Lines>>, Failure> {
        let Some(path) = self.access_log.clone() else { return Ok(None) };
        if path == Path::new(STDOUT) {
            return Ok(Some(out.clone()));
        }
        let name = quoted(&path).to_string();
        let open = move || {
            let log = File::options().append(true).create(true).open(&path)?;
            // Each time: a link may lead to another place than before.
            if root.as_ref().is_some_and(|root| folder::is_served(root, &path)) {
                return Err(io::Error::other("it is in the folder that is served"));
            }
            Ok(log)
        };
        let log = Lines::start(name.clone(), open);
        let log = log.map_err(|error| Failure::input(format_args!("{name}: {}", reason(&error))))?;
        Ok(Some(Arc::new(log)))
    }

    /// Refuses a folder that would give away what protects the connections, or who makes them.
    fn refuse_secrets(&self, root: Option<&Path>) -> Result<(), Failure> {
        let key_log = key_log_file();
        let secrets = self
            .identity
            .keys()
            .chain(key_log.as_deref())
            .chain(self.access_log.as_deref().filter(|log| *log != Path::new(STDOUT)));
        root.map_or(Ok(()), |root| folder::refuse(root, secrets))
    }

    /// Reads the files. Sessions of another configuration do not resume: their clients may have been accepted
    /// for an authority that is no longer among them.
    fn config(
        &self,
        key_log: &Arc<dyn KeyLog>,
        warn: impl Fn(String),
    ) -> Result<Prepared<ServerConfig>, Failure> {
        let provider = self.protocol.provider();
        let certificates = self.identity.load(&provider, warn)?;
        let verifier = self.client_auth.verifier(&provider)?;
        let builder = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(self.protocol.versions())
            .map_err(|error| self.protocol.unusable(&error))?;
        let mut config = builder.with_client_cert_verifier(verifier).with_cert_resolver(certificates);
        // Sessions of TLS 1.2 resume by tickets too, which some clients need.
        config.ticketer = Ticketer::new()
            .map_err(|error| Failure::input(format_args!("no key for session tickets: {error}")))?;
        if self.folder.is_some() {
            config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        }
        config.key_log = key_log.clone();
        Ok(Arc::new(config).into())
    }
}

impl Running {
    async fn serve(self: Arc<Self>) -> Outcome {
        let Serve { listen, max_connections, .. } = &self.arguments;
        let cannot_listen = |error| Failure::input(format_args!("{listen}: {}", reason(&error)));
        let mut control = Control::new()?;
        let listener = TcpListener::bind(listen).await.map_err(cannot_listen)?;
        self.out.send(format!("listening on {}", listener.local_addr().map_err(cannot_listen)?));
        let (stop, stopped) = watch::channel(());
        // Signals that come during a reload are followed by one.
        let reload = Arc::new(Notify::new());
        tokio::spawn(self.clone().reload_when(reload.clone()));
        let (mut connections, mut failing) = (JoinSet::new(), false);
        let most = *max_connections as usize;
        loop {
            tokio::select! {
                // Those that are not accepted wait in the system's queue.
                (socket, peer) = self.accept(&listener, &mut failing), if connections.len() < most => {
                    let (running, stopped) = (self.clone(), stopped.clone());
                    connections.spawn(async move {
                        (peer, running.server.connection(socket, peer, stopped).await)
                    });
                },
                // An error is a connection that panicked.
                Some(ended) = connections.join_next() => if let Ok(ended) = ended {
                    self.tell(ended);
                },
                order = control.next() => match order {
                    Order::Stop => break,
                    Order::Reload => reload.notify_one(),
                },
            }
        }
        drop((listener, stop));
        loop {
            tokio::select! {
                ended = connections.join_next() => match ended {
                    Some(Ok(ended)) => self.tell(ended),
                    Some(Err(_)) => {}
                    None => break,
                },
                order = control.next() => if order == Order::Stop {
                    break;
                },
            }
        }
        // The requests that are given up get their lines.
        connections.shutdown().await;
        // At the same time, since the access log may be standard output.
        let access_log = async {
            if let Some(log) = &self.server.access_log {
                log.finish().await;
            }
        };
        tokio::join!(self.err.finish(), self.out.finish(), access_log);
        Ok(Status::Done)
    }

    /// Waits for a client. What prevents one from being accepted, such as too many open files, is told once
    /// until it has passed.
    async fn accept(&self, listener: &TcpListener, failing: &mut bool) -> (TcpStream, SocketAddr) {
        loop {
            match listener.accept().await {
                Ok(accepted) => {
                    *failing = false;
                    return accepted;
                }
                Err(error) if !mem::replace(failing, true) => {
                    self.warn(format_args!("{}: {}", self.arguments.listen, reason(&error)));
                }
                Err(_) => {}
            }
            sleep(RETRY).await;
        }
    }

    /// Like [`complain`], but does not wait for standard error.
    fn warn(&self, what: impl Display) {
        self.err.send(format!("keylane: {what}"));
    }

    fn tell(&self, (peer, ended): (SocketAddr, String)) {
        if !self.arguments.quiet {
            self.out.send(format!("{peer}: {ended}"));
        }
    }

    /// Reads the files again at each notification, in a thread that may wait for them.
    async fn reload_when(self: Arc<Self>, notified: Arc<Notify>) {
        loop {
            notified.notified().await;
            let running = self.clone();
            let reload = move || match running.reload() {
                Ok(()) => running.warn("the files were read again"),
                Err(failure) => {
                    if let Some(message) = failure.message() {
                        running.warn(message);
                    }
                    running.warn("the files that were read before stay in use");
                }
            };
            let _ = spawn_blocking(reload).await;
        }
    }

    /// For new connections.
    fn reload(&self) -> Result<(), Failure> {
        self.arguments.refuse_secrets(self.root.as_deref())?;
        if let Some(log) = &self.server.access_log {
            log.reopen();
        }
        let config = self.arguments.config(&self.key_log, |what| self.warn(what))?;
        *self.server.config.write().unwrap_or_else(PoisonError::into_inner) = config;
        Ok(())
    }
}
