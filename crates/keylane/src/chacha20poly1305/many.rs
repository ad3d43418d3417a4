//! Many messages side by side: each lane computes a block of key stream, of any message. During the rounds of
//! a group of N blocks, the CPU's integer units hash the group before, two messages at a time: one message's
//! hash is a chain of products, which leaves the multiplier idle for a third of the time.

use super::Chosen;
use super::kernel::{MANY_LEN, MIN_BATCH, lengths, one_by_one, padded};
use crate::aead::{Batch, Direction, Message, checked};
use crate::chacha20::lanes::{DOUBLE_ROUNDS, StreamBuffer, Vector, blocks, start, store, wipe_stream};
use crate::poly1305::Chain;
use core::ops::Range;
use keylane_cpu::InstructionSet;
use keylane_cpu::in_out::InOut;
use keylane_cpu::wipe::wipe;

/// With fewer messages than this, lanes are faster only for texts up to this length.
const FEW: usize = 16;
const FEW_LEN: usize = 512;

/// The maximum length of additional data. Lanes do not help to hash it, and above this length that takes most
/// of the time.
const MAX_AAD_LEN: usize = 512;

/// Whether a message is one for lanes.
#[inline(always)]
fn is_short(message: &Message<'_>, max_len: usize) -> bool {
    message.text.len() <= max_len && message.aad.len() <= MAX_AAD_LEN
}

/// Consecutive blocks of a message's key stream in consecutive lanes.
#[derive(Clone, Copy)]
struct Span {
    /// The message's place among the messages.
    message: usize,
    /// The number of the first block. Block 0 has the hash's key.
    first: usize,
    blocks: usize,
    /// The lane of the first block.
    lane: usize,
}

impl Span {
    const NONE: Self = Self { message: 0, first: 0, blocks: 0, lane: 0 };

    /// Returns the range of the text that has this key stream.
    #[inline(always)]
    fn range(&self, text_len: usize) -> Range<usize> {
        let end = 64 * (self.first + self.blocks - 1);
        64 * self.first.saturating_sub(1)..end.min(text_len)
    }
}

/// N blocks and where they belong. One half of the lanes takes other messages than the other half.
struct Group<const N: usize> {
    /// The counter and the nonce of each lane, then zeros.
    rows: [[u32; 8]; N],
    spans: [Span; N],
    /// The number of spans of either half.
    len: [usize; 2],
}

impl<const N: usize> Group<N> {
    const NONE: Self = Self { rows: [[0; 8]; N], spans: [Span::NONE; N], len: [0; 2] };

    #[inline(always)]
    fn spans(&self) -> &[Span] {
        &self.spans[..self.len[0] + self.len[1]]
    }
}

/// The messages that are in no group yet.
struct Queue {
    next: usize,
    /// The rest of the message of either half.
    current: [Span; 2],
}

impl Queue {
    /// Takes the next group. It is empty if no message is left.
    ///
    /// Not inlined, since this is the same for all kernels of N lanes.
    #[inline(never)]
    fn take<const N: usize>(&mut self, messages: &[Message<'_>], max_len: usize, group: &mut Group<N>) {
        let (mut lane, mut spans) = (0, 0);
        for half in 0..2 {
            let begin = spans;
            let other_ends = half == 0 && self.next == messages.len() && self.current[1].blocks == 0;
            let end = if half == 1 || other_ends { N } else { N / 2 };
            let current = &mut self.current[half];
            while lane < end {
                if current.blocks == 0 {
                    let Some(message) = messages.get(self.next) else { break };
                    if is_short(message, max_len) {
                        let blocks = 1 + message.text.len().div_ceil(64);
                        *current = Span { message: self.next, first: 0, blocks, lane };
                    }
                    self.next += 1;
                    continue;
                }
                let blocks = current.blocks.min(end - lane);
                let mut row = [current.first as u32, 0, 0, 0];
                for (word, bytes) in row[1..]
                    .iter_mut()
                    .zip(checked::<[u8; 12]>(messages[current.message].nonce).as_chunks().0)
                {
                    *word = u32::from_le_bytes(*bytes);
                }
                for lane in &mut group.rows[lane..lane + blocks] {
                    lane[..4].copy_from_slice(&row);
                    row[0] += 1;
                }
                group.spans[spans] = Span { blocks, lane, ..*current };
                current.first += blocks;
                current.blocks -= blocks;
                lane += blocks;
                spans += 1;
            }
            group.len[half] = spans - begin;
        }
    }
}

/// A span's part of a message's hash: a range of the text, of which whole blocks are hashed, and at the
/// message's end up to two more blocks.
#[derive(Clone, Copy)]
struct Part {
    /// The hash before the part if it `begins` the message; at last the hash after it.
    chain: Chain,
    begins: bool,
    message: usize,
    range: (usize, usize),
    end: [[u8; 16]; 2],
    end_len: usize,
}

impl Part {
    const NONE: Self =
        Self { chain: Chain::ZERO, begins: false, message: 0, range: (0, 0), end: [[0; 16]; 2], end_len: 0 };

