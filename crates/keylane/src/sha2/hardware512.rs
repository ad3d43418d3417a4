//! SHA-512 by the CPU's instructions, one or two messages interleaved.

use super::constants::K64;
use super::sha512::Compression512;
use crate::compression::chain::Chain;
use keylane_cpu::lanes::Sha512Words;

type State = [u64; 8];
type Block = [u8; 128];

/// The compression function on N blocks: states in pairs of words.
#[inline(always)]
fn block<W: Sha512Words, const N: usize>(
    isa: W::Isa,
    mut state: [[W; 4]; N],
    mut w: [[W; 8]; N],
) -> [[W; 4]; N] {
    let before = state;
    macro_rules! two_rounds {
        ($($t:literal)*) => { $( for s in 0..N {
            let wk = w[s][$t % 8] + W::words(isa, [K64[2 * $t], K64[2 * $t + 1]]);
            let [ab, cd, ef, gh] = state[s];
            let (new_ab, new_ef) = W::two_rounds(ab, cd, ef, gh, wk);
            state[s] = [new_ab, ab, new_ef, ef];
            if $t < 32 {
                let (w4, w5) = (w[s][($t + 4) % 8], w[s][($t + 5) % 8]);
                w[s][$t % 8] = w[s][$t % 8].schedule(w[s][($t + 1) % 8], w4, w5, w[s][($t + 7) % 8]);
            }
        } )* };
    }
    two_rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
    two_rounds!(20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39);
    for s in 0..N {
        for i in 0..4 {
            state[s][i] = state[s][i] + before[s][i];
        }
    }
    state
}

#[inline(always)]
fn load_state<W: Sha512Words>(isa: W::Isa, state: &State) -> [W; 4] {
    let mut pairs = [W::words(isa, [0; 2]); 4];
    for i in 0..4 {
        pairs[i] = W::words(isa, [state[2 * i], state[2 * i + 1]]);
    }
    pairs
}

#[inline(always)]
fn store_state<W: Sha512Words>(pairs: [W; 4]) -> State {
    let mut state = [0; 8];
    for i in 0..4 {
        [state[2 * i], state[2 * i + 1]] = pairs[i].store();
    }
    state
}

/// Absorbs equally many blocks of N messages.
#[inline(always)]
fn streams<W: Sha512Words, const N: usize>(isa: W::Isa, states: &mut [State; N], messages: [&[Block]; N]) {
    let count = messages[0].len();
    for message in &messages {
        assert!(message.len() == count);
    }
    let mut state = [load_state::<W>(isa, &states[0]); N];
    for s in 1..N {
        state[s] = load_state(isa, &states[s]);
    }
    for at in 0..count {
        let mut w = [[W::words(isa, [0; 2]); 8]; N];
        for s in 0..N {
            let eighths = messages[s][at].as_chunks::<16>().0;
            for i in 0..8 {
                w[s][i] = W::load_be(isa, &eighths[i]);
            }
        }
        state = block(isa, state, w);
    }
    for s in 0..N {
        states[s] = store_state(state[s]);
    }
}

/// PBKDF2 iterations of N chains of whole digests; the chaining values never leave the registers.
#[inline(always)]
fn iterate_streams<W: Sha512Words, const N: usize>(
    isa: W::Isa,
    chains: &mut [Chain<Compression512>; N],
    iterations: u32,
) {
    let first = load_state::<W>(isa, &chains[0].inner);
    let (mut middle, mut u, mut sum) = ([[first; N]; 2], [first; N], [first; N]);
    for s in 0..N {
        middle[0][s] = load_state(isa, &chains[s].inner);
        middle[1][s] = load_state(isa, &chains[s].outer);
        u[s] = load_state(isa, &chains[s].u);
        sum[s] = load_state(isa, &chains[s].sum);
    }
    let (one_bit, zero) = (W::words(isa, [1 << 63, 0]), W::words(isa, [0; 2]));
    let length = W::words(isa, [0, 8 * (128 + 64)]);
    for _ in 0..iterations {
        for middle in &middle {
            let mut w = [[zero; 8]; N];
            for s in 0..N {
                let [w0, w1, w2, w3] = u[s];
                w[s] = [w0, w1, w2, w3, one_bit, zero, zero, length];
            }
            u = block(isa, *middle, w);
        }
        for s in 0..N {
            for i in 0..4 {
                sum[s][i] = sum[s][i] ^ u[s][i];
            }
        }
    }
    for s in 0..N {
        chains[s].u = store_state(u[s]);
        chains[s].sum = store_state(sum[s]);
    }
}

/// PBKDF2 iterations of several chains of whole digests: two at a time, then one.
#[inline(always)]
pub(super) fn iterate<W: Sha512Words>(isa: W::Isa, chains: &mut [Chain<Compression512>], iterations: u32) {
    let (pairs, last) = chains.as_chunks_mut::<2>();
    for pair in pairs {
        iterate_streams::<W, 2>(isa, pair, iterations);
    }
    if let [chain] = last {
        iterate_streams::<W, 1>(isa, core::array::from_mut(chain), iterations);
    }
}

/// Absorbs whole blocks of one message.
#[inline(always)]
pub(super) fn compress<W: Sha512Words>(isa: W::Isa, state: &mut State, blocks: &[Block]) {
    let mut states = [*state];
    streams::<W, 1>(isa, &mut states, [blocks]);
    [*state] = states;
}

/// Absorbs equally many whole blocks of several messages: two at a time, then one.
#[inline(always)]
pub(super) fn compress_many<W: Sha512Words>(isa: W::Isa, states: &mut [State], messages: &[&[Block]]) {
    assert!(states.len() == messages.len());
    let mut at = 0;
    while at + 1 < states.len() {
        let mut two = [states[at], states[at + 1]];
        streams::<W, 2>(isa, &mut two, [messages[at], messages[at + 1]]);
        states[at..at + 2].copy_from_slice(&two);
        at += 2;
    }
    if at < states.len() {
        compress::<W>(isa, &mut states[at], messages[at]);
    }
}
