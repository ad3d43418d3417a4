//! Many messages in parallel. Of unequal lengths, each lane hashes one message and takes the next when it is
//! done, so that all lanes stay busy; of one length, all lanes take the next at the same time.

use super::context::Context;
use super::{Compression, Kernel as _, MAX_LANES, Outer, padded, put_digest, store_digest};
use crate::byte_array::ByteArray;
use keylane_cpu::wipe::wipe;

/// Fills `tags` with the tags of as many messages as it has room for, in order, each between HMAC's
/// midstates. The plan is the caller's, if it has made one.
pub(crate) fn mac_each<'a, C: Compression>(
    digest_len: usize,
    plan: Option<Plan>,
    job: Job<'_, 'a, C>,
    tags: &mut [u8],
) {
    let messages = Messages::Keyed(job);
    C::hash(&Batch { before: C::BLOCK_LEN as u64, partial: &[], digest_len, plan, messages }, tags);
}

/// A function from a message's index to the states of HMAC's inner and outer hash, and the message.
type Job<'b, 'a, C> = &'b dyn Fn(usize) -> ([&'a <C as Compression>::State; 2], &'a [u8]);

impl<C: Compression> Context<C> {
    /// Fills `digests` with digests of what was absorbed and a suffix: of as many as it has room for, in
    /// order.
    pub(crate) fn finish_many<'a>(
        &self,
        digest_len: usize,
        plan: Option<Plan>,
        suffix: &dyn Fn(usize) -> &'a [u8],
        digests: &mut [u8],
    ) {
        let ((_, before, partial), messages) = (self.parts(), Messages::Suffixes(self, suffix));
        C::hash(&Batch { before, partial, digest_len, plan, messages }, digests);
    }
}

/// Fills `out` by `batch`, or message by message where that takes less time. Each hash absorbs so many bytes
/// `more` than its message.
#[inline]
pub(crate) fn fill<C: Compression, T>(
    messages: &[impl AsRef<[u8]>],
    more: usize,
    out: &mut [T],
    batch: impl FnOnce(Plan, &mut [T]),
    alone: impl Fn(&[u8]) -> T,
) {
    let plan = plan::<C>(messages.iter().map(|message| more + message.as_ref().len()));
    if plan.0 > 0 {
        apart(|out| batch(plan, out), out);
    } else {
        messages.iter().zip(out).for_each(|(message, out)| *out = alone(message.as_ref()));
    }
}

/// Calls `batch` in a frame of its own, which single messages do without.
#[inline(never)]
fn apart<T>(batch: impl FnOnce(&mut [T]), out: &mut [T]) {
    batch(out);
}

/// How many messages of a batch are hashed in less time side by side, while those after them are not, and
/// whether all have one length.
pub(crate) type Plan = (usize, bool);

/// Returns the plan for messages of these lengths in bytes.
#[inline]
fn plan<C: Compression>(mut lens: impl ExactSizeIterator<Item = usize>) -> Plan {
    let total = lens.len();
    if total < 2 {
        return (0, true);
    }
    let first = lens.next().unwrap_or(0);
    let (bytes, alike) =
        lens.fold((first, true), |(sum, alike), len| (sum.saturating_add(len), alike & (len == first)));
    let (rest, blocks) = (total % MAX_LANES, total + bytes / C::BLOCK_LEN);
    let gaining = |lanes: usize, messages: usize| {
        if lanes > 0 && C::backends().gain(lanes, total, blocks) { messages } else { 0 }
    };
    match total - rest {
        0 => (gaining(rest, rest), alike),
        full => (gaining(MAX_LANES, full + gaining(rest, rest)), alike),
    }
}

/// A message, and the states of the hashes that absorb it.
struct Message<'a, C: Compression> {
    /// The state before the message.
    start: &'a C::State,
    /// In HMAC, the state that then absorbs the digest.
    outer: Option<&'a C::State>,
    text: &'a [u8],
}

/// A lane's message: whole blocks, and the blocks around them, which are in separate memory.
#[derive(Clone, Copy)]
struct Lane<'a, C: Compression> {
    /// The message's index.
    index: usize,
    outer: Option<&'a C::State>,
    /// The whole blocks that are left.
    body: &'a [C::Block],
    /// The index of the ends, which of them is next, and where they end.
    ends: usize,
    next_end: usize,
    end: usize,
}

/// The blocks around a message's body: first the one that was begun before the message, if the message fills
/// it, then the padded tail of one block or two.
type Ends<C> = [<C as Compression>::Block; 3];

impl<'a, C: Compression> Lane<'a, C> {
    const EMPTY: Self = Self { index: 0, outer: None, body: &[], ends: 0, next_end: 1, end: 1 };

