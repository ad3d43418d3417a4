//! What of ChaCha20 differs by CPU.

use keylane_cpu::in_out::InOut;

pub(crate) trait Kernel: Sync {
    /// XORs the key stream into `text`, from the block `counter` on; counters wrap. If the last block is not
    /// whole, `last` becomes its key stream.
    fn xor_keystream(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        counter: u32,
        text: &mut InOut<'_>,
        last: &mut [u8; 64],
    );
}
