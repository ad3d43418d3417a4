//! The cipher in vectors with the hash beside it, in the CPU's integer units, which have nothing else to do: a group's
//! key stream is made while the group before it is hashed (sealing), or while it is hashed itself (opening).

use super::Message;
use super::begin::begin;
use crate::chacha20::lanes::{Beside, keystream, start, words, xor_group};
use crate::poly1305::{self, Hash};
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::RowLanes;
use keylane_cpu::wipe::wipe;

/// Blocks to hash beside the cipher, FIRST in the first half of a double round and SECOND in the second.
struct Hashing<'h, 'b, const FIRST: usize, const SECOND: usize> {
    hash: &'h mut Hash,
    blocks: &'b [[u8; 16]],
}

impl<const FIRST: usize, const SECOND: usize> Beside for Hashing<'_, '_, FIRST, SECOND> {
    #[inline(always)]
    fn step(&mut self, half: usize) {
        if half == 0 {
            self.some::<FIRST>();
        } else {
            self.some::<SECOND>();
        }
    }
}

impl<const FIRST: usize, const SECOND: usize> Hashing<'_, '_, FIRST, SECOND> {
    #[inline(always)]
    fn some<const BLOCKS: usize>(&mut self) {
        if let Some((now, later)) = self.blocks.split_first_chunk::<BLOCKS>() {
            self.hash.absorb_scalar(now);
            self.blocks = later;
        }
    }
}

/// Encrypts and hashes, or decrypts and hashes.
#[inline(always)]
pub(super) fn crypt<
    V: RowLanes<N, B>,
    H: poly1305::Kernel,
    const N: usize,
    const B: usize,
    const G: usize,
    const FIRST: usize,
    const SECOND: usize,
    const SEAL: bool,
>(
    isa: V::Isa,
    hash: &H,
    message: &mut Message<'_>,
    aad: &[u8],
    text: &mut InOut<'_>,
) {
    let mut stream = [[0; 16]; G];
    // What is encrypted and not hashed yet.
    let mut behind = text.take_front(0);
    if message.hash.is_none() {
        let head_len = begin::<V, H, N, B, G>(isa, hash, message, aad, &mut stream, text.len());
        behind = text.take_front(head_len);
        if !SEAL {
            message.hash.as_mut().expect("begun").absorb_padded(hash, behind.input());
        }
        behind.reborrow().xor(&stream.as_flattened()[64..]);
    }
    let running = message.hash.as_mut().expect("begun");
    let mut start = start::<V, N, B>(isa, message.key, message.counter, message.nonce);
    while text.len() >= 16 * G {
        let mut piece = text.take_front(16 * G);
        let bytes = if SEAL { behind.written() } else { piece.input() };
        let mut beside = Hashing::<FIRST, SECOND> { hash: &mut *running, blocks: bytes.as_chunks().0 };
        let words = words::<V, _, N, B>(isa, &mut start, &mut beside);
        let rest = beside.blocks;
        running.absorb_scalar(rest);
        xor_group(isa, &mut piece.reborrow().take::<G>().expect("a group"), &words);
        message.counter = message.counter.wrapping_add(N as u32);
        behind = piece;
    }
    if !text.is_empty() {
        let mut piece = text.take_front(text.len());
        if !SEAL {
            running.absorb_padded(hash, piece.input());
        }
        let blocks = if SEAL { behind.written().as_chunks().0 } else { &[] };
        let mut beside = Hashing::<FIRST, SECOND> { hash: &mut *running, blocks };
        // With a group to hash beside it, the shape that takes longest costs the least.
        let len = if blocks.len() >= G / 2 { 16 * G } else { piece.len() };
        keystream::<V, _, N, B, G>(
            isa,
            message.key,
            message.nonce,
            message.counter,
            &mut stream,
            len,
            &mut beside,
        );
        let rest = beside.blocks;
        if SEAL {
            running.absorb(hash, rest);
            piece.reborrow().xor(stream.as_flattened());
            running.absorb_padded(hash, piece.written());
        } else {
            piece.reborrow().xor(stream.as_flattened());
        }
        message.counter = message.counter.wrapping_add((piece.len() / 64) as u32);
    } else if SEAL {
        running.absorb_padded(hash, behind.written());
    }
    wipe(&mut stream);
}
