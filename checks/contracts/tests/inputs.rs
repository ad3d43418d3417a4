//! Checks the lengths, and that nothing beyond a guarded input can be read.

use keylane_contracts::{Guarded, LENGTHS, painted};
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
