//! SHA-1 by the CPU's instructions, 1, 2 or 4 messages interleaved.
//!
//! As for SHA-256, one message is bound by latency, and others fill its waiting time. Three streams are run as four.

use super::Compression1;
use crate::compression::chain::Chain;
use crate::compression::{Streams, each_stream, padded_blocks};
use keylane_cpu::lanes::Sha1Words;

type State = [u32; 5];
type Block = [u8; 64];

/// Rounds 4t to 4t + 3 of every stream, and the schedule's next four words, stream after stream.
macro_rules! eighty_rounds {
    ($state:ident, $w:ident) => {
        eighty_rounds!(@stage 0, $state, $w: 0 1 2 3 4);
        eighty_rounds!(@stage 1, $state, $w: 5 6 7 8 9);
        eighty_rounds!(@stage 2, $state, $w: 10 11 12 13 14);
        eighty_rounds!(@stage 3, $state, $w: 15 16 17 18 19);
    };
    (@stage $stage:literal, $state:ident, $w:ident: $($t:literal)*) => { $(
        each_stream!(s < N {
            let w = &mut $w[s];
            $state[s] = W::four_rounds::<$stage>($state[s], w[$t % 4]);
            if $t < 16 {
                w[$t % 4] = w[$t % 4].schedule(w[($t + 1) % 4], w[($t + 2) % 4], w[($t + 3) % 4]);
            }
        });
    )* };
}

/// The compression function on N blocks.
#[inline(always)]
fn block<W: Sha1Words, const N: usize>(mut state: [W::State; N], mut w: [[W; 4]; N]) -> [W::State; N] {
    let before_block = state;
    eighty_rounds!(state, w);
    for s in 0..N {
        state[s] = W::add_state(state[s], before_block[s]);
    }
    state
}

/// Absorbs equally many blocks of N messages.
#[inline(always)]
fn absorb<W: Sha1Words, const N: usize>(
    isa: W::Isa,
    mut state: [W::State; N],
    messages: [&[Block]; N],
) -> [W::State; N] {
    let count = messages[0].len();
    for message in &messages {
        assert!(message.len() == count);
    }
    for at in 0..count {
        let mut w = [[W::words(isa, [0; 4]); 4]; N];
        each_stream!(s < N {
            let [w0, w1, w2, w3] = &mut w[s];
            let (quarters, _) = messages[s][at].as_chunks::<16>();
            *w0 = W::load_be(isa, &quarters[0]);
            *w1 = W::load_be(isa, &quarters[1]);
            *w2 = W::load_be(isa, &quarters[2]);
            *w3 = W::load_be(isa, &quarters[3]);
        });
        state = block::<W, N>(state, w);
    }
    state
}

/// Absorbs the end of a message of `length` bytes, and its padding, which never lies in memory: a load that waited for
/// the narrower stores of a padded block would hold up the next message too.
#[inline(always)]
fn absorb_end<W: Sha1Words>(isa: W::Isa, mut state: [W::State; 1], end: &[u8], length: u64) -> [W::State; 1] {
    let count = padded_blocks::<Compression1>(end.len());
    for at in 0..count {
        let mut w = [W::words(isa, [0; 4]); 4];
        if let Some(whole) = end.as_chunks::<64>().0.get(at) {
            let quarters = whole.as_chunks::<16>().0;
            for i in 0..4 {
                w[i] = W::load_be(isa, &quarters[i]);
            }
        } else {
            for i in 0..4 {
                w[i] = W::load_padded(isa, end, 64 * at + 16 * i);
            }
            if at + 1 == count {
                w[3] = w[3].or(W::words(isa, [0, 0, (length >> 29) as u32, (length << 3) as u32]));
            }
        }
        state = block::<W, 1>(state, [w]);
    }
    state
}

/// Absorbs equally many blocks of the N messages at these places. A message may stand twice: it gets the same state.
#[inline(always)]
fn streams<W: Sha1Words, const N: usize>(
    isa: W::Isa,
    states: &mut [State],
    messages: &[&[Block]],
    places: [usize; N],
) {
    let mut state = [W::state(isa, &states[places[0]]); N];
    let mut taken = [messages[places[0]]; N];
    for s in 1..N {
        state[s] = W::state(isa, &states[places[s]]);
        taken[s] = messages[places[s]];
    }
    state = absorb::<W, N>(isa, state, taken);
    for s in 0..N {
        states[places[s]] = W::state_words(state[s]);
    }
}

/// Absorbs whole blocks of one message.
#[inline(always)]
pub(super) fn compress<W: Sha1Words>(isa: W::Isa, state: &mut State, blocks: &[Block]) {
    streams::<W, 1>(isa, core::slice::from_mut(state), &[blocks], [0]);
}

