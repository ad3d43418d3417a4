//! The memory of this process, with terms laid over it.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;

pub(crate) struct Memory<B> {
    process: File,
    /// Bytes that the machine was given or has written, by their addresses.
    over: HashMap<u64, B>,
    /// Pages that were read.
    pages: HashMap<u64, Box<[u8; PAGE as usize]>>,
}

const PAGE: u64 = 4096;
/// Addresses that no process has on this architecture with four levels of page tables.
const STACK: std::ops::Range<u64> = 0x7fff_ffff_0000_0000..0x7fff_ffff_0100_0000;

impl<B: Copy> Memory<B> {
    pub(crate) fn new() -> Self {
        let process = File::open("/proc/self/mem").expect("the memory of this process");
        Self { process, over: HashMap::new(), pages: HashMap::new() }
    }

    pub(crate) fn stack_top(&self) -> u64 {
        STACK.end - PAGE
    }

    pub(crate) fn write(&mut self, at: u64, bytes: &[B]) {
        for (at, &byte) in (at..).zip(bytes) {
            self.over.insert(at, byte);
        }
    }

    /// Returns what was laid over the process at an address.
    pub(crate) fn over(&self, at: u64) -> Option<B> {
        self.over.get(&at).copied()
    }

    /// Returns the number of a place of the stack, which is no memory of the process.
    pub(crate) fn of_stack(at: u64) -> Option<u32> {
        STACK.contains(&at).then(|| u32::MAX - (STACK.end - at) as u32)
    }

    /// Returns a byte of the process itself.
    pub(crate) fn process(&mut self, at: u64) -> u8 {
        let process = &self.process;
        let page = self.pages.entry(at / PAGE).or_insert_with(|| {
            let mut page = Box::new([0; PAGE as usize]);
            let read = process.read_exact_at(&mut page[..], at / PAGE * PAGE);
            read.unwrap_or_else(|error| panic!("{at:#x}: {error}"));
            page
        });
        page[(at % PAGE) as usize]
    }
}
