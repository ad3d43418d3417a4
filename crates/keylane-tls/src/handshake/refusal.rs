//! Refuses records before rustls sees them, and sends alerts that rustls does not send.

use super::exporter::expand;
use super::{Connection, EarlyData, Handshake, Step};
use crate::alert::{Alert, Level};
use crate::error::Error;
use crate::record::{Cipher, ContentType, HEADER_LEN, MAX_PLAINTEXT_LEN, RecordSealer, TrafficKeys, Version};
use rustls::crypto::tls13::OkmBlock;
use rustls::{
    AlertDescription, CipherSuite, InvalidMessage, PeerIncompatible, PeerMisbehaved, ProtocolVersion,
    SupportedCipherSuite,
};
use zeroize::Zeroizing;

/// The protection of an end's records.
enum Sending {
    Plain,
    /// TLS 1.3's, under this secret's first keys, and the next record's number.
    Sealed(OkmBlock, u64),
    /// Under keys that only rustls knows.
    Unknown,
}

/// Returns the error of a record whose header is to be refused (RFC 8446 §5.1, §5.2; RFC 5246 §6.2): rustls
/// sends another alert, or has no limit. `expansion` is the maximum difference between the lengths of a
/// record other than data and its plaintext.
pub(super) fn refusal(header: &[u8; HEADER_LEN], expansion: usize) -> Option<rustls::Error> {
    let &[kind, _, _, high, low] = header;
    let longest = match kind {
        20..=22 => MAX_PLAINTEXT_LEN + expansion,
        23 => MAX_PLAINTEXT_LEN + 256,
        _ => return Some(InvalidMessage::InvalidContentType.into()),
    };
    let len = usize::from(u16::from_be_bytes([high, low]));
    (len > longest).then_some(rustls::Error::PeerSentOversizedRecord)
}

/// Returns the alert for an error for which rustls has sent none.
pub(super) fn alert_for(error: &rustls::Error) -> Alert {
    match error {
        rustls::Error::PeerSentOversizedRecord => Alert::RECORD_OVERFLOW,
        // A record that does not decrypt (RFC 8446 §5.2).
        rustls::Error::PeerMisbehaved(PeerMisbehaved::RejectedEarlyDataInterleavedWithHandshakeMessage) => {
            Alert::BAD_RECORD_MAC
        }
        rustls::Error::PeerMisbehaved(PeerMisbehaved::ServerNameDifferedOnRetry) => Alert::ILLEGAL_PARAMETER,
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType)
        | rustls::Error::InappropriateMessage { .. }
        | rustls::Error::InappropriateHandshakeMessage { .. }
        | rustls::Error::PeerMisbehaved(_) => Alert::UNEXPECTED_MESSAGE,
        rustls::Error::InvalidMessage(why) => Alert(AlertDescription::from(*why).into()),
        error if misses_extension(error, true) => Alert::MISSING_EXTENSION,
        _ => Alert::INTERNAL_ERROR,
    }
}

/// Returns whether an error comes from an `incomplete` ClientHello, which lacks an extension: rustls does not
/// send the alert for it (RFC 8446 §9.2).
pub(super) fn misses_extension(error: &rustls::Error, incomplete: bool) -> bool {
    use PeerIncompatible::{
        KeyShareExtensionRequired, NoKxGroupsInCommon, SignatureAlgorithmsExtensionRequired,
    };
    match error {
        rustls::Error::PeerIncompatible(KeyShareExtensionRequired) => true,
        rustls::Error::PeerIncompatible(NoKxGroupsInCommon | SignatureAlgorithmsExtensionRequired) => {
            incomplete
        }
        _ => false,
    }
}

impl<Role> Handshake<Role> {
    /// Refuses the next record if its header is invalid. If only rustls has the keys for the alert, rustls
    /// sees an empty message instead, to which it responds with an alert. Returns whether it does.
    pub(super) fn refuse_next(&mut self) -> Result<bool, rustls::Error> {
        let expansion = if self.is_tls12() && self.wire.peer_changed_cipher { 2048 } else { 0 };
        match self.wire.next_header().and_then(|header| refusal(header, expansion)) {
            None => Ok(false),
            Some(_) if matches!(self.sending(), Sending::Unknown) => {
                self.wire.show_instead(&[22, 3, 3, 0, 0]);
                Ok(true)
            }
            Some(error) => Err(error),
        }
    }

    /// Ends the handshake with rustls' alert or, if rustls has sent none, one chosen here.
    pub(super) fn fail(&mut self, error: Error) {
        // Called again, rustls would look for messages that are not there.
        self.wire.hide();
        let before = self.wire.outgoing.len();
        while self.connection.common().wants_write() && matches!(self.step(), Ok(Step::Again)) {}
        if let Error::Handshake(error) = &error
            && (self.wire.outgoing.len() == before || misses_extension(error, self.offer.incomplete))
        {
            self.wire.outgoing.truncate(before);
            self.send_alert(alert_for(error));
        }
        self.outcome = Some(Err(error));
    }

    fn send_alert(&mut self, alert: Alert) {
        match (self.sending(), self.connection.common().negotiated_cipher_suite()) {
            (Sending::Plain, _) => self.wire.alert(alert),
            (Sending::Sealed(secret, sequence), Some(suite)) => {
                self.wire.outgoing.extend(seal(alert, suite, &secret, sequence).into_iter().flatten());
            }
            _ => {}
        }
    }

    fn sending(&self) -> Sending {
        let is_client = matches!(self.connection, Connection::Client(_));
        match self.listener.sending_secret() {
            Some(secret) if !(is_client && self.early.status != EarlyData::None) => {
                Sending::Sealed(secret, self.early.answers)
            }
            None if !(self.is_tls12() && self.changed_cipher) => Sending::Plain,
            _ => Sending::Unknown,
        }
    }

    fn is_tls12(&self) -> bool {
        self.connection.common().protocol_version() == Some(ProtocolVersion::TLSv1_2)
    }
}

/// Returns the first keys of a secret of TLS 1.3 (RFC 8446 §7.3).
pub(super) fn traffic_keys(suite: SupportedCipherSuite, secret: &OkmBlock) -> Option<TrafficKeys> {
    let SupportedCipherSuite::Tls13(suite) = suite else { return None };
    let cipher = match suite.common.suite {
        CipherSuite::TLS13_AES_128_GCM_SHA256 => Cipher::Aes128Gcm,
        CipherSuite::TLS13_AES_256_GCM_SHA384 => Cipher::Aes256Gcm,
        CipherSuite::TLS13_CHACHA20_POLY1305_SHA256 => Cipher::ChaCha20Poly1305,
        _ => return None,
    };
    let expander = suite.hkdf_provider.expander_for_okm(secret);
    let (mut key, mut iv) = (Zeroizing::new([0; 32]), Zeroizing::new([0; 12]));
    let key = &mut key[..cipher.key_len()];
    expand(&*expander, b"key", &[], key).ok()?;
    expand(&*expander, b"iv", &[], &mut iv[..]).ok()?;
    TrafficKeys::new(cipher, key, &iv).ok()
}

/// Seals an alert as record number `sequence` under a secret's first keys.
fn seal(alert: Alert, suite: SupportedCipherSuite, secret: &OkmBlock, sequence: u64) -> Option<Vec<u8>> {
    let mut sealer = RecordSealer::new(Version::Tls13, &traffic_keys(suite, secret)?, sequence);
    let text = [Level::Fatal as u8, alert.0];
    let mut record = vec![0; text.len() + sealer.overhead()];
    sealer.seal(ContentType::Alert, &[&text], &mut record).ok()?;
    Some(record)
}
