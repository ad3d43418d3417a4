//! Blocks that threads share while one adds more.
#![cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]

use keylane_cpu::growing::Growing;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn there_is_no_room_for_more_than_n() {
    let rows = Growing::<2, 0>::new();
    let add = || rows.grow(|rows| (0..3).for_each(|_| rows.add([[[7; 16]]; 2])));
    assert!(catch_unwind(AssertUnwindSafe(add)).is_err());
    assert_eq!(rows.get().last(2), [&[[[7; 16]; 2]]; 2]);
}

#[test]
fn only_one_grows() {
    let rows = Growing::<2, 0>::new();
    assert!(rows.grow(|_| assert!(!rows.grow(|_| unreachable!("the first is not done")))));
    assert!(rows.grow(|rows| rows.add([[[7; 16]]; 2])));
}

#[test]
fn one_that_is_alone_grows_too() {
    Growing::<2, 1>::with(|rows| {
        rows.grow_alone(|rows| rows.add([[[7; 16]], [[8; 16]]]));
        assert!(rows.grow(|rows| rows.add([[[9; 16]]; 2])));
        rows.grow_alone(|rows| assert_eq!(rows.get().len(), 2));
        assert_eq!(rows.get().last(2), [&[[[9; 16], [7; 16]]], &[[[9; 16], [8; 16]]]]);
        assert_eq!(rows.get().last(1), [&[[[7; 16]], [[0; 16]]], &[[[8; 16]], [[0; 16]]]]);
    });
}

#[test]
fn only_blocks_that_were_added_and_zeros_after_them_are_lent() {
    fn lent<const Z: usize>(expected: [[bool; 5]; 3]) {
        let rows = Growing::<3, Z>::new();
        for (added, expected) in expected.into_iter().enumerate() {
            let lent =
                |len| catch_unwind(|| (rows.get().last::<2, 1>(len), rows.get().last::<1, 2>(len))).is_ok();
            assert_eq!([0, 1, 2, 3, usize::MAX].map(lent), expected, "{added}");
            assert!(rows.grow(|rows| rows.add([[[7; 16]]; 2])));
        }
    }
    let (none, second) = ([false; 5], [false, false, true, false, false]);
    lent::<0>([none, none, second]);
    lent::<1>([none, [false, true, false, false, false], [false, true, true, false, false]]);
}

#[test]
fn threads_add_and_read_at_the_same_time() {
    const N: usize = 64;
    let rows = Growing::<N, 0>::new();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while rows.get().len() < N {
                    let _ = rows.grow(|rows| {
                        let next = [rows.get().len() as u8; 16];
                        if rows.get().len() < N {
                            rows.add([[next], [next]]);
                        }
                    });
                    let rows = rows.get();
                    for i in 0..rows.len() {
                        assert_eq!(rows.last(i + 1), [&[[[i as u8; 16]]]; 2]);
                    }
                }
            });
        }
    });
}
