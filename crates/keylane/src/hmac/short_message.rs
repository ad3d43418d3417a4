//! Joins a short message in several slices, to hash it with one call of the kernel instead of a running hash.

use keylane_cpu::wipe::wipe;

/// The maximum length, in bytes, of a message that is joined.
const MAX_LEN: usize = 192;

/// A short message in one piece. Wiped on drop.
pub(crate) struct ShortMessage {
    bytes: [u8; MAX_LEN],
    len: usize,
}

impl ShortMessage {
    #[inline]
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; MAX_LEN], len: 0 }
    }

    /// Returns the slices in one piece, or `None` if they are longer than `MAX_LEN` together.
    pub(crate) fn join(&mut self, head: &[u8], parts: &[&[u8]], tail: &[u8]) -> Option<&[u8]> {
        // Saturating, since parts may be the same memory many times.
        let total = parts.iter().fold(head.len() + tail.len(), |sum, part| sum.saturating_add(part.len()));
        if total > MAX_LEN {
            return None;
        }
        self.push(head);
        for part in parts {
            self.push(part);
        }
        self.push(tail);
        Some(&self.bytes[..self.len])
    }

    fn push(&mut self, part: &[u8]) {
        self.bytes[self.len..][..part.len()].copy_from_slice(part);
        self.len += part.len();
    }
}

impl Drop for ShortMessage {
    fn drop(&mut self) {
        wipe(&mut self.bytes[..self.len]);
    }
}
