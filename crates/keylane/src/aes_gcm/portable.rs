//! AES-GCM in two passes of portable code over a few blocks at a time: bitsliced AES, and GHASH by integer
//! multiplication, whose products are reduced at once, so that no powers of H are needed.

use super::kernel::{Kernel, Key, Part, Progress};
use crate::aead::Direction;
use crate::aes::portable::{GROUP, Register, SlicedKeys, encrypt_blocks, expand};
use crate::aes::{KeyBytes, RoundKeys};
use crate::ghash::HashKey;
use crate::ghash::multiply::{multiply, times_x};
use keylane_cpu::Portable;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::portable::PlainBlocks;
use keylane_cpu::lanes::{Blocks, CarrylessBlocks};
use keylane_cpu::wipe::{Secret, wipe};

impl Kernel for Portable {
    fn prepare(&self, key: KeyBytes<'_>) -> Key {
        let mut h = Secret::new([[0; 16]]);
        // Built where it is returned.
        let mut prepared = Key { hash: HashKey::new(h[0]), rounds: Secret::new(RoundKeys::EMPTY) };
        expand::<Register>(key, &mut prepared.rounds);
        encrypt_blocks::<Register>(&prepared.rounds, &mut *h);
        prepared.hash = HashKey::new(h[0]);
        prepared
    }

    fn crypt(&self, message: &mut Part<'_>) -> [u8; 16] {
        let mut rounds = SlicedKeys::<Register>::EMPTY;
        rounds.set(&message.key.rounds);
        crypt::<PlainBlocks<GROUP>>(message, |blocks| rounds.encrypt(blocks))
    }
}

/// Encrypts or decrypts a message, given AES with its key.
pub(crate) fn crypt<V>(message: &mut Part<'_>, encrypt: impl Fn(&mut [[u8; 16]])) -> [u8; 16]
where
    V: CarrylessBlocks<GROUP, Isa = Portable, One: CarrylessBlocks<1>>,
{
    let mut running = Running::<V, _>::new(message.key, encrypt, message.progress, message.aad);
    running.crypt(message.direction, &mut message.text);
    match message.lengths {
        Some(&lengths) => running.tag(lengths),
        None => running.hash.number().to_le_bytes(),
    }
}

/// A message in progress.
struct Running<'a, V: Blocks<GROUP>, E> {
    encrypt: E,
    /// H·x.
    h: Secret<V::One>,
    first: &'a u128,
    /// The number of the last counter block used. It wraps, as the lowest 32 bits of the block do.
    blocks: u32,
    hash: Secret<V::One>,
}

impl<'a, V, E> Running<'a, V, E>
where
    V: CarrylessBlocks<GROUP, Isa = Portable, One: CarrylessBlocks<1>>,
    E: Fn(&mut [[u8; 16]]),
{
    fn new(key: &'a Key, encrypt: E, progress: &'a Progress, aad: &[u8]) -> Self {
        let mut running = Self {
            encrypt,
            h: Secret::new(V::One::splat(Portable, times_x(u128::from_be_bytes(*key.hash.h())))),
            first: &progress.first,
            blocks: progress.blocks,
            hash: Secret::new(V::One::broadcast(Portable, &progress.hash)),
        };
        for chunk in aad.chunks(16 * GROUP) {
            running.absorb(V::load_front(Portable, chunk), chunk.len().div_ceil(16));
        }
        running
    }

    /// Encrypts or decrypts, and hashes the ciphertext.
    fn crypt(&mut self, direction: Direction, text: &mut InOut<'_>) {
        while !text.is_empty() {
            let mut stream = [[0; 16]; GROUP];
            for block in &mut stream {
                self.blocks = self.blocks.wrapping_add(1);
                *block = self.counter(self.blocks);
            }
            let len = text.len().min(16 * GROUP);
            (self.encrypt)(&mut stream[..len.div_ceil(16)]);
            let input: V = text.load_front(Portable);
            let output = input ^ V::load(Portable, &stream);
            text.store_front(output);
            let sealed = if direction == Direction::Seal { output.keep_front(len) } else { input };
            self.absorb(sealed, len.div_ceil(16));
            wipe(&mut stream);
        }
    }

    /// Returns the counter block that is `blocks` after the first.
    fn counter(&self, blocks: u32) -> [u8; 16] {
        let first = self.first.swap_bytes();
        (first & !u128::from(u32::MAX) | u128::from((first as u32).wrapping_add(blocks))).to_be_bytes()
    }

    /// Hashes the first blocks of a vector.
    fn absorb(&mut self, vector: V, blocks: usize) {
        for block in vector.split().into_iter().take(blocks) {
            *self.hash = multiply(Portable, *self.hash ^ block.reverse_bytes(), *self.h);
        }
    }

    fn tag(&mut self, lengths: u128) -> [u8; 16] {
        self.absorb(V::first(V::One::splat(Portable, lengths).reverse_bytes()), 1);
        let mut mask = [self.first.to_le_bytes()];
        (self.encrypt)(&mut mask);
        let tag = (self.hash.reverse_bytes() ^ V::One::broadcast(Portable, &mask[0])).number();
        wipe(&mut mask);
        tag.to_le_bytes()
    }
}
