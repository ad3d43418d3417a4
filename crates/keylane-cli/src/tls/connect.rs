//! `keylane tls connect`

use super::identity::{authorities, certificates, private_key, unusable};
use super::problem::{explain, handshake_failure};
use super::protocol::{Protocol, describe, key_log};
use super::socket::CLOSING;
use super::starttls::Starttls;
use super::timing::Timing;
use crate::status::{Failure, Outcome, Status, complain, reason};
use clap::Args;
use keylane_tls::tokio::{ReadHalf, WriteHalf};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ProtocolVersion, RootCertStore};
use std::fmt::Display;
use std::io::{self, Cursor, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, lookup_host};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Of standard input, in bytes: read and sent at once.
const PIECE: usize = 64 << 10;

/// Send standard input to a TLS server, and its answer to standard output
#[derive(Args, Debug)]
#[command(
    long_about = "Send standard input to a TLS server, and its answer to standard output, at the same \
        time.\n\n\
        At the end of standard input, the server is sent close_notify, unless --keep-open; what it still \
        sends is read. The command ends when the server has closed the connection: with exit status 0 if the \
        server sent close_notify, 2 if it did not, so that data may be missing, and 1 if its certificate is \
        not accepted. Details of the connection go to standard error. If SSLKEYLOGFILE is set, the secrets of \
        the connection are appended to the file that it names.",
    after_help = "\
Examples:
  keylane tls connect example.org:443 --keep-open <request.txt"
)]
pub(crate) struct Connect {
    /// The server
    #[arg(value_name = "HOST:PORT", value_parser = Server::parse)]
    server: Server,
    /// Trust the certificates in this file (PEM), instead of those that the system trusts
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Ask for this name and expect it in the certificate, instead of HOST
    #[arg(long, value_name = "NAME", value_parser = server_name)]
    name: Option<ServerName<'static>>,
    /// Show this certificate, followed by the chain to its issuer, to a server that asks for one: PEM
    #[arg(long, value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// The certificate's private key: PEM
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
    /// Begin in plaintext, and ask the server for TLS as clients of this protocol do
    #[arg(long, value_name = "smtp|imap", value_enum, hide_possible_values = true)]
    starttls: Option<Starttls>,
    #[command(flatten)]
    protocol: Protocol,
    /// Offer this application protocol; several are offered in their order
    #[arg(long, value_name = "PROTOCOL")]
    alpn: Vec<String>,
    /// Change the keys of both directions whenever this many bytes were sent (TLS 1.3) [without a number:
    /// 1048576]
    #[arg(long, value_name = "BYTES", num_args = 0..=1)]
    #[arg(require_equals = true, default_missing_value = "1048576")]
    #[arg(conflicts_with = "tls12", value_parser = clap::value_parser!(u64).range(1..))]
    key_update: Option<u64>,
    /// Connect this many times, one connection after the other, and send all of standard input on each: shows
    /// whether the server lets sessions resume
    #[arg(long, value_name = "TIMES", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    session_repeat: u32,
    /// Do not tell the server that standard input has ended: some servers give up without answering if they
    /// are told
    #[arg(long)]
    keep_open: bool,
    /// Print how long each phase took, even with --quiet: resolution of the name, TCP connection, STARTTLS,
    /// handshake, from there to the first byte of the answer, all until the end
    #[arg(long)]
    timing: bool,
    /// Print nothing else about the connection
    #[arg(long)]
    quiet: bool,
}

#[derive(Clone, Debug)]
struct Server {
    /// As given: host and port.
    address: String,
    name: ServerName<'static>,
}

impl Server {
    fn parse(address: &str) -> Result<Self, String> {
        let (host, port) = address.rsplit_once(':').ok_or("no port: HOST:PORT is wanted")?;
        port.parse::<u16>().map_err(|_| format!("{port:?} is no port"))?;
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        Ok(Self { address: address.to_owned(), name: server_name(host)? })
    }
}

fn server_name(name: &str) -> Result<ServerName<'static>, String> {
    ServerName::try_from(name.to_owned())
        .map_err(|_| format!("{name:?} is neither a host's name nor an address"))
}

type Input = Box<dyn AsyncRead + Send + Unpin>;

#[derive(Default)]
struct Sent {
    bytes: u64,
    key_updates: u64,
}

