//! The cipher in vectors, interleaved with the hash in the CPU's integer units, which are otherwise idle. The
//! key stream of a group is computed while the group before it (sealing) or the group itself (opening) is
//! hashed.

use super::first_group::{first_group, split};
use super::kernel::{Kernel, Part, one_by_one};
use super::many::crypt_many;
use crate::aead::{self, Direction, Tag};
use crate::backend::Shape;
use crate::chacha20::lanes::{
    DOUBLE_ROUNDS, StreamBuffer, Vector, keystream, start, store, wipe_stream, words, xor_group,
};
use crate::poly1305::{self, portable};
use core::marker::PhantomData;
use keylane_cpu::InstructionSet;

/// The cipher as in [`Groups`](crate::chacha20::lanes::Groups). During each double round the hash absorbs P
/// blocks, the last of them in its second half. H hashes the rest.
pub(crate) struct Fused<V, H, const N: usize, const B: usize, const G: usize, const P: usize>(
    PhantomData<fn() -> (V, H)>,
);

impl<V, H, const N: usize, const B: usize, const G: usize, const P: usize> Shape for Fused<V, H, N, B, G, P>
where
    V: Vector<N, B> + 'static,
    H: 'static,
{
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);
}

impl<V, H, const N: usize, const B: usize, const G: usize, const P: usize> Kernel for Fused<V, H, N, B, G, P>
where
    V: Vector<N, B> + 'static,
    H: poly1305::Kernel + Shape,
{
    fn crypt(&self, part: &mut Part<'_, '_>) {
        V::Isa::enter(
            #[inline(always)]
            move |isa| crypt::<V, N, B, G, P>(isa, H::KERNEL, part),
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
            crypt_many::<V, N, B, G>(self, direction, key, messages, tags);
        }
    }
}

#[inline(always)]
fn crypt<V: Vector<N, B> + 'static, const N: usize, const B: usize, const G: usize, const P: usize>(
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
            let (blocks, end) = hashed.as_chunks::<16>();
            let (sets, _) = blocks.as_chunks::<P>();
            let sets = &sets[..sets.len().min(DOUBLE_ROUNDS)];
            // Copies, which stay in registers.
            let (r, mut accumulator) = (hash.key.r, hash.accumulator);
            let words = words::<V, N, B, _>(
                isa,
                &mut start,
                sets,
                #[inline(always)]
                |set, half| {
                    let blocks = if half == 0 { &set[..P - 1] } else { &set[P - 1..] };
                    accumulator = portable::absorb(r, accumulator, blocks);
                },
            );
            hash.accumulator = portable::absorb(r, accumulator, &blocks[P * sets.len()..]);
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
