//! The cipher in vectors, interleaved with the hash in the CPU's integer units, which are otherwise idle. The
//! key stream of a group is computed while the group before it (sealing) or the group itself (opening) is
//! hashed.

use super::kernel::{Kernel, Part, Progress, one_by_one};
use super::many::crypt_many;
use super::pieces::{first_group, split};
use crate::aead::{Batch, Direction};
use crate::backend::Shape;
use crate::chacha20::lanes::{
    DOUBLE_ROUNDS, Stream, StreamBuffer, Vector, keystream, rows, start, store, wipe_stream, words, xor_group,
};
use crate::poly1305::{self, Hash, limbs64::Accumulator, portable};
use core::marker::PhantomData;
use keylane_cpu::InstructionSet;
use keylane_cpu::in_out::InOut;

/// The cipher as in [`Groups`](crate::chacha20::lanes::Groups). During each double round the hash absorbs P
/// blocks, the last of them in its second half. H hashes the rest.
pub(crate) struct Fused<V, H, const N: usize, const B: usize, const P: usize>(PhantomData<fn() -> (V, H)>);

impl<V, H, const N: usize, const B: usize, const P: usize> Shape for Fused<V, H, N, B, P>
where
    V: Vector<N, B> + 'static,
    H: 'static,
{
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);
}

impl<V, H, const N: usize, const B: usize, const P: usize> Kernel for Fused<V, H, N, B, P>
where
    V: Vector<N, B> + 'static,
    H: poly1305::Kernel + Shape,
{
    fn crypt(&self, part: &mut Part<'_, '_>) {
        V::Isa::enter(
            #[inline(always)]
            move |isa| crypt::<V, N, B, P>(isa, H::KERNEL, part),
        );
    }

    fn crypt_many(&self, key: &[u8; 32], batch: &mut Batch<'_, '_>) {
        // Four lanes gain too little for their 4 KB: a quarter of the time, of short messages only.
        if const { N == 4 } {
            one_by_one(self, key, batch);
        } else {
            crypt_many::<V, N, B>(self, key, batch);
        }
    }
}

#[inline(always)]
fn crypt<V: Vector<N, B> + 'static, const N: usize, const B: usize, const P: usize>(
    isa: V::Isa,
    kernel: &poly1305::Chosen,
    part: &mut Part<'_, '_>,
) {
    let (direction, sealing) = (part.direction, part.direction == Direction::Seal);
    let mut buffer = StreamBuffer::<B>::new();
    let stream = buffer.stream();
    // The number of bytes of `stream` that were written.
    let mut used = 0;
    // Ciphertext that is not hashed yet.
    let mut unhashed = part.text.take_front(0);
    if part.message.hash.is_none() {
        let is_short = part.text.len() <= 64 * (N - 1);
        (unhashed, used) = begin::<V, N, B>(isa, kernel, part, stream);
        if is_short {
            // It has ended. What follows is several lines of the cache.
            return wipe_stream(stream, 0..used);
        }
    }
    let (mut text, message) = (part.text.take_front(part.text.len()), &mut *part.message);
    // Whether `stream` has the key stream of the rest of the text.
    let mut ready = false;
    if text.len() > if sealing { 0 } else { 64 * B } {
        ready = groups::<V, N, B, P>(isa, kernel, direction, message, &mut text, &mut unhashed, stream);
        used = if ready { 64 * N } else { used };
    }
    let hash = message.hash.as_mut().expect("begun");
    if !unhashed.is_empty() {
        hash.absorb_padded(kernel, unhashed.written());
    }
    if !text.is_empty() {
        if !ready {
            if !sealing {
                hash.absorb_padded(kernel, text.input());
            }
            keystream::<V, N, B>(isa, message.key, message.nonce, message.counter, stream, text.len());
            used = used.max(text.len());
        }
        message.counter = message.counter.wrapping_add((text.len() / 64) as u32);
        text.reborrow().xor(stream.as_flattened().as_flattened());
        if sealing {
            hash.absorb_padded(kernel, text.written());
        }
    }
    hash.absorb_padded(kernel, part.end);
    wipe_stream(stream, 0..used);
}

