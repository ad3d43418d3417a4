//! The beginning of a message: its first blocks of key stream. Block 0 has the hash's key.

use super::kernel::Message;
use crate::chacha20::lanes::{Vector, keystream};
use crate::poly1305;
use keylane_cpu::InstructionSet;

/// Writes block 0 and at most N - 1 blocks of the text's key stream to `stream`. Returns the number of bytes
/// of the text that they suffice for.
#[inline(always)]
pub(super) fn first_group<V: Vector<N, B>, const N: usize, const B: usize, const G: usize>(
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

/// Returns block 0's first half, and the blocks after block 0.
#[inline(always)]
pub(super) fn split<const G: usize>(stream: &[[u8; 16]; G]) -> (&[u8; 32], &[u8]) {
    let bytes = stream.as_flattened();
    (bytes.first_chunk().expect("32 of 64"), &bytes[64..])
}

/// [`Message::begin`] as a function that the kernels of one instruction set share.
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
