//! Many messages in parallel. Each lane hashes one message and takes the next when it is done, so that
//! messages of unequal lengths keep all lanes busy.

use super::{Block, Compression, MAX_LANES, padded};
use keylane_cpu::wipe::wipe;

/// A lane's message: whole blocks, then the padded tail, which is in separate memory.
#[derive(Clone, Copy)]
struct Lane<'a, C: Compression> {
    /// The message's index.
    index: usize,
    /// The whole blocks that are left.
    body: &'a [C::Block],
    /// The tail's index, its number of blocks, and how many of them were absorbed.
    tail: usize,
    tail_count: usize,
    tail_done: usize,
}

/// The padded end of a message: one block or two.
type Tail<C> = [<C as Compression>::Block; 2];

impl<'a, C: Compression> Lane<'a, C> {
    fn start(tails: &mut [Tail<C>], tail: usize, index: usize, before: u64, message: &'a [u8]) -> Self {
        let (body, rest) = C::Block::split(message);
        let length = before.wrapping_add(message.len() as u64);
        let tail_count = padded::<C>(&mut tails[tail], rest, length);
        Self { index, body, tail, tail_count, tail_done: 0 }
    }

    /// Returns the next contiguous blocks, or none if the message is done.
    #[inline]
    fn next<'b>(&self, tails: &'b [Tail<C>]) -> &'b [C::Block]
    where
        'a: 'b,
    {
        if self.body.is_empty() { &tails[self.tail][self.tail_done..self.tail_count] } else { self.body }
    }

    /// Advances by `count` blocks. Returns whether the message is done.
    #[inline]
    fn advance(&mut self, count: usize) -> bool {
        if self.body.is_empty() {
            self.tail_done += count;
        } else {
            self.body = &self.body[count..];
        }
        self.body.is_empty() && self.tail_done == self.tail_count
    }
}

/// Absorbs `total` messages, padding included, each into a copy of `start`, which has absorbed `before`
/// bytes. Passes the final states to `done`, in any order.
pub(crate) fn absorb_many<'a, C: Compression>(
    start: &C::State,
    before: u64,
    total: usize,
    message: &dyn Fn(usize) -> &'a [u8],
    mut done: impl FnMut(usize, &C::State),
) {
    let mut tails = [[C::Block::ZERO; 2]; MAX_LANES];
    let mut states = [*start; MAX_LANES];
    let mut lanes =
        [const { Lane::<C> { index: 0, body: &[], tail: 0, tail_count: 0, tail_done: 0 } }; MAX_LANES];
    // The lanes in use come first. At the start each takes a message.
    let mut active = total.min(MAX_LANES);
    for (index, lane) in lanes[..active].iter_mut().enumerate() {
        *lane = Lane::start(&mut tails, index, index, before, message(index));
    }
    let mut waiting = active;
    while active > 0 {
        let mut blocks: [&[C::Block]; MAX_LANES] = [&[]; MAX_LANES];
        let mut count = usize::MAX;
        for (blocks, lane) in blocks.iter_mut().zip(&lanes[..active]) {
            *blocks = lane.next(&tails);
            count = count.min(blocks.len());
        }
        for blocks in &mut blocks[..active] {
            *blocks = &blocks[..count];
        }
        C::backends().chosen_for(active).compress_many(&mut states[..active], &blocks[..active]);
        let mut at = 0;
        while at < active {
            if !lanes[at].advance(count) {
                at += 1;
                continue;
            }
            done(lanes[at].index, &states[at]);
            if waiting < total {
                lanes[at] = Lane::start(&mut tails, lanes[at].tail, waiting, before, message(waiting));
                states[at] = *start;
                waiting += 1;
                at += 1;
            } else {
                active -= 1;
                lanes.swap(at, active);
                states.swap(at, active);
            }
        }
    }
    wipe(&mut states);
    wipe(&mut tails);
}
