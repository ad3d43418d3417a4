//! A short message that comes in several slices, in one piece: one call of the kernel instead of a running
//! hash.

use keylane_cpu::wipe::wipe;

/// The longest message that is copied into one piece, in bytes.
const MAX_LEN: usize = 192;

/// A short message in one piece. Wiped on drop.
pub(crate) struct Joined {
    bytes: [u8; MAX_LEN],
    len: usize,
}

impl Joined {
    #[inline]
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; MAX_LEN], len: 0 }
    }

    /// Returns the slices in one piece, or `None` if they are too long together.
    pub(crate) fn join(&mut self, head: &[u8], parts: &[&[u8]], tail: &[u8]) -> Option<&[u8]> {
        // Parts may be the same memory again and again: their sum can exceed any slice.
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

impl Drop for Joined {
    fn drop(&mut self) {
        wipe(&mut self.bytes[..self.len]);
    }
}
