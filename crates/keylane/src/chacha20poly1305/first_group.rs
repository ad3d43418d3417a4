//! The beginning of a message: its first blocks of key stream, of which block 0 is the hash's key.

use super::kernel::Message;
use crate::chacha20::lanes::keystream;
use crate::poly1305;
use keylane_cpu::lanes::RowLanes;

/// Fills `stream` with block 0 and the key stream of the text, at most N - 1 blocks, and begins the hash. Returns how
/// many bytes of the text `stream` has key stream for, from its second block on.
#[inline(always)]
pub(super) fn begin<V: RowLanes<N, B>, const N: usize, const B: usize, const G: usize>(
    isa: V::Isa,
    hash: &dyn poly1305::Kernel,
    message: &mut Message<'_>,
    aad: &[u8],
    stream: &mut [[u8; 16]; G],
    text_len: usize,
) -> usize {
    let head_len = text_len.min(64 * (N - 1));
    keystream::<V, N, B, G>(isa, message.key, message.nonce, 0, stream, 64 + head_len);
    message.begin(hash, stream.as_flattened().first_chunk().expect("32 of 64"), aad);
    message.counter = 1 + head_len.div_ceil(64) as u32;
    head_len
}
