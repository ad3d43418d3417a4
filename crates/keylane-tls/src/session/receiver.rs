//! The receiving direction: records are opened in place in one buffer, which lends the data.

use super::flood::Flood;
use super::messages::{self, KeyUpdate, Message};
use super::schedule::SharedSchedule;
use super::{Options, Side};
use crate::alert::{Alert, Level};
use crate::buffer::ReceiveBuffer;
use crate::debug::debug;
use crate::error::Error;
use crate::record::{ContentType, HEADER_LEN, RecordOpener, Version};
use core::ops::Range;
use keylane_cpu::constant_time::declassify;

/// The length of TLS 1.3's shortest alert, header included. An alert after data has this length unless its
/// sender padded it.
const TLS13_ALERT_LEN: usize = HEADER_LEN + 2 + 1 + 16;

/// The state of a [`Receiver`].
///
/// ```
/// use keylane_tls::session::Status;
///
/// /// Whether there is anything to wait for.
/// fn waits(status: Status) -> bool {
///     status == Status::NeedsInput
/// }
/// # let _ = waits;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// [`Receiver::data`] has data.
    Data,
    /// More bytes are needed from the transport.
    NeedsInput,
    /// The peer has closed: no more data will arrive.
    Closed,
}

/// The replies to received messages, for [`Sender::reply`](super::Sender::reply) to send.
///
/// ```
/// use keylane_tls::session::Session;
///
/// /// After what was received was worked through, whatever came of it.
/// fn answer(session: &mut Session) {
///     let replies = session.receiver.take_replies();
///     if !replies.is_empty() {
///         session.sender.reply(replies);
///     }
/// }
/// # let _ = answer;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use = "the peer waits for these replies"]
pub struct PendingReplies {
    /// The peer asked for a KeyUpdate.
    pub(super) key_update: bool,
    /// The peer asked for a renegotiation, which does not happen.
    pub(super) no_renegotiation: bool,
    /// The connection has failed.
    pub(super) failed: Option<CloseReason>,
}

/// The alert for the peer when a connection fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CloseReason {
    /// No reply: the peer knows.
    Silent,
    Alert(Alert),
}

impl PendingReplies {
    /// Returns whether there is nothing to send and the connection is intact.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        !self.key_update && !self.no_renegotiation && self.failed.is_none()
    }

    /// Adds later ones.
    pub(crate) fn add(&mut self, later: Self) {
        self.key_update |= later.key_update;
        self.no_renegotiation |= later.no_renegotiation;
        self.failed = self.failed.or(later.failed);
    }
}

/// The end of the data.
#[derive(Debug)]
enum End {
    Closed,
    Failed(Error),
}

/// The receiving direction of a session.
///
/// ```
/// use keylane_tls::session::{Receiver, Status};
///
/// /// Takes what has arrived. Returns whether more may follow.
/// fn take(receiver: &mut Receiver, text: &mut Vec<u8>) -> Result<bool, keylane_tls::Error> {
///     loop {
///         match receiver.process()? {
///             Status::Data => {
///                 text.extend_from_slice(receiver.data());
///                 receiver.consume(receiver.data().len());
///             }
///             Status::NeedsInput => return Ok(true),
///             Status::Closed => return Ok(false),
///         }
///     }
/// }
/// # let _ = take;
/// ```
pub struct Receiver {
    opener: RecordOpener,
    buffer: ReceiveBuffer,
    /// Opened data that was not consumed: the current record's, and that of one short record after it.
    data: [Range<usize>; 2],
    /// The received part of an incomplete handshake message.
    partial: Vec<u8>,
    end: Option<End>,
    input_ended: bool,
    replies: PendingReplies,
    flood: Flood,
    version: Version,
    side: Side,
    allow_truncation: bool,
    schedule: SharedSchedule,
}

impl Receiver {
    pub(super) fn new(
        version: Version,
        side: Side,
        opener: RecordOpener,
        received: ReceiveBuffer,
        schedule: SharedSchedule,
        options: &Options,
    ) -> Self {
        Self {
            opener,
            buffer: received,
            data: [0..0, 0..0],
            partial: Vec::new(),
            end: None,
            input_ended: false,
            replies: PendingReplies::default(),
            flood: Flood::default(),
            version,
            side,
            allow_truncation: options.allow_truncation,
            schedule,
        }
    }

