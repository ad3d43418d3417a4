//! Blocks that are computed when they are first needed, behind a shared reference.

use crate::pin::pin;
use crate::wipe::{observe, wipe};
use core::cell::UnsafeCell;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::panic::RefUnwindSafe;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::{Acquire, Release};

/// Consecutive blocks of 16 bytes.
type Row<const N: usize> = [[u8; 16]; N];

/// Two rows of at most N blocks of 16 bytes, which grow at the front, each followed by Z blocks of zeros.
/// Threads share the blocks, which never change. One thread at a time may add blocks, and no thread waits for
/// another.
///
/// Until a block is added, its memory holds whatever was there before. All of it is wiped on drop.
///
/// ```
/// use keylane_cpu::growing::Growing;
///
/// let rows = Growing::<3, 1>::new();
/// assert!(rows.grow(|rows| {
///     rows.add([[[1; 16]], [[2; 16]]]);
///     rows.add([[[3; 16], [4; 16]], [[5; 16], [6; 16]]]);
/// }));
/// let rows = rows.get();
/// assert_eq!(rows.len(), 3);
/// assert_eq!(rows.last(3), [&[[[3; 16], [4; 16]]], &[[[5; 16], [6; 16]]]]);
/// assert_eq!(rows.last(1), [&[[[1; 16]], [[0; 16]]], &[[[2; 16]], [[0; 16]]]]);
/// ```
#[repr(C)]
pub struct Growing<const N: usize, const Z: usize> {
    /// Each row is filled from its end.
    rows: UnsafeCell<MaybeUninit<[(Row<N>, Row<Z>); 2]>>,
    /// The number of blocks in each row, at most N. It never falls.
    len: AtomicUsize,
    /// 1 while there is an [`Adder`], otherwise 0. A whole word, since bytes after a shorter field would not
    /// be wiped.
    claimed: AtomicUsize,
}

// SAFETY: blocks that were added are only read, and only the thread that has the adder writes to the others.
unsafe impl<const N: usize, const Z: usize> Sync for Growing<N, Z> {}
// After a panic while the rows grow, they keep the blocks that were added before it and cannot grow.
impl<const N: usize, const Z: usize> RefUnwindSafe for Growing<N, Z> {}

#[allow(clippy::new_without_default, reason = "no caller needs it")]
impl<const N: usize, const Z: usize> Growing<N, Z> {
    /// Returns empty rows.
    #[inline(always)]
    #[must_use]
    pub fn new() -> Self {
        let rows = UnsafeCell::new(MaybeUninit::uninit());
        // Otherwise this would be a constant, which the compiler copies together with the rows.
        let len = AtomicUsize::new(pin(0) as usize);
        Self { rows, len, claimed: AtomicUsize::new(0) }
    }

    /// Returns the blocks that were added.
    #[inline(always)]
    #[must_use]
    pub fn get(&self) -> Rows<'_, N, Z> {
        Rows { growing: self, len: self.len.load(Acquire) }
    }

    /// Calls `grow` to add blocks. Returns `false`, without calling it, while another thread adds blocks, or
    /// after an earlier `grow` has panicked.
    #[inline(always)]
    #[must_use]
    pub fn grow(&self, grow: impl FnOnce(&mut Adder<'_, N, Z>)) -> bool {
        if self.claimed.swap(1, Acquire) != 0 {
            return false;
        }
        grow(&mut self.adder());
        // A destructor would add code for unwinding to every kernel that adds blocks.
        self.claimed.store(0, Release);
        true
    }

    /// Calls `run` with empty rows, which are not moved: only the blocks that it adds are wiped.
    #[inline(always)]
    pub fn with<R>(run: impl FnOnce(&mut Self) -> R) -> R {
        // Otherwise the caller's frame would decide which vectors cross a line of the cache.
        #[repr(align(64))]
        struct Local<const N: usize, const Z: usize>(ManuallyDrop<Growing<N, Z>>);

        impl<const N: usize, const Z: usize> Drop for Local<N, Z> {
            #[inline(always)]
            fn drop(&mut self) {
                let len = self.0.get().len;
                // SAFETY: as many blocks were written, and the rows are borrowed no more.
                unsafe {
                    for start in self.0.place(len) {
                        wipe(core::slice::from_raw_parts_mut(start, len));
                    }
                }
            }
        }

        run(&mut Local(ManuallyDrop::new(Self::new())).0)
    }

    /// Adds blocks like [`grow`](Self::grow), to rows that no other thread has, without a locked instruction,
    /// which would wait for all earlier stores.
    #[inline(always)]
    pub fn grow_alone(&mut self, grow: impl FnOnce(&mut Adder<'_, N, Z>)) {
        grow(&mut self.adder());
    }

    /// Returns the adder. The caller ensures that there is only one.
    #[inline(always)]
    fn adder(&self) -> Adder<'_, N, Z> {
        if self.get().len == 0 {
            // SAFETY: nothing is lent before a block was added, and only the one adder reaches this.
            unsafe { self.place(0).iter().for_each(|zeros| zeros.cast::<Row<Z>>().write([[0; 16]; Z])) };
        }
        Adder(self)
    }

    /// Returns pointers to the last `len` blocks of each row.
    ///
    /// # Safety
    /// `len` is at most N.
    #[inline(always)]
    unsafe fn place(&self, len: usize) -> [*mut [u8; 16]; 2] {
        // SAFETY: this is in the first row or at its end, and a row and zeros later in the second.
        unsafe {
            let first = self.rows.get().cast::<[u8; 16]>().add(N - len);
            [first, first.add(N + Z)]
        }
    }
}