    /// Takes a message, before which `before` bytes were absorbed. Those of `partial` did not fill a block.
    fn take(&mut self, ends: &mut Ends<C>, before: u64, partial: &[u8], text: &'a [u8]) {
        let length = before.wrapping_add(text.len() as u64);
        let [begun, tail @ ..] = ends;
        let (mut body, mut rest) = C::Block::split(text);
        self.next_end = 1;
        if !partial.is_empty() {
            let taken = text.len().min(C::BLOCK_LEN - partial.len());
            let begun = &mut begun.as_mut()[..partial.len() + taken];
            begun[..partial.len()].copy_from_slice(partial);
            begun[partial.len()..].copy_from_slice(&text[..taken]);
            if begun.len() == C::BLOCK_LEN {
                self.next_end = 0;
                (body, rest) = C::Block::split(&text[taken..]);
            } else {
                rest = begun;
            }
        }
        self.body = body;
        self.end = 1 + padded::<C>(tail, rest, length);
    }

    /// Returns whether the next block is one of the ends.
    #[inline]
    fn is_at_an_end(&self) -> bool {
        self.body.is_empty() || self.next_end == 0
    }

    /// Returns the next contiguous blocks.
    #[inline]
    fn next<'b>(&self, ends: &'b [Ends<C>]) -> &'b [C::Block]
    where
        'a: 'b,
    {
        if !self.is_at_an_end() {
            return self.body;
        }
        let end = if self.body.is_empty() { self.end } else { 1 };
        &ends[self.ends][self.next_end..end]
    }

    /// Advances by `count` blocks. Returns whether the message is done.
    #[inline]
    fn advance(&mut self, count: usize) -> bool {
        if self.is_at_an_end() {
            self.next_end += count;
        } else {
            self.body = &self.body[count..];
        }
        self.body.is_empty() && self.next_end == self.end
    }
}

/// Stores a digest every `step` bytes.
#[inline(never)]
fn store_each<C: Compression>(states: &[C::State], digest_len: usize, out: &mut [u8], step: usize) {
    for (state, out) in states.iter().zip(out.chunks_exact_mut(step)) {
        store_digest::<C>(state, &mut out[..digest_len]);
    }
}

/// Messages that go on from the same place, with digests of `digest_len` bytes. `before` bytes were absorbed
/// before each. Those of `partial` did not fill a block.
pub struct Batch<'b, 'a, C: Compression> {
    before: u64,
    partial: &'b [u8],
    digest_len: usize,
    plan: Option<Plan>,
    messages: Messages<'b, 'a, C>,
}