    /// Opens received records up to the next application data.
    ///
    /// # Errors
    /// The error that ended the connection, which every later call returns again: the peer broke the protocol
    /// or a record was forged ([`Error::Protocol`]), an alert arrived ([`Error::AlertReceived`]), or the
    /// transport ended too early ([`Error::Truncated`]). Authentic data that came before is returned first.
    /// Call [`take_replies`](Self::take_replies) in any case.
    pub fn process(&mut self) -> Result<Status, Error> {
        self.advance();
        if !self.data().is_empty() {
            return Ok(Status::Data);
        }
        match &self.end {
            None => Ok(Status::NeedsInput),
            Some(End::Closed) => Ok(Status::Closed),
            Some(End::Failed(error)) => Err(error.clone()),
        }
    }

    /// Returns data from the peer, authentic and in order, where it was decrypted. Empty unless
    /// [`process`](Self::process) has returned [`Status::Data`].
    #[must_use]
    #[inline]
    pub fn data(&self) -> &[u8] {
        self.buffer.taken(self.data[0].clone())
    }

    /// Removes `len` bytes from the front of [`data`](Self::data). After the last of them, the next record is
    /// opened if it has arrived, so that the peer's close is known together with its last data.
    ///
    /// # Panics
    /// If `len` is more than the length of [`data`](Self::data).
    #[inline]
    pub fn consume(&mut self, len: usize) {
        let current = &mut self.data[0];
        assert!(len <= current.len(), "consumed more than there was");
        current.start += len;
        if self.data().is_empty() {
            self.data.swap(0, 1);
            self.data[1] = 0..0;
            self.advance();
            if self.end.is_some() {
                // The end may have arrived before the last data was consumed.
                self.release();
            }
        }
    }

    /// Returns whether the peer has closed: no data will follow what was already received.
    #[must_use]
    pub fn peer_closed(&self) -> bool {
        matches!(self.end, Some(End::Closed))
    }

    /// Returns space for bytes from the transport, at least one record's length; call
    /// [`filled`](Self::filled) afterwards. Empty if data must be consumed first or none can arrive.
    pub fn space(&mut self) -> &mut [u8] {
        if self.end.is_some() || !self.data().is_empty() {
            return &mut [];
        }
        self.buffer.space()
    }

    /// Reports that the transport has written `len` bytes to the front of [`space`](Self::space).
    ///
    /// # Panics
    /// If `len` is more than the length of [`space`](Self::space).
    pub fn filled(&mut self, len: usize) {
        self.buffer.filled(len);
    }

    /// Reports that the transport has ended. Data that was received before can still be consumed.
    pub fn end_of_input(&mut self) {
        self.input_ended = true;
        self.advance();
    }

    /// Ends the data at the transport's end, after all records before it were opened.
    fn end_without_close(&mut self) {
        let clean = self.buffer.received().is_empty() && self.partial.is_empty();
        self.end(if clean && self.allow_truncation { End::Closed } else { End::Failed(Error::Truncated) });
    }

    /// Takes the replies that the sender must send to the peer.
    #[inline]
    pub fn take_replies(&mut self) -> PendingReplies {
        core::mem::take(&mut self.replies)
    }

    /// Frees the buffer, or keeps it for reuse, if it is empty: for idle connections. A partial record keeps
    /// it.
    pub fn release(&mut self) {
        if self.data().is_empty() && self.buffer.received().is_empty() {
            self.buffer.clear();
        }
    }

    /// Opens records until there is data, and then one more if it may be an alert.
    fn advance(&mut self) {
        while self.end.is_none() {
            // With data in the first place, the next record is read ahead, into the second.
            let [ahead, full] = [0, 1].map(|record| !self.data[record].is_empty());
            if full {
                return;
            }
            match self.next_record(ahead) {
                Ok(Some(data)) => self.data[usize::from(ahead)] = data,
                Ok(None) if self.input_ended && !ahead => self.end_without_close(),
                Ok(None) => return,
                Err(error) => self.fail(error),
            }
        }
    }

    /// Opens the next record if it is complete and, with `only_alert`, may be an alert. Returns the range of
    /// its data, which is empty if it has none.
    fn next_record(&mut self, only_alert: bool) -> Result<Option<Range<usize>>, Error> {
        let received = self.buffer.received_mut();
        let Some(header) = received.first_chunk() else { return Ok(None) };
        if only_alert && !may_be_alert(self.version, header) {
            return Ok(None);
        }
        let len = self.opener.record_len(*header)?;
        let Some(record) = received.get_mut(..len) else { return Ok(None) };
        let (content, text) = self.opener.open(record)?;
        let at = self.buffer.take(len);
        let text = at + text.start..at + text.end;
        self.handle(content, text).map(Some)
    }

