//! The cipher in vectors with the hash interleaved, in the CPU's integer units, which have nothing else to do: a
//! group's key stream is made while the group before it is hashed (sealing), or while it is hashed itself (opening).

use super::first_group::{first_group, split};
use super::kernel::{Direction, Kernel, Message};
use crate::backend::Shape;
use crate::chacha20::lanes::{Interleave, Room, keystream, start, store, wipe_stream, words, xor_group};
use crate::poly1305::{self, Hash};
use core::marker::PhantomData;
use keylane_cpu::InstructionSet;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::RowLanes;

/// Groups of N blocks (4 × N blocks of 16 bytes make G) in vectors of B rows. While a double round runs, the hash
/// absorbs FIRST blocks in its first half and SECOND in the second; H hashes what is left over.
pub(super) struct Fused<
    V,
    H,
    const N: usize,
    const B: usize,
    const G: usize,
    const FIRST: usize,
    const SECOND: usize,
>(PhantomData<fn() -> (V, H)>);

impl<V, H, const N: usize, const B: usize, const G: usize, const FIRST: usize, const SECOND: usize> Shape
    for Fused<V, H, N, B, G, FIRST, SECOND>
where
    V: RowLanes<N, B> + 'static,
    H: 'static,
{
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);
}

impl<V, H, const N: usize, const B: usize, const G: usize, const FIRST: usize, const SECOND: usize> Kernel
    for Fused<V, H, N, B, G, FIRST, SECOND>
where
    V: RowLanes<N, B> + 'static,
    H: poly1305::Kernel + Shape,
{
    fn crypt(&self, direction: Direction, message: &mut Message<'_>, aad: &[u8], text: &mut InOut<'_>) {
        V::Isa::enter(
            #[inline(always)]
            move |isa| crypt::<V, N, B, G, FIRST, SECOND>(isa, H::KERNEL, direction, message, aad, text),
        );
    }
}

/// Blocks to hash beside the cipher.
struct Hashing<'h, 'b, const FIRST: usize, const SECOND: usize> {
    hash: &'h mut Hash,
    blocks: &'b [[u8; 16]],
}

impl<const FIRST: usize, const SECOND: usize> Interleave for Hashing<'_, '_, FIRST, SECOND> {
    #[inline(always)]
    fn step(&mut self, half: usize) {
        if half == 0 {
            self.absorb_next::<FIRST>();
        } else {
            self.absorb_next::<SECOND>();
        }
    }
}

impl<const FIRST: usize, const SECOND: usize> Hashing<'_, '_, FIRST, SECOND> {
    #[inline(always)]
    fn absorb_next<const BLOCKS: usize>(&mut self) {
        if let Some((now, later)) = self.blocks.split_first_chunk::<BLOCKS>() {
            self.hash.absorb_scalar(now);
            self.blocks = later;
        }
    }
}

#[inline(always)]
fn crypt<
    V: RowLanes<N, B>,
    const N: usize,
    const B: usize,
    const G: usize,
    const FIRST: usize,
    const SECOND: usize,
>(
    isa: V::Isa,
    kernel: &dyn poly1305::Kernel,
    direction: Direction,
    message: &mut Message<'_>,
    aad: &[u8],
    text: &mut InOut<'_>,
) {
    let sealing = direction == Direction::Seal;
    let mut text = text.take_front(text.len());
    let mut room = Room::<G>::new();
    let stream = room.stream();
    // How many bytes of it were written.
    let mut used = 0;
    // What is encrypted and not hashed yet.
    let mut behind = text.take_front(0);
    if message.hash.is_none() {
        let head_len = first_group::<V, N, B, G>(isa, message, stream, text.len());
        used = 64 + head_len;
        let (key, stream_of_text) = split(stream);
        let mut head = text.take_front(head_len);
        if !sealing {
            message.begin(kernel, key, aad, head.input());
        }
        head.reborrow().xor(stream_of_text);
        if sealing {
            message.begin(kernel, key, aad, if text.is_empty() { head.written() } else { &[] });
            if !text.is_empty() {
                behind = head;
            }
        }
    }
    let hash = message.hash.as_mut().expect("begun");
    if text.len() > 64 * B {
        let mut start = start::<V, N, B>(isa, message.key, message.counter, message.nonce);
        // With half a group or more to hash beside it, a group's key stream costs least even if some of it is unused.
        while text.len() >= 16 * G || text.len() > 64 * B && behind.len() >= 8 * G {
            let mut piece = text.take_front(text.len().min(16 * G));
            let hashed = if sealing { behind.written() } else { piece.input() };
            let mut beside = Hashing::<FIRST, SECOND> { hash: &mut *hash, blocks: hashed.as_chunks().0 };
            let words = words::<V, _, N, B>(isa, &mut start, &mut beside);
            let rest = beside.blocks;
            hash.absorb_scalar(rest);
            message.counter = message.counter.wrapping_add((piece.len() / 64) as u32);
            if let Some(mut group) = piece.reborrow().take::<G>() {
                xor_group(isa, &mut group, &words);
            } else {
                store(&words, stream);
                used = 16 * G;
                piece.reborrow().xor(stream.as_flattened());
            }
            if sealing {
                behind = piece;
            }
        }
    }
    if !behind.is_empty() {
        hash.absorb_padded(kernel, behind.written());
    }
    if !text.is_empty() {
        if !sealing {
            hash.absorb_padded(kernel, text.input());
        }
        keystream::<V, N, B, G>(isa, message.key, message.nonce, message.counter, stream, text.len());
        used = used.max(text.len());
        message.counter = message.counter.wrapping_add((text.len() / 64) as u32);
        text.reborrow().xor(stream.as_flattened());
        if sealing {
            hash.absorb_padded(kernel, text.written());
        }
    }
    wipe_stream::<B, G>(stream, used);
}
