//! Unit tests of the vector of early data.

use super::*;
use std::cell::Cell;

thread_local! {
    static WIPED: Cell<usize> = const { Cell::new(0) };
}

#[derive(Clone, Copy)]
struct Item(u8);

impl Zeroize for Item {
    fn zeroize(&mut self) {
        self.0 = 0;
        WIPED.set(WIPED.get() + 1);
    }
}

#[test]
fn what_grows_wipes_what_it_leaves() {
    let mut all = Zeroizing::new(Vec::with_capacity(1));
    append(&mut all, &[Item(7)]);
    assert_eq!(WIPED.get(), 0);
    let (mut left, mut moves) = (0, 0);
    for _ in 0..100 {
        let (len, capacity) = (all.len(), all.capacity());
        append(&mut all, &[Item(7); 3]);
        assert_eq!(all.len(), len + 3);
        if len + 3 > capacity {
            (left, moves) = (left + len, moves + 1);
        }
        assert_eq!(WIPED.get(), left);
    }
    assert!(moves > 0 && moves < 12, "{moves}");
}
