//! Many messages side by side: each lane works on one message and takes the next when it is done, so that messages of
//! unequal lengths keep all lanes busy.

use super::{Compression, MAX_LANES, padded};
use keylane_cpu::wipe::wipe;

/// What a lane works on: whole blocks of the message, then the padded tail.
struct Lane<'a, C: Compression> {
    /// Which message.
    index: usize,
    /// The whole blocks still to absorb.
    body: &'a [C::Block],
    /// The last one or two blocks, and how many of them are absorbed.
    tail: [C::Block; 2],
    tail_count: usize,
    tail_done: usize,
}

impl<'a, C: Compression> Lane<'a, C> {
    const IDLE: Self = Self { index: 0, body: &[], tail: [C::ZERO_BLOCK; 2], tail_count: 0, tail_done: 0 };

    fn start(&mut self, index: usize, before: u64, message: &'a [u8]) {
        let (body, rest) = C::split(message);
        self.index = index;
        self.body = body;
        self.tail_count = padded::<C>(&mut self.tail, rest, before.wrapping_add(message.len() as u64));
        self.tail_done = 0;
    }

    /// The blocks that come next in one piece of memory; empty when the message is done.
    #[inline]
    fn next(&self) -> &[C::Block] {
        if self.body.is_empty() { &self.tail[self.tail_done..self.tail_count] } else { self.body }
    }

    #[inline]
    fn advance(&mut self, count: usize) {
        if self.body.is_empty() {
            self.tail_done += count;
        } else {
            self.body = &self.body[count..];
        }
    }
}

/// Absorbs every message, padding included, each from `start`, in which `before` bytes were absorbed; hands each last
/// state to `done`, in any order.
pub(crate) fn absorb_many<C: Compression>(
    start: &C::State,
    before: u64,
    messages: &[&[u8]],
    mut done: impl FnMut(usize, &C::State),
) {
    let mut lanes = [const { Lane::<C>::IDLE }; MAX_LANES];
    let mut states = [*start; MAX_LANES];
    let mut waiting = messages.iter().enumerate();
    let mut active = 0;
    loop {
        // The lanes in use stand in front.
        while active < MAX_LANES
            && let Some((index, message)) = waiting.next()
        {
            lanes[active].start(index, before, message);
            states[active] = *start;
            active += 1;
        }
        if active == 0 {
            break;
        }
        let count = lanes[..active].iter().map(|lane| lane.next().len()).min().unwrap_or(0);
        let mut blocks: [&[C::Block]; MAX_LANES] = [&[]; MAX_LANES];
        for (blocks, lane) in blocks.iter_mut().zip(&lanes[..active]) {
            *blocks = &lane.next()[..count];
        }
        C::backends().chosen_for(active).compress_many(&mut states[..active], &blocks[..active]);
        let mut at = 0;
        while at < active {
            lanes[at].advance(count);
            if lanes[at].next().is_empty() {
                done(lanes[at].index, &states[at]);
                active -= 1;
                lanes.swap(at, active);
                states.swap(at, active);
            } else {
                at += 1;
            }
        }
    }
    wipe(&mut states);
    for lane in &mut lanes {
        wipe(&mut lane.tail);
    }
}
