//! The sending direction: the caller's slices are sealed straight into the send buffer, several records at a
//! time.

use super::Options;
use super::messages::KeyUpdate;
use super::receiver::{CloseReason, PendingReplies};
use super::schedule::SharedSchedule;
use super::sizing::Sizing;
use crate::alert::{Alert, Level};
use crate::buffer::SendBuffer;
use crate::debug::debug;
use crate::error::Error;
use crate::record::{ContentType, RecordSealer, Version};
use std::io::IoSlice;
use std::time::Instant;

/// Space that data leaves free for alerts and key updates, which must not wait.
const CONTROL_ROOM: usize = 256;

/// The sending direction of a session.
///
/// ```
/// use keylane_tls::session::Sender;
/// use std::io::{self, IoSlice, Write};
/// use std::net::TcpStream;
///
/// fn send(sender: &mut Sender, mut data: &[u8], transport: &mut TcpStream) -> io::Result<()> {
///     while !data.is_empty() {
///         let taken = sender.write(&[IoSlice::new(data)])?;
///         data = &data[taken..];
///         transport.write_all(sender.pending())?;
///         sender.sent(sender.pending().len());
///     }
///     Ok(())
/// }
/// # let _ = send;
/// ```
pub struct Sender {
    sealer: RecordSealer,
    buffer: SendBuffer,
    sizing: Sizing,
    /// The reason why nothing more can be sent.
    end: Option<Error>,
    /// The length of the record of `close_notify`, if it was sealed.
    close_len: usize,
    /// Whether a request of the peer for new keys was answered and no data has been sealed since.
    answered: bool,
    version: Version,
    records_per_key: u64,
    schedule: SharedSchedule,
}

impl Sender {
    pub(super) fn new(
        version: Version,
        mut sealer: RecordSealer,
        schedule: SharedSchedule,
        options: &Options,
    ) -> Self {
        // With one record per key, each key update would need another.
        let records_per_key = options.records_per_key.max(2);
        sealer.limit_records(records_per_key);
        Self {
            sealer,
            buffer: SendBuffer::new(),
            sizing: Sizing::new(options),
            end: None,
            close_len: 0,
            answered: false,
            version,
            records_per_key,
            schedule,
        }
    }

