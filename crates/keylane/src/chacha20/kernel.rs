//! The trait of ChaCha20's implementations.

use keylane_cpu::in_out::InOut;
use keylane_cpu::wipe::wipe;

pub(crate) trait Kernel: Sync {
    /// XORs the key stream from the block `counter` on into `text`; the counter wraps. If the last block is
    /// partial, stores its key stream in `last`.
    fn xor_keystream(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        counter: u32,
        text: &mut InOut<'_>,
        last: &mut [u8; 64],
    );

    /// Writes the first bytes of the blocks with these counters and nonces. There are as many heads.
    fn heads(&self, key: &[u8; 32], blocks: &[[u8; 16]], heads: &mut [[u8; 5]]);
}

/// Does [`Kernel::heads`], one after the other.
pub(crate) fn one_by_one(kernel: &impl Kernel, key: &[u8; 32], blocks: &[[u8; 16]], heads: &mut [[u8; 5]]) {
    let mut last = [0; 64];
    for ([c0, c1, c2, c3, nonce @ ..], head) in blocks.iter().zip(heads) {
        let counter = u32::from_le_bytes([*c0, *c1, *c2, *c3]);
        *head = [0; 5];
        kernel.xor_keystream(key, nonce, counter, &mut InOut::in_place(head), &mut last);
    }
    wipe(&mut last);
}
