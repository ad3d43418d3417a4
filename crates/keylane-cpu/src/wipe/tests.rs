//! What stays in memory.

use super::{Secret, Wipe, wipe};
use core::mem::MaybeUninit;

/// Drops a value of bytes 0xa5, and returns the first LEN bytes that its memory has afterwards.
///
/// # Safety
/// Any bytes are a value of T, and its first LEN bytes are no padding after the drop.
pub(crate) unsafe fn left_by_drop<T, const LEN: usize>() -> [u8; LEN] {
    const { assert!(LEN <= size_of::<T>()) }
    let mut memory = MaybeUninit::<T>::uninit();
    let start = memory.as_mut_ptr();
    // SAFETY: the value is dropped once, and the memory reaches LEN bytes; the caller promises the rest.
    unsafe {
        start.write_bytes(0xa5, 1);
        start.drop_in_place();
        start.cast::<[u8; LEN]>().read()
    }
}

/// The wipe is a dead store, since the value is dropped: reads its memory afterwards.
#[test]
fn the_optimiser_keeps_it() {
    struct Key<'a>(&'a mut [u8; 64]);
    impl Drop for Key<'_> {
        fn drop(&mut self) {
            wipe(self.0);
        }
    }
    let mut memory = [0xa5; 64];
    drop(Key(&mut memory));
    assert_eq!(memory, [0; 64]);
}

#[test]
fn a_secret_is_overwritten_between_its_fields_too() {
    #[repr(C)]
    struct Padded(u8, u64);
    const LEN: usize = size_of::<Secret<Padded>>();
    // SAFETY: any bytes are a value, and its padding was written.
    assert_eq!(unsafe { left_by_drop::<Secret<Padded>, LEN>() }, [0; LEN]);
}

#[test]
fn nested_arrays_and_slices() {
    let mut x = [[7u32; 5]; 3];
    wipe(&mut x);
    assert_eq!(x, [[0; 5]; 3]);
    let mut y = [1u64, 2, 3, 4];
    wipe(&mut y[1..3]);
    assert_eq!(y, [1, 0, 0, 4]);
}

#[test]
fn arrays_of_other_types_are_wiped_item_by_item() {
    #[derive(Debug, PartialEq)]
    struct Pair(u8, u32);
    impl Wipe for Pair {
        fn set_zero(&mut self) {
            self.0.set_zero();
            self.1.set_zero();
        }
    }
    let mut pairs = [Pair(1, 2), Pair(3, 4)];
    wipe(&mut pairs);
    assert_eq!(pairs, [Pair(0, 0), Pair(0, 0)]);
}
