//! Sixteen messages side by side, a message a lane, in the cipher and in the hash.

use super::kernel::{Kernel, Part, lengths, padded};
use super::sequential::Sequential;
use crate::aead::{Batch, Direction, Message, checked};
use crate::backend::Shape;
use crate::chacha20::lanes::{Stream, StreamBuffer, Vector, blocks, start};
use crate::poly1305::radix44::Radix44;
use crate::poly1305::shapes::Avx512Ifma;
use crate::poly1305::tile::{self, LANES, PIECES};
use crate::unroll::each;
use core::marker::PhantomData;
use core::ops::Range;
use keylane_cpu::InstructionSet;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::Product52Lanes;
use keylane_cpu::wipe::wipe;

/// The maximum number of blocks of 64 bytes in a lane: those of all lanes fit in the level-1 cache.
const MAX_BLOCKS: usize = 32;

/// With fewer than so many blocks for each block of the longest message, lanes of blocks are faster than
/// lanes of messages, as measured on a Zen 4.
const MIN_LANES: usize = 13;

/// [`Sequential`] over vectors with products of 52 bits, whose batches are processed here if the messages are
/// even.
pub(crate) struct Tiles<V, W>(PhantomData<fn() -> (V, W)>);

/// The kernel for one message.
type Alone<V, W> = Sequential<V, Avx512Ifma<W>, 16, 4>;

impl<V: Vector<16, 4> + 'static, W: Product52Lanes<8> + 'static> Shape for Tiles<V, W> {
    type Isa = W::Ifma;
    const KERNEL: &'static Self = &Self(PhantomData);
}

impl<V: Vector<16, 4> + 'static, W: Product52Lanes<8> + 'static> Kernel for Tiles<V, W> {
    fn crypt(&self, part: &mut Part<'_, '_>) {
        Alone::<V, W>::KERNEL.crypt(part);
    }

    fn many_len(&self) -> usize {
        64 * MAX_BLOCKS
    }

    fn crypt_many(&self, key: &[u8; 32], batch: &mut Batch<'_, '_>) {
        let count = batch.messages.len();
        if count < MIN_LANES {
            return Alone::<V, W>::KERNEL.crypt_many(key, batch);
        }
        let mut at = 0;
        while at < count {
            let rest = &batch.messages[at..];
            let even = rest.chunks(LANES).take_while(|tile| is_even(tile)).count();
            let tiles = rest.len().min(LANES * even);
            let uneven = rest[tiles..].chunks(LANES).take_while(|tile| !is_even(tile)).count();
            let end = rest.len().min(tiles + LANES * uneven);
            if tiles > 0 {
                in_tiles::<V, W>(key, &mut batch.part(at..at + tiles));
            }
            if end > tiles {
                Alone::<V, W>::KERNEL.crypt_many(key, &mut batch.part(at + tiles..at + end));
            }
            at += end;
        }
    }
}

/// Processes messages sixteen at a time. A separate function, since it takes more of the stack.
#[inline(never)]
fn in_tiles<V, W>(key: &[u8; 32], Batch { direction, messages, tags }: &mut Batch<'_, '_>)
where
    V: Vector<16, 4> + 'static,
    W: Product52Lanes<8> + 'static,
{
    let mut buffers = [const { StreamBuffer::<4>::new() }; 2];
    let mut streams = buffers.each_mut().map(StreamBuffer::stream);
    let mut ends = [[[0; 16]; 3]; LANES];
    for (messages, tags) in messages.chunks_mut(LANES).zip(tags.chunks_mut(LANES)) {
        let tile = Batch { direction: *direction, messages, tags };
        in_tile::<V, W>(key, tile, &mut streams, &mut ends);
    }
    streams.iter_mut().for_each(|stream| wipe(*stream));
}