/// Begins a message, with text for which the first group has key stream. Returns what of the ciphertext
/// is not hashed yet, and the number of bytes of `stream` that were written.
#[inline(always)]
fn begin<'a, V: Vector<N, B> + 'static, const N: usize, const B: usize>(
    isa: V::Isa,
    kernel: &poly1305::Chosen,
    part: &mut Part<'a, '_>,
    stream: &mut Stream<B>,
) -> (InOut<'a>, usize) {
    let mut head_len = part.text.len().min(64 * (N - 1));
    if part.direction != Direction::Seal && part.text.len() > head_len {
        // Nothing is hashed beside the first group: it has only the blocks that do not fill the others.
        let blocks = (part.text.len() % (64 * N)).div_ceil(64) + 1;
        head_len = 64 * (B * blocks.div_ceil(B).min(4) - 1);
    }
    first_group::<V, N, B>(isa, part.message, stream, head_len);
    part.message.counter = 1 + head_len.div_ceil(64) as u32;
    let (key, stream_of_text) = split(stream);
    let mut head = part.text.take_front(head_len);
    if part.direction != Direction::Seal {
        part.begin(kernel, key, head.input());
        head.reborrow().xor(stream_of_text);
    } else {
        head.reborrow().xor(stream_of_text);
        part.begin(kernel, key, if part.text.is_empty() { head.written() } else { &[] });
        if !part.text.is_empty() {
            return (head, 64 + head_len);
        }
    }
    (head.take_front(0), 64 + head_len)
}

/// Encrypts or decrypts whole groups, each beside the hash of the group before it (sealing) or of itself
/// (opening). Returns whether `stream` has the key stream of the rest of the text, whose ciphertext is then
/// hashed as far as it is known.
#[inline(always)]
fn groups<'a, V: Vector<N, B> + 'static, const N: usize, const B: usize, const P: usize>(
    isa: V::Isa,
    kernel: &poly1305::Chosen,
    direction: Direction,
    message: &mut Progress<'_>,
    text: &mut InOut<'a>,
    unhashed: &mut InOut<'a>,
    stream: &mut Stream<B>,
) -> bool {
    let hash = message.hash.as_mut().expect("begun");
    let mut start = start::<V, N, B>(isa, (message.key, message.counter, message.nonce));
    loop {
        let hashed = match direction {
            Direction::Seal => unhashed.written(),
            Direction::Open(()) => &text.input()[..text.len().min(64 * N)],
        };
        // With enough to hash meanwhile, half a group of key stream is fastest, or a whole one, even if some
        // of it is not used.
        let (whole, half) = (text.len() >= 64 * N, text.len() <= 32 * N);
        if !whole && (text.is_empty() || hashed.len() <= if half { 16 * N } else { 32 * N - 1 }) {
            return false;
        }
        let (blocks, end) = hashed.as_chunks();
        let mut beside = Beside::<P>::new(hash, blocks);
        let sets = beside.sets;
        let work = |set: &_, half| beside.step(set, half);
        if half {
            let first = (message.key, message.counter, message.nonce);
            rows::<V, N, B, 2, _>(isa, first, stream.as_flattened_mut(), sets, work);
            beside.end(hash);
        } else {
            let words = words::<V, N, B, _>(isa, &mut start, sets, work);
            beside.end(hash);
            if whole {
                let mut piece = text.take_front(64 * N);
                xor_group(isa, &mut piece.reborrow().take().expect("a group"), &words);
                message.counter = message.counter.wrapping_add(N as u32);
                if direction == Direction::Seal {
                    *unhashed = piece;
                }
                continue;
            }
            store(&V::states_from_words(words), stream.as_flattened_mut());
        }
        hash.absorb_padded(kernel, end);
        *unhashed = text.take_front(0);
        return true;
    }
}

/// Blocks to be hashed beside a group's key stream, P in each double round, and the others after it.
struct Beside<'a, const P: usize> {
    sets: &'a [[[u8; 16]; P]],
    rest: &'a [[u8; 16]],
    // Copies, which stay in registers.
    r: [u64; 2],
    accumulator: Accumulator,
}

impl<'a, const P: usize> Beside<'a, P> {
    #[inline(always)]
    fn new(hash: &Hash, blocks: &'a [[u8; 16]]) -> Self {
        let sets = blocks.as_chunks().0;
        let sets = &sets[..sets.len().min(DOUBLE_ROUNDS)];
        Self { sets, rest: &blocks[P * sets.len()..], r: hash.key.r, accumulator: hash.accumulator }
    }

    #[inline(always)]
    fn step(&mut self, set: &[[u8; 16]; P], half: usize) {
        let blocks = if half == 0 { &set[..P - 1] } else { &set[P - 1..] };
        portable::absorb(&self.r, &mut self.accumulator, blocks);
    }

    #[inline(always)]
    fn end(mut self, hash: &mut Hash) {
        portable::absorb(&self.r, &mut self.accumulator, self.rest);
        hash.accumulator = self.accumulator;
    }
}
