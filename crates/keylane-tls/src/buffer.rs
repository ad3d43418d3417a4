//! The receive buffer and the send buffer of a connection, and the pool that idle connections return them to.
//!
//! Each pooled buffer holds five records: the data from a few reads, or the longest handshake message. A
//! connection takes a buffer when it has bytes to store and returns it when it is idle.

use crate::lock::lock;
use crate::record::MAX_RECORD_LEN;
use core::hint::black_box;
use std::sync::Mutex;

/// The length of a buffer.
pub(crate) const BUFFER_LEN: usize = 5 * MAX_RECORD_LEN;

/// The maximum number of buffers in the pool: 1.4 MiB.
const POOLED: usize = 16;

/// Wiped buffers, and buffers that held only sealed records.
static POOL: Mutex<Vec<Box<[u8]>>> = Mutex::new(Vec::new());

fn take_from_pool() -> Box<[u8]> {
    let pooled = lock(&POOL).pop();
    pooled.unwrap_or_else(|| vec![0; BUFFER_LEN].into_boxed_slice())
}

fn give_to_pool(storage: Box<[u8]>) {
    if storage.is_empty() {
        return;
    }
    let mut pool = lock(&POOL);
    let room = POOLED.saturating_sub(pool.len());
    if room > 0 {
        pool.reserve_exact(room);
        pool.push(storage);
    }
}

/// Bytes from the transport, in order: opened records, sealed ones, free space.
pub(crate) struct ReceiveBuffer {
    /// Empty while the connection is idle.
    storage: Box<[u8]>,
    /// The position at which the sealed bytes begin.
    start: usize,
    /// The position at which they end.
    end: usize,
    /// The end of the part that was written; the storage holds no plaintext after it.
    written: usize,
}

impl ReceiveBuffer {
    pub(crate) fn new() -> Self {
        Self { storage: Box::default(), start: 0, end: 0, written: 0 }
    }

    /// Returns the received bytes that were not taken yet.
    pub(crate) fn received(&self) -> &[u8] {
        &self.storage[self.start..self.end]
    }

    pub(crate) fn received_mut(&mut self) -> &mut [u8] {
        &mut self.storage[self.start..self.end]
    }

    /// Takes the first `len` received bytes and returns the position of the first, for
    /// [`taken`](Self::taken), valid until the next [`space`](Self::space).
    pub(crate) fn take(&mut self, len: usize) -> usize {
        let at = self.start;
        self.start += len;
        assert!(self.start <= self.end, "more was taken than received");
        at
    }

    /// Discards all but the first `len` received bytes.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.end = self.start + len;
    }

    /// Discards everything received.
    pub(crate) fn discard(&mut self) {
        self.start = self.end;
    }

    /// Returns the bytes of a range that was [taken](Self::take).
    pub(crate) fn taken(&self, at: core::ops::Range<usize>) -> &[u8] {
        &self.storage[at]
    }

    /// Returns free space after the received bytes: at least one record, unless that much is waiting to be
    /// taken. What was taken is lost.
    pub(crate) fn space(&mut self) -> &mut [u8] {
        if self.storage.is_empty() {
            self.storage = take_from_pool();
        }
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.start > 0 && self.storage.len() - self.end < MAX_RECORD_LEN {
            self.storage.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        &mut self.storage[self.end..]
    }

    /// Reports that the transport has written `len` bytes to the front of [`space`](Self::space).
    pub(crate) fn filled(&mut self, len: usize) {
        self.end += len;
        assert!(self.end <= self.storage.len(), "a transport read more bytes than it had room for");
        self.written = self.written.max(self.end);
    }

    /// Discards everything and returns the storage to the pool.
    pub(crate) fn clear(&mut self) {
        // `fill` writes whole vectors, `zeroize` single bytes, and up to 90 KiB are wiped whenever a
        // connection waits. `black_box` keeps the compiler from removing the writes.
        self.storage[..self.written].fill(0);
        black_box(&self.storage);
        give_to_pool(core::mem::take(&mut self.storage));
        (self.start, self.end, self.written) = (0, 0, 0);
    }
}

impl Drop for ReceiveBuffer {
    fn drop(&mut self) {
        self.clear();
    }
}

/// The length of a connection's own send buffer, with which short writes avoid the pool's lock.
const SHORT_LEN: usize = 2048;

/// Sealed records on their way to the transport.
pub(crate) struct SendBuffer {
    /// Allocated at the first use, then kept.
    short: Box<[u8]>,
    /// A pooled buffer while more is pending than `short` holds; otherwise empty.
    long: Box<[u8]>,
    start: usize,
    end: usize,
}

impl SendBuffer {
    pub(crate) fn new() -> Self {
        Self { short: Box::default(), long: Box::default(), start: 0, end: 0 }
    }

    /// Returns the bytes that the transport has not taken yet.
    #[inline]
    pub(crate) fn pending(&self) -> &[u8] {
        let storage = if self.long.is_empty() { &self.short } else { &self.long };
        &storage[self.start..self.end]
    }

    /// Reports that the transport has taken `len` bytes from the front of [`pending`](Self::pending).
    #[inline]
    pub(crate) fn sent(&mut self, len: usize) {
        self.start += len;
        assert!(self.start <= self.end, "a transport wrote more bytes than it was given");
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Makes room for `len` bytes after the pending ones, as far as a buffer has that much.
    #[inline]
    pub(crate) fn make_room(&mut self, len: usize) {
        if self.long.is_empty() && len > SHORT_LEN - self.end {
            let mut long = take_from_pool();
            let pending = self.pending();
            long[..pending.len()].copy_from_slice(pending);
            (self.start, self.end) = (0, pending.len());
            self.long = long;
        }
    }

    /// The length of the room after the pending bytes.
    #[inline]
    pub(crate) fn room_len(&self) -> usize {
        if self.long.is_empty() { SHORT_LEN - self.end } else { self.long.len() - self.end }
    }

    /// Returns the room after the pending bytes.
    #[inline]
    pub(crate) fn room(&mut self) -> &mut [u8] {
        if !self.long.is_empty() {
            return &mut self.long[self.end..];
        }
        if self.short.is_empty() {
            self.short = vec![0; SHORT_LEN].into_boxed_slice();
        }
        &mut self.short[self.end..]
    }

    /// Reports that a record of `len` bytes was sealed into the front of [`room`](Self::room).
    #[inline]
    pub(crate) fn sealed(&mut self, len: usize) {
        self.end += len;
    }

    /// Returns the pool's buffer if nothing is pending.
    #[inline]
    pub(crate) fn release(&mut self) {
        if self.start == self.end && !self.long.is_empty() {
            give_to_pool(core::mem::take(&mut self.long));
        }
    }
}

impl Drop for SendBuffer {
    fn drop(&mut self) {
        give_to_pool(core::mem::take(&mut self.long));
    }
}

#[cfg(test)]
mod tests;
