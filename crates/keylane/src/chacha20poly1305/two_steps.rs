//! The cipher and the hash in turns over pieces that stay in the nearest cache, each by its own kernel.

use super::Message;
#[cfg(target_arch = "x86_64")]
use super::begin::begin;
use crate::{chacha20, poly1305};
use keylane_cpu::in_out::InOut;
#[cfg(target_arch = "x86_64")]
use keylane_cpu::lanes::RowLanes;
use keylane_cpu::wipe::wipe;

/// A piece: a multiple of every group of the ciphers and of the hashes.
const PIECE: usize = 8 * 1024;

/// By portable code: encrypts, then hashes; or hashes, then decrypts.
#[inline(always)]
pub(super) fn portable<C: chacha20::Kernel, H: poly1305::Kernel, const SEAL: bool>(
    cipher: &C,
    hash: &H,
    message: &mut Message<'_>,
    aad: &[u8],
    text: &mut InOut<'_>,
) {
    if message.hash.is_none() {
        let (mut key, mut last) = ([0; 32], [0; 64]);
        cipher.xor_keystream(message.key, message.nonce, 0, &mut InOut::in_place(&mut key), &mut last);
        message.begin(hash, &key, aad);
        message.counter = 1;
        wipe(&mut key);
        wipe(&mut last);
    }
    pieces::<C, H, SEAL>(cipher, hash, message, text);
}

/// Over vectors.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn lanes<
    V: RowLanes<N, B>,
    C: chacha20::Kernel,
    H: poly1305::Kernel,
    const N: usize,
    const B: usize,
    const G: usize,
    const SEAL: bool,
>(
    isa: V::Isa,
    cipher: &C,
    hash: &H,
    message: &mut Message<'_>,
    aad: &[u8],
    text: &mut InOut<'_>,
) {
    if message.hash.is_none() {
        let mut stream = [[0; 16]; G];
        let head_len = begin::<V, H, N, B, G>(isa, hash, message, aad, &mut stream, text.len());
        // What follows the first group are whole groups.
        let mut piece = text.take_front(text.len().min(PIECE - 64));
        let running = message.hash.as_mut().expect("begun");
        if !SEAL {
            running.absorb_padded(hash, piece.input());
        }
        let mut rest = piece.reborrow();
        rest.take_front(head_len).xor(&stream.as_flattened()[64..]);
        if !rest.is_empty() {
            let mut last = [0; 64];
            cipher.xor_keystream(message.key, message.nonce, N as u32, &mut rest, &mut last);
            wipe(&mut last);
        }
        if SEAL {
            running.absorb_padded(hash, piece.written());
        }
        message.counter = 1 + (piece.len() / 64) as u32;
        wipe(&mut stream);
    }
    pieces::<C, H, SEAL>(cipher, hash, message, text);
}

/// The rest of a message that has begun.
#[inline(always)]
fn pieces<C: chacha20::Kernel, H: poly1305::Kernel, const SEAL: bool>(
    cipher: &C,
    hash: &H,
    message: &mut Message<'_>,
    text: &mut InOut<'_>,
) {
    let running = message.hash.as_mut().expect("begun");
    while !text.is_empty() {
        let mut piece = text.take_front(text.len().min(PIECE));
        if !SEAL {
            running.absorb_padded(hash, piece.input());
        }
        let mut last = [0; 64];
        cipher.xor_keystream(message.key, message.nonce, message.counter, &mut piece.reborrow(), &mut last);
        wipe(&mut last);
        if SEAL {
            running.absorb_padded(hash, piece.written());
        }
        message.counter = message.counter.wrapping_add((piece.len() / 64) as u32);
    }
}
