//! One connection, two threads.
//!
//! The halves share the sending direction, under a lock that a thread holds while it writes. The thread that
//! reads never waits for the lock: it leaves its replies beside it, and the lock's holder sends them
//! afterwards.

use super::TlsStream;
#[cfg(doc)]
use crate::Error;
use crate::debug::debug;
use crate::handshake::ConnectionInfo;
use crate::lock::{lock, try_lock, unlock};
use crate::session::{PendingReplies, Receiver, Sender};
use crate::transfer::{self, Reply, Upstream};
use std::io::{self, BufRead, IoSlice, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

/// The reading half of a [`TlsStream`], from [`TlsStream::into_split`], which has an example.
///
/// - When the connection fails here, because of a bad record or an alert, writes on the other half fail as
///   well. This half sends the alert to the peer.
/// - A read sends the reply to a peer that requests new keys, one short record, even if the other half was
///   dropped. If the other half is writing, that half sends the reply afterwards. On a blocking transport
///   whose peer does not read, sending the reply blocks the read: set a write timeout.
/// - After this half is dropped, writing still works, but the peer's close, alerts and requests for new keys
///   go unnoticed, and the peer may wait forever for this end to read.
pub struct ReadHalf<T> {
    transport: T,
    receiver: Receiver,
    shared: Arc<Shared<T>>,
    info: ConnectionInfo,
}

/// The writing half of a [`TlsStream`], from [`TlsStream::into_split`].
///
/// Dropping it does not close the connection: call [`close`](Self::close) first.
///
/// ```
/// use keylane_tls::WriteHalf;
/// use std::io::{self, Write};
///
/// fn say<T: Write>(mut half: WriteHalf<T>, text: &[u8]) -> io::Result<()> {
///     half.write_all(text)?;
///     half.close() // this was all
/// }
/// # let _ = say::<std::net::TcpStream>;
/// ```
pub struct WriteHalf<T> {
    shared: Arc<Shared<T>>,
}

struct Shared<T> {
    sending: Mutex<Sending<T>>,
    /// The reply that the sender owes before it seals more data.
    replies: Mutex<PendingReplies>,
    /// Whether a reply waits for the transport, or may wait.
    replying: AtomicBool,
}

struct Sending<T> {
    transport: T,
    sender: Sender,
}

impl<T> Shared<T> {
    fn take_replies(&self) -> PendingReplies {
        std::mem::take(&mut *lock(&self.replies))
    }
}

impl<T: Write> Shared<T> {
    /// Runs `send` in the thread that writes.
    fn send<R>(&self, send: impl FnOnce(&mut Sender, &mut T) -> R) -> R {
        let result = {
            let Sending { transport, sender } = &mut *lock(&self.sending);
            let replies = self.take_replies();
            if !replies.is_empty() {
                self.replying.store(true, SeqCst);
                sender.reply(replies);
            }
            send(sender, transport)
        };
        // Replies from the other thread, which found the lock taken, and earlier ones.
        self.send_replies();
        result
    }

    /// Sends new and earlier replies, unless another thread holds the lock: it sends them afterwards.
    fn send_replies(&self) {
        while self.replying.load(SeqCst) || !lock(&self.replies).is_empty() {
            let Some(mut sending) = try_lock(&self.sending) else { return };
            let Sending { transport, sender } = &mut *sending;
            // Before the replies are taken: more may be added from now on.
            self.replying.store(false, SeqCst);
            sender.reply(self.take_replies());
            // Any other error, if it lasts, is returned by the next write.
            if let Err(error) = transfer::flush(sender, transport)
                && transfer::is_temporary(&error)
            {
                // The next read or write of either half tries again.
                self.replying.store(true, SeqCst);
                return;
            }
        }
    }
}

pub(super) fn split<T>(stream: TlsStream<T>, second: T) -> (ReadHalf<T>, WriteHalf<T>) {
    let TlsStream { transport, receiver, sender, replying, info } = stream;
    // A pending record may be a reply.
    let replying = AtomicBool::new(replying || !sender.pending().is_empty());
    let sending = Mutex::new(Sending { transport: second, sender });
    let shared = Arc::new(Shared { sending, replies: Mutex::default(), replying });
    (ReadHalf { transport, receiver, shared: shared.clone(), info }, WriteHalf { shared })
}

impl<T> ReadHalf<T> {
    /// Returns the parameters that the handshake agreed on.
    pub fn info(&self) -> &ConnectionInfo {
        &self.info
    }

    /// Returns whether the peer has closed: no data will follow what was already received. A close that
    /// arrived together with the last data is known as soon as that data is.
    pub fn peer_closed(&self) -> bool {
        self.receiver.peer_closed()
    }

    /// Returns whether both halves belong to the same connection.
    pub fn is_pair_of(&self, other: &WriteHalf<T>) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// Joins the halves into the stream again, with this half's handle to the transport.
    ///
    /// # Panics
    /// If the halves belong to different connections: see [`is_pair_of`](Self::is_pair_of).
    pub fn unsplit(self, other: WriteHalf<T>) -> TlsStream<T> {
        assert!(self.is_pair_of(&other), "halves of different connections");
        let Self { transport, receiver, shared, info, .. } = self;
        drop(other);
        let shared = Arc::into_inner(shared).expect("there are two halves and both are here");
        let (replies, replying) = (shared.take_replies(), shared.replying.load(SeqCst));
        let Sending { mut sender, .. } = unlock(shared.sending);
        sender.reply(replies);
        TlsStream { transport, receiver, sender, replying, info }
    }
}

impl<T: Read + Write> ReadHalf<T> {
    fn split(&mut self) -> (&mut Receiver, Upstream<&mut T, impl Reply<&mut T>>) {
        let Self { transport, receiver, shared, .. } = self;
        let reply = |_: &mut &mut T, replies: PendingReplies| {
            if !replies.is_empty() || shared.replying.load(SeqCst) {
                lock(&shared.replies).add(replies);
                shared.send_replies();
            } else if let Some(mut sending) = try_lock(&shared.sending) {
                // No thread writes: the connection may be idle.
                sending.sender.release();
            }
        };
        (receiver, Upstream { transport, reply })
    }
}

impl<T: Write> WriteHalf<T> {
    /// Tells the peer that no data will follow (`close_notify`), and sends what is pending. The other half
    /// can still receive.
    ///
    /// # Errors
    /// Those of [`TlsStream::close`].
    pub fn close(&mut self) -> io::Result<()> {
        self.shared.send(transfer::close)
    }

    /// Renews the keys for sending. With `request_peer`, also asks the peer to renew its own, unless an
    /// earlier request is still unanswered. The message is sent with the next write or flush.
    ///
    /// # Errors
    /// [`Error::Unsupported`] in TLS 1.2, or if too much is pending; [`Error::Closed`].
    pub fn update_keys(&mut self, request_peer: bool) -> io::Result<()> {
        Ok(self.shared.send(|sender, _| sender.update_keys(request_peer))?)
    }
}

impl<T: Read + Write> Read for ReadHalf<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (receiver, mut upstream) = self.split();
        transfer::read(receiver, &mut upstream, buffer)
    }
}

impl<T: Read + Write> BufRead for ReadHalf<T> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        {
            let (receiver, mut upstream) = self.split();
            transfer::receive(receiver, &mut upstream)?;
        }
        Ok(self.receiver.data())
    }

    fn consume(&mut self, len: usize) {
        self.receiver.consume(len);
        // Later data must follow the reply; if nothing is written, the next read sends it.
        let replies = self.receiver.take_replies();
        if !replies.is_empty() {
            lock(&self.shared.replies).add(replies);
            self.shared.replying.store(true, SeqCst);
        }
    }
}

impl<T: Write> Write for WriteHalf<T> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(data)])
    }

    fn write_vectored(&mut self, data: &[IoSlice<'_>]) -> io::Result<usize> {
        self.shared.send(|sender, transport| transfer::write(sender, transport, data))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.shared.send(transfer::flush)
    }
}

debug! { [T: core::fmt::Debug] ReadHalf<T>: transport, info }

debug! { [T] WriteHalf<T>: }
