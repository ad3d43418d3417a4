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
    /// How long the next record may be, in segments: the congestion window grows with each record.
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

    /// How much of `waiting` bytes, at least 1, goes into the next record, which is `overhead` longer.
    #[inline]
    pub(super) fn next_len(
        &mut self,
        waiting: usize,
        overhead: usize,
        clock: impl FnOnce() -> Instant,
    ) -> usize {
        let small = SEGMENT_LEN - overhead;
        let mut len = waiting.min(self.max);
        // The clock costs as much as a short record does: it is read only for lengths that depend on it.
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
mod tests {
    use super::*;

    const OVERHEAD: usize = 22;

    fn lengths(sizing: &mut Sizing, now: Instant, total: usize) -> Vec<usize> {
        let mut left = total;
        let mut lengths = Vec::new();
        while left > 0 {
            let len = sizing.next_len(left, OVERHEAD, || now);
            lengths.push(len);
            left -= len;
        }
        lengths
    }

    #[test]
    fn dynamic_records_start_with_a_segment_and_grow_to_full_size() {
        let mut sizing = Sizing::new(&Options::default());
        let now = Instant::now();
        let first = lengths(&mut sizing, now, 300_000);
        let growing: Vec<_> = (1..=13).map(|k| k * 1186).collect();
        assert_eq!(first[..13], growing);
        assert!(first[13..first.len() - 1].iter().all(|&len| len == MAX_PLAINTEXT_LEN));

        let before_idle = now + IDLE - Duration::from_millis(1);
        assert_eq!(sizing.next_len(20_000, OVERHEAD, || before_idle), MAX_PLAINTEXT_LEN);
        let after_idle = before_idle + IDLE;
        assert_eq!(sizing.next_len(20_000, OVERHEAD, || after_idle), 1186);
    }

    #[test]
    fn short_records_open_the_window_too() {
        let mut sizing = Sizing::new(&Options::default());
        for _ in 0..13 {
            assert_eq!(sizing.next_len(1, OVERHEAD, || unreachable!("a short record needs no clock")), 1);
        }
        assert_eq!(sizing.next_len(20_000, OVERHEAD, Instant::now), MAX_PLAINTEXT_LEN);
    }

    #[test]
    fn fixed_records_are_as_long_as_is_allowed() {
        let options =
            Options { record_sizing: RecordSizing::Fixed, max_fragment_len: 5000, ..Options::default() };
        let mut sizing = Sizing::new(&options);
        assert_eq!(lengths(&mut sizing, Instant::now(), 12_000), [5000, 5000, 2000]);
        for (asked, given) in [(0, 1), (usize::MAX, MAX_PLAINTEXT_LEN)] {
            let mut sizing = Sizing::new(&Options { max_fragment_len: asked, ..options });
            assert_eq!(sizing.next_len(100_000, OVERHEAD, Instant::now), given);
        }
    }
}
