//! Moves bytes between a session and a transport, for blocking and asynchronous streams: an asynchronous
//! transport looks like one that returns `WouldBlock`.

use crate::Error;
use crate::handshake::{Negotiation, Wire};
use crate::session::{PendingReplies, Receiver, Sender, Status};
use std::io::{self, IoSlice, Read, Write};

/// The parts of a connection that its receiving direction needs: the transport's bytes, and a way to the
/// sender.
pub(crate) struct Upstream<R, F> {
    pub(crate) transport: R,
    /// Passes replies to the sender and sends as much of the pending bytes as the transport takes at once.
    /// Called before each wait for the transport, mostly without replies, and whenever there are replies,
    /// since later data must follow them (RFC 8446 §4.6.3).
    pub(crate) reply: F,
}

/// A name for the type of [`Upstream::reply`].
pub(crate) trait Reply<R>: FnMut(&mut R, PendingReplies) {}
impl<R, F: FnMut(&mut R, PendingReplies)> Reply<R> for F {}

impl<R, F: Reply<R>> Upstream<R, F> {
    fn reply(&mut self, replies: PendingReplies) {
        (self.reply)(&mut self.transport, replies);
    }
}

/// Receives until there is data, or until the peer has closed, which leaves [`Receiver::data`] empty.
pub(crate) fn receive<R: Read>(
    receiver: &mut Receiver,
    upstream: &mut Upstream<R, impl Reply<R>>,
) -> io::Result<()> {
    loop {
        let status = receiver.process();
        if matches!(status, Ok(Status::Data)) {
            pass_on(receiver, upstream);
            return Ok(());
        }
        upstream.reply(receiver.take_replies());
        if status? == Status::Closed {
            return Ok(());
        }
        match upstream.transport.read(receiver.space()) {
            Ok(0) => receiver.end_of_input(),
            Ok(len) => receiver.filled(len),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                if is_temporary(&error) {
                    receiver.release();
                }
                return Err(error);
            }
        }
    }
}

/// Copies received data to `buffer`, as much as there is room for, after waiting for the first.
pub(crate) fn read<R: Read>(
    receiver: &mut Receiver,
    upstream: &mut Upstream<R, impl Reply<R>>,
    buffer: &mut [u8],
) -> io::Result<usize> {
    let mut at = 0;
    read_with(receiver, upstream, buffer.len(), |data| {
        buffer[at..at + data.len()].copy_from_slice(data);
        at += data.len();
    })
}

/// Copies received data out with `copy`: up to `room` bytes, after waiting for the first.
pub(crate) fn read_with<R: Read>(
    receiver: &mut Receiver,
    upstream: &mut Upstream<R, impl Reply<R>>,
    room: usize,
    mut copy: impl FnMut(&[u8]),
) -> io::Result<usize> {
    if room == 0 {
        return Ok(0);
    }
    receive(receiver, upstream)?;
    let mut total = 0;
    loop {
        let data = receiver.data();
        let len = data.len().min(room - total);
        if len == 0 {
            pass_on(receiver, upstream);
            return Ok(total);
        }
        copy(&data[..len]);
        receiver.consume(len);
        total += len;
    }
}

fn pass_on<R>(receiver: &mut Receiver, upstream: &mut Upstream<R, impl Reply<R>>) {
    let replies = receiver.take_replies();
    if !replies.is_empty() {
        upstream.reply(replies);
    }
}

/// Seals as much data as there is room for and sends it. Sealed data counts as written: what the transport
/// does not take now, the next call sends first.
pub(crate) fn write(
    sender: &mut Sender,
    transport: &mut impl Write,
    data: &[IoSlice<'_>],
) -> io::Result<usize> {
    send(sender, transport)?;
    let written = sender.write(data);
    // Even if nothing was taken: exhausted keys leave a close_notify.
    let sent = send(sender, transport);
    let written = written?;
    match sent {
        Err(error) if !is_temporary(&error) => Err(error),
        _ => Ok(written),
    }
}

/// Sends what is pending.
pub(crate) fn send(sender: &mut Sender, transport: &mut impl Write) -> io::Result<()> {
    while !sender.pending().is_empty() {
        let len = write_once(transport, sender.pending())?;
        sender.sent(len);
    }
    Ok(())
}

/// Sends what is pending and flushes the transport.
pub(crate) fn flush(sender: &mut Sender, transport: &mut impl Write) -> io::Result<()> {
    send(sender, transport)?;
    sender.release();
    transport.flush()
}

/// Seals `close_notify` and sends what is pending.
pub(crate) fn close(sender: &mut Sender, transport: &mut impl Write) -> io::Result<()> {
    sender.close();
    match flush(sender, transport) {
        Err(error) if sender.only_closes() && error.kind() == io::ErrorKind::NotConnected => {
            // The peer closed first, and no data is lost.
            sender.sent(sender.pending().len());
            Ok(())
        }
        result => result,
    }
}

/// Continues a handshake until it is complete. After an error that is temporary it can be called again.
pub(crate) fn shake_hands<N: Negotiation, T: Read + Write>(
    handshake: &mut N,
    transport: &mut T,
) -> io::Result<N::Output> {
    loop {
        let progress = handshake.negotiate();
        let wire = handshake.wire();
        let sent = send_handshake(wire, transport);
        // The handshake's error matters more than an error in sending the alert.
        let progress = progress?;
        match sent {
            // Both ends can wait here at once. If one continues to read, the other can continue to send.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && progress.is_none() => {}
            sent => sent?,
        }
        if let Some(output) = progress {
            return Ok(output);
        }
        match transport.read(wire.space()) {
            Ok(0) => return Err(Error::Truncated.into()),
            Ok(len) => wire.filled(len),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                if is_temporary(&error) {
                    wire.release();
                }
                return Err(error);
            }
        }
    }
}

fn send_handshake(wire: &mut Wire, transport: &mut impl Write) -> io::Result<()> {
    while !wire.pending().is_empty() {
        let len = write_once(transport, wire.pending())?;
        wire.sent(len);
    }
    if wire.unflushed {
        transport.flush()?;
        wire.unflushed = false;
    }
    Ok(())
}

fn write_once(transport: &mut impl Write, bytes: &[u8]) -> io::Result<usize> {
    loop {
        match transport.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Returns whether the same call may succeed later, as with a non-blocking socket or a timeout.
pub(crate) fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}
