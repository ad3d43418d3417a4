//! Shared by the tests: a certificate, a provider that counts its handshakes, and servers on loopback.
#![forbid(unsafe_code)]

use keylane_tls::cipher_suite::{TLS13_AES_128_GCM_SHA256, TLS13_CHACHA20_POLY1305_SHA256};
use rustls::crypto::tls13::{Hkdf, HkdfExpander, OkmBlock};
use rustls::crypto::{CryptoProvider, hmac};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, SupportedCipherSuite, Tls13CipherSuite};
use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// OpenSSL's name of the suite that [`provider`] prefers. Without Keylane, OpenSSL and ring agree on another.
pub const SUITE: &str = "TLS_CHACHA20_POLY1305_SHA256";

static HANDSHAKES: AtomicUsize = AtomicUsize::new(0);

/// Keylane's HKDF.
struct Counted(&'static dyn Hkdf);

impl Hkdf for Counted {
    fn extract_from_zero_ikm(&self, salt: Option<&[u8]>) -> Box<dyn HkdfExpander> {
        // The first secret has no salt. The last has, the master secret.
        HANDSHAKES.fetch_add(usize::from(salt.is_some()), Ordering::SeqCst);
        self.0.extract_from_zero_ikm(salt)
    }

    fn extract_from_secret(&self, salt: Option<&[u8]>, secret: &[u8]) -> Box<dyn HkdfExpander> {
        self.0.extract_from_secret(salt, secret)
    }

    fn expander_for_okm(&self, okm: &OkmBlock) -> Box<dyn HkdfExpander> {
        self.0.expander_for_okm(okm)
    }

    fn hmac_sign(&self, key: &OkmBlock, message: &[u8]) -> hmac::Tag {
        self.0.hmac_sign(key, message)
    }
}

/// `keylane_tls::provider()`, which [`handshakes`] counts. It has TLS 1.3 with ChaCha20-Poly1305, and
/// AES-128-GCM for QUIC's first packets.
pub fn provider() -> CryptoProvider {
    let suites = [TLS13_CHACHA20_POLY1305_SHA256, TLS13_AES_128_GCM_SHA256].map(|suite| {
        let SupportedCipherSuite::Tls13(Tls13CipherSuite { common, hkdf_provider, aead_alg, quic }) = suite
        else {
            unreachable!("both are of TLS 1.3")
        };
        let common = rustls::crypto::CipherSuiteCommon { ..*common };
        let (hkdf_provider, aead_alg, quic) =
            (Box::leak(Box::new(Counted(*hkdf_provider))), *aead_alg, *quic);
        let counted = Tls13CipherSuite { common, hkdf_provider, aead_alg, quic };
        SupportedCipherSuite::Tls13(Box::leak(Box::new(counted)))
    });
    CryptoProvider { cipher_suites: suites.to_vec(), ..keylane_tls::provider() }
}

/// Returns how many handshakes this process has completed on [`provider`].
pub fn handshakes() -> usize {
    HANDSHAKES.load(Ordering::SeqCst)
}

/// A folder with a certificate for localhost, `cert.pem`, and its key, `key.pem`.
pub struct Identity {
    pub folder: TempDir,
    pub certificate: CertificateDer<'static>,
    pub key: PrivateKeyDer<'static>,
}

impl Identity {
    pub fn new() -> Self {
        let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
        let made = rcgen::generate_simple_self_signed(names).unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("cert.pem"), made.cert.pem()).unwrap();
        fs::write(folder.path().join("key.pem"), made.signing_key.serialize_pem()).unwrap();
        let (certificate, key) = (made.cert.der().clone(), made.signing_key.into());
        Self { folder, certificate, key }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the certificate in PEM.
    pub fn pem(&self) -> String {
        fs::read_to_string(self.path("cert.pem")).unwrap()
    }

    /// Returns a configuration for [`provider`] that trusts only this certificate.
    pub fn client(&self) -> ClientConfig {
        self.client_on(provider())
    }

    /// Returns one for another provider.
    pub fn client_on(&self, provider: CryptoProvider) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).unwrap();
        ClientConfig::builder_with_provider(provider.into())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth()
    }
}

impl Default for Identity {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns a port that is free.
pub fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

/// A server, which is interrupted when the test ends.
pub struct Server(Child);

impl Server {
    /// Starts a server and waits until it accepts connections. `package` is Debian's.
    pub fn start(command: &mut Command, package: &str, port: u16) -> Self {
        let name = command.get_program().to_owned();
        let child = command.spawn();
        let child =
            child.unwrap_or_else(|error| panic!("{name:?} of Debian's {package} is required: {error}"));
        let mut server = Self(child);
        let start = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            assert_eq!(server.0.try_wait().unwrap(), None, "{name:?} has ended");
            assert!(start.elapsed() < Duration::from_secs(60), "{name:?} does not listen on port {port}");
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Not `kill`, which would leave the server's own processes.
        let _ = Command::new("kill").args(["-INT", &self.0.id().to_string()]).status();
        let _ = self.0.wait();
    }
}

/// Starts an nginx, which answers with the protocol and the suite, and keeps what is put under `/files`.
pub fn nginx(identity: &Identity) -> (Server, u16) {
    let port = free_port();
    let configuration = format!(
        "user root; daemon off; pid pid; error_log stderr; events {{}}
         http {{
             access_log off; client_max_body_size 10m; client_body_temp_path body; proxy_temp_path proxy;
             fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
             server {{
                 listen 127.0.0.1:{port} ssl http2;
                 ssl_certificate cert.pem; ssl_certificate_key key.pem; ssl_protocols TLSv1.3;
                 location / {{ return 200 \"$server_protocol $ssl_cipher\"; }}
                 location /files {{ root .; dav_methods PUT; create_full_put_path on; }}
             }}
         }}"
    );
    fs::write(identity.path("nginx.conf"), configuration).unwrap();
    let mut command = Command::new("nginx");
    command.arg("-p").arg(identity.folder.path()).args(["-c", "nginx.conf", "-e", "stderr"]);
    (Server::start(&mut command, "nginx-light", port), port)
}
