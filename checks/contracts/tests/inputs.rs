//! Checks the inputs, and that the independent implementations agree.

use keylane_contracts::{Guarded, LENGTHS, Random, hex, painted};
use std::collections::BTreeSet;

#[test]
fn the_lengths_are_those_promised() {
    let mut lengths: BTreeSet<usize> = (0..=17).collect();
    lengths.extend((0..=12).flat_map(|power| {
        [-1, 0, 1].map(|near| (1_usize << power).checked_add_signed(near).expect("near a power of two"))
    }));
    for (lanes, block) in [1, 2, 3, 4, 6, 8, 16].into_iter().flat_map(|lanes| [(lanes, 64), (lanes, 128)]) {
        let (group, padding) = (lanes * block, lanes * block - block / 8);
        lengths.extend([group - 1, group, group + 1, padding - 1, padding]);
    }
    assert!(LENGTHS.iter().eq(&lengths));
}

#[test]
fn paint_has_period_251() {
    let bytes = painted(600);
    assert_eq!(bytes[..251], bytes[251..502]);
    assert!((1..251).all(|period| bytes[0] != bytes[period]));
}

#[test]
fn hex_reads_digits_only() {
    assert_eq!(hex("00 fF\n7a"), [0, 0xff, 0x7a]);
    assert!(std::panic::catch_unwind(|| hex("0g")).is_err());
    assert!(std::panic::catch_unwind(|| hex("123")).is_err());
}

#[test]
fn a_seed_gives_one_sequence() {
    let (mut a, mut b, mut c) = (Random::new(7), Random::new(7), Random::new(8));
    assert_eq!(a.bytes(100), b.bytes(100));
    assert_ne!(a.bytes(100), c.bytes(100));
    let mut seen = [false; 10];
    for _ in 0..1000 {
        seen[a.below(10)] = true;
    }
    assert_eq!(seen, [true; 10]);
}

#[test]
fn the_content_is_a_copy() {
    for len in [0, 1, 100, 4095, 4096, 4097, 70_000] {
        let bytes = painted(len);
        assert_eq!(*Guarded::at_end(&bytes), *bytes);
        assert_eq!(*Guarded::at_start(&bytes), *bytes);
    }
}

/// Safe code cannot read beyond a slice, so the operating system is asked what lies there.
#[test]
#[cfg(all(target_os = "linux", not(miri)))]
fn the_neighbours_are_inaccessible() {
    let maps = |at: usize| {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let line = maps.lines().find(|line| {
            let range = line.split(' ').next().unwrap();
            let (from, to) = range.split_once('-').unwrap();
            let number = |digits| usize::from_str_radix(digits, 16).unwrap();
            (number(from)..number(to)).contains(&at)
        });
        line.map(|line| line.split(' ').nth(1).unwrap().to_owned())
    };
    let (start, end) = (Guarded::at_start(&painted(5000)), Guarded::at_end(&painted(5000)));
    assert_eq!(maps(start.as_ptr().addr() - 1).unwrap(), "---p");
    assert_eq!(maps(start.as_ptr().addr()).unwrap(), "rw-p");
    assert_eq!(maps(end.as_ptr().addr() + 4999).unwrap(), "rw-p");
    assert_eq!(maps(end.as_ptr().addr() + 5000).unwrap(), "---p");
}