impl<const N: usize, const Z: usize> Drop for Growing<N, Z> {
    /// Overwrites all blocks: those that were not added may hold a part of another key that was moved from
    /// the same place on the stack.
    #[inline]
    fn drop(&mut self) {
        let rows = self.rows.get_mut();
        *rows = MaybeUninit::zeroed();
        observe(rows);
    }
}

/// The blocks that were added to a [`Growing`].
#[derive(Clone, Copy)]
pub struct Rows<'a, const N: usize, const Z: usize> {
    growing: &'a Growing<N, Z>,
    /// At least this many were added.
    len: usize,
}

#[allow(clippy::len_without_is_empty, reason = "no caller needs it")]
impl<'a, const N: usize, const Z: usize> Rows<'a, N, Z> {
    /// Returns the number of blocks in each row.
    #[inline(always)]
    #[must_use]
    pub const fn len(self) -> usize {
        self.len
    }

    /// Returns the first W × K of each row's last `len` blocks and the zeros after them, as W groups of K
    /// blocks.
    ///
    /// # Panics
    /// If there are fewer, or `len` is zero.
    #[inline(always)]
    #[must_use]
    pub fn last<const K: usize, const W: usize>(self, len: usize) -> [&'a [Row<K>; W]; 2] {
        const { assert!(K <= usize::MAX / 16 / W) }
        // A single comparison, for which zero is also out of range.
        assert!((W * K <= Z + 1 || W * K <= len) && len.wrapping_sub(1) < self.len);
        // SAFETY: the blocks and the zeros were written before `len` was read, and never change. A block has
        // no alignment.
        unsafe {
            let [a, b] = self.growing.place(len);
            [&*a.cast(), &*b.cast()]
        }
    }
}

/// Adds blocks to a [`Growing`].
pub struct Adder<'a, const N: usize, const Z: usize>(&'a Growing<N, Z>);

impl<const N: usize, const Z: usize> Adder<'_, N, Z> {
    /// Returns the blocks that were added.
    #[inline(always)]
    #[must_use]
    pub fn get(&self) -> Rows<'_, N, Z> {
        self.0.get()
    }

    /// Adds blocks in front of both rows.
    ///
    /// # Panics
    /// If there is no room.
    #[inline(always)]
    pub fn add<const K: usize>(&mut self, [a, b]: [Row<K>; 2]) {
        let len = self.get().len;
        assert!(K <= N && len <= N - K);
        // SAFETY: there is room. No block was added there, so only the one adder reaches it, which is
        // borrowed.
        unsafe {
            let places = self.0.place(len + K);
            places[0].cast::<Row<K>>().write(a);
            places[1].cast::<Row<K>>().write(b);
        }
        self.0.len.store(len + K, Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wipe::tests::left_by_drop;

    #[test]
    fn zeros_are_written_over_what_was_there() {
        let rows = MaybeUninit::new([([[0xa5; 16]; 2], [[0xa5; 16]; 1]); 2]);
        let (len, claimed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let rows = Growing { rows: UnsafeCell::new(rows), len, claimed };
        assert!(rows.grow(|rows| rows.add([[[7; 16]], [[8; 16]]])));
        assert_eq!(rows.get().last(1), [&[[[7; 16], [0; 16]]], &[[[8; 16], [0; 16]]]]);
    }

    #[test]
    fn all_memory_of_the_rows_is_wiped_on_drop() {
        const LEN: usize = size_of::<[(Row<2>, Row<1>); 2]>();
        // SAFETY: any bytes are a value, and the rows, its first field, are bytes.
        assert_eq!(unsafe { left_by_drop::<Growing<2, 1>, LEN>() }, [0; LEN]);
    }
}
