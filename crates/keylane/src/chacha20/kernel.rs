//! The trait of ChaCha20's implementations.

use keylane_cpu::in_out::InOut;

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
}
