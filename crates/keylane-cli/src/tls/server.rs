//! What a server does with a connection.

use super::access_log::{self, Entry};
use super::folder::Folder;
use super::http;
use super::lines::Lines;
use super::problem::{explain, explain_handshake, explain_http};
use super::protocol::describe;
use super::socket::{CLOSING, Progress, Socket};
use crate::hex;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use keylane::sha2::Sha256;
use keylane_tls::tokio::TlsStream;
use keylane_tls::{ConnectionInfo, Options, Prepared};
use rustls::ServerConfig;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;

/// For the peer to finish the handshake.
const HANDSHAKE: Duration = Duration::from_secs(30);
const ECHO_BUFFER: usize = 32 << 10;

/// What every connection needs.
pub(crate) struct Server {
    pub(crate) config: RwLock<Prepared<ServerConfig>>,
    pub(crate) options: Options,
    pub(crate) service: Service,
    pub(crate) idle_timeout: Duration,
    pub(crate) access_log: Option<Arc<Lines>>,
}

pub(crate) enum Service {
    Echo,
    Folder(Folder),
}

impl Server {
    /// One connection from its handshake to its end; what there is to say about it.
    pub(crate) async fn connection(
        &self,
        socket: TcpStream,
        peer: SocketAddr,
        mut stopped: watch::Receiver<()>,
    ) -> String {
        // Answers go out at once: they are written whole.
        let _ = socket.set_nodelay(true);
        let config = self.config.read().unwrap_or_else(PoisonError::into_inner).clone();
        let (socket, progress) = Socket::new(socket);
        let accepting = keylane_tls::tokio::accept_with(config, socket, self.options);
        let stream = tokio::select! {
            done = timeout(HANDSHAKE, accepting) => match done {
                Ok(Ok(stream)) => stream,
                Ok(Err(error)) => return explain_handshake(&error),
                Err(_) => return "no handshake in time".to_owned(),
            },
            _ = stopped.changed() => return "stopped in the handshake".to_owned(),
        };
        let agreed = describe_client(stream.info());
        let ended = match &self.service {
            Service::Echo => self.echo(stream, &progress, stopped).await,
            Service::Folder(folder) => self.requests(stream, peer, folder, &progress, stopped).await,
        };
        format!("{agreed}: {ended}")
    }

    /// For an idle peer to take what is left.
    fn closing(&self) -> Duration {
        CLOSING.min(self.idle_timeout)
    }

    async fn echo(
        &self,
        mut stream: TlsStream<Socket>,
        progress: &Progress,
        mut stopped: watch::Receiver<()>,
    ) -> String {
        // The channel never carries anything: it changes when its other end is dropped.
        let why = tokio::select! {
            echoed = echo(&mut stream) => match echoed {
                Ok(()) => "",
                Err(error) => return explain(&error),
            },
            () = progress.stalled(self.idle_timeout) => "idle, ",
            _ = stopped.changed() => "stopped, ",
        };
        let closed = timeout(self.closing(), stream.shutdown()).await;
        why.to_owned() + &end(closed.map(|closed| closed.map_err(|error| explain(&error))), progress)
    }

    /// Answers requests over HTTP.
    async fn requests(
        &self,
        stream: TlsStream<Socket>,
        peer: SocketAddr,
        folder: &Folder,
        progress: &Progress,
        mut stopped: watch::Receiver<()>,
    ) -> String {
        let count = Arc::new(AtomicU64::new(0));
        let (counted, folder, log) = (count.clone(), folder.clone(), self.access_log.clone());
        let service = service_fn(move |request| {
            counted.fetch_add(1, Ordering::Relaxed);
            let entry = log.clone().map(|log| Entry::new(log, peer.ip(), &request));
            let answer = http::answer(folder.clone(), request);
            async { Ok::<_, Infallible>(access_log::log(answer.await, entry)) }
        });
        let server = http::server(stream.info().alpn());
        let mut connection = pin!(server.serve_connection(TokioIo::new(stream), service));
        let (why, done) = tokio::select! {
            done = connection.as_mut() => ("", Ok(done)),
            () = progress.stalled(self.idle_timeout) => {
                connection.as_mut().graceful_shutdown();
                ("idle, ", timeout(self.closing(), connection).await)
            }
            _ = stopped.changed() => {
                connection.as_mut().graceful_shutdown();
                let done = tokio::select! {
                    done = connection.as_mut() => Ok(done),
                    () = progress.stalled(self.idle_timeout) => timeout(Duration::ZERO, connection).await,
                };
                ("stopped, ", done)
            }
        };
        let requests = match count.load(Ordering::Relaxed) {
            1 => "1 request".to_owned(),
            count => format!("{count} requests"),
        };
        let ended = end(done.map(|done| done.map_err(|error| explain_http(&*error))), progress);
        format!("{requests}, {why}{ended}")
    }
}

/// How a connection ended; the outer error is that the peer did not take what was to be sent.
fn end<E>(done: Result<Result<(), String>, E>, progress: &Progress) -> String {
    match done {
        Ok(Ok(())) if !progress.peer_stays() => "closed".to_owned(),
        Ok(Err(error)) => error,
        _ => "the peer did not close".to_owned(),
    }
}

/// What was agreed on, and with whom.
fn describe_client(info: &ConnectionInfo) -> String {
    let mut text = describe(info);
    if let Some(certificate) = info.peer_certificates().first() {
        text += &format!(", client {}", hex::encode(&Sha256::digest(certificate)));
    }
    text
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
