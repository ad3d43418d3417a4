//! A handshake's bytes in both directions. rustls sees one of the peer's records at a time.

use crate::alert::{Alert, Level};
use crate::buffer::ReceiveBuffer;
use crate::record::HEADER_LEN;

/// Both directions of a handshake.
pub(crate) struct Wire {
    received: ReceiveBuffer,
    /// The number of received bytes that rustls may see.
    visible: usize,
    /// Whether the peer has sent a ChangeCipherSpec.
    pub(super) peer_changed_cipher: bool,
    pub(super) outgoing: Vec<u8>,
    sent: usize,
    /// Whether the transport has taken bytes and was not flushed since.
    pub(crate) unflushed: bool,
}

impl Wire {
    /// Begins with bytes that were already received.
    pub(super) fn new(received: ReceiveBuffer) -> Self {
        let peer_changed_cipher = false;
        Self { received, visible: 0, peer_changed_cipher, outgoing: Vec::new(), sent: 0, unflushed: false }
    }

    /// See [`Handshake::space`](super::Handshake::space).
    pub(crate) fn space(&mut self) -> &mut [u8] {
        self.received.space()
    }

    /// See [`Handshake::filled`](super::Handshake::filled).
    pub(crate) fn filled(&mut self, len: usize) {
        self.received.filled(len);
    }

    /// See [`Handshake::pending`](super::Handshake::pending).
    pub(crate) fn pending(&self) -> &[u8] {
        &self.outgoing[self.sent..]
    }

    /// See [`Handshake::sent`](super::Handshake::sent).
    pub(crate) fn sent(&mut self, len: usize) {
        self.sent += len;
        self.unflushed = true;
        assert!(self.sent <= self.outgoing.len(), "a transport wrote more bytes than it was given");
        if self.sent == self.outgoing.len() {
            self.outgoing.clear();
            self.sent = 0;
        }
    }

    /// Returns the buffer to the pool if it is empty, as while a peer has not begun.
    pub(crate) fn release(&mut self) {
        if self.received.received().is_empty() {
            self.received.clear();
        }
    }

    /// The bytes that rustls may see, and the place for its answer.
    pub(super) fn visible(&mut self) -> (&mut [u8], &mut Vec<u8>) {
        (&mut self.received.received_mut()[..self.visible], &mut self.outgoing)
    }

    /// Discards the first `len` of the visible bytes.
    pub(super) fn discard(&mut self, len: usize) {
        self.received.take(len);
        self.visible -= len;
    }

    /// Hides everything.
    pub(super) fn hide(&mut self) {
        self.visible = 0;
    }

    /// Returns the header of the record that rustls may see next.
    pub(super) fn next_header(&self) -> Option<&[u8; HEADER_LEN]> {
        self.received.received()[self.visible..].first_chunk()
    }

    /// Discards the bytes that rustls has not seen, at least a header, and shows it another record instead.
    pub(super) fn show_instead(&mut self, record: &[u8; HEADER_LEN]) {
        self.received.truncate(self.visible);
        self.received.space()[..HEADER_LEN].copy_from_slice(record);
        self.received.filled(HEADER_LEN);
        self.visible += HEADER_LEN;
    }

    /// Adds an alert, in plaintext.
    pub(super) fn alert(&mut self, alert: Alert) {
        self.outgoing.extend([21, 3, 3, 0, 2, Level::Fatal as u8, alert.0]);
    }

    /// Shows rustls one more record and returns it, `None` if it is not complete. A record of another version
    /// is shown as it is: rustls reports it and chooses the alert.
    pub(super) fn show_next_record(&mut self) -> Option<&[u8]> {
        let waiting = &self.received.received()[self.visible..];
        let &[kind, major, _, high, low] = waiting.first_chunk()?;
        let len = HEADER_LEN + usize::from(u16::from_be_bytes([high, low]));
        let shown = waiting.get(..if major == 3 { len } else { waiting.len() })?;
        self.visible += shown.len();
        self.peer_changed_cipher |= kind == 20;
        Some(shown)
    }

    /// Returns everything that was received and not discarded.
    pub(super) fn into_received(self) -> ReceiveBuffer {
        self.received
    }
}
