//! The beginning of a message: its first blocks of key stream, of which block 0 is the hash's key.

use super::kernel::Message;
use crate::chacha20::lanes::keystream;
use crate::poly1305;
use keylane_cpu::InstructionSet;
use keylane_cpu::lanes::RowLanes;

/// Fills `stream` with block 0 and the key stream of the text, at most N - 1 blocks. Returns how many bytes
/// of the text that is enough for.
#[inline(always)]
pub(super) fn first_group<V: RowLanes<N, B>, const N: usize, const B: usize, const G: usize>(
    isa: V::Isa,
    message: &mut Message<'_>,
    stream: &mut [[u8; 16]; G],
    text_len: usize,
) -> usize {
    let head_len = text_len.min(64 * (N - 1));
    keystream::<V, N, B, G>(isa, message.key, message.nonce, 0, stream, 64 + head_len);
    message.counter = 1 + head_len.div_ceil(64) as u32;
    head_len
}

/// Block 0's first half, and the blocks after it.
#[inline(always)]
pub(super) fn split<const G: usize>(stream: &[[u8; 16]; G]) -> (&[u8; 32], &[u8]) {
    let bytes = stream.as_flattened();
    (bytes.first_chunk().expect("32 of 64"), &bytes[64..])
}

/// [`Message::begin`] in a function of its own, which the kernels of one instruction set share.
#[inline(always)]
pub(super) fn begin<I: InstructionSet>(
    isa: I,
    message: &mut Message<'_>,
    kernel: &dyn poly1305::Kernel,
    key: &[u8; 32],
    aad: &[u8],
    text: &[u8],
) {
    isa.run(
        #[inline(always)]
        move |_| message.begin(kernel, key, aad, text),
    );
}