    fn handle(&mut self, content: ContentType, text: Range<usize>) -> Result<Range<usize>, Error> {
        if content != ContentType::Handshake && !self.partial.is_empty() {
            let what = "another record within a handshake message";
            return Err(Error::protocol(Alert::UNEXPECTED_MESSAGE, what));
        }
        match content {
            ContentType::ApplicationData if text.is_empty() => self.flood.empty_record()?,
            ContentType::ApplicationData => {
                self.flood.data();
                return Ok(text);
            }
            ContentType::Alert => self.handle_alert(text)?,
            ContentType::Handshake => self.handle_handshake(text)?,
        }
        Ok(0..0)
    }

    fn handle_alert(&mut self, text: Range<usize>) -> Result<(), Error> {
        let &[level, description] = self.buffer.taken(text.clone()) else {
            let alert = if text.is_empty() { Alert::UNEXPECTED_MESSAGE } else { Alert::DECODE_ERROR };
            return Err(Error::protocol(alert, "a record that does not hold exactly one alert"));
        };
        let [level, description] = declassify([level, description]);
        let alert = Alert(description);
        let is_warning = match self.version {
            // TLS 1.3 ignores the level (RFC 8446 §6).
            Version::Tls13 => alert == Alert::USER_CANCELED,
            Version::Tls12 if level == Level::Warning as u8 => true,
            Version::Tls12 if level == Level::Fatal as u8 => false,
            Version::Tls12 => {
                return Err(Error::protocol(Alert::ILLEGAL_PARAMETER, "an alert of an unknown level"));
            }
        };
        if alert == Alert::CLOSE_NOTIFY {
            self.end(End::Closed);
            return Ok(());
        }
        if is_warning { self.flood.warning() } else { Err(Error::AlertReceived(alert)) }
    }

    fn handle_handshake(&mut self, text: Range<usize>) -> Result<(), Error> {
        if text.is_empty() {
            return Err(Error::protocol(Alert::UNEXPECTED_MESSAGE, "an empty handshake record"));
        }
        let text = self.buffer.taken(text);
        // Only a message that spans records is copied.
        let mut partial = core::mem::take(&mut self.partial);
        let spans = !partial.is_empty();
        if spans {
            partial.extend_from_slice(text);
        }
        let bytes = if spans { partial.as_slice() } else { text };
        let mut rest = bytes;
        while let Some((message, after)) = messages::first(rest, self.version, self.side)? {
            rest = after;
            match message {
                Message::KeyUpdate(_) if !rest.is_empty() => {
                    let what = "a handshake message after a key update, under the old keys";
                    return Err(Error::protocol(Alert::UNEXPECTED_MESSAGE, what));
                }
                Message::KeyUpdate(kind) => {
                    let (keys, answers) = self.schedule.next_receive_keys()?;
                    if !answers {
                        self.flood.key_update()?;
                    }
                    self.opener = RecordOpener::new(self.version, &keys, 0);
                    self.replies.key_update |= kind == KeyUpdate::Requested;
                }
                Message::NewSessionTicket(body) => {
                    self.flood.ticket(messages::HEADER_LEN + body.len())?;
                    self.schedule.keep_ticket(body).map_err(|error| match error {
                        Error::Protocol { .. } => error,
                        _ => Error::protocol(Alert::DECODE_ERROR, "a session ticket that cannot be stored"),
                    })?;
                }
                Message::RenegotiationRequest => {
                    self.flood.renegotiation()?;
                    self.replies.no_renegotiation = true;
                }
            }
        }
        // A long message's allocation is not kept.
        self.partial = if spans && rest.len() == bytes.len() { partial } else { rest.to_vec() };
        Ok(())
    }

    fn fail(&mut self, error: Error) {
        self.replies.failed = Some(match error.alert_sent() {
            Some(alert) => CloseReason::Alert(alert),
            None => CloseReason::Silent,
        });
        self.end(End::Failed(error));
    }

    /// Ends the data. What follows is ignored.
    fn end(&mut self, end: End) {
        self.end = Some(end);
        self.partial = Vec::new();
        self.buffer.discard();
        self.release();
    }
}

/// Returns whether a record may be an alert, judged by its header alone.
fn may_be_alert(version: Version, header: &[u8; HEADER_LEN]) -> bool {
    match version {
        Version::Tls13 => header[3..] == ((TLS13_ALERT_LEN - HEADER_LEN) as u16).to_be_bytes(),
        Version::Tls12 => header[0] == ContentType::Alert as u8,
    }
}

debug! { Receiver: opener, end }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_add_up() {
        let asked = PendingReplies { key_update: true, no_renegotiation: true, failed: None };
        let failed = PendingReplies { failed: Some(CloseReason::Silent), ..PendingReplies::default() };
        let mut all = PendingReplies::default();
        for later in [asked, failed, asked] {
            all.add(later);
        }
        assert_eq!(all, PendingReplies { failed: Some(CloseReason::Silent), ..asked });
    }
}