/// The messages by their index. Not one function for both: each message would be passed on by two.
enum Messages<'b, 'a, C: Compression> {
    /// For HMAC, each under its own key.
    Keyed(Job<'b, 'a, C>),
    /// After the same beginning.
    Suffixes(&'b Context<C>, &'b dyn Fn(usize) -> &'a [u8]),
}

impl<'b, 'a: 'b, C: Compression> Batch<'b, 'a, C> {
    #[inline]
    fn message(&self, index: usize) -> Message<'b, C> {
        match self.messages {
            Messages::Keyed(job) => {
                let ([start, outer], text) = job(index);
                Message { start, outer: Some(outer), text }
            }
            Messages::Suffixes(context, suffix) => {
                Message { start: context.parts().0, outer: None, text: suffix(index) }
            }
        }
    }

    /// Fills `out` with digests, or with tags of HMAC: as many as it has room for, in order.
    pub(crate) fn hash(&self, out: &mut [u8]) {
        let total = out.len() / self.digest_len;
        // HMAC's outer hash absorbs a block more.
        let outer = if let Messages::Keyed(_) = self.messages { C::BLOCK_LEN } else { 0 };
        let len = |i| outer + self.partial.len() + self.message(i).text.len();
        let (done, alike) = self.plan.unwrap_or_else(|| plan::<C>((0..total).map(len)));
        match &mut out[..self.digest_len * done] {
            [] => {}
            out if alike && self.partial.is_empty() => self.hash_alike(out),
            out => self.hash_in_lanes(out),
        }
        for index in done..total {
            self.hash_alone(index, &mut out[self.digest_len * index..][..self.digest_len]);
        }
    }

    /// Hashes one message.
    #[inline]
    fn hash_alone(&self, index: usize, out: &mut [u8]) {
        let mut state = match self.messages {
            Messages::Keyed(job) => {
                let ([start, outer], text) = job(index);
                let (mut state, length) = (*start, self.before.wrapping_add(text.len() as u64));
                let outer = Outer { state: outer, digest_len: self.digest_len };
                C::backends().chosen().finish(&mut state, text, length, Some(&outer));
                state
            }
            Messages::Suffixes(context, suffix) => {
                let mut context = context.clone();
                context.absorb(suffix(index));
                context.finish(None)
            }
        };
        store_digest::<C>(&state, out);
        wipe(&mut state);
    }

    /// Hashes messages of one length, which begin with a block: as many at a time as there are lanes, from
    /// state to digest.
    #[inline(never)]
    fn hash_alike(&self, out: &mut [u8]) {
        let &Self { before, digest_len, .. } = self;
        let (total, len) = (out.len() / digest_len, self.message(0).text.len());
        let used = MAX_LANES.min(total);
        let mut states = [C::ZERO_STATE; MAX_LANES];
        let mut outers = [None; MAX_LANES];
        // The block of HMAC's digest, and the tail. Each digest and each message replaces only what is before
        // the padding.
        let mut ends = [[C::Block::ZERO; 3]; MAX_LANES];
        let mut tail_len = 0;
        for [digest, tail @ ..] in &mut ends[..used] {
            if let Messages::Keyed(_) = self.messages {
                put_digest::<C>(digest, &C::ZERO_STATE, digest_len);
            }
            tail_len = padded::<C>(tail, &[0; 128][..len % C::BLOCK_LEN], before.wrapping_add(len as u64));
        }
        for (pass, out) in out.chunks_mut(digest_len * MAX_LANES).enumerate() {
            let count = out.len() / digest_len;
            let kernel = C::backends().chosen_for(count);
            let (states, mut blocks) = (&mut states[..count], [&[][..]; MAX_LANES]);
            for (at, state) in states.iter_mut().enumerate() {
                let Message { start, outer, text } = self.message(MAX_LANES * pass + at);
                let (body, rest) = C::Block::split(text);
                (*state, blocks[at], outers[at]) = (*start, body, outer);
                if !rest.is_empty() {
                    ends[at][1].as_mut()[..rest.len()].copy_from_slice(rest);
                }
            }
            if !blocks[0].is_empty() {
                kernel.compress_many(states, &blocks[..count]);
            }
            blocks[..count].iter_mut().zip(&ends).for_each(|(blocks, ends)| *blocks = &ends[1..=tail_len]);
            kernel.compress_many(states, &blocks[..count]);
            if outers[0].is_some() {
                store_each::<C>(
                    states,
                    digest_len,
                    C::Block::flatten(ends.as_flattened_mut()),
                    3 * C::BLOCK_LEN,
                );
                let mut blocks = [&[][..]; MAX_LANES];
                for (at, state) in states.iter_mut().enumerate() {
                    outers[at].iter().for_each(|outer| *state = **outer);
                    blocks[at] = &ends[at][..1];
                }
                kernel.compress_many(states, &blocks[..count]);
            }
            store_each::<C>(states, digest_len, out, digest_len);
        }
        wipe(&mut states[..used]);
        wipe(&mut ends[..used]);
    }

    #[inline(never)]
    fn hash_in_lanes(&self, out: &mut [u8]) {
        let &Self { before, partial, digest_len, .. } = self;
        let total = out.len() / digest_len;
        let mut ends = [[C::Block::ZERO; 3]; MAX_LANES];
        let mut states = [C::ZERO_STATE; MAX_LANES];
        let mut lanes = [Lane::<C>::EMPTY; MAX_LANES];
        // The lanes in use come first. At the start each takes a message.
        let used = MAX_LANES.min(total);
        for at in 0..used {
            let Message { start, outer, text } = self.message(at);
            lanes[at] = Lane { index: at, outer, ends: at, ..Lane::EMPTY };
            lanes[at].take(&mut ends[at], before, partial, text);
            states[at] = *start;
        }
        let (mut active, mut waiting) = (used, used);
        while active > 0 {
            let mut blocks: [&[C::Block]; MAX_LANES] = [&[]; MAX_LANES];
            let mut count = usize::MAX;
            for (blocks, lane) in blocks.iter_mut().zip(&lanes[..active]) {
                *blocks = lane.next(&ends);
                count = count.min(blocks.len());
            }
            for blocks in &mut blocks[..active] {
                *blocks = &blocks[..count];
            }
            C::backends().chosen_for(active).compress_many(&mut states[..active], &blocks[..active]);
            for at in (0..active).rev() {
                let (lane, state) = (&mut lanes[at], &mut states[at]);
                if !lane.advance(count) {
                    continue;
                }
                if let Some(outer) = lane.outer.take() {
                    put_digest::<C>(&mut ends[lane.ends][1], state, digest_len);
                    (lane.next_end, lane.end) = (1, 2);
                    *state = *outer;
                    continue;
                }
                store_digest::<C>(state, &mut out[digest_len * lane.index..][..digest_len]);
                if waiting < total {
                    let Message { start, outer, text } = self.message(waiting);
                    (lane.index, lane.outer) = (waiting, outer);
                    lane.take(&mut ends[lane.ends], before, partial, text);
                    *state = *start;
                    waiting += 1;
                    continue;
                }
                active -= 1;
                if at < active {
                    lanes[at] = lanes[active];
                    states[at] = states[active];
                }
            }
        }
        wipe(&mut states[..used]);
        wipe(&mut ends[..used]);
    }
}
