//! What a handshake agreed on.

use crate::error::Error;
use crate::record::Version;
use crate::session::Side;
use rustls::pki_types::CertificateDer;
use rustls::{CipherSuite, CommonState, HandshakeKind, NamedGroup, ProtocolVersion};

/// What a handshake agreed on: [`TlsStream::info`](crate::TlsStream::info).
///
/// ```
/// use keylane_tls::ConnectionInfo;
///
/// /// Whom a server talks to, for its log.
/// fn describe(info: &ConnectionInfo) -> String {
///     let protocol = String::from_utf8_lossy(info.alpn().unwrap_or(b"none"));
///     format!("{:?}, {:?}, ALPN {protocol}", info.version(), info.cipher_suite())
/// }
/// # let _ = describe;
/// ```
#[derive(Clone, Debug)]
pub struct ConnectionInfo {
    side: Side,
    version: ProtocolVersion,
    cipher_suite: CipherSuite,
    group: Option<NamedGroup>,
    alpn: Option<Vec<u8>>,
    server_name: Option<String>,
    peer_certificates: Vec<CertificateDer<'static>>,
    resumed: bool,
}

impl ConnectionInfo {
    pub(super) fn of(common: &CommonState, side: Side, server_name: Option<String>) -> Option<Self> {
        Some(Self {
            side,
            version: common.protocol_version()?,
            cipher_suite: common.negotiated_cipher_suite()?.suite(),
            group: common.negotiated_key_exchange_group().map(|group| group.name()),
            alpn: common.alpn_protocol().map(<[u8]>::to_vec),
            server_name,
            peer_certificates: common.peer_certificates().unwrap_or_default().to_vec(),
            resumed: common.handshake_kind() == Some(HandshakeKind::Resumed),
        })
    }

    /// Which end this is.
    #[must_use]
    pub fn side(&self) -> Side {
        self.side
    }

    /// TLS 1.2 or 1.3.
    #[must_use]
    pub fn version(&self) -> ProtocolVersion {
        self.version
    }

    /// The cipher suite.
    #[must_use]
    pub fn cipher_suite(&self) -> CipherSuite {
        self.cipher_suite
    }

    /// The group of the key exchange; `None` if a resumed session had no key exchange.
    #[must_use]
    pub fn key_exchange_group(&self) -> Option<NamedGroup> {
        self.group
    }

    /// The application's protocol (RFC 7301), if both ends named one.
    #[must_use]
    pub fn alpn(&self) -> Option<&[u8]> {
        self.alpn.as_deref()
    }

    /// On the server, the name that the client asked for.
    #[must_use]
    pub fn server_name(&self) -> Option<&str> {
        self.server_name.as_deref()
    }

    /// The peer's certificates, its own first; empty if it showed none.
    #[must_use]
    pub fn peer_certificates(&self) -> &[CertificateDer<'static>] {
        &self.peer_certificates
    }

    /// Whether an earlier session was resumed.
    #[must_use]
    pub fn resumed(&self) -> bool {
        self.resumed
    }

    pub(super) fn record_version(&self) -> Result<Version, Error> {
        match self.version {
            ProtocolVersion::TLSv1_2 => Ok(Version::Tls12),
            ProtocolVersion::TLSv1_3 => Ok(Version::Tls13),
            _ => Err(Error::Unsupported("a version of TLS that Keylane does not have")),
        }
    }
}
