//! Unit tests of records' lengths.

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
