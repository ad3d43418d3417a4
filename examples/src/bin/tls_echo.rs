//! A TLS server that sends back what it receives, and a client for it.
//!
//! ```text
//! tls_echo serve CERT-FILE [ADDRESS]      # writes a new certificate to CERT-FILE, prints its address
//! tls_echo connect CERT-FILE ADDRESS      # sends the standard input line by line, prints the replies
//! ```
#![forbid(unsafe_code)]

use keylane_tls::TlsStream;
use keylane_tls::rustls::pki_types::{CertificateDer, pem::PemObject};
use keylane_tls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use std::error::Error;
use std::io::{self, BufRead, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs, thread};

fn serve(cert_file: &str, address: &str) -> Result<(), Box<dyn Error>> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let config = ServerConfig::builder_with_provider(keylane_tls::provider().into())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], made.signing_key.into())?;
    let config = Arc::new(config);
    let listener = TcpListener::bind(address)?;
    fs::write(cert_file, made.cert.pem())?;
    println!("{}", listener.local_addr()?);
    loop {
        let (socket, peer) = listener.accept()?;
        let config = Arc::clone(&config);
        thread::spawn(move || {
            if let Err(error) = echo(config, socket) {
                eprintln!("{peer}: {error}");
            }
        });
    }
}

fn echo(config: Arc<ServerConfig>, socket: TcpStream) -> io::Result<()> {
    with_limits(&socket)?;
    let mut stream = TlsStream::accept(config, socket)?;
    let mut buffer = [0; 16 * 1024];
    loop {
        match stream.read(&mut buffer)? {
            // The client has closed the connection. A truncated connection is an error instead.
            0 => return stream.close(),
            len => stream.write_all(&buffer[..len])?,
        }
    }
}

fn connect(cert_file: &str, address: &str) -> Result<(), Box<dyn Error>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(cert_file)?)?;
    let config = ClientConfig::builder_with_provider(keylane_tls::provider().into())
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let socket = TcpStream::connect(address)?;
    with_limits(&socket)?;
    let mut stream = TlsStream::connect(Arc::new(config), "localhost".try_into()?, socket)?;
    for line in io::stdin().lines() {
        stream.write_all(format!("{}\n", line?).as_bytes())?;
        let mut echoed = String::new();
        stream.read_line(&mut echoed)?;
        print!("{echoed}");
    }
    stream.close()?;
    match stream.fill_buf()? {
        [] => Ok(()),
        _ => Err("the server sent more than it got".into()),
    }
}

/// Sets a timeout, so that no peer occupies a thread for ever, and disables delays of short records.
fn with_limits(socket: &TcpStream) -> io::Result<()> {
    socket.set_read_timeout(Some(Duration::from_secs(60)))?;
    socket.set_write_timeout(Some(Duration::from_secs(60)))?;
    socket.set_nodelay(true)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["serve", cert_file] => serve(cert_file, "127.0.0.1:0"),
        ["serve", cert_file, address] => serve(cert_file, address),
        ["connect", cert_file, address] => connect(cert_file, address),
        _ => Err("usage: tls_echo serve CERT-FILE [ADDRESS] | connect CERT-FILE ADDRESS".into()),
    }
}
