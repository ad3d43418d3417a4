//! The beginning of a message: its first blocks of key stream. Block 0 has the hash's key.

use super::kernel::Progress;
use crate::backend::Shape;
use crate::chacha20::Kernel;
use crate::chacha20::lanes::{Groups, Vector, keystream};
use keylane_cpu::in_out::InOut;

/// Writes block 0 and the text's key stream for `head_len` bytes to `stream`, N blocks at most. A long one
/// fills all of `stream`, of which the last vector's blocks are then needed, so that `wipe_stream` wipes all.
#[inline(always)]
pub(super) fn first_group<V, const N: usize, const B: usize, const G: usize>(
    isa: V::Isa,
    message: &Progress<'_>,
    stream: &mut [[u8; 16]; G],
    head_len: usize,
) where
    V: Vector<N, B> + 'static,
{
    const { assert!(V::SHORT_LEN >= 64 * (N - B)) }
    let (len, nonce) = (64 + head_len, message.nonce);
    if len <= V::SHORT_LEN {
        keystream::<V, N, B, G>(isa, message.key, nonce, 0, stream, len);
    } else {
        *stream = [[0; 16]; G];
        let text = &mut InOut::in_place(stream.as_flattened_mut());
        Groups::<V, N, B, G>::KERNEL.xor_keystream(message.key, nonce, 0, text, &mut [0; 64]);
    }
}

/// Returns block 0's first half, and the blocks after block 0.
#[inline(always)]
pub(super) fn split<const G: usize>(stream: &[[u8; 16]; G]) -> (&[u8; 32], &[u8]) {
    let bytes = stream.as_flattened();
    (bytes.first_chunk().expect("32 of 64"), &bytes[64..])
}
