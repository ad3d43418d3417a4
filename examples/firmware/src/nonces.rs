//! Nonces that never repeat, also when the power fails: a boot counter, which is kept in flash, and a counter
//! of the messages since then.
//!
//! A random number generator would not do: with 12 bytes, two of many random nonces may be the same, and few
//! small devices have one. Nor would a counter in memory, which begins again.

/// Two pages of flash that the program does not use (`memory.x`). Each start writes its number into the next
/// word that is still erased. When a page is full, the other one is erased: one of them always has the last
/// number.
const PAGES: usize = 0x3_f800;
const PAGE_WORDS: usize = 256;
const ERASED: u32 = u32::MAX;

/// The nRF51's controller of its flash.
const READY: *const u32 = 0x4001_e400 as *const u32;
const CONFIG: *mut u32 = 0x4001_e504 as *mut u32;
const ERASE_PAGE: *mut u32 = 0x4001_e508 as *mut u32;

pub(crate) struct Nonces {
    start: u32,
    messages: u64,
}

impl Nonces {
    /// Takes the number of this start, before any message is sealed.
    pub(crate) fn start() -> Self {
        let words = PAGES as *mut u32;
        // SAFETY: these pages are flash that holds nothing else.
        let read = |at: usize| unsafe { words.add(at).read_volatile() };
        let last = (0..2 * PAGE_WORDS).map(read).filter(|word| *word != ERASED).max().unwrap_or(0);
        let start =
            last.checked_add(1).filter(|start| *start != ERASED).expect("four thousand million starts");
        // The word after the last number. Where that begins a page, the page may still have old ones.
        let at = (0..2 * PAGE_WORDS).find(|at| read(*at) == last).map_or(0, |at| (at + 1) % (2 * PAGE_WORDS));
        if read(at) != ERASED {
            let page = PAGES + 4 * (at - at % PAGE_WORDS);
            program(2, || unsafe { ERASE_PAGE.write_volatile(page as u32) });
        }
        program(1, || unsafe { words.add(at).write_volatile(start) });
        assert_eq!(read(at), start, "the flash is worn out");
        Self { start, messages: 0 }
    }

    pub(crate) fn next(&mut self) -> [u8; 12] {
        self.messages += 1;
        let mut nonce = [0; 12];
        nonce[..4].copy_from_slice(&self.start.to_be_bytes());
        nonce[4..].copy_from_slice(&self.messages.to_be_bytes());
        nonce
    }
}

/// Writes to flash in one of the controller's modes: 1 writes, 2 erases.
fn program(mode: u32, write: impl FnOnce()) {
    // SAFETY: these are registers of the controller. No other code uses them.
    unsafe {
        CONFIG.write_volatile(mode);
        write();
        while READY.read_volatile() == 0 {}
        CONFIG.write_volatile(0);
    }
}
