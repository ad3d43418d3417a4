//! The cipher and the hash in turns, each by its own kernel, over pieces that stay in the level-1 cache.

use super::kernel::{Part, Progress};
use crate::aead::Direction;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use crate::chacha20::Kernel as _;
use crate::{chacha20, poly1305};
use keylane_cpu::wipe::wipe;

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
