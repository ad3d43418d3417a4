//! Memory as C programs hold it: blocks of just the length that is needed, and pointers into them.

use std::ffi::c_void;

/// Blocks of memory that a call is given pointers into.
#[derive(Default)]
pub(crate) struct Blocks(Vec<Vec<u8>>);

impl Blocks {
    /// Takes a block, and gives its number. Its capacity is its length: behind it nothing is ours.
    pub(crate) fn add(&mut self, bytes: Vec<u8>) -> usize {
        self.0.push(bytes.into_boxed_slice().into_vec());
        self.0.len() - 1
    }

    pub(crate) fn as_slice(&self) -> &[Vec<u8>] {
        &self.0
    }

    /// Puts back what a call changed.
    pub(crate) fn restore(&mut self, content: &[Vec<u8>]) {
        for (block, content) in self.0.iter_mut().zip(content) {
            block.copy_from_slice(content);
        }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [Vec<u8>] {
        &mut self.0
    }

    /// Where each block begins. The pointers are good until a block is borrowed again.
    pub(crate) fn starts(&mut self) -> Vec<*mut c_void> {
        self.0.iter_mut().map(|block| block.as_mut_ptr().cast()).collect()
    }
}