    /// Makes this the part of a span whose key stream is known, of a text that is encrypted.
    #[inline(always)]
    fn set(&mut self, span: &Span, message: &Message<'_>, stream: &[[u8; 16]]) {
        let Message { aad, text, .. } = message;
        self.begins = span.first == 0;
        if self.begins {
            let key = stream[4 * span.lane..].as_flattened().first_chunk().expect("32 of 64");
            self.chain = Chain::new(key);
            if !aad.is_empty() {
                let (whole, rest) = aad.as_chunks();
                self.chain.absorb(whole);
                if !rest.is_empty() {
                    self.chain.absorb(&[padded(rest)]);
                }
            }
        }
        let range = span.range(text.len());
        (self.message, self.range, self.end_len) = (span.message, (range.start, range.end), 0);
        if range.end == text.len() {
            let lengths = lengths(aad.len(), text.len());
            let (_, rest) = text.as_chunks::<16>();
            if rest.is_empty() {
                (self.end[0], self.end_len) = (lengths, 1);
            } else {
                (self.end, self.end_len) = ([padded(rest), lengths], 2);
            }
        }
    }
}

/// The hashing of what one half of the lanes has encrypted.
struct Half<'p, 'a, 'm> {
    messages: &'a [Message<'m>],
    parts: &'p mut [Part],
    /// The number of the part in hand, and the rest of its text.
    at: usize,
    text: &'a [[u8; 16]],
    chain: &'p mut Chain,
}

impl<'p, 'a, 'm> Half<'p, 'a, 'm> {
    #[inline(always)]
    fn new(messages: &'a [Message<'m>], parts: &'p mut [Part], chain: &'p mut Chain) -> Self {
        let mut half = Self { messages, parts, at: 0, text: &[], chain };
        half.begin();
        half
    }

    /// Begins the part in hand, if there is one.
    #[inline(always)]
    fn begin(&mut self) {
        if let Some(part) = self.parts.get(self.at) {
            let (start, end) = part.range;
            self.text = self.messages[part.message].text[start..end].as_chunks().0;
            if part.begins {
                *self.chain = part.chain;
            }
        }
    }

    /// Hashes two blocks, or what is left of a part.
    #[inline(always)]
    fn step(&mut self) {
        if let Some((now, later)) = self.text.split_first_chunk::<2>() {
            self.chain.absorb(now);
            self.text = later;
        } else if let Some(part) = self.parts.get_mut(self.at) {
            self.chain.absorb(self.text);
            self.chain.absorb(&part.end[..part.end_len.min(2)]);
            part.chain = *self.chain;
            self.text = &[];
            self.at += 1;
            self.begin();
        }
    }
}

/// Hashes what the rounds have left.
#[inline(never)]
fn finish(halves: &mut [Half<'_, '_, '_>; 2]) {
    while halves.iter().any(|half| half.at < half.parts.len()) {
        halves.iter_mut().for_each(Half::step);
    }
}

/// Implements [`Kernel::crypt_many`] in N lanes.
pub(super) fn crypt_many<V: Vector<N, B> + 'static, const N: usize, const B: usize>(
    kernel: &Chosen,
    key: &[u8; 32],
    batch: &mut Batch<'_, '_>,
) {
    let max_len = if batch.messages.len() < FEW { FEW_LEN } else { MANY_LEN };
    let is_short = |message: &Message<'_>| is_short(message, max_len);
    let short = batch.messages.iter().filter(|message| is_short(message)).count();
    if short < MIN_BATCH {
        return one_by_one(kernel, key, batch);
    }
    if short < batch.messages.len() {
        for i in 0..batch.messages.len() {
            if !is_short(&batch.messages[i]) {
                one_by_one(kernel, key, &mut batch.part(i..i + 1));
            }
        }
    }
    in_lanes::<V, N, B>(key, batch, max_len);
}

