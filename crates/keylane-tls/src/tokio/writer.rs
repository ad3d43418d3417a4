//! The sending direction, shared by a task that writes and a task that reads.

use super::polled::{Polled, polled};
use crate::lock::lock;
use crate::session::{PendingReplies, Sender};
use crate::transfer;
use ::tokio::io::AsyncWrite;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker, ready};

/// The sending direction. Two tasks use it: one that writes, and one that reads and may have to reply. A
/// transport remembers only the last waker, so one of them would never wake. It is therefore always given the
/// same waker, which wakes both.
pub(super) struct Writer {
    pub(super) sender: Sender,
    tasks: Arc<Tasks>,
    waker: Waker,
}

/// The tasks that wait for the transport to take more.
#[derive(Default)]
struct Tasks {
    reading: Mutex<Option<Waker>>,
    writing: Mutex<Option<Waker>>,
}

impl Wake for Tasks {
    fn wake(self: Arc<Self>) {
        wake(&self.reading);
        wake(&self.writing);
    }
}

fn wake(task: &Mutex<Option<Waker>>) {
    // The lock must be released before the task runs.
    let waker = lock(task).take();
    if let Some(waker) = waker {
        waker.wake();
    }
}

fn remember(task: &Mutex<Option<Waker>>, waker: &Waker) {
    match &mut *lock(task) {
        Some(known) => known.clone_from(waker),
        none => *none = Some(waker.clone()),
    }
}

impl Writer {
    pub(super) fn new(sender: Sender) -> Self {
        let tasks = Arc::new(Tasks::default());
        Self { sender, waker: tasks.clone().into(), tasks }
    }

    pub(super) fn poll_write<T: AsyncWrite + Unpin>(
        &mut self,
        transport: &mut T,
        context: &Context<'_>,
        data: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let (sender, mut transport) = self.begin(transport, context);
        polled(transfer::write(sender, &mut transport, data))
    }

    pub(super) fn poll_flush<T: AsyncWrite + Unpin>(
        &mut self,
        transport: &mut T,
        context: &Context<'_>,
    ) -> Poll<io::Result<()>> {
        let (sender, mut transport) = self.begin(transport, context);
        polled(transfer::flush(sender, &mut transport))
    }

    pub(super) fn poll_shutdown<T: AsyncWrite + Unpin>(
        &mut self,
        transport: &mut T,
        context: &Context<'_>,
    ) -> Poll<io::Result<()>> {
        let (sender, mut polled_transport) = self.begin(transport, context);
        ready!(polled(transfer::close(sender, &mut polled_transport)))?;
        let Polled { transport, waker } = polled_transport;
        match ready!(Pin::new(transport).poll_shutdown(&mut Context::from_waker(waker))) {
            // Everything has been sent, and the peer closed first.
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Poll::Ready(Ok(())),
            result => Poll::Ready(result),
        }
    }

    /// Returns the sender and the polled transport, for the task that writes.
    fn begin<'a, T>(
        &'a mut self,
        transport: &'a mut T,
        context: &Context<'_>,
    ) -> (&'a mut Sender, Polled<'a, T>) {
        remember(&self.tasks.writing, context.waker());
        (&mut self.sender, Polled { transport, waker: &self.waker })
    }

    /// For the task that reads: seals `replies` and sends as much of the pending bytes as the transport takes
    /// at once.
    pub(super) fn reply<T: AsyncWrite + Unpin>(
        &mut self,
        replies: PendingReplies,
        transport: &mut T,
        reading: &Waker,
    ) -> Outcome {
        if !replies.is_empty() {
            self.sender.reply(replies);
        }
        remember(&self.tasks.reading, reading);
        let flushed = transfer::flush(&mut self.sender, &mut Polled { transport, waker: &self.waker });
        // Any other error, if it lasts, is returned by the next write.
        if polled(flushed).is_pending() {
            return Outcome::Waits;
        }
        // The transport will wake no task now, and the space that a writer waits for is free.
        Outcome::Sent(lock(&self.tasks.writing).take())
    }
}

/// The outcome of a reply.
#[must_use]
pub(super) enum Outcome {
    /// Some bytes are left; the transport will wake the reading task.
    Waits,
    /// Everything was sent, and this task can continue to write.
    Sent(Option<Waker>),
}

impl Outcome {
    /// Wakes the waiting tasks, without holding a lock, since a task may run at once. Returns whether bytes
    /// are left.
    pub(super) fn finish(self) -> bool {
        match self {
            Self::Waits => true,
            Self::Sent(waker) => {
                waker.into_iter().for_each(Waker::wake);
                false
            }
        }
    }
}
