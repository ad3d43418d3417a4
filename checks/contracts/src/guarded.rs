//! Memory with an inaccessible page on either side: an access beyond it ends the process.

#[cfg(all(any(unix, windows), not(miri)))]
use mmap_rs::{MmapMut, MmapNone, MmapOptions};
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

#[cfg(all(any(unix, windows), not(miri)))]
type Memory = (MmapMut, [MmapNone; 2]);
#[cfg(not(all(any(unix, windows), not(miri))))]
type Memory = (Vec<u8>, ());

thread_local! {
    /// Pages that were used before: making them takes longer than most checks.
    static SPARE: RefCell<Vec<Memory>> = const { RefCell::new(Vec::new()) };
}

/// Bytes that touch an inaccessible page, so that a kernel that reads or writes before or after them dies.
///
/// Where there are no pages to protect (WebAssembly, Miri), plain memory takes their place, and only the
/// content is tested.
pub struct Guarded {
    /// Until it is dropped.
    memory: Option<Memory>,
    start: usize,
    len: usize,
}

impl Guarded {
    /// A copy of `bytes` whose last byte is the last before an inaccessible page.
    ///
    /// # Panics
    /// If the operating system gives no memory.
    pub fn at_end(bytes: &[u8]) -> Self {
        let mut guarded = Self::with_room_for(bytes.len());
        guarded.start = guarded.pages().len() - bytes.len();
        guarded.copy_from_slice(bytes);
        guarded
    }

    /// A copy of `bytes` whose first byte is the first after an inaccessible page.
    ///
    /// # Panics
    /// As [`at_end`](Self::at_end).
    pub fn at_start(bytes: &[u8]) -> Self {
        let mut guarded = Self::with_room_for(bytes.len());
        guarded.copy_from_slice(bytes);
        guarded
    }

    #[cfg(all(any(unix, windows), not(miri)))]
    fn with_room_for(len: usize) -> Self {
        let page = MmapOptions::page_size();
        let room = len.div_ceil(page).max(1) * page;
        let spare = SPARE.with_borrow_mut(|spare| {
            let place = spare.iter().position(|(pages, _)| pages.len() == room)?;
            Some(spare.swap_remove(place))
        });
        let memory = spare.unwrap_or_else(|| {
            let map = MmapOptions::new(room + 2 * page).and_then(MmapOptions::map_mut);
            let mut before = map.expect("memory for guard pages");
            let mut pages = before.split_off(page).expect("a split at a page");
            let after = pages.split_off(room).expect("a split at a page");
            let none = |pages: MmapMut| pages.make_none().map_err(|(_, error)| error).expect("a guard page");
            (pages, [none(before), none(after)])
        });
        Self { memory: Some(memory), start: 0, len }
    }

    #[cfg(not(all(any(unix, windows), not(miri))))]
    fn with_room_for(len: usize) -> Self {
        Self { memory: Some((vec![0; len], ())), start: 0, len }
    }

    fn pages(&self) -> &[u8] {
        &self.memory.as_ref().expect("until it is dropped").0
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // A thread that ends has no more use for it.
        let _ = SPARE.try_with(|spare| spare.borrow_mut().extend(self.memory.take()));
    }
}

impl Deref for Guarded {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.pages()[self.start..][..self.len]
    }
}

impl DerefMut for Guarded {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory.as_mut().expect("until it is dropped").0[self.start..][..self.len]
    }
}