/// Whether the messages are about as long.
#[inline(always)]
fn is_even(messages: &[Message<'_>]) -> bool {
    let (mut sum, mut longest) = (0, 0);
    for message in messages {
        let blocks = 1 + message.text.len().div_ceil(64) + message.aad.len().div_ceil(64);
        sum += blocks;
        longest = longest.max(blocks);
    }
    longest <= MAX_BLOCKS && sum >= MIN_LANES * longest
}

/// Processes up to sixteen messages.
fn in_tile<V, W>(
    key: &[u8; 32],
    Batch { direction, messages, tags }: Batch<'_, '_>,
    streams: &mut [&mut Stream<4>; 2],
    ends: &mut [[[u8; 16]; 3]; LANES],
) where
    V: Vector<16, 4> + 'static,
    W: Product52Lanes<8> + 'static,
{
    let mut nonces = [[0; LANES]; 3];
    let mut rows = 0;
    for (lane, message) in messages.iter().enumerate() {
        for (words, bytes) in nonces.iter_mut().zip(checked::<[u8; 12]>(message.nonce).as_chunks().0) {
            words[lane] = u32::from_le_bytes(*bytes);
        }
        rows = rows.max(1 + message.text.len().div_ceil(64));
    }
    // Block 0 of each message has the hash's key.
    let first = if direction == Direction::Seal { rows } else { 1 };
    keystream::<V>(key, &nonces, 0..first, messages, streams);

    // The additional data's rest, the text's, and the lengths.
    let mut pieces: [[&[[u8; 16]]; LANES]; PIECES] = [[&[]; LANES]; PIECES];
    for (lane, (message, end)) in messages.iter().zip(&mut *ends).enumerate() {
        let (aad, aad_rest) = message.aad.as_chunks();
        let (text, text_rest) = message.text.as_chunks();
        if !aad_rest.is_empty() {
            end[0] = padded(aad_rest);
        }
        if !text_rest.is_empty() {
            end[1] = padded(text_rest);
        }
        end[2] = lengths(message.aad.len(), message.text.len());
        let end = &*end;
        pieces[0][lane] = aad;
        pieces[1][lane] = &end[..usize::from(!aad_rest.is_empty())];
        pieces[2][lane] = text;
        pieces[3][lane] = &end[1 + usize::from(text_rest.is_empty())..];
    }
    // A lane without a message does as the first one, which delays none.
    for pieces in &mut pieces {
        let first = pieces[0];
        pieces[messages.len()..].fill(first);
    }
    let mut keys = [&[0; 32]; LANES];
    for (key, block) in keys.iter_mut().zip(&*streams[0]) {
        *key = block.as_flattened().first_chunk().expect("32 of 64");
    }
    let (keys, pieces) = (&keys, &pieces);
    let mut sums = W::Ifma::enter(
        #[inline(always)]
        move |isa| tile::sums::<Radix44<W>>(isa, keys, pieces),
    );
    tile::finish_tags(&mut sums, keys, tags);
    if direction != Direction::Seal {
        keystream::<V>(key, &nonces, 1..rows, messages, streams);
    }
}

/// XORs these blocks into the texts, except block 0, which stays in the first of the streams.
fn keystream<V: Vector<16, 4> + 'static>(
    key: &[u8; 32],
    nonces: &[[u32; LANES]; 3],
    numbers: Range<usize>,
    messages: &mut [Message<'_>],
    streams: &mut [&mut Stream<4>; 2],
) {
    let end = numbers.end;
    let mut texts: [&mut [u8]; LANES] = core::array::from_fn(|_| Default::default());
    for (text, message) in texts.iter_mut().zip(&mut *messages) {
        *text = &mut *message.text;
    }
    let texts = &mut texts;
    let [keys, stream] = streams.each_mut().map(|stream| &mut **stream);
    V::Isa::enter(
        #[inline(always)]
        move |isa| {
            let mut start = start::<V, 16, 4>(isa, (key, 0, &[0; 12]));
            for (words, nonces) in start[13..].iter_mut().zip(nonces) {
                *words = V::load(isa, nonces);
            }
            for block in numbers {
                start[12] = V::splat(isa, block as u32);
                let words = V::states_from_words(blocks::<V, 16, 4, ()>(&start, &[], |(), _| {}));
                let stream = if block == 0 { &mut *keys } else { &mut *stream };
                let at = block.wrapping_sub(1).wrapping_mul(64);
                each!(I in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] {
                    let rest = texts[I].get_mut(at..).unwrap_or_default();
                    if let Some(now) = rest.as_chunks_mut().0.first_chunk_mut() {
                        (V::load_bytes(isa, now) ^ words[I]).store_bytes(now);
                    } else if !rest.is_empty() || block == 0 {
                        words[I].store_bytes(&mut stream[I]);
                    }
                });
            }
        },
    );
    if end > 1 {
        for (message, stream) in messages.iter_mut().zip(&*streams[1]) {
            let (_, rest) = message.text.as_chunks_mut::<64>();
            InOut::in_place(rest).xor(stream.as_flattened());
        }
    }
}
