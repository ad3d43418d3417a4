//! Records that end a handshake before rustls sees them, and alerts where rustls has none.

use super::{Connection, EarlyData, Handshake, Step};
use crate::alert::{Alert, Level};
use crate::error::Error;
use crate::record::{Cipher, ContentType, HEADER_LEN, MAX_PLAINTEXT_LEN, RecordSealer, TrafficKeys, Version};
use rustls::crypto::tls13::OkmBlock;
use rustls::{CipherSuite, InvalidMessage, ProtocolVersion, SupportedCipherSuite};
use zeroize::Zeroizing;

/// How an end protects what it sends.
enum Sending {
    Plain,
    /// By TLS 1.3, under the keys of this secret, which have sealed nothing yet.
    Sealed(OkmBlock),
    /// Under keys that only rustls knows.
    Unknown,
}

/// Why a record is refused by its header (RFC 8446 §5.1, §5.2; RFC 5246 §6.2): rustls has another alert, or
/// no limit. `expansion` is how much longer than a plaintext it may be if it is not data.
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

/// The alert for an error, if rustls has sent none.
pub(super) fn alert_for(error: &rustls::Error) -> Alert {
    match error {
        rustls::Error::PeerSentOversizedRecord => Alert::RECORD_OVERFLOW,
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType)
        | rustls::Error::InappropriateMessage { .. }
        | rustls::Error::InappropriateHandshakeMessage { .. }
        | rustls::Error::PeerMisbehaved(_) => Alert::UNEXPECTED_MESSAGE,
        rustls::Error::InvalidMessage(_) => Alert::DECODE_ERROR,
        _ => Alert::INTERNAL_ERROR,
    }
}

impl<Role> Handshake<Role> {
    /// Returns why the next record is refused by its header. If only rustls can tell the peer, it is shown an
    /// empty message instead, for which it has an alert.
    pub(super) fn refuses_next(&mut self) -> Option<rustls::Error> {
        let expansion = if self.is_tls12() && self.wire.peer_changed_cipher { 2048 } else { 0 };
        let error = refusal(self.wire.next_header()?, expansion)?;
        if matches!(self.sending(), Sending::Unknown) {
            *self.wire.next_header()? = [22, 3, 3, 0, 0];
            return None;
        }
        Some(error)
    }

    /// Ends the handshake. Only an alert is left to send: rustls', or one where it has none.
    pub(super) fn fail(&mut self, error: Error) {
        // Called again, rustls would look for messages that are not there.
        self.wire.hide();
        let before = self.wire.pending().len();
        while self.common().wants_write() && matches!(self.step(), Ok(Step::Again)) {}
        if self.wire.pending().len() == before
            && let Error::Handshake(error) = &error
        {
            self.send_alert(alert_for(error));
        }
        self.outcome = Some(Err(error));
    }

    fn send_alert(&mut self, alert: Alert) {
        match (self.sending(), self.common().negotiated_cipher_suite()) {
            (Sending::Plain, _) => self.wire.alert(alert),
            (Sending::Sealed(secret), Some(suite)) => {
                self.wire.outgoing.extend(seal(alert, suite, &secret).into_iter().flatten());
            }
            _ => {}
        }
    }

    fn sending(&self) -> Sending {
        let sent_early = match self.connection {
            Connection::Client(_) => self.early.status != EarlyData::None,
            Connection::Server(_) => self.early.answered,
        };
        match self.listener.sending_secret() {
            Some(secret) if !sent_early => Sending::Sealed(secret),
            None if !(self.is_tls12() && self.changed_cipher) => Sending::Plain,
            _ => Sending::Unknown,
        }
    }

    fn is_tls12(&self) -> bool {
        self.common().protocol_version() == Some(ProtocolVersion::TLSv1_2)
    }
}

/// Seals an alert as the first record under the keys of a secret (RFC 8446 §7.3).
fn seal(alert: Alert, suite: SupportedCipherSuite, secret: &OkmBlock) -> Option<Vec<u8>> {
    let SupportedCipherSuite::Tls13(suite) = suite else { return None };
    let cipher = match suite.common.suite {
        CipherSuite::TLS13_AES_128_GCM_SHA256 => Cipher::Aes128Gcm,
        CipherSuite::TLS13_AES_256_GCM_SHA384 => Cipher::Aes256Gcm,
        CipherSuite::TLS13_CHACHA20_POLY1305_SHA256 => Cipher::ChaCha20Poly1305,
        _ => return None,
    };
    let expander = suite.hkdf_provider.expander_for_okm(secret);
    let expand = |label: &[u8], output: &mut [u8]| {
        let lens = [0, output.len() as u8, label.len() as u8];
        expander.expand_slice(&[&lens, label, &[0]], output).ok()
    };
    let (mut key, mut iv) = (Zeroizing::new([0; 32]), Zeroizing::new([0; 12]));
    let key = &mut key[..cipher.key_len()];
    expand(b"tls13 key", key)?;
    expand(b"tls13 iv", &mut iv[..])?;
    let mut sealer = RecordSealer::new(Version::Tls13, &TrafficKeys::new(cipher, key, &iv).ok()?, 0);
    let text = [Level::Fatal as u8, alert.0];
    let mut record = vec![0; text.len() + sealer.overhead()];
    sealer.seal(ContentType::Alert, &[&text], &mut record).ok()?;
    Some(record)
}
