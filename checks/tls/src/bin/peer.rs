//! A Keylane end for `ci/peers.py`, which has OpenSSL at the other and compares what arrives.
//!
//! ```text
//! peer serve SUITE CERT-FILE KEY-FILE         # sends back what comes
//! peer connect SUITE CA-FILE PORT TIMES BYTES # sends its input so often; new keys every BYTES, or never (0)
//! ```
#![forbid(unsafe_code)]

use keylane_tls::{ConnectionInfo, TlsStream, WriteHalf};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{CipherSuite, ClientConfig, ProtocolVersion, RootCertStore, ServerConfig};
use std::error::Error;
use std::io::{self, Cursor, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::{env, thread};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Returns the name in IANA's registry, which has `TLS_` for rustls' `TLS13_`.
fn iana_name(suite: CipherSuite) -> String {
    suite.as_str().unwrap_or_default().replacen("TLS13_", "TLS_", 1)
}

fn agreed(info: &ConnectionInfo) -> String {
    let version = if info.version() == ProtocolVersion::TLSv1_2 { "1.2" } else { "1.3" };
    let handshake = if info.resumed() { "resumed" } else { "full handshake" };
    format!("TLS {version}, {}, {handshake}", iana_name(info.cipher_suite()))
}

fn serve(config: ServerConfig) -> Outcome<()> {
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?);
    loop {
        let mut stream = TlsStream::accept(config.clone(), listener.accept()?.0)?;
        let mut buffer = [0; 1 << 14];
        while let len @ 1.. = stream.read(&mut buffer)? {
            stream.write_all(&buffer[..len])?;
        }
        stream.close()?;
        println!("{}: closed", agreed(stream.info()));
    }
}

fn connect(config: ClientConfig, port: u16, times: u32, every: usize) -> Outcome<()> {
    let (config, mut all) = (Arc::new(config), Vec::new());
    if times > 1 {
        io::stdin().read_to_end(&mut all)?;
    }
    for _ in 0..times {
        let input: Box<dyn Read + Send> =
            if times > 1 { Box::new(Cursor::new(all.clone())) } else { Box::new(io::stdin()) };
        let socket = TcpStream::connect(("127.0.0.1", port))?;
        socket.set_nodelay(true)?;
        let second = socket.try_clone()?;
        let stream = TlsStream::connect(config.clone(), "localhost".try_into()?, socket)?;
        eprintln!("{}", agreed(stream.info()));
        let (mut reader, writer) = stream.into_split(second);
        let sending = thread::spawn(move || send(input, writer, every));
        io::copy(&mut reader, &mut io::stdout())?;
        eprintln!("closed, {} key updates", sending.join().map_err(|_| "sending panicked")??);
    }
    Ok(())
}

/// Sends all input and close_notify. Returns how often it has changed keys.
fn send(mut input: impl Read, mut to: WriteHalf<TcpStream>, every: usize) -> io::Result<usize> {
    let (mut piece, mut sent) = (vec![0; 1 << 16], 0);
    loop {
        let left = if every == 0 { piece.len() } else { every - sent % every };
        let len = input.read(&mut piece[..left.min(1 << 16)])?;
        if len == 0 {
            to.close()?;
            return Ok(sent.checked_div(every).unwrap_or(0));
        }
        to.write_all(&piece[..len])?;
        sent += len;
        if len == left && every > 0 {
            to.update_keys(true)?;
        }
    }
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [role, suite, cert, rest @ ..] = &arguments[..] else { return Err("see peer.rs".into()) };
    let mut provider: CryptoProvider = keylane_tls::provider();
    provider.cipher_suites.retain(|it| iana_name(it.suite()) == *suite);
    let version = provider.cipher_suites.first().ok_or("no such suite")?.version();
    let provider = Arc::new(provider);
    match (*role, rest) {
        ("serve", [key]) => {
            let chain = CertificateDer::pem_file_iter(cert)?.collect::<Result<_, _>>()?;
            let mut config = ServerConfig::builder_with_provider(provider)
                .with_protocol_versions(&[version])?
                .with_no_client_auth()
                .with_single_cert(chain, PrivateKeyDer::from_pem_file(key)?)?;
            config.ticketer = ring::Ticketer::new()?;
            serve(config)
        }
        ("connect", [port, times, every]) => {
            let mut roots = RootCertStore::empty();
            for authority in CertificateDer::pem_file_iter(cert)? {
                roots.add(authority?)?;
            }
            let config = ClientConfig::builder_with_provider(provider)
                .with_protocol_versions(&[version])?
                .with_root_certificates(roots)
                .with_no_client_auth();
            connect(config, port.parse()?, times.parse()?, every.parse()?)
        }
        _ => Err("see peer.rs".into()),
    }
}
