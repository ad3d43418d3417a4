//! Shared parts of the shapes: the beginning of a message in vectors, and the cipher and the hash in turn,
//! each by its own kernel, over pieces that stay in the level-1 cache.

use super::kernel::{Part, Progress};
use crate::aead::Direction;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
use crate::backend::Shape;
use crate::chacha20::Kernel as _;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
use crate::chacha20::lanes::{Groups, Stream, Vector, keystream};
use crate::{chacha20, poly1305};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
use keylane_cpu::in_out::InOut;
use keylane_cpu::wipe::wipe;

/// Writes block 0 and the text's key stream for `head_len` bytes to `stream`, N blocks at most. A long one
/// fills all of `stream`, of which the last vector's blocks are then needed, so that `wipe_stream` wipes all.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
#[inline(always)]
pub(super) fn first_group<V: Vector<N, B> + 'static, const N: usize, const B: usize>(
    isa: V::Isa,
    message: &Progress<'_>,
    stream: &mut Stream<B>,
    head_len: usize,
) {
    const { assert!(V::SHORT_LEN >= 64 * (N - B)) }
    let (len, nonce) = (64 + head_len, message.nonce);
    if len <= V::SHORT_LEN {
        keystream::<V, N, B>(isa, message.key, nonce, 0, stream, len);
    } else {
        *stream = [[[0; 16]; B]; 16];
        let text = &mut InOut::in_place(stream.as_flattened_mut().as_flattened_mut());
        Groups::<V, N, B>::KERNEL.xor_keystream(message.key, nonce, 0, text, &mut [0; 64]);
    }
}

/// Returns block 0's first half, and the blocks after block 0.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
#[inline(always)]
pub(super) fn split<const B: usize>(stream: &Stream<B>) -> (&[u8; 32], &[u8]) {
    let bytes = stream.as_flattened().as_flattened();
    (bytes.first_chunk().expect("32 of 64"), &bytes[64..])
}

/// The bytes of a piece: a multiple of all groups of ciphers and hashes.
pub(super) const PIECE: usize = 8 * 1024;

/// Processes the rest of a message whose beginning was processed.
#[inline(never)]
pub(super) fn pieces(cipher: &chacha20::Chosen, kernel: &poly1305::Chosen, part: &mut Part<'_, '_>) {
    let Part { direction, text, .. } = part;
    let Progress { key, nonce, counter, hash } = &mut *part.message;
    let hash = hash.as_mut().expect("begun");
    while !text.is_empty() {
        let mut piece = text.take_front(text.len().min(PIECE));
        if *direction != Direction::Seal {
            hash.absorb_padded(kernel, piece.input());
        }
        let mut last = [0; 64];
        cipher.xor_keystream(key, nonce, *counter, &mut piece.reborrow(), &mut last);
        wipe(&mut last);
        if *direction == Direction::Seal {
            hash.absorb_padded(kernel, piece.written());
        }
        *counter = counter.wrapping_add((piece.len() / 64) as u32);
    }
    hash.absorb_padded(kernel, part.end);
}
