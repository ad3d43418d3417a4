//! The length of the next record
//! (<https://www.igvita.com/2013/10/24/optimizing-tls-record-size-and-buffering-latency/>).

use super::{Options, RecordSizing};
use crate::record::MAX_PLAINTEXT_LEN;
use std::time::{Duration, Instant};

/// The bytes that a segment carries over Ethernet: 1460, less what TCP's options, tunnels and IPv6 may take.
const SEGMENT_LEN: usize = 1208;
/// TCP resets its congestion window after about this long.
const IDLE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Sizing {
    max: usize,
    dynamic: bool,
    /// The maximum length of the next record, in segments: the congestion window grows with each record.
    segments: usize,
    last_long: Option<Instant>,
}

impl Sizing {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            max: options.max_fragment_len.clamp(1, MAX_PLAINTEXT_LEN),
            dynamic: options.record_sizing == RecordSizing::Dynamic,
            segments: 1,
            last_long: None,
        }
    }

    /// Returns how many of `waiting` bytes, at least 1, go into the next record, which is `overhead` bytes
    /// longer.
    #[inline]
    pub(super) fn next_len(
        &mut self,
        waiting: usize,
        overhead: usize,
        clock: impl FnOnce() -> Instant,
    ) -> usize {
        let small = SEGMENT_LEN - overhead;
        let mut len = waiting.min(self.max);
        // Reading the clock costs as much as a short record: it is read only if the length depends on it.
        if self.dynamic && len > small {
            let now = clock();
            if self.last_long.is_some_and(|last| now.duration_since(last) >= IDLE) {
                self.segments = 1;
            }
            self.last_long = Some(now);
            len = len.min(small.saturating_mul(self.segments));
        }
        self.segments = self.segments.saturating_add(1);
        len
    }
}

#[cfg(test)]
mod tests;