    /// Seals the concatenation of `data`'s slices, up to 15 in a record, as far as the buffer has room:
    /// several records if nothing is [`pending`](Self::pending). Returns the number of bytes taken, which is
    /// 0 if pending records leave no room.
    ///
    /// # Errors
    /// [`Error::Closed`] after [`close`](Self::close) or when the connection has failed;
    /// [`Error::KeysExhausted`]. In each case, no bytes were taken.
    pub fn write(&mut self, data: &[IoSlice<'_>]) -> Result<usize, Error> {
        let mut taken = 0;
        let mut waiting = Waiting::new(data);
        // New keys may come before the data.
        self.buffer.make_room(waiting.len.saturating_add(self.sealer.overhead() + 2 * CONTROL_ROOM));
        while waiting.len > 0 {
            if let Err(error) = self.ready_for_data() {
                return if taken > 0 { Ok(taken) } else { Err(error) };
            }
            let overhead = self.sealer.overhead();
            let most = waiting.len.min(crate::record::MAX_PLAINTEXT_LEN);
            if self.buffer.room_len() < most + overhead + CONTROL_ROOM {
                break;
            }
            let len = self.sizing.next_len(waiting.len, overhead, Instant::now);
            let mut slices: [&[u8]; RecordSealer::MAX_SLICES] = [&[]; RecordSealer::MAX_SLICES];
            let (count, len) = waiting.take(len, &mut slices);
            self.seal(ContentType::ApplicationData, &slices[..count])?;
            self.answered = false;
            taken += len;
        }
        Ok(taken)
    }

    /// Returns the sealed records to send; call [`sent`](Self::sent) afterwards.
    #[must_use]
    #[inline]
    pub fn pending(&self) -> &[u8] {
        self.buffer.pending()
    }

    /// Reports that the transport has taken `len` bytes from the front of [`pending`](Self::pending).
    ///
    /// # Panics
    /// If `len` is more than the length of [`pending`](Self::pending).
    #[inline]
    pub fn sent(&mut self, len: usize) {
        self.buffer.sent(len);
    }

    /// Renews the keys for sending (RFC 8446 §4.6.3). With `request_peer`, also asks the peer to renew its
    /// own, unless an earlier request is still unanswered.
    ///
    /// # Errors
    /// [`Error::Unsupported`] in TLS 1.2, or if too much is pending; [`Error::Closed`] after
    /// [`close`](Self::close) or when the connection has failed.
    pub fn update_keys(&mut self, request_peer: bool) -> Result<(), Error> {
        if self.version == Version::Tls12 {
            return Err(Error::Unsupported("TLS 1.2 cannot renew keys"));
        }
        self.check_open()?;
        if self.buffer.room_len() < CONTROL_ROOM {
            return Err(Error::Unsupported("too much is pending: send it before you renew the keys"));
        }
        self.key_update(if request_peer { KeyUpdate::Requested } else { KeyUpdate::NotRequested })
    }

    /// Seals `close_notify`, after which no data can be sent. The other direction is not affected.
    pub fn close(&mut self) {
        if self.end.is_none() {
            let before = self.pending().len();
            self.alert(Level::Warning, Alert::CLOSE_NOTIFY);
            self.close_len = self.pending().len() - before;
            self.end = Some(Error::Closed);
        }
    }

    /// Returns whether only `close_notify` is pending.
    pub(crate) fn only_closes(&self) -> bool {
        self.pending().len() <= self.close_len
    }

    /// Seals the replies from [`Receiver::take_replies`](super::Receiver::take_replies).
    pub fn reply(&mut self, replies: PendingReplies) {
        // The last record of a key is kept for the closing alert.
        if self.end.is_none() && replies.no_renegotiation && self.sealer.records_left() > 1 {
            self.alert(Level::Warning, Alert::NO_RENEGOTIATION);
        }
        // While this end sends no data, one update answers all requests (RFC 8446 §4.6.3): the keys that it
        // announced have sealed no data yet. How much a peer can make this end send therefore does not depend
        // on how its bytes are divided among reads.
        if self.end.is_none() && replies.key_update && !self.answered {
            self.answered = true;
            if let Err(error) = self.key_update(KeyUpdate::NotRequested) {
                self.end = Some(error);
            }
        }
        if let Some(reason) = replies.failed {
            if let (CloseReason::Alert(alert), None) = (reason, &self.end) {
                self.alert(Level::Fatal, alert);
            }
            self.end = Some(Error::Closed);
        }
    }

    /// Frees the buffer, or keeps it for reuse, if nothing is pending: for idle connections.
    pub fn release(&mut self) {
        self.buffer.release();
    }

    #[inline]
    fn check_open(&self) -> Result<(), Error> {
        match &self.end {
            None => Ok(()),
            Some(error) => Err(error.clone()),
        }
    }

    /// Checks that a data record may be sealed. Renews the keys with the last record that they may seal.
    fn ready_for_data(&mut self) -> Result<(), Error> {
        self.check_open()?;
        if self.sealer.records_left() > 1 {
            return Ok(());
        }
        match self.version {
            Version::Tls13 if self.buffer.room_len() >= CONTROL_ROOM => self.key_update(KeyUpdate::Requested),
            // There is no room for data either, so the keys are renewed later.
            Version::Tls13 => Ok(()),
            Version::Tls12 => {
                self.close();
                self.end = Some(Error::KeysExhausted);
                Err(Error::KeysExhausted)
            }
        }
    }

    fn key_update(&mut self, mut kind: KeyUpdate) -> Result<(), Error> {
        if self.schedule.asked() {
            // RFC 9846 §4.7.3.
            kind = KeyUpdate::NotRequested;
        }
        self.seal(ContentType::Handshake, &[&kind.message()])?;
        match self.schedule.next_send_keys(kind) {
            Ok(keys) => {
                self.sealer = RecordSealer::new(self.version, &keys, 0);
                self.sealer.limit_records(self.records_per_key);
                Ok(())
            }
            Err(error) => {
                // The peer now expects keys that do not exist.
                self.end = Some(error.clone());
                Err(error)
            }
        }
    }

    /// Sends an alert if there is room for it.
    fn alert(&mut self, level: Level, alert: Alert) {
        let _ = self.seal(ContentType::Alert, &[&[level as u8, alert.0]]);
    }

    fn seal(&mut self, content: ContentType, slices: &[&[u8]]) -> Result<(), Error> {
        let sealed = self.sealer.seal(content, slices, self.buffer.room())?;
        self.buffer.sealed(sealed);
        Ok(())
    }
}

debug! { Sender: sealer, end }

/// The part of the caller's slices that is not sealed yet.
struct Waiting<'a> {
    /// The rest of the first slice.
    first: &'a [u8],
    others: &'a [IoSlice<'a>],
    /// The length of all.
    len: usize,
}

impl<'a> Waiting<'a> {
    fn new(data: &'a [IoSlice<'a>]) -> Self {
        let len = data.iter().fold(0_usize, |sum, slice| sum.saturating_add(slice.len()));
        let (first, others) =
            data.split_first().map_or((&[][..], data), |(first, others)| (&**first, others));
        Self { first, others, len }
    }

    /// Takes up to `len` bytes, as many as `slices` can hold. Returns the number of slices and of bytes.
    fn take(&mut self, len: usize, slices: &mut [&'a [u8]]) -> (usize, usize) {
        let (mut count, mut taken) = (0, 0);
        while taken < len && count < slices.len() {
            let (head, rest) = self.first.split_at(self.first.len().min(len - taken));
            if !head.is_empty() {
                slices[count] = head;
                count += 1;
                taken += head.len();
            }
            self.first = rest;
            if rest.is_empty() {
                let Some((first, others)) = self.others.split_first() else { break };
                (self.first, self.others) = (first, others);
            }
        }
        self.len -= taken;
        (count, taken)
    }
}