/// Processes the messages that are short. A separate function, since it takes more of the stack than the
/// others together.
#[inline(never)]
fn in_lanes<V: Vector<N, B> + 'static, const N: usize, const B: usize>(
    key: &[u8; 32],
    Batch { direction, messages, tags }: &mut Batch<'_, '_>,
    max_len: usize,
) {
    let mut buffers = [const { StreamBuffer::<B>::new() }; 3];
    let mut streams = buffers.each_mut().map(StreamBuffer::stream);
    let mut chains = [Chain::ZERO; 2];
    let mut parts = [Part::NONE; N];
    let mut queue = Queue { next: 0, current: [Span::NONE; 2] };
    let mut groups = [const { Group::<N>::NONE }; 3];
    // The groups that are hashed, encrypted, and taken: a vector that is loaded from words waits until those
    // have reached the cache.
    let (mut before, mut now, mut next) = (0, 1, 2);
    queue.take(messages, max_len, &mut groups[now]);
    let mut used = 0;
    loop {
        queue.take(messages, max_len, &mut groups[next]);
        let more = !groups[now].spans().is_empty();
        let [stream_before, stream] = streams.get_disjoint_mut([before, now]).expect("two groups");
        let (group, [first, second]) = (&groups[before], &mut chains);
        for (part, span) in parts.iter_mut().zip(group.spans()) {
            part.set(span, &messages[span.message], stream_before.as_flattened());
        }
        let (of_first, of_second) = parts[..group.spans().len()].split_at_mut(group.len[0]);
        let mut halves = [Half::new(messages, of_first, first), Half::new(messages, of_second, second)];
        if more {
            let (rows, halves, stream) = (&groups[now].rows, &mut halves, stream.as_flattened_mut());
            V::Isa::enter(
                #[inline(always)]
                move |isa| keystream::<V, N, B>(isa, key, rows, stream, halves),
            );
            used += 1;
        }
        finish(&mut halves);
        for (part, span) in parts.iter_mut().zip(group.spans()) {
            if part.end_len > 0 {
                tags[span.message] = part.chain.tag();
            }
            wipe(&mut part.chain);
        }
        // Ciphertext is hashed after it was encrypted, or before it is decrypted.
        let turn = if *direction == Direction::Seal { now } else { before };
        for span in groups[turn].spans() {
            let text = &mut *messages[span.message].text;
            let range = span.range(text.len());
            let stream = &streams[turn].as_flattened()[4 * (span.lane + usize::from(span.first == 0))..];
            InOut::in_place(&mut text[range]).xor(stream.as_flattened());
        }
        if !more {
            break;
        }
        (before, now, next) = (now, next, before);
    }
    wipe(&mut chains);
    // The first group is number 1.
    for place in 0..used.min(3) {
        wipe_stream(streams[(1 + place) % 3], 0..64 * N);
    }
}

/// Stores the key stream of a group, and hashes another meanwhile.
#[inline(always)]
fn keystream<V: Vector<N, B>, const N: usize, const B: usize>(
    isa: V::Isa,
    key: &[u8; 32],
    rows: &[[u32; 8]; N],
    stream: &mut [[u8; 16]],
    halves: &mut [Half<'_, '_, '_>; 2],
) {
    let mut start = start::<V, N, B>(isa, (key, 0, &[0; 12]));
    start[12..].copy_from_slice(&V::from_rows(isa, rows)[..4]);
    let blocks = blocks::<V, N, B, ()>(
        &start,
        &[(); DOUBLE_ROUNDS],
        #[inline(always)]
        |(), half| halves[half].step(),
    );
    store(&V::states_from_words(blocks), stream);
}
