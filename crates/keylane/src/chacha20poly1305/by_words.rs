//! The portable cipher and the portable hash in turns.

use super::kernel::{Kernel, Part, one_by_one};
use super::pieces::pieces;
use crate::aead::Batch;
use crate::backend::Shape;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use crate::chacha20::Kernel as _;
use crate::{chacha20, poly1305};
use keylane_cpu::Portable;
use keylane_cpu::in_out::InOut;
use keylane_cpu::wipe::wipe;

impl Kernel for Portable {
    fn crypt(&self, part: &mut Part<'_, '_>) {
        crypt_by_words(self, part);
    }

    fn crypt_many(&self, key: &[u8; 32], batch: &mut Batch<'_, '_>) {
        one_by_one(self, key, batch);
    }
}

/// Implements [`Kernel::crypt`] with the portable hash.
#[inline(always)]
pub(crate) fn crypt_by_words(cipher: &chacha20::Chosen, part: &mut Part<'_, '_>) {
    if part.message.hash.is_none() {
        begin_by_words(cipher, part);
        if part.text.is_empty() {
            return;
        }
    }
    pieces(cipher, poly1305::Scalar::KERNEL, part);
}

/// Begins the hash. Not inlined, so that its memory is free again before the text is processed.
#[inline(never)]
fn begin_by_words(cipher: &chacha20::Chosen, part: &mut Part<'_, '_>) {
    let (mut key, mut last) = ([0; 32], [0; 64]);
    let block = &mut InOut::in_place(&mut key);
    cipher.xor_keystream(part.message.key, part.message.nonce, 0, block, &mut last);
    part.begin(poly1305::Scalar::KERNEL, &key, &[]);
    part.message.counter = 1;
    wipe(&mut key);
    wipe(&mut last);
}
