//! What both sides of a connection can be told to offer, and what they agreed on.

use crate::status::{Failure, complain, quoted};
use clap::Args;
use keylane_tls::session::RecordSizing;
use keylane_tls::{ConnectionInfo, Options};
use rustls::crypto::CryptoProvider;
use rustls::version::{TLS12, TLS13};
use rustls::{
    CipherSuite, KeyLog, KeyLogFile, NoKeyLog, ProtocolVersion, SupportedCipherSuite,
    SupportedProtocolVersion,
};
use std::env;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Args, Clone, Debug)]
pub(crate) struct Protocol {
    /// TLS 1.2 and no other version
    #[arg(long, conflicts_with = "tls13")]
    tls12: bool,
    /// TLS 1.3 and no other version
    #[arg(long)]
    tls13: bool,
    /// Offer this cipher suite, by its IANA name, and no other; several are offered in their order
    #[arg(long = "suite", value_name = "NAME", value_parser = suite)]
    suites: Vec<SupportedCipherSuite>,
    /// The length of the records that are sent: `dynamic` begins with short ones, `fixed` is 16384 bytes of
    /// data, or that many bytes
    #[arg(long, value_name = "dynamic|fixed|BYTES", default_value = "dynamic", value_parser = options)]
    record_size: Options,
}

impl Protocol {
    pub(crate) fn provider(&self) -> Arc<CryptoProvider> {
        let mut provider = keylane_tls::provider();
        if !self.suites.is_empty() {
            provider.cipher_suites.clone_from(&self.suites);
        }
        Arc::new(provider)
    }

    pub(crate) fn versions(&self) -> &'static [&'static SupportedProtocolVersion] {
        const BOTH: &[&SupportedProtocolVersion] = &[&TLS13, &TLS12];
        match (self.tls12, self.tls13) {
            (true, _) => &BOTH[1..],
            (_, true) => &BOTH[..1],
            _ => BOTH,
        }
    }

    pub(crate) fn options(&self) -> Options {
        self.record_size
    }

    /// What rustls says of versions and suites that exclude each other.
    pub(crate) fn unusable(&self, error: &rustls::Error) -> Failure {
        Failure::input(format_args!("no connection is possible with these versions and suites: {error}"))
    }
}

/// The file for the secrets of connections, for programs that decrypt a recording of them, if the environment
/// asks for one.
pub(crate) fn key_log_file() -> Option<PathBuf> {
    env::var_os("SSLKEYLOGFILE").filter(|name| !name.is_empty()).map(PathBuf::from)
}

/// What writes to [`key_log_file`].
pub(crate) fn key_log() -> Result<Arc<dyn KeyLog>, Failure> {
    let Some(name) = key_log_file() else { return Ok(Arc::new(NoKeyLog {})) };
    let log = KeyLogFile::new();
    // rustls keeps the error to itself.
    File::options().append(true).open(&name).map_err(|error| Failure::file(&name, &error))?;
    complain(format_args!(
        "SSLKEYLOGFILE is set: whoever can read {} can decrypt the connections",
        quoted(&name)
    ));
    Ok(Arc::new(log))
}

fn options(record_size: &str) -> Result<Options, String> {
    let mut options = Options::default();
    match record_size {
        "dynamic" => options.record_sizing = RecordSizing::Dynamic,
        "fixed" => options.record_sizing = RecordSizing::Fixed,
        number => {
            let len = number.parse().ok().filter(|len| (1..=options.max_fragment_len).contains(len));
            let wanted = || format!("dynamic, fixed, or a number from 1 to {}", options.max_fragment_len);
            options.max_fragment_len = len.ok_or_else(wanted)?;
            options.record_sizing = RecordSizing::Fixed;
        }
    }
    Ok(options)
}

fn suite(name: &str) -> Result<SupportedCipherSuite, String> {
    let suites = keylane_tls::provider().cipher_suites;
    let named = suites.iter().find(|suite| iana_name(suite.suite()).eq_ignore_ascii_case(name));
    named.copied().ok_or_else(|| {
        let names: Vec<_> = suites.iter().map(|suite| iana_name(suite.suite())).collect();
        format!("not one of {}", names.join(", "))
    })
}

/// rustls writes `TLS13_` where IANA's registry has `TLS_`.
fn iana_name(suite: CipherSuite) -> String {
    suite.as_str().map_or_else(|| format!("{suite:?}"), |name| name.replacen("TLS13_", "TLS_", 1))
}

/// `TLS 1.3, TLS_AES_128_GCM_SHA256, full handshake`
pub(crate) fn describe(info: &ConnectionInfo) -> String {
    let version = match info.version() {
        ProtocolVersion::TLSv1_2 => "TLS 1.2",
        _ => "TLS 1.3",
    };
    let handshake = if info.resumed() { "resumed" } else { "full handshake" };
    let mut text = format!("{version}, {}, {handshake}", iana_name(info.cipher_suite()));
    if let Some(protocol) = info.alpn() {
        text += &format!(", {}", protocol.escape_ascii());
    }
    text
}
