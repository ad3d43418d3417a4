//! The parameters that a handshake agreed on.

use super::early::{Early, EarlyData};
use super::exporter::Exporter;
use crate::error::Error;
use crate::record::Version;
use crate::session::Side;
use rustls::pki_types::CertificateDer;
use rustls::{CipherSuite, CommonState, HandshakeKind, NamedGroup, ProtocolVersion};

/// The parameters that a handshake agreed on, from [`TlsStream::info`](crate::TlsStream::info).
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
    kind: HandshakeKind,
    exporter: Exporter,
    early: Early,
}

impl ConnectionInfo {
    pub(super) fn of(
        common: &CommonState,
        side: Side,
        server_name: Option<String>,
        exporter: Exporter,
        early: Early,
    ) -> Option<Self> {
        Some(Self {
            side,
            version: common.protocol_version()?,
            cipher_suite: common.negotiated_cipher_suite()?.suite(),
            group: common.negotiated_key_exchange_group().map(|group| group.name()),
            alpn: common.alpn_protocol().map(<[u8]>::to_vec),
            server_name,
            peer_certificates: common.peer_certificates().unwrap_or_default().to_vec(),
            kind: common.handshake_kind()?,
            exporter,
            early,
        })
    }

    /// Returns which end this is.
    #[must_use]
    pub fn side(&self) -> Side {
        self.side
    }

    /// Returns the version: TLS 1.2 or 1.3.
    #[must_use]
    pub fn version(&self) -> ProtocolVersion {
        self.version
    }

    /// Returns the cipher suite.
    #[must_use]
    pub fn cipher_suite(&self) -> CipherSuite {
        self.cipher_suite
    }

    /// Returns the key exchange's group, `None` if a resumed session had no key exchange.
    #[must_use]
    pub fn key_exchange_group(&self) -> Option<NamedGroup> {
        self.group
    }

    /// Returns the application protocol (ALPN, RFC 7301), if both ends named one.
    #[must_use]
    pub fn alpn(&self) -> Option<&[u8]> {
        self.alpn.as_deref()
    }

    /// Returns the name that the client asked for; only on the server.
    #[must_use]
    pub fn server_name(&self) -> Option<&str> {
        self.server_name.as_deref()
    }

    /// Returns the peer's certificates, its own first; empty if it sent none.
    #[must_use]
    pub fn peer_certificates(&self) -> &[CertificateDer<'static>] {
        &self.peer_certificates
    }

    /// Returns whether an earlier session was resumed.
    #[must_use]
    pub fn resumed(&self) -> bool {
        self.kind == HandshakeKind::Resumed
    }

    /// Returns the kind of handshake: full, full after a HelloRetryRequest (RFC 8446 §4.1.4), which costs
    /// another round trip, or resumed.
    #[must_use]
    pub fn handshake_kind(&self) -> HandshakeKind {
        self.kind
    }

    /// Returns the outcome of early data.
    #[must_use]
    pub fn early_data(&self) -> EarlyData {
        self.early.status
    }

    /// Returns the early data that a client has sent to a server whose configuration accepts it
    /// ([`max_early_data_size`](rustls::ServerConfig::max_early_data_size)). It is not part of the stream's
    /// data, because it can be replayed: see [`ServerHandshake::early_data`](super::Handshake::early_data).
    #[must_use]
    pub fn received_early_data(&self) -> &[u8] {
        &self.early.received
    }

    /// Fills `output` with keying material for another protocol (RFC 5705, RFC 8446 §7.5) and returns it. For
    /// the same label and context, both ends get the same material, at any time: key updates do not change
    /// it.
    ///
    /// An empty context differs from no context in TLS 1.2, but not in TLS 1.3.
    ///
    /// ```
    /// use keylane_tls::{Error, TlsStream};
    /// use std::net::TcpStream;
    ///
    /// /// A channel binding (RFC 9266).
    /// fn binding(stream: &TlsStream<TcpStream>) -> Result<[u8; 32], Error> {
    ///     stream.info().export_keying_material([0; 32], b"EXPORTER-Channel-Binding", Some(&[]))
    /// }
    /// # let _ = binding;
    /// ```
    ///
    /// # Security
    /// Use a separate label for each purpose; registered labels begin with `EXPORTER`. In TLS 1.2 the
    /// material is bound to the connection only if both ends use extended master secrets (RFC 7627), which
    /// rustls does whenever its peer can; [`require_ems`](rustls::ServerConfig::require_ems) demands them.
    ///
    /// The secret from which the material is derived is wiped when this value and its clones are dropped.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the output is empty; in TLS 1.2, if the context is longer than 65,535 bytes;
    /// in TLS 1.3, if the label is empty or longer than 249 bytes, or if the output is longer than 255
    /// digests of the suite's hash. Nothing is written then.
    pub fn export_keying_material<T: AsMut<[u8]>>(
        &self,
        mut output: T,
        label: &[u8],
        context: Option<&[u8]>,
    ) -> Result<T, Error> {
        self.exporter.export(output.as_mut(), label, context)?;
        Ok(output)
    }

    pub(super) fn record_version(&self) -> Result<Version, Error> {
        match self.version {
            ProtocolVersion::TLSv1_2 => Ok(Version::Tls12),
            ProtocolVersion::TLSv1_3 => Ok(Version::Tls13),
            _ => Err(Error::Unsupported("Keylane does not support this version of TLS")),
        }
    }
}
