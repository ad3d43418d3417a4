//! SHA-512 by the CPU's instructions, one or two messages interleaved.

use super::constants::K64;
use keylane_cpu::lanes::Sha512Words;

type State = [u64; 8];
type Block = [u8; 128];

/// Absorbs equally many blocks of N messages.
#[inline(always)]
fn streams<W: Sha512Words, const N: usize>(isa: W::Isa, states: &mut [State; N], messages: [&[Block]; N]) {
    let count = messages[0].len();
    for message in &messages {
        assert!(message.len() == count);
    }
    let zero = W::words(isa, [0; 2]);
    let mut state = [[zero; 4]; N];
    for s in 0..N {
        for i in 0..4 {
            state[s][i] = W::words(isa, [states[s][2 * i], states[s][2 * i + 1]]);
        }
    }
    for at in 0..count {
        let before = state;
        let mut w = [[zero; 8]; N];
        for s in 0..N {
            let eighths = messages[s][at].as_chunks::<16>().0;
            for i in 0..8 {
                w[s][i] = W::load_be(isa, &eighths[i]);
            }
        }
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
    }
    for s in 0..N {
        for i in 0..4 {
            [states[s][2 * i], states[s][2 * i + 1]] = state[s][i].store();
        }
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