impl Connect {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        let config = Arc::new(self.config()?);
        let repeated: Option<Arc<[u8]>> = if self.session_repeat > 1 {
            let mut bytes = Vec::new();
            let read = io::stdin().lock().read_to_end(&mut bytes);
            read.map_err(|error| Failure::input(format_args!("standard input: {}", reason(&error))))?;
            Some(bytes.into())
        } else {
            None
        };
        let runtime = super::runtime()?;
        let mut outcome = Ok(Status::Done);
        for _ in 0..self.session_repeat {
            let input: Input = match &repeated {
                Some(bytes) => Box::new(Cursor::new(bytes.clone())),
                None => Box::new(tokio::io::stdin()),
            };
            outcome = outcome.and_then(|_| runtime.block_on(self.connect(config.clone(), input, out)));
        }
        // A thread may still wait for standard input, which is no longer needed.
        runtime.shutdown_background();
        outcome
    }

    fn config(&self) -> Result<ClientConfig, Failure> {
        let builder = ClientConfig::builder_with_provider(self.protocol.provider())
            .with_protocol_versions(self.protocol.versions())
            .map_err(|error| self.protocol.unusable(&error))?;
        let builder = builder.with_root_certificates(self.roots()?);
        let mut config = match (&self.cert, &self.key) {
            (Some(cert), Some(key)) => builder
                .with_client_auth_cert(certificates(cert)?, private_key(key)?)
                .map_err(|error| unusable(cert, key, &error))?,
            _ => builder.with_no_client_auth(),
        };
        config.key_log = key_log()?;
        config.alpn_protocols = self.alpn.iter().map(|protocol| protocol.clone().into_bytes()).collect();
        Ok(config)
    }

    fn roots(&self) -> Result<RootCertStore, Failure> {
        if let Some(path) = &self.ca {
            return authorities(path);
        }
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return Err(Failure::input("this system trusts no certificates: name some with --ca FILE"));
        }
        Ok(roots)
    }

    async fn connect(&self, config: Arc<ClientConfig>, input: Input, out: &mut dyn Write) -> Outcome {
        let server = &self.server.address;
        let failed = |error: io::Error| Failure::input(format_args!("{server}: {}", explain(&error)));
        let mut timing = Timing::start();
        let addresses: Vec<_> = lookup_host(server).await.map_err(failed)?.collect();
        timing.passed("name");
        let mut socket = TcpStream::connect(&addresses[..]).await.map_err(failed)?;
        timing.passed("TCP");
        // Typed lines are sent at once.
        let _ = socket.set_nodelay(true);
        if let Some(starttls) = self.starttls {
            starttls.negotiate(&mut socket).await.map_err(failed)?;
            timing.passed("STARTTLS");
        }
        let name = self.name.clone().unwrap_or_else(|| self.server.name.clone());
        let stream = keylane_tls::tokio::connect_with(config, name, socket, self.protocol.options()).await;
        let stream = stream.map_err(|error| handshake_failure(server, &error))?;
        timing.passed("handshake");
        self.say(describe(stream.info()));
        if self.key_update.is_some() && stream.info().version() != ProtocolVersion::TLSv1_3 {
            return Err(Failure::input(format_args!("{server}: TLS 1.2 cannot change its keys")));
        }
        let (read, write) = stream.into_split();
        let (open, closed) = oneshot::channel();
        // A task of its own: writing to standard output may block this one.
        let sending = tokio::spawn(send(input, write, self.key_update, self.keep_open, closed));
        let received = receive(read, out, &mut timing).await?.map_err(failed)?;
        drop(open);
        let sent = match timeout(CLOSING, sending).await {
            Ok(sent) => sent.map_err(Failure::input)?.map_err(failed)?,
            Err(_) => return Err(Failure::input(format_args!("{server}: closed before all was sent"))),
        };
        let mut end = format!("closed; sent {} bytes, received {received} bytes", sent.bytes);
        if sent.key_updates > 0 {
            end += &format!(", {} key updates", sent.key_updates);
        }
        self.say(end);
        if self.timing {
            complain(timing);
        }
        Ok(Status::Done)
    }

    fn say(&self, what: impl Display) {
        if !self.quiet {
            complain(what);
        }
    }
}

/// Sends all input, or until the peer has closed, and then close_notify.
async fn send(
    mut input: Input,
    mut to: WriteHalf<TcpStream>,
    key_update: Option<u64>,
    keep_open: bool,
    mut closed: oneshot::Receiver<()>,
) -> io::Result<Sent> {
    let mut sent = Sent::default();
    let mut piece = vec![0; PIECE];
    let mut until_update = key_update.unwrap_or(u64::MAX);
    // The channel carries nothing: it closes when its other end is dropped.
    loop {
        let most = usize::try_from(until_update).map_or(PIECE, |most| most.min(PIECE));
        let read = tokio::select! {
            _ = &mut closed => break,
            read = input.read(&mut piece[..most]) => match read {
                Ok(0) if keep_open => {
                    let _ = closed.await;
                    break;
                }
                Ok(0) => {
                    to.shutdown().await?;
                    return Ok(sent);
                }
                Ok(read) => read,
                Err(error) => {
                    to.shutdown().await?;
                    return Err(io::Error::other(format!("standard input: {}", reason(&error))));
                }
            },
        };
        to.write_all(&piece[..read]).await?;
        to.flush().await?;
        sent.bytes += read as u64;
        until_update -= read as u64;
        if until_update == 0 {
            to.update_keys(true)?;
            sent.key_updates += 1;
            until_update = key_update.unwrap_or(u64::MAX);
        }
    }
    // The peer has announced its close and may be gone.
    let _ = to.shutdown().await;
    Ok(sent)
}

/// Writes to `out` what comes until the peer closes; how many bytes it was. The outer failure is that of
/// `out`.
async fn receive(
    mut from: ReadHalf<TcpStream>,
    out: &mut dyn Write,
    timing: &mut Timing,
) -> Result<io::Result<u64>, Failure> {
    let mut received = 0;
    loop {
        let window = match from.fill_buf().await {
            Ok(window) => window,
            Err(error) => return Ok(Err(error)),
        };
        let len = window.len();
        if len == 0 {
            return Ok(Ok(received));
        }
        if received == 0 {
            timing.passed("first byte");
        }
        out.write_all(window)?;
        out.flush()?;
        from.consume(len);
        received += len as u64;
    }
}