/// Absorbs equally many whole blocks of several messages: four at a time, then two, then one.
#[inline(always)]
pub(super) fn compress_many<W: Sha1Words>(isa: W::Isa, states: &mut [State], messages: &[&[Block]]) {
    assert!(states.len() == messages.len());
    let mut at = 0;
    while at < states.len() {
        match Streams::of(states.len() - at) {
            Streams::One => streams::<W, 1>(isa, states, messages, [at]),
            Streams::Two => streams::<W, 2>(isa, states, messages, [at, at + 1]),
            Streams::Four(last) => streams::<W, 4>(isa, states, messages, [at, at + 1, at + 2, at + last]),
        }
        at += Streams::of(states.len() - at).count();
    }
}

/// The compression of a block that holds `digest` and the padding, from `middle`: no byte is swapped or stored.
#[inline(always)]
fn compress_digest<W: Sha1Words, const N: usize>(
    isa: W::Isa,
    middle: &[W::State; N],
    digest: &[W::State; N],
) -> [W::State; N] {
    let (one_bit, zero) = (W::words(isa, [0, 0x8000_0000, 0, 0]), W::words(isa, [0; 4]));
    let length = W::words(isa, [0, 0, 0, 8 * (64 + 20)]);
    let mut w = [[zero; 4]; N];
    for s in 0..N {
        let [w0, w1] = W::state_as_message(digest[s]);
        w[s] = [w0, w1.or(one_bit), zero, length];
    }
    let mut state = *middle;
    eighty_rounds!(state, w);
    for s in 0..N {
        state[s] = W::add_state(state[s], middle[s]);
    }
    state
}

/// Absorbs the end of a message and its padding.
#[inline(always)]
pub(super) fn finish<W: Sha1Words>(isa: W::Isa, state: &mut State, end: &[u8], length: u64) {
    let [finished] = absorb_end::<W>(isa, [W::state(isa, state)], end, length);
    *state = W::state_words(finished);
}

/// Absorbs the end of HMAC's inner message and runs the outer hash on the whole digest, which stays in registers.
#[inline(always)]
pub(super) fn finish_hmac<W: Sha1Words>(
    isa: W::Isa,
    inner: &mut State,
    end: &[u8],
    length: u64,
    outer: &State,
) {
    let digest = absorb_end::<W>(isa, [W::state(isa, inner)], end, length);
    let [state] = compress_digest::<W, 1>(isa, &[W::state(isa, outer)], &digest);
    *inner = W::state_words(state);
}

/// PBKDF2 iterations of the N chains at these places; the chaining values never leave the registers. A chain may stand
/// twice: it is only written back.
#[inline(always)]
fn iterate_streams<W: Sha1Words, const N: usize>(
    isa: W::Isa,
    chains: &mut [Chain<Compression1>],
    iterations: u32,
    places: [usize; N],
) {
    let first = W::state(isa, &chains[places[0]].inner);
    let (mut inner, mut outer, mut u, mut sum) = ([first; N], [first; N], [first; N], [first; N]);
    for s in 0..N {
        let chain = &chains[places[s]];
        inner[s] = W::state(isa, &chain.inner);
        outer[s] = W::state(isa, &chain.outer);
        u[s] = W::state(isa, &chain.u);
        sum[s] = W::state(isa, &chain.sum);
    }
    for _ in 0..iterations {
        u = compress_digest::<W, N>(isa, &inner, &u);
        u = compress_digest::<W, N>(isa, &outer, &u);
        for s in 0..N {
            sum[s] = W::xor_state(sum[s], u[s]);
        }
    }
    for s in 0..N {
        chains[places[s]].u = W::state_words(u[s]);
        chains[places[s]].sum = W::state_words(sum[s]);
    }
}

/// PBKDF2 iterations of several chains of whole digests: four at a time, then two, then one.
#[inline(always)]
pub(super) fn iterate<W: Sha1Words>(isa: W::Isa, chains: &mut [Chain<Compression1>], iterations: u32) {
    let mut at = 0;
    while at < chains.len() {
        match Streams::of(chains.len() - at) {
            Streams::One => iterate_streams::<W, 1>(isa, chains, iterations, [at]),
            Streams::Two => iterate_streams::<W, 2>(isa, chains, iterations, [at, at + 1]),
            Streams::Four(last) => {
                iterate_streams::<W, 4>(isa, chains, iterations, [at, at + 1, at + 2, at + last]);
            }
        }
        at += Streams::of(chains.len() - at).count();
    }
}
