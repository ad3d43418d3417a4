//! `quic_transfer` against itself and against quinn with ring's ciphers.

use super::Program;
use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{ClientConfig, Endpoint, ServerConfig};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, pem::PemObject};
use rustls::{RootCertStore, SupportedCipherSuite, version::TLS13};
use std::fs::{self, File};
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::Arc;
use tempfile::TempDir;

/// Some thousands of packets: quinn updates its keys within the first thousand.
const LEN: usize = 5_000_000;

/// A folder with a file that can be sent.
fn folder() -> (TempDir, Vec<u8>) {
    let data: Vec<u8> = (0..LEN as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in"), &data).unwrap();
    (folder, data)
}

fn start(folder: &TempDir, gso: &str, arguments: &[&str]) -> Program {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quic_transfer"));
    command.current_dir(folder.path()).args(arguments).env("GSO", gso);
    command.stdin(File::open(folder.path().join("in")).unwrap());
    Program(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

/// Starts a receiver. Returns its address as well.
fn receive(folder: &TempDir, gso: &str) -> (Program, String) {
    let mut receiver = start(folder, gso, &["receive", "cert.pem", "out"]);
    let address = receiver.line().trim_end().to_owned();
    (receiver, address)
}

/// Waits for its success. Returns its four counts: packets sealed, calls, packets opened, calls.
fn counts(mut program: Program) -> [usize; 4] {
    let mut output = String::new();
    program.0.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    assert!(program.0.wait().unwrap().success(), "{}", error(&mut program));
    let numbers = output.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
    numbers.collect::<Vec<_>>().try_into().expect("four counts")
}

fn error(program: &mut Program) -> String {
    let mut error = String::new();
    program.0.stderr.take().unwrap().read_to_string(&mut error).unwrap();
    error
}

fn assert_sealed_together([sealed, calls, ..]: [usize; 4]) {
    assert!(sealed > LEN / 1500 && sealed > 2 * calls, "{sealed} packets in {calls} calls");
}

fn assert_opened_together([.., opened, calls]: [usize; 4]) {
    assert!(opened > LEN / 3000 && opened >= calls && calls > 0, "{opened} packets in {calls} calls");
}

#[test]
fn a_file_arrives_with_and_without_offload() {
    let (folder, data) = folder();
    for (receives, sends) in [("", ""), ("off", "off"), ("", "off"), ("off", "")] {
        let (receiver, address) = receive(&folder, receives);
        assert_sealed_together(counts(start(&folder, sends, &["send", "cert.pem", &address])));
        assert_opened_together(counts(receiver));
        assert!(fs::read(folder.path().join("out")).unwrap() == data);
    }
}

#[test]
fn an_empty_file_arrives() {
    let (folder, _) = folder();
    fs::write(folder.path().join("in"), b"").unwrap();
    let (receiver, address) = receive(&folder, "");
    counts(start(&folder, "", &["send", "cert.pem", &address]));
    counts(receiver);
    assert_eq!(fs::read(folder.path().join("out")).unwrap(), b"");
}

#[test]
fn another_certificate_is_refused() {
    let (folder, _) = folder();
    let (_receiver, address) = receive(&folder, "");
    let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    fs::write(folder.path().join("cert.pem"), other.cert.pem()).unwrap();
    let mut sender = start(&folder, "", &["send", "cert.pem", &address]);
    assert_eq!(sender.0.wait().unwrap().code(), Some(1));
    let error = error(&mut sender);
    assert!(error.contains("InvalidCertificate") || error.contains("invalid peer certificate"), "{error}");
}

/// ring's provider, once with each cipher suite alone.
fn providers() -> impl Iterator<Item = Arc<CryptoProvider>> {
    use ring::cipher_suite::{
        TLS13_AES_128_GCM_SHA256, TLS13_AES_256_GCM_SHA384, TLS13_CHACHA20_POLY1305_SHA256,
    };
    let suites = [TLS13_AES_128_GCM_SHA256, TLS13_AES_256_GCM_SHA384, TLS13_CHACHA20_POLY1305_SHA256];
    let provider = |suite: SupportedCipherSuite| CryptoProvider {
        cipher_suites: vec![suite],
        ..ring::default_provider()
    };
    suites.map(provider).into_iter().map(Arc::new)
}

/// The suite of QUIC's first packets.
fn initial() -> rustls::quic::Suite {
    ring::cipher_suite::TLS13_AES_128_GCM_SHA256.tls13().unwrap().quic_suite().unwrap()
}

#[tokio::test]
async fn quinn_opens_what_was_sealed_together() {
    let (folder, data) = folder();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    fs::write(folder.path().join("cert.pem"), made.cert.pem()).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::from(made.signing_key);
    for provider in providers() {
        let tls = rustls::ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key.clone_key())
            .unwrap();
        let tls = QuicServerConfig::with_initial(Arc::new(tls), initial()).unwrap();
        let config = ServerConfig::with_crypto(Arc::new(tls));
        let endpoint = Endpoint::server(config, "127.0.0.1:0".parse().unwrap()).unwrap();
        let address = endpoint.local_addr().unwrap().to_string();
        for gso in ["", "off"] {
            let sender = start(&folder, gso, &["send", "cert.pem", &address]);
            let connection = endpoint.accept().await.unwrap().await.unwrap();
            let mut stream = connection.accept_uni().await.unwrap();
            assert!(stream.read_to_end(LEN).await.unwrap() == data);
            connection.closed().await;
            assert_sealed_together(counts(sender));
        }
    }
}

#[tokio::test]
async fn what_quinn_seals_is_opened_together() {
    let (folder, data) = folder();
    for provider in providers() {
        let (receiver, address) = receive(&folder, "");
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(folder.path().join("cert.pem")).unwrap()).unwrap();
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let tls = QuicClientConfig::with_initial(Arc::new(tls), initial()).unwrap();
        let endpoint = Endpoint::client("127.0.0.1:0".parse().unwrap()).unwrap();
        let config = ClientConfig::new(Arc::new(tls));
        let connecting = endpoint.connect_with(config, address.parse().unwrap(), "localhost").unwrap();
        let connection = connecting.await.unwrap();
        let mut stream = connection.open_uni().await.unwrap();
        stream.write_all(&data).await.unwrap();
        stream.finish().unwrap();
        // Until all was acknowledged.
        assert_eq!(stream.stopped().await, Ok(None));
        connection.close(0_u32.into(), b"");
        endpoint.wait_idle().await;
        assert_opened_together(counts(receiver));
        assert!(fs::read(folder.path().join("out")).unwrap() == data);
    }
}
