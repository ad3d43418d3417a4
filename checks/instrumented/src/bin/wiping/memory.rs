//! An allocator that hands out no memory twice, so that what was freed can be read.
//!
//! While [`watched`] runs, blocks come from an arena, one after the other; freeing one does nothing.
//! Whatever a program does twice with different secrets gets the same addresses, so two [`Image`]s can be
//! compared byte by byte.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::Relaxed};

/// Room for all cases: pages that nothing was written to cost nothing.
const ARENA_LEN: usize = 1 << 30;

static ARENA: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
static WATCHING: AtomicBool = AtomicBool::new(false);
/// Where the arena's next block may begin.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// The program's allocator.
struct Arena;

#[global_allocator]
static ALLOCATOR: Arena = Arena;

// SAFETY: a block is either the system's, which is returned to it, or in the arena. There it overlaps no
// other, since `NEXT` only grows between two calls of `forget`, whose caller has dropped all blocks after
// the mark.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !WATCHING.load(Relaxed) {
            // SAFETY: as the caller promises.
            return unsafe { System.alloc(layout) };
        }
        // One thread is watched.
        let start = NEXT.load(Relaxed).next_multiple_of(layout.align());
        let end = start + layout.size();
        if end > ARENA_LEN {
            return ptr::null_mut();
        }
        NEXT.store(end, Relaxed);
        // SAFETY: inside of the arena, by the comparison above.
        unsafe { ARENA.load(Relaxed).add(start) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let arena = ARENA.load(Relaxed);
        if !(arena.addr()..arena.addr() + ARENA_LEN).contains(&block.addr()) {
            // SAFETY: blocks outside of the arena came from the system.
            unsafe { System.dealloc(block, layout) };
        }
    }
}

/// Makes the arena. Once, before all else.
pub(crate) fn start() {
    // From the system, as zeros. Its alignment suffices for every block.
    let layout = Layout::from_size_align(ARENA_LEN, 4096).expect("a power of two");
    // SAFETY: the size is not zero.
    ARENA.store(unsafe { System.alloc_zeroed(layout) }, Relaxed);
    assert!(!ARENA.load(Relaxed).is_null(), "no room for the arena");
}

/// Runs `work`, each of whose blocks will be in the images. On one thread.
pub(crate) fn watched<R>(work: impl FnOnce() -> R) -> R {
    WATCHING.store(true, Relaxed);
    let result = work();
    WATCHING.store(false, Relaxed);
    result
}

/// Does something inside of [`watched`] that is not to be watched.
pub(crate) fn unwatched<R>(work: impl FnOnce() -> R) -> R {
    let watching = WATCHING.swap(false, Relaxed);
    let result = work();
    WATCHING.store(watching, Relaxed);
    result
}

/// How far the arena is used.
pub(crate) fn mark() -> usize {
    NEXT.load(Relaxed)
}

/// Zeroes the arena after `mark`, and hands it out again.
///
/// # Safety
/// All blocks after `mark` were freed.
pub(crate) unsafe fn forget(mark: usize) {
    let end = NEXT.swap(mark, Relaxed);
    // SAFETY: inside of the arena, and not in use, as the caller promises.
    unsafe { ARENA.load(Relaxed).add(mark).write_bytes(0, end - mark) };
}

/// The arena's bytes at one moment.
pub(crate) struct Image(Vec<u8>);

impl Image {
    /// Read as another process would, from the file that the kernel makes of this one's memory: the compiler
    /// has no say in what is there.
    pub(crate) fn take() -> Self {
        unwatched(|| {
            let mut bytes = vec![0; mark()];
            let memory = File::open("/proc/self/mem").expect("a process may read itself");
            let address = ARENA.load(Relaxed).expose_provenance() as u64;
            memory.read_exact_at(&mut bytes, address).expect("the arena is readable");
            Self(bytes)
        })
    }

    /// Where the two differ, from the arena's start.
    pub(crate) fn differences(&self, other: &Self) -> Vec<usize> {
        assert_eq!(self.0.len(), other.0.len(), "what is allocated depends on the secret");
        (0..self.0.len()).filter(|&at| self.0[at] != other.0[at]).collect()
    }
}
