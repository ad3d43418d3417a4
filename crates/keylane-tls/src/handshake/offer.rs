//! Offers of early data (RFC 8446 §4.2.10). rustls reports neither a client's offer nor the server's answer,
//! and it counts rejected data with its padding, types and tags.

use super::EarlyData;
use super::listener::{CLIENT_HANDSHAKE, Listener, SERVER_HANDSHAKE};
use super::messages::{
    Message, RANDOM_LEN, extension, of_client_hello, of_encrypted, records, server_random,
};
use super::refusal::traffic_keys;
use crate::alert::Alert;
use crate::record::{ContentType, HEADER_LEN, RecordOpener, Version};
use rustls::{PeerMisbehaved, SupportedCipherSuite};

/// The number of empty records that a server skips.
const MAX_EMPTY: u64 = 32;

/// An offer of early data, as far as the messages of both ends show it.
#[derive(Default)]
pub(super) struct Offer {
    /// The number of records that a server still skips; `None` if it rejects nothing.
    left: Option<u64>,
    /// For servers: whether the client's first message was read.
    heard: bool,
    /// Whether its last ClientHello attempts TLS 1.3 without an extension that this requires (RFC 8446 §9.2).
    pub(super) incomplete: bool,
    /// Whether the server's answer was read.
    answered: bool,
    /// The random bytes of the server's first message, which rustls does not report.
    pub(super) server_random: Option<[u8; RANDOM_LEN]>,
    /// The server's first message.
    server_hello: Message,
    /// The client's message or the server's answer.
    message: Message,
    /// Opens the server's answer; then, on the server, what the client sends under the handshake's keys.
    opener: Option<RecordOpener>,
}

impl Offer {
    /// Begins a server's. Each rejected record counts as one byte: its length includes padding of unknown
    /// length.
    pub(super) fn with_limit(max_early_data_size: u32) -> Self {
        let limit = if max_early_data_size == 0 { 16 << 10 } else { u64::from(max_early_data_size) };
        Self { left: Some(limit + MAX_EMPTY), ..Self::default() }
    }

    /// For servers: looks at a client's record, whose first message may offer early data. A second
    /// ClientHello, after a HelloRetryRequest, follows the data.
    pub(super) fn read_hello(
        &mut self,
        status: &mut EarlyData,
        record: &[u8],
        suite: Option<SupportedCipherSuite>,
    ) {
        if record[0] != 22 || matches!(suite, Some(SupportedCipherSuite::Tls12(_))) {
            return;
        }
        let hello = self.message.add(&record[HEADER_LEN..], |body| {
            let extensions = of_client_hello(body).unwrap_or_default();
            let has = |kind| extension(extensions, kind).is_some();
            let versions = extension(extensions, 43).and_then(|list| list.get(1..)).unwrap_or_default();
            let is_tls13 = versions.chunks(2).any(|version| version == [3, 4]);
            (is_tls13 && ![10, 13, 51].into_iter().all(has), has(42))
        });
        let Some((incomplete, has_early_data)) = hello else { return };
        self.incomplete = incomplete;
        if has_early_data && !self.heard {
            *status = EarlyData::Rejected;
        } else {
            self.left = None;
        }
        self.heard = true;
    }

    /// Looks at a server's records for its random bytes and, in EncryptedExtensions, for its acceptance of
    /// early data.
    pub(super) fn read_answer(
        &mut self,
        status: &mut EarlyData,
        bytes: &[u8],
        suite: Option<SupportedCipherSuite>,
        listener: &Listener,
    ) {
        for record in records(bytes).filter(|record| record[0] == 22) {
            if self.server_random.is_none() {
                self.server_random = self.server_hello.add(&record[HEADER_LEN..], server_random).flatten();
            }
        }
        if self.answered || *status != EarlyData::Rejected {
            return;
        }
        for record in records(bytes).filter(|record| record[0] == 23) {
            let Some(opener) = opener(&mut self.opener, SERVER_HANDSHAKE, suite, listener) else {
                // rustls skips records under another provider's cipher, which the hand-over refuses.
                self.left = None;
                return;
            };
            let mut record = record.to_vec();
            // rustls refuses invalid records.
            let Ok((ContentType::Handshake, text)) = opener.open(&mut record) else { return };
            let accepts = |body: &[u8]| of_encrypted(body).and_then(|all| extension(all, 42)).is_some();
            if let Some(accepts) = self.message.add(&record[text], accepts) {
                if accepts {
                    (*status, self.left) = (EarlyData::Accepted, None);
                }
                (self.answered, self.opener) = (true, None);
                return;
            }
        }
    }

    /// For servers: returns whether to skip a record as rejected early data. Such data ends with the first
    /// record that the handshake's keys open or, after a HelloRetryRequest, with the client's next message.
    pub(super) fn skips(
        &mut self,
        record: &[u8],
        suite: Option<SupportedCipherSuite>,
        listener: &Listener,
    ) -> Result<bool, rustls::Error> {
        let (Some(left), [23, 3, ..], Some(SupportedCipherSuite::Tls13(_))) = (self.left, record, suite)
        else {
            return Ok(false);
        };
        if self.answered {
            let opened = opener(&mut self.opener, CLIENT_HANDSHAKE, suite, listener)
                .map(|opener| opener.open(&mut record.to_vec()));
            if !matches!(opened, Some(Err(error)) if error.alert_sent() == Some(Alert::BAD_RECORD_MAC)) {
                (self.left, self.opener) = (None, None);
                return Ok(false);
            }
        }
        self.left = Some(left.checked_sub(1).ok_or(PeerMisbehaved::TooMuchEarlyDataReceived)?);
        Ok(true)
    }
}

/// Returns an opener for the records that one end sends under TLS 1.3's handshake keys, from the first on.
fn opener<'a>(
    opener: &'a mut Option<RecordOpener>,
    secret: &str,
    suite: Option<SupportedCipherSuite>,
    listener: &Listener,
) -> Option<&'a mut RecordOpener> {
    if opener.is_none() {
        let keys = traffic_keys(suite?, &listener.secret(secret)?)?;
        *opener = Some(RecordOpener::new(Version::Tls13, &keys, 0));
    }
    opener.as_mut()
}
