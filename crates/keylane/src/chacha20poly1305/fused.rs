//! The cipher in vectors, interleaved with the hash in the CPU's integer units, which are otherwise idle. The
//! key stream of a group is computed while the group before it (sealing) or the group itself (opening) is
//! hashed.

use super::first_group::{first_group, split};
use super::kernel::{Kernel, Part, one_by_one};
use super::many::crypt_many;
use crate::aead::{self, Direction, Tag};
use crate::backend::Shape;
use crate::chacha20::lanes::{StreamBuffer, Vector, keystream, start, store, wipe_stream, words, xor_group};
use crate::poly1305::{self, Hash};
use core::marker::PhantomData;
use keylane_cpu::InstructionSet;

/// The cipher as in [`Groups`](crate::chacha20::lanes::Groups). During each double round the hash absorbs
/// FIRST blocks in its first half and one in its second. H hashes the rest.
pub(crate) struct Fused<V, H, const N: usize, const B: usize, const G: usize, const FIRST: usize>(
    PhantomData<fn() -> (V, H)>,
);

impl<V, H, const N: usize, const B: usize, const G: usize, const FIRST: usize> Shape
    for Fused<V, H, N, B, G, FIRST>
where
    V: Vector<N, B> + 'static,
    H: 'static,
{
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);
}

impl<V, H, const N: usize, const B: usize, const G: usize, const FIRST: usize> Kernel
    for Fused<V, H, N, B, G, FIRST>
where
    V: Vector<N, B> + 'static,
    H: poly1305::Kernel + Shape,
{
    fn crypt(&self, part: &mut Part<'_, '_>) {
        V::Isa::enter(
            #[inline(always)]
            move |isa| crypt::<V, N, B, G, FIRST>(isa, H::KERNEL, part),
        );
    }

    fn crypt_many(
        &self,
        direction: Direction,
        key: &[u8; 32],
        messages: &mut [aead::Message<'_>],
        tags: &mut [Tag],
    ) {
        // Four lanes gain too little for their 4 KB: a quarter of the time, of short messages only.
        if const { N == 4 } {
            one_by_one(self, direction, key, messages, tags);
        } else {
            crypt_many::<V, N, B, G, FIRST>(self, direction, key, messages, tags);
        }
    }
}

/// Blocks to hash during the cipher's rounds.
struct Hashing<'h, 'b, const FIRST: usize> {
    hash: &'h mut Hash,
    blocks: &'b [[u8; 16]],
}

impl<const FIRST: usize> Hashing<'_, '_, FIRST> {
    #[inline(always)]
    fn step(&mut self, half: usize) {
        if half == 0 {
            self.absorb_next::<FIRST>();
        } else {
            self.absorb_next::<1>();
        }
    }

    #[inline(always)]
    fn absorb_next<const BLOCKS: usize>(&mut self) {
        if let Some((now, later)) = self.blocks.split_first_chunk::<BLOCKS>() {
            self.hash.absorb_scalar(now);
            self.blocks = later;
        }
    }
}

#[inline(always)]
fn crypt<V: Vector<N, B> + 'static, const N: usize, const B: usize, const G: usize, const FIRST: usize>(
    isa: V::Isa,
    kernel: &poly1305::Chosen,
    part: &mut Part<'_, '_>,
) {
    let sealing = part.direction == Direction::Seal;
    let mut buffer = StreamBuffer::<G>::new();
    let stream = buffer.stream();
    // The number of bytes of `stream` that were written.
    let mut used = 0;
    // Ciphertext that is not hashed yet.
    let mut unhashed = part.text.take_front(0);
    let ended = part.message.hash.is_none() && part.text.len() <= 64 * (N - 1);
    if part.message.hash.is_none() {
        let head_len = part.text.len().min(64 * (N - 1));
        first_group::<V, N, B, G>(isa, part.message, stream, head_len);
        used = 64 + head_len;
        part.message.counter = 1 + head_len.div_ceil(64) as u32;
        let (key, stream_of_text) = split(stream);
        let mut head = part.text.take_front(head_len);
        if !sealing {
            part.begin(kernel, key, head.input());
        }
        head.reborrow().xor(stream_of_text);
        if sealing {
            part.begin(kernel, key, if part.text.is_empty() { head.written() } else { &[] });
            if !part.text.is_empty() {
                unhashed = head;
            }
        }
    }
    let (mut text, message) = (part.text.take_front(part.text.len()), &mut *part.message);
    let hash = message.hash.as_mut().expect("begun");
    // Whether `stream` has the key stream of the rest of the text.
    let mut ready = false;
    if text.len() > 64 * B {
        let mut start = start::<V, N, B>(isa, (message.key, message.counter, message.nonce));
        loop {
            let hashed = if sealing { unhashed.written() } else { &text.input()[..text.len().min(16 * G)] };
            // If there is half a group to hash meanwhile, a whole group of key stream is fastest, even if some
            // of it is not used.
            if text.len() < 16 * G && (text.len() <= 64 * B || hashed.len() < 8 * G) {
                break;
            }
            let (blocks, end) = hashed.as_chunks();
            let mut hashing = Hashing::<FIRST> { hash: &mut *hash, blocks };
            let words = words::<V, N, B>(
                isa,
                &mut start,
                #[inline(always)]
                |half| hashing.step(half),
            );
            let rest = hashing.blocks;
            hash.absorb_scalar(rest);
            if text.len() < 16 * G {
                store(&words, stream);
                (used, ready) = (16 * G, true);
                hash.absorb_padded(kernel, end);
                unhashed = text.take_front(0);
                break;
            }
            let mut piece = text.take_front(16 * G);
            xor_group(isa, &mut piece.reborrow().take::<G>().expect("a group"), &words);
            message.counter = message.counter.wrapping_add(N as u32);
            if sealing {
                unhashed = piece;
            }
        }
    }
    if !unhashed.is_empty() {
        hash.absorb_padded(kernel, unhashed.written());
    }
    if !text.is_empty() {
        if !sealing && !ready {
            hash.absorb_padded(kernel, text.input());
        }
        if !ready {
            keystream::<V, N, B, G>(isa, message.key, message.nonce, message.counter, stream, text.len());
            used = used.max(text.len());
        }
        message.counter = message.counter.wrapping_add((text.len() / 64) as u32);
        text.reborrow().xor(stream.as_flattened());
        if sealing {
            hash.absorb_padded(kernel, text.written());
        }
    }
    if !ended {
        hash.absorb_padded(kernel, part.end);
    }
    wipe_stream::<B, G>(stream, used);
}
